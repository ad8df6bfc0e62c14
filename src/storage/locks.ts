/** Gives a lock back. Idempotent. */
export type Release = () => void;

/** Locks between all windows on this machine. One that its holder can't give back, because it died, frees itself. */
export interface Locks {
  /**
   * Takes the lock of that name, waiting for at most `patience` milliseconds.
   * @returns how to give it back, or `undefined` where another holds it all that time.
   */
  acquire(name: string, patience: number): Promise<Release | undefined>;
}
