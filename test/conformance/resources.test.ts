import assert from 'node:assert/strict';
import { outcome, ServiceUnderTest, tokensOf } from './serviceUnderTest';

describe('device notification (specification 4.4) and the protected resource', () => {
  let service: ServiceUnderTest;
  beforeEach(async () => {
    service = await ServiceUnderTest.start();
  });
  afterEach(() => service.close());

  const bearer = (token: string, more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    authorization: `Bearer ${token}`,
    ...more,
  });

  it('a notification right after the access token came is taken, with the token by Bearer', async () => {
    const { accessToken } = await service.signIn();
    const query = { title: 'Editor', hardware: 'desk' };
    const answer = await service.send('/device/notify', query, { method: 'POST', headers: bearer(accessToken) });
    assert.deepEqual([answer.status, answer.body], [200, { status: 200 }]);
    assert.deepEqual(service.service.notifications, [
      { token: { session: 1, generation: 1 }, method: 'POST', parameters: query },
    ]);
  });

  it('or in access_token, which is no parameter to remember', async () => {
    const { accessToken } = await service.signIn();
    await service.send('/device/notify', { access_token: accessToken, title: 'Editor' });
    assert.deepEqual(service.service.notifications[0]?.parameters, { title: 'Editor' });
  });

  it('its parameters may come in a form or as JSON', async () => {
    const { accessToken } = await service.signIn();
    const told = { title: 'Büro & Editor', software: '1' };
    const headers = bearer(accessToken);
    await service.send('/device/notify', {}, { method: 'POST', headers, body: new URLSearchParams(told) });
    const json = bearer(accessToken, { 'content-type': 'application/json' });
    await service.send('/device/notify', {}, { method: 'PUT', headers: json, body: JSON.stringify(told) });
    assert.deepEqual(
      service.service.notifications.map(({ method, parameters }) => [method, parameters]),
      [
        ['POST', told],
        ['PUT', told],
      ],
    );
  });

  for (const [name, type, body, expected] of [
    ['broken JSON', 'application/json', '{"title":', [400, 'invalid_request']],
    ['JSON that is no object', 'application/json', '[1]', [400, 'invalid_request']],
    ['a type that is not known', 'text/plain', 'title=x', [415, 'invalid_request']],
  ] as const) {
    it(`${name} is refused and not remembered`, async () => {
      const { accessToken } = await service.signIn();
      const headers = bearer(accessToken, { 'content-type': type });
      const answer = await service.send('/device/notify', {}, { method: 'POST', headers, body });
      assert.deepEqual(outcome(answer), expected);
      assert.deepEqual(service.service.notifications, []);
    });
  }

  for (const path of ['/device/notify', '/api/whoami']) {
    const method = path === '/api/whoami' ? 'GET' : 'POST';
    it(`${path} refuses a request without an access token, and one that is not current`, async () => {
      const old = await service.signIn();
      await service.refresh(old.refreshToken);
      const without = await service.send(path, {}, { method });
      assert.deepEqual(outcome(without), [401, 'unauthorized']);
      assert.equal(without.headers.get('www-authenticate'), 'Bearer');
      for (const token of ['nonsense', old.accessToken, old.refreshToken]) {
        const byHeader = await service.send(path, {}, { method, headers: bearer(token) });
        const byQuery = await service.send(path, { access_token: token }, { method });
        assert.deepEqual(
          [outcome(byHeader), outcome(byQuery)],
          [
            [401, 'invalid_token'],
            [401, 'invalid_token'],
          ],
        );
      }
      assert.deepEqual(service.service.notifications, []);
    });
    it(`${path} refuses a token in two places`, async () => {
      const { accessToken } = await service.signIn();
      const answer = await service.send(path, { access_token: accessToken }, { method, headers: bearer(accessToken) });
      assert.deepEqual(outcome(answer), [400, 'invalid_request']);
    });
  }

  it('whoami tells the account, the sign-in and the generation of the token pair', async () => {
    const [first, other] = [await service.signIn('ada'), await service.signIn()];
    const next = tokensOf(await service.refresh(first.refreshToken));
    assert.deepEqual((await service.whoami(next.accessToken)).body, { name: 'ada', session: 1, generation: 2 });
    assert.deepEqual((await service.whoami(other.accessToken)).body, { name: 'demo', session: 2, generation: 1 });
  });
});
