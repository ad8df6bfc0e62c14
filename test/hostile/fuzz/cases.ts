import type { Operation } from '../../../src/oauth/errors';
import type { Seeded } from '../seeded';

/** What a service says to one request, before the network does its part. */
export interface FuzzCase {
  readonly operation: Exclude<Operation, 'probe'>;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** How many bytes of the body are behind the JSON in it, if there are any. */
  readonly behind?: number;
}

/** What the client sends in every case; a hostile service repeats it. All of it is made up. */
export const SENT = {
  clientId: 'fuzz-client',
  clientSecret: 'client-secret-0f1e2d3c',
  deviceCode: 'device-code-4b5a6978',
  refreshToken: 'refresh-token-8796a5b4',
  accessToken: 'access-token-c3d2e1f0',
} as const;

const OPERATIONS = ['device authorization', 'poll', 'refresh', 'notification', 'account'] as const;

type DraftOperation = (typeof OPERATIONS)[number];

/** What a service of the draft dialect says. */
export interface DraftCase extends FuzzCase {
  readonly operation: DraftOperation;
}

/** Draws the next case. */
export function drawCase(random: Seeded): DraftCase {
  const operation = random.pick(OPERATIONS);
  if ((operation === 'poll' || operation === 'refresh') && random.chance(0.05)) {
    return drawDamagedTokens(random, operation);
  }
  const refused = random.chance(0.2);
  const body = refused ? Buffer.from(drawError(random)) : drawBody(random, operation);
  const status = refused && random.chance(0.5) ? 400 : drawStatus(random);
  return { operation, status, headers: drawHeaders(random), ...withMoreBehind(random, body) };
}

/** Some servers and gateways write something behind the JSON. */
export function withMoreBehind(random: Seeded, body: Buffer): Pick<FuzzCase, 'body' | 'behind'> {
  if (random.chance(0.85)) return { body };
  const more = random.chance(0.3)
    ? random.bytes(random.whole(1, 50))
    : Buffer.from(
        random.pick([
          '\n',
          '}',
          '{}',
          '<!-- 3 ms -->',
          '"',
          '\u0000',
          'Warning: "x" in line 1',
          ']]>',
          body.toString(),
        ]),
      );
  return { body: Buffer.concat([body, more]), behind: more.length };
}

/** Tokens beside a field with bytes that aren't UTF-8. */
function drawDamagedTokens(random: Seeded, operation: 'poll' | 'refresh'): DraftCase {
  const fields = FIELDS[operation].map(([name, json]) => `"${name}":${json}`);
  const text = `"text":"${random.pick(['\xe9', 'a\xffb', '\xc3'])}"`;
  fields.splice(random.whole(0, fields.length), 0, random.pick([text, `"more":{${text},"refresh_token":"x"}`]));
  const body = Buffer.from(`{${fields.join(',')}}`, 'latin1');
  return { operation, status: 200, headers: drawHeaders(random), body };
}

export function drawStatus(random: Seeded): number {
  if (random.chance(0.45)) {
    return 200;
  }
  return random.chance(0.9)
    ? random.pick([201, 204, 206, 301, 302, 304, 307, 400, 400, 400, 401, 403, 404, 407, 429, 500, 502, 503, 504])
    : random.whole(200, 999);
}

export function drawHeaders(random: Seeded): Record<string, string> {
  return {
    ...(random.chance(0.7)
      ? { 'Content-Type': random.pick(['application/json', 'text/html', 'text/plain; charset=latin1', '?', ' ']) }
      : {}),
    ...(random.chance(0.2)
      ? { Location: random.pick(['https://other.example/', '/', '//', 'http://[', 'data:,{}', 'file:///etc/passwd']) }
      : {}),
    ...(random.chance(0.1) ? { 'Set-Cookie': 'a=b', 'X-Long': 'x'.repeat(random.whole(0, 5000)) } : {}),
  };
}

