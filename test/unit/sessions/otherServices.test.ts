import assert from 'node:assert/strict';
import { sameService, type ServiceId, serviceKey } from '../../../src/oauth/service';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import { CLIENT_SECRET, DUE, Machine, SERVICE, type TestWindow } from './machine';

const OTHER: ServiceId = { ...SERVICE, baseUrl: 'https://other.example' };

/** Guards that the sessions of services that aren't configured now are kept, and stay hidden. */
describe('the tokens of one service, if another one is configured too,', () => {
  let machine: Machine;
  /** Has the one service configured. */
  let window: TestWindow;
  /** Has the other. */
  let elsewhere: TestWindow;
  let mine: CurrentSession;
  let others: CurrentSession;

  beforeEach(async () => {
    machine = new Machine();
    ({ window, session: mine } = await machine.openSignedIn());
    await machine.advance(1_000);
    elsewhere = machine.open();
    elsewhere.configure(OTHER);
    await machine.finish(elsewhere.clientSecrets.set(OTHER, CLIENT_SECRET));
    others = await machine.signIn(elsewhere, { label: 'Grace', service: OTHER });
    await machine.advance(1_000);
  });

  const ids = (sessions: readonly { readonly id: string }[]): string[] => sessions.map(({ id }) => id);
  const announced = ({ changes }: TestWindow): string[] =>
    changes.flatMap(({ added, changed, removed }) => ids([...added, ...changed, ...removed]));

  it('are served in windows that have it configured, and hidden elsewhere', async () => {
    for (const [one, session, hidden] of [
      [window, mine, others],
      [elsewhere, others, mine],
    ] as const) {
      assert.deepEqual(ids(await machine.serve(one)), [session.id]);
      assert.deepEqual(ids(await machine.finish(one.sessions.list())), [session.id]);
      assert.deepEqual(ids(await machine.finish(one.sessions.listHidden())), [hidden.id]);
      assert.deepEqual(ids(await machine.finish(one.sessions.listAll())), [session.id, hidden.id]);
    }
    assert.deepEqual(await machine.finish(window.serve(others.account.id)), []);
    window.configure();
    assert.deepEqual(await machine.serve(window), []);
    assert.equal((await machine.finish(window.sessions.listHidden())).length, 2);
  });

  it('are announced in windows that have it configured, and nowhere else, whatever happens to the session', async () => {
    await machine.finish(window.sessions.list());
    await machine.finish(elsewhere.sessions.refreshNow(others.id));
    await machine.advance(1_000);
    await machine.finish(elsewhere.sessions.remove(others.id));
    await machine.advance(1_000);
    assert.deepEqual(new Set(announced(window)), new Set([mine.id]));
    assert.ok(announced(elsewhere).includes(others.id));
  });

  it('are refreshed by a window that has it configured, and by no other', async () => {
    void window.sessions.run();
    await machine.advance(DUE);
    const asked = machine.service.requests.map(({ credentials: { baseUrl, clientId, protocol } }) => ({
      baseUrl,
      clientId,
      protocol,
    }));
    assert.deepEqual(asked, [SERVICE]);
    await assert.rejects(machine.finish(window.sessions.refreshNow(others.id)), { fault: 'not configured' });
    assert.equal(machine.service.asked, 1);
  });

  it('can be reported as rejected in a window that has it configured, and nowhere else', async () => {
    assert.equal(await machine.finish(window.sessions.reportRejected(others.accessToken)), false);
    assert.equal(machine.service.asked, 0);
    assert.equal(await machine.finish(elsewhere.sessions.reportRejected(others.accessToken)), true);
    assert.equal(machine.service.asked, 1);
  });

  it('are removed when another one is configured, whose tokens are announced', async () => {
    await machine.finish(window.sessions.list());
    const before = window.changes.length;
    assert.deepEqual(window.sessions.servicesChanged(), []);
    assert.equal(window.changes.length, before, 'nothing changed');
    window.services = [OTHER];
    assert.deepEqual(ids(window.sessions.servicesChanged()), [mine.id]);
    const [change, ...more] = window.changes.slice(before);
    assert.ok(change !== undefined && more.length === 0);
    assert.deepEqual([ids(change.added), ids(change.changed), ids(change.removed)], [[others.id], [], [mine.id]]);
    assert.deepEqual(ids(await machine.serve(window)), [others.id]);
    window.services = [];
    window.sessions.servicesChanged();
    assert.deepEqual(ids(window.changes.at(-1)?.removed ?? []), [others.id]);
  });

  it('are kept, but not served, if another was configured while somebody signed in', async () => {
    await assert.rejects(machine.signIn(elsewhere, { label: 'Edsger' }), { fault: 'not configured' });
    assert.ok(!announced(elsewhere).includes(mine.id));
    assert.deepEqual(ids(await machine.serve(elsewhere)), [others.id]);
    const labels = (await machine.serve(window)).map(({ account }) => account.label);
    assert.deepEqual(labels, ['Ada', 'Edsger']);
    assert.equal(machine.service.asked, 0);
    await machine.finish(window.sessions.remove(mine.id));
    assert.equal(await machine.token(window), machine.service.accessToken(3));
  });
});

/** Guards that each client of a service has sessions of its own, and each dialect. */
describe('two services', () => {
  for (const [other, isSame] of [
    [{ ...SERVICE }, true],
    [OTHER, false],
    [{ ...SERVICE, clientId: 'another client' }, false],
    [{ ...SERVICE, protocol: 'rfc8628' }, false],
  ] as const) {
    it(`are ${isSame ? 'the same' : 'different ones'}: ${serviceKey(SERVICE)} and ${serviceKey(other)}`, () => {
      assert.equal(sameService(SERVICE, other), isSame);
      assert.equal(serviceKey(SERVICE) === serviceKey(other), isSame);
    });
  }
});
