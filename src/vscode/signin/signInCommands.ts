import type { Brand } from '../brand';
import { MENU_COMMAND } from '../commandNames';
import { buttons } from '../words/buttons';
import { setClientSecret } from '../configuration/clientSecret';
import { configureService, type ConfigureServiceParts } from '../configuration/configureService';
import { serviceLabel } from '../configuration/configuration';
import type { SignIn } from './signIn';
import { configuredMessage } from './signInWords';

/** What the commands work with. */
export interface SignInCommandParts extends ConfigureServiceParts {
  readonly brand: Pick<Brand, 'prefix' | 'displayName'>;
  readonly signIn: SignIn;
}

/** Commands by their whole names. */
export type Commands = Readonly<Record<string, (argument?: unknown) => Promise<unknown>>>;

/** The commands of signing in and of configuring the service. */
export function signInCommands(parts: SignInCommandParts): Commands {
  const { signIn, brand } = parts;
  return {
    [`${brand.prefix}.signIn`]: () => signIn.start(),
    [`${brand.prefix}.cancelSignIn`]: () => signIn.cancel(),
    [`${brand.prefix}.copyUserCode`]: () => signIn.withView((view) => view.copyCode()),
    [`${brand.prefix}.openVerificationPage`]: () => signIn.withView((view) => view.openPage()),
    [`${brand.prefix}.showQrCode`]: () => signIn.withView((view) => view.showQrCode()),
    [`${brand.prefix}.${MENU_COMMAND}`]: () => signIn.withView((view) => view.menu()),
    [`${brand.prefix}.setClientSecret`]: (secret) => setClientSecret(parts, secret),
    [`${brand.prefix}.configure`]: () => configure(parts),
  };
}

async function configure(parts: SignInCommandParts): Promise<void> {
  const { brand, editor, inWords, l10n, settings, signIn } = parts;
  try {
    if (!(await configureService(parts))) {
      return;
    }
  } catch (error) {
    throw new Error(inWords(error), { cause: error });
  }
  const labels = buttons(l10n);
  const text = configuredMessage(l10n, serviceLabel(settings(), brand.displayName));
  if ((await editor.message('information', text, labels.signIn)) === labels.signIn) {
    await signIn.start();
  }
}
