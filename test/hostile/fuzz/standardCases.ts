import type { Operation } from '../../../src/oauth/errors';
import { idToken } from '../../unit/oauth/standardHarness';
import type { Seeded } from '../seeded';
import { drawHeaders, drawStatus, damaged, type FuzzCase, SENT } from './cases';

/** The service that is asked. */
export const ISSUER = 'https://service.example/v1';
/** Scopes that are asked for. */
export const SCOPES = ['openid', 'a'];
/** The user whose name is asked for. */
export const USER = { id: JSON.stringify([ISSUER, 'user-1']), name: undefined };

/** A field's value, and what it means; `undefined` if it's of no use. */
type Drawn = readonly [value: unknown, meaning: unknown];

/** A standard service's response, with what its fields mean. */
export interface StandardCase extends FuzzCase {
  readonly operation: Exclude<Operation, 'notification' | 'probe'>;
  /** The meaning of each field that is there; `undefined` if the body is damaged. */
  readonly fields: ReadonlyMap<string, unknown> | undefined;
  /** Whether the body is a form. */
  readonly isForm: boolean;
}

const LONG = 'x'.repeat(20_000);
/** Values that mean themselves. */
const PLAIN = (...values: readonly unknown[]): readonly Drawn[] => values.map((value) => [value, value]);
const USELESS = (...values: readonly unknown[]): readonly Drawn[] => values.map((value) => [value, undefined]);
const JUNK = USELESS(null, true, 5, [], {}, ['x'], '');

const SECONDS: readonly Drawn[] = [
  ...PLAIN(5, 3600),
  ['5', 5],
  [' 7 ', 7],
  ['60.5', 60.5],
  [0.5, 1],
  ...PLAIN(1e12),
  ...USELESS(0, -1, '0', '-3', '1e9', '0x10', '', null, true, [], {}, '9'.repeat(400)),
];

const ADDRESSES: readonly Drawn[] = [
  ...PLAIN('https://service.example/v1/there'),
  ['https://Other.example', 'https://other.example/'],
  ...USELESS('http://service.example/t', 'https://user:pw@service.example/t', 'https://127.0.0.1/t'),
  ...USELESS('https://localhost./t', '/relative', 'https://service.example/t#x', 'javascript:alert(1)', 'https://['),
  ...USELESS(`https://x.example/${LONG}`, null, 5, ''),
];

const CLAIMS = { iss: ISSUER, aud: SENT.clientId, exp: 4e9, sub: 'user-1', email: 'ada@example.com' };
const KNOWN = { id: USER.id, name: 'ada@example.com' };

const ID_TOKENS: readonly Drawn[] = [
  [idToken(CLAIMS), { signedIn: KNOWN, named: KNOWN }],
  ...[
    { aud: ['other', SENT.clientId], azp: SENT.clientId },
    { preferred_username: ' ', email: 5, name: KNOWN.name },
    { preferred_username: KNOWN.name, email: undefined },
  ].map((claims): Drawn => [idToken({ ...CLAIMS, ...claims }), { signedIn: KNOWN, named: KNOWN }]),
  // A sign-in takes none of these; a refresh only looks for whom they name.
  ...[{ aud: 'other' }, { aud: [SENT.clientId], azp: 'other' }, { exp: 1000 }, { exp: '4000000000' }].map(
    (claims): Drawn => [idToken({ ...CLAIMS, ...claims }), { named: KNOWN }],
  ),
  [idToken({ ...CLAIMS, iss: 'other' }), { named: { ...KNOWN, id: JSON.stringify(['other', CLAIMS.sub]) } }],
  ...USELESS(idToken({ ...CLAIMS, sub: 5 }), idToken({ ...CLAIMS, sub: 'x'.repeat(256) })),
  ...USELESS(idToken({ ...CLAIMS, iss: undefined }), null, 5, '', 'a.b', 'a.!.c', 'a.bnVsbA.c', 'a.e30.c'),
];

const CODES: readonly Drawn[] = [
  ...PLAIN('authorization_pending', 'slow_down', 'access_denied', 'expired_token', 'invalid_client', 'invalid_grant'),
  ...PLAIN('authorization_declined', 'invalid_scope'),
  ['bad_refresh_token', 'invalid_grant'],
  ['bad_verification_code', 'invalid_grant'],
  ['incorrect_client_credentials', 'invalid_client'],
  ...USELESS('<script>', 'https://other.example/', SENT.clientSecret, LONG),
];

const ERROR: Readonly<Record<string, readonly Drawn[]>> = { error: CODES, interval: SECONDS };

