/** Gives a lock back. Idempotent. */
export type Release = () => void;

/** Locks between all windows on this machine. A lock is freed when its holder dies. */
export interface Locks {
  /**
   * Takes the lock of that name, waiting for at most `patience` milliseconds.
   * @returns how to give it back, or `undefined` if another window holds it all that time
   * @throws LocksUnavailableError if this machine has no such locks
   */
  acquire(name: string, patience: number): Promise<Release | undefined>;
  /** Removes the file of a lock that's no longer needed. */
  discard(name: string): Promise<void>;
}

/**
 * - `no sqlite`: this editor's Node.js lacks `node:sqlite`.
 * - `no file locks`: no folder that could be used is on a file system with locks.
 */
export type LocksUnavailableReason = 'no sqlite' | 'no file locks';

/** This machine has no locks between windows. */
export class LocksUnavailableError extends Error {
  override readonly name = 'LocksUnavailableError';

  constructor(readonly reason: LocksUnavailableReason) {
    super(`Locks between windows aren't available: ${reason}.`);
  }
}

/** Name of the lock under which everything is written to a session's journal. */
export function sessionLock(sessionId: string): string {
  return `session.${sessionId}`;
}
