import { chanceFrom } from '../model/random';
import { drain } from '../model/steps';
import type { Action, Schedule } from './actions';
import { RESTORED, TAMPERED, type Account } from './ledger';
import type { ModelWindow } from './window';
import { World } from './world';

const MOST_WINDOWS = 8;
/** Lifetime of tokens that come when all is well again, in seconds: how short ones are replaced was seen before. */
const CALM_LIFETIME = 3_600;
/** Longer than so many lives of a token nothing is let go on undisturbed: one is replaced like the other. */
const LIVES = 3;
/** The last writing, the "sending" before it, and the pair before that: a backup holds that one. */
const EARLIER_VERSION = 3;

/**
 * Plays one schedule.
 * @returns what was found wrong, or `undefined`
 */
export async function play(schedule: Schedule, trace?: (line: string) => void): Promise<string | undefined> {
  const said = { secret: undefined as string | undefined };
  const world = new World(
    schedule,
    (message) => {
      trace?.(`      log: ${message}`);
      if (/refresh\.\d|access\.\d|client\.secret/.test(message)) {
        said.secret = message;
      }
    },
    trace,
  );
  await begin(world, schedule);
  for (const action of schedule.actions) {
    trace?.(JSON.stringify(action));
    await perform(world, schedule, action);
    await drain();
    if (world.referee.violation !== undefined) {
      break;
    }
  }
  trace?.('calm');
  await calm(world, schedule);
  return world.referee.violation ?? (said.secret === undefined ? undefined : 'a secret was logged');
}

async function begin(world: World, { windows, signedIn }: Schedule): Promise<void> {
  if (signedIn) {
    for (const shelf of world.shelves) {
      world.signIn(world.open(shelf));
      await world.live(1_000);
    }
  }
  for (let number = world.windows.length; number < windows; number++) {
    open(world, number);
  }
  if (signedIn) {
    await world.live(0);
  }
}

function open(world: World, which: number): void {
  const shelf = pick(world.shelves, which);
  if (shelf !== undefined && world.windows.length < MOST_WINDOWS) {
    world.open(shelf);
  }
}

async function perform(world: World, schedule: Schedule, action: Action): Promise<void> {
  switch (action.do) {
    case 'steps':
      await takeSteps(world, action);
      return;
    case 'advance':
      world.timeline.advance(action.milliseconds);
      return;
    case 'live':
      await world.live(Math.min(action.milliseconds, LIVES * schedule.lifetime * 1_000));
      return;
    case 'crash':
    case 'quit':
      world[action.do](chanceFrom(action.seed));
      world.shelves.forEach((_, which) => {
        open(world, which);
      });
      return;
    case 'open':
      open(world, action.shelf);
      return;
    case 'lose': {
      const request = pick(world.service.open, action.request);
      if (request !== undefined) {
        world.service.lose(request);
      }
      return;
    }
    case 'behave':
      world.service.behave(action.manners);
      return;
    case 'jump':
      world.timeline.jump(action.milliseconds);
      world.clocksMoved();
      return;
    case 'sleep':
      world.referee.undisturbed = false;
      world.timeline.sleepMachine(action.milliseconds);
      return;
    case 'disk':
      world.setDisk(action.fault, action.on);
      return;
    case 'spoil answer':
      world.spoiler = action.fault;
      return;
    case 'tamper':
      tamper(world, action);
      return;
    case 'lose secrets': {
      const shelf = pick(world.shelves, action.shelf);
      if (shelf !== undefined) {
        shelf.lose(action.garbage ? '{"format":1' : undefined);
        world.harm(shelf, 'its secrets were lost');
      }
      return;
    }
    default: {
      const window = pick(world.windows, action.window);
      if (window !== undefined) {
        await inWindow(world, window, action);
      }
    }
  }
}

async function takeSteps(world: World, action: Extract<Action, { do: 'steps' }>): Promise<void> {
  const chance = chanceFrom(action.seed);
  const window = action.window === undefined ? undefined : pick(world.windows, action.window);
  for (let step = 0; step < action.count && world.referee.violation === undefined; step++) {
    const ready = world.steps.ready(window);
    const step = ready[Math.floor(chance() * ready.length)];
    const performOnly = chance() < 0.15;
    if (!(await world.release(step, performOnly))) {
      return;
    }
  }
}

