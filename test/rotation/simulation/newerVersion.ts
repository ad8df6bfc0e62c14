import { sessionLock } from '../../../src/storage/journal';
import { inNewerFormat } from '../../support/newerFormat';
import type { SecretShelf } from '../model/secretShelf';
import { TAKEN_OVER, type Account } from './ledger';
import type { World } from './world';

/** What a newer version of the extension may write. */
export const NEWER_THINGS = ['item', 'journal', 'labels'] as const;

const NEWER_FORMAT = 99;
const LABELS = 'labels/';

/** A row as the newer version wrote it. */
interface NewerRow {
  readonly text: string;
  /** The account whose journal it is. */
  readonly account: Account | undefined;
}

/** A newer version of the extension that writes what this one can't read, and must not write over. It takes the same locks. */
export class NewerVersion {
  readonly #rows = new Map<string, NewerRow>();

  constructor(private readonly world: World) {
    for (const shelf of world.shelves) {
      shelf.onStore = (before) => {
        if (before === newerItem()) world.referee.fail('2', "a newer version's item of SecretStorage is written over");
      };
    }
  }

  /** Writes something. */
  write(what: (typeof NEWER_THINGS)[number], account: Account | undefined, shelf: SecretShelf | undefined): void {
    if (what === 'item') {
      this.#writeItem(shelf);
    } else if (what === 'journal') {
      const id = account?.sessionId ?? '';
      if (account !== undefined && this.#writeRow(`session/${id}`, account)) {
        account.harmed.add(TAKEN_OVER);
      }
    } else {
      for (const name of this.world.store.names) if (name.startsWith(LABELS)) this.#writeRow(name);
    }
  }

  /** A person or the disk changes a row: then it isn't the newer version's anymore. */
  forget(name: string): void {
    this.#rows.delete(name);
  }

  /**
   * Property 2: only the person's will removes what a newer version wrote, or that the service had ended the session before somebody
   * set the database back.
   */
  rowChanged(name: string): void {
    const row = this.#rows.get(name);
    const now = this.world.store.peek(name);
    if (row === undefined || now === row.text) return;
    this.#rows.delete(name);
    const { ledger, referee } = this.world;
    const { account } = row;
    const isOver =
      account !== undefined && (account.signOutAsked || account.reason !== undefined || ledger.hasEnded(account));
    if (!isOver) {
      referee.fail('2', `${name} is a newer version's, and was ${now === undefined ? 'removed' : 'written over'}`);
    }
  }

  #writeItem(shelf: SecretShelf | undefined): void {
    if (shelf?.stored === undefined) return;
    this.world.harm(shelf, TAKEN_OVER);
    shelf.replace(newerItem());
  }

  #writeRow(name: string, account?: Account): boolean {
    const { locks, store } = this.world;
    const text = inNewerFormat(store.peek(name));
    const isUnderWay = account !== undefined && locks.holder(sessionLock(account.sessionId ?? '')) !== undefined;
    if (text === undefined || isUnderWay) return false;
    this.#rows.set(name, { text, account });
    store.tamper(name, () => text);
    return true;
  }
}

function newerItem(): string {
  return JSON.stringify({ format: NEWER_FORMAT, keys: ['in another way'] });
}
