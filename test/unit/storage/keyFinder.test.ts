import assert from 'node:assert/strict';
import { CLIENT_SECRET, LIFETIME, Machine, SERVICE, type TestWindow } from '../sessions/machine';

/** What one window stored has reached the others by then. Milliseconds. */
const PROPAGATED = 5_000;

/** A window of a browser that opens so long after a key was made has seen it, if it can. Milliseconds. */
const PAGE_LOAD = 61_000;

const enterSecret = ({ clientSecrets }: TestWindow): Promise<void> => clientSecrets.set(SERVICE, CLIENT_SECRET);
const unavailable = (reason: string): object => ({ name: 'StoreUnavailableError', reason });

/** Lets this window's SecretStorage take so many milliseconds, as while it asks for a password, and then do what it's told to. */
function delayStores({ platform: { clock, secrets } }: TestWindow, delay: number, error?: Error): void {
  const store = secrets.store.bind(secrets);
  secrets.store = async (text) => {
    await clock.sleep(delay);
    if (error !== undefined) {
      throw error;
    }
    await store(text);
  };
}

/** Guards that all windows use one key, however slow or broken the keyring is. */
for (const kind of ['desktop', 'browser'] as const) {
  describe(`the key of a store, on a ${kind},`, () => {
    let machine: Machine;

    beforeEach(() => {
      machine = new Machine(kind);
    });

    it('is one for windows that need it at the same time', async () => {
      const windows = [machine.open(), machine.open(), machine.open()];
      for (const { sessions } of windows) void sessions.run();
      const entered = await machine.finish(Promise.allSettled(windows.map(enterSecret)));
      await machine.advance(20_000);
      assert.equal(machine.namesAfter('key/').length, 1);
      // An open window of a browser can't see what another one stored.
      const told = windows.flatMap(({ told }) => told);
      assert.deepEqual(told, kind === 'browser' ? ['reload', 'reload'] : []);
      assert.equal(entered.filter(({ status }) => status === 'fulfilled').length, kind === 'browser' ? 1 : 3);
    });

    for (const fault of ['throws', 'hangs'] as const) {
      it(`is waited for only a few seconds while SecretStorage ${fault}, told once, and found afterwards`, async () => {
        const { session } = await machine.openSignedIn();
        await machine.advance(PROPAGATED);
        const later = machine.open();
        machine.shelf.setFault(later, fault);
        void later.sessions.run();
        for (let again = 0; again < 5; again++) {
          await assert.rejects(machine.serve(later, 6_000), unavailable('secret storage'));
          await machine.advance(10_000);
        }
        assert.deepEqual(await machine.finish(later.sessions.list()), [], 'menus get no error');
        machine.shelf.setFault(later, 'none');
        await machine.advance(20_000);
        assert.equal(await machine.token(later), session.accessToken);
        assert.deepEqual(later.told, ['secret storage']);
      });
    }

    it('that can’t be stored serves this window, and the person is told', async () => {
      const window = machine.open();
      window.platform.secrets.store = () => Promise.reject(new Error('no keyring'));
      await machine.finish(enterSecret(window));
      const session = await machine.signIn(window);
      assert.deepEqual(window.told, ['key not stored']);
      void window.sessions.run();
      await machine.advance(2 * LIFETIME);
      assert.equal((await machine.serve(window))[0]?.id, session.id);
      assert.equal(await machine.token(window), machine.service.accessToken());
    });

    it('whose maker was killed before it was stored isn’t told as lost, and another one is made, once', async () => {
      const window = machine.open();
      window.platform.secrets.store = () => new Promise(() => undefined);
      void enterSecret(window);
      await machine.advance(1_000);
      machine.kill(window);
      assert.equal(machine.namesAfter('key/').length, 1);
      if (kind === 'browser') {
        // This one can't know whether it has read the secrets before the key was stored.
        await assert.rejects(machine.serve(machine.open()), unavailable('reload'));
        await machine.advance(PAGE_LOAD);
      }
      const next = machine.open();
      assert.deepEqual(await machine.serve(next, 4_000), []);
      assert.deepEqual(await machine.serve(next, 0), [], 'it isn’t waited for again');
      await machine.finish(enterSecret(next));
      await machine.advance(PROPAGATED);
      const another = machine.open();
      await machine.finish(enterSecret(another));
      assert.equal(machine.namesAfter('key/').length, 2);
      assert.deepEqual([...next.told, ...another.told], []);
    });

    it('that another window has just made and not stored yet is waited for', async () => {
      const window = machine.open();
      delayStores(window, 4_000);
      const entered = enterSecret(window);
      await machine.advance(500);
      const next = machine.open();
      void next.sessions.run();
      const [, second] = await machine.finish(Promise.allSettled([entered, enterSecret(next)]));
      assert.equal(second.status, kind === 'desktop' ? 'fulfilled' : 'rejected');
      assert.deepEqual(next.told, kind === 'desktop' ? [] : ['reload']);
      assert.equal(machine.namesAfter('key/').length, 1);
    });

    it('of a newer version isn’t replaced: the person is told to update, and can’t sign in', async () => {
      const { window } = await machine.openSignedIn();
      await machine.advance(120_000);
      machine.kill(window);
      const newer = `{"format":2,"key":"${Buffer.alloc(32).toString('base64')}"}`;
      machine.shelf.lose(newer);
      const older = machine.open();
      void older.sessions.run();
      await assert.rejects(machine.serve(older), unavailable('newer version'));
      await assert.rejects(machine.finish(enterSecret(older)), unavailable('newer version'));
      await assert.rejects(machine.signIn(older), unavailable('newer version'));
      await machine.advance(20_000);
      assert.deepEqual([older.told, older.stores, machine.shelf.stored], [['newer version'], 0, newer]);
    });

    it('has its note again after that was deleted, so that none replaces it while the secrets can’t be read', async () => {
      const { session, window } = await machine.openSignedIn();
      await machine.advance(120_000);
      for (const name of machine.namesAfter('key/')) machine.store.tamperRemove(`key/${name}`);
      const { stored } = machine.shelf;
      assert.equal((await machine.serve(machine.open()))[0]?.id, session.id);
      await machine.advance(120_000);
      machine.shelf.lose(undefined);
      const later = machine.open();
      assert.deepEqual(await machine.serve(later, 4_000), []);
      assert.equal(later.stores, 0);
      machine.shelf.lose(stored);
      assert.equal(await machine.token(machine.open()), await machine.token(window));
    });

    it('has its note again from a window that was open when the database was emptied', async () => {
      const { window } = await machine.openSignedIn();
      void window.sessions.run();
      await machine.advance(PROPAGATED);
      const [keyId] = machine.namesAfter('key/');
      machine.store.empty();
      await machine.advance(60_000);
      assert.deepEqual(machine.namesAfter('key/'), [keyId]);
    });

    for (const [what, text] of [
      ['is gone', undefined],
      ['was overwritten', 'something else'],
      ['was cut off', '{"format":1,"key":"AAAA'],
      ['has a key of another length', '{"format":1,"key":"AAAA"}'],
    ] as const) {
      it(`isn’t used if its item ${what}; a sign-in makes another, and old rows stay`, async () => {
        const { window } = await machine.openSignedIn();
        await machine.advance(120_000);
        machine.kill(window);
        machine.shelf.lose(text);
        const rows = (): unknown[] => machine.namesAfter('session/').map((name) => [name, machine.store.peek(name)]);
        const before = rows();
        const later = machine.open();
        void later.sessions.run();
        await machine.advance(30_000);
        assert.deepEqual(await machine.serve(later), [], 'nobody is signed in');
        assert.deepEqual(await machine.serve(later, 0), [], 'and nobody waits for it again');
        // A browser that lost its secrets can't be told from another one, which never had any.
        const isTold = kind === 'desktop';
        assert.deepEqual(later.told, isTold ? ['key lost'] : []);
        assert.equal(later.stores, 0, 'nothing is stored before somebody signs in');
        await machine.finish(enterSecret(later));
        const session = await machine.signIn(later);
        await machine.advance(20_000);
        assert.equal((await machine.serve(machine.open()))[0]?.id, session.id);
        for (const [index, row] of before.entries()) assert.deepEqual(rows()[index], row);
        assert.deepEqual(later.told, isTold ? ['key lost'] : []);
      });
    }
  });
}

