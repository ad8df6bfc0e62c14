import { bestEffort, codeOf } from '../log';
import { dialectOf } from '../oauth/client';
import { type JournalEntry, restoredEntry } from '../storage/record';
import { SessionError } from './sessions';
import type { SessionsContext } from './context';
import { ACCOUNTS_LOCK } from './labels';
import { LockedSession, writeEntry } from './lockedSession';
import { endReplacedSessions, replacedSessions } from './replacement';

const LOCK_PATIENCE = 1_000;
/** By then, the window that signed somebody in has named the account, or is gone. Milliseconds. */
const NAMED_WITHIN = 60_000;

/**
 * Writes the journal of each session that has none, or an older one, from its recovery copy, and drops the copies
 * that are no longer needed. Called when a window opens.
 */
export async function restoreJournals(context: SessionsContext, copies: readonly JournalEntry[]): Promise<void> {
  const { cache, clock, saveCopies } = context;
  let hasUnneeded = false;
  for (const copy of copies) {
    const { sessionId } = copy;
    const known = cache.get(sessionId);
    // Its refresh token is dead by then.
    const oldest = dialectOf(copy.record.service).refreshTokenLifetime;
    const isTooOld = known === undefined && clock.now() - copy.record.obtainedAt > oldest;
    if (cache.isOver(sessionId) || isTooOld) {
      hasUnneeded = true;
    } else if ((known?.generation ?? 0) < copy.generation) {
      await writeAgain(context, sessionId, restoredEntry(copy, clock.now()));
    }
  }
  if (hasUnneeded) {
    saveCopies();
  }
}

/** Writes journals that are missing, damaged, or older than what this window knows; then finishes what others began. */
export async function repairJournals(context: SessionsContext): Promise<void> {
  const { cache, clock, log } = context;
  for (const sessionId of cache.outdated()) {
    await writeAgain(context, sessionId);
  }
  for (const sessionId of cache.leftovers()) {
    await cache.finishEnd(sessionId);
  }
  await endTakenOver(context);
  await endReplaced(context);
  // Their accounts were never named, because their windows were closed before they could do so.
  for (const { record, sessionId } of cache.entries()) {
    if (!record.listed && Math.abs(clock.now() - record.signedInAt) > NAMED_WITHIN) {
      await bestEffort(log, 'debug', `Session ${sessionId} can't be listed yet`, () =>
        LockedSession.use(context, sessionId, LOCK_PATIENCE, async (session) => {
          if (!session.current.record.listed) {
            await session.change({ listed: true });
          }
        }),
      );
    }
  }
}

/**
 * In earlier versions of this extension, a session could get the tokens of a further sign-in for its account, whose own
 * session was ended afterward. If the window died in between, both have the tokens, and nobody must send them twice.
 */
async function endTakenOver({ cache, journal, log }: SessionsContext): Promise<void> {
  for (const { record } of cache.entries()) {
    const { tookOver } = record;
    if (tookOver !== undefined && cache.get(tookOver) !== undefined) {
      await bestEffort(log, 'debug', `What's left of session ${tookOver} can't be removed`, async () => {
        await journal.end(tookOver);
        cache.end(tookOver);
      });
    }
  }
}

/** Ends what others have replaced, unless a window is just doing that: it holds the lock of accounts. */
async function endReplaced(context: SessionsContext): Promise<void> {
  const { cache, locks, log } = context;
  if (replacedSessions(cache.stored()).length > 0) {
    await bestEffort(log, 'debug', "The sessions that were replaced can't be ended yet", async () => {
      const release = await locks.acquire(ACCOUNTS_LOCK, 0);
      if (release !== undefined) {
        await endReplacedSessions(context).finally(release);
      }
    });
  }
}

async function writeAgain(context: SessionsContext, sessionId: string, restored?: JournalEntry): Promise<void> {
  const { cache, log } = context;
  try {
    const write = async ({ current, isWritten }: LockedSession): Promise<void> => {
      if (!isWritten) {
        await writeEntry(context, current);
        log.warn(`The journal of session ${sessionId} was missing, damaged or outdated; it was written again.`);
      }
    };
    await LockedSession.use(context, sessionId, LOCK_PATIENCE, write, restored);
  } catch (error) {
    // A session that's over needs no journal, and while another window changes it, that one knows it.
    if (!(error instanceof SessionError)) {
      log.error(`The journal of session ${sessionId} can't be written (${codeOf(error)}).`);
      if (restored !== undefined) {
        cache.adopt(restored);
      }
    }
  }
}
