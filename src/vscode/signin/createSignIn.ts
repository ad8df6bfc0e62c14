import type { Clock } from '../../clock';
import type { Log } from '../../log';
import type { OAuthClient } from '../../oauth/types';
import type { Revoker } from '../../sessions/revoker';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { DeviceNotifier } from '../../signin/deviceNotification';
import type { PendingSignIns } from '../../signin/pendingSignIn';
import type { ClientSecrets } from '../../storage/clientSecrets';
import type { ShownBrand } from '../brand';
import type { SetClientSecret } from '../configure/clientSecret';
import type { AskOptions, ConfigureService } from '../configure/configureService';
import type { Editor } from '../editor/editor';
import type { Messages } from '../failures/messages';
import type { CurrentSettings } from '../settings/settings';
import type { Texts } from '../texts/texts';
import { AccountChooser } from './accountChoice';
import { CodeSource } from './codeSource';
import { Completion } from './completion';
import { Confirmation } from './confirmation';
import { HostConsent } from './hostConsent';
import { EndOfSignIn } from './endOfSignIn';
import { ServiceSetup } from './serviceSetup';
import { SignIn } from './signIn';
import { SignInLife } from './signInLife';

export interface SignInOptions {
  readonly brand: ShownBrand;
  readonly client: OAuthClient;
  readonly clientSecrets: Pick<ClientSecrets, 'get' | 'set'>;
  readonly clock: Clock;
  /** Aborted when the window closes. */
  readonly closing: AbortSignal;
  /** Absent if the person can't configure services. */
  readonly configureService: ConfigureService | undefined;
  readonly editor: Editor;
  readonly log: Log;
  readonly messages: Messages;
  readonly notifier: DeviceNotifier;
  readonly pendingSignIns: PendingSignIns;
  readonly revoker: Revoker;
  readonly sessions: Pick<
    SharedSessions,
    'add' | 'assignAccount' | 'list' | 'listAll' | 'onDidChange' | 'prepareToAdd' | 'serviceOf'
  >;
  readonly setClientSecret: SetClientSecret;
  readonly settings: CurrentSettings;
  readonly texts: Texts;
}

/** Puts the sign-ins of a window together, each part from those before it. */
export function createSignIn(options: SignInOptions): SignIn {
  const { brand, clientSecrets, configureService, editor, log, sessions, settings, texts } = options;
  const ask = (question: AskOptions) =>
    configureService === undefined ? options.setClientSecret.ask(question) : configureService.askFor(question);
  const mayAdd = configureService !== undefined;
  const setup = new ServiceSetup({ accounts: sessions, ask, clientSecrets, log, mayAdd, settings, texts });
  const accounts = new AccountChooser(editor, sessions, settings, texts);
  const hosts = new HostConsent(editor, sessions, texts, brand.configuredBy === 'build');
  const codes = new CodeSource({ ...options, hosts });
  const completion = new Completion({ ...options, accounts });
  const confirmation = new Confirmation({ ...options, completion });
  const end = new EndOfSignIn(options);
  const life = new SignInLife({
    accounts,
    codes,
    completion,
    confirmation,
    log,
    end,
    sessions,
    setup,
    texts,
    view: options,
  });
  return new SignIn({ ...options, run: (attempt) => life.run(attempt), setup });
}
