import assert from 'node:assert/strict';
import { InvalidResponseError, NetworkError, ServiceError } from '../../../src/oauth/errors';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import type { Notice } from '../../../src/sessions/notice';
import type { SessionFault } from '../../../src/sessions/sessionError';
import { CLIENT_SECRET, DUE, LIFETIME, Machine, SERVICE, type TestWindow } from './machine';

const NO_ACCESS_TOKEN = { accessToken: undefined };
const WRONG_CREDENTIALS = new ServiceError('refresh', 400, 'invalid_client');

/** The service has answered, and the tokens are lost. */
const TOKENS_LOST = new InvalidResponseError('refresh', 200, 'tokens lost');

/** An error, what callers get, and what the person is told. Only a person makes a refresh that `needs user` be tried again. */
const CASES: readonly (readonly [what: string, error: Error, fault: SessionFault, told?: Notice['kind']])[] = [
  ['the network wasn’t reached', new NetworkError('refresh', 'unreachable', false), 'not sent'],
  ['the service failed', new ServiceError('refresh', 500, 'invalid_grant'), 'refused'],
  ['the credentials were refused', WRONG_CREDENTIALS, 'refused', 'credentials refused'],
  ['a captive portal responded', new ServiceError('refresh', 403, undefined), 'invalid response'],
  ['our own code failed', new TypeError('a fault of ours'), 'no response'],
  ['this client may not refresh', new ServiceError('refresh', 400, 'unauthorized_client'), 'needs user', 'needs user'],
];

