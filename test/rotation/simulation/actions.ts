import fc from 'fast-check';
import { chanceFrom } from '../model/random';
import { MISBEHAVIORS } from '../model/service';
import type { StoreFaults } from '../model/store';
import { RESTORED, TAMPERED } from './ledger';
import { NEWER_THINGS } from './newerVersion';
import type { ModelWindow } from './window';
import type { World } from './world';

/** An argument of an action. Numbers that pick something are taken modulo what there is. */
type Argument = number | string;

/** Something that can happen in a schedule. */
interface Action {
  /** How often it comes in a usual schedule. */
  readonly weight: number;
  readonly given: fc.Arbitrary<readonly Argument[]>;
  perform(world: World, given: readonly Argument[]): unknown;
}

type Arbitraries<A> = { readonly [K in keyof A]: fc.Arbitrary<A[K]> };

const MOST_WINDOWS = 8;
const MOST_ACCOUNTS = 4;
const HOUR = 3_600_000;
/** `live` lets at most this many token lifetimes pass: further rotations would only repeat the first ones. */
const LIVES = 3;
/** How far back a restored backup is: before the last write and the "sending" that preceded it. */
const EARLIER_VERSION = 3;

/** Longer than a service may bring nothing else than trouble before people are told. Milliseconds. */
const LONG_TROUBLE = 22 * 60_000;
/** What a service may answer for a while. */
const LASTING = ['busy', 'malformed', 'inWords', 'invalidClient', 'refused'] as const;

const INDEX = fc.nat(31);
const SEED = fc.nat(0xffff);
const BLOCKING = ['full', 'readOnly', 'unreadable', 'busy'] as const satisfies (keyof StoreFaults)[];
const TAMPERING = ['remove', 'truncate', 'garble', 'restore'] as const;

