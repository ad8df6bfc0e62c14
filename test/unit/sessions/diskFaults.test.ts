import assert from 'node:assert/strict';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import { StoreUnavailableError } from '../../../src/storage/storeUnavailable';
import { inNewerFormat } from '../../support/newerFormat';
import { DUE, LIFETIME, Machine, type TestWindow } from './machine';

/** How long a trouble lasts. Milliseconds. */
const LASTS = 120_000;
/** By then everything that was put off was tried again. Milliseconds. */
const AFTERWARDS = 600_000;
/** Many rotations take their time on a busy machine. Milliseconds. */
const PATIENT = 20_000;

interface Scene {
  readonly machine: Machine;
  readonly window: TestWindow;
  readonly other: TestWindow;
  readonly session: CurrentSession;
}

/** A window that runs, and another that only looks when asked, just before the first token is due. */
async function setScene(): Promise<Scene> {
  const machine = new Machine();
  const { window, session } = await machine.openSignedIn();
  const other = machine.open();
  await machine.token(other);
  await machine.advance(DUE - LIFETIME / 10);
  return { machine, window, other, session };
}

/** Lets the disk fail at the transaction of a rotation with this number, or from there on. */
async function rotateWith(
  at: number,
  lasting: boolean,
): Promise<{ readonly scene: Scene; readonly operations: number }> {
  const scene = await setScene();
  const { machine, window, session } = scene;
  let operations = 0;
  window.rows.trouble = () => ((lasting ? operations++ >= at : operations++ === at) ? 'EIO' : undefined);
  await machine.finish(window.sessions.refreshNow(session.id).catch(() => undefined));
  return { scene, operations };
}

/** The window gets the response to a refresh, and its disk takes nothing anymore. */
async function refuseResponse(): Promise<Scene> {
  const scene = await setScene();
  const { machine, window, session } = scene;
  const respond = machine.service.hold();
  const refreshed = window.sessions.refreshNow(session.id);
  await machine.settle();
  window.rows.trouble = (transaction) => (transaction === 'write' ? 'EIO' : undefined);
  respond();
  await machine.finish(refreshed);
  return scene;
}

/** The session lives in both windows, with a token that works, and no dead token was sent. */
async function checkWell({ machine, window, other }: Scene): Promise<void> {
  for (const one of [window, other]) assert.equal(await machine.token(one), machine.service.accessToken());
  assert.ok(
    machine.service.requests.every(({ current }) => current),
    'no dead token was sent',
  );
  assert.ok([...window.told, ...other.told].every((kind) => kind === 'not stored' || kind === 'not refreshed'));
}

