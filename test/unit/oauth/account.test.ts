import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { Response } from 'node-fetch';
import { systemClock } from '../../../src/clock';
import { type AccountOptions, createAskAccount } from '../../../src/oauth/account';
import { NetworkError, ServiceError, InvalidResponseError } from '../../../src/oauth/errors';
import type { FetchInit } from '../../../src/oauth/http';
import { RecordingLog } from '../../support/recordingLog';
import { failure } from './harness';

const TOKEN = 'not-a-real-access-token';
const shape: AccountOptions = { path: '/user', field: 'name', accessTokenIn: 'header' };

interface Asked {
  readonly url: string;
  readonly init: FetchInit;
}

/** Asks a service that answers with this. */
async function ask(body: unknown, fields: Partial<AccountOptions> = {}, status = 200): Promise<[string, Asked]> {
  const asked: Asked[] = [];
  const askAccount = createAskAccount({
    fetch: (url, init) => {
      asked.push({ url, init });
      return Promise.resolve(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status }));
    },
    clock: systemClock,
    log: new RecordingLog(),
    userAgent: 'test-client/1.0',
  });
  const name = await askAccount(
    'https://service.example/v1',
    { ...shape, ...fields },
    TOKEN,
    new AbortController().signal,
  );
  const [first] = asked;
  assert.ok(first !== undefined && asked.length === 1);
  return [name, first];
}

describe('asking who is signed in', () => {
  it('sends one GET with the token in the header, and reads the field', async () => {
    const [name, { url, init }] = await ask({ name: 'Ada' });
    assert.equal(name, 'Ada');
    assert.equal(url, 'https://service.example/v1/user');
    assert.equal(init.method, 'GET');
    assert.equal(init.headers['Authorization'], `Bearer ${TOKEN}`);
  });

  it('sends the token in the query where it is set so', async () => {
    const [, { url, init }] = await ask({ name: 'Ada' }, { accessTokenIn: 'query' });
    assert.equal(url, `https://service.example/v1/user?access_token=${TOKEN}`);
    assert.equal(init.headers['Authorization'], undefined);
  });

  it('reads a field within others, and a number', async () => {
    assert.equal((await ask({ user: { profile: { name: 'Ada' } } }, { field: 'user.profile.name' }))[0], 'Ada');
    assert.equal((await ask({ id: 42 }, { field: 'id' }))[0], '42');
  });

  for (const [what, body, field] of [
    ['is missing', {}, 'name'],
    ['is empty', { name: ' ' }, 'name'],
    ['is no text', { name: ['Ada'] }, 'name'],
    ['is inherited', { user: {} }, 'user.constructor.name'],
    ['is within a text', { user: 'Ada' }, 'user.name.length'],
    ['repeats the token', { name: `Ada ${TOKEN}` }, 'name'],
    ['repeats a piece of the token', { name: TOKEN.slice(3, 15) }, 'name'],
  ] as const) {
    it(`refuses a field that ${what}`, async () => {
      const error = await failure(ask(body, { field }));
      assert.ok(error instanceof InvalidResponseError);
      assert.equal(error.field, field);
      assert.ok(!error.message.includes(TOKEN));
    });
  }

  it('says that an answer is too large, also where its end never came', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield await Promise.resolve(gzipSync(Buffer.alloc(1024 * 1024, ' ')));
      throw Object.assign(new Error('a reset'), { code: 'ECONNRESET' });
    }
    const askAccount = createAskAccount({
      fetch: () => Promise.resolve(new Response(Readable.from(broken()), { headers: { 'Content-Encoding': 'gzip' } })),
      clock: systemClock,
      log: new RecordingLog(),
      userAgent: 'test-client/1.0',
    });
    const error = await failure(askAccount('https://service.example', shape, TOKEN, new AbortController().signal));
    assert.ok(error instanceof InvalidResponseError && error.problem === 'too large');
  });

  it('refuses errors, redirects, pages and unusable addresses', async () => {
    assert.ok((await failure(ask({ error: 'gone' }, {}, 404))) instanceof ServiceError);
    assert.ok((await failure(ask('', {}, 302))) instanceof ServiceError);
    assert.ok((await failure(ask('<html>'))) instanceof InvalidResponseError);
    const askAccount = createAskAccount({
      fetch: () => assert.fail('a request was sent'),
      clock: systemClock,
      log: new RecordingLog(),
      userAgent: 'test-client/1.0',
    });
    const error = await failure(askAccount('http://service.example', shape, TOKEN, new AbortController().signal));
    assert.ok(error instanceof NetworkError);
  });
});
