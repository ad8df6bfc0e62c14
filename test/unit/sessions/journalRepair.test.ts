import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { seal } from '../../../src/storage/cipher';
import { DAY, LIFETIME, Machine, type TestWindow } from './machine';

/** Tokens from a recovery copy aren't sent before this time has passed. Milliseconds. */
const RESTORED_PAUSE = 25_000;
/** By then, every running window has looked at the folder. Milliseconds. */
const LOOKED = 30_000;

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** The journal's file with another header. */
function withHeader(data: Uint8Array, change: object): Uint8Array {
  const file = JSON.parse(Buffer.from(data).toString()) as { header: string };
  const header = JSON.stringify({ ...(JSON.parse(file.header) as object), ...change });
  return bytes(JSON.stringify({ ...file, header }));
}

const DAMAGES: Readonly<Record<string, (data: Uint8Array) => Uint8Array>> = {
  empty: () => bytes(''),
  'zeros, as after a power cut': (data) => new Uint8Array(data.length),
  'cut off': (data) => data.slice(0, data.length / 2),
  'text that isn’t JSON': () => bytes('out of order'),
  'JSON of another kind': () => bytes('[1, null, {"header": {}}]'),
  'with a generation that was changed': (data) => withHeader(data, { generation: 99 }),
  'with a state that was changed': (data) => withHeader(data, { state: 'sending' }),
  'with another key’s ID': (data) => withHeader(data, { keyId: 'f'.repeat(32) }),
  'with a format that was changed': (data) => withHeader(data, { format: 2 }),
  'of another session': (data) => withHeader(data, { sessionId: '00000000-0000-0000-0000-000000000000' }),
};

