import fc from 'fast-check';
import type { Manner } from '../model/service';

/** One entry of a schedule. Numbers that pick something are taken modulo what there is. */
export type Action =
  | { readonly do: 'steps'; readonly count: number; readonly seed: number; readonly window?: number }
  | { readonly do: 'advance' | 'live'; readonly milliseconds: number }
  | { readonly do: 'kill' | 'close'; readonly window: number; readonly seed: number }
  /** The power fails, or all windows are quit. */
  | { readonly do: 'crash' | 'quit'; readonly seed: number }
  | {
      readonly do: 'stop' | 'continue' | 'get' | 'known' | 'sign in' | 'hang secrets' | 'break secrets';
      readonly window: number;
    }
  | { readonly do: 'open'; readonly shelf: number }
  | { readonly do: 'refresh now' | 'report' | 'sign out' | 'rename'; readonly window: number; readonly account: number }
  | { readonly do: 'lose'; readonly request: number }
  | { readonly do: 'behave'; readonly manners: readonly Manner[] }
  | { readonly do: 'jump' | 'sleep'; readonly milliseconds: number }
  | {
      readonly do: 'disk';
      readonly fault: 'full' | 'short' | 'readOnly' | 'unreadable' | 'unwatched';
      readonly on: boolean;
    }
  /** The disk begins to misbehave as the next answer arrives. */
  | { readonly do: 'spoil answer'; readonly fault: 'full' | 'short' | 'readOnly' | 'unreadable' }
  | { readonly do: 'tamper'; readonly how: 'remove' | 'truncate' | 'garble' | 'restore'; readonly account: number }
  | { readonly do: 'lose secrets'; readonly shelf: number; readonly garbage: boolean };

/** A schedule, and the world it is played in. */
export interface Schedule {
  readonly shelves: readonly ('desktop' | 'browser')[];
  readonly windows: number;
  readonly lifetime: number;
  /** False where all windows are opened before anyone has signed in. */
  readonly signedIn: boolean;
  /** True where everybody asks for a refresh as soon as all is well again. */
  readonly impatient: boolean;
  readonly actions: readonly Action[];
}

const number = fc.nat(31);
const seed = fc.nat(0xffff);
const HOUR = 3_600_000;

const MANNERS: readonly Manner[] = [
  '429',
  '500',
  'invalid client',
  'unknown code',
  'malformed',
  'carried out, then malformed',
  'no access token',
  'no lifetime',
  'connection refused',
];

function constant<const T>(value: T): fc.Arbitrary<T> {
  return fc.constant(value);
}

const steps = fc.record({ do: constant('steps'), count: fc.integer({ min: 1, max: 40 }), seed });
const stepsOfOne = fc.record({ do: constant('steps'), count: fc.integer({ min: 1, max: 30 }), seed, window: number });
const advance = fc.record({
  do: constant('advance'),
  milliseconds: fc.constantFrom(20, 100, 1_000, 3_000, 10_000, 20_000, 60_000, 130_000),
});
const live = fc.record({ do: constant('live'), milliseconds: fc.constantFrom(0, 100, 1_000, 5_000, 20_000, 50_000) });
const kill = fc.record({ do: constant('kill'), window: number, seed });
const ofWindow = (what: 'stop' | 'continue' | 'get' | 'known' | 'sign in' | 'hang secrets' | 'break secrets') =>
  fc.record({ do: constant(what), window: number });
const ofAccount = (what: 'refresh now' | 'report' | 'sign out' | 'rename') =>
  fc.record({ do: constant(what), window: number, account: number });

const disk = fc.record({
  do: constant('disk'),
  fault: fc.constantFrom('full', 'full', 'short', 'readOnly', 'readOnly', 'unreadable', 'unwatched'),
  on: fc.boolean(),
});