/** All that can happen. */
export const ACTIONS = {
  steps: action(24, [fc.integer({ min: 1, max: 40 }), SEED], (world, count, seed) => takeSteps(world, count, seed)),
  stepsOf: inWindow(16, [fc.integer({ min: 1, max: 30 }), SEED], (world, window, count, seed) =>
    takeSteps(world, count, seed, window),
  ),
  advance: action(8, [fc.constantFrom(20, 100, 1_000, 3_000, 10_000, 20_000, 60_000, 130_000)], (world, time) => {
    world.timeline.advance(time);
    world.referee.stalled += time;
  }),
  live: action(10, [fc.constantFrom(0, 100, 1_000, 5_000, 20_000, 50_000)], (world, time) =>
    world.live(Math.min(time, LIVES * world.setting.lifetime * 1_000)),
  ),
  kill: inWindow(5, [SEED], (world, window, seed) => {
    world.kill(window, chanceFrom(seed));
    if (world.windows.length === 0) openWindow(world, seed);
  }),
  close: inWindow(1, [SEED], async (world, window, seed) => {
    world.close(window);
    await world.live(1_000);
    world.kill(window, chanceFrom(seed));
  }),
  /** The power fails. */
  crash: action(2, [SEED], (world, seed) => {
    world.crash(chanceFrom(seed));
    openOneOfEach(world);
  }),
  /** All windows are quit. */
  quit: action(1, [SEED], (world, seed) => {
    world.quit(chanceFrom(seed));
    openOneOfEach(world);
  }),
  stop: inWindow(3, [], (world, window) => {
    world.referee.undisturbed = false;
    window.stopped = true;
  }),
  continue: inWindow(3, [], (_world, window) => {
    window.stopped = false;
  }),
  open: action(4, [INDEX], openWindow),
  get: inWindow(6, [], (world, window) => {
    world.getSessions(window);
  }),
  list: inWindow(1, [], (_world, window) => void window.sessions.list()),
  refreshNow: forAccount(7, 'refreshNow'),
  report: forAccount(1, 'reportRejected'),
  signOut: forAccount(2, 'signOut'),
  rename: forAccount(1, 'rename'),
  signIn: inWindow(2, [], (world, window) => {
    if (world.ledger.accounts.length < MOST_ACCOUNTS) world.signIn(window);
  }),
  /** A person takes so long to name the account, and wants a name that others want too. */
  signInSlowly: inWindow(1, [fc.constantFrom(1_000, 30_000, 120_000)], (world, window, pause) => {
    if (world.ledger.accounts.length < MOST_ACCOUNTS) world.signIn(window, 'somebody', pause);
  }),
  /** A person signs in whom the service identifies. */
  signInAs: inWindow(1, [], (world, window) => {
    if (world.ledger.accounts.length < MOST_ACCOUNTS) world.signIn(window, undefined, 0, true);
  }),
  /** A newer version of the extension writes something. */
  newer: action(1, [fc.constantFrom(...NEWER_THINGS), INDEX], (world, what, index) => {
    world.newer.write(what, pick(world.ledger.accounts, index), pick(world.shelves, index));
  }),
  /** Only if accounts have scopes. */
  widen: forAccount(0, 'widen'),
  /** A request, or its response, never arrives. */
  lose: action(5, [INDEX], (world, index) => {
    const request = pick(world.service.open, index);
    if (request !== undefined) world.service.lose(request);
  }),
  /** The service answers a further request so. */
  behave: action(5, [fc.constantFrom(...MISBEHAVIORS)], (world, misbehavior) => {
    world.service.misbehaviors.push(misbehavior);
  }),
  /** The service is in trouble for longer than people aren't told of. */
  endure: action(1, [fc.constantFrom(...LASTING)], async (world, misbehavior) => {
    world.service.lasting = misbehavior;
    await world.live(LONG_TROUBLE);
    world.service.lasting = undefined;
  }),
  /** The machine loses its network, or has it back. */
  network: action(2, [fc.constantFrom('off', 'off', 'on')], (world, on) => {
    world.service.isOnline = on === 'on';
  }),
  /** Somebody comes back to a window. */
  focus: inWindow(2, [], (world, window) => {
    world.referee.patience.called();
    window.sessions.wake();
  }),
  /** The wall clock is set. */
  jump: action(2, [fc.constantFrom(-5 * HOUR, -HOUR, HOUR, 5 * HOUR)], (world, time) => {
    world.timeline.jump(time);
    world.clocksMoved();
  }),
  /** The wall clock is wrong for a while. */
  wrongClock: action(
    1,
    [fc.constantFrom(-5 * HOUR, -HOUR, HOUR, 5 * HOUR), fc.constantFrom(0, 1_000, 25_000)],
    async (world, error, time) => {
      world.timeline.jump(error);
      world.clocksMoved();
      await world.live(time);
      world.timeline.jump(-error);
      world.clocksMoved();
    },
  ),
  /** The machine sleeps. */
  sleep: action(1, [fc.constantFrom(HOUR, 72 * HOUR, 24 * 31 * HOUR, 24 * 100 * HOUR)], (world, time) => {
    world.referee.undisturbed = false;
    world.timeline.sleepMachine(time);
  }),
  disk: action(
    2,
    [fc.constantFrom(...BLOCKING, 'full', 'readOnly', 'unwatched'), fc.constantFrom('on', 'off')],
    (world, fault, on) => {
      world.setStore(fault, on === 'on');
    },
  ),
  /** The disk begins to misbehave as the next response arrives. */
  spoilAnswer: action(1, [fc.constantFrom(...BLOCKING, 'readOnly')], (world, fault) => {
    world.service.onNextResponse = () => {
      world.setStore(fault, true);
    };
  }),
  hangSecrets: inWindow(1, [], (world, window) => {
    world.spoilSecrets(window, 'hangs');
  }),
  breakSecrets: inWindow(1, [], (world, window) => {
    world.spoilSecrets(window, 'throws');
  }),
  /** Somebody damages a journal. */
  tamper: action(1, [fc.constantFrom(...TAMPERING), INDEX], tamper),
  /** Somebody empties the whole store, or puts a copy back that was made so many commits ago. */
  tamperStore: action(
    1,
    [fc.constantFrom('empty', 'setBack'), fc.integer({ min: 1, max: 20 })],
    (world, how, commits) => {
      for (const { harmed } of world.ledger.accounts) harmed.add(how === 'empty' ? TAMPERED : RESTORED);
      for (const name of world.store.names) world.newer.forget(name);
      if (how === 'empty') world.store.empty();
      else world.store.setBack(commits);
      world.storeTampered();
    },
  ),
  loseSecrets: action(1, [INDEX, fc.constantFrom('all', 'part')], (world, index, what) => {
    const shelf = pick(world.shelves, index);
    if (shelf !== undefined) world.loseSecrets(shelf, what === 'part' ? '{"format":1' : undefined);
  }),
} as const satisfies Record<string, Action>;