function drawBody(random: Seeded, operation: DraftOperation): Buffer {
  const kind = random.fraction();
  if (kind < 0.65) {
    return Buffer.from(drawAnswer(random, operation));
  }
  if (kind < 0.7) {
    return Buffer.from(drawError(random));
  }
  if (kind < 0.8) {
    return damaged(random, Buffer.from(drawAnswer(random, operation)));
  }
  if (kind < 0.85) {
    return random.bytes(random.whole(0, 300));
  }
  if (kind < 0.88) {
    const length = random.pick([65_535, 65_536, 65_537, 70_000, 200_000, 1_000_000]);
    return Buffer.from(drawAnswer(random, operation).padEnd(length));
  }
  return Buffer.from(
    random.pick([
      '',
      ' ',
      'null',
      'true',
      '"text"',
      '0',
      '[]',
      '{}',
      '[{}]',
      'OK',
      '{"status":200}',
      '<!doctype html><title>Sign in to the network</title>',
      `<meta http-equiv="refresh" content="0;url=https://other.example/?${SENT.refreshToken}">`,
      '{"__proto__":{"access_token":"x","code":"x","error":"x"}}',
      '{"constructor":{"prototype":{}},"toString":1,"hasOwnProperty":2}',
      '['.repeat(5000),
      `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
    ]),
  );
}

const FIELDS: Readonly<Record<DraftOperation, readonly (readonly [name: string, json: string])[]>> = {
  'device authorization': [
    ['code', '"device-1"'],
    ['user_code', '"ABCD-1234"'],
    ['verification_uri', '"https://service.example/activate"'],
    ['expires_in', '600'],
    ['interval', '5'],
  ],
  poll: [
    ['access_token', '"access-1"'],
    ['token_type', '"bearer"'],
    ['expires_in', '3600'],
    ['refresh_token', '"refresh-1"'],
    ['scope', 'null'],
  ],
  refresh: [
    ['access_token', '"access-2"'],
    ['token_type', '"bearer"'],
    ['expires_in', '3600'],
    ['refresh_token', '"refresh-2"'],
  ],
  notification: [['status', '200']],
  account: [
    ['name', '"Ada"'],
    ['id', '"user-1"'],
  ],
};

/** A right answer in which each field may be left out, doubled or replaced. Half of them stay right. */
function drawAnswer(random: Seeded, operation: DraftOperation): string {
  const change = random.chance(0.5) ? 0 : 0.3;
  const fields = FIELDS[operation].flatMap(([name, json]) => {
    if (!random.chance(change)) {
      return [`"${name}":${json}`];
    }
    const value = name === 'verification_uri' ? JSON.stringify(random.pick(URIS)) : drawValue(random);
    return random.pick([
      [],
      [`"${name}":${value}`],
      [`"${name}":${value}`],
      [`"${name}":${json}`, `"${name}":${value}`],
    ]);
  });
  if (random.chance(change / 3)) {
    fields.push(`${JSON.stringify(drawText(random))}:${drawValue(random)}`, `"error":${drawValue(random)}`);
  }
  return `{${fields.join(',')}}`;
}

function drawError(random: Seeded): string {
  const code = random.chance(0.7)
    ? JSON.stringify(
        random.pick(['authorization_pending', 'invalid_client', 'invalid_grant', 'slow_down', 'code_expired', 'x']),
      )
    : drawValue(random);
  const rest = random.chance(0.5) ? `,"status":400,"error_description":${drawValue(random)}` : '';
  return `{"error":${code}${rest}}`;
}

function drawValue(random: Seeded): string {
  return random.chance(0.5)
    ? JSON.stringify(drawText(random))
    : random.pick([
        'null',
        'true',
        'false',
        '0',
        '-0',
        '-1',
        '0.5',
        '1e-320',
        '2147483648',
        '1e308',
        '1e999',
        '-1e999',
        '"5"',
        '" 7 "',
        '"1e9"',
        '"-3"',
        '"0x10"',
        '"٣"',
        '[]',
        '["x"]',
        '{}',
        '{"length":5}',
        '"\\ud800"',
        '"\\u0000"',
        `"${'9'.repeat(400)}"`,
      ]);
}

const URIS = [
  'https://user:password@service.example/',
  'https://@service.example/',
  'http://service.example/',
  'http://localhost:1/',
  'javascript:alert(1)',
  'command:workbench.action.quit',
  'https://xn--e1afmkfd.example/\u2028',
  'https://service.example\\@other.example/',
  'https://[',
  `https://service.example/${'a'.repeat(3000)}`,
] as const;

function drawText(random: Seeded): string {
  return random.chance(0.15)
    ? random.bytes(random.whole(0, 80)).toString(random.pick(['latin1', 'utf8', 'utf16le']))
    : random.pick([
        '',
        ' ',
        'plain',
        'a\r\nSet-Cookie: x=y',
        'a\u0000b',
        '\u202egnp.exe',
        'A\u200bB',
        '[Sign in](command:workbench.action.quit)',
        '$(check) Signed in',
        '<script>alert(1)</script>',
        '../../etc/passwd',
        '%s%n%00',
        '__proto__',
        ...URIS,
        '😀'.repeat(40),
        'x'.repeat(5000),
        'x'.repeat(20_000),
        'x'.repeat(90_000),
        'x'.repeat(1_100_000),
        ...Object.values(SENT),
      ]);
}

/** A body that's cut off, or has something more, other, or twice in it, or is in another encoding. */
export function damaged(random: Seeded, body: Buffer): Buffer {
  const at = random.whole(0, body.length);
  const rest = body.subarray(at);
  const damages: readonly (() => Buffer)[] = [
    () => body.subarray(0, at),
    () => Buffer.concat([body.subarray(0, at), random.bytes(random.whole(1, 4)), rest]),
    () => Buffer.from(body.map((byte, index) => (index === at ? byte ^ (1 << random.whole(0, 7)) : byte))),
    () => Buffer.concat([Buffer.from('\ufeff'), body]),
    () => Buffer.from(`\ufeff${body.toString()}`, 'utf16le'),
    () => Buffer.concat([body, body]),
  ];
  return random.pick(damages)();
}
