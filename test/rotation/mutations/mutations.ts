import type { PolicyName } from '../model/policies';

/** One fault, put into the product on purpose. */
export interface Mutation {
  /** What no longer happens. */
  readonly name: string;
  /** The file, below `src`. */
  readonly file: string;
  /** Occurs there exactly once. */
  readonly text: string;
  /** Nothing if left out. */
  readonly replacement?: string;
  /** What the service does with refresh tokens in the schedules that show it; what the draft says if left out. */
  readonly policy?: PolicyName;
}

/** Each takes away one step of the protocol, or one thing that it looks at. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'a journal is synced, so that "sending" survives a power cut',
    file: 'storage/sealedFiles.ts',
    text: '      await this.disk.sync(beside);\n      await this.disk.rename(beside, name);',
    replacement: '      await this.disk.rename(beside, name);',
  },
  {
    name: 'the folder is synced after a journal was renamed into it',
    file: 'storage/sealedFiles.ts',
    text: '      await this.disk.syncFolder(posix.dirname(name));\n',
  },
  {
    name: 'a file that the disk took only in part is not used',
    file: 'storage/sealedFiles.ts',
    text: 'if ((await this.disk.write(name, bytes)) < bytes.length) {',
    replacement: 'await this.disk.write(name, bytes);\n    if (false as boolean) {',
  },
  {
    name: 'a tombstone is synced before the sign-out is done',
    file: 'storage/journal.ts',
    text: `    await this.files.disk.sync(tombstoneName(sessionId));
    await this.files.disk.syncFolder(SESSIONS);
`,
  },
  {
    name: '"sending" is written before the token is sent',
    file: 'sessions/refresher.ts',
    text: 'await writeEntry(this.context, sending);',
  },
  {
    name: 'room for the response is reserved before the token is sent',
    file: 'sessions/refresher.ts',
    text: 'await journal.reserve(sending);',
  },
  {
    name: 'the lock is taken',
    file: 'sessions/lockedSession.ts',
    text: 'await context.locks.acquire(sessionLock(sessionId), patience)',
    replacement: 'await Promise.resolve(() => undefined)',
  },
  {
    name: "a window that doesn't get the lock gives up",
    file: 'sessions/lockedSession.ts',
    text: 'await context.locks.acquire(sessionLock(sessionId), patience)',
    replacement: '(await context.locks.acquire(sessionLock(sessionId), patience)) ?? (() => undefined)',
  },
  {
    name: 'the journal is read again under the lock',
    file: 'sessions/lockedSession.ts',
    text: 'const file = await journal.read(sessionId);',
    replacement: 'const file = cache.get(sessionId) === undefined ? await journal.read(sessionId) : undefined;',
  },
  {
    name: 'the generation is checked under the lock',
    file: 'sessions/refresher.ts',
    text: 'if (session.current.generation <= generation) {',
    replacement: 'if (true as boolean) {',
  },
  {
    name: 'a tombstone is looked for before new tokens are given out',
    file: 'sessions/lockedSession.ts',
    text: 'if (await cache.isEnded(sessionId)) {',
    replacement: 'if (false as boolean) {',
  },
  {
    name: "a session that's over isn't taken up again",
    file: 'sessions/cache.ts',
    text: 'if (this.#ended.has(entry.sessionId) || !newer) {',
    replacement: 'if (!newer) {',
  },
  {
    name: 'a window never goes back to an older pair',
    file: 'sessions/cache.ts',
    text: 'const newer = before === undefined || isNewer(entry, before);',
    replacement: 'const newer = true;',
  },
  {
    name: 'a listed session stays listed',
    file: 'sessions/cache.ts',
    text: 'entry.record.listed || before?.record.listed === true',
    replacement: 'entry.record.listed',
  },
  {
    name: 'a missing response is remembered',
    file: 'sessions/refresher.ts',
    text: "failure.outcome === 'no response' || current.state !== 'stable' ? 'unanswered' : 'stable'",
    replacement: "'stable'",
  },
  {
    name: 'a lost response is recognized as such',
    file: 'sessions/refresher.ts',
    text: "responseLost: current.state !== 'stable'",
    replacement: 'responseLost: false',
  },
  {
    name: 'a response is called lost only if it was',
    file: 'sessions/refresher.ts',
    text: "responseLost: current.state !== 'stable'",
    replacement: 'responseLost: true',
  },
  {
    name: 'the lock is kept until the disk takes the response',
    file: 'sessions/lockedSession.ts',
    text: '    this.#release = () => undefined;\n',
  },
  {
    name: 'no response ends no session',
    file: 'sessions/refreshFailure.ts',
    text: "outcome: 'no response', then: 'retry' }",
    replacement: "outcome: 'no response', then: 'end session' }",
  },
  {
    name: 'an unknown refusal ends no session',
    file: 'oauth/client.ts',
    text: "'invalid_grant', ",
    replacement: "'invalid_grant', 'strange_trouble', ",
  },
  {
    name: 'a folder that has just changed is read again',
    file: 'sessions/cache.ts',
    text: 'const settled = stood && Math.min(asked.wall, clock.now())',
    replacement: 'const settled = stamp !== undefined && Number.POSITIVE_INFINITY',
  },
  {
    name: "the folder's date isn't trusted before it stood for a while",
    file: 'sessions/cache.ts',
    text: 'const settled = stood && Math.min(asked.wall, clock.now())',
    replacement: 'const settled = stamp !== undefined && Math.min(asked.wall, clock.now())',
  },
  {
    name: 'a journal that went back or vanished is written again',
    file: 'sessions/journalRepair.ts',
    text: 'cache.outdated()',
    replacement: '[]',
  },
  {
    name: 'the recovery copy is used if the journal is missing',
    file: 'sessions/openSessions.ts',
    text: 'await restoreJournals(sessions.context, store.copies);',
  },
  {
    name: 'the recovery copy is used only if the journal is older',
    file: 'sessions/lockedSession.ts',
    text: '(a === undefined || isNewer(b, a) ? b : a)',
    replacement: 'b',
  },
  {
    name: "a restored token isn't sent before every window could write what it knows",
    file: 'storage/record.ts',
    text: 'retryAt: now + RESTORED_PAUSE,',
    replacement: 'retryAt: 0,',
  },
  {
    name: "an expired token isn't served",
    file: 'sessions/freshness.ts',
    text: 'accessToken === undefined || age >= lifetime',
    replacement: 'accessToken === undefined',
  },
  {
    name: "an unreadable folder isn't an empty one",
    file: 'sessions/openSessions.ts',
    text: 'served.length === 0 && failure !== undefined',
    replacement: 'false as boolean',
  },
  {
    name: 'a key is made only if no other window has made one meanwhile',
    file: 'storage/keyFinder.ts',
    text: 'others.length > 0 ? LOOKS : 1',
    replacement: '1',
  },
  {
    name: 'a window whose secrets are outdated asks to be reloaded',
    file: 'storage/keyFinder.ts',
    text: 'secretsNeedReload && this.#mayBeOutdated(note)',
    replacement: 'false as boolean',
  },
  {
    name: 'new tokens are given out only when the disk has them',
    file: 'sessions/lockedSession.ts',
    text: '  let refusal: { readonly error: unknown } | undefined;\n',
    replacement: '  let refusal: { readonly error: unknown } | undefined;\n  cache.adopt(next);\n',
  },
  {
    name: 'repetitions are counted',
    file: 'sessions/refresher.ts',
    text: 'current.record.replays + (isReplay ? 1 : 0)',
    replacement: 'current.record.replays',
  },
  {
    name: "a token is replaced only when it's due",
    file: 'sessions/freshness.ts',
    text: 'const DUE_AFTER = 0.75;',
    replacement: 'const DUE_AFTER = 0.5;',
  },
  {
    name: 'a change is told once',
    file: 'sessions/cache.ts',
    text: "isChanged ? 'changed' : 'noted'",
    replacement: "'changed'",
  },
  {
    name: 'a refresh token stays if no other one comes',
    file: 'storage/record.ts',
    text: "refreshToken: refreshToken ?? old?.refreshToken ?? '',",
    replacement: "refreshToken: refreshToken ?? '',",
    policy: 'no-rotation',
  },
  {
    name: 'scopes stay if a response lists none',
    file: 'storage/record.ts',
    text: '[...(old?.scopes ?? []), ...scopes]',
    replacement: 'scopes',
    policy: 'rotate',
  },
  {
    name: 'a lost request is repeated while the old token still works',
    file: 'oauth/client.ts',
    text: 'replayPauses: [1_000, 3_000, 10_000],',
    replacement: 'replayPauses: [35_000, 35_000],',
    policy: 'grace',
  },
  {
    name: "a success that can't be read is repeated while the old token still works",
    file: 'sessions/refreshFailure.ts',
    text: 'error.status < 300 && dialect.repeatsAreAnswered',
    replacement: 'false as boolean',
    policy: 'grace',
  },
  {
    name: 'a token is replaced only once where a second time ends the grant',
    file: 'sessions/refresher.ts',
    text: 'if (session.current.generation <= generation) {',
    replacement: 'if (true as boolean) {',
    policy: 'reuse-detection',
  },
  {
    name: 'what a person signed out of is revoked',
    file: 'sessions/accounts.ts',
    text: 'this.context.revoke(record);',
    policy: 'rotate',
  },
  {
    name: 'a refresh revokes what it gets for a session that is over',
    file: 'sessions/refresher.ts',
    text: '        revoke(next.record);\n',
    policy: 'rotate',
  },
  {
    name: 'a refresh revokes nothing if another session took the place of its own',
    file: 'sessions/refresher.ts',
    text: 'if (!cache.entries().some(({ record }) => record.account.id === old.account.id)) {',
    replacement: 'if (true as boolean) {',
    policy: 'rotate',
  },
  {
    name: "a session that's replaced isn't revoked",
    file: 'sessions/accounts.ts',
    text: '        log.info(`Session ${sessionId} replaces session',
    replacement: '        this.context.revoke(ended.record);\n        log.info(`Session ${sessionId} replaces session',
    policy: 'reuse-detection',
  },
  {
    name: 'a session whose tokens another one got is over',
    file: 'sessions/accounts.ts',
    text: '...changes, tookOver: sessionId };',
    replacement: '...changes };',
    policy: 'reuse-detection',
  },
  {
    name: "a sign-in for more scopes replaces nothing if it can't lock the accounts",
    file: 'sessions/accounts.ts',
    text: 'release === undefined && mayHaveSeveral ? [] : known.filter(isReplaced)',
    replacement: 'known.filter(isReplaced)',
    policy: 'rotate',
  },
  {
    name: 'a session stays while the one that replaces it is only in memory',
    file: 'sessions/accounts.ts',
    text: 'isWritten || !mayHaveSeveral ? replacedOnes : []',
    replacement: 'replacedOnes',
    policy: 'rotate',
  },
  {
    name: 'who waits for a session that is replaced gets the one that replaces it',
    file: 'sessions/openSessions.ts',
    text: 'if (!this.#narrowest(accountId, scopes).every(({ sessionId }) => ids.includes(sessionId))) {',
    replacement: 'if (false as boolean) {',
    policy: 'rotate',
  },
  {
    name: 'a key is announced only if no other one may have been made meanwhile',
    file: 'storage/keyFinder.ts',
    text: "(seen) => seen.kind === 'found' || isOnly(seen)",
    replacement: "(seen) => 'contents' in seen",
  },
  {
    name: "an account that can't get another token isn't served without one",
    file: 'sessions/openSessions.ts',
    text: '(entry) => canRefresh(entry) && (',
    replacement: '(entry) => (',
    policy: 'access-token-only',
  },
];
