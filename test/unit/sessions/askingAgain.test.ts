import assert from 'node:assert/strict';
import { ServiceError } from '../../../src/oauth/errors';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import { DUE, LIFETIME, Machine, STANDARD_SERVICE, type TestWindow } from './machine';

const MINUTE = 60_000;
const BUSY = new ServiceError('refresh', 503, undefined, { retryAfter: 120 });

/** Guards who makes the service be asked again after a failure, and when: the background, callers, a focus, a person. */
describe('after a failed refresh', () => {
  let machine: Machine;
  let window: TestWindow;
  let session: CurrentSession;

  beforeEach(async () => {
    machine = new Machine();
    ({ window, session } = await machine.openSignedIn());
    void window.sessions.run();
  });

  it('a focus asks for nothing while a request is under way, nor before the service wants it', async () => {
    await machine.advance(DUE - MINUTE * 5);
    const respond = machine.service.hold(BUSY);
    machine.service.nextFail(BUSY, 10_000);
    while (machine.service.asked === 0) await machine.advance(1_000);
    for (let focus = 0; focus < 20; focus++) {
      window.sessions.wake();
      await machine.settle();
    }
    respond();
    await machine.advance(119_000);
    assert.equal(machine.service.asked, 1);
    for (let focus = 0; focus < 20; focus++) window.sessions.wake();
    await machine.settle();
    assert.equal(machine.service.asked, 1);
    await machine.advance(2_000);
    assert.equal(machine.service.asked, 2);
  });

  it('a person who asks twenty times while a request hangs makes for one more', async () => {
    const respond = machine.service.hold(BUSY);
    machine.service.nextFail(BUSY, 10_000);
    const asked = Array.from({ length: 20 }, () => window.sessions.refreshNow(session.id));
    const ended = Promise.allSettled(asked);
    await machine.advance(1_000);
    respond();
    await machine.finish(ended);
    assert.equal(machine.service.asked, 2);
  });

  it('a refresh that somebody asked for before it was due goes on until it succeeds', async () => {
    machine.service.nextFail(BUSY);
    await assert.rejects(machine.finish(window.sessions.refreshNow(session.id)));
    await machine.advance(121_000);
    assert.equal(machine.service.asked, 2);
    assert.equal(await machine.token(window, 0), machine.service.accessToken());
  });

  it('a report of a rejected token waits ten seconds at most', async () => {
    machine.service.hold();
    const replaced = window.sessions.replaceRejected(session.accessToken);
    const reported = window.sessions.reportRejected(session.accessToken);
    assert.deepEqual(await machine.finish(Promise.all([replaced, reported]), 10_100), [false, false]);
  });
});

/** Guards that what's handed out is looked up after the last wait. */
describe('a caller who waits for one account', () => {
  it('gets the newest token of another one, although this window isn’t told of changes', async () => {
    const machine = new Machine();
    const { window, session: ada } = await machine.openSignedIn();
    const other = machine.open();
    await machine.advance(DUE / 2);
    const grace = await machine.signIn(window, { label: 'Grace' });
    await machine.serve(other);
    machine.store.faults.unwatched = true;
    await machine.advance(LIFETIME - DUE / 2);
    const respond = machine.service.hold();
    const served = window.serve();
    await machine.advance(2_000);
    await machine.finish(other.sessions.refreshNow(grace.id));
    respond();
    const tokens = (await machine.finish(served)).map(({ accessToken }) => accessToken);
    assert.deepEqual(tokens.sort(), [machine.service.accessToken(1), machine.service.accessToken(2)]);
    assert.ok(!tokens.includes(ada.accessToken) && !tokens.includes(grace.accessToken));
  });
});

/** Guards that of an account's sessions, one that works is handed out. */
describe('an account with a narrow and a wide session', () => {
  it('is served by the wide one while the narrow one can’t be refreshed', async () => {
    const machine = new Machine();
    const { window } = await machine.openSignedIn();
    window.configure(STANDARD_SERVICE);
    const signIn = (scopes: readonly string[], accountId?: string): Promise<CurrentSession> =>
      machine.signIn(window, {
        service: STANDARD_SERVICE,
        tokens: { ...machine.service.grant(), scopes },
        accountId,
      });
    // The wide one lacks a scope of the narrow one, so that it doesn't replace it.
    const narrow = await signIn(['a', 'n']);
    await machine.advance(LIFETIME / 2);
    const wide = await signIn(['a', 'b', 'c'], narrow.account.id);
    const served = async (): Promise<readonly string[]> =>
      (await machine.finish(window.serve(undefined, ['a']))).map(({ id }) => id);
    assert.deepEqual(await served(), [narrow.id]);
    machine.service.nextFail(BUSY, 100);
    await machine.advance(LIFETIME / 2);
    assert.deepEqual(await served(), [wide.id]);
  });
});

/** Guards what people learn of a disk that takes nothing before a refresh. */
describe('a disk that refuses to note that a token is sent', () => {
  for (const [code, reason] of [
    ['ENOSPC', 'folder full'],
    ['EROFS', 'folder read-only'],
  ] as const) {
    it(`is told once, if it lasts, and is one error in the log: ${code}`, async () => {
      const machine = new Machine();
      const { window } = await machine.openSignedIn();
      void window.sessions.run();
      window.rows.trouble = (transaction) => (transaction === 'write' ? code : undefined);
      await machine.advance(LIFETIME + 10 * MINUTE);
      assert.deepEqual(
        window.notices.map((notice) => ('reason' in notice ? notice.reason : notice.kind)),
        [reason],
      );
      assert.equal(window.log.levels().filter((level) => level === 'error').length, 1);
      assert.equal(machine.service.asked, 0);
      await assert.rejects(machine.serve(window), { fault: reason });
      window.rows.trouble = () => undefined;
      await machine.advance(MINUTE);
      assert.equal(await machine.token(window), machine.service.accessToken());
    });
  }

  it('isn’t told if it passes soon', async () => {
    const machine = new Machine();
    const { window } = await machine.openSignedIn();
    void window.sessions.run();
    let refusedAt: number | undefined;
    window.rows.trouble = (transaction) => {
      refusedAt ??= transaction === 'write' ? machine.timeline.elapsed : undefined;
      return transaction === 'write' && machine.timeline.elapsed - (refusedAt ?? 0) < 15_000 ? 'ENOSPC' : undefined;
    };
    await machine.advance(LIFETIME);
    assert.notEqual(refusedAt, undefined);
    assert.deepEqual(window.told, []);
    assert.equal(await machine.token(window), machine.service.accessToken());
  });
});
