import assert from 'node:assert/strict';
import { NetworkError, ServiceError } from '../../../src/oauth/errors';
import { DeviceNotifier } from '../../../src/signin/deviceNotification';
import { FakeClock, settle } from '../../support/fakeClock';
import { RecordingLog } from '../../support/recordingLog';
import { ScriptedClient } from './scriptedClient';

const options = {
  path: '/device/notify',
  method: 'POST',
  parameters: {},
  parametersIn: 'query',
  accessTokenIn: 'header',
} as const;
const baseUrl = 'https://service.example';
const accessToken = 'not a real access token';
const silence = new NetworkError('notification', 'connection refused', false, { systemCode: 'ECONNREFUSED' });

function send(responses: readonly (Error | undefined)[]) {
  const clock = new FakeClock();
  const client = new ScriptedClient(clock, [], [], responses);
  const log = new RecordingLog();
  const abort = new AbortController();
  const done = new DeviceNotifier(client, clock, log, abort.signal).send(baseUrl, options, accessToken);
  return { clock, client, log, abort, done };
}

/** Guards that the service learns of the device, and that nothing waits for that. */
describe('the device notification', () => {
  it('goes out at once, with the access token', async () => {
    const { client, log, done } = send([]);
    await done;
    assert.deepEqual(client.notifications, [{ at: 0, baseUrl, accessToken }]);
    assert.deepEqual(log.levels(), ['info']);
  });

  it("is retried twice if there's no response or the service has an internal error, and then given up with a warning", async () => {
    const { clock, client, log, done } = send([silence, new ServiceError('notification', 503, undefined), silence]);
    await clock.advance(10_000);
    await done;
    const times = client.notifications.map((sent) => sent.at);
    assert.deepEqual(times, [0, 1_000, 4_000]);
    assert.equal(log.levels().at(-1), 'warn');
  });

  it("isn't retried if the service refuses it, or after an unexpected error", async () => {
    for (const error of [new ServiceError('notification', 404, undefined), new TypeError(accessToken)]) {
      const { clock, client, log, done } = send([error]);
      await clock.advance(10_000);
      await done;
      assert.equal(client.notifications.length, 1);
      assert.deepEqual(log.levels(), ['warn']);
      assert.ok(!log.text().includes(accessToken));
    }
  });

  it("is given up immediately if it's canceled", async () => {
    const { clock, client, abort, done } = send([silence]);
    await settle();
    abort.abort();
    await done;
    await clock.advance(10_000);
    assert.equal(client.notifications.length, 1);
    assert.equal(clock.sleeping, 0);
  });
});
