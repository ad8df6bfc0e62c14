import assert from 'node:assert/strict';
import { withRecovery } from '../../../src/storage/vaultChanges';
import { decodeVault, newVault } from '../../../src/storage/vaultFormat';
import { LIFETIME, Machine, onlyOne, SERVICE, type TestWindow } from '../sessions/machine';

const told = (window: TestWindow): string[] => window.notices.map(({ kind }) => kind);

/** The file contents below a folder, by name. */
function filesIn(machine: Machine, folder: string): ReadonlyMap<string, Uint8Array | undefined> {
  const names = machine.disk.names.filter((name) => name.startsWith(`${folder}/`));
  return new Map(names.map((name) => [name, machine.disk.peek(name)]));
}

for (const kind of ['desktop', 'browser'] as const) {
  describe(`the key of a store, on a ${kind},`, () => {
    let machine: Machine;

    beforeEach(() => {
      machine = new Machine(kind);
    });

    it('is made once, and found by the windows that open later', async () => {
      const { session } = await machine.openSignedIn();
      await machine.advance(60_000);
      const vault = machine.shelf.stored;
      const later = machine.open();
      assert.deepEqual(
        (await machine.finish(later.store.list())).map(({ id }) => id),
        [session.id],
      );
      assert.equal(filesIn(machine, 'keys').size, 1);
      assert.equal(machine.shelf.stored, vault, 'nobody wrote the entry again');
      assert.deepEqual(told(later), []);
    });

    it('is one for windows that open at the same time', async () => {
      const windows = [machine.open(), machine.open(), machine.open()];
      for (const { store } of windows) void store.run();
      await machine.advance(20_000);
      assert.equal(filesIn(machine, 'keys').size, 1);
      // An open window of a browser can't see what another one stored.
      const expected = kind === 'browser' ? ['reload', 'reload'] : [];
      assert.deepEqual(windows.flatMap(told), expected);
    });

    it('survives a SecretStorage that fails for a while, and the person is told once', async () => {
      const { session } = await machine.openSignedIn();
      const later = machine.open();
      machine.shelf.setFault(later, 'throws');
      void later.store.run();
      for (let again = 0; again < 5; again++) {
        await assert.rejects(machine.finish(later.store.serve()), { name: 'SessionsUnavailableError' });
        await machine.advance(10_000);
      }
      assert.deepEqual(await machine.finish(later.store.list()), [], 'menus get no error');
      assert.deepEqual(told(later), ['secrets unavailable']);
      machine.shelf.setFault(later, 'none');
      await machine.advance(20_000);
      assert.equal((await machine.finish(onlyOne(later.store.serve()))).accessToken, session.accessToken);
      assert.deepEqual(told(later), ['secrets unavailable']);
    });

    it('is waited for no longer than some seconds where SecretStorage hangs', async () => {
      const { session } = await machine.openSignedIn();
      const later = machine.open();
      machine.shelf.setFault(later, 'hangs');
      await assert.rejects(machine.finish(later.store.serve(), 6_000), { name: 'SessionsUnavailableError' });
      await assert.rejects(machine.finish(later.store.serve(), 0), { name: 'SessionsUnavailableError' });
      machine.shelf.setFault(later, 'none');
      await machine.advance(2_000);
      assert.equal((await machine.finish(onlyOne(later.store.serve()))).id, session.id);
    });

    for (const fault of ['throws', 'hangs'] as const) {
      it(`is enough for windows that have it, though SecretStorage ${fault}`, async () => {
        const { window } = await machine.openSignedIn();
        void window.store.run();
        machine.shelf.setFault(window, fault);
        await machine.advance(3 * LIFETIME);
        const { accessToken } = await machine.finish(onlyOne(window.store.serve()), 0);
        assert.equal(accessToken, machine.service.accessToken());
        assert.ok(machine.service.asked.length >= 3);
        assert.deepEqual(told(window), []);
      });
    }

    it('keeps the copies of all accounts that are refreshed at once, and a secret that is entered then', async () => {
      const { window } = await machine.openSignedIn();
      const names = ['Grace', 'Edsger', 'Barbara'];
      for (const name of names) await machine.finish(window.store.add(machine.signIn(name)));
      await machine.advance(1_000);
      const sessions = await machine.finish(window.store.list());
      const secret = window.secrets.set({ ...SERVICE, clientId: 'another' }, 'a secret');
      await machine.finish(Promise.all([secret, ...sessions.map(({ id }) => window.store.refreshNow(id))]));
      await machine.advance(1_000);
      const { sessions: copies, clientSecrets } = decodeVault(machine.shelf.stored ?? '') ?? {};
      assert.deepEqual(
        sessions.map(({ id }) => copies?.[id]?.generation),
        sessions.map(() => 2),
      );
      assert.deepEqual(Object.values(clientSecrets ?? {}), ['a secret']);
    });

    it('that can’t be stored serves this window, and the person is told', async () => {
      const window = machine.open();
      Object.assign(window.surroundings.secrets, { store: () => Promise.reject(new Error('no keyring')) });
      const session = await machine.finish(window.store.add(machine.signIn()));
      assert.deepEqual(told(window), ['key not kept']);
      void window.store.run();
      await machine.advance(2 * LIFETIME);
      const { id, accessToken } = await machine.finish(onlyOne(window.store.serve()));
      assert.equal(id, session.id);
      assert.equal(accessToken, machine.service.accessToken());
    });

    for (const [what, text] of [
      ['is gone', undefined],
      ['was overwritten', 'something else'],
      ['was cut off', '{"format":1,"key":"AAAA'],
      ['has a key of another length', '{"format":1,"key":"AAAA"}'],
      ['is of a later version', `{"format":2,"key":"${Buffer.alloc(32).toString('base64')}"}`],
    ] as const) {
      it(`is told as lost, once, where its entry ${what}; a sign-in makes another, and old files stay`, async () => {
        const { window } = await machine.openSignedIn();
        await machine.advance(120_000);
        machine.kill(window);
        machine.shelf.lose(text);
        const before = filesIn(machine, 'sessions');
        const later = machine.open();
        void later.store.run();
        await machine.advance(30_000);
        assert.deepEqual(await machine.finish(later.store.serve()), [], 'nobody is signed in');
        assert.deepEqual(told(later), ['key lost']);
        assert.equal(machine.shelf.stored, text, 'nothing is written before somebody signs in');
        const session = await machine.finish(later.store.add(machine.signIn()));
        await machine.advance(20_000);
        const another = machine.open();
        assert.deepEqual(
          (await machine.finish(another.store.serve())).map(({ id }) => id),
          [session.id],
        );
        for (const [name, bytes] of before)
          assert.deepEqual(machine.disk.peek(name), bytes, 'the old file is as it was');
        if (text !== undefined) {
          assert.ok(machine.shelf.stored?.includes(JSON.stringify(text)), 'what could not be read is kept');
        }
      });
    }
  });
}

