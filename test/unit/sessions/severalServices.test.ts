import assert from 'node:assert/strict';
import type { ServiceId } from '../../../src/oauth/service';
import { NetworkError } from '../../../src/oauth/errors';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import { CLIENT_SECRET, DUE, LIFETIME, Machine, SERVICE, type TestWindow } from './machine';

const OTHER: ServiceId = { baseUrl: 'https://other.example', clientId: 'client', protocol: 'draft' };
const OUTAGE = new NetworkError('refresh', 'unreachable', false, { systemCode: 'ECONNREFUSED' });

/** Guards that each of several services is served by itself, and that the trouble of one is nobody else's. */
describe('the sessions of two services at once', () => {
  let machine: Machine;
  let window: TestWindow;
  /** Has been signed in to for so long that it must be refreshed. */
  let old: CurrentSession;
  let recent: CurrentSession;

  beforeEach(async () => {
    machine = new Machine();
    ({ window, session: old } = await machine.openSignedIn());
    await machine.advance(LIFETIME);
    window.configure(SERVICE, OTHER);
    await machine.finish(window.clientSecrets.set(OTHER, CLIENT_SECRET));
    recent = await machine.signIn(window, { label: 'Grace', service: OTHER });
    await machine.advance(1_000);
  });

  const ids = (sessions: readonly { readonly id: string }[]): string[] => sessions.map(({ id }) => id);
  const serve = (service: ServiceId, accountId?: string, one = window): ReturnType<TestWindow['serve']> =>
    one.sessions.serve(service, accountId);
  /** What a caller of the service without trouble gets at once. */
  const servedAtOnce = async (one = window): Promise<string[]> =>
    ids(await machine.finish(serve(OTHER, undefined, one), 0));

  it('are listed together, and served by the service that’s asked for', async () => {
    assert.deepEqual(ids(await machine.finish(window.sessions.list())), [old.id, recent.id]);
    assert.deepEqual(await machine.finish(window.sessions.listHidden()), []);
    assert.deepEqual(ids(await machine.finish(serve(SERVICE))), [old.id]);
    assert.deepEqual(await servedAtOnce(), [recent.id]);
    assert.deepEqual(await machine.finish(serve(SERVICE, recent.account.id)), [], 'the account is another service’s');
    assert.deepEqual(await machine.finish(serve({ ...SERVICE, clientId: 'another' })), []);
  });

  it('are refreshed in time, each by its own service, while nobody asks', async () => {
    void window.sessions.run();
    await machine.advance(DUE);
    const asked = machine.service.requests.map(({ credentials: { baseUrl } }) => baseUrl);
    assert.deepEqual(new Set(asked), new Set([SERVICE.baseUrl, OTHER.baseUrl]));
  });

  it('are replaced when they’re rejected, whichever service they’re of', async () => {
    assert.equal(await machine.finish(window.sessions.replaceRejected(recent.accessToken)), true);
    assert.equal(machine.service.requests.at(-1)?.credentials.baseUrl, OTHER.baseUrl);
  });

  it('come and go with their service', async () => {
    await machine.finish(window.sessions.list());
    const before = window.changes.length;
    window.configure(OTHER, SERVICE);
    assert.equal(window.changes.length, before, 'the order tells nothing');
    window.services = [SERVICE];
    assert.deepEqual(ids(window.sessions.servicesChanged()), [recent.id]);
    assert.deepEqual(ids(await machine.finish(window.sessions.listHidden())), [recent.id]);
    window.configure(SERVICE, OTHER);
    assert.deepEqual(ids(window.changes.at(-1)?.added ?? []), [recent.id]);
    assert.deepEqual(await servedAtOnce(), [recent.id]);
  });

  it('have labels that no other account has, whichever service it’s of', async () => {
    const ada = await machine.signIn(window, { label: 'Ada', service: OTHER });
    assert.equal(ada.account.label, 'Ada (2)');
  });

  it('are served at once while the other service doesn’t respond', async () => {
    machine.service.hold();
    const waiting = serve(SERVICE);
    await machine.settle();
    assert.deepEqual(await servedAtOnce(), [recent.id]);
    await assert.rejects(machine.finish(waiting), { fault: 'no response' });
  });

  it('are served at once while the other service is down', async () => {
    machine.service.nextFail(OUTAGE, 10);
    await assert.rejects(machine.finish(serve(SERVICE)));
    assert.deepEqual(await servedAtOnce(), [recent.id]);
  });

  it('are served at once while another window has the other session', async () => {
    await machine.holdLock(`session.${old.id}`);
    const waiting = serve(SERVICE);
    await machine.settle();
    assert.deepEqual(await servedAtOnce(), [recent.id]);
    await assert.rejects(machine.finish(waiting), { fault: 'busy' });
  });
});
