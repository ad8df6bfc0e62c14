import { createHash } from 'node:crypto';
import { type Event, EventEmitter } from '../event';
import { asText } from '../fields';
import { bestEffort, type Log, safeTrace } from '../log';
import { dialectOf } from '../oauth/dialect';
import { clientSecretName, isClientSecretOf, type Service, type ServiceId } from '../oauth/service';
import type { Store, StoreOpener } from './openStore';
import { isOthers, type SealedFile } from './sealedFiles';
import { folderUnavailable, StoreUnavailableError } from './storeUnavailable';

const FOLDER = 'clients';
const LOCK = 'clients';
/** How long to wait for another window that is storing one. Milliseconds. */
const LOCK_PATIENCE = 5_000;

/**
 * The client secrets: one sealed file per service and client, which every window sees at once, and a copy in SecretStorage
 * in case the file is lost.
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
   * The secret for this service and client. If none was entered, it's empty for services that need none, and `undefined`
   * for others.
   * @throws StoreUnavailableError
   */
  async get(service: Service): Promise<string | undefined> {
    const secret = this.builtIn?.(service) ?? (await this.#entered(service));
    return secret ?? (dialectOf(service).clientsNeedSecrets ? undefined : '');
  }

  /** Whether one was entered for this service and client, wherever its token endpoint is. @throws StoreUnavailableError */
  async isEntered(service: ServiceId): Promise<boolean> {
    const store = await this.opener.forReading();
    if (store === undefined) {
      return false;
    }
    const readFiles = () => filesOf(store, service);
    const files = (await bestEffort(this.log, 'warn', "The client secrets' files can't be read", readFiles)) ?? [];
    if (files.some(({ secret = '' }) => secret !== '')) {
      return true;
    }
    const readCopies = () => store.secretItem.read();
    const item = await bestEffort(this.log, 'warn', "The copies of client secrets can't be read", readCopies);
    // A copy counts only if its file is lost.
    const lost = Object.entries(item?.clientSecrets ?? {}).filter(
      ([client]) => isClientSecretOf(service, client) && !files.some((file) => file.client === client),
    );
    return lost.some(([, secret]) => (asText(secret) ?? '') !== '');
  }

  async #entered(service: Service): Promise<string | undefined> {
    const store = await this.opener.forReading();
    if (store === undefined) {
      return undefined;
    }
    const readFile = async (): Promise<SealedFile | 'none'> =>
      (await store.files.read(fileOf(store, service))) ?? 'none';
    const file = await bestEffort(this.log, 'warn', "A client secret's file can't be read", readFile);
    if (file !== undefined && file !== 'none' && file.kind === 'open') {
      return asText(file.contents['secret']);
    }
    try {
      return asText((await store.secretItem.read())?.clientSecrets[clientSecretName(service)]);
    } catch (error) {
      this.log.warn(`The client secret can't be read. ${safeTrace(error)}`);
      if (file === 'none' && !dialectOf(service).clientsNeedSecrets) {
        // SecretStorage only has a copy of the file. Without one, the client most likely has no secret, and must be able to go on.
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
    const store = await this.opener.forWriting();
    const { files, secretItem } = store;
    const client = clientSecretName(service);
    try {
      await this.#locked(store, async () => {
        const name = fileOf(store, service);
        if (isOthers(await files.read(name))) {
          throw new StoreUnavailableError('newer version');
        }
        await files.write(name, {}, { client, secret });
      });
    } catch (error) {
      this.log.warn(`The client secret couldn't be stored. ${safeTrace(error)}`);
      throw error instanceof StoreUnavailableError ? error : folderUnavailable(error);
    }
    void secretItem.update(files.key, ({ clientSecrets }) => ({
      clientSecrets: { ...clientSecrets, [client]: secret },
    }));
    this.#stored.fire(service);
  }

  /**
   * Deletes what was entered for this service and client, wherever its token endpoint is or was. The files stay without it, because
   * other windows may see the copies in SecretStorage a while longer.
   * @throws what the store throws
   */
  async remove(service: ServiceId): Promise<void> {
    const store = await this.opener.forReading();
    if (store === undefined) {
      return;
    }
    const { files, secretItem } = store;
    await this.#locked(store, async () => {
      for (const { client, path } of await filesOf(store, service)) {
        await files.write(path, {}, { client });
      }
    });
    void secretItem.update(files.key, ({ clientSecrets }) => ({
      clientSecrets: Object.fromEntries(
        Object.entries(clientSecrets).filter(([client]) => !isClientSecretOf(service, client)),
      ),
    }));
  }

  /** @throws Error if another window doesn't finish in time */
  async #locked({ locks }: Store, change: () => Promise<void>): Promise<void> {
    const release = await locks.acquire(LOCK, LOCK_PATIENCE);
    if (release === undefined) {
      throw new Error('Another window is changing a client secret.');
    }
    try {
      await change();
    } finally {
      release();
    }
  }
}

/** A client secret in a file of its own. */
interface SecretFile {
  readonly path: string;
  /** What it's called. */
  readonly client: string;
  /** `undefined` if it was deleted. */
  readonly secret: string | undefined;
}

/** The files of this service and client: one for each origin that its token endpoint has had. */
async function filesOf({ files }: Store, service: ServiceId): Promise<readonly SecretFile[]> {
  const found: SecretFile[] = [];
  for (const name of await files.disk.list(FOLDER)) {
    const path = `${FOLDER}/${name}`;
    const file = await files.read(path);
    const client = file?.kind === 'open' ? asText(file.contents['client']) : undefined;
    if (file?.kind === 'open' && client !== undefined && isClientSecretOf(service, client)) {
      found.push({ path, client, secret: asText(file.contents['secret']) });
    }
  }
  return found;
}

function fileOf({ files }: Store, service: Service): string {
  const hash = createHash('sha256').update(files.key.id).update(clientSecretName(service)).digest('hex');
  return `${FOLDER}/${hash.slice(0, 32)}.json`;
}
