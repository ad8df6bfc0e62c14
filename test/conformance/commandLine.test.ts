import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { portOption, timeOptions } from '../../demo/service/options';
import { ROOT } from '../../scripts/host/paths';
import { HAS_SIGNALS } from '../support/thisSystem';

const CLI = join(ROOT, 'out', 'demo', 'service', 'cli.js');

interface Service {
  readonly child: ChildProcess;
  /** Resolves when it has ended. */
  readonly ended: Promise<{ readonly code: unknown; readonly output: string; readonly errors: string }>;
  /** Resolves with the JSON object in its first line. */
  readonly started: () => Promise<FirstLine>;
}

type FirstLine = Readonly<Record<'baseUrl' | 'verificationUrl' | 'clientId' | 'clientSecret', string>>;

/** Guards that the demo service can be started, understood, and stopped from a command line. */
describe('the service on the command line', function () {
  this.timeout(20_000);
  const services: Service[] = [];
  afterEach(async () => {
    for (const { child, ended } of services.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
  });

  const start = (...args: readonly string[]): Service => {
    const child = spawn(process.execPath, [CLI, ...args], { stdio: 'pipe' });
    let output = '';
    let errors = '';
    child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
    const line = new Promise<string>((resolve) => {
      child.stdout.on('data', (bytes: Buffer) => {
        output += bytes.toString();
        if (output.includes('\n')) resolve(output.slice(0, output.indexOf('\n')));
      });
    });
    const started = async (): Promise<FirstLine> => JSON.parse(await line) as FirstLine;
    const ended = once(child, 'close').then(([code]: unknown[]) => ({ code, output, errors }));
    const service = { child, started, ended };
    services.push(service);
    return service;
  };

  it('prints a JSON object on its first line, and nothing else', async () => {
    const { child, started, ended } = start();
    const first = await started();
    assert.deepEqual(Object.keys(first), ['baseUrl', 'verificationUrl', 'clientId', 'clientSecret']);
    assert.match(first.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(first.verificationUrl, `${first.baseUrl}/activate`);
    assert.match(first.clientSecret, /^.{32}$/);
    child.kill('SIGTERM');
    const { output, errors } = await ended;
    assert.deepEqual([output.trimEnd().split('\n').length, errors], [1, '']);
  });

  it('follows its options', async () => {
    const { baseUrl, clientId, clientSecret } = await start(
      ...['--client-id', 'my client', '--client-secret', 'a b&c', '--interval', '3', '--host', '::1'],
      ...['--device-code-ttl', '77', '--access-token-ttl=9', '--lenient'],
    ).started();
    assert.match(baseUrl, /^http:\/\/\[::1\]:\d+$/);
    assert.deepEqual([clientId, clientSecret], ['my client', 'a b&c']);
    const body = new URLSearchParams({ grant_type: 'device_code', client_id: clientId, client_secret: clientSecret });
    const response = await fetch(`${baseUrl}/oauth2/device`, { method: 'POST', body });
    const { interval, expires_in } = (await response.json()) as Record<string, unknown>;
    assert.deepEqual([response.status, interval, expires_in], [200, 3, 77]);
  });

  for (const [args, hasSecret] of [
    [['--protocol', 'rfc8628', '--client-secret', 'a b&c'], true],
    [['--rotation', 'grace'], true],
    [['--deviations', 'status-200', 'form', '--public-client'], false],
  ] as const) {
    it(`starts a standard service with "${args.join(' ')}"`, async () => {
      const { baseUrl, clientSecret } = await start(...args).started();
      const response = await fetch(`${baseUrl}/.well-known/oauth-authorization-server`);
      assert.equal(((await response.json()) as Record<string, unknown>)['issuer'], baseUrl);
      assert.equal(clientSecret !== '', hasSecret);
    });
  }

  for (const signal of HAS_SIGNALS ? (['SIGINT', 'SIGTERM'] as const) : []) {
    it(`stops cleanly on ${signal}, even with open connections`, async () => {
      const { child, started, ended } = start();
      const { baseUrl } = await started();
      const agent = new Agent({ keepAlive: true });
      await new Promise((resolve) => {
        request(`${baseUrl}/activate`, { agent }, (response) => response.resume().on('end', resolve)).end();
      });
      const { hostname, port } = new URL(baseUrl);
      const halfSent = connect(Number(port), hostname);
      halfSent.on('error', () => undefined);
      await new Promise((resolve) => halfSent.write('POST /oauth2/device HTTP/1.1\r\n', resolve));
      child.kill(signal);
      const { code, errors } = await ended;
      assert.deepEqual([code, errors], [0, '']);
      agent.destroy();
    });
  }

  it('says in a sentence that another program is using its port', async () => {
    const { baseUrl } = await start().started();
    const { port } = new URL(baseUrl);
    const { code, output, errors } = await start('--port', port).ended;
    assert.deepEqual([code, output], [1, '']);
    assert.equal(errors, `The service can't start: another program is using port ${port}.\n`);
  });

  it('--help lists all options', async () => {
    const { output } = await start('--help').ended;
    const names = [...output.matchAll(/^ {2}(?:-h, )?--([a-z-]+)/gm)].map(([, name]) => name);
    assert.deepEqual(names, [
      'port',
      'host',
      'client-id',
      'client-secret',
      'interval',
      'device-code-ttl',
      'access-token-ttl',
      'protocol',
      'rotation',
      'deviations',
      'public-client',
      'lenient',
      'help',
    ]);
  });

  it('accepts whole numbers only, within the limits of each option', () => {
    for (const option of [portOption('--port', ''), ...timeOptions()]) {
      for (const text of ['-1', '2.5', '1e3', 'soon', '', '315360001']) {
        assert.throws(
          () => {
            option.parseArg?.(text, undefined);
          },
          InvalidArgumentError,
          `${option.long ?? ''} ${text}`,
        );
      }
    }
    for (const option of timeOptions())
      assert.throws(() => {
        option.parseArg?.('0', undefined);
      }, InvalidArgumentError);
  });

  for (const [args, sentence] of [
    [['--port', '65536'], 'It must be a whole number from 0 to 65535.'],
    [['--client-id', ''], "It can't be empty."],
    [['--protocol', 'rfc6749'], 'Allowed choices are draft, rfc8628.'],
    [['--deviations', 'form', 'sometimes'], 'Allowed choices are status-200, form,'],
  ] as const) {
    it(`rejects "${args.join(' ')}" in a sentence`, async () => {
      const { code, output, errors } = await start(...args).ended;
      assert.deepEqual([code, output], [2, '']);
      assert.match(errors, /^error: [^\n]+\n(?:\([^\n]+\)\n)?\n?See --help for the options\.\n$/);
      assert.ok(errors.includes(sentence), errors);
    });
  }
});
