import { type Clock, withTimeLimit } from '../../clock';
import type { SessionInfo } from '../../sessions/currentSession';
import type { SharedSessions } from '../../sessions/sharedSessions';

/** How long the message after a sign-out waits for the service to say that it has ended the tokens. Milliseconds. */
const PATIENCE = 3_000;

/**
 * Ends sessions of one service.
 * @param store where they're removed
 * @returns whether the service says, within a moment, that it has ended all of their tokens; `undefined` if there were none
 * @throws the store's error
 */
export async function endSessions(
  clock: Clock,
  store: Pick<SharedSessions, 'remove'>,
  sessions: readonly SessionInfo[],
): Promise<boolean | undefined> {
  const revoked: Promise<boolean>[] = [];
  for (const { id } of sessions) {
    const { revoked: isRevoked } = await store.remove(id);
    if (isRevoked !== undefined) {
      revoked.push(isRevoked);
    }
  }
  return await areRevoked(clock, revoked);
}

/**
 * @param revoked whether the service ends the tokens of each session that had any
 * @returns whether the service says, within a moment, that it has ended all of them; `undefined` if there were none
 */
export async function areRevoked(clock: Clock, revoked: readonly Promise<boolean>[]): Promise<boolean | undefined> {
  if (revoked.length === 0) {
    return undefined;
  }
  const tooLate = (): Error => new Error('The service did not answer in time.');
  const answers = withTimeLimit(clock, PATIENCE, Promise.all(revoked), tooLate);
  return (await answers.catch(() => [false])).every((isRevoked) => isRevoked);
}
