import { createHash } from 'node:crypto';
import { type Event, EventEmitter } from '../event';
import { asText } from '../fields';
import { bestEffort, type Log, safeTrace } from '../log';
import { clientSecretName, isClientSecretOf, type Service, type ServiceId } from '../oauth/service';
import type { StoreOpener } from './openStore';
import type { ReadableRows } from './rows';
import { mayReplace, type Sealing } from './sealing';
import { StoreUnavailableError } from './storeUnavailable';

/** What the names of their rows begin with. */
const PREFIX = 'client/';

/**
 * The client secrets: one sealed row per service and client, which every window sees at once, and a copy in SecretStorage
 * in case the row is lost.
 */
export class ClientSecrets {
  readonly #stored = new EventEmitter<Service>();

  /** @param builtIn the secret that this build of the extension has for a service, if any; it's used first */
  constructor(
    private readonly opener: StoreOpener,
    private readonly log: Log,
    private readonly builtIn?: (service: ServiceId) => string | undefined,
  ) {}

  /** A secret for this service was stored in this window. */
  get onDidStore(): Event<Service> {
    return this.#stored.event;
  }

  /**
   * The secret for this service and client.
   * @param isNeeded whether the client must have one. Otherwise, it has none if none was entered, or if SecretStorage fails and
   *   there's no row
   * @returns if none was entered: empty, or `undefined` if it's needed
   * @throws StoreUnavailableError
   */
  async get(service: Service, isNeeded: boolean): Promise<string | undefined> {
    const secret = this.builtIn?.(service) ?? (await this.#entered(service, isNeeded));
    return secret ?? (isNeeded ? undefined : '');
  }

  /** The secret that was entered; `undefined` if none was. @throws StoreUnavailableError */
  async #entered(service: Service, isNeeded: boolean): Promise<string | undefined> {
    const store = await this.opener.forReading();
    if (store === undefined) {
      return undefined;
    }
    const name = nameOf(store.sealing, service);
    const found = await bestEffort(this.log, 'debug', "A client secret's row can't be read", () =>
      store.rows.read((rows) => store.sealing.read(rows, name)),
    );
    const row = found ?? { kind: 'unreadable' };
    if (row.kind === 'open') {
      return asText(row.contents['secret']);
    }
    try {
      return asText((await store.secretItem.read())?.clientSecrets[clientSecretName(service)]);
    } catch (error) {
      this.log.warn(`The client secret can't be read. ${safeTrace(error)}`);
      if (row.kind === 'none' && !isNeeded) {
        // SecretStorage only has a copy of the row. Without a row, the client most likely has no secret, and must be able to go on.
        return undefined;
      }
      throw error instanceof StoreUnavailableError ? error : new StoreUnavailableError('secret storage');
    }
  }

  /**
   * Replaces the secret. The copy in SecretStorage follows when it can.
   * @throws StoreUnavailableError
   */
  async set(service: Service, secret: string): Promise<void> {
    const { rows, sealing, secretItem } = await this.opener.forWriting();
    const client = clientSecretName(service);
    const name = nameOf(sealing, service);
    try {
      await rows.write((stored) => {
        if (!mayReplace(sealing.read(stored, name))) {
          throw new StoreUnavailableError('newer version');
        }
        stored.put(name, sealing.seal(name, {}, { client, secret }));
      });
    } catch (error) {
      this.log.warn(`The client secret couldn't be stored. ${safeTrace(error)}`);
      throw error;
    }
    void secretItem.update(sealing.key, ({ clientSecrets }) => ({
      clientSecrets: { ...clientSecrets, [client]: secret },
    }));
    this.#stored.fire(service);
  }

  /**
   * Deletes what was entered for this service and client, wherever its token endpoint is or was. The rows stay without it, because
   * other windows may see the copies in SecretStorage a while longer.
   * @throws what the store throws
   */
  async remove(service: ServiceId): Promise<void> {
    const store = await this.opener.forReading();
    if (store === undefined) {
      return;
    }
    const { rows, sealing, secretItem } = store;
    await rows.write((stored) => {
      for (const { client, name } of rowsOf(stored, sealing, service)) {
        stored.put(name, sealing.seal(name, {}, { client }));
      }
    });
    void secretItem.update(sealing.key, ({ clientSecrets }) => ({
      clientSecrets: Object.fromEntries(
        Object.entries(clientSecrets).filter(([client]) => !isClientSecretOf(service, client)),
      ),
    }));
  }
}

/** A client secret in a row of its own. */
interface SecretRow {
  readonly name: string;
  /** What it's called. */
  readonly client: string;
}

/** The rows of this service and client: one for each origin that its token endpoint has had. */
function rowsOf(rows: ReadableRows, sealing: Sealing, service: ServiceId): readonly SecretRow[] {
  return [...rows.all(PREFIX)].flatMap(([name, text]) => {
    const row = sealing.open(name, text);
    const client = row.kind === 'open' ? asText(row.contents['client']) : undefined;
    return client !== undefined && isClientSecretOf(service, client) ? [{ name, client }] : [];
  });
}

function nameOf(sealing: Sealing, service: Service): string {
  const hash = createHash('sha256').update(sealing.key.id).update(clientSecretName(service)).digest('hex');
  return `${PREFIX}${hash.slice(0, 32)}`;
}
