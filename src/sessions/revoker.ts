import { bestEffort, type Log } from '../log';
import type { OAuthClient, Tokens } from '../oauth/types';
import { dialectOf } from '../oauth/dialect';
import type { Service } from '../oauth/service';
import type { ClientSecrets } from '../storage/clientSecrets';

/** Tokens, and the service that gave them. */
interface RevocableTokens extends Tokens {
  readonly service: Service;
}

/** Ends tokens that nobody needs anymore at the service, if it can. */
export class Revoker {
  constructor(
    private readonly client: Pick<OAuthClient, 'revoke'>,
    private readonly clientSecrets: Pick<ClientSecrets, 'get'>,
    private readonly log: Log,
  ) {}

  /** Best effort: never rejects. @returns whether the service has ended them */
  async revoke({ service, ...tokens }: RevocableTokens): Promise<boolean> {
    const isRevoked = await bestEffort(this.log, 'warn', "Tokens couldn't be revoked", async () => {
      const clientSecret = (await this.clientSecrets.get(service, dialectOf(service).clientsNeedSecrets)) ?? '';
      await this.client.revoke({ ...service, clientSecret }, tokens);
      return service.endpoints?.revocation !== undefined;
    });
    return isRevoked ?? false;
  }
}
