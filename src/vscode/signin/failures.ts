import { InvalidResponseError, NetworkError, type OAuthError, ServiceError } from '../../oauth/errors';
import { classifySignInError } from '../../signin/classifyError';
import { ForeignPageError } from '../../signin/deviceFlow';
import type { WrongSettingError } from '../configuration/settings';
import type { Texts } from '../texts/texts';
import type { SignInDependencies } from './preparation';

/** What a message offers. */
type Offer = 'getNewCode' | 'tryAgain' | 'setClientSecret' | 'configureService' | 'openSettings' | 'showLog';

/** What went wrong, and what to do. */
export interface Failure {
  readonly text: string;
  /** Names of buttons. */
  readonly offers: readonly Offer[];
  /** For `openSettings`, such as `verificationUrl`. */
  readonly setting?: string;
}

/** Describes why a sign-in failed. The service's own description of its error is never shown. */
export function describeFailure({ signIn }: Texts, service: string, error: OAuthError | ForeignPageError): Failure {
  if (error instanceof ForeignPageError) {
    return { text: signIn.foreignPage({ service }), offers: ['openSettings'], setting: 'verificationUrl' };
  }
  if (error instanceof ServiceError) {
    return describeRefusal(signIn, service, error);
  }
  if (error instanceof NetworkError) {
    return { text: signIn.networkError(service, error), offers: ['tryAgain', 'configureService'] };
  }
  return error instanceof InvalidResponseError
    ? { text: signIn.invalidResponse(service, error), offers: ['tryAgain', 'configureService', 'showLog'] }
    : { text: signIn.failed({ service }), offers: ['tryAgain', 'showLog'] };
}

function describeRefusal(signIn: Texts['signIn'], service: string, error: ServiceError): Failure {
  const { status, code } = error;
  switch (classifySignInError(error)) {
    case 'wrong credentials':
      return { text: signIn.wrongCredentials({ service }), offers: ['setClientSecret', 'configureService'] };
    case 'denied':
      return { text: signIn.denied({ service }), offers: ['tryAgain'] };
    case 'expired':
    case 'unknown code':
      return { text: signIn.unknownCode({ service }), offers: ['getNewCode'] };
    case 'too many requests':
      return { text: signIn.tooManyRequests({ service }), offers: ['tryAgain'] };
    case 'unauthorized':
      return { text: signIn.unauthorized({ service }), offers: ['configureService', 'tryAgain', 'showLog'] };
    case 'internal error':
      return { text: signIn.internalError({ service, status }), offers: ['tryAgain'] };
    case 'not understood':
      return { text: signIn.notUnderstood({ service, status }), offers: ['configureService', 'tryAgain'] };
    case 'other':
      return { text: signIn.refused({ service, code: code ?? '', status }), offers: ['tryAgain', 'showLog'] };
  }
}

/** Describes a setting that can't be used, and offers to open it. */
export function describeWrongSetting(
  { brand, texts }: Pick<SignInDependencies, 'brand' | 'texts'>,
  { setting, problem }: WrongSettingError,
  ignored: boolean,
): Failure {
  const describe = ignored ? texts.settings.ignored : texts.settings.wrong;
  return { text: describe(`${brand.prefix}.${setting}`, problem), offers: ['openSettings'], setting };
}

/**
 * Shows a failure, with buttons for what can be done about it.
 * @param again begins the sign-in again, if that's offered
 */
export async function showFailure(
  { brand, editor, texts }: Pick<SignInDependencies, 'brand' | 'editor' | 'texts'>,
  kind: 'warning' | 'error',
  { text, offers, setting = '' }: Failure,
  again: () => void = () => undefined,
): Promise<void> {
  const run = (command: string) => () => editor.run(`${brand.prefix}.${command}`);
  const actions: Readonly<Record<Offer, () => Promise<void> | void>> = {
    getNewCode: again,
    tryAgain: again,
    setClientSecret: run('setClientSecret'),
    configureService: run('configure'),
    openSettings: () => editor.run('workbench.action.openSettings', `@id:${brand.prefix}.${setting}`),
    showLog: run('showLog'),
  };
  await editor.message(kind, text, Object.fromEntries(offers.map((one) => [texts.buttons[one], actions[one]])));
}
