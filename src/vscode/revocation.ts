import { type Clock, withTimeLimit } from '../clock';

/** How long the message after a sign-out waits for the service to say that it has ended the tokens. Milliseconds. */
const PATIENCE = 3_000;

/**
 * Whether the service says, within a moment, that it has ended all of these tokens.
 * @param revoked whether it has, once that's known
 */
export async function areRevoked(clock: Clock, revoked: readonly Promise<boolean>[]): Promise<boolean> {
  const tooLate = (): Error => new Error('The service did not answer in time.');
  const answers = withTimeLimit(clock, PATIENCE, Promise.all(revoked), tooLate);
  return (await answers.catch(() => [false])).every((isRevoked) => isRevoked);
}
