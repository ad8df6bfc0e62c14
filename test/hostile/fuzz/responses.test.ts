import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Fetch } from '../../../src/oauth/fetch';
import type { OAuthDependencies } from '../../../src/oauth/exchange';
import { createClient } from '../../../src/oauth/createClient';
import { Response } from 'node-fetch';
import { createStandardClient } from '../../../src/oauth/standardClient';
import { FakeClock } from '../../support/fakeClock';
import { fetchUnderTest } from '../../support/fetchUnderTest';
import { RecordingLog } from '../../support/recordingLog';
import { type Loopback, serveRaw } from '../../unit/oauth/servers';
import { endpointsAt } from '../../unit/oauth/standardHarness';
import { type DraftCase, drawCase, type FuzzCase, SENT } from './cases';
import { drawNetwork } from './inProcess';
import { checkEnding, checkSecrecy, checkTokenKept, type Ending } from './properties';
import { drawWire, sendWire, type Wire } from './overTcp';
import { drawStandardCase, ISSUER, SCOPES, type StandardCase, USER } from './standardCases';
import { Seeded } from '../seeded';

/** Twice as many reach ten more of 170 kinds of endings, each of which another request has reached by then. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 1_200);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

/** One case in so many goes over a real connection. */
const OVER_TCP_ONE_IN = 20;

/** Turns after which a request whose time is up and that has not ended is taken to hang. */
const PATIENCE = 20_000;

/** What a campaign may keep after the warm-up, whatever its length: of a million cases, some thirty bytes of each. */
const MEMORY_GROWTH_LIMIT = 32 * 1024 * 1024;

const LONGEST_TIME_LIMIT = 300_000;

/**
 * Guards that a request ends in a defined way whatever comes back, by a campaign of hostile responses. `FUZZ_RUNS` says how
 * many, `FUZZ_SEED` which; a failure names the seed and the number of its case. The long campaign, with as many runs as
 * wanted:
 *
 *     FUZZ_RUNS=1000000 npx mocha --timeout 0 out/test/hostile/fuzz/responses.test.js
 */
describe('the OAuth client under hostile responses', () => {
  let wire: Wire;
  let service: Loopback;
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): void => {
    unhandled.push(reason);
  };

  before(() => process.on('unhandledRejection', onUnhandled));
  after(() => process.off('unhandledRejection', onUnhandled));

  beforeEach(async () => {
    service = await serveRaw((socket) => {
      sendWire(socket, wire);
    });
  });

  it(`ends each of ${RUNS} requests in a defined way (seed ${SEED})`, () => play(DRAFT)).timeout(0);

  it(`ends each of ${RUNS} requests to a standard service in a defined way (seed ${SEED})`, () =>
    play(STANDARD)).timeout(0);

  async function play<C extends FuzzCase>(dialect: Dialect<C>): Promise<void> {
    const started = performance.now();
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
      const answer = dialect.draw(random);
      try {
        const send = run % OVER_TCP_ONE_IN === 0 ? overTcp : inProcess;
        const kind = checkEnding(answer, await send(dialect, random, answer));
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
    report(endings, growth, (performance.now() - started) / RUNS);
    assert.ok(Math.max(...growth) < MEMORY_GROWTH_LIMIT, `${growth.join(', ')} bytes more than after the warm-up`);
    assert.ok(RUNS < 1000 || endings.size > 25, 'the campaign reached too few kinds of endings');
  }

  async function inProcess<C extends FuzzCase>(dialect: Dialect<C>, random: Seeded, answer: C): Promise<Ending> {
    const network = drawNetwork(random, answer);
    const cancelAfter = random.chance(0.05) ? random.whole(0, 4) : undefined;
    const fetch = new FirstAnswer(network.fetch);
    const ending = await drive(fetch, answer, dialect.request(answer, ISSUER), cancelAfter, 12);
    if (network.arrives && cancelAfter === undefined) checkTokenKept(answer, ending, fetch.sentLater);
    return ending;
  }

  async function overTcp<C extends FuzzCase>(dialect: Dialect<C>, random: Seeded, answer: C): Promise<Ending> {
    wire = drawWire(random, answer);
    // The time only runs out if the service leaves the connection open: a real one needs turns to bring its bytes.
    const turns = wire.end === 'hang' ? 60 : PATIENCE / 2;
    const send = dialect.request(answer, service.baseUrl);
    const fetch = new FirstAnswer(fetchUnderTest);
    const ending = await drive(fetch, answer, send, undefined, turns);
    if (wire.whole) checkTokenKept(answer, ending, fetch.sentLater);
    for (let turn = 0; service.sockets.size > 0; turn += 1) {
      assert.ok(turn < PATIENCE, 'the connection stays open');
      await nextTurn();
    }
    return ending;
  }
});

