import assert from 'node:assert/strict';
import type { ServedSession } from '../../../src/sessions/sessions';
import { DUE, LIFETIME, Machine, onlyOne, type TestWindow } from './machine';
import { changes, type Operation } from './troubledDisk';

/** How long a trouble lasts. Milliseconds. */
const LASTS = 120_000;
/** By then everything that was put off was tried again. Milliseconds. */
const AFTERWARDS = 600_000;

type Fault = (machine: Machine, window: TestWindow, on: boolean) => void;

const FAULTS: Readonly<Record<string, Fault>> = {
  'is full': ({ disk }, _window, on) => {
    disk.faults.full = on;
  },
  'is read-only': ({ disk }, _window, on) => {
    disk.faults.readOnly = on;
  },
  'can’t be read': ({ disk }, _window, on) => {
    disk.faults.unreadable = on;
  },
  'fails in all ways': (_machine, { disk }, on) => {
    disk.trouble = () => (on ? 'EIO' : undefined);
  },
};

interface Scene {
  readonly machine: Machine;
  readonly window: TestWindow;
  readonly other: TestWindow;
  readonly session: ServedSession;
}

/** A window that runs, and another that only looks when asked, just before the first token is due. */
async function setScene(): Promise<Scene> {
  const machine = new Machine();
  const { window, session } = await machine.openSignedIn();
  const other = machine.open();
  await machine.finish(onlyOne(other.store.serve()));
  await machine.advance(DUE - LIFETIME / 10);
  return { machine, window, other, session };
}

/** The same, once a refresh was answered to a window whose disk takes nothing just then. */
async function setAnsweredScene(): Promise<Scene> {
  const scene = await setScene();
  const { machine, window, session } = scene;
  const answer = machine.service.hold();
  const refreshed = window.store.refreshNow(session.id);
  await machine.settle();
  window.disk.trouble = (operation) => (changes(operation) ? 'EIO' : undefined);
  answer();
  await machine.finish(refreshed);
  return scene;
}

/** The operations of one rotation, in their order. */
async function rotationSteps(): Promise<readonly string[]> {
  const { machine, window, session } = await setScene();
  const steps: string[] = [];
  window.disk.trouble = (operation, name) => {
    steps.push(`${operation} ${name.replace(session.id, '…')}`);
    return undefined;
  };
  await machine.finish(window.store.refreshNow(session.id));
  return steps;
}

/** Lets a trouble begin just before the operation with this number. */
async function rotateWith(
  at: number,
  begin: (scene: Scene, operation: Operation) => string | undefined,
): Promise<Scene> {
  const scene = await setScene();
  const { machine, window, session } = scene;
  let count = 0;
  window.disk.trouble = (operation) => (count++ === at ? begin(scene, operation) : undefined);
  await machine.finish(window.store.refreshNow(session.id).catch(() => undefined));
  return scene;
}

/** The session lives in both windows, with a token that works, and no token was sent that was dead. */
async function checkWell({ machine, window, other }: Scene): Promise<void> {
  for (const { store } of [window, other]) {
    assert.equal((await machine.finish(onlyOne(store.serve()))).accessToken, machine.service.accessToken());
  }
  assert.deepEqual(
    machine.service.asked.filter(({ current }) => !current),
    [],
    'no dead token was sent',
  );
  assert.deepEqual(
    [...window.notices, ...other.notices].filter(({ kind }) => kind !== 'not stored'),
    [],
  );
}

