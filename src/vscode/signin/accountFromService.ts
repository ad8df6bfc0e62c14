import type { TokenAnswer } from '../../protocol/answers';
import { repeats } from '../../protocol/echo';
import { ProtocolError } from '../../protocol/errors';
import { isSameName, nameProblem, plainText } from '../words/plainText';
import type { SignInParts } from './signInParts';
import type { PreparedSignIn } from './signInPreparation';

/** A name leaves room for the number that makes it unique. */
const LONGEST = 58;

/**
 * The name of a new account: where the settings say how the service tells who is signed in, its word; otherwise, or
 * where that fails or repeats a secret, the name that was prepared. Unique among the accounts that are there.
 */
export async function nameOfAccount(
  { askAccount, log, sessions }: Pick<SignInParts, 'askAccount' | 'log' | 'sessions'>,
  { configuration, credentials, accountLabel, replaces }: PreparedSignIn,
  { accessToken, refreshToken }: Pick<TokenAnswer, 'accessToken' | 'refreshToken'>,
  signal: AbortSignal,
): Promise<string> {
  const { account, service } = configuration;
  if (account === undefined || accessToken === undefined || replaces !== undefined) {
    return accountLabel;
  }
  let name = accountLabel;
  try {
    const answer = await askAccount(service.baseUrl, account, accessToken, signal);
    const told = plainText(answer, LONGEST);
    const secrets = [accessToken, refreshToken ?? '', credentials.clientSecret].filter((secret) => secret !== '');
    const isSecret = secrets.some((secret) => repeats(answer, secret) || repeats(told, secret));
    name = nameProblem(told) === undefined && !isSecret ? told : accountLabel;
  } catch (error) {
    if (!(error instanceof ProtocolError)) {
      throw error;
    }
    log.warn(`The service does not tell who is signed in, so the account keeps the name it has here. ${error.message}`);
  }
  const taken = (await sessions.list()).map((session) => session.account.label);
  return uniqueName(name, taken);
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
