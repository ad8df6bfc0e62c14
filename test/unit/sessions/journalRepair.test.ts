import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { seal } from '../../../src/storage/cipher';
import { ServiceError } from '../../../src/oauth/errors';
import { SessionsUnavailableError } from '../../../src/sessions/sessionsUnavailable';
import { CLIENT_SECRET, LIFETIME, Machine, onlyOne, SERVICE, type TestWindow } from './machine';

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** The journal's file with another header. */
function withHeader(data: Uint8Array, change: object): Uint8Array {
  const file = JSON.parse(Buffer.from(data).toString()) as { header: string; record: string };
  const header = JSON.stringify({ ...(JSON.parse(file.header) as object), ...change });
  return bytes(JSON.stringify({ ...file, header }));
}

const DAMAGES: Readonly<Record<string, (data: Uint8Array) => Uint8Array>> = {
  empty: () => bytes(''),
  'zeros, as after a power cut': (data) => new Uint8Array(data.length),
  'cut off': (data) => data.slice(0, data.length / 2),
  'text that is no JSON': () => bytes('out of order'),
  'JSON of another kind': () => bytes('[1, null, {"header": {}}]'),
  'with a generation that was changed': (data) => withHeader(data, { generation: 99 }),
  'with a state that was changed': (data) => withHeader(data, { state: 'sending' }),
  'with the name of another key': (data) => withHeader(data, { keyId: 'f'.repeat(32) }),
  'with a format that was changed': (data) => withHeader(data, { format: 2 }),
  'of another session': (data) => withHeader(data, { sessionId: '00000000-0000-0000-0000-000000000000' }),
};

