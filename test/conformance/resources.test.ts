import assert from 'node:assert/strict';
import { bearer, outcome, tokensOf, useApi } from './api';

/** Guards that the demo service accepts a current token, and no other, for what tokens are for. */
describe('device notification (specification 4.4) and the protected resource', () => {
  const api = useApi();
  const parameters = { title: 'Büro & Editor', software: '1' };
  const multipart = new FormData();
  for (const [name, value] of Object.entries(parameters)) multipart.append(name, value);
  const json = { 'content-type': 'application/json' };

  for (const [where, query, init] of [
    ['the query string', parameters, {}],
    ['an urlencoded form', {}, { body: new URLSearchParams(parameters) }],
    ['a multipart form', {}, { body: multipart }],
    ['JSON', {}, { method: 'PUT', headers: json, body: JSON.stringify(parameters) }],
  ] as const) {
    it(`a notification right after the sign-in is accepted with its parameters in ${where}`, async () => {
      const { accessToken } = await api().signIn();
      const headers = { ...bearer(accessToken), ...('headers' in init ? init.headers : {}) };
      const { status, body } = await api().send('/device/notify', query, { ...init, headers });
      assert.deepEqual([status, body], [200, { status: 200 }]);
      const method = 'method' in init ? init.method : 'POST';
      assert.deepEqual(api().service.notifications, [{ token: { session: 1, generation: 1 }, method, parameters }]);
    });
  }

  it('access_token can carry the token, and is not recorded as a parameter', async () => {
    const { accessToken } = await api().signIn();
    await api().send('/device/notify', { access_token: accessToken, title: 'Editor' });
    assert.deepEqual(api().service.notifications[0]?.parameters, { title: 'Editor' });
  });

  it('a file in a form counts by its name', async () => {
    const form = new FormData();
    form.append('icon', new Blob(['x']), 'icon.png');
    const { accessToken } = await api().signIn();
    await api().send('/device/notify', {}, { headers: bearer(accessToken), body: form });
    assert.deepEqual(api().service.notifications[0]?.parameters, { icon: 'icon.png' });
  });

  for (const [name, type, body, expected] of [
    ['malformed JSON', 'application/json', '{"title":', [400, 'invalid_request']],
    ['JSON that is not an object', 'application/json', '[1]', [400, 'invalid_request']],
    ['a malformed multipart form', 'multipart/form-data; boundary=x', '--y', [400, 'invalid_request']],
    ['an unsupported media type', 'text/plain', 'title=x', [415, 'invalid_request']],
  ] as const) {
    it(`${name} is rejected and not recorded`, async () => {
      const headers = { ...bearer((await api().signIn()).accessToken), 'content-type': type };
      assert.deepEqual(outcome(await api().send('/device/notify', {}, { headers, body })), expected);
      assert.deepEqual(api().service.notifications, []);
    });
  }

  for (const [path, method] of [
    ['/device/notify', 'POST'],
    ['/api/whoami', 'GET'],
  ] as const) {
    it(`${path} rejects a request without an access token, with one that isn't current, and with two`, async () => {
      const old = await api().signIn();
      const { accessToken } = tokensOf(await api().refresh(old.refreshToken));
      const without = await api().send(path, {}, { method });
      assert.deepEqual(outcome(without), [401, 'unauthorized']);
      assert.equal(without.headers.get('www-authenticate'), 'Bearer');
      for (const token of ['nonsense', old.accessToken, old.refreshToken]) {
        const inHeader = await api().send(path, {}, { method, headers: bearer(token) });
        const inQuery = await api().send(path, { access_token: token }, { method });
        assert.deepEqual([inHeader, inQuery].map(outcome), [
          [401, 'invalid_token'],
          [401, 'invalid_token'],
        ]);
      }
      const both = await api().send(path, { access_token: accessToken }, { method, headers: bearer(accessToken) });
      assert.deepEqual(outcome(both), [400, 'invalid_request']);
      assert.deepEqual(api().service.notifications, []);
    });
  }

  it('whoami returns the user with an ID, the sign-in, and the generation of the token pair', async () => {
    const [ada, demo, again] = [await api().signIn('ada'), await api().signIn(), await api().signIn('ada')];
    const next = tokensOf(await api().refresh(ada.refreshToken));
    const { id, ...body } = (await api().whoami(next.accessToken)).body;
    assert.deepEqual(body, { name: 'ada', session: 1, generation: 2 });
    const { id: otherId, ...other } = (await api().whoami(demo.accessToken)).body;
    assert.deepEqual(other, { name: 'demo', session: 2, generation: 1 });
    assert.ok(typeof id === 'string' && id !== otherId && id !== 'ada');
    assert.equal((await api().whoami(again.accessToken)).body['id'], id);
  });
});
