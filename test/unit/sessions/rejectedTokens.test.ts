import assert from 'node:assert/strict';
import { ServiceError } from '../../../src/oauth/errors';
import type { ServedSession } from '../../../src/sessions/sessions';
import { Machine, onlyOne, type TestWindow } from './machine';

/** A new token can't be reported for this long. Milliseconds. */
const TOO_YOUNG = 5_000;

describe('tokens that other extensions report as rejected', () => {
  let machine: Machine;
  let window: TestWindow;
  let session: ServedSession;

  beforeEach(async () => {
    machine = new Machine();
    ({ window, session } = await machine.openSignedIn());
  });

  const report = (token: string, where = window): Promise<boolean> => machine.finish(where.store.reportRejected(token));

  it('are replaced by one refresh, however many report one at once', async () => {
    const other = machine.open();
    const reports = Array.from({ length: 100 }, (_, index) =>
      (index % 2 === 0 ? window : other).store.reportRejected(session.accessToken),
    );
    assert.deepEqual(
      await machine.finish(Promise.all(reports)),
      Array.from({ length: 100 }, () => true),
    );
    assert.equal(machine.service.asked.length, 1);
    const { accessToken } = await machine.finish(onlyOne(window.store.serve()));
    assert.equal(accessToken, machine.service.accessToken());
    assert.notEqual(accessToken, session.accessToken);
  });

  it('that were replaced already cost no request, and asking again helps', async () => {
    await machine.finish(window.store.refreshNow(session.id));
    assert.equal(await report(session.accessToken), true);
    assert.equal(await report(session.accessToken, machine.open()), true);
    assert.equal(machine.service.asked.length, 1);
  });

  it('that never were ours cost no request, and asking again does not help', async () => {
    assert.equal(await report('somebody else’s'), false);
    assert.equal(await report(''), false);
    assert.equal(machine.service.asked.length, 0);
  });

  it('are not replaced again as soon as they came', async () => {
    assert.equal(await report(session.accessToken), true);
    const next = await machine.finish(onlyOne(window.store.serve()));
    assert.equal(await report(next.accessToken), false);
    assert.equal(machine.service.asked.length, 1);
    await machine.advance(TOO_YOUNG);
    assert.equal(await report(next.accessToken), true);
    assert.equal(machine.service.asked.length, 2);
  });

  it('make no storm where they can’t be replaced', async () => {
    machine.service.nextFails(new ServiceError('refresh', 503, undefined));
    assert.equal(await report(session.accessToken), false);
    for (let again = 0; again < 10; again++) assert.equal(await report(session.accessToken), false);
    assert.equal(machine.service.asked.length, 1);
    await machine.advance(5_000);
    assert.equal(await report(session.accessToken), true);
  });

  it('of someone who signed out meanwhile are gone', async () => {
    await machine.finish(machine.open().store.remove(session.id));
    assert.equal(await report(session.accessToken), false);
    assert.equal(machine.service.asked.length, 0);
  });
});
