import type { AuthorizationRequest } from '../../oauth/types';
import { plainText, withoutService } from '../texts/plainText';
import type { Texts } from '../texts/texts';
import type { ChosenAccount } from './chooseAccount';

/** How many characters of scopes a message shows; at least one scope, which is never longer than a message may be. */
const MOST_SHOWN = 200;

/** The scopes that a sign-in adds to those of an account: all extensions that can use it get them, too. */
export interface AddedScopes {
  /** Its label, without its service, which the texts name anyway. */
  readonly account: string;
  /** The scopes that it gets in addition; never empty. */
  readonly scopes: readonly string[];
}

/** Which scopes an account of a service gets in addition; `undefined` if none. */
export function findAddedScopes(
  service: string,
  { scopes = [] }: AuthorizationRequest,
  { replaced, scopes: held }: ChosenAccount,
): AddedScopes | undefined {
  const further = scopes.filter((scope) => !held.includes(scope));
  if (replaced?.scopes === undefined || further.length === 0) {
    return undefined;
  }
  return { account: withoutService(replaced.account.label, service), scopes: further };
}

/**
 * Says what the person confirms besides the sign-in itself.
 * @param link runs the command that shows all scopes, for those that are too many for a message; without a link, all are in the message
 */
export function describeAddedScopes(
  { signIn }: Texts,
  { account, scopes }: AddedScopes,
  link: string | undefined,
): string {
  const shown = countShown(scopes);
  if (link === undefined || shown === scopes.length) {
    return signIn.widening({ account, scopes: shownScopes(scopes).join(', ') });
  }
  const list = shownScopes(scopes.slice(0, shown)).join(', ');
  const count = scopes.length - shown;
  return signIn.widening({ account, scopes: signIn.moreScopes({ scopes: list, count, link }) });
}

/** Scopes as messages and lists show them. Each is whole: what's cut off could be what matters. */
export function shownScopes(scopes: readonly string[]): readonly string[] {
  return scopes.map((scope) => plainText(scope, Infinity));
}

/** How many of the first scopes a message shows. */
export function countShown(scopes: readonly string[]): number {
  const tooMany = scopes.findIndex((_, index) => scopes.slice(0, index + 1).join(', ').length > MOST_SHOWN);
  return tooMany === -1 ? scopes.length : Math.max(1, tooMany);
}
