import { createHash } from 'node:crypto';
import { seal, unseal, type Random, type VaultKey } from './cipher';
import { type Log, codeOf } from '../log';
import type { Disk } from './disk';
import { asText, parseObject } from './fields';
import { serviceKey, type ServiceId } from '../oauth/client';

const CLIENTS = 'clients';

/**
 * The client secrets, encrypted beside the journals, where a window sees at once what another one entered: in a
 * browser SecretStorage would not show it.
 */
export class ClientSecretFiles {
  constructor(
    private readonly disk: Disk,
    private readonly random: Random,
    private readonly key: VaultKey,
    private readonly log: Log,
  ) {}

  /** The secret for this service; `undefined` where none was entered, or it can't be read. */
  async get(service: ServiceId): Promise<string | undefined> {
    const bytes = await this.disk.read(this.#name(service)).catch((error: unknown) => {
      this.log.warn(`The file of a client secret can't be read (${codeOf(error)}).`);
      return undefined;
    });
    const sealed = bytes === undefined ? undefined : asText(parseObject(Buffer.from(bytes).toString())?.['secret']);
    return sealed === undefined ? undefined : unseal(this.key, serviceKey(service), sealed);
  }

  /** Replaces the secret. Of windows that do so at once, each has written a whole file, and the last one's stays. */
  async set(service: ServiceId, secret: string): Promise<void> {
    const name = this.#name(service);
    const sealed = seal(this.key, this.random, serviceKey(service), secret);
    await this.disk.makeFolder(CLIENTS);
    await this.disk.syncFolder('');
    const written = `${name}.${Buffer.from(this.random(8)).toString('hex')}.new`;
    try {
      await this.disk.write(written, Buffer.from(JSON.stringify({ format: 1, secret: sealed })));
      await this.disk.sync(written);
      await this.disk.rename(written, name);
    } catch (error) {
      await this.#clearAway(written);
      throw error;
    }
    await this.disk.syncFolder(CLIENTS);
  }

  /** On a full disk each try would leave a file of its own. */
  async #clearAway(name: string): Promise<void> {
    try {
      await this.disk.remove(name);
    } catch (error) {
      this.log.debug(`What was written of a client secret can't be removed (${codeOf(error)}).`);
    }
  }

  #name(service: ServiceId): string {
    const hash = createHash('sha256').update(this.key.id).update(serviceKey(service)).digest('hex');
    return `${CLIENTS}/${hash.slice(0, 32)}.json`;
  }
}
