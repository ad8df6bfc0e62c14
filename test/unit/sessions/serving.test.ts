import assert from 'node:assert/strict';
import { ServiceError } from '../../../src/oauth/errors';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import { DUE, LIFETIME, Machine, type TestWindow } from './machine';

/** A token is near its expiry for this long. Milliseconds. */
const NEAR_EXPIRY = 30_000;
/** Callers wait this long for another window's refresh, and for the token that follows one near its expiry. */
const SENDING_PATIENCE = 3_000;
const REFRESH_PATIENCE = 10_000;
/** How often a waiting caller looks. */
const LOOK = 50;

/** Guards that a caller gets a token that works, and in time. */
describe('a caller who asks for a session', () => {
  let machine: Machine;
  let window: TestWindow;
  let other: TestWindow;
  let session: CurrentSession;

  beforeEach(async () => {
    machine = new Machine();
    ({ window, session } = await machine.openSignedIn());
    other = machine.open();
    await machine.serve(other);
  });

  const now = (): number => machine.timeline.elapsed;

  it('gets a fresh token at once, and nothing is sent', async () => {
    await machine.advance(DUE * 0.9);
    assert.equal(await machine.token(window, 0), session.accessToken);
    assert.equal(machine.service.asked, 0);
  });

  it('gets a token that’s due at once; it’s refreshed meanwhile, once for all callers', async () => {
    await machine.advance(DUE);
    const respond = machine.service.hold();
    const callers = Array.from({ length: 100 }, () => window.serve());
    const all = await machine.finish(Promise.all(callers), 0);
    assert.ok(all.every(([served]) => served?.accessToken === session.accessToken));
    respond();
    await machine.settle();
    assert.equal(await machine.token(window, 0), machine.service.accessToken());
    assert.notEqual(machine.service.accessToken(), session.accessToken);
    assert.equal(machine.service.asked, 1);
  });

  it('gets an error rather than a token that another window has replaced, if this one can’t read the store', async () => {
    await machine.finish(window.sessions.refreshNow(session.id));
    other.rows.trouble = (transaction) => (transaction === 'read' ? 'EBUSY' : undefined);
    await assert.rejects(machine.serve(other), { reason: 'folder in use' });
    assert.equal((await machine.finish(other.sessions.list()))[0]?.id, session.id, 'lists come from memory');
    other.rows.trouble = () => undefined;
    assert.equal(await machine.token(other), machine.service.accessToken());
  });

  it('waits for the next token near the expiry of the current one', async () => {
    await machine.advance(LIFETIME - NEAR_EXPIRY);
    const respond = machine.service.hold();
    const served = window.serve();
    await machine.advance(REFRESH_PATIENCE - 1);
    respond();
    assert.equal((await machine.finish(served, 0))[0]?.accessToken, machine.service.accessToken());
  });

  for (const [what, age] of [
    ['near the expiry, and then gets this one', LIFETIME - NEAR_EXPIRY],
    ['if the token has expired, and then gets an error', LIFETIME],
  ] as const) {
    it(`waits at most 10 s ${what}`, async () => {
      await machine.advance(age);
      const respond = machine.service.hold();
      const start = now();
      const served = machine.token(window);
      if (age < LIFETIME) assert.equal(await served, session.accessToken);
      else await assert.rejects(served, { name: 'SessionError', fault: 'no response' });
      assert.equal(now() - start, REFRESH_PATIENCE);
      assert.equal((await machine.finish(window.sessions.list(), 0)).length, 1, 'menus still show the account');
      respond();
      await machine.settle();
      assert.equal(await machine.token(window, 0), machine.service.accessToken());
    });
  }

  it('waits no longer than 10 s in all, however many ask one after another', async () => {
    await machine.advance(LIFETIME);
    machine.service.hold();
    const start = now();
    for (let caller = 0; caller < 5; caller++) {
      await assert.rejects(machine.token(window), { fault: 'no response' });
    }
    assert.equal(now() - start, REFRESH_PATIENCE);
  });

  it('waits for another window’s request, and gets the new token as soon as it comes', async () => {
    await machine.advance(DUE);
    const respond = machine.service.hold();
    await machine.serve(other, 0);
    const served = window.serve();
    await machine.advance(SENDING_PATIENCE / 2);
    const start = now();
    respond();
    assert.equal((await machine.finish(served))[0]?.accessToken, machine.service.accessToken());
    assert.ok(now() - start <= LOOK, 'it looks often');
    assert.equal(machine.service.asked, 1);
  });

  it('waits at most 3 s for another window’s request, and only once', async () => {
    await machine.advance(DUE);
    machine.service.hold();
    await machine.serve(other, 0);
    const start = now();
    assert.equal(await machine.token(window), session.accessToken);
    assert.ok(now() - start <= SENDING_PATIENCE + LOOK);
    assert.ok(now() - start >= SENDING_PATIENCE - LOOK);
    assert.equal(await machine.token(window, 0), session.accessToken);
    assert.equal(machine.service.asked, 1);
  });

  it('gets the next token if the window that sent was killed: it’s sent again, after a pause', async () => {
    await machine.advance(LIFETIME);
    machine.service.hold(new Error('lost'));
    other.serve().catch(() => undefined);
    await machine.settle();
    machine.kill(other);
    const refreshed = window.sessions.refreshNow(session.id);
    await machine.advance(999);
    assert.equal(machine.service.asked, 1, 'the first request may still be at work for a moment');
    await machine.finish(refreshed);
    assert.equal(machine.service.asked, 2);
    assert.equal(await machine.token(window, 0), machine.service.accessToken());
    assert.match(window.log.text(), /sent again/);
  });

  it('gets no session, and no error, if the service ends it when its token is renewed', async () => {
    machine.service.revoke();
    await machine.advance(LIFETIME);
    assert.deepEqual(await machine.serve(window), []);
    assert.deepEqual(await machine.serve(other), []);
    assert.equal(machine.service.asked, 1);
  });

  it('gets the session of a later sign-in that replaces the one that they wait for', async () => {
    const respond = machine.service.hold();
    const refreshed = window.sessions.refreshNow(session.id).catch(() => undefined);
    await machine.advance(100);
    const serving = window.serve();
    await machine.advance(100);
    const again = await machine.signIn(window, { accountId: session.account.id });
    respond();
    assert.deepEqual(
      (await machine.finish(serving)).map(({ id }) => id),
      [again.id],
    );
    await machine.finish(refreshed);
  });

  it('gets an error if one of the accounts can’t be renewed right now, unless they asked for another one', async () => {
    const grace = await machine.signIn(window, { label: 'Grace' });
    await machine.advance(LIFETIME);
    await machine.finish(window.sessions.refreshNow(grace.id));
    machine.service.nextFail(new ServiceError('refresh', 503, undefined));
    await assert.rejects(machine.serve(window), { fault: 'refused' }, 'they would get Grace’s token for Ada’s');
    const serve = async (accountId: string): Promise<readonly CurrentSession[]> =>
      await machine.finish(window.serve(accountId));
    await assert.rejects(serve(session.account.id), { name: 'SessionError', fault: 'refused' });
    const ids = (await serve(grace.account.id)).map(({ id }) => id);
    assert.deepEqual(ids, [grace.id]);
    assert.deepEqual(await serve('nobody’s'), []);
    await machine.finish(window.sessions.remove(grace.id));
    await assert.rejects(machine.serve(window), { fault: 'refused' }, 'it’s the only one now');
  });

  it('never gets the last token of an account that needs its person', async () => {
    const grace = await machine.signIn(window, { label: 'Grace' });
    await machine.advance(LIFETIME);
    await machine.finish(window.sessions.refreshNow(grace.id));
    machine.service.nextFail(new ServiceError('refresh', 400, 'strange_trouble'));
    const served = (await machine.serve(window)).map(({ accessToken }) => accessToken);
    assert.deepEqual(served, [machine.service.accessToken(2)]);
    assert.deepEqual(await machine.finish(window.serve(session.account.id)), []);
  });

  /** Somebody asks for all sessions. Ada's token is fresh, and Grace’s comes when `respond` is called. */
  const askWhileGraceIsRefreshed = async (): Promise<{
    readonly grace: CurrentSession;
    readonly respond: () => void;
    readonly served: Promise<readonly CurrentSession[]>;
  }> => {
    const grace = await machine.signIn(window, { label: 'Grace' });
    await machine.advance(LIFETIME);
    await machine.finish(window.sessions.refreshNow(session.id));
    const respond = machine.service.hold();
    const served = window.serve();
    await machine.advance(100);
    return { grace, respond, served };
  };

  it('gets the token that another window got while another account was waited for', async () => {
    const { grace, respond, served } = await askWhileGraceIsRefreshed();
    await machine.finish(machine.open().sessions.refreshNow(session.id));
    await machine.finish(window.sessions.list());
    respond();
    const byId = new Map((await machine.finish(served)).map(({ id, accessToken }) => [id, accessToken]));
    assert.equal(byId.get(session.id), machine.service.accessToken());
    assert.equal(byId.get(grace.id), machine.service.accessToken(2));
  });

  it('gets nothing of an account that was signed out while another one was waited for', async () => {
    const { grace, respond, served } = await askWhileGraceIsRefreshed();
    await machine.finish(window.sessions.remove(session.id));
    respond();
    assert.deepEqual(
      (await machine.finish(served)).map(({ id }) => id),
      [grace.id],
    );
  });

  it('gets an account whose person helped while another account was waited for', async () => {
    await machine.signIn(window, { label: 'Grace' });
    await machine.advance(LIFETIME);
    machine.service.nextFail(new ServiceError('refresh', 400, 'strange_trouble'));
    const respond = machine.service.hold();
    const served = window.serve();
    await machine.advance(100);
    const [stuck] = (await machine.finish(window.sessions.list())).filter(({ needsUser }) => needsUser);
    await machine.finish(window.sessions.refreshNow(stuck?.id ?? ''));
    respond();
    assert.equal((await machine.finish(served)).length, 2);
  });
});
