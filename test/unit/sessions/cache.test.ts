import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Machine } from './machine';

/** What a window may do, or what may happen, and how many milliseconds pass before it. */
const courses = fc.array(
  fc.tuple(
    fc.constantFrom('refresh', 'rename', 'look', 'set the clock back'),
    fc.constantFrom(0, 1, 40, 60, 500, 1_000, 2_500, 20_000),
  ),
  { minLength: 3, maxLength: 15 },
);

/** Many runs take their time on a busy machine. Milliseconds. */
const PATIENT = 20_000;

/** Guards that a window sees at once what others wrote, and that looking changes nothing. */
describe('what a window knows of the sessions', () => {
  it('is what other windows wrote last, whatever the clock says, and though nobody reports a change', async () => {
    await fc.assert(
      fc.asyncProperty(courses, async (course) => {
        const machine = new Machine();
        const { window, session } = await machine.openSignedIn();
        const other = machine.open();
        machine.store.faults.unwatched = true;
        await machine.finish(other.sessions.list());
        let label = session.account.label;
        for (const [index, [act, pause]] of course.entries()) {
          await machine.advance(pause);
          if (act === 'refresh') await machine.finish(window.sessions.refreshNow(session.id));
          else if (act === 'rename') {
            label = `name ${index}`;
            await machine.finish(window.sessions.rename(session.id, label));
          } else if (act === 'set the clock back') machine.timeline.jump(-3_600_000);
          const [known] = await machine.finish(other.sessions.list(), 0);
          assert.deepEqual([known?.account.label, known?.accessToken], [label, machine.service.accessToken()]);
        }
      }),
      { numRuns: 20 },
    );
  }).timeout(PATIENT);

  it('is read again only if something has changed', async () => {
    const machine = new Machine();
    const { window, session } = await machine.openSignedIn();
    await machine.finish(window.sessions.list());
    await machine.advance(5_000);
    await machine.finish(window.sessions.list());
    let reads = 0;
    window.rows.trouble = (transaction) => void (reads += transaction === 'read' ? 1 : 0);
    for (let again = 0; again < 5; again++) assert.equal(await machine.token(window), session.accessToken);
    assert.equal(reads, 0);
    const other = machine.open();
    await machine.finish(other.sessions.rename(session.id, 'Grace'));
    assert.equal((await machine.finish(window.sessions.list()))[0]?.account.label, 'Grace');
    assert.equal(reads, 1);
  });

  it('is an error, not “signed out”, if it knows no session and the folder can’t be read', async () => {
    const machine = new Machine();
    const { window, session } = await machine.openSignedIn();
    await machine.finish(window.sessions.remove(session.id));
    assert.deepEqual(await machine.serve(window), []);
    machine.store.faults.unreadable = true;
    await assert.rejects(machine.serve(window), 'somebody may have signed in elsewhere');
  });

  it('is listed while the folder can’t be read, but not served, because another window may know better', async () => {
    const machine = new Machine();
    const { window, session } = await machine.openSignedIn();
    await machine.advance(1_000);
    machine.store.faults.unreadable = true;
    assert.equal((await machine.finish(window.sessions.list()))[0]?.id, session.id);
    await assert.rejects(machine.serve(window), { reason: 'folder' });
    const later = machine.open();
    await assert.rejects(machine.serve(later), 'that nobody is signed in isn’t known');
    assert.deepEqual(await machine.finish(later.sessions.list()), [], 'menus get no error');
    machine.store.faults.unreadable = false;
    for (const one of [window, later]) assert.equal(await machine.token(one), session.accessToken);
    const added = later.changes.flatMap((change) => change.added.map(({ id }) => id));
    assert.deepEqual(added, [session.id], 'whoever was told of none is told of it now');
  });
});
