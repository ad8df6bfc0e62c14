import assert from 'node:assert/strict';
import type { ServedSession } from '../../../src/sessions/sessions';
import type { ServiceId } from '../../../src/oauth/client';
import { CLIENT_SECRET, DUE, Machine, onlyOne, SERVICE, type TestWindow } from './machine';

const OTHER: ServiceId = { baseUrl: 'https://other.example', clientId: 'client' };
const OTHER_CLIENT: ServiceId = { ...SERVICE, clientId: 'another client' };

for (const [what, other] of [
  ['another service', OTHER],
  ['another client of the same service', OTHER_CLIENT],
] as const) {
  describe(`the tokens of one service, where ${what} is configured too,`, () => {
    let machine: Machine;
    /** Has the one service configured. */
    let window: TestWindow;
    /** Has the other. */
    let elsewhere: TestWindow;
    let mine: ServedSession;
    let others: ServedSession;

    beforeEach(async () => {
      machine = new Machine();
      ({ window, session: mine } = await machine.openSignedIn());
      await machine.advance(1_000);
      elsewhere = machine.open();
      elsewhere.service = other;
      const credentials = { ...other, clientSecret: CLIENT_SECRET };
      others = await machine.finish(elsewhere.store.add({ ...machine.signIn('Grace'), credentials }));
      await machine.advance(1_000);
    });

    const ids = (sessions: readonly { readonly id: string }[]): string[] => sessions.map(({ id }) => id);
    const announced = ({ changes }: TestWindow): string[] =>
      changes.flatMap(({ added, changed, removed }) => ids([...added, ...changed, ...removed]));

    it('are served where it is configured, and nowhere else', async () => {
      for (const [{ store }, session] of [
        [window, mine],
        [elsewhere, others],
      ] as const) {
        assert.deepEqual(ids(await machine.finish(store.serve())), [session.id]);
        assert.deepEqual(ids(await machine.finish(store.list())), [session.id]);
        assert.deepEqual(ids(await machine.finish(store.known())), [session.id]);
      }
      assert.deepEqual(await machine.finish(window.store.serve(others.account.id)), []);
      window.service = undefined;
      assert.deepEqual(await machine.finish(window.store.serve()), []);
    });

    it('are announced where it is configured, and nowhere else, whatever becomes of the session', async () => {
      await machine.finish(window.store.list());
      await machine.finish(elsewhere.store.refreshNow(others.id));
      await machine.advance(1_000);
      await machine.finish(elsewhere.store.remove(others.id));
      await machine.advance(1_000);
      assert.deepEqual(new Set(announced(window)), new Set([mine.id]));
      assert.ok(announced(elsewhere).includes(others.id));
    });

    it('are refreshed by a window where it is configured, and by no other', async () => {
      void window.store.run();
      await machine.advance(DUE);
      assert.deepEqual(
        machine.service.asked.map(({ credentials: { baseUrl, clientId } }) => ({ baseUrl, clientId })),
        [SERVICE],
      );
      await assert.rejects(machine.finish(window.store.refreshNow(others.id)), { name: 'OtherServiceError' });
      assert.equal(machine.service.asked.length, 1);
    });

    it('can be reported as rejected where it is configured, and nowhere else', async () => {
      assert.equal(await machine.finish(window.store.reportRejected(others.accessToken)), false);
      assert.equal(machine.service.asked.length, 0);
      assert.equal(await machine.finish(elsewhere.store.reportRejected(others.accessToken)), true);
      assert.equal(machine.service.asked.length, 1);
    });

    it('are taken back when another is configured, whose tokens are announced', async () => {
      await machine.finish(window.store.list());
      const before = window.changes.length;
      assert.deepEqual(window.store.serviceMayHaveChanged(), []);
      assert.equal(window.changes.length, before, 'nothing changed');
      window.service = other;
      assert.deepEqual(ids(window.store.serviceMayHaveChanged()), [mine.id]);
      const [change, ...more] = window.changes.slice(before);
      assert.ok(change !== undefined && more.length === 0);
      assert.deepEqual([ids(change.added), ids(change.changed), ids(change.removed)], [[others.id], [], [mine.id]]);
      assert.deepEqual(ids(await machine.finish(window.store.serve())), [others.id]);
      window.service = undefined;
      window.store.serviceMayHaveChanged();
      assert.deepEqual(ids(window.changes.at(-1)?.removed ?? []), [others.id]);
    });

    it('are kept, but handed to nobody, where another was configured while somebody signed in', async () => {
      const asked = machine.service.asked.length;
      await assert.rejects(machine.finish(elsewhere.store.add(machine.signIn('Edsger'))), {
        name: 'OtherServiceError',
        message: 'The session belongs to another service than the one that is configured.',
      });
      assert.ok(!announced(elsewhere).includes(mine.id));
      assert.deepEqual(ids(await machine.finish(elsewhere.store.serve())), [others.id]);
      const served = await machine.finish(window.store.serve());
      assert.deepEqual(
        served.map(({ account }) => account.label),
        ['Ada', 'Edsger'],
      );
      assert.equal(machine.service.asked.length, asked);
      await machine.finish(window.store.remove(mine.id));
      assert.equal((await machine.finish(onlyOne(window.store.serve()))).accessToken, machine.service.accessToken(3));
    });
  });
}
