import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { FetchError, Response } from 'node-fetch';
import type { OAuthClient } from '../../../src/oauth/client';
import type { Fetch } from '../../../src/oauth/fetch';
import { client } from './harness';

interface Secrets {
  readonly clientSecret: string;
  readonly deviceCode: string;
  readonly userCode: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

const identifier = fc.string({
  unit: fc.constantFrom(...Array.from('abcdefXYZ0123456789-_.')),
  minLength: 12,
  maxLength: 60,
});
const anyText = fc.oneof(identifier, fc.string({ unit: 'binary', minLength: 12, maxLength: 60 }));

const secrets: fc.Arbitrary<Secrets> = fc.record({
  clientSecret: anyText,
  deviceCode: anyText,
  userCode: fc.string({ unit: fc.constantFrom(...Array.from('ABCDEFGH0123456789')), minLength: 12, maxLength: 40 }),
  accessToken: identifier,
  refreshToken: anyText,
});

/** The secret as it is and in every form that a URL, a header, a dump or a log could give it. */
function forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const percent = encodeURIComponent(secret);
  return [
    secret,
    percent,
    percent.replace(/%../g, (code) => code.toLowerCase()),
    new URLSearchParams([['', secret]]).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
    inspect(secret).slice(1, -1),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

type Answer = (url: string, secrets: Secrets) => ReturnType<Fetch>;

function json(status: number, body: unknown): ReturnType<Fetch> {
  return Promise.resolve(new Response(JSON.stringify(body), { status }));
}

/** Services and networks that repeat what they were told wherever they can. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  tokens: (_url, { accessToken, refreshToken }) =>
    json(200, { access_token: accessToken, refresh_token: refreshToken, expires_in: 'soon', token_type: refreshToken }),
  'a device code': (_url, { deviceCode, userCode }) =>
    json(200, { code: deviceCode, user_code: userCode, verification_uri: 'https://service.example/', expires_in: -1 }),
  'the wrong fields': (_url, all) =>
    json(200, { [all.refreshToken]: 1, code: '', user_code: all.accessToken, access_token: `${all.accessToken}\n` }),
  'an error that repeats the client secret': (_url, { clientSecret }) =>
    json(400, { error: clientSecret, error_description: clientSecret }),
  'an error that repeats the device code': (_url, { deviceCode }) => json(400, { error: deviceCode.slice(1) }),
  'an error that repeats the refresh token': (_url, { refreshToken }) => json(400, { error: `no.${refreshToken}` }),
  'an error that repeats the access token': (_url, { accessToken }) => json(401, { error: accessToken }),
  'an error in a success': (_url, { refreshToken, clientSecret, deviceCode, accessToken }) =>
    json(200, { error: [refreshToken, clientSecret, deviceCode, accessToken].find((text) => /^[\w.-]+$/.test(text)) }),
  'a page': (url) => Promise.resolve(new Response(`<html>${url}</html>`, { status: 502 })),
  'a page with success': (url) => Promise.resolve(new Response(`{"${url}`, { status: 200 })),
  'a redirect': (url) => Promise.resolve(new Response('', { status: 302, headers: { Location: url } })),
  'a network error': (url) =>
    Promise.reject(new FetchError(`request to ${url} failed`, 'system', { code: url, syscall: url, cause: url })),
  'an error of another kind': (url) =>
    Promise.reject(Object.assign(new TypeError(url, { cause: url }), { input: url })),
  'a body that breaks': (url) => {
    const body = (async function* () {
      yield await Promise.resolve(url);
      throw new Error(`Invalid response body while trying to fetch ${url}`);
    })();
    return Promise.resolve({ status: 200, headers: { get: () => url }, body });
  },
};

type Call = (oauth: OAuthClient, secrets: Secrets) => Promise<unknown>;

const BASE_URL = 'https://service.example/v1';

const CALLS: Readonly<Record<string, Call>> = {
  'a device-code request': (oauth, { clientSecret }) =>
    oauth.requestDeviceAuthorization({ baseUrl: BASE_URL, clientId: 'editor', clientSecret }),
  'a poll': (oauth, { clientSecret, deviceCode }) =>
    oauth.poll({ baseUrl: BASE_URL, clientId: 'editor', clientSecret }, deviceCode),
  'a refresh': (oauth, { clientSecret, refreshToken }) =>
    oauth.refresh({ baseUrl: BASE_URL, clientId: 'editor', clientSecret }, refreshToken),
  'a notification': (oauth, { accessToken }) =>
    oauth.notify(
      BASE_URL,
      { path: '/n', method: 'POST', parameters: { a: 'b' }, parametersIn: 'form', accessTokenIn: 'header' },
      accessToken,
    ),
  'a notification with the token in its query': (oauth, { accessToken }) =>
    oauth.notify(
      BASE_URL,
      { path: '/n', method: 'GET', parameters: {}, parametersIn: 'query', accessTokenIn: 'query' },
      accessToken,
    ),
};

/** Everything that can be seen of a thrown value. */
function seen(thrown: unknown): string {
  const shown = inspect(thrown, { depth: 10, showHidden: true, getters: true });
  return [shown, String(thrown), JSON.stringify(thrown), thrown instanceof Error ? thrown.stack : ''].join('\n');
}

/** What the service sent of its own accord; only what this side sent can be told from a code. */
function known(call: string, all: Secrets): readonly string[] {
  switch (call) {
    case 'a device-code request':
      return [all.clientSecret];
    case 'a poll':
      return [all.clientSecret, all.deviceCode];
    case 'a refresh':
      return [all.clientSecret, all.refreshToken];
    default:
      return [all.accessToken];
  }
}

describe('secrets', () => {
  for (const [callName, call] of Object.entries(CALLS)) {
    for (const [answerName, answer] of Object.entries(ANSWERS)) {
      it(`of ${callName} that gets ${answerName} are in no error and no line of the log`, async () => {
        await fc.assert(
          fc.asyncProperty(secrets, async (all) => {
            const { oauth, log } = client((url) => answer(url, all));
            let output = '';
            try {
              await call(oauth, all);
            } catch (error) {
              output = seen(error);
            }
            output += `\n${log.text()}\n${inspect(oauth, { depth: 10, showHidden: true })}`;
            const secretsHere = answerName.startsWith('an error') ? known(callName, all) : Object.values(all);
            for (const secret of secretsHere as readonly string[]) {
              for (const form of forms(secret)) {
                assert.ok(!output.includes(form), 'a secret was found');
              }
            }
            assert.notEqual(log.text(), '');
          }),
          { numRuns: 40 },
        );
      });
    }
  }
});
