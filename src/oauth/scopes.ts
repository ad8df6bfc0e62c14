import { parseAddress } from './address';
import { dialectOf } from './dialect';
import type { ServiceId } from './service';

/** The scopes in a text, with spaces between them. */
export function splitScopes(text: string): readonly string[] {
  return text.split(' ').filter((scope) => scope !== '');
}

/** Whether a text is a scope: other characters could pass for more than one, or for words around it (RFC 6749, section 3.3). */
export function isScope(text: unknown): text is string {
  return typeof text === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(text);
}

/**
 * The scopes that a token response lists, with spaces between them, or commas as GitHub does, or as a list of JSON.
 * @returns `undefined` if it lists none because it has no list
 */
export function splitGrantedScopes(scope: unknown): readonly string[] | undefined {
  const texts: readonly unknown[] = Array.isArray(scope) ? scope : [scope];
  const scopes = texts
    .flatMap((text) => (typeof text === 'string' ? text.split(/[\s,]+/) : []))
    .filter((one) => /^[\x21-\x7e]+$/.test(one));
  const isEmptyList = texts.every((text) => typeof text === 'string' && text.trim() === '');
  return scopes.length > 0 || isEmptyList ? scopes : undefined;
}

/** Each scope once, in the order in which they first appear. */
export function uniqueScopes(scopes: readonly string[]): readonly string[] {
  return [...new Set(scopes)];
}

/**
 * The scopes that a session of this service can answer.
 * @param granted those that are stored with the session
 * @returns `undefined` if it answers any, because the service has no scopes
 */
export function answeredScopes(
  service: Pick<ServiceId, 'protocol'>,
  granted: readonly string[],
): readonly string[] | undefined {
  return dialectOf(service).sessionsHaveScopes ? granted : undefined;
}

/**
 * Whether a session that answers these scopes answers all of the requested ones.
 * @param answered `undefined` if it answers any
 * @param requested one element may hold several scopes with spaces between them, because other extensions do so
 */
export function coversScopes(answered: readonly string[] | undefined, requested: readonly string[]): boolean {
  return answered === undefined || requested.flatMap(splitScopes).every((scope) => answered.includes(scope));
}

/** Begins a scope that names the service that a caller means, by its base URL. No service ever gets it. */
const SERVICE_SCOPE = 'DEVICE_FLOW_SERVICE:';
/** Whether a scope is meant to name a service, even if it's misspelled: at its beginning, or behind a character that no scope has. */
const NAMES_SERVICE = /(?:^|[^\x21-\x7e])DEVICE_FLOW_SERVICE/i;

/** The scope that names this service. */
export function serviceScope(baseUrl: string): string {
  return `${SERVICE_SCOPE}${baseUrl}`;
}

/** What a caller asks for. */
interface RequestedScopes {
  /** What the session must have. Each element may hold several scopes with spaces between them. */
  readonly scopes: readonly string[];
  /** The base URLs of the services that the caller means; none if any service will do. */
  readonly services: readonly string[];
}

/**
 * Separates the scopes that a caller asks for from those that name the service it means. One that's misspelled names a service
 * that isn't there, rather than any.
 */
export function parseRequestedScopes(requested: readonly string[]): RequestedScopes {
  const each = requested.flatMap(splitScopes);
  const isService = (scope: string): boolean => NAMES_SERVICE.test(scope);
  return {
    scopes: each.filter((scope) => !isService(scope)),
    services: each.filter(isService).map((scope) => normalizedBaseUrl(namedBaseUrl(scope))),
  };
}

/** The base URL in a scope that names a service, in any case; the whole scope if it's misspelled otherwise. */
function namedBaseUrl(scope: string): string {
  const text = scope.trim();
  const isSpelledWell = text.slice(0, SERVICE_SCOPE.length).toUpperCase() === SERVICE_SCOPE;
  return isSpelledWell ? text.slice(SERVICE_SCOPE.length) : text;
}

/**
 * Whether this is the service that a caller means, if it means a certain one.
 * @param meantBaseUrls see `RequestedScopes.services`
 */
export function isMeantService(meantBaseUrls: readonly string[], baseUrl: string): boolean {
  return meantBaseUrls.every((meant) => normalizedBaseUrl(meant) === normalizedBaseUrl(baseUrl));
}

/** As settings have it: without slashes at the end, and with the host in lower case. */
function normalizedBaseUrl(text: string): string {
  const url = parseAddress(text)?.href ?? text;
  return url.replace(/\/+$/, '');
}
