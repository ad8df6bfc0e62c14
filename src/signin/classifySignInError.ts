import { isFromNetwork, rejectsClient, type ServiceError, type ServiceTrouble, troubleIn } from '../oauth/errors';
import { SIGN_IN_CODES, type SignInCodeMeaning } from '../oauth/signInCodes';

/** Microsoft's number of a client that isn't registered as one that may have device codes, which comes with `invalid_client`. */
const PUBLIC_FLOWS_DISABLED = 'AADSTS7000218';

/** What an error of the service means for a sign-in, and so what people can do about it. */
export type SignInErrorKind =
  | SignInCodeMeaning
  | ServiceTrouble
  /** Something at the address doesn't know the operation, or wants credentials of another kind: it may not be the service. */
  | 'not accepted'
  /** It may be at its limit, for example, and says so as no standard does: that's no fault of the client. */
  | 'in own words'
  | 'unexplained'
  | 'numbered'
  | 'PKCE required'
  | 'network'
  | 'other';

/** Classifies an error of the service by its code or, if the code is unknown or missing, by its status. */
export function classifySignInError(error: ServiceError): SignInErrorKind {
  const { body, code, endpointAddress, isAboutPkce, number, operation, status } = error;
  if (isFromNetwork(error)) {
    return 'network';
  }
  if (number === PUBLIC_FLOWS_DISABLED) {
    return 'grant not allowed';
  }
  const knownCode = SIGN_IN_CODES.get(code ?? '');
  if (number !== undefined && knownCode?.countsWithNumber !== true) {
    return 'numbered';
  }
  if (isAboutPkce) {
    return 'PKCE required';
  }
  if (rejectsClient({ code, status })) {
    return 'wrong credentials';
  }
  if (code === 'access_denied' && operation === 'device authorization') {
    // There's no code yet that anybody could have denied.
    return 'grant not allowed';
  }
  if (status === 400 && body === 'empty') {
    return 'unexplained';
  }
  const kind = knownCode?.meaning ?? troubleIn({ code, status });
  if (kind !== undefined) {
    return kind;
  }
  // The service at the base URL gave a code before, so the base URL is right. But the endpoint for polls may be another one.
  const isAtBaseUrl = operation === 'poll' && endpointAddress === undefined;
  const knowsNoOperation = code === undefined || status === 404 || status === 405;
  if (status === 401 || (knowsNoOperation && !isAtBaseUrl)) {
    return status === 403 && body === 'object' ? 'in own words' : 'not accepted';
  }
  return code === undefined ? 'unexplained' : 'other';
}
