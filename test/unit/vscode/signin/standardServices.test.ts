import assert from 'node:assert/strict';
import type {
  AuthorizationRequest,
  DeviceAuthorization,
  EndpointSettings,
  Metadata,
  PollResult,
} from '../../../../src/oauth/types';
import type { Endpoints } from '../../../../src/oauth/service';
import { MetadataError, ServiceError } from '../../../../src/oauth/errors';
import { settle } from '../../../support/fakeClock';
import { deviceCode, tokens } from '../../signin/scriptedClient';
import { enter } from '../fakeEditor';
import type { CurrentSession, SessionInfo } from '../../../../src/sessions/currentSession';
import { sessionOf as sessionOfAny } from '../fakeSessions';
import type { Element } from '../fakeEditor';
import { bench, type Bench, type BenchOptions, LINKS } from './signInBench';

/** How long VS Code waits for a sign-in. */
const FIVE_MINUTES = 5 * 60_000;
const BASE = 'https://service.example';
const SERVICE = { baseUrl: BASE, clientId: 'the client', protocol: 'rfc8628' } as const;
const ENDPOINTS: Endpoints = {
  issuer: BASE,
  deviceAuthorization: `${BASE}/device`,
  token: `${BASE}/token`,
  authentication: 'basic',
};

/** What a test does differently. */
interface Options {
  readonly fields?: Element;
  readonly endpoints?: Endpoints;
  /** Whether the metadata lists PKCE. */
  readonly supportsPkce?: boolean;
  readonly authorization?: Partial<DeviceAuthorization>;
  readonly result?: Partial<typeof tokens>;
  readonly brand?: BenchOptions['brand'];
}

function sessionOf(label: string, id: string, fields: Partial<SessionInfo> = {}): CurrentSession {
  return sessionOfAny(label, id, { service: SERVICE, ...fields });
}

/** A sign-in to a standard service whose client needs no secret, the settings it was given, and the requests sent. */
function standardBench({
  fields,
  endpoints = ENDPOINTS,
  supportsPkce = false,
  authorization,
  result = {},
  brand = {},
}: Options = {}): Bench & {
  readonly given: EndpointSettings[];
  readonly sent: AuthorizationRequest[];
} {
  const b = bench({ brand, withSecret: false, services: [{ ...SERVICE, serviceName: 'My Service', ...fields }] });
  const given: EndpointSettings[] = [];
  const sent: AuthorizationRequest[] = [];
  Object.assign(b.client, {
    discover: (_: unknown, settings: EndpointSettings): Promise<Metadata> => {
      given.push(settings);
      return Promise.resolve({ endpoints, scopesSupported: ['openid', 'email', 'offline_access'], supportsPkce });
    },
    requestDeviceAuthorization: (request: AuthorizationRequest) => {
      sent.push(request);
      return Promise.resolve({ ...deviceCode(), ...authorization });
    },
    poll: (): Promise<PollResult> => Promise.resolve({ kind: 'tokens', tokens: { ...tokens, ...result } }),
    fetchUserName: () => Promise.resolve('Ada'),
  });
  return Object.assign(b, { given, sent });
}

async function signIn(b: Bench, request: Parameters<Bench['signIn']['start']>[0] = {}): Promise<void> {
  await b.begin(request);
  await b.clock.advance(5_000);
  await settle();
}