describe('the copies in the vault', () => {
  it('of a session go when it is signed out of', async () => {
    const machine = new Machine();
    const { window, session } = await machine.openSignedIn();
    await machine.advance(1_000);
    assert.ok(machine.shelf.stored?.includes(session.id) === true);
    await machine.finish(window.store.remove(session.id));
    await machine.advance(1_000);
    assert.ok(!machine.shelf.stored.includes(session.id));
  });

  it('never step back, and never mix with those of another key', async () => {
    const machine = new Machine();
    const { window, session } = await machine.openSignedIn();
    await machine.finish(window.store.refreshNow(session.id));
    await machine.advance(1_000);
    const contents = decodeVault(machine.shelf.stored ?? '');
    const copy = contents?.sessions[session.id];
    assert.ok(contents !== undefined && copy !== undefined);
    const { vault } = window;
    await machine.finish(vault.change(contents, withRecovery(session.id, { ...copy, generation: 1 })));
    await machine.advance(1_000);
    assert.equal(decodeVault(machine.shelf.stored ?? '')?.sessions[session.id]?.generation, 2);
    const stranger = newVault(Buffer.alloc(32, 9), undefined, 0);
    await assert.rejects(machine.finish(vault.change(stranger, withRecovery(session.id, { ...copy, generation: 9 }))));
    await machine.advance(1_000);
    assert.equal(decodeVault(machine.shelf.stored ?? '')?.key.id, contents.key.id);
  });
});

describe('windows of a browser', () => {
  let machine: Machine;

  beforeEach(() => {
    machine = new Machine('browser');
  });

  it('that were open before the key say “reload”, send nothing, and serve after the reload', async () => {
    const early = machine.open();
    const first = machine.open();
    const session = await machine.finish(first.store.add(machine.signIn()));
    void early.store.run();
    await machine.advance(LIFETIME / 2);
    await assert.rejects(machine.finish(early.store.serve()), { why: 'reload' });
    await assert.rejects(machine.finish(early.store.add(machine.signIn('Grace'))), { why: 'reload' });
    assert.deepEqual(told(early), ['reload']);
    assert.equal(filesIn(machine, 'keys').size, 1);
    machine.kill(early);
    const reloaded = machine.open();
    assert.equal((await machine.finish(onlyOne(reloaded.store.serve()))).accessToken, session.accessToken);
    assert.deepEqual(told(reloaded), []);
  });

  it('of another browser have a key and sessions of their own, and touch no others', async () => {
    const { window, session } = await machine.openSignedIn();
    const otherShelf = machine.newShelf('browser');
    const stranger = machine.open(otherShelf);
    void window.store.run();
    void stranger.store.run();
    await machine.advance(20_000);
    assert.deepEqual(await machine.finish(stranger.store.serve()), []);
    assert.deepEqual(told(stranger), []);
    const own = await machine.finish(stranger.store.add(machine.signIn('Grace')));
    await machine.advance(2 * LIFETIME);
    assert.deepEqual(
      [await machine.finish(onlyOne(window.store.serve())), await machine.finish(onlyOne(stranger.store.serve()))].map(
        ({ id, accessToken }) => [id, accessToken],
      ),
      [
        [session.id, machine.service.accessToken(1)],
        [own.id, machine.service.accessToken(2)],
      ],
    );
    assert.equal(filesIn(machine, 'keys').size, 2);
    assert.ok(machine.service.asked.every(({ current }) => current));
    assert.ok(stranger.log.text().includes(`Session ${session.id} belongs to another store`));
  });

  it('whose tab died serve and rotate on, and a new window takes over from them', async () => {
    const { window } = await machine.openSignedIn();
    void window.store.run();
    machine.shelf.setFault(window, 'hangs');
    const next = machine.open();
    void next.store.run();
    await machine.advance(3 * LIFETIME);
    for (const { store } of [window, next]) {
      assert.equal((await machine.finish(onlyOne(store.serve()))).accessToken, machine.service.accessToken());
    }
    machine.kill(window);
    await machine.advance(LIFETIME);
    assert.equal((await machine.finish(onlyOne(next.store.serve()))).accessToken, machine.service.accessToken());
    assert.ok(machine.service.asked.every(({ current }) => current));
  });
});
