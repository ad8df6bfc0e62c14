/** Characters that don't show. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;
const SPACES = /\s+/gu;

/** The label of an account as people see it: those that look the same are the same. */
export function foldedLabel(label: string): string {
  return label.replace(INVISIBLE, '').normalize('NFKC').replace(SPACES, ' ').toLowerCase().trim();
}

/** Whether two labels look the same to people. */
export function isSameLabel(one: string, other: string): boolean {
  return foldedLabel(one) === foldedLabel(other);
}
