import assert from 'node:assert/strict';
import { Response } from 'node-fetch';
import {
  assertNothingShown,
  DEVICE_CODE,
  during,
  HONEST,
  ISSUER,
  openHostile,
  NEVER,
  redirect,
  type Reply,
  signIn,
  told,
} from './hostileService';

const EVIL = 'https://evil.example/token';
const OTHER_SERVICE = /belongs to a different service/;
const NO_METADATA = /Couldn’t find the “deviceAuthorization” endpoint/;
const FROM_NETWORK = /^The response probably came from your network rather than My Service/;
const LACKS_TOKEN = /Couldn’t find the “token” endpoint/;
const UNSAFE_TOKEN = /“token” endpoint of .* isn’t safe/;

const withToken = (token: unknown): object => ({ ...HONEST, token_endpoint: token });
const withoutToken = withToken(undefined);

/** What hostile metadata is, and what the person is told. */
type Hostile = readonly [what: string, metadata: Reply, expected: RegExp];

const HOSTILE: readonly Hostile[] = [
  ...['https://service.example/Tenant', 'https://s\u0435rvice.example/tenant', null].map((issuer): Hostile => [
    `the issuer ${JSON.stringify(issuer)}`,
    { ...HONEST, issuer },
    OTHER_SERVICE,
  ]),
  ...[
    'http://evil.example/token',
    'https://127.1/token',
    'https://service.example@evil.example/token',
    'https://service.example/token#/',
    [EVIL],
  ].map((token): Hostile => [`the token endpoint ${JSON.stringify(token)}`, withToken(token), UNSAFE_TOKEN]),
  ...(
    [
      ['https:\\\\evil.example\\token', 'evil.example'],
      ['https://service.example:8443/token', 'service.example:8443'],
      ['https://s\u0435rvice.example/token', 'xn--srvice-3of.example'],
    ] as const
  ).map(([token, host]): Hostile => [
    `a token endpoint on the host of ${JSON.stringify(token)}`,
    withToken(token),
    new RegExp(`involves these hosts: service\\.example, ${host.replaceAll('.', '\\.')}\\. Anyone`),
  ]),
  ...['device_authorization_endpoint', 'revocation_endpoint', 'userinfo_endpoint'].map((name): Hostile => [
    `${name} on another host`,
    { ...HONEST, [name]: EVIL },
    /involves these hosts: .*evil\.example/,
  ]),
  [
    'the device endpoint of an honest service beside its own token endpoint',
    { ...HONEST, device_authorization_endpoint: 'https://honest.example/device' },
    /involves these hosts: service\.example, honest\.example\./,
  ],
  [
    'a second token endpoint',
    JSON.stringify(HONEST).replace('}', `,"token_endpoint":${JSON.stringify(EVIL)}}`),
    /involves these hosts: .*evil\.example/,
  ],
  [
    'names of a prototype',
    JSON.stringify(withoutToken).replace('}', `,"__proto__":{"token_endpoint":"${EVIL}"}}`),
    LACKS_TOKEN,
  ],
  ['names in another case', { ...withoutToken, TOKEN_ENDPOINT: EVIL, tokenEndpoint: EVIL }, LACKS_TOKEN],
  ['a list', [HONEST], NO_METADATA],
  ['a form', new URLSearchParams(HONEST as Record<string, string>).toString(), FROM_NETWORK],
  ['a page', '<html>', FROM_NETWORK],
  ['a damaged document', JSON.stringify(withToken(EVIL)).slice(0, -1), FROM_NETWORK],
  [
    'a document of more than 64 KiB',
    { ...HONEST, a: 'a'.repeat(65536) },
    /^The response \(HTTP \d+\) didn’t look like one from My Service/,
  ],
  ['a redirect', redirect(), FROM_NETWORK],
  ['a document that never comes', NEVER, /didn’t respond in time/],
];

