import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a provider is started with. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientSecret: string;
}

/** Its clients, and how they authenticate. Of the two ways with a secret it accepts either. */
const CLIENTS = { public: 'none', confidential: 'client_secret_basic' };

/** What it can be asked for besides what OpenID Connect defines. */
const OWN_SCOPES = ['sample', 'integration'];

/** A certified OpenID provider in a process of its own, as it comes: nothing is changed in how it responds. */
async function main({ issuer, clientSecret }: ProviderSettings): Promise<void> {
  const { default: Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, {
    clients: Object.entries(CLIENTS).map(([id, method]) => ({
      client_id: id,
      client_name: 'Sample Client',
      token_endpoint_auth_method: method,
      ...(method === 'none' ? {} : { client_secret: clientSecret }),
      application_type: 'native',
      redirect_uris: [],
      response_types: [],
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    })),
    features: {
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      devInteractions: { enabled: true },
    },
    rotateRefreshToken: true,
    scopes: ['openid', 'offline_access', ...OWN_SCOPES],
    claims: { openid: ['sub'], profile: ['name'] },
    // Whoever signs in exists.
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, name: `${id} Example` }) }),
    cookies: { keys: [randomBytes(16).toString('hex')] },
    ttl: { AccessToken: 3600 },
  });
  const server = createServer(provider.callback()).listen(0, '127.0.0.1', () => {
    process.send?.((server.address() as AddressInfo).port);
  });
  // Whoever started it has gone.
  process.on('disconnect', () => process.exit());
}

void main(JSON.parse(process.argv[2] ?? '') as ProviderSettings);
