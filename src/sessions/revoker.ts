import { bestEffort, type Log } from '../log';
import type { OAuthClient } from '../oauth/client';
import type { ClientSecrets } from '../storage/clientSecrets';
import type { SessionRecord } from '../storage/record';

/** Ends tokens that nobody needs anymore at the service, if it can. */
export class Revoker {
  constructor(
    private readonly client: Partial<Pick<OAuthClient, 'revoke'>>,
    private readonly clientSecrets: ClientSecrets,
    private readonly log: Log,
  ) {}

  /** Best effort: nobody waits for it. */
  revoke({ service, ...tokens }: Pick<SessionRecord, 'service' | 'accessToken' | 'refreshToken'>): void {
    void bestEffort(this.log, 'warn', "Tokens couldn't be revoked", async () => {
      const clientSecret = (await this.clientSecrets.get(service)) ?? '';
      await this.client.revoke?.({ ...service, clientSecret }, tokens);
    });
  }
}