/** Opens a window, unless there are many. */
export function openWindow(world: World, which: number): void {
  const shelf = pick(world.shelves, which);
  if (shelf !== undefined && world.windows.length < MOST_WINDOWS) world.open(shelf);
}

function openOneOfEach(world: World): void {
  for (const which of world.shelves.keys()) openWindow(world, which);
}

function action<A extends readonly Argument[]>(
  weight: number,
  given: Arbitraries<A>,
  perform: (world: World, ...given: A) => unknown,
): Action {
  return {
    weight,
    given: fc.tuple(...(given as Arbitraries<readonly Argument[]>)),
    perform: (world, given) => perform(world, ...(given as A)),
  };
}

function inWindow<A extends readonly Argument[]>(
  weight: number,
  given: Arbitraries<A>,
  perform: (world: World, window: ModelWindow, ...given: A) => unknown,
): Action {
  return action<readonly [number, ...A]>(weight, [INDEX, ...given], (world, index, ...given) => {
    const window = pick(world.windows, index);
    return window === undefined ? undefined : perform(world, window, ...given);
  });
}

function forAccount(weight: number, name: 'refreshNow' | 'rename' | 'reportRejected' | 'signOut' | 'widen'): Action {
  return inWindow(weight, [INDEX], (world, window, index) => {
    const account = pick(
      world.ledger.accounts.filter(({ shelf }) => shelf === window.shelf),
      index,
    );
    if (account !== undefined) world[name](window, account);
  });
}

async function takeSteps(world: World, count: number, seed: number, window?: ModelWindow): Promise<void> {
  const chance = chanceFrom(seed);
  for (let step = 0; step < count && world.referee.violation === undefined; step++) {
    const ready = world.steps.ready(window);
    const step = ready[Math.floor(chance() * ready.length)];
    const performOnly = chance() < 0.15;
    if (step === undefined) return;
    await world.release(step, performOnly);
  }
}

function tamper(world: World, how: (typeof TAMPERING)[number], index: number): void {
  const account = pick(world.ledger.accounts, index);
  if (account?.sessionId === undefined) return;
  account.harmed.add(how === 'restore' ? RESTORED : TAMPERED);
  const name = `session/${account.sessionId}`;
  world.newer.forget(name);
  const versions = world.ledger.versions.get(account.sessionId) ?? [];
  const earlier = versions.at(-EARLIER_VERSION) ?? versions[0];
  // A tombstone stands for the end of a session: what's done to it is done to the whole store.
  if (world.ledger.tombstones.has(account.sessionId)) return;
  world.store.tamper(
    name,
    {
      remove: () => undefined,
      truncate: (text: string) => text.slice(0, 800),
      garble: (text: string) => `${text.slice(0, 400)}#${text.slice(401)}`,
      restore: (text: string) => earlier ?? text,
    }[how],
  );
}

function pick<T>(from: readonly T[], which: number): T | undefined {
  return from[which % Math.max(1, from.length)];
}
