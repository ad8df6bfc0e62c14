import type { Sessions } from '../../sessions/sessions';
import type { CodeMessage } from './codeMessage';
import { MENU_COMMAND, type SignInDependencies } from './preparation';
import { type ConfigurationDependencies, enterClientSecret, takeClientSecret } from '../configuration/clientSecret';
import { configureService, SignInError } from '../configuration/configureService';
import { serviceLabel } from '../configuration/settings';
import type { SignIn } from './signIn';

/** What the commands work with. */
export interface SignInCommandDependencies extends ConfigurationDependencies {
  readonly brand: SignInDependencies['brand'];
  readonly signIn: SignIn;
  readonly sessions: Pick<Sessions, 'list'>;
}

/** Commands by their full names. */
export type Commands = Readonly<Record<string, (argument?: unknown) => unknown>>;

/** The argument with which the walkthrough asks for a sign-in. */
const FIRST_STEPS = 'firstSteps';

/** The commands of signing in and of configuring the service. */
export function signInCommands(deps: SignInCommandDependencies): Commands {
  const { signIn, brand, texts } = deps;
  const onCode = (action: (code: CodeMessage) => Promise<void>) => () =>
    signIn.withView((view) => view.withCode(action));
  return {
    [`${brand.prefix}.signIn`]: (from) => (from === FIRST_STEPS ? signInFirst(deps) : signIn.start()),
    [`${brand.prefix}.cancelSignIn`]: () => {
      signIn.cancel();
      return Promise.resolve();
    },
    [`${brand.prefix}.copyUserCode`]: onCode((code) => code.copy('code')),
    [`${brand.prefix}.openVerificationPage`]: onCode((code) => code.openPage()),
    [`${brand.prefix}.showQrCode`]: onCode((code) => code.showQrCode()),
    [`${brand.prefix}.${MENU_COMMAND}`]: () => signIn.withView((view) => view.menu()),
    [`${brand.prefix}.setClientSecret`]: async (secret) => {
      if (secret !== undefined) {
        await takeClientSecret(deps, secret);
      } else if (await enterClientSecret(deps)) {
        void tellReady(deps, texts.settings.secretSaved);
      }
      await signIn.configurationChanged();
    },
    [`${brand.prefix}.configure`]: () => configure(deps),
  };
}

/** The walkthrough is about the first account: a further one needs the person's own command. */
async function signInFirst(deps: SignInCommandDependencies): Promise<void> {
  const { brand, editor, texts, sessions, settings, signIn } = deps;
  const [signedIn] = await sessions.list();
  if (signedIn === undefined || signIn.running) {
    await signIn.start();
    return;
  }
  const service = serviceLabel(settings(), brand.displayName);
  void editor.message('information', texts.signIn.signedIn(service, signedIn.account.label));
}

async function configure(deps: SignInCommandDependencies): Promise<void> {
  const { brand, explain, texts, settings } = deps;
  try {
    if (!(await configureService(deps))) {
      return;
    }
  } catch (error) {
    if (error instanceof SignInError) {
      return;
    }
    throw new Error(explain(error), { cause: error });
  }
  void tellReady(deps, texts.settings.configured(serviceLabel(settings(), brand.displayName)));
}

/** Says what was set, and offers a sign-in as the next step if nobody is signed in. */
async function tellReady({ editor, texts, sessions, signIn }: SignInCommandDependencies, text: string): Promise<void> {
  const needed = !signIn.running && (await sessions.list()).length === 0;
  await editor.message('information', text, needed ? { [texts.buttons.signIn]: () => signIn.start() } : {});
}
