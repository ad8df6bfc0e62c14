import { ACCOUNTS_LOCK } from '../../../src/sessions/labels';
import { sessionLock } from '../../../src/storage/journal';
import { inNewerFormat } from '../../support/newerFormat';
import type { SecretShelf } from '../model/secretShelf';
import { TAKEN_OVER, type Account } from './ledger';
import type { World } from './world';

/** What a newer version of the extension may write. */
export const NEWER_THINGS = ['item', 'journal', 'labels'] as const;

const NEWER_FORMAT = 99;
const LABELS = 'accounts/labels-';

/** A file as the newer version wrote it. */
interface NewerFile {
  readonly bytes: Uint8Array;
  /** The account whose journal it is. */
  readonly account: Account | undefined;
}

/** A newer version of the extension that writes what this one can't read, and must not write over. It takes the same locks. */
export class NewerVersion {
  readonly #files = new Map<string, NewerFile>();

  constructor(private readonly world: World) {
    for (const shelf of world.shelves) {
      shelf.onStore = (before) => {
        if (before === newerItem()) world.referee.fail('2', "a newer version's item of SecretStorage is written over");
      };
    }
  }

  /** Writes something, unless a window is just changing it. */
  write(what: (typeof NEWER_THINGS)[number], account: Account | undefined, shelf: SecretShelf | undefined): void {
    if (what === 'item') {
      this.#writeItem(shelf);
    } else if (what === 'journal') {
      const id = account?.sessionId ?? '';
      if (account !== undefined && this.#writeFile(`sessions/${id}.json`, sessionLock(id), account)) {
        account.harmed.add(TAKEN_OVER);
      }
    } else {
      for (const name of this.world.disk.names) if (name.startsWith(LABELS)) this.#writeFile(name, ACCOUNTS_LOCK);
    }
  }

  /** A person or the disk changes a file: then it isn't the newer version's anymore. */
  forget(name: string): void {
    this.#files.delete(name);
  }

  /** Property 2: only the person's will removes what a newer version wrote. */
  fileChanged(name: string): void {
    const file = this.#files.get(name);
    const now = this.world.disk.peek(name);
    if (file === undefined || (now !== undefined && Buffer.compare(now, file.bytes) === 0)) return;
    this.#files.delete(name);
    const { ledger, referee } = this.world;
    // On a disk that takes no other file, the journal itself becomes the tombstone.
    const isSignedOut = file.account !== undefined && (file.account.signOutAsked || ledger.hasEnded(file.account));
    if (!isSignedOut) {
      referee.fail('2', `${name} is a newer version's, and was ${now === undefined ? 'removed' : 'written over'}`);
    }
  }

  #writeItem(shelf: SecretShelf | undefined): void {
    if (shelf?.stored === undefined) return;
    this.world.harm(shelf, TAKEN_OVER);
    shelf.replace(newerItem());
  }

  #writeFile(name: string, lock: string, account?: Account): boolean {
    const { disk, locks } = this.world;
    const bytes = inNewerFormat(disk.peek(name));
    if (bytes === undefined || locks.holder(lock) !== undefined) return false;
    this.#files.set(name, { bytes, account });
    disk.tamper(name, () => bytes);
    return true;
  }
}

function newerItem(): string {
  return JSON.stringify({ format: NEWER_FORMAT, keys: ['in another way'] });
}
