import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import type {
  AuthenticationGetSessionOptions,
  AuthenticationSession,
  AuthenticationSessionAccountInformation,
} from 'vscode';
import { AuthorizedFetch, type AuthorizedRequestInit } from '../../../../src/vscode/library/authorizedFetch';
import { DeviceFlowError, DeviceFlowUsageError } from '../../../../src/vscode/library/deviceFlowError';
import { OwnSessions } from '../../../../src/vscode/requests/ownSessions';
import { readConfiguration } from '../../../../src/vscode/settings/configuration';
import { TokenSender } from '../../../../src/vscode/requests/tokenSender';
import { RecordingLog } from '../../../support/recordingLog';
import { sessionOf } from '../fakeSessions';
import { FakeClock } from '../../../support/fakeClock';

const ADA = { id: '1', label: 'Ada' };
const GRACE = { id: '2', label: 'Grace (Globex)' };
const ACME = { protocol: 'rfc8628', baseUrl: 'https://acme.example', clientId: 'tools' };
/** A service that wants the token in the query. */
const GLOBEX = { protocol: 'draft', baseUrl: 'https://globex.example', clientId: 'tools', accessTokenIn: 'query' };

/** How VS Code hands out sessions. */
type GetSession = (
  scopes: readonly string[],
  options: AuthenticationGetSessionOptions,
) => Promise<AuthenticationSession | undefined>;

/** What a server got. */
interface Got {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  readonly body: string;
}

/** A server that answers by path, and keeps what it got. */
class Site {
  readonly got: Got[] = [];
  #server: Server | undefined;

  constructor(readonly answer: (request: Got) => readonly [status: number, location?: string]) {}

  async open(): Promise<void> {
    const server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        const { authorization, cookie } = request.headers;
        const got = { method: request.method, url: request.url, authorization, cookie, body };
        this.got.push(got);
        const [status, location] = this.answer(got);
        response.writeHead(status, location === undefined ? {} : { Location: location }).end(String(status));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#server = server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server?.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

/** An error as VS Code passes it on. */
function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request) body += String(part);
  return body;
}

