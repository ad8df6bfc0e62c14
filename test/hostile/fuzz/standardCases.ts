import { idToken } from '../../unit/oauth/standardHarness';
import type { Seeded } from '../seeded';
import { drawHeaders, drawStatus, damaged, type FuzzCase, SENT, withMoreBehind } from './cases';

/** The service that is asked. */
export const ISSUER = 'https://service.example/v1';
/** Scopes that are asked for. */
export const SCOPES = ['openid', 'a'];
/** The user whose name is asked for. */
export const USER = { id: JSON.stringify([ISSUER, 'user-1']), name: undefined };

/** What a standard service says. */
export interface StandardCase extends FuzzCase {
  readonly operation: Exclude<FuzzCase['operation'], 'notification'>;
}

/** Values of a field. The first is as it should be. */
type Values = readonly unknown[];

const LONG = 'x'.repeat(20_000);
const JUNK: Values = [null, true, 5, [], {}, ['x'], ''];
const SECONDS: Values = [
  3600,
  '5',
  ' 7 ',
  '60.5',
  0.5,
  1e12,
  0,
  -1,
  '0',
  '-3',
  '1e9',
  '0x10',
  '9'.repeat(400),
  ...JUNK,
];

const ADDRESSES: Values = [
  'https://service.example/v1/there',
  'https://Other.example',
  'http://service.example/t',
  'https://user:pw@service.example/t',
  'https://127.0.0.1/t',
  'https://localhost./t',
  '/relative',
  'https://service.example/t#x',
  'javascript:alert(1)',
  'https://[',
  `https://x.example/${LONG}`,
  ...JUNK,
];

const CLAIMS = { iss: ISSUER, aud: SENT.clientId, exp: 4e9, sub: 'user-1', email: 'ada@example.com' };

const ID_TOKENS: Values = [
  ...[
    {},
    { aud: ['other', SENT.clientId], azp: SENT.clientId },
    { preferred_username: ' ', email: 5, name: 'Ada' },
    { aud: 'other' },
    { aud: [SENT.clientId], azp: 'other' },
    { exp: 1000 },
    { exp: '4000000000' },
    { iss: 'other' },
    { iss: undefined },
    { sub: 5 },
    { sub: 'x'.repeat(256) },
  ].map((claims) => idToken({ ...CLAIMS, ...claims })),
  ...['a.b', 'a.!.c', 'a.bnVsbA.c', 'a.e30.c', 'a.b.c.d.e'],
  ...JUNK,
];

const CODES: Values = [
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
  'invalid_client',
  'invalid_grant',
  'authorization_declined',
  'invalid_scope',
  'bad_refresh_token',
  'bad_verification_code',
  'incorrect_client_credentials',
  'temporarily_unavailable',
  'The token is invalid or expired.',
  '<script>',
  'https://other.example/',
  ...Object.values(SENT),
  LONG,
  ...JUNK,
];

const ERROR: Readonly<Record<string, Values>> = { error: CODES, interval: SECONDS };

const USER_INFO: Readonly<Record<string, Values>> = {
  sub: ['user-1', 'user-2', ...JUNK],
  preferred_username: ['ada', ' ', 'a\u0007', ...JUNK],
  email: ['ada@example.com', ...JUNK],
};

/** The fields of each operation. Those of `ERROR` may come with any. */
const FIELDS: Readonly<Record<StandardCase['operation'], Readonly<Record<string, Values>>>> = {
  metadata: {
    issuer: [ISSUER, `${ISSUER}/`, 'https://service.example', 'https://other.example/v1', ...JUNK],
    device_authorization_endpoint: ADDRESSES,
    token_endpoint: ADDRESSES,
    revocation_endpoint: ADDRESSES,
    userinfo_endpoint: ADDRESSES,
    scopes_supported: [['openid', 'a'], ['openid', 5, 'a'], ...JUNK],
  },
  'device authorization': {
    device_code: ['device-1', 'a\u0000b', ...JUNK],
    user_code: ['ABCD-1234', 'WDJB MJHT', '\u202egnp', '$(check) <b>', 'device-1', ...JUNK],
    verification_uri: [
      'https://service.example/activate',
      'https://other.example/device',
      'http://service.example/',
      'https://u@service.example/',
      'http://127.0.0.1/',
      'command:quit',
    ],
    verification_uri_complete: [
      'https://service.example/activate?user_code=ABCD-1234',
      'https://other.example/device?c=1',
      'https://u@service.example/activate',
      'javascript:alert(1)',
      ...JUNK,
    ],
    expires_in: SECONDS,
    interval: SECONDS,
  },
  poll: tokenFields('access-1', 'refresh-1'),
  refresh: tokenFields('access-2', 'refresh-2'),
  revocation: {},
  account: USER_INFO,
};

function tokenFields(access: string, refresh: string): Readonly<Record<string, Values>> {
  return {
    access_token: [access, 'a b', 'a\r\nX: y', LONG, 'x'.repeat(90_000), 'x'.repeat(1_100_000), ...JUNK],
    token_type: ['bearer', 'Bearer', 'BEARER', null, 'mac', 5],
    expires_in: SECONDS,
    refresh_token: [refresh, 'ein Wort', LONG, 'a\u0000b', ...JUNK],
    refresh_expires_in: SECONDS,
    scope: ['a b', 'a,b,c', ' ', '\u00e9 b', ...JUNK],
    id_token: ID_TOKENS,
  };
}

/** Draws the next case. */
export function drawStandardCase(random: Seeded): StandardCase {
  const operation = random.pick(Object.keys(FIELDS) as StandardCase['operation'][]);
  const isError = random.chance(0.3);
  const isForm = random.chance(0.25);
  const change = random.chance(0.4) ? 0 : 0.35;
  const named = { ...(isError && !random.chance(0.1) ? {} : FIELDS[operation]), ...(isError ? ERROR : {}) };
  const fields = new Map<string, unknown>();
  for (const [name, values] of Object.entries(named)) {
    if (random.chance(change / 2)) continue;
    const value = random.chance(change) || name === 'error' ? random.pick(values) : values[0];
    if (!isForm || typeof value === 'string' || typeof value === 'number') fields.set(name, value);
  }
  const page = fields.get('verification_uri');
  // Google's name for it.
  if (random.chance(0.2) && fields.delete('verification_uri')) fields.set('verification_url', page);
  const content = Buffer.from(isForm ? formOf(fields) : JSON.stringify(Object.fromEntries(fields)));
  const body = random.chance(0.1) ? damaged(random, content) : content;
  const status = isError && random.chance(0.6) ? random.pick([400, 400, 401, 403]) : drawStatus(random);
  return { operation, status, headers: drawHeaders(random), ...(isForm ? { body } : withMoreBehind(random, body)) };
}

function formOf(fields: ReadonlyMap<string, unknown>): string {
  return [...fields].map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
}
