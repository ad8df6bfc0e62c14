import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { seal } from '../../../src/storage/cipher';
import { CLIENT_SECRET, DAY, LIFETIME, Machine, SERVICE, type TestWindow } from './machine';

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

/** What may have happened to the journal, whose earlier version is `old`. `undefined`: it’s gone. */
const HARMS: Readonly<Record<string, (data: Uint8Array, old: Uint8Array) => Uint8Array | undefined>> = {
  gone: () => undefined,
  'old again, as from a backup': (_data, old) => old,
  'cut off': (data) => data.slice(0, data.length / 2),
  'with a generation that was changed': (data) => withHeader(data, { generation: 99 }),
  'with another key’s ID': (data) => withHeader(data, { keyId: 'f'.repeat(32) }),
};

/** Guards that a journal that's gone, damaged, or old is written again by whoever knows better. */
describe('a journal that’s', () => {
  let machine: Machine;
  let window: TestWindow;
  let id: string;
  let file: string;
  let old: Uint8Array;

  beforeEach(async () => {
    machine = new Machine();
    const signedIn = await machine.openSignedIn();
    window = signedIn.window;
    id = signedIn.session.id;
    file = `sessions/${id}.json`;
    old = machine.disk.peek(file) ?? assert.fail('no journal');
    await machine.finish(window.sessions.refreshNow(id));
    await machine.advance(60_000);
  });

  const works = async (where: TestWindow): Promise<void> => {
    assert.equal(await machine.token(where), machine.service.accessToken());
    assert.ok(machine.service.requests.every(({ current }) => current));
  };

  for (const [what, harm] of Object.entries(HARMS)) {
    it(`${what} is written again by a window that knows better, or from the copy in SecretStorage`, async () => {
      void window.sessions.run();
      machine.disk.tamper(file, (data) => harm(data, old));
      await machine.advance(LOOKED);
      await works(window);
      await works(machine.open());
      assert.equal(machine.service.asked, 1);
      machine.kill(window);
      machine.disk.tamper(file, (data) => harm(data, old));
      const later = machine.open();
      await assert.rejects(machine.serve(later), { name: 'SessionError', fault: 'busy' });
      assert.equal(machine.service.asked, 1, 'other windows have time to write later tokens');
      await machine.advance(RESTORED_PAUSE);
      for (const one of [later, machine.open()]) await works(one);
      assert.equal(machine.service.asked, 2);
      for (const { log } of [window, later]) assert.match(log.text(), /it was written again/);
      assert.deepEqual(later.told, []);
    });
  }

  it('gone is restored slowly, and the time for other windows begins when it’s back', async () => {
    machine.kill(window);
    machine.disk.tamperRemove(file);
    const later = machine.open();
    later.disk.trouble = (operation, name) => {
      if (operation !== 'rename' || name !== file) return undefined;
      later.disk.trouble = () => undefined;
      return later.platform.clock.sleep(LOOKED);
    };
    await machine.finish(later.sessions.list());
    await assert.rejects(machine.serve(later), { name: 'SessionError', fault: 'busy' });
    assert.equal(machine.service.asked, 1);
    await machine.advance(RESTORED_PAUSE);
    await works(later);
    assert.equal(machine.service.asked, 2);
  });

  it('of a newer version is left as it is, neither served nor refreshed, and the log says so', async () => {
    const store = await machine.finish(window.store.forReading());
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
    assert.equal(machine.service.asked, 1);
    assert.deepEqual(machine.disk.peek(file), before);
    assert.match(later.log.text(), /newer version/);
  });

  it('larger than any that’s written is damaged, and written again', async () => {
    void window.sessions.run();
    machine.disk.tamper(file, () => new Uint8Array(5_000_000));
    await machine.advance(60_000);
    assert.ok((machine.disk.peek(file)?.length ?? 0) < 10_000);
    await works(window);
  });
});

describe('the recovery copy of a session that has no journal anymore', () => {
  for (const [what, service, longest] of [
    ['of the default service', SERVICE, 30],
    ['of a standard service', { ...SERVICE, protocol: 'rfc8628' }, 60],
  ] as const) {
    for (const days of [longest - 1, longest + 1]) {
      it(`${what} ${days < longest ? 'is used' : 'goes'} after ${days} days`, async () => {
        const machine = new Machine();
        const open = (): TestWindow => {
          const window = machine.open();
          window.configure(service);
          return window;
        };
        const window = open();
        await machine.finish(window.clientSecrets.set(service, CLIENT_SECRET));
        const session = await machine.signIn(window, { service });
        await machine.advance(5_000);
        machine.kill(window);
        machine.disk.tamperRemove(`sessions/${session.id}.json`);
        machine.timeline.sleepMachine(days * DAY);
        const later = open();
        assert.equal((await machine.finish(later.sessions.list())).length, days < longest ? 1 : 0);
        await machine.advance(5_000);
        assert.equal(machine.shelf.stored?.includes(session.id), days < longest);
      });
    }
  }
});
