import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Response } from 'node-fetch';
import type { Fetch, FetchResponse } from '../../../src/oauth/fetch';
import { ExtensionInMemory } from '../../support/extensionInMemory';
import { Secrets } from '../secrets/forms';
import { idToken, metadataAt } from '../../unit/oauth/standardHarness';

/** The issuer that the person set. */
export const ISSUER = 'https://service.example/tenant';
const CLIENT_SECRET = made('client secret');
export const DEVICE_CODE = made('device code');

/** What the honest service says about itself. */
export const HONEST = metadataAt(ISSUER);

/** A response: JSON, or a body as it is. */
export type Reply = object | string;

/** A response that never comes. */
export const NEVER: Reply = {};

/** A standard service whose metadata and responses a test makes hostile, and what was sent where. */
export class HostileService {
  /** The metadata, at both of its addresses. */
  metadata: Reply = HONEST;
  /** Responses by the last part of the path, instead of the honest ones. */
  readonly replies: Record<string, Reply> = {};
  readonly secrets = new Secrets();
  /** Where something secret was sent, and what. */
  sent: { readonly host: string; readonly path: string; readonly secret: string }[] = [];
  readonly hosts = new Set<string>();
  #tokens = 0;

  constructor() {
    this.secrets.add('client secret', CLIENT_SECRET);
    this.secrets.add('device code', DEVICE_CODE);
  }

  readonly fetch: Fetch = (address, { body, headers, redirect, signal }) => {
    assert.equal(redirect, 'manual');
    const { host, pathname: path } = new URL(address);
    const secret = this.secrets.findIn([address, body, ...Object.values(headers)].join('\n'));
    if (secret !== undefined) this.sent.push({ host, path, secret });
    this.hosts.add(host);
    const name = path.split('/').at(-1) ?? '';
    const reply = path.includes('/.well-known/') ? this.metadata : (this.replies[name] ?? this.#honest(name));
    if (reply === NEVER) {
      return new Promise((_resolve, reject) => {
        signal.onabort = (): void => {
          reject(new Error('aborted'));
        };
      });
    }
    return Promise.resolve(
      reply instanceof Response ? reply : new Response(typeof reply === 'string' ? reply : JSON.stringify(reply)),
    );
  };

  #honest(name: string): Readonly<Record<string, unknown>> {
    if (name === 'device') {
      const page = { verification_uri: `${ISSUER}/activate`, expires_in: 600, interval: 5 };
      return { device_code: DEVICE_CODE, user_code: 'ABCD-1234', ...page };
    }
    if (name === 'me') return { sub: 'ada', preferred_username: 'Ada' };
    if (name !== 'token') return {};
    this.#tokens += 1;
    const [access_token, refresh_token] = ['Access', 'Refresh'].map((kind) =>
      this.secrets.add(`${kind} token`, made(`${kind} ${this.#tokens}`)),
    );
    const id_token = idToken({ iss: ISSUER, aud: 'editor', exp: 2e9, sub: 'ada' });
    return { access_token, refresh_token, id_token, token_type: 'Bearer', expires_in: 3600 };
  }
}

/** Opens a window that is configured for the service and has its client secret, which the service was honest for. */
export async function openHostile(): Promise<{
  readonly service: HostileService;
  readonly window: ExtensionInMemory;
}> {
  const service = new HostileService();
  const fields = { baseUrl: ISSUER, protocol: 'rfc8628', account: {}, notify: undefined };
  const window = new ExtensionInMemory(service.fetch, { fields });
  await during(window, window.command('setClientSecret', CLIENT_SECRET));
  assert.deepEqual(service.sent, []);
  return { service, window };
}

/** What the person is asked in dialogs, and told in messages. */
export function told({ editor }: ExtensionInMemory): string {
  return [...editor.confirmations.flat(), ...editor.messages.map(({ text }) => text)].join('\n');
}

/** Lets time pass while something happens. */
export async function during(window: ExtensionInMemory, happens: unknown, seconds = 10): Promise<void> {
  const ended = Promise.resolve(happens).catch(() => undefined);
  await window.clock.advance(seconds * 1000);
  await Promise.race([ended, Promise.resolve()]);
}

/** Someone signs in, and presses nothing. */
export async function signIn(window: ExtensionInMemory, seconds?: number): Promise<void> {
  await during(window, window.command('signIn'), seconds);
}

/** Nothing that a person sees or that is logged has a secret. */
export function assertNothingShown(service: HostileService, window: ExtensionInMemory): void {
  assert.equal(service.secrets.findIn(window.seen() + window.log.text()), undefined);
}

/** A redirect to an address of the attacker, which would repeat the request. */
export function redirect(): FetchResponse {
  return new Response('', { status: 307, headers: { Location: 'https://evil.example/token' } });
}

/** Makes a secret, no half of which is in another one. */
function made(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 28);
}