/** Guards that a hostile service can't direct a secret to anyone else by what it says about itself. */
describe('the metadata of a hostile service', () => {
  for (const [what, metadata, expected] of HOSTILE) {
    it(`gets no secret by ${what}`, async () => {
      const { service, window } = await openHostile();
      service.metadata = metadata;
      window.editor.confirms = false;
      await signIn(window, 20);
      assert.deepEqual(service.sent, []);
      assert.deepEqual([...service.hosts], ['service.example']);
      assert.match(told(window), expected);
      assertNothingShown(service, window);
    });
  }
});

describe('a service whose endpoints change', () => {
  it('gets no client secret for another token endpoint, even if the person trusts its host', async () => {
    const { service, window } = await openHostile();
    await signIn(window);
    assert.match(window.editor.shown().join('\n'), /Signed in to .* as Ada/);
    service.metadata = withToken(EVIL);
    service.sent = [];
    window.editor.confirms = false;
    await signIn(window);
    assert.match(told(window), /involves these hosts: service\.example, evil\.example\./);
    assert.equal(service.sent.length, 0);
    window.editor.confirms = true;
    await signIn(window);
    assert.match(JSON.stringify(service.sent), /evil\.example.*device code/);
    assert.doesNotMatch(JSON.stringify(service.sent), /client secret/);
    assertNothingShown(service, window);
  });

  for (const [what, metadata] of [
    ['another origin', withToken(EVIL)],
    ['the same origin', withToken(`${ISSUER}/other`)],
  ] as const) {
    for (const status of [404, 405]) {
      it(`gets no stored token if the token endpoint is gone (HTTP ${status}) and the metadata has one of ${what}`, async () => {
        const { service, window } = await openHostile();
        await signIn(window);
        Object.assign(service, { metadata, sent: [] });
        service.replies['token'] = new Response('', { status });
        await during(window, window.chooseInStatus('Refresh Now'), 60);
        assert.deepEqual([...service.hosts], ['service.example']);
        assert.ok(service.sent.length > 0);
        for (const { path } of service.sent) assert.equal(path, '/tenant/token');
        assertNothingShown(service, window);
      });
    }
  }
});

describe('the endpoints of a hostile service', () => {
  for (const name of ['device', 'token', 'me', 'revoke']) {
    it(`can’t redirect requests to ${name}`, async () => {
      const { service, window } = await openHostile();
      await signIn(window);
      service.replies[name] = redirect();
      await signIn(window);
      await during(window, window.chooseInStatus('Refresh Now'));
      await during(window, window.command('signOut'));
      assert.deepEqual([...service.hosts], ['service.example']);
      assertNothingShown(service, window);
    });
  }

  it('can’t keep a person from signing out', async () => {
    const { service, window } = await openHostile();
    await signIn(window);
    service.replies['revoke'] = NEVER;
    await during(window, window.command('signOut'), 0);
    assert.deepEqual(await window.list(), []);
  });
});

describe('the page of a hostile service', () => {
  for (const [complete, opened] of [
    [`${ISSUER}/activate?user_code=ABCD-1234`, `${ISSUER}/activate?user_code=ABCD-1234`],
    ['https://evil.example/activate?user_code=ABCD-1234'],
    ['https://service.example:8443/activate'],
    ['https://ada@service.example/activate'],
    ['https://service.example@evil.example/'],
    ['https:\\\\evil.example'],
    ['http://service.example/activate'],
    ['javascript:alert(1)'],
    ['vscode://evil.extension/?a'],
    [[`${ISSUER}/activate`]],
  ] as [unknown, string?][]) {
    it(`isn’t ${JSON.stringify(complete).slice(0, 60)} unless it has the origin of the page that’s shown`, async () => {
      const { service, window } = await openHostile();
      service.replies['device'] = {
        device_code: DEVICE_CODE,
        user_code: 'ABCD-1234',
        expires_in: 600,
        verification_uri: `${ISSUER}/activate`,
        verification_uri_complete: complete,
      };
      await signIn(window, 1);
      await window.command('openVerificationPage');
      assert.deepEqual(window.editor.opened, [opened ?? `${ISSUER}/activate`]);
    });
  }
});
