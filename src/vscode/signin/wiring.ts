import type { Clock } from '../../clock';
import type { Log } from '../../log';
import type { OAuthClient } from '../../oauth/types';
import type { Revoker } from '../../sessions/revoker';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { DeviceNotifier } from '../../signin/deviceNotification';
import type { ClientSecrets } from '../../storage/clientSecrets';
import type { ShownBrand } from '../brand';
import type { SetClientSecret } from '../configure/clientSecret';
import type { ConfigureService } from '../configure/configureService';
import type { Editor } from '../editor/editor';
import type { Toast } from '../editor/toast';
import type { Messages } from '../failures/messages';
import type { CurrentSettings } from '../settings/settings';
import type { Texts } from '../texts/texts';

/** What sign-ins are wired from, made once per window. */
export interface SignInWiring {
  readonly brand: ShownBrand;
  readonly client: OAuthClient;
  readonly clientSecrets: Pick<ClientSecrets, 'get'>;
  readonly clock: Clock;
  /** Aborted when the window closes. */
  readonly closing: AbortSignal;
  /** Absent if the person can't configure services. */
  readonly configureService: ConfigureService | undefined;
  readonly editor: Editor;
  readonly log: Log;
  readonly messages: Messages;
  readonly notifier: DeviceNotifier;
  readonly revoker: Revoker;
  readonly sessions: Pick<
    SharedSessions,
    'add' | 'assignAccount' | 'list' | 'listAll' | 'onDidChange' | 'prepareToAdd' | 'serve' | 'serviceOf'
  >;
  readonly setClientSecret: SetClientSecret;
  readonly settings: CurrentSettings;
  readonly texts: Texts;
  readonly toast: Toast;
}