/** What is different in each dialect. */
interface Dialect<C extends FuzzCase> {
  readonly draw: (random: Seeded) => C;
  readonly request: (answer: C, baseUrl: string) => Send;
}

/** The case is the response to the first request; to any further one, the service says that there's nothing. */
class FirstAnswer {
  /** The bodies of the further requests. */
  sentLater = '';
  #isFirst = true;

  constructor(private readonly first: Fetch) {}

  readonly fetch: Fetch = (url, init) => {
    if (this.#isFirst) {
      this.#isFirst = false;
      return this.first(url, init);
    }
    this.sentLater += String(init.body);
    return Promise.resolve(new Response('{}', { status: 404 }));
  };
}

/** Runs one request to its end. After `turns` of the event loop the time runs out. */
async function drive(
  { fetch }: FirstAnswer,
  answer: FuzzCase,
  send: Send,
  cancelAfter: number | undefined,
  turns: number,
): Promise<Ending> {
  const [clock, log] = [new FakeClock(), new RecordingLog()];
  const parts = { fetch, clock, log, random: randomBytes, userAgent: 'fuzz/1.0' };
  const cancel = new AbortController();
  let ending: Ending | undefined;
  void send(parts, cancel.signal).then(
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

/** Sends the request of a case. */
type Send = (dependencies: OAuthDependencies, signal: AbortSignal) => Promise<unknown>;

function draftRequest({ operation }: DraftCase, baseUrl: string): Send {
  const credentials = {
    protocol: 'draft',
    baseUrl,
    clientId: SENT.clientId,
    clientSecret: SENT.clientSecret,
  } as const;
  return async (dependencies, signal) => {
    const client = createClient(dependencies);
    return await {
      'device authorization': () => client.requestDeviceAuthorization(credentials, signal),
      poll: () => client.poll(credentials, SENT.deviceCode, signal),
      refresh: () => client.refresh(credentials, SENT.refreshToken),
      notification: () => client.notify(baseUrl, NOTIFICATION, SENT.accessToken, signal),
      account: () => client.fetchAccount(baseUrl, ACCOUNT, SENT.accessToken, signal),
    }[operation]();
  };
}

function standardRequest({ operation }: StandardCase, baseUrl: string): Send {
  const endpoints = { ...endpointsAt(baseUrl), issuer: ISSUER };
  const service = { baseUrl, clientId: SENT.clientId, protocol: 'rfc8628', endpoints } as const;
  const credentials = { ...service, clientSecret: SENT.clientSecret };
  // A way of authentication that's known to work isn't tried in the other way.
  const signIn = { ...credentials, scopes: SCOPES, authentication: { way: 'basic', isSettled: true } } as const;
  return async (dependencies, signal) => {
    const client = createStandardClient(dependencies);
    return await {
      metadata: () => client.discover(service, {}, signal),
      'device authorization': () => client.requestDeviceAuthorization(signIn, signal),
      poll: () => client.poll(signIn, SENT.deviceCode, signal),
      refresh: () => client.refresh(credentials, SENT.refreshToken),
      revocation: () => client.revoke(credentials, { accessToken: undefined, refreshToken: SENT.refreshToken }),
      account: () => client.fetchUserName(service, USER, SENT.accessToken, signal),
    }[operation]();
  };
}

const DRAFT: Dialect<DraftCase> = {
  draw: drawCase,
  request: draftRequest,
};

const STANDARD: Dialect<StandardCase> = {
  draw: drawStandardCase,
  request: standardRequest,
};

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
function report(endings: ReadonlyMap<string, number>, growth: readonly number[], each: number): void {
  const lines = [...endings].sort(([a], [b]) => a.localeCompare(b)).map(([kind, count]) => `      ${kind}: ${count}`);
  const curve = growth.map((bytes) => (bytes / 1024).toFixed(0)).join(' ');
  console.log(
    `${lines.join('\n')}\n      memory after each tenth, in KiB more than after the first: ${curve}; ${each.toFixed(2)} ms each`,
  );
}
