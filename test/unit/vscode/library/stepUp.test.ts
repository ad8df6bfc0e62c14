import assert from 'node:assert/strict';
import { DeviceFlowError } from '../../../../src/vscode/library/deviceFlowError';
import { FetchBench, type Sent } from './fetchBench';

/** What an API responds whose request needs these scopes. */
function needs(scope: string, status = 403): Response {
  const challenge = `Bearer realm="api", error="insufficient_scope", scope="${scope}"`;
  return new Response('no', { status, headers: { 'WWW-Authenticate': challenge } });
}

/** Guards that a request whose session lacks scopes asks for them at most once, says which they are, and ends no session. */
describe('a request that needs more scopes', () => {
  let bench: FetchBench;
  beforeEach(() => {
    bench = new FetchBench();
  });

  /** The service responds if the token has this scope. */
  const demand =
    (scope: string, status?: number) =>
    ({ token = '' }: Sent): Response =>
      token.endsWith(`+${scope}`) ? new Response('done') : needs(`read ${scope}`, status);

  for (const status of [401, 403]) {
    it(`is told apart by what it lacks, with status ${status}, and no token counts as rejected`, async () => {
      bench.respond = demand('write', status);
      await assert.rejects(bench.call(), (error) => {
        assert.ok(error instanceof DeviceFlowError);
        assert.deepEqual([error.code, error.scopes, error.isKnown], ['insufficientScope', ['write'], false]);
        assert.equal(error.message, 'The request needs more permissions for your Acme account: write.');
        return true;
      });
      assert.deepEqual([bench.sent.length, bench.replaced], [1, []]);
      assert.ok(bench.asked.every(([, { silent }]) => silent === true));
    });

    it(`is sent once more with a session that has them, too, if it may ask, with status ${status}`, async () => {
      bench.respond = demand('write', status);
      const options = { method: 'POST', body: 'text', interactive: true, scopes: ['read'] };
      assert.equal(await (await bench.call('https://api.example/', options)).text(), 'done');
      assert.deepEqual(bench.asked.at(-1), [['read', 'write'], { createIfNone: true, account: bench.account }]);
      assert.deepEqual(
        bench.sent.map(({ body, token }) => [body, token]),
        [
          ['text', '1:read'],
          ['text', '1:read+read+write'],
        ],
      );
    });
  }

  it('shows no link of the server’s, but hands on the scopes as they are', async () => {
    const scope = '[Open](command:evil)';
    bench.respond = () => needs(scope);
    await assert.rejects(bench.call(), {
      message: 'The request needs more permissions for your Acme account: [Open] (command:evil).',
      scopes: [scope],
    });
  });

  it('takes a session that has them already, without asking anybody', async () => {
    bench.respond = demand('write');
    await bench.call('https://api.example/', { interactive: true });
    bench.asked.length = 0;
    bench.respond = demand('write');
    assert.equal((await bench.call()).status, 200);
    assert.ok(bench.asked.every(([, { silent }]) => silent === true));
  });

  it('isn’t sent a third time if the service then wants others, or the same again', async () => {
    let calls = 0;
    bench.respond = () => needs(`write-${++calls}`);
    await assert.rejects(bench.call('https://api.example/', { interactive: true }), {
      code: 'insufficientScope',
      scopes: ['write-2'],
    });
    assert.equal(bench.sent.length, 2);
    bench.respond = () => needs('write-1');
    assert.equal((await bench.call('https://api.example/', { interactive: true })).status, 403);
    assert.equal(bench.sent.length, 3);
  });

  it('is the caller’s to decide on if the service grants less, and says it’s canceled if the person cancels', async () => {
    bench.respond = demand('write');
    bench.grants = () => [];
    await assert.rejects(bench.call('https://api.example/', { interactive: true }), { code: 'insufficientScope' });
    bench.declines = new Error('User did not consent to login.');
    await assert.rejects(bench.call('https://api.example/', { interactive: true }), {
      code: 'canceled',
      isKnown: true,
    });
  });

  it('asks for nothing if its body can’t be sent again, but says what it lacks', async () => {
    bench.respond = demand('write');
    const body = new Blob(['text']).stream();
    const options = { method: 'POST', body, duplex: 'half', interactive: true } as RequestInit;
    await assert.rejects(bench.call('https://api.example/', options), { code: 'insufficientScope', scopes: ['write'] });
    assert.ok(bench.asked.every(([, { silent }]) => silent === true));
  });

  it('is passed on if it says nothing of scopes', async () => {
    bench.respond = () => new Response('no', { status: 403 });
    const response = await bench.call('https://api.example/', { interactive: true });
    assert.deepEqual([response.status, await response.text(), bench.sent.length], [403, 'no', 1]);
  });

  it('is passed on by a service that has no scopes', async () => {
    [bench.protocol, bench.granted] = ['draft', undefined];
    bench.respond = () => needs('write');
    assert.equal((await bench.call('https://api.example/', { interactive: true })).status, 403);
    assert.equal(bench.sent.length, 1);
  });
});
