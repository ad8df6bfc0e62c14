import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SERVICE_NAME } from '../../../host/configured';
import { until } from '../../../host/until';
import type { Workbench } from '../../../host/workbench';
import { createService } from '../../../service';
import { CODE_MESSAGE, userCodeIn } from '../../../e2e/person';
import { useScene } from '../../../e2e/scene';
import { createAuthority, createIdentity } from './certificates';
import { type CompanyNetwork, startCompanyNetwork } from './companyNetwork';
import type { Proxy } from './proxy';

/** No name server knows these, so that nothing reaches them but through a proxy. */
const HOST = 'service.example';
const EXEMPT_HOST = 'exempt.example';
/** Lifetime of access tokens in seconds, so that several are refreshed in a test. */
const LIFETIME = 4;
const PASSWORD = 'not-a-real-pass%word';
const LOGIN = `ada:${PASSWORD}`;
const HOUR = 3_600_000;
/** Of messages that come in quick succession, VS Code shows the first three, and leaves the others to its bell. */
const MESSAGES_PAUSE = 1_000;

const NO_WAY_THROUGH = /^The proxy didn’t let the request to Sample Service through\./;
const NOT_FOUND = /^Couldn’t find the host of Sample Service\./;
const NOT_SECURE = /^Couldn’t make a secure connection to Sample Service \(([A-Z_]+)\)\./;

