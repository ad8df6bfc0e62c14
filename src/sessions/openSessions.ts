import type { Store } from '../storage/openStore';
import { Accounts } from './accounts';
import { createContext, type SessionsContext, type SessionsDependencies } from './context';
import { restoreJournals } from './journalRepair';
import { NewSessions } from './newSessions';
import { Refresher } from './refresher';
import { Serving } from './serving';
import { Upkeep } from './upkeep';

/** Everything that works with the sessions of an open store. */
export interface OpenSessions {
  readonly context: SessionsContext;
  readonly refresher: Refresher;
  readonly serving: Serving;
  readonly newSessions: NewSessions;
  readonly accounts: Accounts;
  readonly upkeep: Upkeep;
}

/**
 * Reads the sessions, and restores what's missing from the recovery copies.
 * @throws the system's error if the folder can't be read
 */
export async function openSessions(store: Store, dependencies: SessionsDependencies): Promise<OpenSessions> {
  const context = createContext(store, dependencies);
  await context.cache.update();
  await restoreJournals(context, store.copies);
  const refresher = new Refresher(context);
  const newSessions = new NewSessions(context);
  return {
    context,
    refresher,
    newSessions,
    serving: new Serving(context, refresher),
    accounts: new Accounts(context),
    upkeep: new Upkeep(context, refresher, newSessions),
  };
}