/** Guards what's different in a sign-in to a standard service: scopes, endpoints, and names. */
describe('a sign-in to a standard service', () => {
  it('needs no secret, asks for the supported ones of the default scopes, and stores the endpoints', async () => {
    const b = standardBench({ fields: { parameters: { audience: 'the API' } } });
    await signIn(b, { scopes: ['repo'] });
    const [request] = b.sent;
    assert.deepEqual([request?.clientSecret, request?.scopes], ['', ['repo', 'openid', 'offline_access']]);
    assert.deepEqual(request?.parameters, { audience: 'the API' });
    assert.deepEqual(b.sessions.added[0]?.service, { ...SERVICE, endpoints: ENDPOINTS });
    assert.equal(b.client.notifications.length, 0, 'the standard has no notification');
  });

  it('stores the resource among the parameters with the endpoints, because each request for tokens names it', async () => {
    const b = standardBench({ fields: { parameters: { resource: 'urn:api' } } });
    await signIn(b);
    assert.deepEqual(b.sent[0]?.endpoints, { ...ENDPOINTS, resource: 'urn:api' });
    assert.deepEqual(b.sessions.added[0]?.service, { ...SERVICE, endpoints: { ...ENDPOINTS, resource: 'urn:api' } });
  });

  it('uses PKCE if the metadata lists it', async () => {
    for (const supportsPkce of [true, false]) {
      const b = standardBench({ supportsPkce });
      await signIn(b);
      assert.equal(b.sent[0]?.pkce, supportsPkce);
    }
  });

  it('uses PKCE if the settings say so, even if no metadata lists it', async () => {
    const endpoints = { deviceAuthorization: '/d', token: '/t' };
    for (const fields of [{ pkce: true }, { pkce: true, endpoints }]) {
      const b = standardBench({ fields });
      await signIn(b);
      assert.equal(b.sent[0]?.pkce, true);
    }
  });

  it('asks for exactly the scopes that are set, none included', async () => {
    for (const scopes of [[], ['a']]) {
      const b = standardBench({ fields: { scopes } });
      await signIn(b);
      assert.deepEqual(b.sent[0]?.scopes, scopes);
    }
  });

  for (const scopes of ['a "b', 'caf\u00e9', 'a\\b', 'a\nb', 'read\u00a0access', 'x'.repeat(257), 'a \u202egnp']) {
    it(`asks nobody for what can’t be a scope: ${JSON.stringify(scopes).slice(0, 30)}`, async () => {
      const b = standardBench({ fields: { scopes: [] } });
      b.sessions.held.push(sessionOf('Ada', 'old', { scopes: ['a'] }));
      await signIn(b, { scopes: [scopes] });
      assert.equal(b.sent.length, 0);
      assert.match(b.editor.last.text, /^An extension asked for invalid scopes/);
      assert.ok(b.editor.messages.every(({ text }) => !text.includes(scopes)));
    });
  }

  it('asks for all that the session has which it replaces', async () => {
    const b = standardBench({ fields: { scopes: [] } });
    b.sessions.held.push(sessionOf('Ada', 'old', { scopes: ['a'] }));
    await signIn(b, { scopes: ['b'], accountId: 'account of old' });
    assert.deepEqual([b.sent[0]?.scopes, b.sent[0]?.fewerScopes], [['b', 'a'], [['b']]]);
    assert.equal(b.sessions.assigned[0]?.accountId, 'account of old');
  });

  it('hands the settings of endpoints over, and stores the way of authentication that worked', async () => {
    const endpoints = { ...ENDPOINTS, authentication: 'post' } as const;
    const b = standardBench({ fields: { endpoints: { token: '/t' } }, result: { endpoints } });
    await signIn(b);
    assert.deepEqual([b.given, b.sessions.added[0]?.service.endpoints], [[{ token: '/t' }], endpoints]);
  });

  it('asks user info again for the name if the service doesn’t know its new token yet', async () => {
    for (const status of [401, 404]) {
      const b = standardBench({ result: { user: { id: '["i","s"]', name: undefined } } });
      const responses = [true, true, false];
      const fetchUserName = (): Promise<string> =>
        responses.shift() === true
          ? Promise.reject(new ServiceError('account', status, undefined))
          : Promise.resolve('Ada');
      Object.assign(b.client, { fetchUserName });
      await signIn(b);
      assert.equal(b.sessions.assigned.length, 0);
      await b.clock.advance(2_000);
      await settle();
      assert.equal(b.sessions.assigned[0]?.label, 'Ada');
    }
  });

  it('names the account as the ID token does, or else the user info', async () => {
    for (const [name, label] of [
      ['Grace', 'Grace'],
      [undefined, 'Ada'],
    ] as const) {
      const b = standardBench({ result: { user: { id: '["i","s"]', name } } });
      await signIn(b);
      const user = { id: '["i","s"]', name: label };
      const otherLabels = [label, `${label} · My Service`];
      assert.deepEqual(b.sessions.assigned[0], {
        label,
        otherLabels,
        user,
        mustShowUser: true,
        accountId: undefined,
      });
    }
  });

  it('asks in the way that’s set who signed in if the user info doesn’t say it', async () => {
    const fields = { account: { path: '/me', field: 'name' } };
    const b = standardBench({ fields, result: { user: { id: '["i","s"]', name: undefined } } });
    Object.assign(b.client, { fetchUserName: () => Promise.reject(new ServiceError('account', 403, undefined)) });
    b.user = () => Promise.resolve({ name: 'Grace', id: undefined });
    await signIn(b);
    assert.deepEqual(b.sessions.assigned[0]?.user, { name: 'Grace', id: '["i","s"]' });
  });

  it('says which setting is missing, and requests nothing', async () => {
    for (const [text, ...error] of [
      [
        /Couldn’t find the “token” endpoint.* in the someBrand\.services setting\.$/,
        'missing endpoint',
        true,
        { endpoint: 'token' },
      ],
      [
        /Couldn’t find the “deviceAuthorization” endpoint/,
        'missing endpoint',
        false,
        { endpoint: 'deviceAuthorization' },
      ],
      [/belongs to a different service/, 'other issuer', true],
      [/“token”.*isn’t safe/, 'unsafe endpoint', true, { endpoint: 'token' }],
    ] as [RegExp, ...ConstructorParameters<typeof MetadataError>][]) {
      const b = standardBench();
      Object.assign(b.client, { discover: () => Promise.reject(new MetadataError(...error)) });
      await signIn(b);
      assert.match(b.editor.last.text, text);
      assert.deepEqual(b.sent, []);
    }
  });

  it('shows other hosts before the first sign-in, and goes on only if the person does', async () => {
    const endpoints = { ...ENDPOINTS, token: 'https://evil.example/token' };
    const b = standardBench({ endpoints });
    await signIn(b);
    const [[question, risk, button] = []] = b.editor.confirmations;
    assert.deepEqual([question, button], ['Continue signing in to My Service?', 'Continue']);
    assert.match(risk ?? '', /involves these hosts: service\.example, evil\.example\./);
    assert.equal(b.sent.length, 1);
    const declined = standardBench({ endpoints });
    declined.editor.confirms = false;
    await signIn(declined);
    assert.deepEqual([declined.sent, declined.editor.remarks], [[], ['The sign-in was canceled.']]);
    const known = standardBench({ endpoints });
    known.sessions.held.push(sessionOf('Ada', 'old', { service: { ...SERVICE, endpoints }, isIdentified: true }));
    await signIn(known);
    assert.deepEqual([known.sent.length, known.editor.confirmations], [1, []], 'they were shown before');
    const others = standardBench({ endpoints });
    const other = { ...SERVICE, baseUrl: 'https://other.example', endpoints };
    others.sessions.held.push(sessionOf('Ada', 'old', { service: other }));
    await signIn(others);
    assert.equal(others.editor.confirmations.length, 1, 'they were shown for another service');
  });

  it('asks nothing about hosts of endpoints that are set', async () => {
    const token = 'https://other.example/token';
    const b = standardBench({ endpoints: { ...ENDPOINTS, token }, fields: { endpoints: { token } } });
    await signIn(b);
    assert.deepEqual([b.sent.length, b.editor.confirmations], [1, []]);
    const beside = standardBench({
      endpoints: { ...ENDPOINTS, token, revocation: 'https://evil.example/revoke' },
      fields: { endpoints: { token } },
    });
    await signIn(beside);
    assert.match(
      beside.editor.confirmations[0]?.[1] ?? '',
      /involves these hosts: service\.example, other\.example, evil\.example\./,
    );
  });

  describe('whose page is on another host', () => {
    const authorization = { verificationUri: 'https://other.example/device' };

    it('names both before the first sign-in, and shows the code only if the person continues', async () => {
      const b = standardBench({ authorization });
      let onContinue: (isConfirmed: boolean) => void = () => undefined;
      b.editor.confirms = new Promise((resolve) => (onContinue = resolve));
      await b.begin();
      const risk = b.editor.confirmations[0]?.[1] ?? '';
      assert.match(risk, /involves these hosts: service\.example, other\.example\. Anyone/);
      assert.ok(!b.editor.shown().some((text) => text.includes('ABCD-1234')));
      onContinue(true);
      await settle();
      assert.match(b.editor.last.text, /ABCD-1234/);
      const declined = standardBench({ authorization });
      declined.editor.confirms = false;
      await signIn(declined);
      assert.deepEqual(declined.editor.remarks, ['The sign-in was canceled.']);
    });

    it('offers another code if the first one expires before the person continues', async () => {
      const b = standardBench({ authorization });
      let onContinue: (isConfirmed: boolean) => void = () => undefined;
      b.editor.confirms = new Promise((resolve) => (onContinue = resolve));
      await b.begin();
      await b.clock.advance(8_600_000);
      onContinue(true);
      await settle();
      assert.match(b.editor.last.text, /^The code expired/);
      assert.ok(!b.editor.shown().some((text) => text.includes('ABCD-1234')));
      await b.editor.press('Get a new code');
      assert.deepEqual([b.sent.length, b.editor.confirmations.length], [2, 2]);
      assert.match(b.editor.last.text, /ABCD-1234/);
    });

    it('is asked about by an extension that embeds the library, where people may choose the service', async () => {
      const embedded = await standardBench({ authorization, brand: { configuredBy: 'extension' } }).begin();
      assert.equal(embedded.editor.confirmations.length, 1);
      const built = await standardBench({ authorization, brand: { configuredBy: 'build' } }).begin();
      assert.equal(built.editor.confirmations.length, 0);
    });

    for (const [why, options, session] of [
      ['the person set its origin', { fields: { verificationUrl: 'https://other.example' } }, undefined],
      ['an endpoint is there too', { endpoints: { ...ENDPOINTS, userInfo: 'https://other.example/me' } }, undefined],
      ['somebody is signed in to the service', {}, sessionOf('Ada', 'old', { service: SERVICE, isIdentified: true })],
    ] as const) {
      it(`asks nothing about it if ${why}`, async () => {
        const b = standardBench({ authorization, ...options });
        b.sessions.held.push(...(session === undefined ? [] : [session]));
        await b.begin();
        assert.equal(b.editor.confirmations.length, why === 'an endpoint is there too' ? 1 : 0);
        assert.match(b.editor.last.text, /ABCD-1234/);
      });
    }
  });

  it('has only our own links in the message and in the progress, whatever scopes and accounts are called', async () => {
    const b = standardBench({ fields: { scopes: [] } });
    b.sessions.held.push(sessionOf('[Ada', 'old', { scopes: ['a'], isIdentified: true }));
    await b.begin({ scopes: ['a [x](command:y) ](command:z)'] });
    const message = b.editor.last.text;
    assert.match(message, /get these scopes: \[x\] \(command:y\), \] \(command:z\)\.$/);
    assert.ok(!message.includes(']('));
    await b.editor.press(undefined);
    const text = b.progress ?? '';
    assert.match(text, /get these scopes: \[x\] \(command:y\), \] \(command:z\)\. \[Open Browser\]/);
    assert.deepEqual(text.match(/\]\([^)]*\)/g), LINKS.match(/\]\([^)]*\)/g));
  });

  it('gives further scopes to the only account, and says who else gets them until the end', async () => {
    const b = standardBench({ fields: { scopes: [] } });
    // My Service was a further one when the account was added.
    b.sessions.held.push(sessionOf('Ada · My Service', 'old', { scopes: ['a'], isIdentified: true }));
    await b.begin({ scopes: ['a b c'] });
    const consent = /If you confirm, all extensions that you allowed to use Ada also get these scopes: b, c\.$/;
    assert.match(b.editor.last.text, consent);
    await b.editor.press(undefined);
    const [, widening = ''] = b.editor.last.text.split('to sign in to My Service. ');
    assert.ok(b.editor.progresses[0]?.texts.at(-1)?.endsWith(` left. ${widening} ${LINKS}`));
    await b.clock.advance(5_000);
    await settle();
    assert.deepEqual([b.editor.lists, b.sessions.assigned[0]?.accountId], [[], 'account of old']);
    assert.equal(b.editor.progresses[0]?.open, false);
  });

  describe('with many further scopes', () => {
    const many = Array.from({ length: 40 }, (_, index) => `api:${String(index).padStart(2, '0')}`);

    async function widened(scopes: readonly string[]): Promise<{ b: Bench; consent: string }> {
      const b = standardBench({ fields: { scopes: [] } });
      b.sessions.held.push(sessionOf('Ada', 'old', { scopes: ['a'], isIdentified: true }));
      await b.begin({ scopes: ['a', ...scopes] });
      const [, consent = ''] = b.editor.last.text.split('get these scopes: ');
      return { b, consent };
    }

    it('says how many there are besides the first ones, and shows all of them until the sign-in ends', async () => {
      const { b, consent } = await widened(many);
      const shown = many.slice(0, 25).join(', ');
      assert.equal(consent, `${shown}, [and 15 more](command:someBrand.showScopes).`);
      b.editor.leavesListsOpen = true;
      let isOpen = true;
      void b.run('showScopes').then(() => (isOpen = false));
      await settle();
      const [list] = b.editor.lists;
      assert.deepEqual(list?.labels, many);
      assert.match(list.placeholder, /^If you confirm, all extensions that you allowed to use Ada also get/);
      assert.equal(isOpen, true);
      await b.clock.advance(5_000);
      await settle();
      assert.equal(isOpen, false);
    });

    it('has nothing to show if the account gets none', async () => {
      const { b } = await widened([]);
      await b.run('showScopes');
      assert.deepEqual(b.editor.lists, []);
    });

    for (const [what, scopes, visible, further] of [
      ['exactly as many as fit', ['b'.repeat(99), 'c'.repeat(99)], 2, 0],
      ['one character more', ['b'.repeat(99), 'c'.repeat(100)], 1, 1],
      ['one of the greatest length', ['b'.repeat(256)], 1, 0],
      ['first one of the greatest length', ['b'.repeat(256), 'delete:everything'], 1, 1],
      ['words for how many there are', ['read,', '[and', '0', 'more](command:x)', ...many], 4 + 20, 20],
      ['links and icons', ['](https://evil.example)', '$(check)', '[', ']', ...many], 4 + 19, 21],
      ['the same scope many times', Array.from({ length: 500 }, () => 'b'), 1, 0],
      ['thousands of scopes', Array.from({ length: 5_000 }, (_, index) => `s${1_000 + index}`), 28, 4_972],
    ] as const) {
      it(`shows each of them whole or counts it: ${what}`, async () => {
        const { b, consent } = await widened(scopes);
        const harmless = (text: string): string => text.replace(/\]\(/g, '] (').replace(/\$\(/g, '$ (');
        const all = [...new Set<string>(scopes)].map(harmless);
        const more = further === 0 ? '' : `, [and ${further} more](command:someBrand.showScopes)`;
        assert.equal(consent, `${all.slice(0, visible).join(', ')}${more}.`);
        await b.run('showScopes');
        assert.deepEqual(b.editor.lists[0]?.labels, all);
        await b.editor.press(undefined);
        const targets = b.progress?.match(/\]\([^)]*\)/g) ?? [];
        assert.ok(targets.every((target) => /^\]\(command:someBrand\.\w+\)$/.test(target)));
        assert.equal(targets.length, LINKS.split(' · ').length + (further === 0 ? 0 : 1));
      });
    }
  });

  describe('with several accounts', () => {
    function withAccounts(): ReturnType<typeof standardBench> {
      const b = standardBench({ fields: { scopes: [] } });
      b.sessions.held.push(sessionOf('Ada', 'old', { scopes: ['a'] }), sessionOf('Eve', 'eve', { scopes: ['b'] }));
      return b;
    }

    it('asks which of them gets further scopes', async () => {
      const b = withAccounts();
      b.editor.choices = ['Ada'];
      await signIn(b, { scopes: ['b'] });
      assert.deepEqual(b.editor.lists[0]?.labels, ['Ada', 'Sign In to Another Account']);
      assert.equal(b.sessions.assigned[0]?.accountId, 'account of old');
    });

    it('can sign in to another one', async () => {
      const b = withAccounts();
      b.editor.choices = ['Sign In to Another Account'];
      b.editor.answers = [enter('Grace')];
      await signIn(b, { scopes: ['b'] });
      assert.deepEqual([b.sent[0]?.scopes, b.sessions.assigned[0]?.accountId], [['b'], undefined]);
    });

    it('requests nothing if the person closes the list', async () => {
      const b = withAccounts();
      await signIn(b, { scopes: ['b'] });
      assert.deepEqual(b.sent, []);
    });

    it('asks about those that need their person, whatever the scopes', async () => {
      const b = withAccounts();
      b.sessions.held.push(sessionOf('Kim', 'kim', { scopes: ['a', 'b'], needsUser: true }));
      b.editor.choices = ['Kim'];
      await signIn(b);
      assert.deepEqual(b.editor.lists[0]?.labels, ['Kim', 'Sign In to Another Account']);
      assert.equal(b.sessions.assigned[0]?.accountId, 'account of kim');
    });
  });

  it('renews the session that needs its person if the account has another one', async () => {
    const b = standardBench({ fields: { scopes: [] } });
    b.sessions.held.push(sessionOf('Ada', 'one', { scopes: ['a'] }));
    const account = { id: 'account of one', label: 'Ada' };
    b.sessions.held.push(sessionOf('Ada', 'two', { scopes: ['b'], needsUser: true, account }));
    await signIn(b, { accountId: 'account of one' });
    assert.deepEqual(b.sent.at(-1)?.scopes, ['b']);
  });

  it('ends while its list is open if somebody cancels it', async () => {
    const b = standardBench();
    b.sessions.held.push(sessionOf('Ada', 'one', { needsUser: true }), sessionOf('Kim', 'two', { needsUser: true }));
    b.editor.leavesListsOpen = true;
    await b.begin();
    assert.equal(b.editor.lists.length, 1);
    await b.run('cancelSignIn');
    await settle();
    assert.deepEqual([b.editor.remarks, b.signIn.isRunning], [['The sign-in was canceled.'], false]);
  });

  it('replaces the only account if its session can’t be used anymore, instead of adding another one', async () => {
    for (const scopes of [undefined, ['a']]) {
      const b = standardBench();
      b.sessions.held.push(sessionOf('Ada', 'old', { scopes: ['a'], needsUser: true, isIdentified: true }));
      await signIn(b, scopes === undefined ? {} : { scopes });
      assert.deepEqual([b.editor.lists, b.sessions.assigned[0]?.accountId], [[], 'account of old']);
    }
  });

  describe('that never said who is signed in to the only account', () => {
    const unusable = sessionOf('Ada', 'old', { scopes: ['a'], needsUser: true });
    const narrower = sessionOf('Ada', 'old', { scopes: ['a'] });

    for (const [what, session] of Object.entries({ 'can’t be used anymore': unusable, 'lacks scopes': narrower })) {
      it(`asks whether it’s for that account if it ${what}, because it could be somebody else`, async () => {
        for (const [choice, accountId] of [
          ['Ada', 'account of old'],
          ['Sign In to Another Account', undefined],
        ] as const) {
          const b = standardBench({ fields: { scopes: [] } });
          b.sessions.held.push(session);
          b.editor.choices = [choice];
          b.editor.answers = [enter('Grace')];
          await signIn(b, { scopes: ['b'] });
          assert.deepEqual(b.editor.lists[0]?.labels, ['Ada', 'Sign In to Another Account']);
          assert.deepEqual([b.editor.lists.length, b.sessions.assigned[0]?.accountId], [1, accountId]);
        }
      });
    }

    it('asks nothing if the caller named the account', async () => {
      const b = standardBench();
      b.sessions.held.push(unusable);
      await signIn(b, { accountId: 'account of old', scopes: ['a'] });
      assert.deepEqual([b.editor.lists, b.sessions.assigned[0]?.accountId], [[], 'account of old']);
    });

    it('asks nothing if the settings say how to ask who signs in: somebody else would be noticed', async () => {
      const b = standardBench({ fields: { account: { path: '/who', field: 'name' } } });
      b.user = () => Promise.resolve({ id: undefined, name: 'Ada' });
      b.sessions.held.push(unusable);
      await signIn(b);
      assert.deepEqual([b.editor.lists, b.sessions.assigned[0]?.accountId], [[], 'account of old']);
    });
  });

  it('is one for a new account, without a question, if the person wants another one or the caller names it', async () => {
    for (const request of [{ isForAnother: true }, { accountLabel: 'Bob' }]) {
      const b = standardBench({ result: { user: { id: '["i","2"]', name: 'Grace' } } });
      b.sessions.held.push(sessionOf('Ada', 'old', { needsUser: true, isIdentified: true }));
      await signIn(b, request);
      assert.deepEqual([b.editor.lists, b.sessions.assigned[0]?.accountId], [[], undefined]);
    }
  });

  it('is said to have added no account if the browser was still signed in to one that’s there', async () => {
    const user = { id: '["i","2"]', name: 'Ada' };
    for (const [request, text] of [
      [{ isForAnother: true }, /^You signed in to Ada \(My Service\) again, so no account was added\. /],
      [{}, /^Signed in to My Service as Ada\.$/],
    ] as const) {
      const b = standardBench({ result: { user } });
      b.sessions.held.push(sessionOf('Ada', 'old', { isIdentified: true }));
      b.sessions.namesKnown = true;
      await signIn(b, request);
      assert.match(b.editor.remarks.at(-1) ?? b.editor.last.text, text);
    }
  });

  it('asks for the name of a further account before the code if the service didn’t say who has the first one', async () => {
    const b = standardBench();
    b.sessions.held.push(sessionOf('My Service', 'first'));
    b.editor.answers = [
      (question) => {
        assert.equal(b.client.codeRequests.length, 0);
        return enter('Grace')(question);
      },
    ];
    await signIn(b);
    assert.equal(b.sessions.assigned[0]?.label, 'Grace');
  });

  it('asks for no name if the tokens may say who signs in, and gives the account one that isn’t taken if they don’t', async () => {
    for (const held of [[], [sessionOf('My account', 'first', { isIdentified: true })]]) {
      const b = standardBench();
      b.sessions.held.push(...held);
      await signIn(b, { isForAnother: true });
      const label = held.length === 0 ? 'My account' : 'My account (2)';
      assert.deepEqual([b.sessions.held.at(-1)?.account.label, b.editor.questions], [label, []]);
    }
  });

  it('opens the page with the code in its address, and still shows the code', async () => {
    const complete = `${BASE}/device?user_code=ABCD-1234`;
    const b = standardBench({ authorization: { verificationUriComplete: complete } });
    await b.begin();
    assert.match(
      b.editor.last.text,
      /^Your code is ABCD-1234\. Confirm it at https:\/\/service\.example\/device to sign in to My Service\.$/,
    );
    await b.editor.press('Open browser');
    assert.equal(
      b.editor.progresses[0]?.texts.at(-1),
      `ABCD-1234: Confirm this code in the browser to sign in to My Service. 2 h 24 min left. ${LINKS}`,
    );
    assert.deepEqual(b.editor.opened, [complete]);
  });

  it('leaves it to VS Code to say that somebody else signed in than the account it requested', async () => {
    for (const [scopes, text] of [
      [['a'], /^Signed in to My Service as Grace\.$/],
      [undefined, /didn’t confirm that you signed in as Ada, so a new account was added\.$/],
    ] as const) {
      const b = standardBench({ result: { user: { id: '["i","2"]', name: 'Grace' } } });
      b.sessions.held.push(sessionOf('Ada', 'old', { scopes: ['a', 'openid', 'offline_access'] }));
      b.sessions.namesOther = true;
      await signIn(b, { accountId: 'account of old', ...(scopes && { scopes, awaitedByEditorUntil: FIVE_MINUTES }) });
      assert.match(b.editor.remarks.at(-1) ?? b.editor.last.text, text);
    }
  });

  it('says itself that somebody else signed in if VS Code doesn’t wait any longer', async () => {
    const b = standardBench({ result: { user: { id: '["i","2"]', name: 'Grace' } } });
    b.sessions.held.push(sessionOf('Ada', 'old', { scopes: ['a', 'openid', 'offline_access'] }));
    b.sessions.namesOther = true;
    const poll = b.client.poll.bind(b.client);
    const until = b.clock.monotonic() + FIVE_MINUTES;
    const late = (...given: Parameters<typeof poll>): Promise<PollResult> =>
      b.clock.monotonic() < until ? Promise.resolve({ kind: 'pending' }) : poll(...given);
    Object.assign(b.client, { poll: late });
    await b.begin({ accountId: 'account of old', awaitedByEditorUntil: until, scopes: ['a'] });
    await b.clock.advance(FIVE_MINUTES + 10_000);
    assert.match(b.editor.last.text, /didn’t confirm that you signed in as Ada/);
  });

  it('names the account as the ID token does, even without an access token to ask the service with', async () => {
    const user = { id: '["i","1"]', name: 'Ada' };
    const b = standardBench({ result: { accessToken: undefined, user } });
    await signIn(b);
    const [assigned] = b.sessions.assigned;
    assert.deepEqual([assigned?.label, assigned?.user, b.editor.questions], ['Ada', user, []]);
  });

  it('asks for its code no more once it’s confirmed, however long it takes to name the account', async () => {
    const b = standardBench({ fields: { account: { path: '/who', field: 'name' } } });
    let name: (who: { name: string; id: undefined }) => void = () => undefined;
    b.user = () => new Promise((resolve) => (name = resolve));
    await signIn(b);
    assert.equal(b.sessions.added.length, 1);
    const joined = b.signIn.signIn();
    await b.clock.advance(10_000);
    assert.equal(b.editor.messages.length, 1, 'not even for who joins');
    assert.deepEqual([b.editor.progresses, b.editor.context.get('waitingForUser')], [[], false]);
    name({ name: 'Ada', id: undefined });
    assert.equal((await joined).account.label, 'Ada');
    assert.equal(b.signIn.isRunning, false);
  });

  describe('for an account with two sessions, because the service refuses all of its scopes at once,', () => {
    let b: ReturnType<typeof standardBench>;

    beforeEach(() => {
      b = standardBench({ fields: { scopes: [] } });
      const first = sessionOf('Ada', 'first', { scopes: ['a'] });
      b.sessions.held.push(first, sessionOf('Ada', 'second', { scopes: ['b'], account: first.account }));
    });

    it('asks about the account once', async () => {
      await b.begin({ scopes: ['c'] });
      assert.deepEqual(b.editor.lists[0]?.labels, ['Ada', 'Sign In to Another Account']);
    });

    it('asks about no account that has the scopes already', async () => {
      await b.begin({ scopes: ['a'] });
      assert.deepEqual(b.editor.lists, []);
    });

    it('renews the session that has the scopes, and says nothing of more permissions', async () => {
      await b.begin({ scopes: ['b'], accountId: 'account of first' });
      assert.deepEqual(b.sent[0]?.scopes, ['b']);
      assert.doesNotMatch(b.editor.last.text, /scopes/);
    });
  });
});
