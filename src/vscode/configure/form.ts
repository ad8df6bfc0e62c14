import type { Clock } from '../../clock';
import type { Fields } from '../../fields';
import type { Log } from '../../log';
import type { ClientSecrets } from '../../storage/clientSecrets';
import type { ShownBrand } from '../brand';
import type { Editor } from '../editor/editor';
import type { ConfigurationTexts } from '../texts/configurationTexts';
import type { Texts } from '../texts/texts';
import type { Box } from './boxes';

/** A service for the settings. */
export type ServiceElement = Fields & { readonly baseUrl: string };

/** What asks for a service. */
export interface Form {
  /** The boxes, as far as they're known by what was entered so far. @throws StoreUnavailableError */
  boxes(): Promise<readonly Box[]>;
  /** The fields of the service that were asked for, once everything is entered. */
  asked(): ServiceElement;
  /** The client secret that was entered; empty if none was. */
  readonly secret: string;
  /** Whether the client may have a secret although it isn't asked for: only the person knows. */
  readonly mayHaveSecret: boolean;
}

export interface FormDependencies {
  readonly brand: ShownBrand;
  readonly clientSecrets: Pick<ClientSecrets, 'get'>;
  readonly clock: Clock;
  readonly configurationTexts: ConfigurationTexts;
  readonly editor: Editor;
  readonly log: Log;
  /** Says that another service has this base URL; `undefined` if none has. */
  readonly takenBy: (baseUrl: string) => string | undefined;
  readonly texts: Texts;
}
