import assert from 'node:assert/strict';
import { ServiceError } from '../../../src/oauth/errors';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import { Machine, type TestWindow } from './machine';

/** A new token can't be reported for this long. Milliseconds. */
const TOO_YOUNG = 5_000;

/** Guards that a token that a service rejects is replaced once, however many report it. */
describe('tokens that other extensions report as rejected', () => {
  let machine: Machine;
  let window: TestWindow;
  let session: CurrentSession;

  beforeEach(async () => {
    machine = new Machine();
    ({ window, session } = await machine.openSignedIn());
  });

  const report = (token: string, where = window): Promise<boolean> =>
    machine.finish(where.sessions.reportRejected(token));

  it('are replaced by one refresh, however many report one at once', async () => {
    const other = machine.open();
    await machine.token(other);
    const reports = Array.from({ length: 100 }, (_, index) =>
      (index % 2 === 0 ? window : other).sessions.reportRejected(session.accessToken),
    );
    assert.ok((await machine.finish(Promise.all(reports))).every((helps) => helps));
    assert.equal(machine.service.asked, 1);
    assert.equal(await machine.token(window), machine.service.accessToken());
    assert.notEqual(machine.service.accessToken(), session.accessToken);
  });

  it('are replaced in the same way if only one server rejects one', async () => {
    assert.equal(await machine.finish(window.sessions.replaceRejected(session.accessToken)), true);
    assert.equal(await machine.finish(window.sessions.replaceRejected('somebody else’s')), false);
    assert.deepEqual([machine.service.asked, await machine.token(window)], [1, machine.service.accessToken()]);
  });

  it('that were replaced already cost no request, and asking again helps', async () => {
    await machine.finish(window.sessions.refreshNow(session.id));
    assert.equal(await report(session.accessToken), true);
    assert.equal(machine.service.asked, 1);
  });

  it('that never were ours cost no request, and asking again doesn’t help', async () => {
    assert.equal(await report('somebody else’s'), false);
    assert.equal(await report(''), false);
    assert.equal(machine.service.asked, 0);
  });

  it('aren’t replaced again as soon as they come', async () => {
    assert.equal(await report(session.accessToken), true);
    const next = await machine.token(window);
    assert.equal(await report(next), false);
    assert.equal(machine.service.asked, 1);
    await machine.advance(TOO_YOUNG);
    assert.equal(await report(next), true);
    assert.equal(machine.service.asked, 2);
  });

  it('cause no storm if they can’t be replaced', async () => {
    machine.service.nextFail(new ServiceError('refresh', 503, undefined));
    assert.equal(await report(session.accessToken), false);
    for (let again = 0; again < 10; again++) assert.equal(await report(session.accessToken), false);
    assert.equal(machine.service.asked, 1);
    await machine.advance(5_000);
    assert.equal(await report(session.accessToken), true);
  });

  it('of someone who signed out meanwhile are gone', async () => {
    await machine.finish(machine.open().sessions.remove(session.id));
    assert.equal(await report(session.accessToken), false);
    assert.equal(machine.service.asked, 0);
  });
});
