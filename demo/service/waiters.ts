/** Promises that resolve as soon as their conditions hold. */
export class Waiters {
  private readonly checks = new Set<() => void>();

  /** Resolves as soon as `condition` holds: now, or at a later `check`. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return;
        this.checks.delete(check);
        resolve();
      };
      this.checks.add(check);
      check();
    });
  }

  /** Checks all conditions again. Call it after every change. */
  check(): void {
    for (const check of this.checks) check();
  }
}
