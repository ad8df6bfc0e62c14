/**
 * Numbers that look random and are the same for the same seed (xorshift, 32 bits). From 0 up to 1. The recorded schedules
 * depend on exactly these numbers.
 */
export function chanceFrom(seed: number): Chance {
  let state = (seed | 0) ^ 0x9e3779b9 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** A number from 0 up to 1 for each question that only chance decides. */
export type Chance = () => number;

/** Bytes from such numbers. */
export function bytesFrom(chance: () => number): (length: number) => Uint8Array {
  return (length) => {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at++) bytes[at] = Math.floor(chance() * 256);
    return bytes;
  };
}
