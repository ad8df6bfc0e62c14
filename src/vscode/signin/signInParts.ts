import type { l10n } from 'vscode';
import type { Clock } from '../../clock';
import type { Log } from '../../log';
import type { AskAccount } from '../../oauth/account';
import type { OAuthClient } from '../../oauth/client';
import type { ClientSecrets } from '../../sessions/createSessions';
import type { Sessions } from '../../sessions/sessions';
import type { SignInKeeper } from '../../signin/keptSignIn';
import type { Brand } from '../brand';
import type { ConfigureOutcome } from '../configuration/configureService';
import type { SettingsSource } from '../configuration/configuration';
import type { Editor } from '../editor/editor';

/** What the sign-in works with. */
export interface SignInParts {
  readonly brand: Pick<Brand, 'prefix' | 'displayName'>;
  readonly editor: Editor;
  readonly l10n: Pick<typeof l10n, 't'>;
  /** The language of the texts, such as `en`. */
  readonly language: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly protocol: Pick<OAuthClient, 'requestDeviceAuthorization' | 'poll' | 'notify'>;
  readonly askAccount: AskAccount;
  readonly sessions: Pick<Sessions, 'list' | 'add' | 'assignAccount'>;
  readonly secrets: ClientSecrets;
  /** Keeps sign-ins for the window after this one. */
  readonly keeper: SignInKeeper;
  /** The settings as they are now. */
  readonly settings: () => SettingsSource;
  /** Guides the person through the settings. */
  readonly configureService: (signal: AbortSignal) => Promise<ConfigureOutcome>;
  /** Puts errors of the session store and the secret store into words. */
  readonly inWords: (error: unknown) => string;
}

/** What a sign-in is for. */
export interface SignInRequest {
  /** Name of the account, where it is known already. */
  readonly accountLabel?: string;
  /** ID of the session that the new one takes the place of, keeping its account. */
  readonly replaces?: string;
}
