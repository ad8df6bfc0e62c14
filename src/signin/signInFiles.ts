import type { Clock } from '../clock';
import type { Log } from '../log';
import { seal, unseal, type Random, type StoreKey } from '../storage/cipher';
import { sameService, type ServiceId } from '../oauth/client';
import type { Disk } from '../storage/disk';
import type { Locks, Release } from '../storage/locks';
import { asText, parseObject } from '../storage/fields';
import { type KeptSignIn, remaining, type SignInKeeper, type WaitingSignIn } from './keptSignIn';
import { readWaitingSignIn } from './waitingSignInShape';

const FOLDER = 'signins';
/** More sign-ins than this do not wait at once; each has a file and a lock of a fixed name, so that none pile up. */
const PLACES = Array.from({ length: 8 }, (_, index) => index.toString());
/** A window that is reloaded may still be finishing when the next one starts. Milliseconds. */
const PATIENCE = 2_000;

/** What the files stand on. */
export interface SignInFilesParts {
  readonly disk: Disk;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The key that protects what is kept on the disk; `undefined` where it can't be had now. */
  readonly key: () => Promise<StoreKey | undefined>;
}

/**
 * Keeps waiting sign-ins in encrypted files beside the sessions. Who runs a sign-in holds the lock of its file, which
 * goes with its process: a file whose lock is free belongs to a window that is gone.
 */
export class SignInFiles implements SignInKeeper {
  constructor(private readonly parts: SignInFilesParts) {}

  async keep(signIn: WaitingSignIn): Promise<KeptSignIn | undefined> {
    return await this.#logged('A sign-in can’t be kept for a reload of the window', async () => {
      const used = await this.parts.disk.list(FOLDER);
      for (const place of PLACES.filter((one) => !used.includes(nameOf(one)))) {
        const release = await this.parts.locks.acquire(lockOf(place), 0);
        if (release !== undefined) {
          return await this.#write(place, signIn, release);
        }
      }
      return undefined;
    });
  }

  async takeOver(service: ServiceId, wait = true): Promise<KeptSignIn | undefined> {
    return await this.#logged('A sign-in of another window can’t be gone on with', async () => {
      const names = await this.parts.disk.list(FOLDER);
      for (const place of PLACES.filter((one) => names.includes(nameOf(one)))) {
        const release = await this.parts.locks.acquire(lockOf(place), wait ? PATIENCE : 0);
        const kept = release === undefined ? undefined : await this.#take(place, service, release);
        if (kept !== undefined) {
          return kept;
        }
      }
      return undefined;
    });
  }

  async #write(place: string, signIn: WaitingSignIn, release: Release): Promise<KeptSignIn | undefined> {
    const { disk, random } = this.parts;
    try {
      const key = await this.parts.key();
      if (key === undefined) {
        release();
        return undefined;
      }
      const file = { keyId: key.id, sealed: seal(key, random, place, JSON.stringify(signIn)) };
      await disk.makeFolder(FOLDER);
      await disk.write(`${pathOf(place)}.new`, Buffer.from(JSON.stringify(file)));
      await disk.rename(`${pathOf(place)}.new`, pathOf(place));
    } catch (error) {
      release();
      throw error;
    }
    return this.#kept(place, signIn, release);
  }

  /** Takes what is kept in this place, or gives its lock back. */
  async #take(place: string, service: ServiceId, release: Release): Promise<KeptSignIn | undefined> {
    const signIn = await this.#read(place).catch((error: unknown) => {
      release();
      throw error;
    });
    if (signIn === undefined) {
      release();
      return undefined;
    }
    const kept = this.#kept(place, signIn, release);
    if (remaining(signIn, this.parts.clock.now()) === undefined) {
      this.parts.log.info('The code of a sign-in expired while no window showed it.');
      await kept.forget();
      return undefined;
    }
    if (!sameService(signIn.service, service)) {
      kept.leave();
      return undefined;
    }
    return kept;
  }

  #kept(place: string, signIn: WaitingSignIn, release: Release): KeptSignIn {
    return {
      signIn,
      forget: async () => {
        await this.#logged('A sign-in that is over can’t be forgotten', () => this.parts.disk.remove(pathOf(place)));
        release();
      },
      leave: release,
    };
  }

  /** @returns `undefined` where the file is gone, of another store, or damaged; then it is removed. */
  async #read(place: string): Promise<WaitingSignIn | undefined> {
    const bytes = await this.parts.disk.read(pathOf(place));
    const key = await this.parts.key();
    if (bytes === undefined || key === undefined) {
      return undefined;
    }
    const file = parseObject(Buffer.from(bytes).toString('utf8'));
    const keyId = asText(file?.['keyId']);
    if (keyId !== undefined && keyId !== key.id) {
      return undefined;
    }
    const text = unseal(key, place, asText(file?.['sealed']) ?? '');
    const signIn = text === undefined ? undefined : readWaitingSignIn(text);
    if (signIn === undefined) {
      this.parts.log.warn('What was kept of a sign-in is damaged, so it is not gone on with.');
      await this.parts.disk.remove(pathOf(place));
    }
    return signIn;
  }

  /** What can't be kept costs no more than a new code, so no fault of it ends a sign-in. */
  async #logged<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.parts.log.warn(`${what}: ${error instanceof Error ? error.name : 'unknown'}.`);
      return undefined;
    }
  }
}

function nameOf(place: string): string {
  return `${place}.json`;
}

function pathOf(place: string): string {
  return `${FOLDER}/${nameOf(place)}`;
}

function lockOf(place: string): string {
  return `signin-${place}`;
}