/** Guards what each outcome of a refresh does to the session, and what people are told. */
describe('a refresh', () => {
  let machine: Machine;
  let window: TestWindow;
  let session: CurrentSession;

  beforeEach(async () => {
    machine = new Machine();
    ({ window, session } = await machine.openSignedIn());
  });

  const secretsSent = (): string[] => machine.service.requests.map(({ credentials }) => credentials.clientSecret);
  const refresh = (where = window): Promise<void> => machine.finish(where.sessions.refreshNow(session.id));
  const known = async (): Promise<CurrentSession | undefined> => (await machine.finish(window.sessions.list()))[0];

  it('brings a token that is as old as its request, if its window stood still before it read the response', async () => {
    const respond = machine.service.hold();
    const refreshed = window.sessions.refreshNow(session.id);
    await machine.settle();
    machine.timeline.sleepMachine(LIFETIME);
    respond();
    await machine.finish(refreshed);
    assert.equal(machine.service.accessToken(), 'access.1.2');
    assert.equal(await machine.token(window), 'access.1.3');
  });

  it('is followed by another one for a caller that waited for it, if the token has expired before it was read', async () => {
    const respond = machine.service.hold();
    machine.timeline.sleepMachine(LIFETIME);
    const served = window.serve();
    await machine.settle();
    machine.timeline.sleepMachine(LIFETIME);
    respond();
    assert.equal((await machine.finish(served))[0]?.accessToken, 'access.1.3');
    assert.equal(machine.service.asked, 2);
  });

  for (const [what, error, fault, told] of CASES) {
    const then = fault === 'needs user' ? 'waits for a person' : 'is tried again automatically';
    it(`keeps the session if ${what}, and ${then}`, async () => {
      machine.service.nextFail(error);
      await assert.rejects(refresh(), { name: 'SessionError', fault });
      assert.equal(await machine.token(window), session.accessToken);
      const { lastRefresh, needsUser, standing } = (await known()) ?? assert.fail();
      assert.deepEqual(
        [lastRefresh?.outcome, standing, needsUser],
        fault === 'needs user' ? ['refused', 'stopped', true] : [fault, 'retrying', false],
      );
      assert.deepEqual(window.told, told === undefined ? [] : [told]);
      machine.timeline.sleepMachine(LIFETIME);
      const other = machine.open();
      if (fault === 'needs user') {
        for (const one of [window, other]) assert.deepEqual(await machine.serve(one), [], 'VS Code offers a sign-in');
        assert.equal(machine.service.asked, 1);
        await refresh();
      }
      for (const one of [window, other]) assert.equal(await machine.token(one), machine.service.accessToken());
      assert.equal(machine.service.asked, 2, 'when its time has come');
    });
  }

  it('isn’t tried again, in any window, before its time', async () => {
    await machine.advance(LIFETIME);
    machine.service.nextFail(new ServiceError('refresh', 429, 'slow_down'));
    await assert.rejects(machine.serve(window), { fault: 'refused' });
    const others = [machine.open(), machine.open()];
    for (const { sessions } of [window, ...others]) void sessions.run();
    await machine.advance(4_999);
    for (const other of others) await assert.rejects(machine.serve(other, 0), { fault: 'refused' });
    assert.equal(machine.service.asked, 1);
    await machine.advance(2_000);
    assert.equal(machine.service.asked, 2);
    for (const other of others) assert.equal(await machine.token(other), machine.service.accessToken());
  });

  it('whose tokens can’t be read isn’t done again, whoever asks: the service has replaced the token that was sent', async () => {
    machine.service.nextFail(TOKENS_LOST);
    await assert.rejects(refresh(), { fault: 'needs user' });
    for (let attempt = 0; attempt < 3; attempt++) {
      await assert.rejects(refresh(), { fault: 'needs user' });
      await machine.advance(LIFETIME);
    }
    assert.equal(machine.service.asked, 1);
    assert.deepEqual(window.told, ['needs user']);
    assert.equal((await known())?.lastRefresh?.outcome, 'tokens lost');
  });

  it('whose response has no lifetime loses nothing', async () => {
    machine.service.nextHave({ expiresIn: undefined });
    await refresh();
    assert.equal(await machine.token(window), machine.service.accessToken());
  });

  it('whose response has no usable refresh token serves its access token, and continues with the one that was sent', async () => {
    machine.service.nextHave({ refreshToken: undefined });
    await refresh();
    assert.equal(await machine.token(window), machine.service.accessToken());
    assert.equal((await known())?.lastRefresh?.outcome, 'refreshed');
    await refresh().catch(() => undefined);
    const [first, second] = machine.service.requests;
    assert.equal(second?.refreshToken, first?.refreshToken);
    assert.deepEqual(window.told, ['ended'], 'the service had replaced it, and says so');
    assert.equal(machine.service.asked, 2);
  });

  it('whose response has no usable access token keeps the refresh token, and isn’t called a success', async () => {
    machine.service.nextHave(NO_ACCESS_TOKEN);
    await refresh();
    assert.equal((await known())?.lastRefresh?.outcome, 'incomplete');
    await assert.rejects(machine.serve(window), { name: 'SessionError', fault: 'invalid response' });
    assert.equal(machine.service.asked, 1);
    await machine.advance(5_000);
    assert.equal(await machine.token(window), machine.service.accessToken());
    assert.equal((await known())?.lastRefresh?.outcome, 'refreshed');
    assert.ok(machine.service.requests.every(({ current }) => current));
  });

  it('of a token pair with a long life comes before the refresh token’s 30 days are over', async () => {
    machine.service.nextHave({ expiresIn: 60 * 24 * 3_600 });
    await refresh();
    const [served] = await machine.serve(window);
    const days = ((served?.nextRefreshAt ?? 0) - machine.timeline.now) / (24 * 3_600_000);
    assert.ok(days > 20 && days < 23, `after ${days} days`);
    machine.timeline.sleepMachine(23 * 24 * 3_600_000);
    void window.sessions.run();
    await machine.advance(1_000);
    assert.equal(machine.service.asked, 2);
  });

  it('whose client secret is refused again and again is told once, until something changes', async () => {
    const second = await machine.signIn(window, { label: 'Grace' });
    machine.service.nextFail(WRONG_CREDENTIALS, 1_000);
    void window.sessions.run();
    await machine.advance(DUE + LIFETIME);
    assert.ok(machine.service.asked > 10);
    assert.deepEqual(window.told, ['credentials refused']);
    await machine.finish(window.clientSecrets.set(SERVICE, 'also wrong'));
    assert.deepEqual(window.told, ['credentials refused', 'credentials refused'], 'another secret, another refusal');
    await machine.advance(LIFETIME);
    assert.equal(window.told.length, 2);
    machine.service.recover();
    await machine.advance(LIFETIME);
    assert.equal(window.told.length, 2);
    machine.service.nextFail(WRONG_CREDENTIALS);
    await assert.rejects(machine.finish(window.sessions.refreshNow(second.id)));
    assert.equal(window.told.length, 3, 'it was accepted in between');
  });

  for (const where of ['one window', 'two windows'] as const) {
    it(`whose client secret is refused for two accounts at the same time is told once: in ${where}`, async () => {
      const second = await machine.signIn(window, { label: 'Grace' });
      const other = where === 'one window' ? window : machine.open();
      await machine.serve(other);
      await machine.advance(LIFETIME);
      const responses = [machine.service.hold(WRONG_CREDENTIALS), machine.service.hold(WRONG_CREDENTIALS)];
      const served = Promise.allSettled([window.serve(session.account.id), other.serve(second.account.id)]);
      await machine.settle();
      assert.equal(machine.service.asked, 2);
      for (const respond of responses) respond();
      await machine.finish(served);
      assert.deepEqual(where === 'one window' ? window.told : [...window.told, ...other.told], ['credentials refused']);
    });
  }

  it('is done again with a new client secret, and doesn’t share the refusal of one that began with the old', async () => {
    const respond = machine.service.hold(WRONG_CREDENTIALS);
    const first = window.sessions.refreshNow(session.id);
    await machine.settle();
    await machine.finish(window.clientSecrets.set(SERVICE, 'the right one'));
    const second = window.sessions.refreshNow(session.id);
    await machine.settle();
    respond();
    await assert.rejects(machine.finish(first), { fault: 'refused' });
    await machine.finish(second);
    assert.deepEqual(secretsSent(), [CLIENT_SECRET, 'the right one']);
    assert.equal(await machine.token(window), machine.service.accessToken());
  });

  it('that a person asks for while another one succeeds sends nothing more', async () => {
    const respond = machine.service.hold();
    const both = [window.sessions.refreshNow(session.id), window.sessions.refreshNow(session.id)];
    await machine.settle();
    respond();
    await machine.finish(Promise.all(both));
    assert.equal(machine.service.asked, 1);
  });

  it('without a client secret sends nothing, tells the person once, and follows when it’s entered', async () => {
    await machine.finish(window.clientSecrets.remove(SERVICE));
    void window.sessions.run();
    await machine.advance(LIFETIME + 60_000);
    await assert.rejects(machine.serve(window), { name: 'SessionError', fault: 'refused' });
    assert.deepEqual([window.told, machine.service.asked], [['credentials refused'], 0]);
    await machine.finish(window.clientSecrets.set(SERVICE, CLIENT_SECRET));
    assert.equal(await machine.token(window), machine.service.accessToken());
    assert.equal(machine.service.asked, 1);
  });
});