/** Guards that a key that is being stored isn't taken for one that can't be, and that no other one replaces it. */
describe('the key of a store whose keyring asks for its password', () => {
  let machine: Machine;
  let window: TestWindow;

  beforeEach(() => {
    machine = new Machine('desktop');
    window = machine.open();
  });

  /** What's noted about the keys: whose SecretStorage has each. */
  const owners = (): unknown[] =>
    machine.namesAfter('key/').map((name) => {
      const { owner }: { owner?: string } = JSON.parse(machine.store.peek(`key/${name}`) ?? '{}') as { owner?: string };
      return owner;
    });

  for (const delay of [4_000, 10_000, 50_000]) {
    it(`for ${delay / 1_000} s is stored, noted, and the only one, and nobody is told`, async () => {
      delayStores(window, delay);
      const other = machine.open();
      delayStores(other, delay);
      await machine.finish(Promise.allSettled([window, other].map(enterSecret)), 15_000);
      const first = await machine.signIn(window, { label: 'Ada' });
      await machine.advance(70_000);
      await machine.finish(enterSecret(other));
      const second = await machine.signIn(other, { label: 'Grace' });
      await machine.advance(70_000);
      assert.deepEqual(window.told, []);
      assert.deepEqual(owners(), [window.platform.secretsOwner]);
      for (const closed of [window, other]) machine.kill(closed);
      const served = await machine.serve(machine.open());
      assert.deepEqual(served.map(({ id }) => id).sort(), [first.id, second.id].sort());
    });
  }

  it('isn’t made by another window meanwhile, which may try again', async () => {
    delayStores(window, 30_000);
    await machine.finish(enterSecret(window), 15_000);
    const other = machine.open();
    await assert.rejects(machine.finish(enterSecret(other)), unavailable('secret storage'));
    assert.equal(machine.namesAfter('key/').length, 1);
    await machine.advance(30_000);
    await machine.finish(enterSecret(other));
    assert.equal(machine.namesAfter('key/').length, 1);
  });

  for (const [what, delay, error, toldAfter] of [
    ['for 2 min', 120_000, undefined, 60_000],
    ['for hours', 7_200_000, new Error('the computer was locked'), 60_000],
    ['for 10 s, which is then refused,', 10_000, new Error('no password'), 10_000],
  ] as const) {
    it(`${what} serves this window, which is told by then, and then others may make one`, async () => {
      delayStores(window, delay, error);
      const began = machine.timeline.elapsed;
      await machine.finish(enterSecret(window), 15_000);
      const session = await machine.signIn(window);
      assert.equal((await machine.serve(window))[0]?.id, session.id);
      await machine.advance(began + toldAfter - 100 - machine.timeline.elapsed);
      assert.deepEqual(window.told, []);
      await machine.advance(200);
      assert.deepEqual(window.told, ['key not stored']);
      assert.deepEqual(owners(), [undefined]);
      await machine.finish(enterSecret(machine.open()), 15_000);
      assert.equal(machine.namesAfter('key/').length, 2);
      await machine.advance(delay);
      assert.deepEqual(window.told, ['key not stored']);
    });
  }
});

