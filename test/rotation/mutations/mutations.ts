/** One fault, put into the product on purpose. */
export interface Mutation {
  /** What no longer happens. */
  readonly name: string;
  /** The file, below `src`. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly text: string;
  readonly replacement: string;
}

/** Each takes away one step of the protocol, or one thing that it looks at. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'a journal is synced, so that "sending" survives a power cut',
    file: 'storage/journal.ts',
    text: `      await this.disk.sync(from);
`,
    replacement: '',
  },
  {
    name: 'the folder is synced after a journal was renamed into it',
    file: 'storage/journal.ts',
    text: `      await this.disk.rename(from, entryName(entry.sessionId));
      await this.disk.syncFolder(SESSIONS);`,
    replacement: '      await this.disk.rename(from, entryName(entry.sessionId));',
  },
  {
    name: 'a tombstone is synced before the signing out is done',
    file: 'storage/journal.ts',
    text: `      await this.disk.sync(name);
      await this.disk.syncFolder(SESSIONS);
    });
    await this.#forget`,
    replacement: '    });    await this.#forget',
  },
  {
    name: '"sending" is written before the token is sent',
    file: 'sessions/refresher.ts',
    text: '      await journal.write(sending);\n',
    replacement: '',
  },
  {
    name: 'room for the answer is reserved before the token is sent',
    file: 'sessions/refresher.ts',
    text: '      await journal.reserve(sending);\n',
    replacement: '',
  },
  {
    name: 'the lock is taken',
    file: 'sessions/refresher.ts',
    text: 'await locks.acquire(lockName(sessionId), LOCK_PATIENCE)',
    replacement: 'await Promise.resolve(() => undefined)',
  },
  {
    name: 'who does not get the lock gives up',
    file: 'sessions/refresher.ts',
    text: 'await locks.acquire(lockName(sessionId), LOCK_PATIENCE)',
    replacement: '(await locks.acquire(lockName(sessionId), LOCK_PATIENCE)) ?? (() => undefined)',
  },
  {
    name: 'the journal is read again under the lock',
    file: 'sessions/refresher.ts',
    text: 'await latest(this.parts, sessionId)',
    replacement: 'view.get(sessionId)?.entry ?? (await latest(this.parts, sessionId))',
  },
  {
    name: 'the generation is checked under the lock',
    file: 'sessions/refresher.ts',
    text: 'if (entry.generation > generation) {',
    replacement: 'if (false) {',
  },
  {
    name: 'a tombstone is looked for under the lock',
    file: 'sessions/latest.ts',
    text: 'if (ended !== undefined || view.isOver(sessionId)) {',
    replacement: 'if (false) {',
  },
  {
    name: 'a tombstone is looked for before new tokens are given out',
    file: 'sessions/settlement.ts',
    text: 'if (ended !== undefined) {',
    replacement: 'if (false) {',
  },
  {
    name: 'a session that is over is not taken up again',
    file: 'sessions/view.ts',
    text: 'if (this.#over.has(entry.sessionId) || ',
    replacement: 'if (',
  },
  {
    name: 'a later pair is taken over when the token is named bad',
    file: 'sessions/settlement.ts',
    text: 'if (known.generation > entry.generation) {',
    replacement: 'if (false) {',
  },
  {
    name: 'the recovery copy is used only where it is later',
    file: 'sessions/latest.ts',
    text: 'if (copy !== undefined && copy.generation > (newest?.generation ?? -1)) {',
    replacement: 'if (copy !== undefined) {',
  },
  {
    name: 'a refused recovery copy is tried once more',
    file: 'sessions/settlement.ts',
    text: "failure.then === 'session over' && entry.record.copied === 'untried'",
    replacement: 'false as boolean',
  },
  {
    name: 'a missing answer is remembered',
    file: 'sessions/settlement.ts',
    text: "failure.unanswered || entry.state !== 'stable' ? 'unanswered' : 'stable'",
    replacement: "'stable'",
  },
  {
    name: 'a lost answer is recognised as such',
    file: 'sessions/settlement.ts',
    text: "entry.state === 'stable' ? 'refused' : 'answer lost'",
    replacement: "'refused'",
  },
  {
    name: 'an answer is called lost only where it was',
    file: 'sessions/settlement.ts',
    text: "entry.state === 'stable' ? 'refused' : 'answer lost'",
    replacement: "'answer lost'",
  },
  {
    name: 'the lock is kept until the disk takes the answer',
    file: 'sessions/settlement.ts',
    text: '    lock.release = () => undefined;\n',
    replacement: '',
  },
  {
    name: 'no answer ends no session',
    file: 'sessions/outcome.ts',
    text: 'unanswered: error.maybeSent }',
    replacement: "unanswered: error.maybeSent, then: 'session over' }",
  },
  {
    name: 'an unknown refusal ends no session',
    file: 'sessions/outcome.ts',
    text: "'invalid_grant', ",
    replacement: "'invalid_grant', 'strange_trouble', ",
  },
  {
    name: 'a window never goes back to an older pair',
    file: 'sessions/view.ts',
    text: 'const newer = before === undefined || isNewer(entry, before.entry);',
    replacement: 'const newer = true;',
  },
  {
    name: 'a folder that has just changed is read again',
    file: 'sessions/view.ts',
    text: 'const settled = stamp !== undefined && stood && isOld(stamp.changedAt, asked.wall, this.clock.now());',
    replacement: 'const settled = stamp !== undefined;',
  },
  {
    name: 'the date of the folder is not trusted before it stood for a while',
    file: 'sessions/view.ts',
    text: 'stamp !== undefined && stood && isOld',
    replacement: 'stamp !== undefined && isOld',
  },
  {
    name: 'a journal that went back or vanished is written again',
    file: 'sessions/keeper.ts',
    text: 'this.view.takeBehind()',
    replacement: '[]',
  },
  {
    name: 'an expired token is not served',
    file: 'sessions/freshness.ts',
    text: 'accessToken === undefined || age >= lifetime',
    replacement: 'accessToken === undefined',
  },
  {
    name: 'an unreadable folder is no empty one',
    file: 'sessions/sessionStore.ts',
    text: 'trouble !== undefined && served.length === 0',
    replacement: 'false',
  },
  {
    name: 'a key is made only where no other window has made one meanwhile',
    file: 'storage/vault.ts',
    text: `if (none && this.at.notice.get() === undefined) {`,
    replacement: 'if (true as boolean) {',
  },
  {
    name: 'a window whose secrets are old asks to be reloaded',
    file: 'storage/vault.ts',
    text: 'this.at.secretsNeedReload && note !== undefined && this.#mayBeOld(note)',
    replacement: 'false',
  },
  {
    name: 'new tokens are given out only when the disk has them',
    file: 'sessions/settlement.ts',
    text: `    try {
      await journal.writeReserved(next);
    } catch (error) {
      // Signing out`,
    replacement: `    this.parts.view.adopt(next);
    try {
      await journal.writeReserved(next);
    } catch (error) {
      // Signing out`,
  },
  {
    name: 'repetitions are counted',
    file: 'sessions/refresher.ts',
    text: 'replays + (replay ? 1 : 0)',
    replacement: 'replays',
  },
  {
    name: 'a token is replaced only when it is due',
    file: 'sessions/freshness.ts',
    text: 'const DUE_AFTER = 0.75;',
    replacement: 'const DUE_AFTER = 0.5;',
  },
  {
    name: 'a change is told once',
    file: 'sessions/view.ts',
    text: "changed ? 'changed' : 'noted'",
    replacement: "'changed'",
  },
];
