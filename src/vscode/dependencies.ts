import type { Clock } from '../clock';
import type { Log } from '../log';
import type { OAuthClient } from '../oauth/client';
import type { ServiceId } from '../oauth/service';
import type { SharedSessions } from '../sessions/sharedSessions';
import type { PendingSignIns } from '../signin/pendingSignIn';
import type { ClientSecrets } from '../storage/clientSecrets';
import type { Brand } from './brand';
import type { Editor } from './editor/editor';
import type { Settings } from './settings/settings';
import type { Texts } from './texts/texts';

/** What a sign-in asks for the settings of the service with. */
export interface ConfigureOptions {
  /** What's offered as the base URL if none is set: an extension asked for a session of that service. */
  readonly meantBaseUrl?: string | undefined;
  /** Closes the input box or list when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called when everything is entered. The settings are saved from here on, and then the client secret. */
  readonly onSaving?: () => void;
}

/** What sign-ins and the configuration of the service work with. */
export interface Dependencies {
  readonly brand: Pick<Brand, 'prefix' | 'commands' | 'fixed' | 'troubleshooting'>;
  readonly client: OAuthClient;
  readonly clock: Clock;
  /** Aborted when the window closes. */
  readonly closing: AbortSignal;
  /** The service that's configured; `undefined` if none is, or a setting can't be used. */
  readonly configuredService: () => ServiceId | undefined;
  /**
   * Asks the person for the settings of the service. Absent if it's fixed, or comes from the extension that embeds this.
   * @returns what to tell the person, unless they canceled
   */
  readonly configureService?: ((options?: ConfigureOptions) => Promise<string | undefined>) | undefined;
  readonly editor: Editor;
  readonly log: Log;
  /** Saves a sign-in for the next window. */
  readonly pendingSignIns: Pick<PendingSignIns, 'begin' | 'takeOver'>;
  readonly clientSecrets: Pick<ClientSecrets, 'get' | 'isBuiltIn' | 'set'>;
  /** What the service is called in menus and messages. */
  readonly serviceName: () => string;
  readonly settings: Pick<Settings, 'current'>;
  readonly sessions: Pick<SharedSessions, 'list' | 'listHidden' | 'prepareToAdd' | 'add' | 'assignAccount'>;
  readonly texts: Texts;
}