describe('windows of a browser', () => {
  let machine: Machine;

  beforeEach(() => {
    machine = new Machine('browser');
  });

  it('that were open before the key say “reload”, send nothing, and serve after the reload', async () => {
    const early = machine.open();
    const { session } = await machine.openSignedIn();
    void early.sessions.run();
    await machine.advance(LIFETIME / 2);
    await assert.rejects(machine.serve(early), unavailable('reload'));
    await assert.rejects(machine.signIn(early), unavailable('reload'));
    assert.deepEqual(early.told, ['reload']);
    assert.equal(machine.namesAfter('key/').length, 1);
    machine.kill(early);
    const reloaded = machine.open();
    assert.equal(await machine.token(reloaded), session.accessToken);
    assert.deepEqual(reloaded.told, []);
  });

  it('that must be reloaded make no key, even if the database is emptied meanwhile', async () => {
    const early = machine.open();
    const { session, window } = await machine.openSignedIn();
    void window.sessions.run();
    await assert.rejects(machine.serve(early), unavailable('reload'));
    machine.store.empty();
    await assert.rejects(machine.serve(early), unavailable('reload'));
    await assert.rejects(machine.signIn(early), unavailable('reload'));
    await machine.advance(60_000);
    machine.kill(window);
    assert.deepEqual((await machine.serve(machine.open()))[0]?.id, session.id);
  });

  it('of another browser have a key and sessions of their own, and touch no others', async () => {
    const { window, session } = await machine.openSignedIn();
    await machine.advance(PAGE_LOAD);
    const stranger = machine.open(machine.newShelf('browser'));
    for (const { sessions } of [window, stranger]) void sessions.run();
    await machine.advance(20_000);
    assert.deepEqual(await machine.serve(stranger), []);
    assert.deepEqual(stranger.told, []);
    await machine.finish(enterSecret(stranger));
    const own = await machine.signIn(stranger, { label: 'Grace' });
    await machine.advance(2 * LIFETIME);
    assert.equal(await machine.token(window), machine.service.accessToken(1));
    assert.equal(await machine.token(stranger), machine.service.accessToken(2));
    assert.deepEqual((await machine.serve(stranger))[0]?.id, own.id);
    assert.equal(machine.namesAfter('key/').length, 2);
    assert.ok(machine.service.requests.every(({ current }) => current));
    assert.ok(stranger.log.text().includes(`Session ${session.id} belongs to another store`));
  });

  it('of another browser that open right after a key was made are asked to reload, and have their own then', async () => {
    const { window, session } = await machine.openSignedIn();
    const other = machine.newShelf('browser');
    const stranger = machine.open(other);
    await assert.rejects(machine.serve(stranger), unavailable('reload'));
    await machine.advance(PAGE_LOAD);
    const reloaded = machine.open(other);
    assert.deepEqual(await machine.serve(reloaded), []);
    await machine.finish(enterSecret(reloaded));
    assert.deepEqual(reloaded.told, []);
    assert.equal((await machine.serve(window))[0]?.id, session.id);
  });
});

