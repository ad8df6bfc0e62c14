import type { Sessions } from '../../sessions/sessions';
import type { Brand } from '../brand';
import { MENU_COMMAND } from '../commandNames';
import { buttons } from '../words/buttons';
import { secretStoredMessage, setClientSecret } from '../configuration/clientSecret';
import { configureService, type ConfigureServiceParts } from '../configuration/configureService';
import { serviceLabel } from '../configuration/configuration';
import type { SignIn } from './signIn';
import { configuredMessage, signedInMessage } from './signInWords';

/** What the commands work with. */
export interface SignInCommandParts extends ConfigureServiceParts {
  readonly brand: Pick<Brand, 'prefix' | 'displayName'>;
  readonly signIn: SignIn;
  readonly sessions: Pick<Sessions, 'list'>;
}

/** Commands by their whole names. */
export type Commands = Readonly<Record<string, (argument?: unknown) => Promise<unknown>>>;

/** The argument with which the page of the first steps asks for a sign-in. */
const FIRST_STEPS = 'firstSteps';

/** The commands of signing in and of configuring the service. */
export function signInCommands(parts: SignInCommandParts): Commands {
  const { signIn, brand, l10n } = parts;
  return {
    [`${brand.prefix}.signIn`]: (from) => (from === FIRST_STEPS ? signInFirst(parts) : signIn.start()),
    [`${brand.prefix}.cancelSignIn`]: () => signIn.cancel(),
    [`${brand.prefix}.copyUserCode`]: () => signIn.withView((view) => view.copyCode()),
    [`${brand.prefix}.openVerificationPage`]: () => signIn.withView((view) => view.openPage()),
    [`${brand.prefix}.showQrCode`]: () => signIn.withView((view) => view.showQrCode()),
    [`${brand.prefix}.${MENU_COMMAND}`]: () => signIn.withView((view) => view.menu()),
    [`${brand.prefix}.setClientSecret`]: async (secret) => {
      if (await setClientSecret(parts, secret)) {
        void tellReady(parts, secretStoredMessage(l10n));
      }
    },
    [`${brand.prefix}.configure`]: () => configure(parts),
  };
}

/** The first steps are done with one account: only the person's own command begins another. */
async function signInFirst({ brand, editor, l10n, sessions, settings, signIn }: SignInCommandParts): Promise<void> {
  const [signedIn] = await sessions.list();
  if (signedIn === undefined || signIn.running) {
    await signIn.start();
    return;
  }
  const service = serviceLabel(settings(), brand.displayName);
  void editor.message('information', signedInMessage(l10n, service, signedIn.account.label));
}

async function configure(parts: SignInCommandParts): Promise<void> {
  const { brand, inWords, l10n, settings } = parts;
  try {
    if ((await configureService(parts)).kind !== 'saved') {
      return;
    }
  } catch (error) {
    throw new Error(inWords(error), { cause: error });
  }
  void tellReady(parts, configuredMessage(l10n, serviceLabel(settings(), brand.displayName)));
}

/** Tells what was set. The sign-in is the next step for those who have none. */
async function tellReady({ editor, l10n, sessions, signIn }: SignInCommandParts, text: string): Promise<void> {
  const needed = !signIn.running && (await sessions.list()).length === 0;
  const labels = buttons(l10n);
  const offered = needed ? [labels.signIn] : [];
  if ((await editor.message('information', text, ...offered)) === labels.signIn) {
    await signIn.start();
  }
}
