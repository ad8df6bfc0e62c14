import type { Log } from '../log';
import { changedEntry, type JournalEntry, newestEntry } from '../storage/record';
import type { SessionCache } from './sessionCache';
import type { Labels } from './labels';
import type { RecoveryCopies } from './recoveryCopies';
import { replacedSessions } from './replacedSessions';
import type { Revoker } from './revoker';
import { SessionError } from './sessionError';
import { bestKnown } from './sessionOwner';
import type { StoredSessions } from './storedSessions';

/** What a sign-out leaves behind. */
export interface SignedOut {
  /** Whether the service has ended the tokens; `undefined` if there were none anymore. Never rejects. */
  readonly revoked: Promise<boolean> | undefined;
}

/** What people do with their accounts: they sign out of them, and rename them. */
export class Accounts {
  constructor(
    private readonly cache: SessionCache,
    private readonly labels: Labels,
    private readonly log: Log,
    private readonly recoveryCopies: RecoveryCopies,
    private readonly revoker: Revoker,
    private readonly storedSessions: StoredSessions,
  ) {}

  /**
   * Ends the session for all windows, and its tokens at the service. Waits for no lock and no network.
   * @returns whether the service ends the tokens, once that's known
   * @throws StoreUnavailableError; then it isn't over
   */
  async remove(sessionId: string): Promise<SignedOut> {
    const cached = this.cache.get(sessionId);
    const last = await this.storedSessions.change((sessions) => {
      const accountId = sessions.find(sessionId)?.record.account.id;
      // Without this session, those that it has replaced would be listed again.
      for (const replaced of replacedSessions(sessions.entries())) {
        if (replaced.record.account.id === accountId) {
          sessions.end(replaced.sessionId);
        }
      }
      return sessions.end(sessionId);
    });
    this.recoveryCopies.save();
    this.log.info(`Session ${sessionId} was signed out.`);
    // Another window may have refreshed the session, or ended it, and this one hasn't noticed yet.
    const newest = newestEntry([last, cached]);
    return { revoked: newest && this.revoker.revoke(newest.record) };
  }

  /** Ends tokens that nobody uses, because their session was signed out while it was refreshed, unless another one took its place. */
  async revokeUnlessReplaced(unused: JournalEntry): Promise<void> {
    await this.cache.tryUpdate();
    if (!replacedSessions([unused, ...this.cache.entries()]).includes(unused)) {
      await this.revoker.revoke(unused.record);
    }
  }

  /**
   * Gives all sessions of the session's account another label.
   * @throws SessionError `label taken`, `over`; StoreUnavailableError
   */
  async rename(sessionId: string, label: string): Promise<void> {
    await this.storedSessions.change((sessions) => {
      const { record } = sessions.get(sessionId);
      const { account } = record;
      const ofAccount = sessions.entries().filter((entry) => entry.record.account.id === account.id);
      const owner = bestKnown(ofAccount.map((entry) => entry.record)) ?? record;
      if (this.labels.free(sessions, label, owner) !== label) {
        throw new SessionError('label taken');
      }
      for (const one of ofAccount) {
        sessions.put(changedEntry(one, sessions.now, { account: { ...account, label } }));
      }
      this.labels.remember(sessions, label, owner);
    });
    this.recoveryCopies.save();
    this.log.info(`Session ${sessionId} was renamed.`);
  }
}