/** Guards that a request with a session's token gets the current one, and that no other host sees it. */
describe('a request with the token of a session', () => {
  let asked: AuthenticationGetSessionOptions[];
  let replaced: string[];
  let token: string | undefined;
  /** When the tokens came. */
  let obtainedAt: number;
  let listed: readonly object[];
  let accounts: Readonly<Record<string, readonly AuthenticationSessionAccountInformation[]>>;
  let askedScopes: (readonly string[])[];
  /** Whose session VS Code hands out. */
  let at: string;
  let clock: FakeClock;
  let tokenSender: TokenSender;
  let answer: Site['answer'];
  let site: Site;
  let stranger: Site;

  beforeEach(async () => {
    [asked, replaced, token, listed] = [[], [], 'first', [ACME]];
    [askedScopes, accounts, at] = [[], { [ACME.baseUrl]: [ADA], [GLOBEX.baseUrl]: [GRACE] }, ACME.baseUrl];
    obtainedAt = 0;
    clock = new FakeClock();
    tokenSender = new TokenSender(clock);
    answer = () => [200];
    site = new Site((request) => answer(request));
    stranger = new Site(() => [200]);
    await site.open();
    await stranger.open();
  });
  afterEach(() => {
    site.close();
    stranger.close();
  });

  /** The sessions of the services that are configured; once there's a token, that of `at` has it. */
  const known = () => {
    const [account = ADA] = accounts[at] ?? [];
    const all = Object.entries(accounts).flatMap(([baseUrl, those]) =>
      those.map((one) => ({ id: `${one.id} at ${baseUrl}`, account: one, baseUrl })),
    );
    const handedOut = token === undefined ? [] : [{ id: 's', account, baseUrl: at }];
    const { services } = settings().current;
    return [...handedOut, ...all].flatMap(({ baseUrl, ...one }) => {
      const service = services.at(baseUrl)?.id;
      return service === undefined ? [] : [sessionOf(one.account.label, one.id, { ...one, service, obtainedAt })];
    });
  };
  const settings = () => ({ current: readConfiguration(listed, 'Acme') });
  const handOut: GetSession = (scopes, options) => {
    asked.push(options);
    askedScopes.push(scopes);
    if (options.createIfNone === true) token ??= 'after sign-in';
    return Promise.resolve(token === undefined ? undefined : { id: 's', accessToken: token, account: ADA, scopes });
  };
  const replace = (rejected: string) => {
    replaced.push(rejected);
    token = 'second';
    return Promise.resolve(true);
  };
  const authorized = ({ getSession = handOut, list = known, replaceRejected = replace } = {}): AuthorizedFetch => {
    const sessions = {
      list: () => Promise.resolve(list()),
      replaceRejected,
      reportRejected: () => Promise.resolve(false),
    };
    const ownSessions = new OwnSessions(sessions, getSession, clock, new RecordingLog());
    return new AuthorizedFetch((url, init) => fetch(url, init), 'Acme', settings(), ownSessions, tokenSender);
  };
  const call = (path = '/', init?: AuthorizedRequestInit): Promise<Response> =>
    authorized().send(new URL(path, site.url), init);

  it('is sent with it, and with everything else that was given', async () => {
    const response = await call('/a?b=c%20d', { method: 'POST', body: 'text', headers: { Cookie: 'a=b' } });
    assert.equal(await response.text(), '200');
    const [got] = site.got;
    assert.deepEqual(got, {
      method: 'POST',
      url: '/a?b=c%20d',
      authorization: 'Bearer first',
      cookie: 'a=b',
      body: 'text',
    });
  });

  it('is sent once more with the next token if the service rejects it, for the same account', async () => {
    answer = ({ authorization }) => [authorization === 'Bearer second' ? 200 : 401];
    const response = await call('/', { method: 'POST', body: 'text' });
    assert.equal(response.status, 200);
    assert.deepEqual(replaced, ['first']);
    assert.deepEqual(asked.at(-1), { silent: true, account: ADA });
    assert.deepEqual(
      site.got.map(({ body }) => body),
      ['text', 'text'],
    );
  });

  it('is sent once more a second later if the token is new, and its signal is heeded meanwhile', async () => {
    answer = () => [401];
    [token, obtainedAt] = [sessionOf('Ada').accessToken, clock.now()];
    const abort = new AbortController();
    const aborted = call('/', { signal: abort.signal });
    const patient = call();
    while (clock.sleeping < 2) await setImmediate();
    abort.abort(new Error('enough'));
    await assert.rejects(aborted, { message: 'enough' });
    answer = () => [200];
    await clock.advance(1_000);
    assert.deepEqual([(await patient).status, replaced], [200, []]);
  });

  it('has no further token refreshed if the service rejected a fresh one too', async () => {
    answer = () => [401];
    for (let calls = 0; calls < 3; calls++) await call();
    assert.deepEqual(replaced, ['first']);
  });

  it('of another account still has its token refreshed', async () => {
    answer = ({ authorization }) => [authorization === 'Bearer of Grace, refreshed' ? 200 : 401];
    await call();
    let graces = 'of Grace';
    const { status } = await authorized({
      getSession: (scopes) => Promise.resolve({ id: 'g', accessToken: graces, account: GRACE, scopes }),
      list: () => [sessionOf('Grace', 'g')],
      replaceRejected: () => {
        graces = 'of Grace, refreshed';
        return Promise.resolve(true);
      },
    }).send(site.url);
    assert.equal(status, 200);
  });

  it('asks nobody to sign in, unless that’s wanted', async () => {
    token = undefined;
    await assert.rejects(call(), {
      name: 'DeviceFlowError',
      code: 'notSignedIn',
      isKnown: false,
      message: /^You aren’t signed in to acme\.example, /,
    });
    assert.deepEqual(asked, [{ silent: true }]);
    await call('/', { interactive: true });
    assert.deepEqual(asked.slice(1), [{ silent: true }, { createIfNone: true }]);
    assert.equal(site.got[0]?.authorization, 'Bearer after sign-in');
  });

  for (const [what, reason, code] of [
    ['declines', new Error('User did not consent to login.'), 'canceled'],
    ['cancels the sign-in', named('Canceled', 'Canceled'), 'canceled'],
    ['has read why the sign-in failed', named('ExplainedError', 'The code expired.'), 'signInFailed'],
  ] as const) {
    it(`isn’t sent if the person ${what}, and the author can tell`, async () => {
      const getSession: GetSession = (_scopes, { silent }) =>
        silent === true ? Promise.resolve(undefined) : Promise.reject(reason);
      const called = authorized({ getSession }).send(site.url, { interactive: true });
      await assert.rejects(called, (error) => {
        assert.ok(error instanceof DeviceFlowError);
        assert.deepEqual([error.code, error.isKnown, error.cause], [code, true, reason]);
        return true;
      });
    });
  }

  for (const interactive of [false, true]) {
    it(`says why a session can’t be used right now, if the call ${interactive ? 'is' : 'isn’t'} interactive`, async () => {
      const cause = new Error('The service can’t be reached.');
      const getSession: GetSession = () => Promise.reject(cause);
      const called = authorized({ getSession }).send(site.url, { interactive });
      const { message } = cause;
      await assert.rejects(called, { name: 'DeviceFlowError', code: 'unavailable', isKnown: false, message, cause });
    });
  }

  it('throws what the network throws, as it is', async () => {
    const { url } = site;
    site.close();
    await assert.rejects(authorized().send(url), (error) => {
      assert.ok(error instanceof TypeError && !(error instanceof DeviceFlowUsageError));
      return error.message === 'fetch failed';
    });
  });

  it('isn’t sent with the token of another extension that registered the same ID before', async () => {
    const session = { id: 'of another extension', accessToken: 'theirs', account: ADA, scopes: [] };
    const getSession: GetSession = () => Promise.resolve(session);
    await assert.rejects(authorized({ getSession }).send(site.url), {
      code: 'unavailable',
      message: /^The session isn’t from this extension\. Another one may have registered/,
    });
    assert.deepEqual(site.got, []);
  });

  it('keeps the token on redirects within the origin, and isn’t sent to another one', async () => {
    answer = ({ url }) => (url === '/1' ? [302, '/2'] : [200]);
    assert.equal((await call('/1', { headers: { Cookie: 'a=b' } })).status, 200);
    assert.deepEqual(
      site.got.map(({ url, authorization, cookie }) => [url, authorization, cookie]),
      [
        ['/1', 'Bearer first', 'a=b'],
        ['/2', 'Bearer first', 'a=b'],
      ],
    );
    answer = () => [307, `${stranger.url}/3?token=first`];
    await assert.rejects(call('/1'), {
      name: 'DeviceFlowError',
      code: 'redirected',
      isKnown: false,
      message: `The service redirected the request to another origin, ${stranger.url}, which doesn’t get the token.`,
    });
    assert.deepEqual(stranger.got, []);
  });

  it('becomes a GET without a body where the web’s fetch does that', async () => {
    answer = ({ url }) => (url === '/1' ? [303, '/2'] : [200]);
    await call('/1', { method: 'POST', body: 'text', headers: { 'Content-Type': 'text/plain' } });
    assert.deepEqual(
      site.got.map(({ method, body }) => [method, body]),
      [
        ['POST', 'text'],
        ['GET', ''],
      ],
    );
  });

  it('follows no redirect if that’s wanted, and not forever', async () => {
    answer = () => [302, '/again'];
    assert.equal((await call('/', { redirect: 'manual' })).status, 302);
    await assert.rejects(call(), { code: 'redirected', message: /too often/ });
  });

  it('carries the token in the query where the service wants that', async () => {
    listed = [GLOBEX];
    at = GLOBEX.baseUrl;
    await call('/1?a=b%20c&d');
    await call('/2');
    assert.deepEqual(
      site.got.map(({ url }) => url),
      ['/1?a=b%20c&d&access_token=first', '/2?access_token=first'],
    );
  });

  it('isn’t in the query twice if a redirect repeats it, however that’s encoded', async () => {
    listed = [GLOBEX];
    at = GLOBEX.baseUrl;
    for (const repeated of ['access_token=first', 'access%5Ftoken=%66irst']) {
      answer = ({ url = '' }) => (url.startsWith('/1?') ? [302, `/2?${repeated}&a=%20b`] : [200]);
      await call('/1?a=%20b');
      assert.equal(site.got.at(-1)?.url, '/2?a=%20b&access_token=first');
    }
  });

  it('isn’t in the error if a redirect repeats it in something that isn’t an address', async () => {
    const inNoPath = 'in-no-path-of-a-stack';
    token = inNoPath;
    listed = [GLOBEX];
    at = GLOBEX.baseUrl;
    answer = ({ url = '' }) => [302, `https://[x${url}`];
    await assert.rejects(call('/1'), (error: Error) => {
      assert.match(error.message, /to an address that can’t get the token/);
      return !inspect(error).includes(inNoPath);
    });
  });

  it('is for the only service that can be used, although the first one is wrong', async () => {
    listed = [{ ...ACME, clientId: '' }, GLOBEX];
    at = GLOBEX.baseUrl;
    assert.equal((await call()).status, 200);
    assert.deepEqual(askedScopes, [[`DEVICE_FLOW_SERVICE:${GLOBEX.baseUrl}`]], 'nothing else is asked for');
  });

  it('must name one of several services, which is said before anybody is asked', async () => {
    listed = [ACME, GLOBEX];
    const name = 'DeviceFlowUsageError';
    const unnamed = { name, message: /^The token isn’t sent: Acme has several services\. Name one/ };
    await assert.rejects(call(), unnamed);
    await assert.rejects(call('/', { account: GRACE }), unnamed);
    for (const service of [null, 5, {}, [ACME.baseUrl]]) {
      const noText = { name, message: /^The token isn’t sent: \{ service \} isn’t a base URL/ };
      await assert.rejects(call('/', { service } as object), noText);
    }
    assert.deepEqual(asked, []);
  });

  it('can’t be for a service that isn’t there, which is said before anybody is asked', async () => {
    const code = 'noService';
    const message = 'Acme has no service with this base URL. Check the extension’s settings.';
    const stranger = { service: 'https://stranger.example/?secret', interactive: true };
    for (const list of [[ACME], [ACME, GLOBEX]]) {
      listed = list;
      await assert.rejects(call('/', stranger), { name: 'DeviceFlowError', code, isKnown: false, message });
    }
    listed = [];
    for (const service of [{}, { service: ACME.baseUrl }]) {
      const called = call('/', { ...service, interactive: true });
      await assert.rejects(called, { code, message: 'Acme isn’t set up yet. Check the extension’s settings.' });
    }
    assert.deepEqual(asked, []);
  });

  it('carries the token of the service that’s named, in any form of its address, whichever account VS Code prefers', async () => {
    listed = [ACME, GLOBEX];
    at = GLOBEX.baseUrl;
    accounts = { [GLOBEX.baseUrl]: [GRACE] };
    await call('/', { service: 'https://GLOBEX.example/', scopes: ['read'] });
    assert.deepEqual(asked, [{ silent: true, account: GRACE }]);
    assert.deepEqual(askedScopes, [['read', 'DEVICE_FLOW_SERVICE:https://GLOBEX.example/']]);
    assert.deepEqual([site.got[0]?.url, site.got[0]?.authorization], ['/?access_token=first', undefined]);
  });

  it('isn’t sent if VS Code hands out a session of another service', async () => {
    listed = [ACME, GLOBEX];
    const notOurs = { code: 'unavailable', message: /^The session isn’t from this extension/ };
    await assert.rejects(call('/', { service: GLOBEX.baseUrl }), notOurs);
    listed = [GLOBEX];
    await assert.rejects(call(), notOurs);
    assert.deepEqual(site.got, []);
  });

  it('looks for a session of each account of a service, and lets the person choose if none may be used', async () => {
    listed = [ACME, GLOBEX];
    accounts = { [ACME.baseUrl]: [ADA, GRACE] };
    token = undefined;
    const service = ACME.baseUrl;
    await assert.rejects(call('/', { service }), {
      code: 'notSignedIn',
      message: 'You aren’t signed in to acme.example, or haven’t allowed this extension to use your account.',
    });
    const silently = [{ silent: true }, { silent: true, account: ADA }, { silent: true, account: GRACE }];
    assert.deepEqual(asked.splice(0), silently);
    await call('/', { service, interactive: true });
    assert.deepEqual(asked.splice(0), [...silently, { createIfNone: true }]);
    token = undefined;
    await call('/', { service, interactive: true, account: GRACE });
    assert.deepEqual(asked.splice(0), [
      { silent: true, account: GRACE },
      { createIfNone: true, account: GRACE },
    ]);
    token = undefined;
    accounts = {};
    await call('/', { service, interactive: true });
    assert.deepEqual(asked, [{ silent: true }, { createIfNone: true }]);
  });

  it('is given up at once if the caller gives up, also while VS Code waits for a person', async () => {
    const gone = new Error('The caller is gone.');
    await assert.rejects(call('/', { interactive: true, signal: AbortSignal.abort(gone) }), gone);
    assert.deepEqual(asked, []);
    const waiting = new AbortController();
    const getSession: GetSession = () => new Promise(() => undefined);
    const called = authorized({ getSession }).send(site.url, { signal: waiting.signal });
    waiting.abort(gone);
    await assert.rejects(called, gone);
  });

  for (const [what, url] of [
    ['another machine without TLS', 'http://acme.example/'],
    ['an address with a password', 'https://ada:secret@acme.example/'],
    ['no address', 'acme.example'],
    ['a file', 'file:///etc/passwd'],
  ] as const) {
    it(`is never sent to ${what}, and nobody is asked`, async () => {
      await assert.rejects(authorized().send(url, { interactive: true }), (error: Error) => {
        assert.ok(error instanceof DeviceFlowUsageError && error instanceof TypeError);
        assert.match(error.message, /^The token isn’t sent/);
        return !error.message.includes('secret');
      });
      assert.deepEqual(asked, []);
    });
  }

  it('isn’t redirected to another machine without TLS, or to an address with a password', async () => {
    for (const location of ['http://acme.example/', 'http://ada:secret@127.0.0.1/']) {
      answer = () => [302, location];
      await assert.rejects(call(), {
        code: 'redirected',
        message: 'The service redirected the request to an address that can’t get the token.',
      });
    }
  });
});
