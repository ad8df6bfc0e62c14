import { type Clock, withTimeLimit } from '../clock';
import { asObject, asText, type Fields, parseObject } from '../fields';
import { type Log, LoggableError, loggedAs } from '../log';
import { KEY_BYTES, storeKey, type StoreKey } from './cipher';
import type { SecretPort } from './platform';
import { type JournalEntry, readEntry } from './record';
import { StoreUnavailableError } from './storeUnavailable';

const FORMAT = 1;
/** SecretStorage responds within milliseconds, after a password dialog (then the next attempt succeeds), or never. Milliseconds. */
const TIME_LIMIT = 5_000;

/** What the item holds. */
export interface SecretContents {
  readonly key: StoreKey;
  /** Client secrets, by `clientSecretName`. */
  readonly clientSecrets: Fields;
  /** Recovery copies: the sessions without their access tokens, in case a journal is lost. */
  readonly copies: readonly JournalEntry[];
}

/** SecretStorage hasn't responded in time. */
class TooLateError extends LoggableError {
  override readonly name = 'TooLateError';

  /** @param timeLimit in milliseconds */
  constructor(timeLimit: number) {
    super(`SecretStorage didn't respond within ${timeLimit / 1000} s.`);
  }
}

/**
 * The one item that this extension has in SecretStorage on this machine. It's always written as a whole, and nobody waits for it
 * longer than a time limit.
 */
export class SecretItem {
  #updating: Promise<void> = Promise.resolve();

  constructor(
    private readonly secrets: SecretPort,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * What the item holds; `undefined` if there is none, or it can't be decoded.
   * @throws StoreUnavailableError `newer version` if a newer version of this extension wrote it: then it must not be
   *   replaced. What SecretStorage throws
   */
  async read(): Promise<SecretContents | undefined> {
    const text = await this.#limited(TIME_LIMIT, this.secrets.get());
    if (text === undefined) {
      return undefined;
    }
    const fields = parseObject(text);
    if (Number(fields?.['format']) > FORMAT) {
      throw new StoreUnavailableError('newer version');
    }
    return decode(fields);
  }

  /**
   * Replaces whatever is there.
   * @param timeLimit in milliseconds; after that, it may still be stored
   * @throws what SecretStorage throws
   */
  async store({ key, ...rest }: SecretContents, timeLimit = TIME_LIMIT): Promise<void> {
    const text = JSON.stringify({ format: FORMAT, key: key.secret.export().toString('base64'), ...rest });
    await this.#limited(timeLimit, this.secrets.store(text));
  }

  /**
   * Changes the item as this window sees it, best effort: a failure is only logged. Updates run one after another: each
   * must see what the one before wrote.
   * @param key this store's key, with which a lost item is written again
   */
  async update(key: StoreKey, change: (contents: SecretContents) => Partial<SecretContents>): Promise<void> {
    const { log } = this;
    this.#updating = this.#updating.then(async () => {
      try {
        const contents = (await this.read()) ?? newContents(key);
        if (contents.key.id !== key.id) {
          log.warn("SecretStorage couldn't be changed: it has a different key by now.");
          return;
        }
        const changes = change(contents);
        await this.store({ ...contents, ...changes });
        for (const { sessionId, generation } of changes.copies ?? []) {
          log.debug(`Session ${sessionId}: SecretStorage has a copy of generation ${generation}.`);
        }
      } catch (error) {
        log.warn(`SecretStorage couldn't be changed. ${loggedAs(error)}`);
      }
    });
    await this.#updating;
  }

  /**
   * Replaces the recovery copies. All are always stored together. Best effort: the next change stores them again.
   * @param choose what to store, by what's stored now
   */
  async saveCopies(key: StoreKey, choose: (stored: readonly JournalEntry[]) => readonly JournalEntry[]): Promise<void> {
    await this.update(key, ({ copies }) => ({
      copies: choose(copies).map((entry) => ({
        ...entry,
        record: { ...entry.record, accessToken: undefined, idToken: undefined },
      })),
    }));
  }

  async #limited<T>(timeLimit: number, call: Promise<T>): Promise<T> {
    return await withTimeLimit(this.clock, timeLimit, call, () => new TooLateError(timeLimit));
  }
}

/** An item with nothing but its key. */
export function newContents(key: StoreKey): SecretContents {
  return { key, clientSecrets: {}, copies: [] };
}

/** `undefined` if the key can't be read. Of everything else, what can be read is used. */
function decode(fields: Fields | undefined): SecretContents | undefined {
  const key = Buffer.from(asText(fields?.['key']) ?? '', 'base64');
  if (fields?.['format'] !== FORMAT || key.length !== KEY_BYTES) {
    return undefined;
  }
  const copies: readonly unknown[] = Array.isArray(fields['copies']) ? fields['copies'] : [];
  return {
    key: storeKey(key),
    clientSecrets: asObject(fields['clientSecrets']) ?? {},
    copies: copies.flatMap((copy) => readEntry(asObject(copy) ?? {}) ?? []),
  };
}