/** Guards that a disk that fails at any step of a refresh costs no token, and that people can still sign out. */
describe('a rotation on a disk that', () => {
  for (const lasting of [false, true]) {
    it(`fails ${lasting ? 'for minutes, from any transaction on' : 'once, at any transaction'}, loses nothing`, async () => {
      const { operations } = await rotateWith(Number.POSITIVE_INFINITY, lasting);
      assert.ok(operations > 3, 'a rotation makes room, says that it sends, and writes what came');
      for (let at = 0; at < operations; at++) {
        const { scene } = await rotateWith(at, lasting);
        const { machine, window } = scene;
        void window.sessions.run();
        await machine.advance(LASTS);
        const during = await machine.token(window).catch((error: unknown) => error);
        // If nothing was sent, and the journal can't be read, another window may have a later token.
        const isUnknown = machine.service.asked === 0 && during instanceof StoreUnavailableError;
        assert.ok(isUnknown || during === machine.service.accessToken(), `during the trouble from ${at} on`);
        window.rows.trouble = () => undefined;
        for (const later of [AFTERWARDS, LIFETIME]) {
          await machine.advance(later);
          await checkWell(scene);
        }
      }
    }).timeout(PATIENT);
  }

  it('fails for the window that has the response isn’t written to after the person signed out elsewhere', async () => {
    const { machine, window, other, session } = await refuseResponse();
    await machine.finish(other.sessions.remove(session.id));
    const written: string[] = [];
    window.rows.trouble = (_, names) => void written.push(...names);
    await machine.finish(window.sessions.list());
    await machine.advance(60_000);
    assert.deepEqual(written, []);
    assert.equal(machine.locks.holder(`session.${session.id}`), undefined);
  });

  it('fails for the window that has the response sends no dead token even if the account is replaced there', async () => {
    const { machine, window, other, session } = await refuseResponse();
    await machine.signIn(window, { accountId: session.account.id });
    void other.sessions.run();
    await machine.advance(LIFETIME);
    assert.equal(machine.service.asked, 1);
    window.rows.trouble = () => undefined;
    void window.sessions.run();
    await machine.advance(60_000);
    assert.equal(await machine.token(other), await machine.token(window));
    assert.ok(machine.service.requests.every(({ current }) => current));
  });

  it('fails in a way that nobody knows keeps what a refresh and a sign-in bring, until it’s written', async () => {
    const scene = await setScene();
    const { machine, window, other, session } = scene;
    const respond = machine.service.hold();
    const refreshed = window.sessions.refreshNow(session.id);
    await machine.settle();
    window.rows.isDefect = true;
    respond();
    await machine.finish(refreshed);
    const added = await machine.signIn(window, { label: 'Grace', tokens: machine.service.grant() });
    const tokens = [machine.service.accessToken(1), machine.service.accessToken(2)];
    const served = async (one: TestWindow): Promise<readonly string[]> =>
      (await machine.serve(one)).map(({ accessToken }) => accessToken);
    assert.deepEqual(await served(window), tokens);
    assert.equal(added.accessToken, tokens[1]);
    window.rows.isDefect = false;
    void window.sessions.run();
    await machine.advance(5_000);
    assert.deepEqual(await served(other), tokens);
    assert.equal(window.log.text().includes('revoke'), false);
  });

  it('can’t even be read when the tokens of a first sign-in come keeps them', async () => {
    const machine = new Machine();
    const window = machine.open();
    await machine.finish(window.sessions.prepareToAdd());
    window.rows.trouble = () => 'EACCES';
    const session = await machine.signIn(window);
    assert.equal(await machine.token(window), session.accessToken);
    window.rows.trouble = () => undefined;
    void window.sessions.run();
    await machine.advance(5_000);
    assert.equal(await machine.token(machine.open()), session.accessToken);
  });

  it('has the session in a newer version’s format when the response comes keeps and serves the new tokens', async () => {
    const { machine, window, session } = await setScene();
    const respond = machine.service.hold();
    const refreshed = window.sessions.refreshNow(session.id);
    await machine.settle();
    const { stored } = machine.shelf;
    machine.store.tamper(`session/${session.id}`, inNewerFormat);
    respond();
    await machine.finish(refreshed);
    await machine.advance(10_000);
    assert.equal(await machine.token(window), machine.service.accessToken());
    assert.notEqual(machine.shelf.stored, stored, 'there’s a recovery copy');
    assert.deepEqual(window.told, ['not stored']);
    assert.equal(machine.locks.holder(`session.${session.id}`) === undefined, false, 'nobody sends the old one');
  });

  it('can’t be used for minutes fills no log', async () => {
    const { machine, window } = await setScene();
    void window.sessions.run();
    await machine.advance(1_000);
    window.rows.trouble = () => 'EACCES';
    const before = window.log.lines.length;
    for (let second = 0; second < 600; second++) {
      await machine.finish(window.sessions.list());
      window.sessions.wake();
      await machine.advance(1_000);
    }
    const logged = window.log.lines.slice(before).filter(({ level }) => level !== 'debug');
    assert.ok(logged.length <= 2, logged.map(({ message }) => message).join('\n'));
  });

  it('is full when the response comes takes it all the same, even if its token is longer', async () => {
    const scene = await setScene();
    const { machine, window, other, session } = scene;
    const accessToken = 'a'.repeat(5_000);
    const respond = machine.service.hold({ accessToken });
    const refreshed = window.sessions.refreshNow(session.id);
    await machine.settle();
    machine.store.faults.full = true;
    respond();
    await machine.finish(refreshed);
    assert.equal(await machine.token(other), accessToken);
    assert.deepEqual(window.told, []);
  });

  it('is full can still be signed out on, and the session stays over', async () => {
    const { machine, window, other, session } = await setScene();
    machine.store.faults.full = true;
    await machine.finish(window.sessions.remove(session.id));
    machine.store.faults.full = false;
    await machine.advance(AFTERWARDS);
    for (const one of [window, other, machine.open()]) assert.deepEqual(await machine.serve(one), []);
  });

  it('is read-only can’t be signed out on: that’s an error, and the session lives', async () => {
    const scene = await setScene();
    const { machine, window, other, session } = scene;
    machine.store.faults.readOnly = true;
    await assert.rejects(machine.finish(window.sessions.remove(session.id)), {
      reason: 'folder read-only',
      code: 'EROFS',
    });
    machine.store.faults.readOnly = false;
    await checkWell(scene);
    await machine.finish(window.sessions.remove(session.id));
    assert.deepEqual(await machine.serve(other), []);
  });
});

