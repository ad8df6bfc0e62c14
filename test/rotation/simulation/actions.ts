import fc from 'fast-check';
import type { Manner } from '../model/service';

/** One entry of a schedule. Numbers that pick something are taken modulo what there is. */
export type Action =
  | { readonly do: 'steps'; readonly count: number; readonly seed: number; readonly window?: number }
  | { readonly do: 'advance' | 'live'; readonly milliseconds: number }
  | { readonly do: 'kill' | 'close'; readonly window: number; readonly seed: number }
  | { readonly do: 'crash'; readonly seed: number }
  | {
      readonly do: 'stop' | 'continue' | 'get' | 'known' | 'sign in' | 'hang secrets' | 'break secrets';
      readonly window: number;
    }
  | { readonly do: 'open'; readonly shelf: number }
  | { readonly do: 'refresh now' | 'report' | 'sign out' | 'rename'; readonly window: number; readonly account: number }
  | { readonly do: 'lose'; readonly request: number }
  | { readonly do: 'behave'; readonly manners: readonly Manner[] }
  | { readonly do: 'jump' | 'sleep'; readonly milliseconds: number }
  | { readonly do: 'disk'; readonly fault: 'full' | 'readOnly' | 'unreadable' | 'unwatched'; readonly on: boolean }
  | { readonly do: 'tamper'; readonly how: 'remove' | 'truncate' | 'garble'; readonly account: number }
  | { readonly do: 'lose secrets'; readonly shelf: number; readonly garbage: boolean };

/** A schedule, and the world it is played in. */
export interface Schedule {
  readonly shelves: readonly ('desktop' | 'browser')[];
  readonly windows: number;
  readonly lifetime: number;
  /** False where all windows are opened before anyone has signed in. */
  readonly signedIn: boolean;
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

/** Actions by how often they come. */
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 24, arbitrary: steps },
  { weight: 16, arbitrary: stepsOfOne },
  { weight: 8, arbitrary: advance },
  { weight: 10, arbitrary: live },
  { weight: 5, arbitrary: kill },
  { weight: 1, arbitrary: fc.record({ do: constant('close'), window: number, seed }) },
  { weight: 2, arbitrary: fc.record({ do: constant('crash'), seed }) },
  { weight: 3, arbitrary: ofWindow('stop') },
  { weight: 3, arbitrary: ofWindow('continue') },
  { weight: 4, arbitrary: fc.record({ do: constant('open'), shelf: number }) },
  { weight: 6, arbitrary: ofWindow('get') },
  { weight: 1, arbitrary: ofWindow('known') },
  { weight: 7, arbitrary: ofAccount('refresh now') },
  { weight: 1, arbitrary: ofAccount('report') },
  { weight: 2, arbitrary: ofAccount('sign out') },
  { weight: 1, arbitrary: ofAccount('rename') },
  { weight: 2, arbitrary: ofWindow('sign in') },
  { weight: 5, arbitrary: fc.record({ do: constant('lose'), request: number }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: constant('behave'),
      manners: fc.array(fc.constantFrom(...MANNERS), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: constant('jump'), milliseconds: fc.constantFrom(-5 * HOUR, -HOUR, HOUR, 5 * HOUR) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: constant('sleep'), milliseconds: fc.constantFrom(HOUR, 72 * HOUR, 24 * 31 * HOUR) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: constant('disk'),
      fault: fc.constantFrom('full', 'full', 'full', 'readOnly', 'unreadable', 'unwatched'),
      on: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: ofWindow('hang secrets') },
  { weight: 1, arbitrary: ofWindow('break secrets') },
  {
    weight: 1,
    arbitrary: fc.record({
      do: constant('tamper'),
      how: fc.constantFrom('remove', 'truncate', 'garble'),
      account: number,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: constant('lose secrets'), shelf: number, garbage: fc.boolean() }) },
);

/** Schedules of so many windows. */
export const schedules: fc.Arbitrary<Schedule> = fc.record({
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
  signedIn: fc.constantFrom(true, true, true, true, false),
  actions: fc.array(action, { minLength: 4, maxLength: 60, size: 'max' }),
});
