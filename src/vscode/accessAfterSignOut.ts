import { type Clock, withTimeLimit } from '../clock';
import { dialectOf } from '../oauth/dialect';
import type { Service } from '../oauth/service';

/** How long the message after a sign-out waits for the service to say that it has ended the tokens. Milliseconds. */
const REVOCATION_PATIENCE = 3_000;

/** What becomes of tokens at their service once they're deleted here. */
export type AccessAfterSignOut = 'revoked' | 'expires' | 'remains' | 'notRevoked';

/**
 * Finds out what becomes of the tokens of a service. Waits a moment for its answer.
 * @param revoked whether it has ended the tokens, once that's known
 */
export async function accessAfterSignOut(
  clock: Clock,
  service: Service,
  revoked: readonly Promise<boolean>[],
): Promise<AccessAfterSignOut> {
  if (!dialectOf(service).signOutCanRevoke) {
    return 'expires';
  }
  if (service.endpoints?.revocation === undefined) {
    return 'remains';
  }
  const tooLate = (): Error => new Error('The service did not answer in time.');
  const answers = withTimeLimit(clock, REVOCATION_PATIENCE, Promise.all(revoked), tooLate);
  return (await answers.catch(() => [false])).every((isRevoked) => isRevoked) ? 'revoked' : 'notRevoked';
}
