import { type Log, codeOf } from '../log';
import type { ServiceId } from '../oauth/client';
import type { ClientSecrets } from '../sessions/sessions';
import { SessionsUnavailableError } from '../sessions/sessionsUnavailable';
import type { VaultAccess } from './vaultAccess';

/** The client secrets as all windows share them: on the disk, with a copy in SecretStorage. */
export class ClientSecretStore implements ClientSecrets {
  /** @param changed is awaited once the secret of a service was replaced */
  constructor(
    private readonly vault: VaultAccess,
    private readonly log: Log,
    private readonly changed: (service: ServiceId) => Promise<void>,
  ) {}

  /** @throws SessionsUnavailableError where the disk has none and the key or SecretStorage can't be had. */
  async get(service: ServiceId): Promise<string | undefined> {
    const sessions = await this.vault.open();
    return (await sessions?.clientSecrets.get(service)) ?? (await this.vault.clientSecret(service));
  }

  /** @throws SessionsUnavailableError where there is no key to encrypt it with, or the disk does not take it. */
  async set(service: ServiceId, secret: string): Promise<void> {
    const sessions = await this.vault.openForNew();
    try {
      await sessions.clientSecrets.set(service, secret);
    } catch (error) {
      this.log.warn(`The client secret could not be written (${codeOf(error)}).`);
      throw new SessionsUnavailableError('folder');
    }
    this.vault.saveClientSecret(service, secret);
    await this.changed(service);
  }
}
