import type { Log } from '../log';
import { changedEntry, type JournalEntry, newestEntry } from '../storage/record';
import type { SessionCache } from './sessionCache';
import type { Labels } from './labels';
import type { RecoveryCopies } from './recoveryCopies';
import { replacedSessions } from './replacedSessions';
import type { Revoker } from './revoker';
import { SessionError } from './sessionError';
import type { StoredSessions } from './storedSessions';

/** What a sign-out leaves behind. */
export interface SignedOut {
  /** Whether the service has ended the tokens; `undefined` if there were none anymore. Never rejects. */
  readonly revoked: Promise<boolean> | undefined;
}

/** What `Accounts` works with. */
interface AccountsDependencies {
  readonly cache: SessionCache;
  readonly labels: Labels;
  readonly log: Log;
  readonly recoveryCopies: RecoveryCopies;
  readonly revoker: Revoker;
  readonly storedSessions: StoredSessions;
}

/** What people do with their accounts: they sign out of them, and rename them. */
export class Accounts {
  constructor(private readonly dependencies: AccountsDependencies) {}

  /**
   * Ends the session for all windows, and its tokens at the service. Waits for no lock and no network.
   * @returns whether the service ends the tokens, once that's known
   * @throws StoreUnavailableError; then it isn't over
   */
  async remove(sessionId: string): Promise<SignedOut> {
    const { cache, log, recoveryCopies, revoker, storedSessions } = this.dependencies;
    const cached = cache.get(sessionId);
    const last = await storedSessions.change((sessions) => {
      const accountId = sessions.find(sessionId)?.record.account.id;
      // Without this session, those that it has replaced would be listed again.
      for (const replaced of replacedSessions(sessions.entries())) {
        if (replaced.record.account.id === accountId) {
          sessions.end(replaced.sessionId);
        }
      }
      return sessions.end(sessionId);
    });
    recoveryCopies.save();
    log.info(`Session ${sessionId} was signed out.`);
    // Another window may have refreshed the session, or ended it, and this one hasn't noticed yet.
    const newest = newestEntry([last, cached]);
    return { revoked: newest && revoker.revoke(newest.record) };
  }

  /** Ends tokens that nobody uses, because their session was signed out while it was refreshed, unless another one took its place. */
  async revokeUnlessReplaced(unused: JournalEntry): Promise<void> {
    const { cache, revoker } = this.dependencies;
    await cache.tryUpdate();
    if (!replacedSessions([unused, ...cache.entries()]).includes(unused)) {
      await revoker.revoke(unused.record);
    }
  }

  /**
   * Gives all sessions of the session's account another label.
   * @throws SessionError `label taken`, `over`; StoreUnavailableError
   */
  async rename(sessionId: string, label: string): Promise<void> {
    const { labels, log, recoveryCopies, storedSessions } = this.dependencies;
    await storedSessions.change((sessions) => {
      const { account } = sessions.get(sessionId).record;
      const ofAccount = sessions.entries().filter(({ record }) => record.account.id === account.id);
      // If the service has said whose the account is, that counts for all of its sessions.
      const { record: owner } = ofAccount.find(({ record }) => record.user !== undefined) ?? sessions.get(sessionId);
      if (labels.free(sessions, label, owner) !== label) {
        throw new SessionError('label taken');
      }
      for (const one of ofAccount) {
        sessions.put(changedEntry(one, sessions.now, { account: { ...account, label } }));
      }
      labels.remember(sessions, label, owner);
    });
    recoveryCopies.save();
    log.info(`Session ${sessionId} was renamed.`);
  }
}
