/** An account's name is taken. */
export class LabelTakenError extends Error {
  constructor() {
    super('Another account has that name.');
    this.name = 'LabelTakenError';
  }
}

/** The label, with a number after it where another account has it already. */
export function freeLabel(label: string, taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? label : `${label} (${number})`;
    if (!taken.includes(candidate)) {
      return candidate;
    }
  }
}
