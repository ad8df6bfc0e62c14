import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { NetworkError, ServiceError, InvalidResponseError } from '../../../src/oauth/errors';
import { makers, Secrets, type SecretMaker } from '../../hostile/secrets/forms';
import { LIFETIME, Machine, SERVICE, type TestWindow } from './machine';

type Act = (machine: Machine, window: TestWindow, maker: SecretMaker) => Promise<unknown>;

const ERRORS = [
  new ServiceError('refresh', 400, 'invalid_client'),
  new ServiceError('refresh', 400, 'strange_trouble'),
  new ServiceError('refresh', 400, 'invalid_grant'),
  new NetworkError('refresh', 'timeout', true, undefined),
  new InvalidResponseError('refresh', 200, 'not JSON', undefined),
];

const first = async ({ sessions }: TestWindow): Promise<string> => (await sessions.list())[0]?.id ?? 'none';

/** What may happen, each with whatever errors it brings. */
const ACTS: Readonly<Record<string, Act>> = {
  serve: (_machine, { sessions }) => sessions.serve(),
  list: (_machine, { sessions }) => sessions.list(),
  refresh: async (_machine, window) => window.sessions.refreshNow(await first(window)),
  fail: async (machine, window, maker) => {
    machine.service.nextFail(maker.pick(ERRORS));
    await window.sessions.refreshNow(await first(window));
  },
  report: async (_machine, { sessions }) => sessions.reportRejected((await sessions.list())[0]?.accessToken ?? ''),
  rename: async (_machine, window, maker) => window.sessions.rename(await first(window), `name ${maker.below(1000)}`),
  remove: async (_machine, window) => window.sessions.remove(await first(window)),
  'set the client secret': async (_machine, { clientSecrets }) =>
    clientSecrets.set(SERVICE, (await clientSecrets.get(SERVICE)) ?? ''),
  'damage the disk': async ({ disk }, window) => {
    disk.faults.full = true;
    await window.sessions.refreshNow(await first(window));
  },
  'repair the disk': ({ disk }) => {
    disk.faults.full = false;
    return Promise.resolve();
  },
  'damage a file': ({ disk }, _window, maker) => {
    disk.tamper(maker.pick(disk.names), (data) => data.slice(0, maker.below(data.length + 1)));
    return Promise.resolve();
  },
  'lose the key': ({ shelf }) => {
    shelf.lose(undefined);
    return Promise.resolve();
  },
};

const acts = fc.array(fc.tuple(fc.constantFrom(...Object.keys(ACTS)), fc.nat(2)), { minLength: 3, maxLength: 12 });

/** Many runs take their time on a busy machine. Milliseconds. */
const PATIENT = 20_000;

describe('secrets, over any course of events,', () => {
  it('are in no file, log, notice, error, or object as it is printed', async () => {
    await fc.assert(
      fc.asyncProperty(makers, acts, async (maker, course) => {
        const secrets = new Secrets();
        const output: string[] = [];
        const machine = new Machine('desktop', (name) => {
          const data = Buffer.from(machine.disk.peek(name) ?? []);
          // Reserved room is nothing but zeros.
          if (data.some((byte) => byte !== 0)) output.push(name, data.toString('latin1'), data.toString('utf8'));
        });
        const tokens = new Map<string, string>();
        machine.service.makeTokens((kind, grant, pair) => {
          const name = `${kind} token ${grant}.${pair}`;
          const token = tokens.get(name) ?? secrets.add(name, maker.secret('token'));
          tokens.set(name, token);
          return token;
        });
        const clientSecret = secrets.add('client secret', maker.secret('text'));
        const { window } = await machine.openSignedIn();
        await machine.finish(window.clientSecrets.set(SERVICE, clientSecret));
        await machine.advance(1_000);
        const { key } = JSON.parse(machine.shelf.stored ?? '') as { readonly key: string };
        secrets.addBytes('store key', Buffer.from(key, 'base64'));
        const windows = [window, machine.open(), machine.open()];
        for (const { sessions } of windows) void sessions.run();
        for (const [name, index] of course) {
          const act = ACTS[name];
          const actor = windows[index];
          assert.ok(act !== undefined && actor !== undefined);
          const result = await machine.finish(
            act(machine, actor, maker).catch((error: unknown) => {
              output.push(inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error));
            }),
            300_000,
          );
          output.push(inspect(result, { depth: 9, showHidden: true }), JSON.stringify(result ?? null));
          await machine.advance(maker.pick([0, 1_000, LIFETIME]));
        }
        for (const { log, notices, changes, sessions, clientSecrets, opener } of windows) {
          const store = await machine.finish(opener.forReading().catch(() => undefined));
          const { files, journal, recovery } = store ?? {};
          const printed = [log.lines, notices, changes, sessions, clientSecrets, opener, files, journal, recovery];
          output.push(...printed.map((one) => inspect(one, { depth: 4 })), JSON.stringify([changes, files?.key]));
        }
        assert.equal(secrets.findIn([...new Set(output)].join('\n')), undefined);
      }),
      { numRuns: 12 },
    );
  }).timeout(PATIENT);
});
