import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { elementFor, SERVICE_NAME } from '../../../../demo/configured';
import { until } from '../../../../host/until';
import { createService, type EmbeddedService } from '../../../../demo/service';
import {
  answerQuestions,
  confirmSignIn,
  FIRST_ACCOUNT,
  signOut as signOutByCommand,
} from '../../../../scripts/scene/person';
import { useScene } from '../../../../scripts/scene/useScene';
import { createAuthority, createIdentity } from './certificates';
import { type Proxy, startProxy } from './proxy';

/** No name server knows it, so that nothing reaches it but through a proxy. */
const HOST = 'service.example';
/** Lifetime of access tokens in seconds, so that several are refreshed in a test. */
const LIFETIME = 14;
const PASSWORD = 'not-a-real-pass%word';
const LOGIN = `ada:${PASSWORD}`;
/** Of messages that come in quick succession, VS Code shows the first three, and leaves the others to its bell. */
const MESSAGES_PAUSE = 1_000;
/** What a further service is called, which is on this machine. */
const LOCAL = 'Local Service';

const NO_WAY_THROUGH = /^The proxy didn’t let the request to Demo Service \(https?:[^)]+\) through\./;
const NOT_SECURE = /^Couldn’t make a secure connection to Demo Service \(https:\S+ ([A-Z_]+)\)\./;

/**
 * Guards that proxies and broken connections, which VS Code's own network code handles, cost no session and get no
 * secret.
 */
