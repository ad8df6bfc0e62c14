import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from '../../scripts/host/paths';
import { HAS_SIGNALS } from '../support/thisSystem';

type FirstLine = Readonly<Record<'baseUrl' | 'verificationUrl' | 'clientId' | 'clientSecret', string>>;

/** Starts the service with these options. */
function start(...args: readonly string[]) {
  const child = spawn(process.execPath, [join(ROOT, 'out', 'demo', 'service', 'cli.js'), ...args], { stdio: 'pipe' });
  const errors = text(child.stderr);
  const firstLine = once(child.stdout, 'data').then(([bytes]: unknown[]) => JSON.parse(String(bytes)) as FirstLine);
  const ended = once(child, 'close').then(async ([code]: unknown[]) => ({ code, errors: await errors }));
  return { child, firstLine, ended };
}

/** Guards that the demo service can be started, understood, and stopped from a command line. */
describe('the service on the command line', function () {
  this.timeout(20_000);

  it('follows its options, and prints where it is as a JSON object', async () => {
    const { child, ended, firstLine } = start(
      ...['--client-id', 'my client', '--client-secret', 'a b&c', '--interval', '3', '--host', '::1'],
      ...['--device-code-ttl', '77', '--access-token-ttl=9', '--lenient'],
    );
    const { baseUrl, ...others } = await firstLine;
    assert.deepEqual(others, { verificationUrl: `${baseUrl}/activate`, clientId: 'my client', clientSecret: 'a b&c' });
    const body = new URLSearchParams({ grant_type: 'device_code', client_id: 'my client', client_secret: 'a b&c' });
    const response = await fetch(`${baseUrl}/oauth2/device`, { method: 'POST', body });
    const { interval, expires_in } = (await response.json()) as Record<string, unknown>;
    assert.deepEqual([response.status, interval, expires_in], [200, 3, 77]);

    const second = await start('--port', new URL(baseUrl).port, '--host', '::1').ended;
    assert.deepEqual(
      [second.code, second.errors],
      [1, `The service can't start: another program is using port ${new URL(baseUrl).port}.\n`],
    );
    child.kill();
    await ended;
  });

  if (HAS_SIGNALS) {
    it('stops cleanly on a signal, even with open connections', async () => {
      const { child, ended, firstLine } = start();
      const { hostname, port } = new URL((await firstLine).baseUrl);
      const halfSent = connect(Number(port), hostname).on('error', () => undefined);
      await new Promise((resolve) => halfSent.write('POST /oauth2/device HTTP/1.1\r\n', resolve));
      child.kill('SIGINT');
      assert.deepEqual(await ended, { code: 0, errors: '' });
    });
  }

  it('rejects what an option can’t be in a sentence', async () => {
    const { code, errors } = await start('--port', '65536').ended;
    assert.equal(code, 2);
    assert.ok(errors.startsWith('error: ') && errors.includes('It must be a whole number from 0 to 65535.'), errors);
  });
});