async function inWindow(
  world: World,
  window: ModelWindow,
  action: Extract<Action, { window: number; do: Exclude<Action['do'], 'steps'> }>,
): Promise<void> {
  switch (action.do) {
    case 'kill':
      world.kill(window, chanceFrom(action.seed));
      if (world.windows.length === 0) {
        open(world, action.seed);
      }
      return;
    case 'close':
      world.close(window);
      await world.live(1_000);
      world.kill(window, chanceFrom(action.seed));
      return;
    case 'stop':
      world.referee.undisturbed = false;
      window.stopped = true;
      return;
    case 'continue':
      window.stopped = false;
      return;
    case 'get':
      world.getSessions(window);
      return;
    case 'known':
      void window.sessions.list();
      return;
    case 'sign in':
      if (world.ledger.accounts.length < 4) {
        world.signIn(window);
      }
      return;
    case 'hang secrets':
    case 'break secrets':
      window.shelf.setFault(window, action.do === 'hang secrets' ? 'hangs' : 'throws');
      if (!window.isOpen) {
        world.harm(window.shelf, 'the key could not be kept');
      }
      return;
    default: {
      const mine = world.ledger.accounts.filter((account) => account.shelf === window.shelf);
      const account = pick(mine, action.account);
      if (account !== undefined) {
        forAccount(world, window, account, action.do);
      }
    }
  }
}

function forAccount(
  world: World,
  window: ModelWindow,
  account: Account,
  what: 'refresh now' | 'report' | 'sign out' | 'rename',
): void {
  switch (what) {
    case 'refresh now':
      world.refreshNow(window, account);
      return;
    case 'report':
      world.reportRejected(window, account);
      return;
    case 'sign out':
      world.signOut(window, account);
      return;
    case 'rename':
      world.rename(window, account);
      return;
  }
}

function tamper(world: World, { how, account: which }: Extract<Action, { do: 'tamper' }>): void {
  const account = pick(world.ledger.accounts, which);
  if (account?.sessionId === undefined) {
    return;
  }
  account.harmed.add(how === 'restore' ? RESTORED : TAMPERED);
  const name = `sessions/${account.sessionId}.json`;
  const versions = world.ledger.versions.get(account.sessionId) ?? [];
  const earlier = versions.at(-EARLIER_VERSION) ?? versions[0];
  switch (how) {
    case 'remove':
      world.disk.tamperRemove(name);
      return;
    case 'truncate':
      world.disk.tamper(name, (data) => data.subarray(0, data.length / 2));
      return;
    case 'garble':
      world.disk.tamper(name, (data) => data.map((byte, at) => (at === 400 ? byte ^ 1 : byte)));
      return;
    case 'restore':
      world.disk.tamper(name, (data) => earlier ?? data);
  }
}

