import assert from 'node:assert/strict';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import type { JournalEntry } from '../../../src/storage/record';
import { CLIENT_SECRET, LIFETIME, Machine, SERVICE, type TestWindow } from '../sessions/machine';

/** Guards that the copies in SecretStorage bring back what was lost, and never what was signed out of. */
describe('the copies of sessions in SecretStorage', () => {
  let machine: Machine;
  let window: TestWindow;
  let session: CurrentSession;

  beforeEach(async () => {
    machine = new Machine();
    ({ window, session } = await machine.openSignedIn());
    await machine.advance(5_000);
  });

  /** The generation of each copy, by session ID. */
  const copies = (): Readonly<Record<string, number>> => {
    const contents = JSON.parse(machine.shelf.stored ?? '{}') as { copies?: readonly JournalEntry[] };
    return Object.fromEntries((contents.copies ?? []).map(({ sessionId, generation }) => [sessionId, generation]));
  };

  it('are of the newest tokens, without the access token', async () => {
    assert.deepEqual(copies(), { [session.id]: 1 });
    await machine.finish(window.sessions.refreshNow(session.id));
    await machine.advance(1_000);
    assert.deepEqual(copies(), { [session.id]: 2 });
    const { stored = '' } = machine.shelf;
    assert.ok(stored.includes(machine.service.refreshToken()));
    assert.ok(!stored.includes(machine.service.accessToken()));
  });

  it('of all accounts that are refreshed at once are kept, and a secret that’s entered then', async () => {
    for (const label of ['Grace', 'Edsger', 'Barbara']) await machine.signIn(window, { label });
    await machine.advance(1_000);
    const sessions = await machine.finish(window.sessions.list());
    const entered = window.clientSecrets.set({ ...SERVICE, clientId: 'another' }, 'a secret');
    await machine.finish(Promise.all([entered, ...sessions.map(({ id }) => window.sessions.refreshNow(id))]));
    await machine.advance(1_000);
    assert.deepEqual(copies(), Object.fromEntries(sessions.map(({ id }) => [id, 2])));
    const { clientSecrets } = JSON.parse(machine.shelf.stored ?? '') as { clientSecrets: Record<string, string> };
    assert.deepEqual(Object.values(clientSecrets).sort(), ['a secret', CLIENT_SECRET].sort());
  });

  it('go as soon as somebody signs out, or another sign-in takes their place', async () => {
    const next = await machine.signIn(window, { accountId: session.account.id });
    await machine.advance(1_000);
    assert.deepEqual(copies(), { [next.id]: 1 });
    await machine.finish(window.sessions.remove(next.id));
    await machine.advance(1_000);
    assert.deepEqual(copies(), {});
  });

  it('are written by nobody while nothing changes', async () => {
    const other = machine.open();
    for (const { sessions } of [window, other]) void sessions.run();
    await machine.advance(1_000);
    const before = window.stores;
    await machine.advance(LIFETIME / 2);
    assert.deepEqual([window.stores, other.stores], [before, 0]);
  });

  it('are stored, or forgotten, with the next refresh after SecretStorage works again', async () => {
    const grace = await machine.signIn(window, { label: 'Grace' });
    await machine.advance(1_000);
    machine.shelf.setFault(window, 'throws');
    await machine.finish(window.sessions.remove(session.id));
    await machine.finish(window.sessions.refreshNow(grace.id));
    await machine.advance(1_000);
    assert.deepEqual(copies(), { [session.id]: 1, [grace.id]: 1 });
    machine.shelf.setFault(window, 'none');
    await machine.finish(window.sessions.refreshNow(grace.id));
    await machine.advance(1_000);
    assert.deepEqual(copies(), { [grace.id]: 3 });
  });

  it('of a session that was signed out of while SecretStorage failed bring nothing back, and go then', async () => {
    machine.shelf.setFault(window, 'throws');
    await machine.finish(window.sessions.remove(session.id));
    machine.kill(window);
    assert.deepEqual(await machine.finish(machine.open().sessions.list()), []);
    await machine.advance(1_000);
    assert.deepEqual(copies(), {});
  });

  for (const gap of [0, 300]) {
    it(`of a session that was signed out of never bring it back, though another window stores ${gap} ms later`, async () => {
      const other = machine.open();
      const grace = await machine.signIn(other, { label: 'Grace' });
      await machine.advance(5_000);
      machine.store.faults.unwatched = true;
      const removed = window.sessions.remove(session.id);
      await machine.advance(gap);
      const refreshed = other.sessions.refreshNow(grace.id);
      await machine.finish(Promise.all([removed, refreshed]));
      await machine.advance(1_000);
      for (const one of [window, other]) machine.kill(one);
      const later = machine.open();
      void later.sessions.run();
      await machine.advance(90_000);
      const served = (await machine.serve(later)).map(({ id }) => id);
      assert.deepEqual(served, [grace.id]);
      assert.deepEqual(copies(), { [grace.id]: 2 });
    });
  }

  it('of another key are left alone', async () => {
    const others = JSON.stringify({ format: 1, key: Buffer.alloc(32, 9).toString('base64'), copies: [] });
    machine.shelf.lose(others);
    window.platform.secrets.get = () => Promise.resolve(others);
    await machine.finish(window.sessions.refreshNow(session.id));
    await machine.advance(1_000);
    assert.equal(machine.shelf.stored, others);
    assert.match(window.log.text(), /SecretStorage couldn't be changed/);
  });

  it('stay out of the log if SecretStorage fails and quotes them', async () => {
    window.platform.secrets.store = (text) => Promise.reject(new Error(`The keyring refuses ${text}`));
    await machine.finish(window.sessions.refreshNow(session.id));
    await machine.advance(1_000);
    const logged = window.log.text();
    assert.match(logged, /SecretStorage couldn't be changed\. Error\n {2}at /);
    for (const secret of ['The keyring refuses', machine.service.refreshToken()]) assert.ok(!logged.includes(secret));
  });

  it('aren’t renewed with each refresh in a browser: that would undo what other extensions store there', async () => {
    machine = new Machine('browser');
    ({ window, session } = await machine.openSignedIn());
    await machine.advance(5_000);
    const before = window.stores;
    await machine.finish(window.sessions.refreshNow(session.id));
    await machine.advance(5_000);
    assert.equal(window.stores, before);
    const respond = machine.service.hold();
    const refreshed = window.sessions.refreshNow(session.id);
    await machine.settle();
    window.rows.trouble = (transaction) => (transaction === 'write' ? 'EIO' : undefined);
    respond();
    await machine.finish(refreshed);
    await machine.advance(1_000);
    assert.deepEqual(copies(), { [session.id]: 3 }, 'unless the disk refuses the new tokens');
  });

  it('are stored from a browser without taking back what other windows stored meanwhile', async () => {
    machine = new Machine('browser');
    ({ window, session } = await machine.openSignedIn());
    await machine.advance(70_000);
    const other = machine.open();
    const grace = await machine.signIn(other, { label: 'Grace' });
    await machine.finish(other.sessions.refreshNow(grace.id));
    await machine.advance(1_000);
    await machine.finish(window.sessions.remove(session.id));
    await machine.advance(1_000);
    assert.deepEqual(copies(), { [grace.id]: 2 });
  });

  for (const [what, act] of [
    ['signs out of another account', (other, id) => other.sessions.remove(id)],
    ['refreshes another account', (other, id) => other.sessions.refreshNow(id)],
    ['renames another account', (other, id) => other.sessions.rename(id, 'G')],
  ] satisfies [string, (other: TestWindow, id: string) => Promise<unknown>][]) {
    it(`of tokens that the disk refuses stay if another window ${what}`, async () => {
      const grace = await machine.signIn(window, { label: 'Grace' });
      const other = machine.open();
      await machine.serve(other);
      const respond = machine.service.hold();
      const refreshed = window.sessions.refreshNow(session.id);
      await machine.settle();
      window.rows.trouble = (transaction) => (transaction === 'write' ? 'EIO' : undefined);
      respond();
      await machine.finish(refreshed);
      await machine.advance(1_000);
      assert.equal(copies()[session.id], 2);
      await machine.finish<unknown>(act(other, grace.id));
      await machine.advance(1_000);
      assert.equal(copies()[session.id], 2);
      machine.kill(window);
      machine.kill(other);
      const later = machine.open();
      void later.sessions.run();
      await machine.advance(60_000);
      assert.ok((await machine.serve(later)).some(({ id }) => id === session.id));
    });
  }

  it('of a sign-in that the disk refuses stay if a window that doesn’t know it stores others', async () => {
    const other = machine.open();
    await machine.serve(other);
    window.rows.trouble = (transaction) => (transaction === 'write' ? 'EMFILE' : undefined);
    const grace = await machine.signIn(window, { label: 'Grace' });
    await machine.advance(1_000);
    await machine.finish(other.sessions.refreshNow(session.id));
    await machine.advance(1_000);
    assert.deepEqual(copies(), { [session.id]: 2, [grace.id]: 1 });
    machine.kill(window);
    const later = machine.open();
    void later.sessions.run();
    await machine.advance(90_000);
    assert.ok((await machine.serve(later)).some(({ id }) => id === grace.id));
  });

  it('of a sign-in that the disk refused go when its refresh token is too old', async () => {
    const other = machine.open();
    await machine.serve(other);
    window.rows.trouble = (transaction) => (transaction === 'write' ? 'EMFILE' : undefined);
    const grace = await machine.signIn(window, { label: 'Grace' });
    await machine.advance(1_000);
    machine.kill(window);
    assert.ok(grace.id in copies());
    machine.timeline.sleepMachine(31 * 24 * 60 * 60 * 1_000);
    await machine.finish(other.sessions.refreshNow(session.id));
    await machine.advance(1_000);
    assert.deepEqual(copies(), { [session.id]: 2 });
  });
});