describe('the network between VS Code and the service', () => {
  let started: CompanyNetwork | undefined;
  const network = (): CompanyNetwork => {
    assert.ok(started !== undefined);
    return started;
  };
  const scene = useScene({
    service: { accessTokenTtl: LIFETIME },
    surroundings: async (service, { root }, cleanUp) => {
      started = await startCompanyNetwork(service, [HOST, EXEMPT_HOST], cleanUp);
      const { inspecting, authority } = started;
      const file = path.join(root, 'trusted.pem');
      await writeFile(file, authority.cert);
      return {
        env: { HTTPS_PROXY: inspecting.url, NO_PROXY: `other.example,${EXEMPT_HOST}`, NODE_EXTRA_CA_CERTS: file },
        settings: { 'deviceFlow.baseUrl': `https://${HOST}` },
      };
    },
  });
  const workbench = (): Workbench => scene().workbench;
  /** How much each proxy has seen. */
  const passed = (): readonly number[] => [network().inspecting, network().tunnelling].map(({ seen }) => seen.length);

  /** Replaces the person’s settings by those for the service as the network knows it, and these. */
  const set = (settings: Readonly<Record<string, unknown>>): Promise<void> =>
    scene().configure({ 'deviceFlow.baseUrl': `https://${HOST}`, ...settings });

  let messagesAt = 0;
  const readyForMessages = (): Promise<true> =>
    until('VS Code to be ready for more messages', () => performance.now() - messagesAt > MESSAGES_PAUSE);

  /** Starts a sign-in and allows it, as the person does on the page, and waits until VS Code says that it is done. */
  const signIn = async (service = scene().service): Promise<void> => {
    await readyForMessages();
    await workbench().runCommand('Device Flow: Sign In');
    const { text } = await workbench().notifications.waitFor(CODE_MESSAGE);
    assert.equal(service.approve(userCodeIn(text)), undefined);
    await workbench().notifications.waitFor(/^Signed in to /);
    await workbench().notifications.dismiss(/^Signed in to /);
    messagesAt = performance.now();
  };

  const signOut = async (): Promise<void> => {
    await readyForMessages();
    await workbench().runCommand('Device Flow: Sign Out');
    await workbench().notifications.waitFor(/^Signed out of /);
    await workbench().notifications.dismiss(/^Signed out of /);
    messagesAt = performance.now();
  };

  /** Asks for a sign-in that fails, and resolves with what the person reads of it. */
  const failedSignIn = async (told: RegExp, picture: string): Promise<string> => {
    await readyForMessages();
    await workbench().runCommand('Device Flow: Sign In');
    const { text } = await workbench().notifications.waitFor(told);
    await workbench().screenshot(`hostile/network-${picture}`);
    await workbench().notifications.dismiss(told);
    messagesAt = performance.now();
    return text;
  };

  /** What a proxy sees from now on, until `act` is done. */
  const seenBy = async ({ seen }: Proxy, act: () => Promise<void>): Promise<readonly string[]> => {
    const before = seen.length;
    await act();
    return seen.slice(before);
  };

  const refreshed = async (): Promise<void> => {
    const before = scene().service.counts.refreshed;
    await scene().service.record.until(({ counts }) => counts.refreshed > before);
  };

  /** Has a proxy want another login than it gets, and looks at what becomes of the session and of a sign-in. */
  const lockedOut = async (proxy: Proxy, picture: string): Promise<void> => {
    const { login } = proxy;
    proxy.login = `ada:another ${PASSWORD}`;
    const seen = proxy.seen.length;
    await until('the proxy to refuse a refresh', () => proxy.seen.slice(seen).includes(`407 CONNECT ${HOST}:443`));
    await workbench().accounts.waitFor(new RegExp(`^${SERVICE_NAME} `));
    await signOut();
    assert.match(await failedSignIn(NO_WAY_THROUGH, picture), /http\.proxy: .* sign-in/);
    proxy.login = login;
  };

  it('is the proxy of the environment, which opens connections with a certificate that is trusted', async () => {
    const { inspecting } = network();
    await signIn();
    await refreshed();
    assert.deepEqual(
      [...new Set(inspecting.seen)].sort(),
      [`CONNECT ${HOST}:443`, 'POST /device/notify', 'POST /oauth2/device', 'POST /oauth2/token'].sort(),
    );
    const requests = inspecting.seen.filter((line) => line.startsWith('POST '));
    assert.equal(requests.length, scene().service.requests.length, 'nothing came another way');
  });

  it('may have a proxy that speaks for the service: it ends no session and hands in no tokens', async () => {
    const { inspecting } = network();
    const { service } = scene();
    const tokens = {
      access_token: 'not-the-access-token',
      refresh_token: 'not-the-refresh-token',
      expires_in: LIFETIME,
    };
    const before = inspecting.seen.length;
    for (const lie of [
      { status: 400, body: { error: 'invalid_refresh_token' } },
      { status: 201, body: tokens },
    ]) {
      inspecting.lie = lie;
      const line = `${lie.status} CONNECT ${HOST}:443`;
      await until(`a refresh to be answered with ${lie.status}`, () => inspecting.seen.slice(before).includes(line));
    }
    await workbench().accounts.waitFor(new RegExp(`^${SERVICE_NAME} `));
    inspecting.lie = undefined;
    await refreshed();
    assert.equal(service.counts.deadRefreshTokens, 0);
    const foreign = service.record.of('refresh').filter(({ token }) => token === undefined);
    assert.deepEqual(foreign, [], 'every token that is sent is one that the service gave');
  });

  it('is closed by a proxy that wants a login and gets none: the session stays, and a sign-in says why', async () => {
    await lockedOut(network().inspecting, 'no-login');
  });

  it('may have a proxy that speaks for the service: a sign-in says what is wrong, and shows no code of the proxy', async () => {
    const { inspecting } = network();
    inspecting.lie = { status: 400, body: { error: 'invalid_client' } };
    await failedSignIn(NO_WAY_THROUGH, 'proxy-refuses-as-service');
    const page = 'https://other.example/activate';
    const code = { code: 'c', user_code: 'ABCD-1234', verification_uri: page, expires_in: 60, interval: 1 };
    inspecting.lie = { status: 200, body: code };
    await failedSignIn(NOT_SECURE, 'proxy-answers-as-service');
    inspecting.lie = undefined;
  });

  it("isn't trusted if nobody trusts the proxy's certificate", async () => {
    const { inspecting, shown } = network();
    network().shown = await createIdentity(HOST, await createAuthority('Another Company'));
    const seen = await seenBy(inspecting, async () => {
      const text = await failedSignIn(NOT_SECURE, 'untrusted');
      assert.match(text, /If your network inspects secure connections, your system must trust its certificate\./);
    });
    assert.deepEqual(seen, [`CONNECT ${HOST}:443`], 'no request is sent through it');
    network().shown = shown;
  });

  it('is the proxy of the setting http.proxy, with a login', async () => {
    const { inspecting, tunnelling } = network();
    tunnelling.login = LOGIN;
    const address = tunnelling.url.replace('://', `://${LOGIN.replace('%', '%25')}@`);
    await set({ 'http.proxy': address });
    const requests = scene().service.requests.length;
    const before = inspecting.seen.length;
    const seen = await seenBy(tunnelling, async () => {
      await signIn();
      await refreshed();
    });
    assert.deepEqual([...new Set(seen)], [`CONNECT ${HOST}:443`]);
    assert.ok(seen.length >= scene().service.requests.length - requests, 'each request has a connection of its own');
    assert.equal(inspecting.seen.length, before, 'nothing goes through the other proxy');
  });

  it('is closed by a proxy that wants another login: the session stays, and a sign-in says why', async () => {
    await lockedOut(network().tunnelling, 'wrong-login');
  });

  for (const [name, code, make] of [
    ['itself only', 'DEPTH_ZERO_SELF_SIGNED_CERT', () => createIdentity(HOST, undefined)],
    ['a trusted authority, and has ended', 'CERT_HAS_EXPIRED', () => createIdentity(HOST, network().authority, -HOUR)],
    [
      'a trusted authority for another host',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      () => createIdentity('other.example', network().authority),
    ],
  ] as const) {
    it(`isn’t trusted if the service’s certificate is signed by ${name}`, async () => {
      network().front.manner = { kind: 'serve', identity: await make() };
      const requests = scene().service.requests.length;
      assert.equal(NOT_SECURE.exec(await failedSignIn(NOT_SECURE, code.toLowerCase()))?.[1], code);
      assert.equal(scene().service.requests.length, requests);
    });
  }

  it('is reported correctly if it ends in the handshake, before the response, or within it', async () => {
    const { front, identity } = network();
    const { faults } = scene().service;
    const unreachable = /^Couldn’t reach Sample Service\./;
    front.manner = { kind: 'reset' };
    assert.equal(NOT_SECURE.exec(await failedSignIn(NOT_SECURE, 'reset-in-handshake'))?.[1], 'ECONNRESET');
    front.manner = { kind: 'serve', identity };
    for (const when of ['before', 'mid-response'] as const) {
      const fault = faults.switchOn('device code', { kind: 'drop', when, reset: true });
      await failedSignIn(unreachable, `reset-${when.replaceAll(' ', '-')}`);
      assert.equal(fault.hits, 1, 'one request, not repeated');
    }
  });

  it('goes past the proxy to this machine, by IPv6, until nothing responds there', async () => {
    // With the same credentials: the sample extension hands over those at the start of each window.
    const { clientSecret } = scene().service;
    const local = await createService({ host: '::1', interval: 1, clientSecret });
    assert.match(local.baseUrl, /^http:\/\/\[::1\]:/);
    await set({ 'http.proxy': network().inspecting.url, 'deviceFlow.baseUrl': local.baseUrl });
    await scene().data.secretStored(2);
    const before = passed();
    await signIn(local);
    await signOut();
    await local.close();
    await failedSignIn(/^Nothing responds at the base URL of Sample Service\./, 'refused');
    assert.deepEqual(passed(), before);
  });

  it('goes past the proxy to the hosts that NO_PROXY names', async () => {
    await set({ 'http.proxy': network().inspecting.url, 'deviceFlow.baseUrl': `https://${EXEMPT_HOST}` });
    await scene().data.secretStored(3);
    const before = passed();
    await failedSignIn(NOT_FOUND, 'no-proxy-environment');
    assert.deepEqual(passed(), before);
  });

  it('goes past the proxy to the hosts that http.noProxy names', async () => {
    await set({ 'http.proxy': network().inspecting.url, 'http.noProxy': [HOST] });
    const before = passed();
    await failedSignIn(NOT_FOUND, 'no-proxy');
    assert.deepEqual(passed(), before);
  });

  it('leaves no password of a proxy, and no address with its query, in the log', async () => {
    const log = await scene().data.log();
    assert.match(log, /Signed in: session /);
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), scene().service.clientSecret, 'grant_type']) {
      assert.ok(!log.includes(secret));
    }
  });
});
