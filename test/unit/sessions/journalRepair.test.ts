import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { seal } from '../../../src/storage/cipher';
import { CLIENT_SECRET, DAY, LIFETIME, Machine, SERVICE, type TestWindow } from './machine';

/** Tokens from a recovery copy aren't sent before this time has passed. Milliseconds. */
const RESTORED_PAUSE = 25_000;
/** By then, every running window has looked at the folder. Milliseconds. */
const LOOKED = 30_000;

/** The journal's row with another header. */
function withHeader(text: string, change: object): string {
  const row = JSON.parse(text) as { header: string };
  const header = JSON.stringify({ ...(JSON.parse(row.header) as object), ...change });
  return JSON.stringify({ ...row, header });
}

/** What may have happened to the journal, whose earlier version is `old`. `undefined`: it’s gone. */
const HARMS: Readonly<Record<string, (text: string, old: string) => string | undefined>> = {
  gone: () => undefined,
  'old again, as from a backup': (_text, old) => old,
  'cut off': (text) => text.trimEnd().slice(0, -100),
  'with a generation that was changed': (text) => withHeader(text, { generation: 99 }),
  'with another key’s ID': (text) => withHeader(text, { keyId: 'f'.repeat(32) }),
};

/** Guards that a journal that's gone, damaged, or old is written again by whoever knows better. */
describe('a journal that’s', () => {
  let machine: Machine;
  let window: TestWindow;
  let id: string;
  let row: string;
  let old: string;

  beforeEach(async () => {
    machine = new Machine();
    const signedIn = await machine.openSignedIn();
    window = signedIn.window;
    id = signedIn.session.id;
    row = `session/${id}`;
    old = machine.store.peek(row) ?? assert.fail('no journal');
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
      machine.store.tamper(row, (text) => harm(text, old));
      await machine.advance(LOOKED);
      await works(window);
      await works(machine.open());
      assert.equal(machine.service.asked, 1);
      machine.kill(window);
      machine.store.tamper(row, (text) => harm(text, old));
      const later = machine.open();
      await assert.rejects(machine.serve(later), { name: 'SessionError', fault: 'busy' });
      assert.equal(machine.service.asked, 1, 'other windows have time to write later tokens');
      await machine.advance(RESTORED_PAUSE);
      for (const one of [later, machine.open()]) await works(one);
      assert.equal(machine.service.asked, 2);
      assert.match(window.log.text(), /were written again/);
      assert.match(
        later.log.text(),
        new RegExp(`Session ${id}: its journal was missing or outdated, and was restored`),
      );
      assert.deepEqual(later.told, []);
    });
  }

  it('of a newer version is left as it is, neither served nor refreshed, and the log says so', async () => {
    const { sealing } = (await machine.finish(window.opener.forReading())) ?? assert.fail('no store');
    const header = JSON.stringify({ format: 2, name: row, keyId: sealing.key.id });
    const sealed = seal(sealing.key, randomBytes, header, '{}');
    machine.store.tamper(row, () => JSON.stringify({ header, sealed }));
    const before = machine.store.peek(row);
    await assert.rejects(machine.finish(window.sessions.refreshNow(id)), { reason: 'newer version' });
    await assert.rejects(machine.finish(window.sessions.rename(id, 'Grace')), { reason: 'newer version' });
    machine.kill(window);
    const later = machine.open();
    void later.sessions.run();
    await machine.advance(2 * LIFETIME);
    assert.deepEqual(await machine.serve(later), []);
    assert.equal(machine.service.asked, 1);
    assert.equal(machine.store.peek(row), before);
    assert.match(later.log.text(), /newer version/);
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
        machine.store.tamperRemove(`session/${session.id}`);
        machine.timeline.sleepMachine(days * DAY);
        const later = open();
        assert.equal((await machine.finish(later.sessions.list())).length, days < longest ? 1 : 0);
        await machine.advance(5_000);
        assert.equal(machine.shelf.stored?.includes(session.id), days < longest);
      });
    }
  }
});
