import type { KeyFinder } from './keyFinder';
import type { KeyMaker } from './keyMaker';
import type { KeyNote, KeyNotes } from './keyNotes';
import type { SecretContents } from './secretItem';
import { StoreUnavailableError } from './storeUnavailable';

/** A window opened up to this long after the key was made may have read the secrets before that. Milliseconds. */
const PAGE_LOAD = 60_000;

/**
 * Finds the key in a browser: a window reads the secrets when it's opened, and never sees those that another one stores later. Storing
 * shows no dialog. So the first window makes the key before anybody needs it, and a window that can't see a key asks to be reloaded.
 */
export class BrowserKeyFinder implements KeyFinder {
  /** True from when it's known until the reload, even if the notes are lost with the database. */
  #mustReload = false;

  /**
   * @param openedAt when this window was opened, in wall-clock milliseconds
   * @param notesAtOpening the notes that were there then
   */
  constructor(
    private readonly maker: KeyMaker,
    private readonly notes: KeyNotes,
    private readonly openedAt: number,
    private readonly notesAtOpening: Promise<readonly KeyNote[]>,
  ) {}

  async forReading(): Promise<SecretContents | undefined> {
    return (await this.#read()) ?? (await this.#makeFirst());
  }

  async forWriting(): Promise<SecretContents> {
    return (await this.#read()) ?? (await this.#make());
  }

  /** @throws StoreUnavailableError `reload` if that's known already */
  async #read(): Promise<SecretContents | undefined> {
    if (this.#mustReload) {
      throw new StoreUnavailableError('reload');
    }
    return await this.maker.read();
  }

  /**
   * Makes the key if there are no notes. If there are some, their keys belong to other browsers, or this window can't read its
   * secrets right now. Then it makes none until somebody signs in, because storing a key would replace those secrets.
   */
  async #makeFirst(): Promise<SecretContents | undefined> {
    const noted = await this.notes.all();
    if (noted.length === 0) {
      return await this.#make();
    }
    await this.#refuseLaterKeys(noted);
    return undefined;
  }

  /** Makes the key, unless another window has made one by now that this window can't see. */
  async #make(): Promise<SecretContents> {
    return await this.maker.findOrMake(async () => {
      await this.#refuseLaterKeys(await this.notes.all());
      return undefined;
    });
  }

  /** @throws StoreUnavailableError `reload` if a key was stored after this window had read its secrets */
  async #refuseLaterKeys(noted: readonly KeyNote[]): Promise<void> {
    for (const note of noted) {
      if (!(await this.#wasStoredBeforeOpening(note))) {
        this.#mustReload = true;
        throw new StoreUnavailableError('reload');
      }
    }
  }

  /** Whether a key was stored before this window read its secrets, by the note about it, which is written once more after that. */
  async #wasStoredBeforeOpening({ keyId, writtenAt }: KeyNote): Promise<boolean> {
    const atOpening = (await this.notesAtOpening).find((note) => note.keyId === keyId);
    const isUnchanged = atOpening?.writtenAt === writtenAt;
    // If it's dated long after the opening, it's from before the clock was set back.
    const isFromLongBefore = Math.abs(this.openedAt - writtenAt) > PAGE_LOAD;
    return isUnchanged && isFromLongBefore;
  }
}
