import assert from 'node:assert/strict';
import type {
  AuthorizationRequest,
  Endpoints,
  EndpointSettings,
  Metadata,
  PollResult,
} from '../../../../src/oauth/client';
import { MetadataError } from '../../../../src/oauth/errors';
import { settle } from '../../../support/fakeClock';
import { deviceCode, tokens } from '../../signin/scriptedClient';
import { sessionOf } from '../fakeSessions';
import type { SettingValues } from '../settings';
import { bench, type Bench } from './signInBench';

const BASE = 'https://service.example';
const SERVICE = { baseUrl: BASE, clientId: 'the client', protocol: 'rfc8628' } as const;
const ENDPOINTS: Endpoints = {
  ...{ issuer: BASE, deviceAuthorization: `${BASE}/device`, token: `${BASE}/token` },
  authentication: 'basic',
};

/** What a test does differently. */
interface Options {
  readonly values?: SettingValues;
  readonly endpoints?: Endpoints;
  readonly discover?: (settings: EndpointSettings) => Metadata;
  readonly result?: Partial<typeof tokens>;
}

/** A sign-in to a standard service whose client needs no secret, and the requests that were sent. */
function standardBench({ values, endpoints = ENDPOINTS, discover, result = {} }: Options = {}): Bench & {
  readonly sent: AuthorizationRequest[];
} {
  const b = bench({ withSecret: false, values: { ...SERVICE, serviceName: 'My Service', ...values } });
  const sent: AuthorizationRequest[] = [];
  const metadata = { endpoints, scopesSupported: ['openid', 'email', 'offline_access'] };
  Object.assign(b.client, {
    discover: (_: unknown, settings: EndpointSettings) =>
      new Promise<Metadata>((resolve) => {
        resolve(discover?.(settings) ?? metadata);
      }),
    requestDeviceAuthorization: (request: AuthorizationRequest) => {
      sent.push(request);
      return Promise.resolve(deviceCode());
    },
    poll: (): Promise<PollResult> => Promise.resolve({ kind: 'tokens', tokens: { ...tokens, ...result } }),
    fetchUserName: () => Promise.resolve('Ada'),
  });
  return Object.assign(b, { sent });
}

async function signIn(b: Bench, request: Parameters<Bench['signIn']['start']>[0] = {}): Promise<void> {
  void b.signIn.start(request);
  await settle();
  await b.clock.advance(5_000);
  await settle();
}

describe('a sign-in to a standard service', () => {
  it('needs no secret, asks for the supported ones of the default scopes, and stores the endpoints', async () => {
    const b = standardBench({ values: { parameters: { audience: 'the API' } } });
    await signIn(b, { scopes: 'repo' });
    const [request] = b.sent;
    assert.deepEqual([request?.clientSecret, request?.scopes], ['', ['repo', 'openid', 'offline_access']]);
    assert.deepEqual(request?.parameters, { audience: 'the API' });
    assert.deepEqual(b.sessions.added[0]?.service, { ...SERVICE, endpoints: ENDPOINTS });
    assert.equal(b.client.notifications.length, 0, 'the standard has no notification');
  });

  it('asks for exactly the scopes that are set, none included', async () => {
    for (const scopes of [[], ['a']]) {
      const b = standardBench({ values: { scopes } });
      await signIn(b);
      assert.deepEqual(b.sent[0]?.scopes, scopes);
    }
  });

  it('asks for all that the session has which it replaces', async () => {
    const b = standardBench({ values: { scopes: [] } });
    b.sessions.held.push(sessionOf('Ada', 'old', { scopes: ['a'] }));
    await signIn(b, { scopes: 'b', replaces: 'old' });
    assert.deepEqual([b.sent[0]?.scopes, b.sent[0]?.neededScopes], [['b', 'a'], ['b']]);
    assert.equal(b.sessions.assigned[0]?.replaces, 'old');
  });

  it('hands the settings of endpoints over, and stores the way of authentication that worked', async () => {
    let given: EndpointSettings | undefined;
    const endpoints = { ...ENDPOINTS, authentication: 'post' } as const;
    const b = standardBench({
      values: { endpoints: { token: '/t' } },
      result: { endpoints },
      discover: (settings) => {
        given = settings;
        return { endpoints: ENDPOINTS, scopesSupported: [] };
      },
    });
    await signIn(b);
    assert.deepEqual([given, b.sessions.added[0]?.service.endpoints], [{ token: '/t' }, endpoints]);
  });

  it('names the account as the ID token does, or else the user info', async () => {
    for (const [name, label] of [
      ['Grace', 'Grace'],
      [undefined, 'Ada'],
    ] as const) {
      const b = standardBench({ result: { user: { id: '["i","s"]', name } } });
      await signIn(b);
      assert.deepEqual(b.sessions.assigned[0], {
        ...{ label, user: { id: '["i","s"]', name: label }, identified: true, replaces: undefined },
      });
    }
  });

  it('says which setting is missing, and requests nothing', async () => {
    for (const [error, text] of [
      [new MetadataError('missing endpoint', 'deviceAuthorization', true), /lacks an endpoint.*“deviceAuthorization”/],
      [new MetadataError('missing endpoint', 'deviceAuthorization', false), /has no metadata.*“deviceAuthorization”/],
      [new MetadataError('other issuer', undefined, true), /belongs to a different service/],
      [new MetadataError('unsafe endpoint', 'token', true), /“token”.*isn’t a safe address/],
    ] as const) {
      const b = standardBench({
        discover: () => {
          throw error;
        },
      });
      await signIn(b);
      assert.match(b.editor.last.text, text);
      assert.deepEqual(b.sent, []);
    }
  });

  it('shows other hosts before the first sign-in, and goes on only if the person does', async () => {
    const endpoints = { ...ENDPOINTS, token: 'https://evil.example/token' };
    const b = standardBench({ endpoints });
    await signIn(b);
    assert.match(b.editor.last.text, /uses other hosts for signing in: evil\.example\./);
    assert.deepEqual(b.sent, []);
    const known = standardBench({ endpoints });
    known.sessions.held.push(sessionOf('Ada', 'old', { service: { ...SERVICE, endpoints } }));
    await signIn(known);
    assert.equal(known.sent.length, 1, 'they were shown before');
  });
});