describe('the network between VS Code and the service', () => {
  const proxies: Proxy[] = [];
  const proxy = (index: 0 | 1): Proxy => proxies[index] ?? assert.fail('No proxy was started.');
  /** The proxy of the environment. */
  const ofEnvironment = (): Proxy => proxy(0);
  /** Another proxy, for the setting. */
  const ofSetting = (): Proxy => proxy(1);
  const { scene, workbench } = useScene({
    service: { accessTokenTtl: LIFETIME },
    surroundings: async ({ baseUrl }, { root }, cleanUp) => {
      const authority = await createAuthority('Company');
      const identity = await createIdentity(HOST, authority);
      for (let started = 0; started < 2; started++) {
        proxies.push(await startProxy(baseUrl, [HOST], identity, cleanUp));
      }
      const file = path.join(root, 'trusted.pem');
      await writeFile(file, authority.cert);
      return {
        env: {
          HTTPS_PROXY: ofEnvironment().url,
          NODE_EXTRA_CA_CERTS: file,
          // The sample extension hands over the client secret for the service as the network knows it.
          DEVICE_FLOW_SAMPLE_SECRET_SERVICE: `https://${HOST}`,
        },
        fields: { baseUrl: `https://${HOST}` },
      };
    },
  });
  /** How much each proxy has seen. */
  const passed = (): readonly number[] => proxies.map(({ seen }) => seen.length);

  let messagesAt = 0;
  const readyForMessages = (): Promise<true> =>
    until('VS Code to be ready for more messages', () => performance.now() - messagesAt > MESSAGES_PAUSE);

  const chooseService = async (name: string): Promise<void> => {
    const { quickInput } = workbench();
    await until('the services', async () => (await quickInput.labels()).some((label) => label.startsWith(name)));
    await quickInput.enter(name);
  };

  /** @param name of the service, if there are several */
  const begin = async (name?: string): Promise<void> => {
    await workbench().runCommand('Device Flow: Sign In');
    if (name !== undefined) await chooseService(name);
  };

  /** Starts a sign-in and allows it, as the person does on the page, and waits until VS Code says that it is done. */
  const signIn = async (service = scene().service, name?: string): Promise<void> => {
    await readyForMessages();
    await begin(name);
    await confirmSignIn(workbench(), service);
    messagesAt = performance.now();
  };

  const signOut = async (account?: string): Promise<void> => {
    await readyForMessages();
    await signOutByCommand(workbench(), 'Device Flow', account);
    await workbench().notifications.take(/^You signed out of /);
    messagesAt = performance.now();
  };

  /** Asks for a sign-in that fails, and resolves with what the person reads of it. */
  const failedSignIn = async (told: RegExp, picture: string, name?: string): Promise<string> => {
    await readyForMessages();
    await begin(name);
    const { text } = await workbench().notifications.waitFor(told);
    await workbench().screenshot(`hostile/network-${picture}`);
    await workbench().notifications.take(told);
    messagesAt = performance.now();
    return text;
  };

  const refreshed = async (): Promise<void> => {
    const { record } = scene().service;
    const before = record.counts().refreshed;
    await record.until(() => record.counts().refreshed > before);
  };

  it('is the proxy of the environment, which opens connections with a certificate that is trusted', async () => {
    const inspecting = ofEnvironment();
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
    const inspecting = ofEnvironment();
    const { service } = scene();
    const tokens = {
      access_token: 'not-the-access-token',
      refresh_token: 'not-the-refresh-token',
      expires_in: LIFETIME,
    };
    const before = inspecting.seen.length;
    for (const lie of [
      { status: 400, body: { error: 'invalid_refresh_token' } },
      { status: 403, body: tokens },
    ]) {
      inspecting.lie = lie;
      const line = `${lie.status} CONNECT ${HOST}:443`;
      await until(`a refresh to be answered with ${lie.status}`, () => inspecting.seen.slice(before).includes(line));
    }
    await workbench().accounts.waitFor(FIRST_ACCOUNT);
    inspecting.lie = undefined;
    await refreshed();
    assert.equal(service.counts().deadRefreshTokens, 0);
    const foreign = service.record.of('refresh').filter(({ token }) => token === undefined);
    assert.deepEqual(foreign, [], 'every token that is sent is one that the service gave');
  });

  it('is closed by a proxy that wants a login and gets none: the session stays, and a sign-in says why', async () => {
    const { seen } = ofEnvironment();
    ofEnvironment().login = LOGIN;
    const before = seen.length;
    await until('the proxy to refuse a refresh', () => seen.slice(before).includes(`407 CONNECT ${HOST}:443`));
    await workbench().accounts.waitFor(FIRST_ACCOUNT);
    await signOut();
    assert.match(await failedSignIn(NO_WAY_THROUGH, 'no-login'), /http\.proxy setting: .* sign-in/);
    ofEnvironment().login = undefined;
  });

  it('isn’t secure if nobody trusts the proxy’s certificate, or the connection is closed in the handshake', async () => {
    const inspecting = ofEnvironment();
    const { shown } = inspecting;
    const before = inspecting.seen.length;
    inspecting.shown = await createIdentity(HOST, await createAuthority('Another Company'));
    const text = await failedSignIn(NOT_SECURE, 'untrusted');
    assert.match(text, /If it inspects secure connections, install its root certificate on your system\./);
    inspecting.shown = 'closes';
    assert.equal(NOT_SECURE.exec(await failedSignIn(NOT_SECURE, 'closed-in-handshake'))?.[1], 'ECONNRESET');
    const connected = Array.from({ length: 2 }, () => `CONNECT ${HOST}:443`);
    assert.deepEqual(inspecting.seen.slice(before), connected, 'no request is sent through it');
    inspecting.shown = shown;
  });

  let local: EmbeddedService;

  it('is the proxy of the setting http.proxy, with a login', async () => {
    ofSetting().login = LOGIN;
    local = await createService({ host: '::1', interval: 1 });
    assert.match(local.baseUrl, /^http:\/\/\[::1\]:/);
    const further = elementFor(local, { serviceName: LOCAL });
    const proxySetting = ofSetting().url.replace('://', `://${LOGIN.replace('%', '%25')}@`);
    await scene().configure({ baseUrl: `https://${HOST}` }, [further], { 'http.proxy': proxySetting });
    const requests = scene().service.requests.length;
    const [before] = passed();
    await signIn(scene().service, SERVICE_NAME);
    await refreshed();
    const through = ofSetting().seen.filter((line) => line.startsWith('POST '));
    assert.equal(through.length, scene().service.requests.length - requests, 'nothing came another way');
    assert.ok(ofSetting().seen.every((line) => !line.startsWith('407 ')));
    assert.equal(passed()[0], before, 'nothing goes through the other proxy');
  });

  it('goes past the proxy to this machine, by IPv6, until nothing responds there', async () => {
    // Nothing else is sent meanwhile.
    await signOut();
    await workbench().runCommand('Device Flow: Set Client Secret');
    await chooseService(LOCAL);
    await answerQuestions(workbench(), ['client secret', local.clientSecret]);
    await scene().data.secretStored(2);
    const before = passed();
    await signIn(local, LOCAL);
    await signOut();
    await local.close();
    await failedSignIn(/^Couldn’t reach Local Service \(http:\S+ ECONNREFUSED\)\./, 'refused', LOCAL);
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
