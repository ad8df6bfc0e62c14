import { familyNumber } from '../model/service';
import { drain } from '../model/steps';
import { ACTIONS, openWindow } from './actions';
import { RESTORED, TAKEN_OVER, TAMPERED, type Account } from './ledger';
import type { Schedule } from './schedules';
import { World } from './world';

/** Lifetime of tokens that come when all is well again, in seconds: how short ones are replaced was seen before. */
const CALM_LIFETIME = 3_600;

/** A window opened so long after a key was made has it in its secrets, if it's of the same browser. Milliseconds. */
const PAGE_LOAD = 61_000;

/** Actions that may make a window late, or end it. */
const DELAYING: readonly string[] = [
  ...['advance', 'kill', 'close', 'crash', 'quit', 'stop', 'jump', 'wrongClock', 'sleep', 'network'],
  ...['disk', 'hold', 'holdResponse', 'spoilAnswer', 'hangSecrets', 'breakSecrets', 'tamper', 'loseSecrets'],
];

/**
 * Plays one schedule.
 * @returns what was found wrong, or `undefined`
 */
export async function play(schedule: Schedule, trace?: (line: string) => void): Promise<string | undefined> {
  const secrets: string[] = [];
  const world = new World(
    schedule,
    (message) => {
      trace?.(`      log: ${message}`);
      if (/refresh\.\d|access\.\d|client\.secret/.test(message)) secrets.push(message);
    },
    trace,
  );
  await begin(world, schedule);
  for (const action of schedule.actions.split(/,\s*/)) {
    trace?.(action);
    const [name = '', ...given] = action.split(' ');
    if (DELAYING.includes(name)) world.referee.delays++;
    const numbers = given.map((one) => (/^-?\d+$/.test(one) ? Number(one) : one));
    await ACTIONS[name as keyof typeof ACTIONS].perform(world, numbers);
    await drain();
    if (world.referee.violation !== undefined) break;
  }
  trace?.('calm');
  await calm(world, schedule);
  return world.referee.violation ?? (secrets.length > 0 ? 'a secret was logged' : undefined);
}

async function begin(world: World, { windows, signedIn }: Schedule): Promise<void> {
  for (const [number, shelf] of signedIn ? world.shelves.entries() : []) {
    // A window of another browser takes a key that was made just now for one that it will have after a reload.
    if (number > 0 && shelf.kind === 'browser') await world.live(PAGE_LOAD);
    world.signIn(world.open(shelf));
    await world.live(1_000);
  }
  for (let number = world.windows.length; number < windows; number++) openWindow(world, number);
  if (signedIn) await world.live(0);
}

/** All is well again: now everything must come right. */
async function calm(world: World, { impatient }: Schedule): Promise<void> {
  const { referee } = world;
  for (const fault of ['scanned', 'full', 'short', 'readOnly', 'unreadable', 'unwatched'] as const) {
    world.setDisk(fault, false);
  }
  world.disk.letGo();
  world.service.onNextAnswer = undefined;
  world.service.manners.length = 0;
  world.service.isOnline = true;
  world.service.lifetime = CALM_LIFETIME;
  for (const window of world.windows) {
    window.stopped = false;
    window.shelf.setFault(window, 'none');
  }
  const promised = world.ledger.accounts.filter(({ promised }) => promised);
  // One that's used already may be refused by the time that anything goes on.
  const isSafe = ({ grant }: Account, pair: number): boolean =>
    world.service.isUsable({ grant, pair }) &&
    (world.policy.graceTime === Number.POSITIVE_INFINITY || world.service.family({ grant, pair })?.pair === pair);
  const safe = new Map(promised.map((account) => [account, isSafe(account, world.ledger.safePair(account))]));
  // A request whose sender died, or has waited long enough, may arrive all the same and replace the pair: then nobody
  // reads the answer.
  const lateRequests = world.service.requests.filter(({ carriedOut }) => !carriedOut);
  for (const shelf of world.shelves) world.open(shelf);
  for (const window of impatient ? world.windows : []) {
    for (const account of promised) if (account.shelf === window.shelf) world.refreshNow(window, account);
  }
  await world.live(45_000);
  for (const account of promised) {
    checkMended(world, account);
    const window = world.windows.find(({ isOpen, shelf }) => isOpen && shelf === account.shelf);
    if (window !== undefined) {
      world.refreshNow(window, account);
      // A token from a recovery copy isn't sent before a pause.
      await world.live(account.isHarmed ? 30_000 : 15_000);
    }
  }
  for (const window of world.windows) world.getSessions(window);
  await world.live(15_000);
  for (const { window, what, settled } of world.calls) {
    if (window.alive && !settled && what !== 'run' && what !== 'slow sign-in') {
      referee.fail('5', `${window.name}: ${what} does not come to an end`);
    }
  }
  for (const account of promised) {
    const orphaned = lateRequests.some(
      ({ carriedOut, state, token }) => carriedOut && state === 'lost' && token.grant === account.grant,
    );
    checkEnd(world, account, safe.get(account) === true && !orphaned);
    checkReplaced(world, account);
    referee.checkRevoked(account);
  }
}

