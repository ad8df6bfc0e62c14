import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Fetch } from '../../../src/oauth/fetch';
import type { OAuthDependencies } from '../../../src/oauth/sendRequest';
import { createClient } from '../../../src/oauth/createClient';
import { FakeClock } from '../../support/fakeClock';
import { fetchUnderTest } from '../../support/fetchUnderTest';
import { RecordingLog } from '../../support/recordingLog';
import { type Loopback, serveRaw } from '../../unit/oauth/servers';
import { drawCase, type FuzzCase, SENT } from './cases';
import { drawNetwork } from './inProcess';
import { checkMeaning, checkSecrecy, classify, type Ending } from './outcomes';
import { drawWire, sendWire, type Wire } from './overTcp';
import { Seeded } from '../seeded';

/**
 * A campaign of hostile responses against the OAuth client. `FUZZ_RUNS` says how many, `FUZZ_SEED` which; a failure
 * names the seed and the number of its case. The long campaign, with as many runs as wanted:
 *
 *     FUZZ_RUNS=1000000 npx mocha --timeout 0 out/test/hostile/fuzz/responses.test.js
 */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 10_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

/** One case in so many goes over a real connection. */
const OVER_TCP_ONE_IN = 20;

/** Turns after which a request whose time is up and that has not ended is taken to hang. */
const PATIENCE = 20_000;

/** What a campaign may keep after the warm-up, whatever its length: of a million cases, some thirty bytes of each. */
const MEMORY_GROWTH_LIMIT = 32 * 1024 * 1024;

const LONGEST_TIME_LIMIT = 300_000;

describe('the OAuth client under hostile responses', () => {
  let wire: Wire;
  let service: Loopback;
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): void => {
    unhandled.push(reason);
  };

  before(() => process.on('unhandledRejection', onUnhandled));
  after(() => process.off('unhandledRejection', onUnhandled));

  it(`ends each of ${RUNS} requests in a defined way (seed ${SEED})`, async function () {
    this.timeout(0);
    service = await serveRaw((socket) => {
      sendWire(socket, wire);
    });
    const endings = new Map<string, number>();
    // The first tenth is the warm-up; the memory in use is looked at after each.
    const tenth = Math.ceil(RUNS / 10);
    const memory: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      if (run > 0 && run % tenth === 0) {
        memory.push(await memoryInUse());
      }
      // Each case has a seed of its own, so that any of them can be drawn alone.
      const random = new Seeded(Math.imul(SEED, 0x9e3779b1) + run);
      const answer = drawCase(random);
      try {
        const kind = run % OVER_TCP_ONE_IN === 0 ? await overTcp(random, answer) : await inProcess(random, answer);
        endings.set(kind, (endings.get(kind) ?? 0) + 1);
        assert.deepEqual(unhandled, [], 'an unhandled rejection');
      } catch (error) {
        const { body, ...rest } = answer;
        const shown = inspect({ ...rest, body: body.toString('latin1', 0, 500), length: body.length });
        throw new Error(`run ${run} of seed ${SEED}: ${shown}`, { cause: error });
      }
    }
    memory.push(await memoryInUse());
    const growth = memory.map((bytes) => bytes - (memory[0] ?? 0));
    report(endings, growth);
    assert.ok(Math.max(...growth) < MEMORY_GROWTH_LIMIT, `${growth.join(', ')} bytes more than after the warm-up`);
    assert.ok(RUNS < 1000 || endings.size > 25, 'the campaign reached too few kinds of endings');
  });

  async function inProcess(random: Seeded, answer: FuzzCase): Promise<string> {
    const network = drawNetwork(random, answer);
    const cancelAfter = random.chance(0.05) ? random.whole(0, 4) : undefined;
    const clock = new FakeClock();
    const ending = await drive(network.fetch, clock, answer, 'https://service.example/v1', cancelAfter, 12);
    if (network.arrives !== 'in part' && cancelAfter === undefined) {
      checkMeaning(answer, ending, network.arrives === 'whole');
    }
    return classify(answer, ending);
  }

  async function overTcp(random: Seeded, answer: FuzzCase): Promise<string> {
    wire = drawWire(random, answer);
    const clock = new FakeClock();
    // The time only runs out where the service leaves the connection open: a real one needs turns to bring its bytes.
    const turns = wire.end === 'hang' ? 60 : PATIENCE / 2;
    const ending = await drive(fetchUnderTest, clock, answer, service.baseUrl, undefined, turns);
    if (wire.whole) {
      checkMeaning(answer, ending, true);
    }
    for (let turn = 0; service.sockets.size > 0; turn += 1) {
      assert.ok(turn < PATIENCE, 'the connection stays open');
      await nextTurn();
    }
    return classify(answer, ending);
  }
});