/** The fields of each operation. Those of `ERROR` may come with any. */
const FIELDS: Readonly<Record<StandardCase['operation'], Readonly<Record<string, readonly Drawn[]>>>> = {
  metadata: {
    issuer: [
      ...PLAIN(ISSUER, `${ISSUER}/`),
      ...USELESS('https://service.example', 'https://other.example/v1'),
      ...JUNK,
    ],
    device_authorization_endpoint: ADDRESSES,
    token_endpoint: ADDRESSES,
    revocation_endpoint: ADDRESSES,
    userinfo_endpoint: ADDRESSES,
    scopes_supported: [
      [
        ['openid', 5, 'a'],
        ['openid', 'a'],
      ],
      ...JUNK.map(([value]): Drawn => [value, Array.isArray(value) ? value : undefined]),
    ],
  },
  'device authorization': {
    device_code: [...PLAIN('device-1'), ...USELESS('a\u0000b'), ...JUNK],
    user_code: [
      ...PLAIN('ABCD-1234', 'WDJB MJHT'),
      ...USELESS('\u202egnp', '$(check) <b>', SENT.clientSecret),
      ...JUNK,
    ],
    verification_uri: [
      ...PLAIN('https://service.example/activate', 'https://other.example/device'),
      ...USELESS('http://service.example/', 'https://u@service.example/', 'http://127.0.0.1/', 'command:quit'),
    ],
    verification_uri_complete: [
      ...PLAIN('https://service.example/activate?user_code=ABCD-1234', 'https://other.example/device?c=1'),
      ...USELESS(
        'https://u@service.example/activate',
        'javascript:alert(1)',
        `https://service.example/?c=${SENT.clientSecret}`,
      ),
      ...JUNK,
    ],
    expires_in: SECONDS,
    interval: SECONDS,
  },
  poll: tokenFields('access-1', 'refresh-1'),
  refresh: tokenFields('access-2', 'refresh-2'),
  revocation: {},
  account: {
    sub: [...PLAIN('user-1'), ...USELESS('user-2'), ...JUNK],
    preferred_username: [...PLAIN('ada'), ...USELESS(' ', 'a\u0007'), ...JUNK],
    email: [...PLAIN('ada@example.com'), ...JUNK],
  },
};

function tokenFields(access: string, refresh: string): Readonly<Record<string, readonly Drawn[]>> {
  return {
    access_token: [...PLAIN(access), ...USELESS('a b', 'a\r\nX: y', LONG), ...JUNK],
    token_type: [
      ...['bearer', 'Bearer', 'BEARER', null].map((type): Drawn => [type, true]),
      ['mac', false],
      [5, false],
    ],
    expires_in: SECONDS,
    refresh_token: [...PLAIN(refresh, 'ein Wort'), ...USELESS('a\u0000b'), ...JUNK],
    refresh_expires_in: SECONDS,
    scope: [['a b', ['a', 'b']], ['a,b,c', ['a', 'b', 'c']], [' ', undefined], ['\u00e9 b', ['b']], ...JUNK],
    id_token: ID_TOKENS,
  };
}

/** A response of which some fields are drawn already. */
interface Draft {
  readonly operation: StandardCase['operation'];
  readonly isForm: boolean;
  /** How likely a field differs from the usual. */
  readonly change: number;
  /** The values of the fields so far. */
  readonly values: Map<string, unknown>;
  /** What they mean. */
  readonly fields: Map<string, unknown>;
}

/** Draws the next case. */
export function drawStandardCase(random: Seeded): StandardCase {
  const operation = random.pick(Object.keys(FIELDS) as StandardCase['operation'][]);
  const isError = random.chance(0.3);
  const isForm = random.chance(0.25);
  const change = random.chance(0.4) ? 0 : 0.35;
  const values = new Map<string, unknown>();
  const fields = new Map<string, unknown>();
  const draft = { operation, isForm, change, values, fields };
  for (const [name, drawn] of Object.entries({ ...(isError && !random.chance(0.1) ? {} : FIELDS[operation]) })) {
    drawField(random, draft, name, drawn);
  }
  for (const [name, drawn] of isError ? Object.entries(ERROR) : []) drawField(random, draft, name, drawn);
  // Google's name for it.
  if (random.chance(0.2) && values.has('verification_uri')) {
    for (const map of [values, fields]) {
      map.set('verification_url', map.get('verification_uri'));
      map.delete('verification_uri');
    }
  }
  const content = Buffer.from(isForm ? formOf(values) : JSON.stringify(Object.fromEntries(values)));
  const isDamaged = random.chance(0.1);
  const body = isDamaged ? damaged(random, content) : content;
  const status = isError && random.chance(0.6) ? random.pick([400, 400, 401, 403]) : drawStatus(random);
  return { operation, status, headers: drawHeaders(random), body, isForm, fields: isDamaged ? undefined : fields };
}

/** Draws a field, which may be left out. */
function drawField(random: Seeded, draft: Draft, name: string, drawn: readonly Drawn[]): void {
  const { operation, isForm, change, values, fields } = draft;
  if (random.chance(change / 2)) return;
  const [value, meaning] = random.chance(change) ? random.pick(drawn) : (drawn[0] ?? []);
  if (isForm && typeof value !== 'string' && typeof value !== 'number') return;
  values.set(name, value);
  // It may have been drawn before.
  fields.delete(name);
  // A service may say nothing in this way; its metadata must not.
  if (value === null && meaning === undefined && operation !== 'metadata') return;
  fields.set(name, meaningIn(draft, name, value, meaning));
}

/** What a field means in this response. */
function meaningIn({ operation, isForm }: Draft, name: string, value: unknown, meaning: unknown): unknown {
  // In a form, a number is a text.
  if (isForm && value === 5 && meaning === undefined) return name in NUMBER_AS_TEXT ? NUMBER_AS_TEXT[name] : '5';
  // What isn't asked of the protocol isn't translated.
  const isPlain = operation === 'metadata' || operation === 'account';
  return isPlain && name === 'error' && meaning !== undefined ? value : meaning;
}

/** What "5" means if it's not just a text. */
const NUMBER_AS_TEXT: Readonly<Record<string, unknown>> = {
  id_token: undefined,
  verification_uri_complete: undefined,
  scope: ['5'],
};

function formOf(values: ReadonlyMap<string, unknown>): string {
  return [...values].map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
}