describe('a window that opens on a disk that', () => {
  it('is slow, because others commit, waits for what’s there', async () => {
    const { machine } = await setScene();
    machine.store.faults.busy = true;
    const listing = machine.open().sessions.list();
    await machine.advance(2_000);
    machine.store.faults.busy = false;
    assert.equal((await machine.finish(listing)).length, 1);
  });

  it('can’t be read is told so at once', async () => {
    const { machine } = await setScene();
    const window = machine.open();
    window.rows.trouble = () => 'EACCES';
    await assert.rejects(machine.serve(window), { reason: 'folder not allowed' });
    assert.deepEqual(window.told, ['folder not allowed']);
  });
});

describe('a session whose store was deleted', () => {
  it('is served by a window that opens then, because those that are open write it at once', async () => {
    const { machine, window, other, session } = await setScene();
    for (const { sessions } of [window, other]) void sessions.run();
    await machine.advance(30_000);
    machine.store.empty();
    const next = machine.open();
    await machine.finish(next.sessions.list());
    await machine.advance(300);
    assert.equal(await machine.token(next, 0), session.accessToken);
    assert.equal(machine.service.asked, 0);
  });

  it('isn’t refreshed by a window that has restored it, if another has written it by the time of the lock', async () => {
    const { machine, window, session } = await setScene();
    await machine.advance(5_000);
    machine.store.empty();
    const next = machine.open();
    const release = await machine.holdLock(`session.${session.id}`);
    const served = next.serve();
    await machine.advance(1_000);
    assert.equal(await machine.token(window), session.accessToken);
    void window.sessions.run();
    await machine.advance(1_000);
    release();
    assert.equal((await machine.finish(served))[0]?.accessToken, session.accessToken);
    assert.equal(machine.service.asked, 0);
  });

  it('is served and written again, and every window sees the next token at once', async () => {
    const scene = await setScene();
    const { machine, window, other, session } = scene;
    for (const { sessions } of [window, other]) void sessions.run();
    await machine.advance(1_000);
    machine.store.empty();
    assert.equal(await machine.token(window), session.accessToken);
    await machine.advance(60_000);
    assert.deepEqual(machine.namesAfter('session/'), [session.id], 'the journal is back');
    await machine.finish(window.sessions.refreshNow(session.id));
    await machine.advance(250);
    const tokens = other.changes.flatMap(({ changed }) => changed.map(({ accessToken }) => accessToken));
    assert.deepEqual(tokens, [machine.service.accessToken()]);
    await checkWell(scene);
    assert.equal(await machine.token(machine.open()), machine.service.accessToken());
  });

  it('during a refresh keeps the new token', async () => {
    const scene = await setScene();
    const { machine, window } = scene;
    void window.sessions.run();
    const respond = machine.service.hold();
    await machine.advance(LIFETIME / 10);
    assert.equal(machine.service.asked, 1);
    machine.store.empty();
    respond();
    await machine.advance(60_000);
    await checkWell(scene);
    assert.equal(await machine.token(machine.open()), machine.service.accessToken());
  });

  it('can be signed out of, and stays so', async () => {
    const { machine, window, other, session } = await setScene();
    machine.store.empty();
    await machine.finish(window.sessions.remove(session.id));
    await machine.advance(60_000);
    for (const one of [window, other, machine.open()]) assert.deepEqual(await machine.serve(one), []);
  });
});