/** Runs one request to its end. After `turns` of the event loop the time runs out. */
async function drive(
  fetch: Fetch,
  clock: FakeClock,
  answer: FuzzCase,
  baseUrl: string,
  cancelAfter: number | undefined,
  turns: number,
): Promise<Ending> {
  const log = new RecordingLog();
  const parts = { fetch, clock, log, userAgent: 'fuzz/1.0' };
  const cancel = new AbortController();
  let ending: Ending | undefined;
  void request(parts, answer, baseUrl, cancel.signal).then(
    (value: unknown) => (ending = { value }),
    (error: unknown) => (ending = { error }),
  );
  for (let turn = 0; ending === undefined; turn += 1) {
    assert.ok(turn < PATIENCE, 'the request hangs');
    if (turn === cancelAfter) {
      cancel.abort(new Error(SENT.clientSecret));
    }
    if (turn === turns) {
      await clock.advance(LONGEST_TIME_LIMIT);
    }
    await nextTurn();
  }
  assert.equal(clock.sleeping, 0, 'a timer is left behind');
  checkSecrecy(
    answer,
    `${log.text()}\n${'error' in ending ? inspect(ending.error, { depth: 10, showHidden: true }) : ''}`,
  );
  assert.ok(log.lines.every(({ message }) => /^[\x20-\x7e]{1,240}$/.test(message)));
  return ending;
}

async function request(
  parts: OAuthDependencies,
  { operation }: FuzzCase,
  baseUrl: string,
  signal: AbortSignal,
): Promise<unknown> {
  const protocol = createClient(parts);
  const credentials = { baseUrl, clientId: SENT.clientId, clientSecret: SENT.clientSecret };
  switch (operation) {
    case 'device authorization':
      return protocol.requestDeviceAuthorization(credentials, signal);
    case 'poll':
      return protocol.poll(credentials, SENT.deviceCode, signal);
    case 'refresh':
      return protocol.refresh(credentials, SENT.refreshToken, signal);
    case 'notification':
      await protocol.notify(baseUrl, NOTIFICATION, SENT.accessToken, signal);
      return undefined;
    case 'account':
      return protocol.fetchAccount(baseUrl, ACCOUNT, SENT.accessToken, signal);
  }
}

const IN_QUERY = { accessTokenIn: 'query' } as const;
const NOTIFICATION = { ...IN_QUERY, path: '/n', method: 'POST', parameters: { a: 'b' }, parametersIn: 'form' } as const;
const ACCOUNT = { ...IN_QUERY, path: '/who', field: 'name', idField: 'id' };

async function memoryInUse(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // What lies outside the heap is let go a turn after what held it.
  collect();
  await nextTurn();
  collect();
  await nextTurn();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** @param growth bytes more than after the first tenth, after each tenth */
function report(endings: ReadonlyMap<string, number>, growth: readonly number[]): void {
  const lines = [...endings].sort(([a], [b]) => a.localeCompare(b)).map(([kind, count]) => `      ${kind}: ${count}`);
  const curve = growth.map((bytes) => (bytes / 1024).toFixed(0)).join(' ');
  console.log(`${lines.join('\n')}\n      memory after each tenth, in KiB more than after the first: ${curve}`);
}
