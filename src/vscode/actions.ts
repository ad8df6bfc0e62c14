import * as vscode from 'vscode';
import type { Clock } from '../clock';
import type { Log } from '../log';
import type { OAuthClient } from '../oauth/client';
import { createAskAccount } from '../oauth/account';
import type { TransportParts } from '../oauth/http';
import type { Notice } from '../sessions/notices';
import type { ClientSecrets } from '../sessions/createSessions';
import type { SharedSessions } from '../sessions/sharedSessions';
import type { SignInKeeper } from '../signin/keptSignIn';
import type { Brand } from './brand';
import { MENU_COMMAND } from './commandNames';
import type { SettingName, SettingsSource } from './configuration/settings';
import { vscodeEditor } from './editor/vscodeEditor';
import { refreshNow } from './sessions/refreshNow';
import { sessionCommands } from './sessions/sessionCommands';
import { showNotice } from './sessions/sessionNotices';
import { SignIn } from './signin/signIn';
import { createTexts } from './texts/texts';
import { type Commands, signInCommands } from './signin/commands';
import type { SignInRequest } from './signin/dependencies';

/** What is already there when the actions are first needed. */
export interface ActionSurroundings {
  readonly brand: Brand;
  readonly clock: Clock;
  readonly log: Log;
  readonly transport: TransportParts;
  readonly protocol: OAuthClient;
  readonly sessions: SharedSessions;
  readonly clientSecrets: ClientSecrets;
  readonly keeper: SignInKeeper;
  /** The settings as they are now. */
  readonly settings: () => SettingsSource;
  /** Puts errors of the sessions into words. */
  readonly inWords: (error: unknown) => string;
  readonly showLog: () => void;
}

/** All that people set off or are told. */
export interface Actions {
  readonly signIn: Pick<SignIn, 'signIn' | 'resume' | 'configurationChanged' | 'close'>;
  /** By their whole names. */
  readonly commands: Commands;
  /** Tells the person what became of a session. */
  showNotice(notice: Notice): Promise<void>;
}

/**
 * Puts together what people see and do. Bundling keeps it, and all that only it needs, in a file of its own: most windows
 * that are opened never sign in, so they need not load it.
 */
export function createActions(around: ActionSurroundings): Actions {
  const { brand, clock, log, transport, protocol, sessions, settings, inWords, showLog } = around;
  const { l10n } = vscode;
  const editor = vscodeEditor(log);
  const writeSetting = async (name: SettingName, value: string | undefined): Promise<void> => {
    await vscode.workspace.getConfiguration(brand.prefix).update(name, value, vscode.ConfigurationTarget.Global);
  };
  const common = {
    ...{ brand, editor, l10n, log, settings, inWords, writeSetting },
    language: vscode.env.language,
    texts: createTexts(l10n, vscode.env.language),
    secrets: around.clientSecrets,
  };
  const signIn = new SignIn({
    ...common,
    ...{ clock, protocol, sessions, keeper: around.keeper },
    askAccount: createAskAccount(transport),
  });
  const run = (name: string) => (): Promise<void> => editor.run(`${brand.prefix}.${name}`);
  const onSessions = {
    ...common,
    ...{ clock, sessions, showLog },
    signIn: (request: SignInRequest) => signIn.start(request),
    runningSignIn: () => (signIn.running ? run(MENU_COMMAND) : undefined),
    configure: run('configure'),
  };
  return {
    signIn,
    commands: {
      ...signInCommands({ ...common, signIn, sessions }),
      ...sessionCommands({ ...onSessions, prefix: brand.prefix }),
    },
    showNotice: (notice) =>
      showNotice(
        {
          ...onSessions,
          setClientSecret: run('setClientSecret'),
          tryAgain: (sessionId, account) => refreshNow(onSessions, sessionId, account),
        },
        notice,
      ),
  };
}
