import fc from 'fast-check';
import type { PolicyName } from '../model/policies';
import { ACTIONS } from './actions';
import { actionsOfOtherKinds, RARE_KINDS, type RareKind } from './budget';

/** A schedule, and the world it is played in. */
export interface Schedule {
  readonly shelves: readonly ('desktop' | 'browser')[];
  readonly windows: number;
  /** Lifetime of the access tokens in seconds. */
  readonly lifetime: number;
  /** False if all windows are opened before anyone has signed in. */
  readonly signedIn: boolean;
  /** Whether everybody asks for a refresh as soon as all is well again. */
  readonly impatient: boolean;
  /** What the service does with refresh tokens; what the draft says if left out. */
  readonly policy?: PolicyName;
  /** Whether each second sign-in is to another service than the one before. */
  readonly hasTwoServices?: boolean;
  /** Names of actions, each with its arguments: `live 100, kill 2 77`. */
  readonly actions: string;
}

type Name = keyof typeof ACTIONS;

/** How often actions come that come more or less often than usual. */
type Weights = Partial<Readonly<Record<Name, number>>>;

/** Somebody works in the folder. */
const TAMPERED: Weights = { tamper: 6, quit: 4, open: 8, refreshNow: 10 };
/** Somebody works in the folder, and SecretStorage has old copies. */
const TAMPERED_WITH_OLD_COPIES: Weights = { ...TAMPERED, breakSecrets: 5, loseSecrets: 0 };
/** The disk misbehaves again and again. */
const BAD_DISK: Weights = {
  disk: 14,
  spoilAnswer: 5,
  refreshNow: 12,
  get: 10,
  open: 6,
  tamper: 0,
  loseSecrets: 0,
  newer: 0,
};
/** Windows make their first key at the same time. */
const FIRST_KEY: Weights = { steps: 12, signIn: 8, open: 10, sleep: 8, kill: 8, tamper: 0, loseSecrets: 2 };

/** Where services have scopes. */
const STANDARD: Weights = { widen: 3, lose: 8 };

/** Which faults a schedule has: at most one kind of the rare ones, or any. */
export type Budget = 'within' | 'beyond';

/** Schedules of all kinds. */
export function schedulesFor(policy: PolicyName, budget: Budget): fc.Arbitrary<Schedule> {
  const by = (weights: Weights, signedIn: readonly boolean[]): fc.Arbitrary<Schedule> =>
    policy === 'draft'
      ? schedulesBy(weights, signedIn)
      : schedulesBy({ ...STANDARD, ...weights }, signedIn).map((schedule) => ({ ...schedule, policy }));
  return budget === 'within' ? withinBudget(by) : beyondBudget(by);
}

/** Schedules in which certain actions are more or less frequent. */
type SchedulesBy = (weights: Weights, signedIn: readonly boolean[]) => fc.Arbitrary<Schedule>;

/** Ordinary life, with one kind of rare faults, or none. */
function withinBudget(by: SchedulesBy): fc.Arbitrary<Schedule> {
  const only = (kind: RareKind | undefined, weights: Weights = {}, signedIn = [true, true, true, true, false]) => {
    const others = Object.fromEntries(actionsOfOtherKinds(kind).map((name) => [name, 0]));
    return by({ ...weights, ...others }, signedIn);
  };
  return fc.oneof(
    { weight: 3, arbitrary: only(undefined) },
    ...RARE_KINDS.map((kind) => ({ weight: 1, arbitrary: only(kind) })),
    { weight: 1, arbitrary: only('files', TAMPERED, [true]) },
    { weight: 1, arbitrary: only('disk', BAD_DISK, [true, true, false]) },
    { weight: 1, arbitrary: only(undefined, FIRST_KEY, [false]) },
  );
}

/** Rare faults of all kinds together. */
function beyondBudget(by: SchedulesBy): fc.Arbitrary<Schedule> {
  return fc.oneof(
    { weight: 5, arbitrary: by({}, [true, true, true, true, false]) },
    { weight: 2, arbitrary: by(TAMPERED_WITH_OLD_COPIES, [true]) },
    { weight: 1, arbitrary: by(BAD_DISK, [true, true, false]) },
    { weight: 1, arbitrary: by(FIRST_KEY, [false]) },
  );
}

function schedulesBy(weights: Weights, signedIn: readonly boolean[]): fc.Arbitrary<Schedule> {
  const action = fc.oneof(
    ...(Object.keys(ACTIONS) as Name[]).map((name) => ({
      weight: weights[name] ?? ACTIONS[name].weight,
      arbitrary: ACTIONS[name].given.map((given) => [name, ...given].join(' ')),
    })),
  );
  return fc.record({
    shelves: fc.constantFrom<Schedule['shelves'][]>(
      ['desktop'],
      ['desktop'],
      ['desktop', 'desktop'],
      ['browser'],
      ['browser', 'browser'],
    ),
    // Most of what windows do to each other takes two or three of them, and each costs time.
    windows: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 2, max: 3 }) },
      { weight: 1, arbitrary: fc.integer({ min: 4, max: 8 }) },
    ),
    lifetime: fc.constantFrom(40, 120, 120, 1),
    signedIn: fc.constantFrom(...signedIn),
    impatient: fc.boolean(),
    hasTwoServices: fc.boolean(),
    actions: fc.array(action, { minLength: 4, maxLength: 60, size: 'max' }).map((actions) => actions.join(', ')),
  });
}
