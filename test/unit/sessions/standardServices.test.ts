import assert from 'node:assert/strict';
import type { TokenResponse } from '../../../src/oauth/types';
import type { Service } from '../../../src/oauth/service';
import { InvalidResponseError, NetworkError, ServiceError } from '../../../src/oauth/errors';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import { tokenFields } from '../../../src/sessions/tokenFields';
import { entryWith } from './entries';
import { LIFETIME, Machine, type SignInOptions, STANDARD_SERVICE as SERVICE, type TestWindow } from './machine';
import type { Trouble } from './troubledRows';

/** Guards what sessions of standard services do differently: expiry, scopes, users, and revocation. */
describe('the sessions of a standard service', () => {
  let machine: Machine;
  let window: TestWindow;
  let revoked: Partial<TokenResponse>[];

  beforeEach(() => {
    machine = new Machine();
    revoked = [];
    Object.assign(machine.service.client, {
      revoke: (_: unknown, tokens: Partial<TokenResponse>) => {
        revoked.push(tokens);
        return Promise.resolve();
      },
    });
    openAgain();
  });

  /** Someone signs in, and gets tokens with these fields. */
  const signIn = (fields: Partial<TokenResponse> = {}, options: SignInOptions = {}): Promise<CurrentSession> =>
    machine.signIn(window, { service: SERVICE, tokens: { ...machine.service.grant(), ...fields }, ...options });
  const served = async (...scopes: string[]): Promise<readonly string[]> =>
    (await machine.finish(window.serve(undefined, scopes))).map(({ id }) => id);
  const openAgain = (): void => {
    window = machine.open();
    window.configure(SERVICE);
    void window.sessions.run();
  };
  const user = (id: string): { readonly id: string; readonly name: undefined } => ({ id, name: undefined });

  it('need no client secret, and are refreshed at the endpoints that they were made with', async () => {
    await signIn();
    await machine.advance(LIFETIME);
    assert.deepEqual(machine.service.requests[0]?.credentials, { ...SERVICE, clientSecret: '' });
    assert.equal(await machine.token(window), machine.service.accessToken());
  });

  for (const fault of ['throws', 'hangs'] as const) {
    it(`are refreshed although SecretStorage ${fault}: a client without a secret needs nothing from it`, async () => {
      await signIn();
      await machine.advance(1_000);
      machine.shelf.setFault(window, fault);
      await machine.advance(LIFETIME);
      assert.ok(machine.service.asked > 0);
      assert.equal(await machine.token(window), machine.service.accessToken());
    });
  }

  it('keep the scope that no response listed, and a small journal, if each refresh lists new ones', async () => {
    const { id } = await signIn({ scopes: ['profile'] });
    for (let refresh = 0; refresh < 30; refresh++) {
      machine.service.nextHave({
        listedScopes: Array.from({ length: 20 }, (_, each) => `${refresh}.${each}`.repeat(100)),
      });
      await machine.finish(window.sessions.refreshNow(id));
    }
    assert.deepEqual(await served('profile'), [id]);
    assert.ok((machine.store.peek(`session/${id}`)?.length ?? 0) < 100_000);
  });

  it('keep their first scopes, in a journal that can be read, if a response has hardly anything else', async () => {
    const { id } = await signIn({ idToken: 'x'.repeat(1_000_000), scopes: ['profile'] });
    machine.service.nextHave({ listedScopes: Array.from({ length: 170_000 }, (_, each) => each.toString(36)) });
    await machine.finish(window.sessions.refreshNow(id));
    assert.equal(machine.service.asked, 1);
    await machine.advance(1_000);
    machine.kill(window);
    openAgain();
    await machine.advance(1_000);
    assert.deepEqual(await served('profile'), [id]);
  });

  for (const [what, refreshToken, isKnown] of [
    ['goes on if it isn’t replaced', undefined, true],
    ['goes on if the service repeats it', 'refresh.1.1', true],
    ['is unknown if another one doesn’t say it', 'another refresh token', false],
  ] as const) {
    it(`are refreshed while their refresh token lives, whose life ${what}`, async () => {
      const { id, signedInAt } = await signIn({
        refreshToken: 'refresh.1.1',
        expiresIn: (10 * LIFETIME) / 1000,
        refreshExpiresIn: (4 * LIFETIME) / 1000,
      });
      await machine.advance(LIFETIME);
      machine.service.nextHave({ refreshToken, expiresIn: (10 * LIFETIME) / 1000 });
      await machine.finish(window.sessions.refreshNow(id));
      const [session] = await machine.finish(window.sessions.list());
      assert.equal(Number(session?.nextRefreshAt) < signedInAt + 4 * LIFETIME, isKnown);
      const left = Number(session?.refreshLifetime) / LIFETIME;
      assert.equal(Math.round(left), isKnown ? 3 : Number.NaN);
    });
  }

  it('aren’t refreshed ever sooner near the end of their refresh token’s life', () => {
    let { record } = entryWith({ lifetime: LIFETIME, refreshLifetime: LIFETIME });
    let refreshes = 0;
    for (; record.refreshLifetime !== undefined; refreshes++) {
      const requestedAt = record.obtainedAt + 0.75 * record.refreshLifetime;
      const tokens = { accessToken: 'access', refreshToken: undefined, requestedAt, expiresIn: LIFETIME / 1000 };
      record = { ...record, ...tokenFields(tokens, record) };
    }
    assert.equal(refreshes, 3);
  });

  it('without an expiry are served until their token is reported as rejected', async () => {
    const { expiresAt, nextRefreshAt } = await signIn({ expiresIn: Number.POSITIVE_INFINITY });
    assert.deepEqual([expiresAt, nextRefreshAt], [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
    await machine.advance(10 * LIFETIME);
    const token = await machine.token(window);
    assert.equal(machine.service.asked, 0);
    assert.equal(await machine.finish(window.sessions.reportRejected(token)), true);
    assert.notEqual(await machine.token(window), token);
  });

  it('live as long as before if a refresh doesn’t say it', async () => {
    const { id } = await signIn();
    for (const expiresIn of [Number.POSITIVE_INFINITY, undefined, Number.POSITIVE_INFINITY]) {
      await machine.advance(1_000);
      machine.service.nextHave({ expiresIn });
      await machine.finish(window.sessions.refreshNow(id));
      const [session] = await machine.finish(window.sessions.list());
      assert.equal(Number(session?.expiresAt) - Number(session?.obtainedAt), LIFETIME);
    }
  });

  it('live as long as before if they were restored, and the next refresh doesn’t say it', async () => {
    await signIn();
    await machine.advance(1_000);
    machine.kill(window);
    machine.store.empty();
    openAgain();
    machine.service.nextHave({ expiresIn: Number.POSITIVE_INFINITY });
    await machine.advance(60_000);
    const [session] = await machine.finish(window.sessions.list());
    assert.equal(machine.service.asked, 1);
    assert.equal(Number(session?.expiresAt) - Number(session?.obtainedAt), LIFETIME);
  });

  it('aren’t served a token that has expired on arrival, if the service ever said a lifetime', async () => {
    const { id } = await signIn();
    machine.service.nextHave({ expiresIn: 0 });
    await machine.finish(window.sessions.refreshNow(id));
    const [session] = await machine.finish(window.sessions.list());
    assert.equal(session?.standing, 'retrying');
    await assert.rejects(machine.finish(window.serve()), { fault: 'invalid response' });
    machine.service.nextFail(new ServiceError('refresh', 400, 'invalid_grant'));
    await machine.advance(20_000);
    assert.deepEqual([window.told, machine.service.asked], [['ended'], 2]);
  });

  it('live for an hour if the service has never said a lifetime, and a refresh says that it’s over', async () => {
    const { id } = await signIn({ expiresIn: undefined });
    machine.service.nextHave({ expiresIn: 0 });
    await machine.finish(window.sessions.refreshNow(id));
    const [session] = await machine.finish(window.sessions.list());
    assert.equal(Number(session?.expiresAt) - Number(session?.obtainedAt), 3_600_000);
    assert.equal(await machine.token(window), machine.service.accessToken());
  });

  it('with tokens that live for a second are refreshed every ten seconds at most, unless a caller needs one', async () => {
    await signIn({ expiresIn: 1 });
    for (let refresh = 0; refresh < 20; refresh++) machine.service.nextHave({ expiresIn: 1 });
    await machine.advance(21_000);
    assert.equal(machine.service.asked, 2);
    assert.equal(await machine.token(window), machine.service.accessToken());
    assert.equal(machine.service.asked, 3);
  });

  it('are refreshed without the resource from then on, once the service refused it', async () => {
    const others = SERVICE.endpoints ?? assert.fail('it has endpoints');
    const endpoints = { ...others, resource: 'https://api.example' };
    const service: Service = { ...SERVICE, endpoints };
    const { id } = await signIn({}, { service });
    machine.service.nextHave({ endpoints: others });
    await machine.finish(window.sessions.refreshNow(id));
    await machine.finish(window.sessions.refreshNow(id));
    assert.deepEqual(
      machine.service.requests.map(({ credentials }) => credentials.endpoints),
      [endpoints, others],
    );
  });

  it('without a refresh token are served until they expire, and then need the person', async () => {
    const { canRefresh, nextRefreshAt } = await signIn({ refreshToken: undefined });
    assert.deepEqual([canRefresh, nextRefreshAt], [false, Number.POSITIVE_INFINITY]);
    await machine.advance(LIFETIME - 1_000);
    assert.equal(await machine.token(window), 'access.1.1');
    assert.deepEqual(window.told, []);
    await machine.advance(2_000);
    assert.deepEqual(await machine.serve(window), []);
    await machine.advance(LIFETIME);
    assert.deepEqual(window.told, ['needs user']);
    assert.equal((await machine.finish(window.sessions.list())).length, 1);
    assert.equal(machine.service.asked, 0);
  });

  it('without a refresh token are told as expired once, though the clock was set back and windows differ in their age', async () => {
    await signIn({ refreshToken: undefined });
    await machine.advance(LIFETIME / 2);
    const first = window;
    openAgain();
    await machine.advance(1_000);
    let writes = 0;
    for (const { rows } of [first, window]) {
      rows.trouble = (_, written) => void (writes += written.length);
    }
    machine.timeline.jump(-600_000);
    await machine.advance(LIFETIME);
    assert.deepEqual([...first.told, ...window.told], ['needs user']);
    assert.equal(writes, 1);
  });

  it('without a refresh token need the person when their token is reported as rejected', async () => {
    await signIn({ refreshToken: undefined });
    assert.equal(await machine.finish(window.sessions.reportRejected('access.1.1')), false);
    const [session] = await machine.finish(window.sessions.list());
    assert.deepEqual([session?.needsUser, window.told], [true, ['needs user']]);
    await machine.advance(1_000);
    machine.kill(window);
    openAgain();
    await machine.advance(30_000);
    assert.deepEqual([await machine.serve(window), window.told], [[], []], 'that stays until they sign in');
  });

  it('without a refresh token stay as they are if one server rejects their token: others may accept it', async () => {
    await signIn({ refreshToken: undefined });
    assert.equal(await machine.finish(window.sessions.replaceRejected('access.1.1')), false);
    assert.equal(await machine.token(window), 'access.1.1');
    assert.deepEqual([(await machine.finish(window.sessions.list()))[0]?.needsUser, window.told], [false, []]);
  });

  it('are announced when they can’t be served anymore: VS Code asks again, and gets none', async () => {
    await signIn({ refreshToken: undefined });
    window.changes.length = 0;
    await machine.advance(LIFETIME + 1_000);
    const [{ changed, ...rest } = assert.fail('nothing was told'), ...further] = window.changes;
    assert.deepEqual([changed.map(({ needsUser }) => needsUser), rest.removed, further], [[true], [], []]);
    const { id } = await signIn({ refreshToken: undefined });
    window.changes.length = 0;
    await machine.finish(window.sessions.reportRejected('access.2.1'));
    await machine.advance(60_000);
    assert.deepEqual(
      window.changes.map((change) => change.changed.map((one) => one.id)),
      [[id]],
    );
  });

  it('that only their person can renew are announced when they expire, not before', async () => {
    await signIn();
    machine.service.nextFail(new ServiceError('refresh', 400, 'strange_trouble'));
    await machine.advance(0.9 * LIFETIME);
    window.changes.length = 0;
    assert.deepEqual(window.told, ['needs user']);
    await machine.advance(0.05 * LIFETIME);
    assert.equal(await machine.token(window), 'access.1.1');
    assert.deepEqual(window.changes, []);
    await machine.advance(0.1 * LIFETIME);
    assert.equal(window.changes.length, 1);
  });

  it('without a refresh token are what a new sign-in replaces as soon as they have expired', async () => {
    await signIn({ refreshToken: undefined });
    machine.timeline.sleepMachine(2 * LIFETIME);
    const [expired] = await machine.finish(window.sessions.list());
    assert.equal(expired?.needsUser, true);
    const { account } = await signIn({}, { accountId: expired.account.id });
    assert.deepEqual(account, expired.account);
    assert.equal((await machine.finish(window.sessions.list())).length, 1);
  });

  it('without a refresh token outlive a clock that’s wrong for a while, and are revoked when somebody signs out', async () => {
    const { id } = await signIn({ refreshToken: undefined });
    for (const hours of [5, -5]) {
      machine.timeline.jump(hours * 3_600_000);
      openAgain();
      await machine.advance(25_000);
      assert.equal((await machine.serve(window)).length, hours > 0 ? 0 : 1);
      machine.timeline.jump(-hours * 3_600_000);
      await machine.advance(25_000);
      assert.equal(await machine.token(window), 'access.1.1');
      assert.equal((await machine.finish(window.sessions.list()))[0]?.needsUser, false);
    }
    await machine.finish(window.sessions.reportRejected('access.1.1'));
    await machine.finish(window.sessions.remove(id));
    await machine.settle();
    assert.deepEqual(
      revoked.map(({ accessToken }) => accessToken),
      ['access.1.1'],
    );
  });

  it('are revoked by the tokens that another window has just got', async () => {
    const { id } = await signIn();
    const other = machine.open();
    other.configure(SERVICE);
    await machine.finish(other.sessions.list());
    machine.store.faults.unwatched = true;
    await machine.finish(other.sessions.refreshNow(id));
    await machine.finish(window.sessions.remove(id));
    await machine.settle();
    assert.deepEqual(
      revoked.map(({ refreshToken }) => refreshToken),
      ['refresh.1.2'],
    );
  });

  for (const [what, error, expected] of [
    ['no response', new NetworkError('refresh', 'timeout', true), [1, 3, 10, 20]],
    ['a success that can’t be read', new InvalidResponseError('refresh', 200, 'not JSON'), [1, 3, 10, 20]],
    ['a redirect', new InvalidResponseError('refresh', 302, 'redirect'), [5, 10, 20]],
  ] as const) {
    it(`send a refresh with ${what} again after ${expected.join(', ') || 'no'} s, even if it wasn’t due`, async () => {
      const { id } = await signIn();
      machine.service.nextFail(error, 4);
      await assert.rejects(machine.finish(window.sessions.refreshNow(id)));
      await machine.advance(60_000);
      const times = machine.service.requests.map(({ at }) => at);
      const pauses = times.slice(1).map((at, index) => Math.round((at - (times[index] ?? 0)) / 1000));
      assert.deepEqual(pauses, expected);
    });
  }

  it('aren’t served with somebody else’s token, and keep the refresh token', async () => {
    await signIn({}, { user: user('["i","1"]'), mustShowUser: true });
    machine.service.nextHave({ user: user('["i","2"]') });
    await machine.advance(LIFETIME);
    assert.deepEqual(window.told, ['needs user']);
    assert.deepEqual(await machine.serve(window), []);
    const [session] = await machine.finish(window.sessions.list());
    await assert.rejects(machine.finish(window.sessions.refreshNow(session?.id ?? '')), { fault: 'needs user' });
    assert.equal(machine.service.requests.at(-1)?.refreshToken, 'refresh.1.2');
  });

  it('aren’t served after somebody else’s token, whatever a refresh brings, until it names the user again', async () => {
    const ada = { user: user('["i","1"]'), mustShowUser: true };
    const { id } = await signIn({}, ada);
    machine.service.nextHave({ user: user('["i","2"]') });
    await assert.rejects(machine.finish(window.sessions.refreshNow(id)), { fault: 'needs user' });
    await assert.rejects(machine.finish(window.sessions.refreshNow(id)), { fault: 'needs user' });
    assert.deepEqual(await machine.serve(window), []);
    await machine.advance(1_000);
    machine.kill(window);
    for (const name of machine.namesAfter('session/')) machine.store.tamperRemove(`session/${name}`);
    openAgain();
    await machine.advance(60_000);
    assert.deepEqual(await machine.serve(window), [], 'the recovery copy says it, too');
    machine.service.nextHave({ user: ada.user });
    await machine.finish(window.sessions.refreshNow(id));
    assert.equal(await machine.token(window), machine.service.accessToken());
  });

  it('aren’t compared with an ID token if their user’s ID came from elsewhere', async () => {
    const { id } = await signIn({}, { user: user('4711'), mustShowUser: true });
    machine.service.nextHave({ user: user('["i","1"]') });
    await machine.finish(window.sessions.refreshNow(id));
    assert.equal(await machine.token(window), machine.service.accessToken());
  });

  it('are revoked when somebody signs out, by the refresh token', async () => {
    const { id } = await signIn();
    await machine.finish(window.sessions.remove(id), 1_000);
    await machine.settle();
    assert.deepEqual(revoked, [{ ...revoked[0], accessToken: 'access.1.1', refreshToken: 'refresh.1.1' }]);
  });

  it('are said to be revoked only if there were tokens', async () => {
    const { id } = await signIn();
    for (const expected of [true, undefined]) {
      const { revoked: isRevoked } = await machine.finish(window.sessions.remove(id));
      await machine.settle();
      assert.equal(await isRevoked, expected);
    }
    const nowhere = await machine.finish(window.sessions.remove('unknown'));
    assert.equal(nowhere.revoked, undefined);
  });

  it('are revoked by the tokens that came after somebody signed out', async () => {
    const { id } = await signIn();
    const respond = machine.service.hold();
    await machine.advance(0.8 * LIFETIME);
    await machine.finish(window.sessions.remove(id), 1_000);
    respond();
    await machine.settle();
    const tokens = revoked.map(({ refreshToken }) => refreshToken);
    assert.deepEqual(tokens, ['refresh.1.1', 'refresh.1.2']);
  });

  /** The disk refuses what a refresh has brought. Somebody signs out in another window. */
  const signOutWhileRefused = async (trouble: Trouble): Promise<void> => {
    const { id } = await signIn();
    const other = machine.open();
    other.configure(SERVICE);
    const respond = machine.service.hold();
    const refreshing = window.sessions.refreshNow(id).catch(() => undefined);
    await machine.settle();
    window.rows.trouble = trouble;
    respond();
    await machine.finish(refreshing);
    await machine.finish(other.sessions.remove(id));
  };
  const revokedTokens = (): unknown[] => revoked.map(({ refreshToken }) => refreshToken);

  it('are revoked by the tokens that the disk never took, of which there’s a copy', async () => {
    await signOutWhileRefused((transaction) => (transaction === 'write' ? 'EIO' : undefined));
    await machine.advance(30_000);
    assert.deepEqual(revokedTokens(), ['refresh.1.2', 'refresh.1.2']);
  });

  it('are revoked by the tokens that came after somebody signed out, even if the account has another session left', async () => {
    const { account, id } = await signIn({ scopes: ['a'] });
    const second = await signIn({ scopes: ['b'] }, { accountId: account.id });
    const respond = machine.service.hold();
    const refreshing = window.sessions.refreshNow(id).catch(() => undefined);
    await machine.settle();
    await machine.finish(window.sessions.remove(id));
    respond();
    await machine.finish(refreshing);
    await machine.finish(window.sessions.remove(second.id));
    await machine.settle();
    assert.deepEqual(revokedTokens(), ['refresh.1.1', 'refresh.1.2', 'refresh.2.1']);
  });

  it('aren’t revoked by the tokens that came after another session had replaced them', async () => {
    const { account, id } = await signIn({ scopes: ['a'] });
    const respond = machine.service.hold();
    const refreshing = window.sessions.refreshNow(id).catch(() => undefined);
    await machine.settle();
    await signIn({ scopes: ['a', 'b'] }, { accountId: account.id });
    respond();
    await machine.finish(refreshing);
    await machine.settle();
    assert.deepEqual(revokedTokens(), []);
  });

  it('never give the label of one user to another, not even after a sign-out', async () => {
    const ada = { user: user('["i","1"]'), mustShowUser: true, label: 'Ada' };
    const { id } = await signIn({}, ada);
    await machine.finish(window.sessions.remove(id));
    const other = await signIn({}, { ...ada, user: user('["i","2"]') });
    const again = await signIn({}, ada);
    assert.deepEqual([other.account.label, again.account.label], ['Ada (2)', 'Ada']);
    await assert.rejects(machine.finish(window.sessions.rename(other.id, 'ada')), { fault: 'label taken' });
  });

  it('without a token that can be used are left out beside others', async () => {
    await signIn({ refreshToken: undefined });
    const { id } = await signIn({}, { label: 'Grace' });
    await machine.advance(1.5 * LIFETIME);
    assert.deepEqual(await served(), [id]);
  });

  describe('have scopes, and', () => {
    it('keep them if only the recovery copy is left, even if the service doesn’t list them again', async () => {
      const { id } = await signIn({ scopes: ['a'] });
      await machine.advance(1_000);
      machine.kill(window);
      for (const name of machine.namesAfter('session/')) machine.store.tamperRemove(`session/${name}`);
      openAgain();
      await machine.advance(60_000);
      assert.deepEqual(await served('a'), [id]);
    });

    it('request the same ones if only the recovery copy is left, and lose those that the service takes away', async () => {
      const { id } = await signIn({ scopes: ['a', 'b'], listedScopes: ['a', 'b'], requestedScopes: ['a', 'b'] });
      await machine.advance(1_000);
      machine.kill(window);
      for (const name of machine.namesAfter('session/')) machine.store.tamperRemove(`session/${name}`);
      machine.service.nextHave({ listedScopes: ['a'] });
      openAgain();
      await machine.advance(60_000);
      assert.deepEqual(machine.service.requests[0]?.requestedScopes, ['a', 'b']);
      assert.deepEqual([await served('a'), await served('b')], [[id], []]);
    });

    it('are one session again if the window dies while it ends what a new sign-in has replaced', async () => {
      const { account, id } = await signIn({ scopes: ['a'] });
      await machine.advance(1_000);
      window.rows.trouble = (_, written) => {
        if (written.includes(`session/${id}`)) machine.kill(window);
        return undefined;
      };
      const tokens = { ...machine.service.grant(), scopes: ['a', 'b'] };
      void window.signIn(tokens, { service: SERVICE, accountId: account.id });
      await machine.advance(1_000);
      openAgain();
      await machine.advance(2 * LIFETIME);
      const [session, ...others] = await machine.finish(window.sessions.list());
      assert.deepEqual([session?.account, session?.scopes, others], [account, ['a', 'b'], []]);
      assert.deepEqual([window.told, revoked], [[], []]);
      assert.match(machine.store.peek(`session/${id}`) ?? '', /^\{"endedAt"/);
      assert.equal(machine.namesAfter('session/').length, 2);
    });

    it('answer those that they have, however these are asked for', async () => {
      const { id, scopes } = await signIn({ scopes: ['a', 'b'] });
      assert.deepEqual(scopes, ['a', 'b']);
      for (const wanted of [[], ['b'], ['b', 'a'], ['a b', '']]) assert.deepEqual(await served(...wanted), [id]);
      for (const wanted of [['c'], ['a', 'c']]) assert.deepEqual(await served(...wanted), []);
    });

    for (const [what, first, second, expected] of [
      ['keep them if the service lists none', ['a', 'b'], undefined, ['a', 'b']],
      ['lose one that isn’t listed anymore', ['a', 'b'], ['a'], ['a']],
      ['keep one that was never listed', ['a'], ['a'], ['a', 'b']],
      ['keep all that were never listed', undefined, ['c'], ['a', 'b', 'c']],
      ['lose all that aren’t listed anymore', ['a', 'b'], ['d'], ['d']],
      ['lose all that were listed if the list is empty', ['a'], [], ['b']],
    ] as const) {
      it(`${what}: ${String(first)}, then ${String(second)}`, async () => {
        const { id } = await signIn({
          scopes: ['a', 'b'],
          requestedScopes: ['a', 'b'],
          ...(first && { listedScopes: first }),
        });
        machine.service.nextHave(second === undefined ? {} : { listedScopes: second });
        await machine.finish(window.sessions.refreshNow(id));
        for (const scope of ['a', 'b', 'c', 'd'])
          assert.deepEqual(await served(scope), (expected as readonly string[]).includes(scope) ? [id] : [], scope);
      });
    }

    it('request in each refresh what the sign-in requested, until the service refuses that', async () => {
      const { id } = await signIn({ scopes: ['a', 'x'], listedScopes: ['x'], requestedScopes: ['a', 'b'] });
      await machine.finish(window.sessions.refreshNow(id));
      machine.service.nextHave({ requestedScopes: [] });
      await machine.finish(window.sessions.refreshNow(id));
      await machine.finish(window.sessions.refreshNow(id));
      assert.deepEqual(
        machine.service.requests.map(({ requestedScopes }) => requestedScopes),
        [['a', 'b'], ['a', 'b'], []],
      );
    });

    it('keep them through a refresh, which may add some', async () => {
      const { id } = await signIn({ scopes: ['a'] });
      machine.service.nextHave({ listedScopes: ['b'] });
      await machine.advance(LIFETIME);
      assert.deepEqual(await served('a', 'b'), [id]);
    });

    it('get more by a new sign-in, which every window is told in one event, and which revokes nothing', async () => {
      const { account, id } = await signIn({ scopes: ['a'] });
      const windows = [window, machine.open()];
      for (const one of windows) {
        one.configure(SERVICE);
        void one.sessions.run();
      }
      await machine.advance(1_000);
      for (const { changes } of windows) changes.length = 0;
      const wider = await signIn({ scopes: ['b', 'a'] }, { accountId: account.id });
      assert.notEqual(wider.id, id);
      await machine.advance(1_000);
      for (const { changes } of windows) {
        const [{ added, changed, removed } = assert.fail('nothing was told'), ...further] = changes;
        const ids = [added, removed].map((sessions) => sessions.map((one) => one.id));
        assert.deepEqual([ids, changed, further], [[[wider.id], [id]], [], []]);
      }
      const [session, ...others] = await machine.finish(window.serve(undefined, ['a', 'b']));
      assert.deepEqual([session?.id, session?.account, others], [wider.id, account, []]);
      assert.equal(session?.accessToken, 'access.2.1');
      await machine.advance(LIFETIME);
      assert.equal(await machine.token(window), machine.service.accessToken(2));
      assert.deepEqual([revoked, machine.service.asked], [[], 1]);
    });

    it('stay beside a new one of the account that lacks some, and the narrowest is served', async () => {
      const { account, id } = await signIn({ scopes: ['a', 'b'] });
      const second = await signIn({ scopes: ['b'] }, { accountId: account.id });
      assert.notEqual(second.id, id);
      assert.deepEqual(second.account, account);
      assert.deepEqual([await served('a'), await served('b')], [[id], [second.id]]);
      assert.equal((await machine.finish(window.sessions.list())).length, 2);
    });

    it('all get the account’s new name, and are all replaced by a sign-in that covers them', async () => {
      const { account } = await signIn({ scopes: ['a', 'b'] });
      const second = await signIn({ scopes: ['c'] }, { accountId: account.id });
      await machine.finish(window.sessions.rename(second.id, 'Grace'));
      const accounts = (await machine.finish(window.sessions.list())).map((session) => session.account);
      const renamed = { id: account.id, label: 'Grace' };
      assert.deepEqual(accounts, [renamed, renamed]);
      const third = await signIn({ scopes: ['a', 'b', 'c'] }, { accountId: second.account.id });
      assert.deepEqual([await served('a', 'b', 'c'), third.account], [[third.id], renamed]);
      assert.equal((await machine.finish(window.sessions.list())).length, 1);
    });

    it('belong to the same account if the same user signs in again', async () => {
      const { account } = await signIn({ scopes: ['a'] }, { user: user('["i","1"]'), mustShowUser: true });
      const again = await signIn(
        { scopes: ['a', 'b'] },
        { user: user('["i","1"]'), mustShowUser: true, label: 'Other' },
      );
      await signIn({ scopes: ['a'] }, { user: user('["i","2"]'), mustShowUser: true });
      assert.deepEqual([await served('a', 'b'), again.account], [[again.id], account]);
      assert.equal((await machine.finish(window.sessions.list())).length, 2);
    });
  });
});
