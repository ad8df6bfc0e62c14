import { isScope, splitScopes, uniqueScopes } from '../../oauth/scopes';
import { parseRequestedScopes } from './serviceScope';

/** What's read of a response that may be a challenge. */
interface Challenging {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

/** A scheme, or a parameter with its value, which may be quoted (RFC 9110, section 11.6.1). */
const PART = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/g;

/** The scopes that the server of a response says the request needs (RFC 6750, section 3.1); none if it doesn't say so. */
export function neededScopes({ headers, status }: Challenging): readonly string[] {
  const isChallenge = status === 401 || status === 403;
  return isChallenge ? scopesIn(readChallenges(headers.get('WWW-Authenticate') ?? '')) : [];
}

/**
 * The scopes that challenges say are needed; none if they don't say so, or want claims, which nobody here can ask for. They're a wish, as
 * those of a caller are: what's no scope is left out, and so is what names a service.
 */
export function scopesIn(challenges: readonly Challenge[]): readonly string[] {
  const needs = challenges.find(
    (one) =>
      one.scheme.toLowerCase() === 'bearer' &&
      parameterOf(one, 'error') === 'insufficient_scope' &&
      parameterOf(one, 'claims') === undefined,
  );
  const listed = splitScopes((needs && parameterOf(needs, 'scope')) ?? '').filter(isScope);
  return uniqueScopes(parseRequestedScopes(listed).scopes);
}

/** A response, and which of the scopes that it says it needs the session lacks. */
export interface CheckedResponse<R> {
  readonly missingScopes: readonly string[];
  readonly response: R;
  /** That of the response, except that a token which lacks scopes isn't rejected: another one would lack them, too. */
  readonly status: number;
}

/**
 * Reads a response for scopes that the session lacks.
 * @param findMissing finds which of these scopes it lacks
 */
export async function checkScopes<R extends Challenging>(
  response: R,
  findMissing: (needed: readonly string[]) => Promise<readonly string[]>,
): Promise<CheckedResponse<R>> {
  const missingScopes = await findMissing(neededScopes(response));
  return { missingScopes, response, status: missingScopes.length > 0 ? 403 : response.status };
}

/** One of the ways in which a server wants to be authorized, as VS Code has it, too. */
export interface Challenge {
  readonly scheme: string;
  readonly params: Readonly<Record<string, string>>;
}

/** @param name in lower case: a challenge may have it in any */
function parameterOf({ params }: Challenge, name: string): string | undefined {
  return Object.entries(params).find(([one]) => one.toLowerCase() === name)?.[1];
}

/** The challenges in a header, which may have several, whose parameters follow their scheme. */
function readChallenges(header: string): readonly Challenge[] {
  const challenges: { scheme: string; params: Record<string, string> }[] = [];
  for (const [, name = '', quoted, token] of header.matchAll(PART)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? token;
    const last = challenges.at(-1);
    if (value === undefined) {
      challenges.push({ scheme: name, params: {} });
    } else if (last !== undefined && !Object.hasOwn(last.params, name)) {
      last.params[name] = value;
    }
  }
  return challenges;
}
