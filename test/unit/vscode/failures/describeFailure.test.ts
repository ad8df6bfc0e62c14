import assert from 'node:assert/strict';
import {
  NetworkError,
  type OAuthError,
  ServiceError,
  InvalidResponseError,
  MetadataError,
} from '../../../../src/oauth/errors';
import { DeviceCodeError } from '../../../../src/signin/deviceFlow';
import { describeFailure as describeFailureOf } from '../../../../src/vscode/failures/describeFailure';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { english } from '../english';
import { FAILURES } from './samples';

const texts = createTexts(english, 'en');
const dependencies = { brand: { prefix: 'deviceFlow', configuredBy: 'person' as const }, texts };

/** How a failure is described of a service at this base URL. */
const describeFailure = (error: unknown, baseUrl?: string) =>
  describeFailureOf(dependencies, error, { service: 'My Service', baseUrl });

/** Guards that every failure of a sign-in is explained, with something to do. */
describe('failures of a sign-in', () => {
  for (const error of FAILURES) {
    it(`are whole sentences that name the service and offer something to do: ${error.message}`, () => {
      const { text, offers } = describeFailure(error);
      assert.match(text, /^[A-Z].*\.$/);
      assert.match(text, /My Service/);
      assert.doesNotMatch(text, /\{\w+\}|undefined/);
      assert.ok(offers.length > 0 && offers.length <= 3);
    });
  }

  for (const operation of ['metadata', 'device authorization'] as const) {
    for (const error of [
      ...[400, 401, 403, 451, 500, 502, 511].map((status) => new ServiceError(operation, status, undefined)),
      new ServiceError(operation, 511, undefined, { body: 'empty' }),
      new ServiceError(operation, 511, 'network_authentication_required'),
      new InvalidResponseError(operation, 200, 'not JSON'),
      new InvalidResponseError(operation, 302, 'redirect'),
      new InvalidResponseError(operation, 307, 'redirect'),
      new NetworkError(operation, 'TLS', false, { systemCode: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
    ]) {
      it(`blame the network that responds when a sign-in begins, and nothing that’s configured: ${error.message}`, () => {
        const { offers, severity = 'error', text } = describeFailure(error);
        assert.match(text, /^The response probably came from your network rather than My Service\. /);
        assert.doesNotMatch(text, /client|secret|address|endpoint|internal error/);
        assert.deepEqual([offers[0], offers.includes('configure'), severity], ['tryAgain', false, 'error']);
      });
    }
  }

  for (const [what, error] of [
    ['a wrong address', new ServiceError('metadata', 404, undefined)],
    ['a method that isn’t allowed', new ServiceError('device authorization', 405, undefined)],
    ['an address that’s gone', new ServiceError('device authorization', 410, undefined)],
    ['an object of the service', new ServiceError('device authorization', 403, undefined, { body: 'object' })],
    ['nothing', new ServiceError('device authorization', 401, undefined, { body: 'empty' })],
    ['an error code', new ServiceError('device authorization', 403, 'access_denied')],
    ['a gateway that says when to try again', new ServiceError('metadata', 503, undefined, { retryAfter: 7 })],
    [
      'a certificate that isn’t trusted',
      new NetworkError('metadata', 'TLS', false, { systemCode: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    ],
    ['a page later on', new ServiceError('poll', 403, undefined)],
  ] as const) {
    it(`don’t blame the network for ${what}`, () => {
      assert.doesNotMatch(describeFailure(error).text, /probably your network/);
    });
  }

  it('say what to enter if the address is a metadata document’s, or the document names another issuer', () => {
    const issuer = 'https://uaa.example/oauth/token';
    const deviceAuthorization = 'https://uaa.example/oauth/device_authorization';
    const named = { issuer, deviceAuthorization, token: issuer };
    const address = describeFailure(
      new MetadataError('document address', true, { named: { issuer } }),
      'https://service.example',
    ).text;
    assert.match(address, /^https:\/\/service\.example is the address of a metadata document/);
    const other = describeFailure(new MetadataError('other issuer', true, { named })).text;
    for (const text of [address, other]) {
      assert.match(
        text,
        /The metadata names https:\/\/uaa\.example\/oauth\/token\. If that’s the service you want, enter it as the base URL\./,
      );
    }
    assert.match(
      other,
      /“deviceAuthorization” endpoint to https:\S+device_authorization and the “token” endpoint to https:\S+token in the/,
    );
    const unknown = describeFailure(new MetadataError('other issuer', true), 'https://id.example').text;
    assert.match(unknown, /^The metadata belongs to a different service than My Service\. Check the address \S+\.$/);
  });

  for (const status of [400, 403]) {
    it(`say that the service doesn’t allow device codes, which secret may be in the way, and whom to ask: ${status}`, () => {
      const { text, offers } = describeFailure(new ServiceError('device authorization', status, 'unauthorized_client'));
      assert.match(
        text,
        /^My Service didn’t let this client sign in with a device code\. .* saved client secret .* ask the service’s operator/,
      );
      assert.deepEqual(offers, ['configure', 'setClientSecret', 'troubleshoot']);
    });
  }

  it('lead to the scopes if the service refuses them', () => {
    const failure = describeFailure(new ServiceError('device authorization', 400, 'invalid_scope'));
    assert.match(failure.text, /^My Service refused the scopes that were requested\. /);
    assert.equal(failure.offers[0], 'openSettings');
  });

  it('name PKCE and its setting if the client must use it', () => {
    const error = new ServiceError('device authorization', 400, 'invalid_request', { isAboutPkce: true });
    const { offers, text } = describeFailure(error);
    assert.match(
      text,
      /^My Service requires PKCE for this client, .* “pkce” field to true in the deviceFlow\.services setting\.$/,
    );
    assert.equal(offers[0], 'openSettings');
  });

  it('don’t name a code that the service didn’t send', () => {
    const { text } = describeFailure(new ServiceError('device authorization', 400, undefined, { body: 'empty' }));
    assert.match(text, /^My Service refused the sign-in without saying why \(HTTP 400\)\./);
  });

  it('name the field that’s missing or unsafe', () => {
    for (const problem of ['bad field', 'missing field'] as const) {
      const error = new InvalidResponseError('device authorization', 200, problem, { field: 'verification_uri' });
      const text =
        'My Service sent an invalid response: the “verification_uri” field is missing or invalid. Try again, or contact the service’s operator.';
      assert.equal(describeFailure(error).text, text);
    }
  });

  it('name the endpoint if the code expired while it gave no valid response', () => {
    for (const error of [
      new ServiceError('poll', 503, undefined),
      new ServiceError('poll', 404, undefined),
      new InvalidResponseError('poll', 200, 'not JSON'),
    ]) {
      error.endpointAddress = 'https://login.example/token';
      const { offers, text } = describeFailure(new DeviceCodeError('expired', error));
      assert.match(
        text,
        /https:\/\/login\.example\/token \(deviceFlow\.services\) didn’t send a valid response \(last status: HTTP \d+\)/,
      );
      assert.deepEqual(offers, ['getNewCode', 'troubleshoot']);
    }
    const lost = new DeviceCodeError('expired', new NetworkError('poll', 'timeout', true));
    assert.match(describeFailure(lost).text, /^The code expired before you confirmed it/);
  });

  it('name just the host that isn’t found if nobody entered it', () => {
    const error = new NetworkError('device authorization', 'host not found', false, { systemCode: 'ENOTFOUND' });
    error.endpointAddress = 'https://login.example/device/code';
    const { offers, text } = describeFailure(error, 'https://api.example');
    assert.equal(text, 'Couldn’t find login.example (ENOTFOUND). Check your network connection.');
    assert.deepEqual(offers, ['tryAgain', 'openSettings', 'troubleshoot']);
  });

  it('say of a list what they say of a page: the network responded', () => {
    const [list, page] = (['not an object', 'not JSON'] as const).map((problem) =>
      describeFailure(new InvalidResponseError('device authorization', 200, problem)),
    );
    assert.deepEqual([list?.text, list?.offers], [page?.text, page?.offers]);
    assert.match(list?.text ?? '', /probably came from your network/);
  });

  describe('at an endpoint that isn’t below the base URL', () => {
    const endpointAddress = 'https://login.example/device/code';
    const at = (error: OAuthError): OAuthError => Object.assign(error, { endpointAddress });
    const operation = 'device authorization';

    for (const error of [
      new ServiceError(operation, 404, undefined),
      new ServiceError(operation, 401, undefined, { body: 'object' }),
      new NetworkError(operation, 'connection refused', false, { systemCode: 'ECONNREFUSED' }),
      new InvalidResponseError(operation, 200, 'too large'),
    ]) {
      it(`name the endpoint, and lead to the setting for it: ${error.message}`, () => {
        assert.match(describeFailure(error, 'https://api.example').text, / \(?https:\/\/api\.example\b/);
        const { offers, text } = describeFailure(at(error), 'https://api.example');
        assert.match(text, / \(?https:\/\/login\.example\/device\/code\b/);
        assert.doesNotMatch(text, /baseUrl|api\.example/);
        const isRefusal = error instanceof ServiceError;
        assert.equal(/ the client ID\b/.test(text), isRefusal, 'some services say 404 to a wrong one');
        assert.equal(offers.includes('configure'), isRefusal);
        if (!isRefusal) assert.equal(offers[1], 'openSettings');
      });
    }

    it('name the endpoint as the address that didn’t respond', () => {
      const { text } = describeFailure(at(new NetworkError(operation, 'timeout', true)));
      assert.match(text, /^My Service \(https:\/\/login\.example\/device\/code\) didn’t respond in time\. /);
    });

    it('still name the setting for the proxy', () => {
      const { offers, text } = describeFailure(at(new NetworkError(operation, 'proxy', false)));
      assert.match(text, /login\.example.* the http\.proxy setting:/);
      assert.deepEqual(offers, ['tryAgain', 'troubleshoot'], 'whatever else is offered would be another setting');
    });
  });

  for (const code of ['some_new_code', 'constructor', '__proto__', 'toString']) {
    it(`quote an unknown code, as it is all that there is to tell an operator: ${code}`, () => {
      const { text } = describeFailure(new ServiceError('poll', 400, code));
      assert.equal(
        text,
        `My Service refused the sign-in with error “${code}” (HTTP 400). Try again, or ask the service’s operator for help.`,
      );
    });
  }
});
