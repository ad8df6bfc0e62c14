import type { PolicyName } from '../model/policies';

/** One fault, put into the product on purpose. */
export interface Mutation {
  /** What no longer happens. */
  readonly name: string;
  /** The function, the constant, or the method with its class, wherever in `src` it is declared. */
  readonly where: string;
  /** A pattern of the code in it, which occurs there exactly once: see `findCode`. */
  readonly find: string;
  /** What stands there instead; nothing if left out. */
  readonly put?: string;
  /** What the service does with refresh tokens in the schedules that show it; what the draft says if left out. */
  readonly policy?: PolicyName;
}

/** Each takes away one step of the protocol, or one thing that it looks at. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: '"sending" is written before the token is sent',
    where: 'Refresher.#send',
    find: 'await session.writeSending()',
  },
  {
    name: 'the lock is taken',
    where: 'LockedSessions.use',
    find: '_.acquire(___)',
    put: 'Promise.resolve(() => undefined)',
  },
  {
    name: "a window that doesn't get the lock gives up",
    where: 'LockedSessions.use',
    find: 'await $lock.acquire($name, $patience)',
    put: '(await $lock.acquire($name, $patience)) ?? (() => undefined)',
  },
  {
    name: 'the journal is read again under the lock',
    where: 'LockedSessions.#newest',
    find: 'await _.update()',
  },
  {
    name: 'the generation is checked under the lock',
    where: 'Refresher.refresh',
    find: '_.current.generation <= _',
    put: 'true',
  },
  {
    name: 'whoever writes sees whether there is a tombstone',
    where: 'SessionsTransaction.isOver',
    find: 'isKnown || _',
    put: 'isKnown',
  },
  {
    name: 'a token is not sent if a later one was restored meanwhile',
    where: 'LockedSession.#newest',
    find: 'newest.generation > _',
    put: 'false',
    policy: 'no-expiry',
  },
  {
    name: 'a window never goes back to an older pair',
    where: 'SessionCache.#take',
    find: '_ === undefined || isNewer(___)',
    put: 'true',
  },
  {
    name: 'a session that was announced stays listed',
    where: 'SessionCache.#take',
    find: 'entry.record.listed || _',
    put: 'entry.record.listed',
  },
  {
    name: 'a missing response is remembered',
    where: 'Refresher.#recordFailure',
    find: "_ ? 'unanswered' : $otherwise",
    put: '$otherwise',
  },
  {
    name: 'a lost response is recognized as such',
    where: 'Refresher.#failRefresh',
    find: '_.#endUnlessLaterPair(_, _)',
    put: 'this.#endUnlessLaterPair(session.current, false)',
  },
  {
    name: 'a response is called lost only if it was',
    where: 'Refresher.#failRefresh',
    find: '_.#endUnlessLaterPair(_, _)',
    put: 'this.#endUnlessLaterPair(session.current, true)',
  },
  {
    name: 'the lock is kept until the disk takes the response',
    where: 'LockedSessions.use',
    find: 'session?.stillWriting',
    put: 'undefined',
  },
  {
    name: 'no response ends no session',
    where: 'classifyRefreshError',
    find: "meaning: 'nothing'",
    put: "meaning: isUnsent ? 'nothing' : 'token rejected'",
  },
  {
    name: 'an unknown refusal ends no session',
    where: 'DIALECTS',
    find: "['invalid_grant', $other]",
    put: "['invalid_grant', 'strange_trouble', $other]",
  },
  {
    name: 'a journal that went back or vanished is written again',
    where: 'JournalRepair.repair',
    find: '_.outdated()',
    put: '[]',
  },
  {
    name: 'the recovery copy is used if the journal is missing',
    where: 'startSessions',
    find: '_.restore(_)',
  },
  {
    name: 'the recovery copy is used only if the journal is older',
    where: 'newestEntry',
    find: '_ === undefined || isNewer(_, _) ? $newer : _',
    put: '$newer',
  },
  {
    name: "a restored token isn't sent before every window could write what it knows",
    where: 'restoredEntry',
    find: 'refreshState: _',
    put: "refreshState: { kind: 'fine' }",
  },
  {
    name: 'a tombstone that vanished is written again',
    where: 'JournalRepair.repair',
    find: '_.withoutTombstone()',
    put: 'new Map<string, never>()',
  },
  {
    name: "tokens that the disk refuses aren't used if the disk says that somebody signed out meanwhile",
    where: 'StoredSessions.changeOrRemember',
    find: '$cache.tryUpdate()',
    put: 'undefined',
  },
  {
    name: "an expired token isn't served",
    where: 'FreshnessPolicy.of',
    find: '$missing || age >= lifetime',
    put: '$missing',
  },
  {
    name: 'a caller gets the sessions of the service that it means only',
    where: 'Serving.#candidates',
    find: '$listed.configuredOf(_)',
    put: '$listed.configured()',
  },
  {
    name: 'a key is made only if no other window has made one meanwhile',
    where: 'KeyMaker.findOrMake',
    find: 'if (_ !== undefined) { return _; }',
  },
  {
    name: 'a key that another window has just stored is waited for before one is made',
    where: 'DesktopKeyFinder.#findMade',
    find: '_ > 0 ? _ : $once',
    put: '$once',
  },
  {
    name: "a window of a browser that has seen no key takes one that's made later for its own",
    where: 'BrowserKeyFinder.#wasStoredBeforeOpening',
    find: 'isUnchanged && $old',
    put: '$old',
  },
  {
    name: 'a window whose secrets are outdated asks to be reloaded',
    where: 'BrowserKeyFinder.#refuseLaterKeys',
    find: "if (_) { _ = true; throw new StoreUnavailableError('reload'); }",
  },
  {
    name: 'new tokens are given out only when the disk has them',
    where: 'StoredSessions.change',
    find: 'return { result: _, sessions };',
    put:
      'const result = work(sessions); this.cache.apply(sessions.written, sessions.ended); ' +
      'return { result, sessions };',
  },
  {
    name: "a token is replaced only when it's due",
    where: 'DUE_AFTER',
    find: 'const DUE_AFTER = _',
    put: 'const DUE_AFTER = 0.5;',
  },
  {
    name: 'a change is told once',
    where: 'ToldSessions.takeChanges',
    find: '$known && isChanged(___)',
    put: '$known',
  },
  {
    name: 'a refresh token stays if no other one comes',
    where: 'tokenFields',
    find: "$new ?? _ ?? ''",
    put: "$new ?? ''",
    policy: 'no-rotation',
  },
  {
    name: 'scopes stay if a response lists none',
    where: 'scopesAfterRefresh',
    find: '[..._, ...$listed]',
    put: '$listed',
    policy: 'rotate',
  },
  {
    name: 'a lost request is repeated while the old token still works',
    where: 'REFRESH_PAUSES',
    find: 'first: [_, _, ___]',
    put: 'first: [35_000]',
    policy: 'grace',
  },
  {
    name: "a success that can't be read is repeated while the old token still works",
    where: 'classifyInvalidResponse',
    find: 'status < 300 && _',
    put: 'false',
    policy: 'grace',
  },
  {
    name: 'what a person signed out of is revoked',
    where: 'Accounts.remove',
    find: '_.revoke(_)',
    put: 'Promise.resolve(true)',
    policy: 'rotate',
  },
  {
    name: 'a refresh revokes what it gets for a session that is over',
    where: 'Accounts.revokeUnlessReplaced',
    find: 'await _.revoke(_)',
    policy: 'rotate',
  },
  {
    name: 'a refresh revokes nothing if another session took the place of its own',
    where: 'Accounts.revokeUnlessReplaced',
    find: '!replacedSessions(_).includes(unused)',
    put: 'true',
    policy: 'rotate',
  },
  {
    name: "a session that's replaced isn't revoked",
    where: 'startSessions',
    find: 'new NewSessions(parts, $labels, $random, $refusals)',
    put:
      'new NewSessions({ ...parts, storedSessions: { changeOrRemember: (work) => ' +
      'storedSessions.changeOrRemember((sessions) => { const end = sessions.end.bind(sessions); ' +
      'sessions.end = (id) => { const last = end(id); if (last) void revoker.revoke(last.record); return last; }; ' +
      'return work(sessions); }) } }, $labels, $random, $refusals)',
    policy: 'reuse-detection',
  },
  {
    name: 'a session stays while the one that replaces it is only in memory',
    where: 'endReplaced',
    find: '_.stored()',
    put: 'sessions.entries()',
    policy: 'rotate',
  },
  {
    name: 'a session with fewer scopes replaces nothing',
    where: 'replaces',
    find: '_ && coversScopes(___)',
    put: 'later.account.id === earlier.account.id',
    policy: 'rotate',
  },
  {
    name: 'whoever notices ends what could not be ended before',
    where: 'startSessions',
    find: 'endRemainingReplaced(___)',
    put: 'Promise.resolve()',
    policy: 'reuse-detection',
  },
  {
    name: 'no window lists a session whose sign-in may still give it its account',
    where: 'overdue',
    find: '!record.listed && _',
    put: '!record.listed',
  },
  {
    name: 'a session is listed with a name that is free',
    where: 'NewSessions.#list',
    find: '_.free(sessions, $label, ___)',
    put: '$label',
  },
  {
    name: "a token that can't be refreshed is kept although it seems to have expired",
    where: 'LastTokens.#tell',
    find: 'changedEntry(current, _, $fields)',
    put: 'changedEntry(current, sessions.now, { ...$fields, accessToken: undefined })',
    policy: 'no-refresh-token',
  },
  {
    name: "no account's token is served after it has expired",
    where: 'Serving.#handOut',
    find: "candidates.filter((entry) => _ !== 'expired')",
    put: 'candidates',
  },
  {
    name: 'whoever asks gets what is known after the last wait',
    where: 'Serving.serve',
    find: 'return _.#handOut(___)',
    put:
      "return preferred.filter((entry) => this.freshness.of(entry) !== 'expired')" +
      '.map((entry) => toSession(entry, this.freshness, this.clock.now()));',
  },
  {
    name: 'people are told of each thing once',
    where: 'afterFailure',
    find: 'const told = _',
    put: 'const told: readonly ToldOf[] = [];',
    policy: 'rotate',
  },
  {
    name: 'the pause after a lost response is a minute at most',
    where: 'REFRESH_PAUSES',
    find: 'longest: 60_000',
    put: 'longest: 600_000',
    policy: 'rotate',
  },
  {
    name: "a newer version's item of SecretStorage isn't taken for none",
    where: 'SecretItem.read',
    find: "if (_) { throw new StoreUnavailableError('newer version'); }",
  },
  {
    name: "a newer version's journal isn't taken for a damaged one",
    where: 'Sealing.open',
    find: '_ && Number(_) > FORMAT',
    put: 'false',
  },
  {
    name: "a newer version's labels aren't written over",
    where: 'Labels.remember',
    find: 'mayReplace(row)',
    put: 'true',
  },
  {
    name: 'a time limit counts only time in which its process ran',
    where: 'sleepWhileRunning',
    find: 'do _; while (_)',
    put: 'await clock.sleep(milliseconds, signal);',
  },
  {
    name: "a look that began before the first sign-in isn't the answer for who asks after it",
    where: 'Lazy.get',
    find: 'await this.#opening',
    put: 'undefined',
  },
];
