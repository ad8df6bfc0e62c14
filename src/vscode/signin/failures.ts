import { MetadataError, NetworkError, type OAuthFailure, ServiceError } from '../../oauth/errors';
import { classifySignInError, type SignInErrorKind } from '../../signin/classifyError';
import type { Texts } from '../texts/texts';
import { commandButtons, type Dependencies } from '../dependencies';
import type { Actions } from '../editor/editor';

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

/** What's offered when the service refused; in all other cases, to try again. */
const AFTER_REFUSAL: Readonly<Partial<Record<SignInErrorKind, readonly Offer[]>>> = {
  expired: ['getNewCode'],
  'unknown code': ['getNewCode'],
  'wrong credentials': ['setClientSecret', 'configureService'],
  unauthorized: ['configureService', 'tryAgain', 'showLog'],
  'not understood': ['configureService', 'tryAgain'],
  other: ['tryAgain', 'showLog'],
};

/**
 * Describes why a sign-in failed. The service's own description of its error is never shown.
 * @param prefix of the settings
 */
export function describeFailure({ signIn }: Texts, service: string, error: OAuthFailure, prefix: string): Failure {
  if (error instanceof ServiceError) {
    const { status, code = '' } = error;
    const kind = classifySignInError(error);
    return { text: signIn.refusals[kind]({ service, status, code }), offers: AFTER_REFUSAL[kind] ?? ['tryAgain'] };
  }
  if (error instanceof NetworkError) {
    return { text: describeNetworkError(signIn, service, error), offers: ['tryAgain', 'configureService'] };
  }
  if (error instanceof MetadataError) {
    const { endpoint = '', isFound, problem } = error;
    const kind = problem === 'missing endpoint' && !isFound ? 'no metadata' : problem;
    const text = signIn.metadata[kind]({ service, endpoint, setting: `${prefix}.endpoints` });
    return { text, offers: ['configureService', 'openSettings'], setting: 'endpoints' };
  }
  const { field = '?', problem, status } = error;
  const kind = problem === 'bad field' && (field === 'user_code' || field === 'verification_uri') ? field : problem;
  const text = signIn.invalidResponses[kind]({ service, status, field });
  return { text, offers: ['tryAgain', 'configureService', 'showLog'] };
}

/** Says why the service didn't respond. */
export function describeNetworkError(
  { networkErrors }: Texts['signIn'],
  service: string,
  { reason, systemCode: code = 'TLS' }: NetworkError,
): string {
  return networkErrors[reason]({ service, code, setting: 'http.proxy' });
}

/**
 * Shows a failure, with buttons for what can be done about it.
 * @param again begins the sign-in again, if that's offered
 */
export async function showFailure(
  deps: Pick<Dependencies, 'brand' | 'editor' | 'texts'>,
  kind: 'warning' | 'error',
  { text, offers, setting = '' }: Failure,
  again: () => void = () => undefined,
): Promise<void> {
  const { brand, editor } = deps;
  const { buttons } = deps.texts;
  const openSettings = (): Promise<void> =>
    editor.run('workbench.action.openSettings', `@id:${brand.prefix}.${setting}`);
  const actions: Readonly<Record<Offer, Actions>> = {
    getNewCode: { [buttons.getNewCode]: again },
    tryAgain: { [buttons.tryAgain]: again },
    setClientSecret: commandButtons(deps, 'setClientSecret'),
    configureService: commandButtons(deps, 'configure'),
    openSettings: Object.hasOwn(brand.fixed, setting) ? {} : { [buttons.openSettings]: openSettings },
    showLog: commandButtons(deps, 'showLog'),
  };
  const offered = offers.flatMap((one) => Object.entries(actions[one]));
  await editor.message(kind, text, Object.fromEntries(offered));
}
