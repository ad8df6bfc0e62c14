import type { AuthorizationRequest } from '../../oauth/types';
import { withoutService } from '../texts/plainText';
import { firstScopes, shownScopes } from '../texts/shownScopes';
import type { Texts } from '../texts/texts';
import type { ChosenAccount } from './chooseAccount';

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
  const { list, more } = firstScopes(scopes);
  if (link === undefined || more === 0) {
    return signIn.widening({ account, scopes: shownScopes(scopes).join(', ') });
  }
  return signIn.widening({ account, scopes: signIn.moreScopes({ scopes: list, count: more, link }) });
}
