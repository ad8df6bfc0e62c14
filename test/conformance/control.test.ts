import assert from 'node:assert/strict';
import { outcome, ServiceUnderTest, tokensOf } from './serviceUnderTest';

describe('the control of a service in another process', () => {
  let service: ServiceUnderTest;
  beforeEach(async () => {
    service = await ServiceUnderTest.start({ control: true });
  });
  afterEach(() => service.close());

  const control = async (method: string, path: string, body?: unknown): Promise<readonly [number, unknown]> => {
    const json =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await fetch(`${service.service.baseUrl}/_control/${path}`, { method, ...json });
    const text = await response.text();
    return [response.status, text === '' ? undefined : (JSON.parse(text) as unknown)];
  };

  it('approves, for a named account, and denies', async () => {
    const [one, other] = [await service.issueCode(), await service.issueCode()];
    assert.deepEqual(await control('POST', 'approve', { userCode: one.userCode, account: 'ada' }), [
      200,
      { problem: null },
    ]);
    assert.deepEqual(await control('POST', 'deny', { userCode: other.userCode }), [200, { problem: null }]);
    assert.deepEqual(await control('POST', 'approve', { userCode: other.userCode }), [200, { problem: 'denied' }]);
    assert.deepEqual(await control('POST', 'deny', { userCode: 'BBBB-BBBB' }), [200, { problem: 'unknown' }]);
    const { accessToken } = tokensOf(await service.poll(one.deviceCode));
    assert.equal((await service.whoami(accessToken)).body['name'], 'ada');
    assert.deepEqual(outcome(await service.poll(other.deviceCode)), [400, 'access_denied']);
  });

  it('revokes', async () => {
    const { accessToken, refreshToken } = await service.signIn();
    assert.deepEqual(await control('POST', 'revoke', { session: 1, what: 'access token' }), [204, undefined]);
    assert.equal((await service.whoami(accessToken)).status, 401);
    assert.deepEqual(await control('POST', 'revoke', { session: 1, what: 'both' }), [204, undefined]);
    assert.equal((await service.refresh(refreshToken)).status, 400);
    assert.equal((await control('POST', 'revoke', { session: 9, what: 'both' }))[0], 404);
  });

  it('reads and clears the record, and reads the notifications', async () => {
    const { accessToken } = await service.signIn();
    await service.send('/device/notify', { access_token: accessToken, title: 'Editor' });
    const [, record] = await control('GET', 'requests');
    assert.deepEqual(
      record,
      JSON.parse(JSON.stringify({ requests: service.service.requests, counts: service.service.counts })),
    );
    assert.deepEqual(await control('GET', 'notifications'), [
      200,
      { notifications: JSON.parse(JSON.stringify(service.service.notifications)) as unknown },
    ]);
    assert.deepEqual(await control('DELETE', 'requests'), [204, undefined]);
    assert.deepEqual(service.service.requests, []);
  });

  it('switches faults on and off, and releases what they hold', async () => {
    const { refreshToken } = await service.signIn();
    const fault = { kind: 'hold', when: 'after' };
    assert.deepEqual(await control('POST', 'faults', { operation: 'refresh', fault, times: 3 }), [200, { id: 1 }]);
    const refresh = service.refresh(refreshToken);
    await service.service.faults.list[0]?.reached();
    assert.deepEqual(await control('GET', 'faults'), [
      200,
      { faults: [{ id: 1, operation: 'refresh', kind: 'hold', times: 3, hits: 1, waiting: 1 }] },
    ]);
    assert.deepEqual(await control('DELETE', 'faults/1'), [204, undefined]);
    assert.equal((await refresh).status, 200);
    assert.equal((await control('DELETE', 'faults/1'))[0], 404);
    await control('POST', 'faults', { operation: 'poll', fault });
    assert.deepEqual(await control('DELETE', 'faults'), [204, undefined]);
    assert.deepEqual(outcome(await service.poll('x')), [400, 'invalid_grant']);
  });

  it('takes every kind of fault, with bytes in base64', async () => {
    const kinds = [
      { kind: 'hold', when: 'before' },
      { kind: 'delay', when: 'after', milliseconds: 5 },
      { kind: 'drop', when: 'within the answer', reset: true },
      { kind: 'raw', bytesBase64: 'AP8=', carryOut: true },
      { kind: 'trickle', bytes: 3, everyMilliseconds: 5, endless: true },
    ];
    for (const fault of kinds) {
      assert.equal((await control('POST', 'faults', { operation: 'refresh', fault }))[0], 200, fault.kind);
    }
    assert.deepEqual(
      service.service.faults.list.map(({ fault }) => fault),
      kinds.map(({ bytesBase64, ...fault }) =>
        bytesBase64 === undefined ? fault : { ...fault, bytes: Buffer.from([0, 255]) },
      ),
    );
    const answer = { kind: 'answer', status: 429, headers: { 'retry-after': '1' }, bodyBase64: 'e30=' };
    await control('POST', 'faults', { operation: 'whoami', fault: answer });
    const { status, headers, body } = await service.whoami('x');
    assert.deepEqual([status, headers.get('retry-after'), body], [429, '1', {}]);
  });

  for (const [name, path, body] of [
    ['a decision without a code', 'approve', {}],
    ['an unknown operation', 'faults', { operation: 'dance', fault: { kind: 'hold', when: 'after' } }],
    ['an unknown fault', 'faults', { operation: 'poll', fault: { kind: 'dance' } }],
    ['a fault with an unknown part', 'faults', { operation: 'poll', fault: { kind: 'hold', when: 'after', stats: 1 } }],
    ['a fault without a part that it needs', 'faults', { operation: 'poll', fault: { kind: 'answer' } }],
    ['raw bytes that are not there', 'faults', { operation: 'poll', fault: { kind: 'raw' } }],
    ['a number as text', 'faults', { operation: 'poll', fault: { kind: 'answer', status: '200' } }],
    ['an unknown revocation', 'revoke', { session: 1, what: 'all' }],
  ] as const) {
    it(`refuses ${name}`, async () => {
      await service.signIn();
      assert.equal((await control('POST', path, body))[0], 400);
      assert.deepEqual(service.service.faults.list, []);
    });
  }

  it('is closed to what a web page can send without asking', async () => {
    const { userCode } = await service.issueCode();
    const init = { method: 'POST', body: JSON.stringify({ userCode }), headers: { 'content-type': 'text/plain' } };
    assert.equal((await fetch(`${service.service.baseUrl}/_control/approve`, init)).ok, false);
    assert.equal(service.service.stateOf(userCode), 'pending');
  });
});
