import { familyNumber } from '../model/service';
import { RESTORED, TAKEN_OVER, TAMPERED, type Account, type Written } from './ledger';
import type { World } from './world';

/** Copies are restored for a day longer; the clock may be wrong by hours. Milliseconds. */
const COPY_LIFETIME = 59 * 24 * 60 * 60 * 1000;

/** How an account stands at the end. */
interface FinalState {
  readonly world: World;
  readonly account: Account;
  /** The session that has it. */
  readonly id: string;
  readonly hasTombstone: boolean;
  readonly hasJournal: boolean;
  readonly written: Written | undefined;
  /** The age of its latest tokens in milliseconds. */
  readonly age: number;
  /** Whether its refresh token has expired. */
  readonly isTooOld: boolean;
  /** Whether its refresh token was one that works when all was well again. */
  readonly wasSafe: boolean;
}

/** Property 5: whatever a window was asked for has come to an end. */
export function checkNothingHangs({ calls, referee }: World): void {
  for (const { window, what, settled } of calls) {
    if (window.alive && !settled && what !== 'run' && what !== 'slow sign-in') {
      referee.fail('5', `${window.name}: ${what} does not come to an end`);
    }
  }
}

/** A journal that somebody damaged is written again by the windows that know the session. */
export function checkMended({ ledger, referee, windows }: World, account: Account): void {
  const { grant, harmed, sessionId, signOutAsked } = account;
  const id = sessionId ?? '';
  const isKnown = windows.some((window) => ['added', 'changed'].includes(referee.lastTold(window, id)?.kind ?? ''));
  const isOurs = harmed.has(TAMPERED) && !harmed.has(TAKEN_OVER);
  if (isOurs && isKnown && !signOutAsked && !ledger.tombstones.has(id) && !ledger.written.has(id)) {
    referee.fail('2', `the journal of account ${grant} was damaged, and nobody wrote it again`);
  }
}

/** What a dead window has begun, others finish: a session that another one of its account covers has its tombstone. */
export function checkReplaced({ ledger, referee, windows }: World, account: Account): void {
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

/**
 * What has become of an account.
 * @param wasSafe whether its refresh token was one that works when all was well again
 */
export function checkEnd(world: World, account: Account, wasSafe: boolean): void {
  const isKeyHarmed = [...account.harmed].some((how) => how !== TAMPERED && how !== RESTORED);
  if (isKeyHarmed || (account.signOutAsked && account.signedOutAt === undefined)) return;
  const state = finalState(world, account, wasSafe);
  checkTombstone(state);
  checkRecovered(state);
  checkUsableKept(state);
  if (account.isHarmed && (state.hasTombstone || isForgotten(state))) return;
  checkScopes(state);
  checkNotLost(state);
  // A session whose window could not list it on the disk is listed a minute later.
  if (state.written?.entry.record.listed !== false) checkToldLast(state);
}

function finalState(world: World, account: Account, wasSafe: boolean): FinalState {
  const { ledger, policy, service, timeline } = world;
  const id = account.sessionId ?? '';
  const issuedAt = service.latest(account.grant)?.issuedAt ?? 0;
  return {
    world,
    account,
    id,
    hasTombstone: ledger.tombstones.has(id),
    hasJournal: ledger.written.has(id),
    written: ledger.writtenOf(account),
    age: timeline.real - issuedAt,
    isTooOld: issuedAt + policy.refreshTokenLife < timeline.real,
    wasSafe,
  };
}

/** Whether neither the disk nor any window knows the session anymore. */
function isForgotten({ world, id, hasJournal }: FinalState): boolean {
  return !hasJournal && !world.windows.some((window) => world.referee.shown(window, id) !== undefined);
}

/** Property 7: the tombstone of a session that was signed out stays, unless somebody removed it and nothing is left that it keeps from coming back. */
function checkTombstone(state: FinalState): void {
  const { world, account, id, hasTombstone } = state;
  const isGone = account.isHarmed && isForgotten(state) && account.shelf.stored?.includes(id) !== true;
  if (account.signedOutAt !== undefined && !hasTombstone && !isGone) {
    world.referee.fail('7', `account ${account.grant} was signed out, and its tombstone is gone`);
  }
}

/** Property 2: a session whose journal was damaged comes back from its copy in SecretStorage. */
function checkRecovered({ world, account, id, hasJournal, hasTombstone, isTooOld, age }: FinalState): void {
  // The copy of a session without a refresh token brings nothing back.
  if (age > COPY_LIFETIME || world.policy.refreshTokens === 'none') return;
  const isGone = account.isHarmed && !hasTombstone && !hasJournal;
  if (isGone && !isTooOld && account.shelf.stored?.includes(id) === true) {
    world.referee.fail('2', `account ${account.grant} is gone, and SecretStorage has a copy of it`);
  }
}

/** Property 2: a session isn't lost if the service takes its token however often it was used. */
function checkUsableKept({ world, account, hasTombstone }: FinalState): void {
  const isUsable = world.policy.graceTime === Number.POSITIVE_INFINITY;
  if (hasTombstone && !account.signOutAsked && isUsable) {
    world.referee.fail('2', `account ${account.grant} is gone, and its token works however often it was used`);
  }
}

/** Property 2: no scope of a session is lost. The session with the most scopes need not be that of the last sign-in. */
function checkScopes({ world, account, hasTombstone }: FinalState): void {
  const { ledger, referee } = world;
  if (account.isHarmed || hasTombstone) return;
  const scopes = [...ledger.written]
    .filter(([sessionId, one]) => one.account === account && !ledger.tombstones.has(sessionId))
    .map(([, { entry }]) => entry.record.scopes.length);
  if (Math.max(0, ...scopes) < account.scopes) {
    referee.fail('2', `account ${account.grant} had ${account.scopes} scopes, and some are lost`);
  }
}

/** Property 2: a session isn't lost while its token works. */
function checkNotLost({ world, account, hasTombstone, isTooOld, wasSafe }: FinalState): void {
  const { grant, reason, signOutAsked } = account;
  if (!hasTombstone || !wasSafe || isTooOld) return;
  if (!signOutAsked && reason === undefined) {
    world.referee.fail('2', `account ${grant} is gone, and its token was safe`);
  }
  if (reason === 'response lost') world.referee.fail('2', `account ${grant} is over, and its token was safe`);
}

/** Property 4: every window has told of the last token, and of no session that's over. */
function checkToldLast({ world, account, id, hasTombstone, written }: FinalState): void {
  const { policy, referee, service, windows } = world;
  const pair = policy.protocol === 'draft' ? service.latest(account.grant)?.pair : written?.pair;
  // A token that has expired is forgotten if there's no way to another, and nobody is told. Nor does another refresh
  // come that all windows would agree on, after somebody put back an older journal, or removed it so that a window
  // wrote what it knew from before a further sign-in.
  const isSetBack = account.harmed.has(RESTORED) || (account.isHarmed && familyNumber(account.pair) > 0);
  const mayDiffer = policy.refreshTokens === 'none' && (written?.entry.record.accessToken === undefined || isSetBack);
  for (const window of windows) {
    const token = referee.shown(window, id)?.accessToken;
    const isHere = window.shelf === account.shelf && window.isOpen;
    const expected = isHere && !hasTombstone ? `access.${account.grant}.${pair ?? 0}` : undefined;
    if (token !== expected && !mayDiffer) {
      referee.fail('4', `${window.name} told last ${token ?? 'nothing'}; it should be ${expected ?? 'nothing'}`);
    }
  }
}
