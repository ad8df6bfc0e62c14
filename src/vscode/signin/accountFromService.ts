import type { TokenResponse } from '../../oauth/client';
import type { CurrentSession } from '../../sessions/sessions';
import { isSameName, nameProblem, plainText } from '../texts/plainText';
import { safeTrace } from '../../log';
import type { SignInParts } from './signInParts';
import type { PreparedSignIn } from './signInPreparation';

/** A name leaves room for the number that makes it unique. */
const LONGEST = 58;

/** Stores what a sign-in brought, then gives the session the account that the service names, if the settings say how to ask. */
export async function addSession(
  { askAccount, log, sessions }: Pick<SignInParts, 'askAccount' | 'log' | 'sessions'>,
  { accountLabel, configuration: { account, service }, replaces }: PreparedSignIn,
  tokens: TokenResponse,
  signal: AbortSignal,
): Promise<CurrentSession> {
  const sessionId = await sessions.add({ service, tokens, label: accountLabel });
  const { accessToken } = tokens;
  const name =
    account === undefined || accessToken === undefined
      ? undefined
      : await askAccount(service.baseUrl, account, accessToken, signal).catch((error: unknown) => {
          log.warn(`The service doesn't tell who is signed in. ${safeTrace(error)}`);
          return undefined;
        });
  const shown = name === undefined ? undefined : plainText(name, LONGEST);
  const label = shown === undefined || nameProblem(shown) !== undefined ? accountLabel : shown;
  const user = label === shown ? { name: shown, id: undefined } : undefined;
  const { session } = await sessions.assignAccount(sessionId, {
    label,
    user,
    identified: account !== undefined,
    replaces,
  });
  return session;
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
