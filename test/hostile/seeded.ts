/**
 * Random numbers that are the same for the same seed, and differ at once between seeds that follow each other, as those of
 * the fuzz do. The simulation has a generator of its own, because its recorded schedules depend on what that yields.
 */
export class Seeded {
  constructor(private state: number) {}

  /** From 0 up to, not including, 1 (the generator known as mulberry32). */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** One of these. */
  pick<const T>(items: readonly T[]): T {
    return items[this.whole(0, items.length - 1)] as T;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.whole(0, 255)));
  }
}
