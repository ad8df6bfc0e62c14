import { dialectOf, type ServiceId } from './client';

/** The scopes in a text, with spaces between them. */
export function splitScopes(text: string): readonly string[] {
  return text.split(' ').filter((scope) => scope !== '');
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
