import type { ACTIONS } from './actions';

type ActionName = keyof typeof ACTIONS;

/** Faults that are rare: a machine has one kind of them at a time. Everything else in a schedule is ordinary life. */
const RARE = {
  /** It refuses, can't be read, or says nothing of changes. */
  disk: ['disk', 'spoilAnswer'],
  /** It's set, or wrong for a while. */
  clock: ['jump', 'wrongClock'],
  /** They're deleted, damaged, or set back. */
  files: ['tamper', 'tamperStore'],
  /** SecretStorage doesn't respond, or has lost what it had. */
  secrets: ['hangSecrets', 'breakSecrets', 'loseSecrets'],
} as const satisfies Record<string, readonly ActionName[]>;

/** A kind of rare faults. */
export type RareKind = keyof typeof RARE;

export const RARE_KINDS = Object.keys(RARE) as RareKind[];

/** The actions of all kinds of rare faults but one. */
export function actionsOfOtherKinds(kind: RareKind | undefined): readonly ActionName[] {
  return RARE_KINDS.filter((one) => one !== kind).flatMap((one) => RARE[one]);
}

/**
 * Whether a schedule has two or more kinds of rare faults. Then a sign-in may be lost, as long as people are told so. What must hold
 * all the same: nothing is sent twice, mixed up, leaked, or served although it's known to be superseded.
 */
export function isBeyondBudget(actions: string): boolean {
  const names = actions.split(/,\s*/).map((action) => action.split(' ', 1)[0]);
  const kinds = RARE_KINDS.filter((kind) => (RARE[kind] as readonly string[]).some((name) => names.includes(name)));
  return kinds.length > 1;
}
