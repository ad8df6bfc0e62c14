import assert from 'node:assert/strict';
import { dialectOf } from '../../../src/oauth/dialect';
import type { Endpoints, ServiceId } from '../../../src/oauth/service';
import { ServiceError } from '../../../src/oauth/errors';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import { inNewerFormat } from '../../support/newerFormat';
import { CLIENT_SECRET, Machine, SERVICE, type TestWindow } from '../sessions/machine';

const SECRET = 'what the operator gave';
const SERVICES: readonly ServiceId[] = [
  SERVICE,
  { ...SERVICE, clientId: 'another' },
  { ...SERVICE, baseUrl: 'https://else.example' },
];

/** Guards that client secrets are there in every window, even if the disk or the keyring fails. */
for (const kind of ['desktop', 'browser'] as const) {
  describe(`client secrets, on a ${kind},`, () => {
    let machine: Machine;
    let window: TestWindow;
    let session: CurrentSession;

    beforeEach(async () => {
      machine = new Machine(kind);
      ({ session, window } = await machine.openSignedIn());
      await machine.advance(5_000);
    });

    const set = (secret: string, where = window, service = SERVICE): Promise<void> =>
      machine.finish(where.clientSecrets.set(service, secret));
    const get = (where = window, service = SERVICE, within?: number): Promise<string | undefined> =>
      machine.finish(where.clientSecrets.get(service, dialectOf(service).clientsNeedSecrets), within);

    it('are seen at once by other windows, and one replaces the other', async () => {
      const other = machine.open();
      await machine.finish(other.sessions.list());
      await set('an earlier one');
      await set(SECRET, other);
      for (const one of [window, other]) assert.equal(await get(one, SERVICE, 0), SECRET);
    });

    it('that two windows store at once are both taken, and one of them stays', async () => {
      const other = machine.open();
      await machine.serve(other);
      const both = [window.clientSecrets.set(SERVICE, SECRET), other.clientSecrets.set(SERVICE, 'what another gave')];
      await machine.finish(Promise.all(both));
      const one = await get();
      assert.ok([SECRET, 'what another gave'].includes(one ?? ''));
      assert.equal(await get(other), one);
      assert.equal(machine.namesAfter('client/').length, 1);
    });

    it('of several services are stored side by side, even while SecretStorage hangs', async () => {
      machine.shelf.setFault(window, 'hangs');
      for (const service of SERVICES) await set(`secret of ${service.clientId} ${service.baseUrl}`, window, service);
      for (const service of SERVICES) {
        assert.equal(await get(window, service, 0), `secret of ${service.clientId} ${service.baseUrl}`);
      }
    });

    for (const fault of ['throws', 'hangs'] as const) {
      it(`that aren’t on the disk can’t be read while SecretStorage ${fault}, and nobody waits long`, async () => {
        machine.shelf.setFault(window, fault);
        const other = { ...SERVICE, clientId: 'another' };
        await assert.rejects(get(window, other, 5_000), { name: 'StoreUnavailableError', reason: 'secret storage' });
        await set(SECRET, window, other);
        assert.equal(await get(window, other, 0), SECRET, 'from the disk');
        await set('', window, other);
        assert.equal(await get(window, other, 0), '', 'from the disk');
      });

      it(`are taken to be empty while SecretStorage ${fault} if the client needs none, unless a row says otherwise`, async () => {
        machine.shelf.setFault(window, fault);
        const standard = { ...SERVICE, protocol: 'rfc8628' } as const;
        const before = machine.namesAfter('client/');
        assert.equal(await get(window, standard, 5_000), '');
        await set(SECRET, window, standard);
        const [name = ''] = machine.namesAfter('client/').filter((one) => !before.includes(one));
        machine.store.tamper(`client/${name}`, () => '');
        await assert.rejects(get(window, standard, 5_000), { name: 'StoreUnavailableError', reason: 'secret storage' });
      });
    }

    it('are stored without waiting for the refreshes that are tried again with them', async () => {
      machine.service.nextFail(new ServiceError('refresh', 401, 'invalid_client'));
      await assert.rejects(machine.finish(window.sessions.refreshNow(session.id)));
      const respond = machine.service.hold();
      await machine.finish(window.clientSecrets.set(SERVICE, SECRET), 1_000);
      await machine.settle();
      respond();
      assert.equal(machine.service.requests.at(-1)?.credentials.clientSecret, SECRET);
    });

    it('that the disk refuses leave the one before, and say that it’s the folder', async () => {
      machine.store.faults.full = true;
      await assert.rejects(set('x'.repeat(9_000)), { name: 'StoreUnavailableError', reason: 'folder full' });
      assert.equal(await get(), CLIENT_SECRET);
      machine.store.faults.full = false;
      machine.store.faults.readOnly = true;
      await assert.rejects(set(SECRET), { name: 'StoreUnavailableError', reason: 'folder read-only' });
      assert.equal(await get(), CLIENT_SECRET);
      machine.store.faults.readOnly = false;
      await set(SECRET);
      assert.equal(await get(), SECRET);
    });

    it('are found in SecretStorage if their row is damaged, gone, or unreadable, and refreshing continues', async () => {
      await set(SECRET);
      await machine.advance(1_000);
      const [name, ...others] = machine.store.names.filter((one) => one.startsWith('client/'));
      assert.ok(name !== undefined && others.length === 0);
      for (const damage of [
        () => '',
        (text: string) => ' '.repeat(text.length),
        (text: string) => text.slice(0, 300),
      ]) {
        machine.store.tamper(name, damage);
        assert.equal(await get(), SECRET);
      }
      for (const code of ['EACCES', 'EBUSY', 'EIO']) {
        window.rows.trouble = (transaction) => (transaction === 'read' ? code : undefined);
        assert.equal(await get(), SECRET);
        window.rows.trouble = () => undefined;
        await machine.finish(window.sessions.refreshNow(session.id));
      }
      machine.store.tamperRemove(name);
      assert.equal(await get(), SECRET);
      assert.ok(machine.service.requests.every(({ credentials }) => credentials.clientSecret === SECRET));
    });

    it('of a removed service are gone in every window, wherever they were sent, and those of others stay', async () => {
      const standard = { ...SERVICE, protocol: 'rfc8628' } as const;
      const endpointsAt = (origin: string): Endpoints => ({
        issuer: standard.baseUrl,
        deviceAuthorization: `${origin}/device`,
        token: `${origin}/token`,
        authentication: 'basic',
      });
      const [first = standard, second = standard] = ['https://one.example', 'https://two.example'].map((origin) => ({
        ...standard,
        endpoints: endpointsAt(origin),
      }));
      const other = machine.open();
      await set('of the first endpoint', window, first);
      await set('of the second endpoint', other, second);
      for (const one of [window, other]) {
        assert.deepEqual(
          [await get(one, first), await get(one, second)],
          ['of the first endpoint', 'of the second endpoint'],
        );
      }
      await set(SECRET);
      await machine.advance(1_000);
      await machine.finish(other.clientSecrets.remove(standard));
      await machine.advance(1_000);
      for (const one of [window, other]) {
        for (const former of [first, second]) assert.equal(await get(one, former), '');
        assert.equal(await get(one), SECRET);
      }
      await machine.finish(window.clientSecrets.remove(SERVICE));
      await machine.advance(1_000);
      assert.equal(await get(), undefined);
      for (const name of machine.namesAfter('client/')) machine.store.tamperRemove(`client/${name}`);
      assert.equal(await get(), undefined, 'not from SecretStorage either');
      await set('entered again');
      assert.equal(await get(other), 'entered again');
    });

    it('of a newer version aren’t replaced, and the person is told', async () => {
      await set(SECRET);
      const [name = ''] = machine.store.names.filter((one) => one.startsWith('client/'));
      machine.store.tamper(name, inNewerFormat);
      const before = machine.store.peek(name);
      await assert.rejects(set('another'), { reason: 'newer version' });
      assert.deepEqual(machine.store.peek(name), before);
    });

    it('of another store aren’t read', async () => {
      // A window of another browser must not take the key for its own that it hasn't seen yet.
      await machine.advance(2 * 60_000);
      const stranger = machine.open(machine.newShelf(kind));
      assert.equal(await get(stranger), undefined);
    });
  });
}