/** A journal that somebody damaged is written again by the windows that know the session. */
function checkMended({ ledger, referee, windows }: World, { grant, harmed, sessionId, signOutAsked }: Account): void {
  const id = sessionId ?? '';
  const isKnown = windows.some((window) => ['added', 'changed'].includes(referee.lastTold(window, id)?.kind ?? ''));
  const isOurs = harmed.has(TAMPERED) && !harmed.has(TAKEN_OVER);
  if (isOurs && isKnown && !signOutAsked && !ledger.tombstones.has(id) && !ledger.written.has(id)) {
    referee.fail('2', `the journal of account ${grant} was damaged, and nobody wrote it again`);
  }
}

/** What a dead window has begun, others finish: a session that another one of its account covers has its tombstone. */
function checkReplaced({ ledger, referee, windows }: World, account: Account): void {
  const listed = [...ledger.written].filter(([id, one]) => one.account === account && !ledger.tombstones.has(id));
  const records = listed.map(([, { entry }]) => entry.record).filter((record) => record.listed);
  const isLeft = records.some((earlier) =>
    records.some(
      (later) =>
        later.account.id === earlier.account.id &&
        later.signedInAt > earlier.signedInAt &&
        later.accessToken !== undefined &&
        earlier.scopes.every((scope) => later.scopes.includes(scope)),
    ),
  );
  if (isLeft && !account.isHarmed && windows.some(({ isOpen, shelf }) => isOpen && shelf === account.shelf)) {
    referee.fail('5', `nobody has ended a session of account ${account.grant} that another one replaces`);
  }
}

function checkEnd(world: World, account: Account, wasSafe: boolean): void {
  const { referee, ledger } = world;
  const id = account.sessionId ?? '';
  const tombstone = ledger.tombstones.has(id);
  const tampered = account.isHarmed;
  const keyHarmed = [...account.harmed].some((how) => how !== TAMPERED && how !== RESTORED);
  if (keyHarmed || (account.signOutAsked && account.signedOutAt === undefined)) return;
  if (account.signedOutAt !== undefined && !tombstone) {
    referee.fail('7', `account ${account.grant} was signed out, and its tombstone is gone`);
  }
  const { graceTime, protocol, refreshTokenLife, refreshTokens } = world.policy;
  const latest = world.service.latest(account.grant);
  const written = ledger.writtenOf(account);
  const tooOld = (latest?.issuedAt ?? 0) + refreshTokenLife < world.timeline.real;
  const remembered = world.windows.some((window) => referee.shown(window, id) !== undefined);
  if (tampered && !tombstone && !tooOld && !ledger.written.has(id) && account.shelf.stored?.includes(id) === true) {
    referee.fail('2', `account ${account.grant} is gone, and SecretStorage has a copy of it`);
  }
  if (tombstone && !account.signOutAsked && graceTime === Number.POSITIVE_INFINITY) {
    referee.fail('2', `account ${account.grant} is gone, and its token works however often it was used`);
  }
  if (tampered && (tombstone || (!ledger.written.has(id) && !remembered))) return;
  // The session with the most scopes need not be that of the last sign-in.
  const scopes = [...ledger.written]
    .filter(([sessionId, one]) => one.account === account && !ledger.tombstones.has(sessionId))
    .map(([, { entry }]) => entry.record.scopes.length);
  if (!tampered && !tombstone && Math.max(0, ...scopes) < account.scopes) {
    referee.fail('2', `account ${account.grant} had ${account.scopes} scopes, and some are lost`);
  }
  if (tombstone && !account.signOutAsked && wasSafe && account.reason === undefined && !tooOld) {
    referee.fail('2', `account ${account.grant} is gone, and its token was safe`);
  }
  if (tombstone && wasSafe && account.reason === 'response lost' && !tooOld) {
    referee.fail('2', `account ${account.grant} is over, and its token was safe`);
  }
  // A session whose window could not list it on the disk is listed a minute later.
  if (written?.entry.record.listed === false) return;
  for (const window of world.windows) {
    const told = referee.shown(window, id);
    const here = window.shelf === account.shelf && window.isOpen;
    const token = told?.accessToken;
    const pair = protocol === undefined ? latest?.pair : written?.pair;
    const expected = here && !tombstone ? `access.${account.grant}.${pair ?? 0}` : undefined;
    // A token that has expired is forgotten if there's no way to another, and nobody is told. Nor does another refresh
    // come that all windows would agree on, after somebody put back an older journal, or removed it so that a window
    // wrote what it knew from before a further sign-in.
    const isSetBack = account.harmed.has(RESTORED) || (tampered && familyNumber(account.pair) > 0);
    const isForgotten = written?.entry.record.accessToken === undefined || isSetBack;
    if (token !== expected && !(refreshTokens === 'none' && isForgotten)) {
      referee.fail('4', `${window.name} told last ${token ?? 'nothing'}; it should be ${expected ?? 'nothing'}`);
    }
  }
}
