/** Whether people would take two labels for the same one. */
export function isSameLabel(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

/** The label, with a number after it if another account has it. */
export function freeLabel(label: string, taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? label : `${label} (${number})`;
    if (!taken.some((other) => isSameLabel(other, candidate))) {
      return candidate;
    }
  }
}

function folded(label: string): string {
  return label.normalize('NFKC').toLowerCase().trim();
}
