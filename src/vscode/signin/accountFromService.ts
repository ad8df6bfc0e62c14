import { repeats } from '../../oauth/secrecy';
import { OAuthError } from '../../oauth/errors';
import { withAccount } from '../../sessions/served';
import type { ServedSession } from '../../sessions/sessions';
import { isSameName, nameProblem, plainText } from '../texts/plainText';
import { safeTrace } from '../../log';
import type { SignInParts } from './signInParts';
import type { PreparedSignIn } from './signInPreparation';

/** A name leaves room for the number that makes it unique. */
const LONGEST = 58;

/**
 * Names the account of a new session, which is stored already, as the service does: where the settings say how it tells
 * who is signed in, and its word is usable and repeats no secret. Otherwise the account keeps the name that it has.
 * Unique among the accounts that are there.
 *
 * @returns the session under the name that the account has now
 */
export async function nameAccount(
  parts: Pick<SignInParts, 'askAccount' | 'log' | 'sessions'>,
  prepared: PreparedSignIn,
  session: ServedSession,
  refreshToken: string | undefined,
  signal: AbortSignal,
): Promise<ServedSession> {
  const { log, sessions } = parts;
  try {
    const told = await nameFromService(parts, prepared, session.accessToken, refreshToken, signal);
    if (told === undefined) {
      return session;
    }
    const name = plainText(told, LONGEST);
    const others = (await sessions.list()).filter(({ id }) => id !== session.id);
    const taken = others.map(({ account }) => account.label);
    const label = uniqueName(name, taken);
    await sessions.rename(session.id, label, told);
    return withAccount(session, { ...session.account, label });
  } catch (error) {
    log.warn(`The account keeps the name it has here. ${safeTrace(error)}`);
    return session;
  }
}

/** What the service calls the person, as it says it, where that can be used. */
async function nameFromService(
  { askAccount, log }: Pick<SignInParts, 'askAccount' | 'log'>,
  { configuration: { account, service }, credentials, replaces }: PreparedSignIn,
  accessToken: string,
  refreshToken: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (account === undefined || replaces !== undefined) {
    return undefined;
  }
  try {
    const answer = await askAccount(service.baseUrl, account, accessToken, signal);
    const name = plainText(answer, LONGEST);
    const secrets = [accessToken, refreshToken ?? '', credentials.clientSecret].filter((secret) => secret !== '');
    const isSecret = secrets.some((secret) => repeats(answer, secret) || repeats(name, secret));
    return nameProblem(name) === undefined && !isSecret ? answer : undefined;
  } catch (error) {
    if (!(error instanceof OAuthError)) {
      throw error;
    }
    log.warn(`The service does not tell who is signed in. ${error.message}`);
    return undefined;
  }
}

/** The name, with a number after it where another account has it already. */
export function uniqueName(name: string, taken: readonly string[]): string {
  const short = plainText(name, LONGEST);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${short} (${number})`;
    if (!taken.some((other) => isSameName(other, candidate))) {
      return candidate;
    }
  }
}
