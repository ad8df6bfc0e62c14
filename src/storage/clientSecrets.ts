import { createHash } from 'node:crypto';
import { serviceKey, type ServiceId } from '../oauth/client';
import { codeOf, type Log } from '../log';
import { asText } from './fields';
import type { Locks } from './locks';
import type { SealedFiles } from './sealedFiles';
import type { SecretEntry } from './secretEntry';

const FOLDER = 'clients';
const LOCK = 'clients';
/** How long to wait for another window that is storing one. Milliseconds. */
const LOCK_PATIENCE = 5_000;

/** Where client secrets are stored. */
export interface ClientSecretDependencies {
  readonly files: SealedFiles;
  readonly entry: SecretEntry;
  readonly locks: Locks;
  readonly log: Log;
}

/**
 * The client secrets: one sealed file per service and client, which every window sees at once, and a copy in SecretStorage
 * in case the file is lost.
 */
export class ClientSecrets {
  constructor(private readonly dependencies: ClientSecretDependencies) {}

  /**
   * The secret for this service and client; `undefined` if none was entered.
   * @throws what SecretStorage throws, if the file has no secret
   */
  async get(service: ServiceId): Promise<string | undefined> {
    const { entry, files, log } = this.dependencies;
    const file = await files.read(this.#nameFor(service)).catch((error: unknown) => {
      log.warn(`A client secret's file can't be read (${codeOf(error)}).`);
      return undefined;
    });
    const secret = file?.kind === 'open' ? asText(file.contents['secret']) : undefined;
    if (secret !== undefined) {
      return secret;
    }
    const contents = await entry.read();
    return contents === undefined || contents === 'unreadable'
      ? undefined
      : contents.clientSecrets[serviceKey(service)];
  }

  /**
   * Replaces the secret. The copy in SecretStorage follows when it can.
   * @throws the system's error if the disk refuses; Error if another window holds the lock for too long
   */
  async set(service: ServiceId, secret: string): Promise<void> {
    const { entry, files, locks, log } = this.dependencies;
    const release = await locks.acquire(LOCK, LOCK_PATIENCE);
    if (release === undefined) {
      throw new Error('Another window is storing a client secret.');
    }
    try {
      await files.write(this.#nameFor(service), {}, { secret });
    } finally {
      release();
    }
    const changed = entry.update(files.key, (contents) => ({
      ...contents,
      clientSecrets: { ...contents.clientSecrets, [serviceKey(service)]: secret },
    }));
    changed.catch((error: unknown) => {
      log.warn(`SecretStorage couldn't store the client secret: ${error instanceof Error ? error.name : 'unknown'}.`);
    });
  }

  #nameFor(service: ServiceId): string {
    const hash = createHash('sha256').update(this.dependencies.files.key.id).update(serviceKey(service)).digest('hex');
    return `${FOLDER}/${hash.slice(0, 32)}.json`;
  }
}
