import { isFromNetwork, rejectsClient, type ServiceError, type ServiceTrouble, troubleIn } from '../oauth/errors';

/**
 * The draft dialect has `invalid_client` and leaves all other codes open (docs/draft-dialect.md#errors). These are the codes of RFC 6749
 * and RFC 8628, and those that services of this kind use.
 */
const KINDS = [
  ['expired_token', 'expired'],
  ['code_expired', 'expired'],
  ['authorization_expired', 'expired'],
  ['access_denied', 'denied'],
  ['authorization_declined', 'denied'],
  ['authorization_denied', 'denied'],
  ['unauthorized_client', 'grant not allowed'],
  // GitHub's code, and the standard's for a grant that isn't there.
  ['device_flow_disabled', 'grant not allowed'],
  ['unsupported_grant_type', 'grant not allowed'],
  ['invalid_grant', 'unknown code'],
  ['invalid_device_code', 'unknown code'],
  ['incorrect_device_code', 'unknown code'],
  ['invalid_scope', 'scopes refused'],
  ['slow_down', 'busy'],
] as const;

/** Codes that say enough, whatever number comes with them. */
const KNOWN_WITH_NUMBER: readonly unknown[] = [
  'authorization_declined',
  'expired_token',
  'code_expired',
  'invalid_client',
  'invalid_scope',
];
/** Microsoft's number of a client that isn't registered as one that may have device codes, which comes with `invalid_client`. */
const PUBLIC_FLOWS_DISABLED = 'AADSTS7000218';

/** What an error of the service means for a sign-in, and so what people can do about it. */
export type SignInErrorKind =
  | (typeof KINDS)[number][1]
  | 'wrong credentials'
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

const KIND_OF = new Map<string, SignInErrorKind>(KINDS);

/** Classifies an error of the service by its code or, if the code is unknown or missing, by its status. */
export function classifySignInError(error: ServiceError): SignInErrorKind {
  const { body, code, endpointAddress, isAboutPkce, number, operation, status } = error;
  if (isFromNetwork(error)) {
    return 'network';
  }
  if (number === PUBLIC_FLOWS_DISABLED) {
    return 'grant not allowed';
  }
  if (number !== undefined && !KNOWN_WITH_NUMBER.includes(code)) {
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
  const known = KIND_OF.get(code ?? '') ?? troubleIn({ code, status });
  if (known !== undefined) {
    return known;
  }
  // The service at the base URL gave a code before, so the base URL is right. But the endpoint for polls may be another one.
  const isAtBaseUrl = operation === 'poll' && endpointAddress === undefined;
  const knowsNoOperation = code === undefined || status === 404 || status === 405;
  if (status === 401 || (knowsNoOperation && !isAtBaseUrl)) {
    return status === 403 && body === 'object' ? 'in own words' : 'not accepted';
  }
  return code === undefined ? 'unexplained' : 'other';
}
