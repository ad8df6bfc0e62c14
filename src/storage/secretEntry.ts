import { type Clock, withTimeLimit } from '../clock';
import { KEY_BYTES, storeKey, type StoreKey } from './cipher';
import type { SecretPort } from './devices';
import { asObject, asText, parseObject } from './fields';
import { readRecoveryCopy, type RecoveryCopy } from './record';

const FORMAT = 1;
/** SecretStorage responds within milliseconds, after a password dialog (then the next attempt succeeds), or never. */
const TIME_LIMIT = 5_000;

/** What the entry holds. */
export interface SecretContents {
  readonly key: StoreKey;
  /** Client secrets, by `serviceKey`. */
  readonly clientSecrets: Readonly<Record<string, string>>;
  /** Recovery copies, by session ID. */
  readonly copies: Readonly<Record<string, RecoveryCopy>>;
}

/** SecretStorage didn't respond in time. */
export class SecretTimeoutError extends Error {
  override readonly name = 'SecretTimeoutError';

  constructor() {
    super(`SecretStorage didn't respond within ${TIME_LIMIT / 1000} s.`);
  }
}

/** SecretStorage has a different key by now. */
class OtherKeyError extends Error {
  override readonly name = 'OtherKeyError';
}

/** The entry of SecretStorage. It's always written as a whole, and nobody waits for it longer than a time limit. */
export class SecretEntry {
  #updating: Promise<void> = Promise.resolve();

  constructor(
    private readonly port: SecretPort,
    private readonly clock: Clock,
  ) {}

  /**
   * What the entry holds; `unreadable` if it can't be decoded, `undefined` if there is no entry.
   * @throws SecretTimeoutError, or what SecretStorage throws
   */
  async read(): Promise<SecretContents | 'unreadable' | undefined> {
    const text = await this.#limited(this.port.get());
    return text === undefined ? undefined : (decode(text) ?? 'unreadable');
  }

  /** Replaces whatever is there. @throws SecretTimeoutError, or what SecretStorage throws */
  async store(contents: SecretContents): Promise<void> {
    await this.#limited(this.port.store(encode(contents)));
  }

  /**
   * Changes the entry as this window sees it. Updates run one after another: each must see what the one before wrote.
   * @param key this store's key, with which a lost entry is written again
   * @throws OtherKeyError, SecretTimeoutError, or what SecretStorage throws
   */
  async update(key: StoreKey, change: (contents: SecretContents) => SecretContents): Promise<void> {
    const update = this.#updating.then(async () => {
      const found = await this.read();
      if (found !== undefined && found !== 'unreadable' && found.key.id !== key.id) {
        throw new OtherKeyError('SecretStorage has another key by now.');
      }
      await this.store(change(found === undefined || found === 'unreadable' ? newContents(key) : found));
    });
    this.#updating = update.catch(() => undefined);
    await update;
  }

  async #limited<T>(call: Promise<T>): Promise<T> {
    return await withTimeLimit(this.clock, TIME_LIMIT, call, () => new SecretTimeoutError());
  }
}

/** An entry with nothing but its key. */
export function newContents(key: StoreKey): SecretContents {
  return { key, clientSecrets: {}, copies: {} };
}

function encode({ key, ...rest }: SecretContents): string {
  return JSON.stringify({ format: FORMAT, key: key.secret.export().toString('base64'), ...rest });
}

/** `undefined` if the key can't be read. Of everything else, what can be read is used. */
function decode(text: string): SecretContents | undefined {
  const fields = parseObject(text);
  const key = Buffer.from(asText(fields?.['key']) ?? '', 'base64');
  return fields?.['format'] !== FORMAT || key.length !== KEY_BYTES
    ? undefined
    : {
        key: storeKey(key),
        clientSecrets: readAll(fields['clientSecrets'], asText),
        copies: readAll(fields['copies'], (value) => readRecoveryCopy(asObject(value))),
      };
}

function readAll<T>(value: unknown, read: (value: unknown) => T | undefined): Record<string, T> {
  const entries = Object.entries(asObject(value) ?? {}).flatMap(([name, one]) => {
    const found = read(one);
    return found === undefined ? [] : [[name, found] as const];
  });
  return Object.fromEntries(entries);
}
