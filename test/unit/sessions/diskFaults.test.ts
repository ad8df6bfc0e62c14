import assert from 'node:assert/strict';
import type { CurrentSession } from '../../../src/sessions/sessions';
import { DUE, LIFETIME, Machine, type TestWindow } from './machine';
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
  'is almost full, and says so only by writing less': ({ disk }, _window, on) => {
    disk.faults.short = on;
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

/** The same, when the response to a refresh came to a window whose disk refuses just then. */
async function setRefreshedScene(): Promise<Scene> {
  const scene = await setScene();
  const { machine, window, session } = scene;
  const respond = machine.service.hold();
  const refreshed = window.sessions.refreshNow(session.id);
  await machine.settle();
  window.disk.trouble = (operation) => (changes(operation) ? 'EIO' : undefined);
  respond();
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
  await machine.finish(window.sessions.refreshNow(session.id));
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
  await machine.finish(window.sessions.refreshNow(session.id).catch(() => undefined));
  return scene;
}

/** The session lives in both windows, with a token that works, and no dead token was sent. */
async function checkWell({ machine, window, other }: Scene): Promise<void> {
  for (const one of [window, other]) assert.equal(await machine.token(one), machine.service.accessToken());
  assert.ok(
    machine.service.requests.every(({ current }) => current),
    'no dead token was sent',
  );
  assert.ok([...window.told, ...other.told].every((kind) => kind === 'not stored'));
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
        const { machine, window } = scene;
        void window.sessions.run();
        await machine.advance(LASTS);
        assert.equal(await machine.token(window), machine.service.accessToken(), `during the trouble from ${at} on`);
        fault(machine, window, false);
        await machine.advance(AFTERWARDS);
        await checkWell(scene);
        await machine.advance(LIFETIME);
        await checkWell(scene);
        if (what.includes('full')) assert.deepEqual(window.notices, [], 'room for the response was reserved');
      }
    });
  }

  it('fails for one window, which has the response, keeps the others from sending the dead token', async () => {
    const scene = await setRefreshedScene();
    const { machine, window, other } = scene;
    void other.sessions.run();
    await machine.advance(LIFETIME / 2);
    assert.equal(machine.service.requests.length, 1);
    assert.equal(await machine.token(window, 20_000), machine.service.accessToken());
    await assert.rejects(machine.serve(other), { fault: 'busy' });
    window.disk.trouble = () => undefined;
    await machine.advance(10_000);
    await checkWell(scene);
  });

  it('fails for the window that has the response isn’t written to after the person signed out elsewhere', async () => {
    const { machine, window, other, session } = await setRefreshedScene();
    await machine.finish(other.sessions.remove(session.id));
    const written: string[] = [];
    window.disk.trouble = (operation, name) => {
      if (operation === 'write') written.push(name);
      return undefined;
    };
    await machine.finish(window.sessions.list());
    await machine.advance(60_000);
    assert.deepEqual(written, []);
    assert.equal(machine.locks.holder(`session.${session.id}`), undefined);
  });

  it('is full can still be signed out on, and the session stays over', async () => {
    const { machine, window, other, session } = await setScene();
    machine.disk.faults.full = true;
    await machine.finish(window.sessions.remove(session.id));
    machine.disk.faults.full = false;
    await machine.advance(AFTERWARDS);
    for (const one of [window, other, machine.open()]) assert.deepEqual(await machine.serve(one), []);
  });

  it('is read-only can’t be signed out on: that’s an error, and the session lives', async () => {
    const scene = await setScene();
    const { machine, window, other, session } = scene;
    machine.disk.faults.readOnly = true;
    await assert.rejects(machine.finish(window.sessions.remove(session.id)), { code: 'EROFS' });
    machine.disk.faults.readOnly = false;
    await checkWell(scene);
    await machine.finish(window.sessions.remove(session.id));
    assert.deepEqual(await machine.serve(other), []);
  });

  it('fails once, at any operation, loses nothing', async () => {
    const { length } = await rotationSteps();
    let failed = 0;
    for (let at = 0; at < length; at++) {
      const scene = await rotateWith(at, (_scene, operation) => {
        if (changes(operation)) failed++;
        return 'EIO';
      });
      void scene.window.sessions.run();
      await scene.machine.advance(AFTERWARDS);
      await checkWell(scene);
      await scene.machine.advance(LIFETIME);
      await checkWell(scene);
    }
    assert.ok(failed >= 10, 'most of the operations change something');
  });
});

describe('a session whose folder was deleted', () => {
  const FOLDERS = ['sessions', 'spare', 'keys', 'clients'];

  it('is served and written again, and every window sees the next token at once', async () => {
    const scene = await setScene();
    const { machine, window, other, session } = scene;
    for (const { sessions } of [window, other]) void sessions.run();
    await machine.advance(1_000);
    machine.disk.tamperRemoveFolders(FOLDERS);
    assert.equal(await machine.token(window), session.accessToken);
    await machine.advance(60_000);
    assert.deepEqual(machine.namesIn('sessions'), [`${session.id}.json`], 'the journal is back');
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
    assert.equal(machine.service.requests.length, 1);
    machine.disk.tamperRemoveFolders(FOLDERS);
    respond();
    await machine.advance(60_000);
    await checkWell(scene);
    assert.equal(await machine.token(machine.open()), machine.service.accessToken());
  });

  it('can be signed out of, and stays so', async () => {
    const { machine, window, other, session } = await setScene();
    machine.disk.tamperRemoveFolders(FOLDERS);
    await machine.finish(window.sessions.remove(session.id));
    await machine.advance(60_000);
    for (const one of [window, other, machine.open()]) assert.deepEqual(await machine.serve(one), []);
  });
});
