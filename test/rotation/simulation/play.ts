import { drain } from '../model/steps';
import { ACTIONS, openWindow } from './actions';
import { isBeyondBudget } from './budget';
import { checkEnd, checkMended, checkNothingHangs, checkReplaced } from './finalChecks';
import type { Account } from './ledger';
import type { Schedule } from './schedules';
import { World } from './world';

/** Lifetime of tokens that come when all is well again, in seconds: how short ones are replaced was seen before. */
const CALM_LIFETIME = 3_600;

/** A window opened so long after a key was made has it in its secrets, if it's of the same browser. Milliseconds. */
const PAGE_LOAD = 61_000;

/** Actions that may make a window late, or end it. */
const DELAYING: readonly string[] = [
  'advance',
  'kill',
  'close',
  'crash',
  'quit',
  'stop',
  'jump',
  'wrongClock',
  'sleep',
  'network',
  'disk',
  'spoilAnswer',
  'hangSecrets',
  'breakSecrets',
  'tamper',
  'tamperStore',
  'loseSecrets',
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
  world.referee.isLenient = isBeyondBudget(schedule.actions);
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
  healEverything(world);
  const promised = world.ledger.accounts.filter(({ promised }) => promised);
  const safe = safeAccounts(world, promised);
  // A request whose sender died, or has waited long enough, may arrive all the same and replace the pair: then nobody
  // reads the response.
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
  checkNothingHangs(world);
  for (const account of promised) {
    const orphaned = lateRequests.some(
      ({ carriedOut, state, token }) => carriedOut && state === 'lost' && token.grant === account.grant,
    );
    checkEnd(world, account, safe.has(account) && !orphaned);
    checkReplaced(world, account);
    world.referee.checkRevoked(account);
  }
}

/** Ends all faults of the disk, of SecretStorage, and of the service, and lets windows that were stopped go on. */
function healEverything(world: World): void {
  for (const fault of ['full', 'readOnly', 'unreadable', 'busy', 'unwatched'] as const) {
    world.setStore(fault, false);
  }
  world.service.onNextResponse = undefined;
  world.service.misbehaviors.length = 0;
  world.service.lasting = undefined;
  world.service.isOnline = true;
  world.service.lifetime = CALM_LIFETIME;
  for (const window of world.windows) {
    window.stopped = false;
    window.shelf.setFault(window, 'none');
  }
}

/** The accounts whose refresh token works. One that's used already may be refused by the time that anything goes on. */
function safeAccounts({ ledger, policy, service }: World, accounts: readonly Account[]): ReadonlySet<Account> {
  const isSafe = (account: Account): boolean => {
    const token = { grant: account.grant, pair: ledger.safePair(account) };
    const isUnused = service.family(token)?.pair === token.pair;
    return service.isUsable(token) && (policy.graceTime === Number.POSITIVE_INFINITY || isUnused);
  };
  return new Set(accounts.filter(isSafe));
}