const ACTIONS = {
  steps,
  stepsOfOne,
  advance,
  live,
  kill,
  close: fc.record({ do: constant('close'), window: number, seed }),
  crash: fc.record({ do: constant('crash'), seed }),
  quit: fc.record({ do: constant('quit'), seed }),
  stop: ofWindow('stop'),
  continue: ofWindow('continue'),
  open: fc.record({ do: constant('open'), shelf: number }),
  get: ofWindow('get'),
  known: ofWindow('known'),
  refreshNow: ofAccount('refresh now'),
  report: ofAccount('report'),
  signOut: ofAccount('sign out'),
  rename: ofAccount('rename'),
  signIn: ofWindow('sign in'),
  lose: fc.record({ do: constant('lose'), request: number }),
  behave: fc.record({
    do: constant('behave'),
    manners: fc.array(fc.constantFrom(...MANNERS), { minLength: 1, maxLength: 3 }),
  }),
  jump: fc.record({ do: constant('jump'), milliseconds: fc.constantFrom(-5 * HOUR, -HOUR, HOUR, 5 * HOUR) }),
  sleep: fc.record({ do: constant('sleep'), milliseconds: fc.constantFrom(HOUR, 72 * HOUR, 24 * 31 * HOUR) }),
  disk,
  spoilAnswer: fc.record({
    do: constant('spoil answer'),
    fault: fc.constantFrom('full', 'short', 'readOnly', 'readOnly', 'unreadable'),
  }),
  hangSecrets: ofWindow('hang secrets'),
  breakSecrets: ofWindow('break secrets'),
  tamper: fc.record({
    do: constant('tamper'),
    how: fc.constantFrom('remove', 'truncate', 'garble', 'restore'),
    account: number,
  }),
  loseSecrets: fc.record({ do: constant('lose secrets'), shelf: number, garbage: fc.boolean() }),
};

/** How often each action comes. */
type Weights = Readonly<Record<keyof typeof ACTIONS, number>>;

const USUAL: Weights = {
  steps: 24,
  stepsOfOne: 16,
  advance: 8,
  live: 10,
  kill: 5,
  close: 1,
  crash: 2,
  quit: 1,
  stop: 3,
  continue: 3,
  open: 4,
  get: 6,
  known: 1,
  refreshNow: 7,
  report: 1,
  signOut: 2,
  rename: 1,
  signIn: 2,
  lose: 5,
  behave: 3,
  jump: 2,
  sleep: 1,
  disk: 2,
  spoilAnswer: 1,
  hangSecrets: 1,
  breakSecrets: 1,
  tamper: 1,
  loseSecrets: 1,
};
/** Somebody works in the folder, and SecretStorage has old copies. */
const TAMPERED: Weights = { ...USUAL, tamper: 6, breakSecrets: 5, quit: 4, open: 8, loseSecrets: 0, refreshNow: 10 };
/** The disk misbehaves again and again. */
const BAD_DISK: Weights = {
  ...USUAL,
  disk: 14,
  spoilAnswer: 5,
  refreshNow: 12,
  get: 10,
  open: 6,
  tamper: 0,
  loseSecrets: 0,
};
/** Windows make their first key at the same time. */
const FIRST_KEY: Weights = { ...USUAL, steps: 12, signIn: 8, open: 10, sleep: 8, kill: 8, tamper: 0, loseSecrets: 2 };

function actionsBy(weights: Weights): fc.Arbitrary<readonly Action[]> {
  const action = fc.oneof(
    ...(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]).map((name) => ({
      weight: weights[name],
      arbitrary: ACTIONS[name] as fc.Arbitrary<Action>,
    })),
  );
  return fc.array(action, { minLength: 4, maxLength: 60, size: 'max' });
}

function schedulesBy(weights: Weights, signedIn: fc.Arbitrary<boolean>): fc.Arbitrary<Schedule> {
  return fc.record({
    shelves: fc.constantFrom<readonly ('desktop' | 'browser')[]>(
      ['desktop'],
      ['desktop'],
      ['browser'],
      ['browser', 'browser'],
    ),
    // Most of what windows do to each other takes two or three of them, and each costs time.
    windows: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 2, max: 3 }) },
      { weight: 1, arbitrary: fc.integer({ min: 4, max: 8 }) },
    ),
    lifetime: fc.constantFrom(40, 120, 120, 1),
    signedIn,
    impatient: fc.boolean(),
    actions: actionsBy(weights),
  });
}

/** Schedules of one kind, by what happens in them more often than usual. */
export const schedulesOf = {
  usual: schedulesBy(USUAL, fc.constantFrom(true, true, true, true, false)),
  tampered: schedulesBy(TAMPERED, fc.constant(true)),
  badDisk: schedulesBy(BAD_DISK, fc.constantFrom(true, true, false)),
  firstKey: schedulesBy(FIRST_KEY, fc.constant(false)),
};

/** Schedules of all kinds. */
export const schedules: fc.Arbitrary<Schedule> = fc.oneof(
  { weight: 5, arbitrary: schedulesOf.usual },
  { weight: 2, arbitrary: schedulesOf.tampered },
  { weight: 1, arbitrary: schedulesOf.badDisk },
  { weight: 1, arbitrary: schedulesOf.firstKey },
);
