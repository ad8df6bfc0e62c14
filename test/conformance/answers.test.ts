import assert from 'node:assert/strict';
import { type ApiAnswer, ServiceUnderTest, text, tokensOf } from './serviceUnderTest';

describe('answers of the service (specification 2)', () => {
  let service: ServiceUnderTest;
  before(async () => {
    service = await ServiceUnderTest.start({ interval: 7, deviceCodeTtl: 8600, accessTokenTtl: 1234 });
  });
  after(() => service.close());

  describe('device code response (2.1)', () => {
    let answer: ApiAnswer;
    before(async () => {
      answer = await service.askForCode();
    });

    it('has status 200 and these fields only', () => {
      assert.equal(answer.status, 200);
      assert.deepEqual(Object.keys(answer.body), ['code', 'user_code', 'verification_uri', 'expires_in', 'interval']);
    });
    it('code: a string that serves to obtain the access token', async () => {
      const code = text(answer.body, 'code');
      assert.equal(service.service.approve(text(answer.body, 'user_code')), undefined);
      assert.equal((await service.poll(code)).status, 200);
    });
    it('user_code: a string that people can read and type', () => {
      assert.match(text(answer.body, 'user_code'), /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    });
    it('verification_uri: the address of the page for the user code', async () => {
      const uri = text(answer.body, 'verification_uri');
      assert.equal(uri, service.service.verificationUrl);
      assert.equal((await fetch(uri)).status, 200);
    });
    it('expires_in: the lifetime of the device code, an integer', () => {
      assert.equal(answer.body['expires_in'], 8600);
    });
    it('interval: the seconds between polling requests, an integer', () => {
      assert.equal(answer.body['interval'], 7);
    });
  });

  describe('token response (2.2)', () => {
    let first: ApiAnswer;
    let second: ApiAnswer;
    before(async () => {
      const { deviceCode, userCode } = await service.issueCode();
      service.service.approve(userCode);
      first = await service.poll(deviceCode);
      second = await service.refresh(tokensOf(first).refreshToken);
    });

    it('has status 200 and these fields only', () => {
      const fields = ['access_token', 'token_type', 'expires_in', 'refresh_token'];
      assert.deepEqual([first.status, second.status], [200, 200]);
      assert.deepEqual(Object.keys(first.body), [...fields, 'scope']);
      assert.deepEqual(Object.keys(second.body), fields);
    });
    it('access_token: a string that opens the API', async () => {
      assert.equal((await service.whoami(tokensOf(second).accessToken)).status, 200);
    });
    it('token_type: "bearer"', () => {
      assert.deepEqual([first.body['token_type'], second.body['token_type']], ['bearer', 'bearer']);
    });
    it('expires_in: the lifetime of the access token, an integer', () => {
      assert.deepEqual([first.body['expires_in'], second.body['expires_in']], [1234, 1234]);
    });
    it('refresh_token: a string that obtains a new access token without a new device code', async () => {
      const third = tokensOf(await service.refresh(tokensOf(second).refreshToken));
      assert.equal((await service.whoami(third.accessToken)).status, 200);
    });
    it('scope: null in the device flow, absent after a refresh', () => {
      assert.equal(first.body['scope'], null);
      assert.equal('scope' in second.body, false);
    });
    it('holds new values each time', () => {
      const values = [tokensOf(first), tokensOf(second)].flatMap(({ accessToken, refreshToken }) => [
        accessToken,
        refreshToken,
      ]);
      assert.equal(new Set(values).size, 4);
    });
  });

  describe('error response (2.3)', () => {
    it('error: the error code; error_description: a text for people, for example on invalid_client', async () => {
      const { body } = await service.askForCode({ client_secret: 'wrong' });
      assert.deepEqual(Object.keys(body), ['error', 'error_description']);
      assert.equal(body['error'], 'invalid_client');
      assert.match(text(body, 'error_description'), /^[A-Z].*\.$/);
    });
    it('error_description: absent on authorization_pending', async () => {
      const { deviceCode } = await service.issueCode();
      assert.deepEqual((await service.poll(deviceCode)).body, { error: 'authorization_pending' });
    });
  });

  describe('headers of every answer', () => {
    const requests: Record<string, (signedIn: string) => Promise<ApiAnswer>> = {
      'a device code': () => service.askForCode(),
      'an error of the device endpoint': () => service.askForCode({ client_id: 'wrong' }),
      'a refused poll': () => service.poll('unknown'),
      'a refused refresh': () => service.refresh('unknown'),
      'the resource': (token) => service.whoami(token),
      'a refused access token': () => service.whoami('unknown'),
      'a notification': (access_token) => service.send('/device/notify', { access_token }),
      'a path that there is not': () => service.send('/elsewhere', {}),
      'a method that is not used there': () => service.send('/oauth2/token', {}, { method: 'GET' }),
      'an address that is none': () => service.send('/%ZZ', {}),
      'a body that is too large': () =>
        service.send(
          '/device/notify',
          {},
          { method: 'POST', body: 'x'.repeat(70_000), headers: { 'content-type': 'a/b' } },
        ),
    };
    for (const [name, request] of Object.entries(requests)) {
      it(`${name}: Content-Type application/json, Cache-Control no-store`, async () => {
        const { headers } = await request((await service.signIn()).accessToken);
        assert.equal(headers.get('content-type'), 'application/json');
        assert.equal(headers.get('cache-control'), 'no-store');
      });
    }
  });
});