describe('a rotation on a disk that', () => {
  it('is sound writes, syncs and reads in the order that the protocol wants', async () => {
    const steps = (await rotationSteps()).filter((step) => !/^(stamp|list|read) /.test(step));
    assert.deepEqual(steps, [
      'remove spare/….reserve',
      'write spare/….reserve',
      'sync spare/….reserve',
      'remove spare/….new',
      'write spare/….new',
      'sync spare/….new',
      'rename sessions/….json',
      'syncFolder sessions',
      'write spare/….reserve',
      'sync spare/….reserve',
      'rename sessions/….json',
      'syncFolder sessions',
    ]);
  });

  for (const [what, fault] of Object.entries(FAULTS)) {
    it(`${what}, from any moment on and for minutes, loses nothing`, async () => {
      const { length } = await rotationSteps();
      for (let at = 0; at < length; at++) {
        const scene = await rotateWith(at, ({ machine, window }) => {
          fault(machine, window, true);
          return undefined;
        });
        const { machine, window, session } = scene;
        void window.store.run();
        await machine.advance(LASTS);
        const during = await machine.finish(onlyOne(window.store.serve()));
        assert.equal(during.id, session.id);
        assert.equal(during.accessToken, machine.service.accessToken(), `served during the trouble from ${at} on`);
        fault(machine, window, false);
        await machine.advance(AFTERWARDS);
        await checkWell(scene);
        await machine.advance(LIFETIME);
        await checkWell(scene);
        if (what === 'is full') assert.deepEqual(window.notices, [], 'room for the answer was reserved');
      }
    });
  }

  it('fails for one window, which has the answer, keeps the others from sending the dead token', async () => {
    const { machine, window, other, session } = await setAnsweredScene();
    void other.store.run();
    await machine.advance(LIFETIME / 2);
    assert.equal(machine.service.asked.length, 1);
    assert.equal(
      (await machine.finish(onlyOne(window.store.serve()), 20_000)).accessToken,
      machine.service.accessToken(),
    );
    await assert.rejects(machine.finish(other.store.serve()), { fault: 'busy elsewhere' });
    window.disk.trouble = () => undefined;
    await machine.advance(10_000);
    await checkWell({ machine, window, other, session });
  });

  it('fails for the window that has the answer is not written to after the person signed out elsewhere', async () => {
    const { machine, window, other, session } = await setAnsweredScene();
    await machine.finish(other.store.remove(session.id));
    const written: string[] = [];
    window.disk.trouble = (operation, name) => {
      if (operation === 'write') written.push(name);
      return undefined;
    };
    await machine.finish(window.store.list());
    await machine.advance(60_000);
    assert.deepEqual(written, []);
    assert.equal(machine.locks.holder(`session.${session.id}`), undefined);
  });

  it('is full can still be signed out on, and the session stays over', async () => {
    const scene = await setScene();
    const { machine, window, other, session } = scene;
    machine.disk.faults.full = true;
    await machine.finish(window.store.remove(session.id));
    machine.disk.faults.full = false;
    await machine.advance(AFTERWARDS);
    for (const { store } of [window, other, machine.open()]) assert.deepEqual(await machine.finish(store.serve()), []);
  });

  it('is read-only can’t be signed out on: that is an error, and the session lives', async () => {
    const scene = await setScene();
    const { machine, window, session } = scene;
    machine.disk.faults.readOnly = true;
    await assert.rejects(machine.finish(window.store.remove(session.id)), { code: 'EROFS' });
    machine.disk.faults.readOnly = false;
    await checkWell(scene);
    await machine.finish(window.store.remove(session.id));
    assert.deepEqual(await machine.finish(scene.other.store.serve()), []);
  });

  it('fails once, at any operation, loses nothing', async () => {
    const { length } = await rotationSteps();
    let failed = 0;
    for (let at = 0; at < length; at++) {
      const scene = await rotateWith(at, (_scene, operation) => {
        if (changes(operation)) failed++;
        return 'EIO';
      });
      void scene.window.store.run();
      await scene.machine.advance(AFTERWARDS);
      await checkWell(scene);
      await scene.machine.advance(LIFETIME);
      await checkWell(scene);
    }
    assert.ok(failed >= 10, 'most of the operations change something');
  });

  it('is read-only when the answer comes is told once, and other windows send nothing meanwhile', async () => {
    const { machine, window, other } = await setScene();
    void window.store.run();
    void other.store.run();
    const answer = machine.service.hold();
    await machine.advance(LIFETIME / 10);
    machine.disk.faults.readOnly = true;
    answer();
    await machine.advance(LIFETIME / 2);
    assert.equal(machine.service.asked.length, 1);
    assert.deepEqual(
      [...window.notices, ...other.notices].map(({ kind }) => kind),
      ['not stored'],
    );
    const without = window.notices.length === 0 ? window : other;
    await assert.rejects(machine.finish(without.store.serve()), /could not be refreshed/);
    machine.disk.faults.readOnly = false;
    await machine.advance(5_000);
    assert.equal((await machine.finish(onlyOne(without.store.serve()))).accessToken, machine.service.accessToken());
  });
});

describe('a session whose folder', () => {
  const FOLDERS = ['sessions', 'spare', 'keys', 'clients'];

  async function deleteFolders({ machine, window, other }: Scene): Promise<void> {
    for (const name of machine.disk.names) machine.disk.tamperRemove(name);
    for (const { disk } of [window, other]) for (const folder of FOLDERS) disk.deleted.add(folder);
    await machine.settle();
  }

  it('was deleted is served and written again', async () => {
    const scene = await setScene();
    const { machine, window, other, session } = scene;
    void window.store.run();
    await machine.advance(1_000);
    await deleteFolders(scene);
    assert.equal((await machine.finish(onlyOne(window.store.serve()))).accessToken, session.accessToken);
    await machine.advance(60_000);
    other.disk.deleted.clear();
    assert.ok(machine.disk.peek(`sessions/${session.id}.json`), 'the journal is back');
    await machine.advance(LIFETIME);
    await checkWell(scene);
    const later = machine.open();
    assert.equal((await machine.finish(onlyOne(later.store.serve()))).accessToken, machine.service.accessToken());
  });

  it('was deleted while a refresh was on its way keeps the new token', async () => {
    const scene = await setScene();
    const { machine, window, other, session } = scene;
    void window.store.run();
    const answer = machine.service.hold();
    await machine.advance(LIFETIME / 10);
    assert.equal(machine.service.asked.length, 1);
    await deleteFolders(scene);
    answer();
    await machine.advance(60_000);
    other.disk.deleted.clear();
    assert.ok(machine.disk.peek(`sessions/${session.id}.json`), 'the journal is back');
    await checkWell(scene);
  });

  it('was deleted can be signed out of, and stays so', async () => {
    const scene = await setScene();
    const { machine, window, other, session } = scene;
    await deleteFolders(scene);
    await machine.finish(window.store.remove(session.id));
    other.disk.deleted.clear();
    await machine.advance(60_000);
    for (const { store } of [window, other, machine.open()]) assert.deepEqual(await machine.finish(store.serve()), []);
  });
});