describe('a journal that is', () => {
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
    await machine.finish(window.store.refreshNow(id));
    await machine.advance(60_000);
  });

  const works = async (where: TestWindow): Promise<void> => {
    const served = await machine.finish(onlyOne(where.store.serve()));
    assert.equal(served.id, id);
    assert.equal(served.accessToken, machine.service.accessToken());
    assert.ok(machine.service.asked.every(({ current }) => current));
  };

  const setAside = (): Uint8Array[] =>
    machine.disk.names.flatMap((name) =>
      name.startsWith(`damaged/${id}.`) ? [machine.disk.peek(name) ?? bytes('')] : [],
    );

  for (const [what, damage] of Object.entries(DAMAGES)) {
    it(`${what} is written again by a window that knows better; the damaged one is kept and told`, async () => {
      void window.store.run();
      machine.disk.tamper(file, damage);
      const damaged = machine.disk.peek(file);
      await machine.advance(30_000);
      await works(window);
      assert.deepEqual(setAside(), [damaged]);
      assert.match(window.log.text(), /it was set aside/);
      assert.notDeepEqual(machine.disk.peek(file), damaged);
      await works(machine.open());
    });

    it(`${what} when the first window opens is made again from the copy in SecretStorage`, async () => {
      machine.kill(window);
      machine.disk.tamper(file, damage);
      const damaged = machine.disk.peek(file);
      const later = machine.open();
      await works(later);
      assert.deepEqual(setAside(), [damaged]);
      assert.match(later.log.text(), /it was set aside/);
      assert.deepEqual(later.notices, []);
    });
  }

  it('gone is made again, with and without a window that knows it', async () => {
    void window.store.run();
    machine.disk.tamperRemove(file);
    await machine.advance(30_000);
    assert.ok(machine.disk.peek(file));
    machine.kill(window);
    machine.disk.tamperRemove(file);
    await works(machine.open());
  });

  it('gone while the disk takes nothing is made again when it does', async () => {
    void window.store.run();
    machine.disk.tamperRemove(file);
    machine.disk.faults.readOnly = true;
    await machine.advance(60_000);
    machine.disk.faults.readOnly = false;
    await machine.advance(30_000);
    assert.ok(machine.disk.peek(file));
    await works(machine.open());
  });

  it('made again from a copy whose token is refused, then refused for another reason, can be asked about by hand', async () => {
    machine.kill(window);
    machine.service.revoke();
    machine.disk.tamperRemove(file);
    const later = machine.open();
    const before = machine.service.asked.length;
    const ask = (): Promise<void> => machine.finish(later.store.refreshNow(id));
    await assert.rejects(ask(), { fault: 'refused' });
    await assert.rejects(ask(), { fault: 'refused' });
    assert.equal(machine.service.asked.length - before, 1, 'other windows have the time to put back a later token');
    for (const code of Array.from({ length: 5 }, () => 'strange')) {
      await machine.advance(30_000);
      machine.service.nextFails(new ServiceError('refresh', 400, code));
      await assert.rejects(ask(), { fault: 'stopped' });
    }
    await machine.advance(30_000);
    await assert.rejects(ask(), { fault: 'over' });
    assert.equal(machine.service.asked.length - before, 7, 'however often it failed before');
  });

  it('damaged, or old again, when the token is refreshed just then, costs nothing', async () => {
    const old = machine.disk.peek(file);
    assert.ok(old);
    await machine.finish(window.store.refreshNow(id));
    machine.disk.tamper(file, () => old);
    await machine.finish(window.store.refreshNow(id));
    await works(window);
    machine.disk.tamper(file, () => bytes('out of order'));
    await machine.finish(window.store.refreshNow(id));
    await works(window);
    assert.deepEqual(setAside(), [bytes('out of order')]);
  });

  it('gone is not made again by a window that does not know yet that the person signed out', async () => {
    void window.store.run();
    const signsOut = machine.open();
    await machine.finish(signsOut.store.list());
    const holder = { name: 'another process', alive: true, stopped: false };
    const release = await machine.finish(machine.locks.of(holder).acquire(`session.${id}`, 0));
    machine.disk.faults.unwatched = true;
    machine.disk.tamperRemove(file);
    window.store.wake();
    await machine.advance(300);
    await machine.finish(signsOut.store.remove(id));
    release?.();
    await machine.advance(100);
    assert.equal(machine.disk.peek(file), undefined);
    assert.deepEqual(await machine.finish(window.store.serve()), []);
  });

  it('of a later version is left as it is, neither served nor refreshed, and told in the log', async () => {
    const key = window.access.current?.key;
    assert.ok(key);
    const clear = JSON.stringify({ format: 2, keyId: key.id, shape: 'another' });
    const sealed = seal(key, randomBytes, clear, JSON.stringify({}));
    machine.disk.tamper(file, () => bytes(JSON.stringify({ header: clear, record: sealed })));
    const before = machine.disk.peek(file);
    await assert.rejects(machine.finish(window.store.refreshNow(id)), { fault: 'busy elsewhere' });
    await assert.rejects(machine.finish(window.store.rename(id, 'Grace')), { fault: 'busy elsewhere' });
    machine.kill(window);
    const later = machine.open();
    void later.store.run();
    await machine.advance(2 * LIFETIME);
    assert.deepEqual(await machine.finish(later.store.serve()), []);
    assert.equal(machine.service.asked.length, 1);
    assert.deepEqual(machine.disk.peek(file), before);
    assert.match(later.log.text(), /newer version/);
    assert.deepEqual(setAside(), []);
  });

  it('old again, as from a backup, is brought up to date and its token never sent', async () => {
    const old = machine.disk.peek(file);
    assert.ok(old);
    await machine.finish(window.store.refreshNow(id));
    void window.store.run();
    machine.disk.tamper(file, () => old);
    await machine.advance(30_000);
    await works(window);
    await works(machine.open());
  });

  it('damaged in any way never stops anything, and is never taken for another', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 400 }).map((garbage) => () => garbage),
          fc
            .double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
            .map((part) => (data: Uint8Array) => data.slice(0, data.length * part)),
          fc.tuple(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), fc.integer({ min: 1, max: 255 })).map(
            ([part, bits]) =>
              (data: Uint8Array) =>
                data.map((byte, index) => (index === Math.floor(data.length * part) ? byte ^ bits : byte)),
          ),
        ),
        async (damage) => {
          const own = new Machine();
          const { window: first, session } = await own.openSignedIn();
          await own.advance(10_000);
          own.kill(first);
          own.disk.tamper(`sessions/${session.id}.json`, damage);
          const later = own.open();
          const served = await own.finish(later.store.serve());
          assert.deepEqual(
            served.map(({ accessToken }) => accessToken),
            [own.service.accessToken()],
          );
          assert.ok(own.service.asked.every(({ current }) => current));
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('the client secrets beside the journals', () => {
  const secret = 'what the operator gave';

  for (const kind of ['desktop', 'browser'] as const) {
    it(`are seen at once by other windows (${kind}), and one replaces the other`, async () => {
      const machine = new Machine(kind);
      const { window } = await machine.openSignedIn();
      await machine.advance(1_000);
      const other = machine.open();
      await machine.finish(window.secrets.set(SERVICE, 'an earlier one'));
      await machine.finish(other.secrets.set(SERVICE, secret));
      for (const { secrets } of [window, other]) assert.equal(await machine.finish(secrets.get(SERVICE), 0), secret);
      assert.equal(await machine.finish(window.secrets.get({ ...SERVICE, clientId: 'another' })), undefined);
      assert.equal(
        await machine.finish(window.secrets.get({ ...SERVICE, baseUrl: 'https://else.example' })),
        undefined,
      );
    });
  }

  it('that two windows store at once are both taken, and one of them stays', async () => {
    const machine = new Machine();
    const { window } = await machine.openSignedIn();
    await machine.advance(1_000);
    const other = machine.open();
    await machine.finish(other.store.serve());
    await machine.finish(
      Promise.all([window.secrets.set(SERVICE, secret), other.secrets.set(SERVICE, 'what another gave')]),
    );
    const one = await machine.finish(window.secrets.get(SERVICE), 0);
    assert.ok([secret, 'what another gave'].includes(one ?? ''));
    assert.equal(await machine.finish(other.secrets.get(SERVICE), 0), one);
    assert.equal(machine.disk.names.filter((name) => name.startsWith('clients/')).length, 1);
  });

  for (const fault of ['throws', 'hangs'] as const) {
    it(`that are in SecretStorage only are asked for in vain while that ${fault}, within its time limit`, async () => {
      const machine = new Machine();
      const { window } = await machine.openSignedIn();
      machine.shelf.setFault(window, fault);
      await assert.rejects(machine.finish(window.secrets.get(SERVICE), 5_000), SessionsUnavailableError);
      await machine.finish(window.secrets.set(SERVICE, secret), 0);
      assert.equal(await machine.finish(window.secrets.get(SERVICE), 0), secret, 'from the disk');
    });
  }

  it('that the disk does not take leave nothing behind, and are refused with what is wrong', async () => {
    const machine = new Machine();
    const { window } = await machine.openSignedIn();
    for (const failing of ['write', 'sync', 'rename'] as const) {
      window.disk.trouble = (operation, name) =>
        operation === failing && name.startsWith('clients/') ? 'ENOSPC' : undefined;
      await assert.rejects(machine.finish(window.secrets.set(SERVICE, secret)), { why: 'folder' });
    }
    assert.match(window.log.text(), /ENOSPC/);
    assert.deepEqual(
      machine.disk.names.filter((name) => name.startsWith('clients/')),
      [],
    );
  });

  it('of several services stand side by side', async () => {
    const machine = new Machine();
    const { window } = await machine.openSignedIn();
    const services = [SERVICE, { ...SERVICE, clientId: 'another' }, { ...SERVICE, baseUrl: 'https://else.example' }];
    for (const [index, service] of services.entries()) {
      await machine.finish(window.secrets.set(service, `secret ${index}`));
    }
    machine.shelf.setFault(window, 'hangs');
    for (const [index, service] of services.entries()) {
      assert.equal(await machine.finish(window.secrets.get(service), 0), `secret ${index}`);
    }
  });

  it('are found in SecretStorage where their file is damaged or gone', async () => {
    const machine = new Machine();
    const { window } = await machine.openSignedIn();
    await machine.finish(window.secrets.set(SERVICE, secret));
    await machine.advance(1_000);
    const [name, ...others] = machine.disk.names.filter((one) => one.startsWith('clients/'));
    assert.ok(name !== undefined && others.length === 0);
    for (const damage of Object.values(DAMAGES).slice(0, 5)) {
      machine.disk.tamper(name, damage);
      assert.equal(await machine.finish(window.secrets.get(SERVICE)), secret);
    }
    machine.disk.tamperRemove(name);
    assert.equal(await machine.finish(window.secrets.get(SERVICE)), secret);
  });

  it('that can’t be read keep no session from being refreshed, with the secret of its sign-in', async () => {
    const machine = new Machine();
    const { window, session } = await machine.openSignedIn();
    await machine.finish(window.secrets.set(SERVICE, secret));
    for (const code of ['EACCES', 'EISDIR', 'EIO']) {
      window.disk.trouble = (operation, name) =>
        operation === 'read' && name.startsWith('clients/') ? code : undefined;
      await machine.finish(window.store.refreshNow(session.id));
      assert.match(window.log.text(), new RegExp(code));
    }
    assert.deepEqual(
      machine.service.asked.map(({ credentials }) => credentials.clientSecret),
      Array.from({ length: 3 }, () => CLIENT_SECRET),
    );
    assert.equal(await machine.finish(window.secrets.get(SERVICE)), secret, 'from SecretStorage');
  });

  it('of another store are not read', async () => {
    const machine = new Machine();
    const { window } = await machine.openSignedIn();
    await machine.finish(window.secrets.set(SERVICE, secret));
    const stranger = machine.open(machine.newShelf('desktop'));
    assert.equal(await machine.finish(stranger.secrets.get(SERVICE)), undefined);
  });

  it('are used for refreshing from then on, at once where the one before was refused', async () => {
    const machine = new Machine();
    const { window, session } = await machine.openSignedIn();
    machine.service.nextFails(new ServiceError('refresh', 400, 'invalid_client'));
    await assert.rejects(machine.finish(window.store.refreshNow(session.id)));
    assert.deepEqual(
      window.notices.map(({ kind }) => kind),
      ['credentials refused'],
    );
    await machine.finish(window.secrets.set(SERVICE, secret));
    assert.deepEqual(
      machine.service.asked.map(({ credentials }) => credentials.clientSecret),
      ['client.secret', secret],
    );
    assert.equal((await machine.finish(onlyOne(window.store.serve()))).accessToken, machine.service.accessToken());
  });
});