describe('a journal that’s', () => {
  let machine: Machine;
  let window: TestWindow;
  let id: string;
  let file: string;

  beforeEach(async () => {
    machine = new Machine();
    const signedIn = await machine.openSignedIn();
    window = signedIn.window;
    id = signedIn.session.id;
    file = `sessions/${id}.json`;
    await machine.finish(window.sessions.refreshNow(id));
    await machine.advance(60_000);
  });

  const requests = (): number => machine.service.requests.length;
  const works = async (where: TestWindow): Promise<void> => {
    assert.equal(await machine.token(where), machine.service.accessToken());
    assert.ok(machine.service.requests.every(({ current }) => current));
  };
  /** The window restores the session from its recovery copy, without an access token. */
  const worksRestored = async (where: TestWindow): Promise<void> => {
    const before = requests();
    await assert.rejects(machine.serve(where), { name: 'SessionError', fault: 'busy' });
    assert.equal(requests(), before, 'other windows have time to write later tokens');
    await machine.advance(RESTORED_PAUSE);
    await works(where);
    assert.equal(requests(), before + 1);
  };

  for (const [what, damage] of Object.entries(DAMAGES)) {
    it(`${what} is written again by a window that knows better`, async () => {
      void window.sessions.run();
      machine.disk.tamper(file, damage);
      const damaged = machine.disk.peek(file);
      await machine.advance(LOOKED);
      await works(window);
      assert.match(window.log.text(), /it was written again/);
      assert.notDeepEqual(machine.disk.peek(file), damaged);
      await works(machine.open());
      assert.equal(requests(), 1);
    });

    it(`${what} when the first window opens is restored from the copy in SecretStorage`, async () => {
      machine.kill(window);
      machine.disk.tamper(file, damage);
      const later = machine.open();
      await worksRestored(later);
      assert.match(later.log.text(), /it was written again/);
      assert.deepEqual(later.told, []);
      await works(machine.open());
    });
  }

  it('gone is written again, with and without a window that knows it', async () => {
    void window.sessions.run();
    machine.disk.tamperRemove(file);
    await machine.advance(LOOKED);
    assert.ok(machine.disk.peek(file));
    machine.kill(window);
    machine.disk.tamperRemove(file);
    await worksRestored(machine.open());
  });

  it('restored with an old token isn’t asked about before a window that knows a later one has written it', async () => {
    const stored = machine.shelf.stored;
    void window.sessions.run();
    machine.shelf.setFault(window, 'throws');
    await machine.finish(window.sessions.refreshNow(id));
    machine.disk.faults.unwatched = true;
    machine.disk.tamperRemove(file);
    assert.equal(machine.shelf.stored, stored, 'the copy is older than what the window knows');
    const later = machine.open();
    void later.sessions.run();
    await machine.advance(60_000);
    await works(later);
    assert.equal(requests(), 2);
  });

  it('old again, as from a backup, is brought up to date by a window that knows better', async () => {
    const old = machine.disk.peek(file) ?? bytes('');
    await machine.finish(window.sessions.refreshNow(id));
    void window.sessions.run();
    machine.disk.tamper(file, () => old);
    await machine.advance(LOOKED);
    await works(window);
    await works(machine.open());
  });

  it('old again, as from a backup, while SecretStorage has a later copy, is brought up to date', async () => {
    const old = machine.disk.peek(file) ?? bytes('');
    await machine.finish(window.sessions.refreshNow(id));
    await machine.advance(1_000);
    machine.kill(window);
    machine.disk.tamper(file, () => old);
    await worksRestored(machine.open());
  });

  it('damaged, or old again, when the token is refreshed just then, costs nothing', async () => {
    const old = machine.disk.peek(file) ?? bytes('');
    await machine.finish(window.sessions.refreshNow(id));
    for (const contents of [old, bytes('out of order')]) {
      machine.disk.tamper(file, () => contents);
      await machine.finish(window.sessions.refreshNow(id));
      await works(window);
    }
  });

  it('old again is never brought back by a rename, either', async () => {
    const old = machine.disk.peek(file) ?? bytes('');
    await machine.finish(window.sessions.refreshNow(id));
    machine.disk.tamper(file, () => old);
    await machine.finish(window.sessions.rename(id, 'Grace'));
    await works(window);
    const later = machine.open();
    await works(later);
    await machine.finish(later.sessions.refreshNow(id));
    await works(window);
  });

  it('newer than what a window knows isn’t overwritten by its rename', async () => {
    const other = machine.open();
    await works(other);
    machine.disk.faults.unwatched = true;
    await machine.finish(window.sessions.refreshNow(id));
    await machine.finish(other.sessions.rename(id, 'Grace'));
    for (const one of [window, other, machine.open()]) {
      const [session] = await machine.serve(one);
      assert.equal(session?.account.label, 'Grace');
      await works(one);
    }
  });

  it('gone is not written again by a window that doesn’t know yet that the person signed out', async () => {
    void window.sessions.run();
    const signsOut = machine.open();
    await machine.finish(signsOut.sessions.list());
    const release = await machine.holdLock(`session.${id}`);
    machine.disk.faults.unwatched = true;
    machine.disk.tamperRemove(file);
    window.sessions.wake();
    await machine.advance(300);
    await machine.finish(signsOut.sessions.remove(id));
    release();
    await machine.advance(100);
    assert.equal(machine.disk.peek(file), undefined);
    assert.deepEqual(await machine.serve(window), []);
  });

  it('of a newer version is left as it is, neither served nor refreshed, and the log says so', async () => {
    const store = await machine.finish(window.opener.forReading());
    const header = JSON.stringify({ format: 2, name: file, keyId: store?.files.key.id });
    const sealed = seal(store?.files.key ?? assert.fail('no key'), randomBytes, header, '{}');
    machine.disk.tamper(file, () => bytes(JSON.stringify({ header, sealed })));
    const before = machine.disk.peek(file);
    await assert.rejects(machine.finish(window.sessions.refreshNow(id)), { fault: 'busy' });
    await assert.rejects(machine.finish(window.sessions.rename(id, 'Grace')), { fault: 'busy' });
    machine.kill(window);
    const later = machine.open();
    void later.sessions.run();
    await machine.advance(2 * LIFETIME);
    assert.deepEqual(await machine.serve(later), []);
    assert.equal(requests(), 1);
    assert.deepEqual(machine.disk.peek(file), before);
    assert.match(later.log.text(), /newer version/);
  });
});

describe('the recovery copy of a session that has no journal anymore', () => {
  for (const days of [29, 31]) {
    it(`${days < 30 ? 'is used' : 'goes'} after ${days} days`, async () => {
      const machine = new Machine();
      const { window, session } = await machine.openSignedIn();
      await machine.advance(5_000);
      machine.kill(window);
      machine.disk.tamperRemove(`sessions/${session.id}.json`);
      machine.timeline.sleepMachine(days * DAY);
      const later = machine.open();
      assert.equal((await machine.finish(later.sessions.list())).length, days < 30 ? 1 : 0);
      await machine.advance(5_000);
      assert.equal(machine.shelf.stored?.includes(session.id), days < 30);
    });
  }
});
