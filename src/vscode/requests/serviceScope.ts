import { parseAddress } from '../../oauth/address';
import { splitScopes } from '../../oauth/scopes';

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
