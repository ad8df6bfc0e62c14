import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { DeviceFlowUsageError } from '../../../../src/vscode/library/deviceFlowError';
import { FetchBench } from './fetchBench';

const URL_OF_API = 'https://api.example/items';

/** Guards that a request is what the web's `fetch` would make of its arguments, each time it's sent, or is refused by name. */
describe('what a request is called with', () => {
  let bench: FetchBench;
  beforeEach(() => {
    bench = new FetchBench();
    // Each request is sent twice.
    bench.respond = ({ token = '' }) => new Response('', { status: token.startsWith('1:') ? 401 : 200 });
  });

  /** What the service got each time: method, body, and two headers. */
  const sent = (): readonly unknown[] =>
    bench.sent.map(({ body, headers, method }) => [method, body, headers.get('x-a'), headers.get('content-type')]);
  const twice = (one: readonly unknown[]): readonly unknown[] => [one, one];

  it('can be a Request, whose method, headers, and body are sent', async () => {
    const request = new Request(URL_OF_API, { method: 'PUT', body: 'text', headers: { 'X-A': 'b' } });
    bench.respond = () => new Response('done');
    assert.equal(await (await bench.call(request)).text(), 'done');
    assert.deepEqual(sent(), [['PUT', 'text', 'b', 'text/plain;charset=UTF-8']]);
  });

  it('can be a Request without a body, which is sent again', async () => {
    await bench.call(new Request(URL_OF_API, { method: 'DELETE', headers: { 'X-A': 'b' } }));
    assert.deepEqual(sent(), twice(['DELETE', '', 'b', null]));
  });

  it('can be a Request with options, which go first', async () => {
    const request = new Request(URL_OF_API, { method: 'PUT', body: 'text', headers: { 'X-A': 'b' } });
    await bench.call(request, { method: 'POST', body: 'other', headers: { 'X-A': 'c' } });
    assert.deepEqual(sent(), twice(['POST', 'other', 'c', 'text/plain;charset=UTF-8']));
  });

  it('can have a Request as options', async () => {
    bench.respond = () => new Response('done');
    await bench.call(URL_OF_API, new Request('https://other.example/', { method: 'POST', body: 'text' }));
    assert.deepEqual(sent(), [['POST', 'text', null, 'text/plain;charset=UTF-8']]);
  });

  it('can have options of a class with getters, and of an object with some, each of which is read once', async () => {
    const reads: string[] = [];
    class Options {
      get method(): string {
        reads.push('method');
        return 'PATCH';
      }
      get body(): string {
        reads.push('body');
        return 'text';
      }
      get scopes(): readonly string[] {
        reads.push('scopes');
        return ['read'];
      }
    }
    await bench.call(URL_OF_API, new Options());
    await bench.call(URL_OF_API, {
      get headers() {
        reads.push('headers');
        return { 'X-A': 'b' };
      },
    });
    assert.deepEqual(sent().slice(0, 2), twice(['PATCH', 'text', null, 'text/plain;charset=UTF-8']));
    assert.deepEqual(bench.asked[0]?.[0], ['read']);
    assert.deepEqual(reads.sort(), ['body', 'headers', 'method', 'scopes']);
  });

  it('can have headers that can be read once', async () => {
    for (const headers of [
      new Map([['X-A', 'b']]).entries(),
      (function* () {
        yield ['X-A', 'b'];
      })(),
      new Headers({ 'X-A': 'b' }).entries(),
    ]) {
      Object.assign(bench, { generation: 1 });
      bench.sent.length = 0;
      await bench.call(URL_OF_API, { headers: headers as unknown as Headers });
      assert.deepEqual(sent().at(0), ['GET', '', 'b', null]);
      assert.deepEqual(sent(), Array(bench.sent.length).fill(['GET', '', 'b', null]));
    }
  });

  it('has nothing to fear from missing options', async () => {
    for (const options of [undefined, null, {}, { body: null, headers: undefined, signal: null }]) {
      assert.equal((await bench.call(URL_OF_API, options as unknown as RequestInit)).status, 200);
    }
  });

  it('isn’t changed', async () => {
    const options = Object.freeze({ headers: Object.freeze({ 'X-A': 'b' }), method: 'POST', body: 'text' });
    await bench.call(URL_OF_API, options);
    assert.deepEqual(options, { headers: { 'X-A': 'b' }, method: 'POST', body: 'text' });
  });

  it('keeps options that other clients have', async () => {
    const init: Record<string, unknown> = { dispatcher: undefined, agent: 'mine' };
    await bench.call(URL_OF_API, init);
    assert.equal(bench.sent.length, 2);
  });

  for (const [what, input, options, message] of [
    ['a Request that was read', readRequestBody(), {}, /the body of the Request has been read already/],
    [
      'a header that can’t be sent',
      URL_OF_API,
      { headers: { 'X-A': 'secret\n' + 'x: y' } },
      /\{ headers \} has a name/,
    ],
    ['a header whose name can’t be sent', URL_OF_API, { headers: { 'a secret': 'b' } }, /\{ headers \} has a name/],
    ['a mode that drops the token', URL_OF_API, { mode: 'no-cors' }, /\{ mode: 'no-cors' \} can’t carry it/],
    [
      'a Request to another machine without TLS',
      new Request('http://api.example/'),
      {},
      /the URL must begin with https/,
    ],
  ] as const) {
    it(`is refused by name if it’s ${what}, before anything is asked or sent`, async () => {
      await assert.rejects(bench.call(await input, options), (error: Error) => {
        assert.ok(error instanceof DeviceFlowUsageError);
        assert.match(error.message, message);
        return !inspect(error).includes('secret');
      });
      assert.deepEqual([bench.asked, bench.sent], [[], []]);
    });
  }

  describe('if its body can be read only once', () => {
    const stream = (): RequestInit => ({ method: 'POST', body: new Blob(['text']).stream(), duplex: 'half' });

    it('isn’t sent again, but the next one has the next token', async () => {
      assert.equal((await bench.call(URL_OF_API, stream())).status, 401);
      assert.equal((await bench.call(URL_OF_API, stream())).status, 200);
      const request = new Request(URL_OF_API, { method: 'POST', body: 'text' });
      bench.respond = ({ token = '' }) => new Response('', { status: token.startsWith('2:') ? 401 : 200 });
      await bench.clock.advance(60_000);
      assert.equal((await bench.call(request)).status, 401);
      assert.equal((await bench.call(URL_OF_API, stream())).status, 200);
      assert.deepEqual(
        bench.sent.map(({ body, token }) => [body, token?.charAt(0)]),
        [
          ['text', '1'],
          ['text', '2'],
          ['text', '2'],
          ['text', '3'],
        ],
      );
    });

    it('has a token refreshed at most once a minute for a service that rejects all', async () => {
      bench.respond = () => new Response('', { status: 401 });
      for (let calls = 0; calls < 5; calls++) await bench.call(URL_OF_API, stream());
      assert.deepEqual(bench.replaced, ['1:read']);
      await bench.clock.advance(60_000);
      await bench.call(URL_OF_API, stream());
      assert.deepEqual(bench.replaced, ['1:read', '2:read']);
    });
  });
});

async function readRequestBody(): Promise<Request> {
  const request = new Request(URL_OF_API, { method: 'POST', body: 'text' });
  await request.text();
  return request;
}