/** All is well again: now everything must come right. */
async function calm(world: World, { impatient }: Schedule): Promise<void> {
  const { referee } = world;
  for (const fault of ['full', 'short', 'readOnly', 'unreadable', 'unwatched'] as const) {
    world.setDisk(fault, false);
  }
  world.spoiler = undefined;
  world.service.recover();
  world.service.lengthenLives(CALM_LIFETIME);
  referee.calmSince = world.timeline.elapsed;
  for (const window of world.windows) {
    window.stopped = false;
    window.shelf.setFault(window, 'none');
  }
  const promised = world.ledger.accounts.filter(({ promised }) => promised);
  const safe = new Map(promised.map((account) => [account, world.ledger.safePair(account)]));
  const pairs = new Map(promised.map((account) => [account, world.service.grants.get(account.grant)?.pair]));
  // A request whose sender died, or has waited long enough, may arrive all the same and replace the pair: then nobody
  // reads the answer.
  const lateRequests = world.service.requests.filter(({ carriedOut }) => !carriedOut);
  world.shelves.forEach((shelf) => world.open(shelf));
  if (impatient) {
    for (const window of world.windows) {
      const mine = promised.filter((account) => account.shelf === window.shelf);
      mine.forEach((account) => {
        world.refreshNow(window, account);
      });
    }
  }
  await world.live(45_000);
  for (const account of promised) {
    checkMended(world, account);
    const window = world.windows.find(({ isOpen, shelf }) => isOpen && shelf === account.shelf);
    if (window !== undefined) {
      world.refreshNow(window, account);
      // A token from a copy that is refused is tried once more after a pause.
      await world.live(account.harmed.size > 0 ? 30_000 : 15_000);
    }
  }
  world.windows.forEach((window) => {
    world.getSessions(window);
  });
  await world.live(15_000);
  for (const { window, what, settled } of world.calls) {
    if (window.alive && !settled && what !== 'run') {
      referee.fail('5', `${window.name}: ${what} does not come to an end`);
    }
  }
  for (const account of promised) {
    const orphaned = lateRequests.some(
      ({ carriedOut, state, token }) => carriedOut && state === 'lost' && token.grant === account.grant,
    );
    checkEnd(world, account, safe.get(account) === pairs.get(account) && !orphaned);
  }
}

/** A journal that somebody damaged is written again by the windows that know the session. */
function checkMended({ ledger, referee, windows }: World, { grant, harmed, sessionId, signOutAsked }: Account): void {
  const id = sessionId ?? '';
  const isKnown = windows.some((window) => ['added', 'changed'].includes(referee.lastTold(window, id)?.kind ?? ''));
  if (harmed.has(TAMPERED) && isKnown && !signOutAsked && !ledger.tombstones.has(id) && !ledger.written.has(id)) {
    referee.fail('2', `the journal of account ${grant} was damaged, and nobody wrote it again`);
  }
}

function checkEnd(world: World, account: Account, wasSafe: boolean): void {
  const { referee, ledger } = world;
  const id = account.sessionId ?? '';
  const tombstone = ledger.tombstones.has(id);
  const tampered = account.harmed.size > 0;
  const keyHarmed = [...account.harmed].some((how) => how !== TAMPERED && how !== RESTORED);
  if (keyHarmed || (account.signOutAsked && account.signedOutAt === undefined)) {
    return;
  }
  if (account.signedOutAt !== undefined && !tombstone) {
    referee.fail('7', `account ${account.grant} was signed out, and its tombstone is gone`);
  }
  const grant = world.service.grants.get(account.grant);
  const tooOld = (grant?.issuedAt ?? 0) + 30 * 86_400_000 < world.timeline.real;
  const remembered = world.windows.some((window) => (referee.lastTold(window, id)?.kind ?? 'removed') !== 'removed');
  if (tampered && !tombstone && !tooOld && !ledger.written.has(id) && account.shelf.stored?.includes(id) === true) {
    referee.fail('2', `account ${account.grant} is gone, and SecretStorage has a copy of it`);
  }
  if (tampered && (tombstone || (!ledger.written.has(id) && !remembered))) {
    return;
  }
  if (tombstone && !account.signOutAsked && wasSafe && account.reason === undefined && !tooOld) {
    referee.fail('2', `account ${account.grant} is gone, and its token was safe`);
  }
  if (tombstone && wasSafe && account.reason === 'response lost' && !tooOld) {
    referee.fail('2', `account ${account.grant} is over, and its token was safe`);
  }
  for (const window of world.windows) {
    const told = referee.lastTold(window, id);
    const here = window.shelf === account.shelf && window.isOpen;
    const token = told === undefined || told.kind === 'removed' ? undefined : told.accessToken;
    const expected = here && !tombstone ? `access.${account.grant}.${grant?.pair ?? 0}` : undefined;
    if (token !== expected) {
      referee.fail('4', `${window.name} told last ${token ?? 'nothing'}; it should be ${expected ?? 'nothing'}`);
    }
  }
}

function pick<T>(from: readonly T[], which: number): T | undefined {
  return from[which % Math.max(1, from.length)];
}
