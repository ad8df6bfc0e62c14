import * as vscode from 'vscode';
import { EXTENSION, PROVIDER } from './service';

/** Set if this extension leads people through the walkthroughs, as `npm start` wants it. */
const WALKTHROUGHS = 'DEVICE_FLOW_SAMPLE_WALKTHROUGHS';

/** What's said of the sign-in is gone by then: one notification at a time. Milliseconds. */
const UNTIL_OFFERED = 12_000;

/** How long the offer is shown. Milliseconds. */
const OFFERED = 30_000;

/**
 * Leads people through the walkthrough of Device Flow Authentication, and after the first sign-in to the one of this extension.
 * Each is opened or offered only once.
 */
export class Walkthroughs {
  constructor(private readonly context: vscode.ExtensionContext) {}

  /** Opens the walkthrough of Device Flow Authentication at the sign-in, because the service is configured already. */
  async openFirst(): Promise<void> {
    if (!this.#claim('walkthroughOpened')) return;
    await openWalkthrough({ category: `${EXTENSION}#firstSteps`, step: 'signIn' });
  }

  /** Offers the walkthrough of this extension as soon as somebody is signed in. */
  async offerOwn(): Promise<void> {
    const accounts = await vscode.authentication.getAccounts(PROVIDER);
    if (accounts.length === 0 || !this.#claim('walkthroughOffered')) return;
    await new Promise((resolve) => setTimeout(resolve, UNTIL_OFFERED));
    const argument = encodeURIComponent(JSON.stringify([`${this.context.extension.id}#firstSteps`, false]));
    const title = `Next, see [how an extension uses the session](command:workbench.action.openWalkthrough?${argument}).`;
    // Unlike a message, it goes by itself, and isn't left in the notification center.
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, async (progress) => {
      progress.report({ increment: 100 });
      await new Promise((resolve) => setTimeout(resolve, OFFERED));
    });
  }

  /** Marks this as done. Returns false if it was done before, or if `npm start` doesn't want it. */
  #claim(key: string): boolean {
    const { globalState } = this.context;
    if (process.env[WALKTHROUGHS] === undefined || globalState.get<boolean>(key) === true) return false;
    void globalState.update(key, true);
    return true;
  }
}

async function openWalkthrough(
  walkthrough: string | { readonly category: string; readonly step: string },
): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', walkthrough, false);
}
