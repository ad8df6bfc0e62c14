import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { ChildService } from './childService';

describe('the service on the command line', function () {
  this.timeout(20_000);
  const children: ChildService[] = [];
  const start = (...args: readonly string[]): ChildService => {
    const child = new ChildService(...args);
    children.push(child);
    return child;
  };
  afterEach(async () => {
    for (const child of children.splice(0)) {
      child.kill('SIGKILL');
      await child.end();
    }
  });

  it('prints one JSON object on its first line, and nothing else', async () => {
    const child = start();
    const first = await child.started();
    assert.deepEqual(Object.keys(first), ['baseUrl', 'verificationUrl', 'clientId', 'clientSecret']);
    assert.match(first['baseUrl'] ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(first['verificationUrl'], `${first['baseUrl'] ?? ''}/activate`);
    assert.match(first['clientSecret'] ?? '', /^.{32}$/);
    child.kill('SIGTERM');
    const { code, output, errors } = await child.end();
    assert.deepEqual([code, output.trimEnd().split('\n').length, errors], [0, 1, '']);
  });

  it('follows its options', async () => {
    const child = start(
      ...['--client-id', 'my client', '--client-secret', 'a b&c', '--interval', '3', '--host', '::1'],
      ...['--device-code-ttl', '77', '--access-token-ttl=9'],
    );
    const { baseUrl = '', clientId = '', clientSecret = '' } = await child.started();
    assert.match(baseUrl, /^http:\/\/\[::1\]:\d+$/);
    assert.deepEqual([clientId, clientSecret], ['my client', 'a b&c']);
    const query = new URLSearchParams({ grant_type: 'device_code', client_id: clientId, client_secret: clientSecret });
    const response = await fetch(`${baseUrl}/oauth2/device?${query.toString()}`, { method: 'POST' });
    const { interval, expires_in } = (await response.json()) as Record<string, unknown>;
    assert.deepEqual([response.status, interval, expires_in], [200, 3, 77]);
    assert.equal((await fetch(`${baseUrl}/_control/requests`)).status, 404, 'no control unless asked for');
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`stops cleanly on ${signal}, also with connections open`, async () => {
      const child = start();
      const { baseUrl = '' } = await child.started();
      const agent = new Agent({ keepAlive: true });
      await new Promise((resolve) => {
        request(`${baseUrl}/activate`, { agent }, (response) => response.resume().on('end', resolve)).end();
      });
      const { hostname, port } = new URL(baseUrl);
      const halfSent = connect(Number(port), hostname);
      halfSent.on('error', () => undefined);
      await new Promise<void>((resolve) => {
        halfSent.write('POST /oauth2/device HTTP/1.1\r\n', () => {
          resolve();
        });
      });
      child.kill(signal);
      const { code, errors } = await child.end();
      assert.deepEqual([code, errors], [0, '']);
      agent.destroy();
    });
  }

  it('a port that is taken is told in a sentence', async () => {
    const { baseUrl = '' } = await start().started();
    const { code, output, errors } = await start('--port', new URL(baseUrl).port).end();
    assert.deepEqual([code, output], [1, '']);
    assert.equal(errors, 'The service cannot start: another program listens on this port.\n');
  });

  it('--help names every option, and so does -h', async () => {
    const { code, output } = await start('--help').end();
    assert.equal(code, 0);
    assert.equal((await start('-h').end()).output, output);
    const named = [...output.matchAll(/^ {2}(?:-h, )?--([a-z-]+)/gm)].map(([, name]) => name);
    assert.deepEqual(named, [
      ...['port', 'host', 'client-id', 'client-secret', 'interval', 'device-code-ttl', 'access-token-ttl'],
      ...['control', 'help'],
    ]);
  });

  for (const [args, sentence] of [
    [['--port', '65536'], '--port must be a whole number from 0 to 65535.'],
    [['--port', '-1'], "Option '--port"],
    [['--interval', '0'], '--interval must be a whole number from 1 to 315360000.'],
    [['--interval', '2.5'], '--interval must be a whole number from 1 to 315360000.'],
    [['--device-code-ttl', '1e3'], '--device-code-ttl must be a whole number from 1 to 315360000.'],
    [['--access-token-ttl', 'soon'], '--access-token-ttl must be a whole number from 1 to 315360000.'],
    [['--client-id', ''], '--client-id must not be empty.'],
    [['--client-secret='], '--client-secret must not be empty.'],
    [['--colour'], "Unknown option '--colour'."],
    [['extra'], "Unexpected argument 'extra'"],
  ] as const) {
    it(`refuses "${args.join(' ')}" in a sentence`, async () => {
      const { code, output, errors } = await start(...args).end();
      assert.deepEqual([code, output], [2, '']);
      assert.equal(errors.startsWith(sentence), true, errors);
      assert.match(errors, /See --help for the options\.\n$/);
    });
  }
});
