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