/** Guards that one store may serve several editors or browsers. */
for (const kind of ['desktop', 'browser'] as const) {
  describe(`a store whose keys are not all of one ${kind}`, () => {
    let machine: Machine;

    beforeEach(() => {
      machine = new Machine(kind);
    });

    it('is used by another one without a wait, a question, or a word', async () => {
      const { window, session } = await machine.openSignedIn();
      await machine.advance(PAGE_LOAD);
      const other = machine.newShelf(kind);
      const stranger = machine.open(other);
      assert.deepEqual(await machine.serve(stranger, 0), []);
      await machine.finish(enterSecret(stranger), kind === 'desktop' ? 200 : 0);
      const own = await machine.signIn(stranger, { label: 'Grace' });
      await machine.advance(PROPAGATED);
      assert.deepEqual((await machine.serve(machine.open(other)))[0]?.id, own.id);
      assert.equal((await machine.serve(machine.open()))[0]?.id, session.id);
      assert.deepEqual([...window.told, ...stranger.told], []);
    });

    it('is used by another one whose clock is an hour behind', async () => {
      await machine.openSignedIn();
      await machine.advance(PAGE_LOAD);
      machine.timeline.jump(-3_600_000);
      const stranger = machine.open(machine.newShelf(kind));
      assert.deepEqual(await machine.serve(stranger, 0), []);
      assert.deepEqual(stranger.told, []);
    });
  });
}
