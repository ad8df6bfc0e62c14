import { type ShownBrand, servicesSetting } from '../brand';
import type { Actions, Editor } from '../editor/editor';
import { isAnyLeft } from '../settings/configuration';
import type { CurrentSettings } from '../settings/settings';
import type { Texts } from '../texts/texts';
import { describeFailure, type FailureOptions } from './describeFailure';
import type { About, Failure, Offer } from './failure';

/** What buttons do that only whoever shows a message knows. */
interface OwnActions {
  /** For `tryAgain` and `getNewCode`. */
  readonly again?: Actions[string] | undefined;
  readonly signIn?: Actions[string] | undefined;
}

/** Messages with buttons: from what happened to what people read of it, and what they can do. */
export class Messages {
  constructor(
    private readonly brand: ShownBrand,
    private readonly editor: Editor,
    private readonly settings: CurrentSettings,
    private readonly texts: Texts,
  ) {}

  /** Describes why something failed, with what can be done about it. */
  describe(error: unknown, options: FailureOptions): Failure {
    const { brand, texts } = this;
    return describeFailure({ brand, texts }, error, options);
  }

  /**
   * Shows a message until a button is selected, whose action is run, or it's closed.
   * @throws what the action throws
   */
  async show(failure: Failure, own: OwnActions = {}): Promise<void> {
    const { offers, severity = 'error', text } = failure;
    await this.editor.message(severity, text, this.buttons(offers, { ...failure, ...own }));
  }

  /** Buttons for what can be done, if this build has it: one for a single service can't be configured. */
  buttons(
    offers: readonly Offer[],
    { again, baseUrl, chapter, field, problems, signIn }: About & OwnActions = {},
  ): Actions {
    const { brand, editor, settings, texts } = this;
    const page = brand.troubleshooting;
    const address = chapter === undefined ? page : `${page}#${chapter}`;
    const command = (name: string, ...args: readonly unknown[]) =>
      brand.commands.includes(name) ? () => editor.runOwn(name, ...args) : undefined;
    const actions: Readonly<Record<Offer, Actions[string] | undefined>> = {
      configure: command('configure', baseUrl, field),
      getNewCode: again,
      openSettings: brand.configuredBy === 'person' ? () => this.openServices() : undefined,
      openSettingsFile: () => this.openServicesFile(),
      openProfileSettingsFile: () => this.openProfileFile(),
      reloadWindow: () => editor.run('workbench.action.reloadWindow'),
      // Without a secret as its first argument, it asks for one.
      setClientSecret: command('setClientSecret', undefined, baseUrl),
      showLog: command('showLog'),
      showStatus: command('showStatus'),
      signIn,
      troubleshoot: page === undefined ? undefined : () => editor.run('vscode.open', address),
      tryAgain: again,
    };
    const unlessFixed = (action: Actions[string]) => async (): Promise<void> => {
      if (problems !== undefined && !isAnyLeft(settings.current, problems)) {
        editor.showStatusMessage(texts.settings.alreadyFixed);
      } else {
        await action();
      }
    };
    return Object.fromEntries(
      offers.flatMap((offer) => {
        const action = actions[offer];
        return action === undefined ? [] : [[texts.buttons[offer], unlessFixed(action)]];
      }),
    );
  }

  /** Shows the setting that has the services, in the Settings editor. */
  async openServices(): Promise<void> {
    await this.editor.run('workbench.action.openSettings', `@id:${servicesSetting(this.brand)}`);
  }

  /** Shows the file of the profile's own settings. */
  async openProfileFile(): Promise<void> {
    await this.editor.run('workbench.action.openSettingsJson');
  }

  /** Shows the file that has the services. Settings of their scope are in this file whatever the profile is. */
  async openServicesFile(): Promise<void> {
    const revealSetting = { key: servicesSetting(this.brand) };
    await this.editor.run('workbench.action.openApplicationSettingsJson', { revealSetting });
  }
}
