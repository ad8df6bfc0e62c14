import type { Clock } from '../clock';
import type { Log } from '../log';
import type { OAuthClient } from '../oauth/client';
import type { SharedSessions } from '../sessions/sharedSessions';
import type { PendingSignIns } from '../signin/pendingSignIn';
import type { ClientSecrets } from '../storage/clientSecrets';
import type { Brand } from './brand';
import type { Actions, Editor } from './editor/editor';
import type { Texts } from './texts/texts';

/** What sign-ins and the configuration of the service work with. */
export interface Dependencies {
  readonly brand: Pick<Brand, 'prefix' | 'displayName' | 'commands' | 'fixed'>;
  readonly client: Omit<OAuthClient, 'refresh' | 'revoke'>;
  readonly clock: Clock;
  readonly editor: Editor;
  /** Says why something failed, and what to do. */
  readonly explain: (error: unknown) => string;
  readonly log: Log;
  /** Saves a sign-in for the next window. */
  readonly pendingSignIns: Pick<PendingSignIns, 'begin' | 'takeOver'>;
  readonly secrets: Pick<ClientSecrets, 'get' | 'set'>;
  readonly sessions: Pick<SharedSessions, 'list' | 'add' | 'assignAccount'>;
  readonly texts: Texts;
}

/** Buttons that run commands of this extension, if this build has them: one for a single service can't be configured. */
export function commandButtons(
  { brand, editor, texts: { buttons } }: Pick<Dependencies, 'brand' | 'editor' | 'texts'>,
  ...commands: readonly ('configure' | 'setClientSecret' | 'showLog')[]
): Actions {
  const labels = {
    configure: buttons.configureService,
    setClientSecret: buttons.setClientSecret,
    showLog: buttons.showLog,
  };
  const run = (command: string) => () => editor.run(`${brand.prefix}.${command}`);
  const possible = commands.filter((command) => brand.commands.includes(command));
  return Object.fromEntries(possible.map((command) => [labels[command], run(command)]));
}
