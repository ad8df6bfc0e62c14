import { FetchError, Response } from 'node-fetch';
import type { FetchInit, FetchResponse } from '../../../src/oauth/fetch';
import { idToken, metadataAt } from '../../unit/oauth/standardHarness';
import { percent, type SecretMaker, Secrets } from './forms';

/** What a service says to one request; it knows all that it was told and all that it told. */
type Reply = (service: EchoingService, url: string, init: FetchInit) => FetchResponse | Error;

/** This share of the answers that lead on is honest, so that the flow gets there; the others repeat what they know wherever they can. */
const HONEST_SHARE = 0.6;
/** Nothing comes after these, so nearly all of their answers are hostile. */
const LEAD_NOWHERE: readonly string[] = ['notification', 'account', 'revocation', 'user info'];
const HONEST_SHARE_OF_THOSE = 0.1;

export const BASE_URL = 'https://service.example/v1';

/** What requests of the standard are called here, by their grant type or else by the end of their path. */
const NAMES: Readonly<Record<string, string>> = {
  'openid-configuration': 'metadata',
  device: 'device_code',
  revoke: 'revocation',
  me: 'user info',
  'urn:ietf:params:oauth:grant-type:device_code': 'device_token',
};

/** A service that speaks the draft dialect as it should at times, and at others repeats every secret that it knows. */
export class EchoingService {
  readonly clientSecret: string;
  /** Everything that must not be seen, whoever made it. */
  readonly known: string[] = [];
  /** How many requests came, and the names of the answers. */
  readonly answers: string[] = [];
  /** What the person is told: allowed on the screen, and in no log. */
  readonly userCodes = new Secrets();
  /** While set, it does only what the draft dialect says. */
  honest = true;
  #tokens = 0;
  #deviceCode = '';

  constructor(
    readonly maker: SecretMaker,
    private readonly secrets: Secrets,
    /** How many hostile answers each operation has had, over all services: each gets all of them in turn. */
    private readonly turns: Map<string, number>,
  ) {
    this.clientSecret = this.secret('the client secret', maker.pick(['token', 'text', 'hex', 'code'] as const));
  }

  /** The `fetch` of a client whose requests all go here. */
  readonly fetch = (url: string, init: FetchInit): Promise<FetchResponse> => {
    const operation = operationOf(url, init);
    const honest = HONEST[operation] ?? DONE;
    const share = LEAD_NOWHERE.includes(operation) ? HONEST_SHARE_OF_THOSE : HONEST_SHARE;
    const isHonest = this.honest || this.maker.chance(share);
    const [name, reply] = isHonest ? (['honest', honest] as const) : this.#nextHostile(operation);
    this.answers.push(`${operation}: ${name}`);
    const answer = reply(this, url, init);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };

  /** Makes a secret that the client must keep to itself. */
  secret(name: string, alphabet: Parameters<SecretMaker['secret']>[0]): string {
    const made = this.secrets.add(name, this.maker.secret(alphabet));
    this.known.push(made);
    return made;
  }

  deviceCode(): Record<string, unknown> {
    this.#deviceCode = this.secret('a device code', this.maker.pick(['token', 'text', 'hex'] as const));
    return {
      code: this.#deviceCode,
      device_code: this.#deviceCode,
      user_code: this.userCodes.add('a user code', this.maker.secret('code')),
      verification_uri: 'https://service.example/activate',
      expires_in: 600,
      interval: 5,
    };
  }

  tokens(): Record<string, unknown> {
    this.#tokens += 1;
    const access = this.secret(`access token ${this.#tokens}`, this.maker.pick(['token', 'header', 'hex'] as const));
    const refresh = this.secret(`refresh token ${this.#tokens}`, this.maker.pick(['token', 'text', 'hex'] as const));
    const id_token = idToken({ ...ID_TOKEN, sub: 'ada' });
    return { access_token: access, token_type: 'bearer', expires_in: 3600, refresh_token: refresh, id_token };
  }

  /** A secret that it knows. */
  any(): string {
    return this.maker.pick(this.known);
  }

  #nextHostile(operation: string): readonly [name: string, reply: Reply] {
    const turn = this.turns.get(operation) ?? 0;
    this.turns.set(operation, turn + 1);
    const all = Object.entries(HOSTILE);
    return all[turn % all.length] ?? ['honest', DONE];
  }
}

const PENDING = { error: 'authorization_pending' };

const ID_TOKEN = { iss: BASE_URL, aud: 'editor', exp: Date.UTC(2100, 0) / 1000 };

const METADATA = metadataAt(BASE_URL);

/** A user of this name, in each dialect. */
function named(name: string): object {
  return { name, sub: 'ada', preferred_username: name };
}

function operationOf(address: string, { body, method }: FetchInit): string {
  const url = new URL(address);
  const grant = url.searchParams.get('grant_type') ?? new URLSearchParams(body ?? '').get('grant_type');
  const byPath = NAMES[url.pathname.split('/').at(-1) ?? ''] ?? (method === 'GET' ? 'account' : 'notification');
  return url.pathname.includes('/.well-known/') ? 'metadata' : (NAMES[grant ?? ''] ?? grant ?? byPath);
}

/** What the draft dialect says, by operation; `DONE` for all others. */
const HONEST: Readonly<Record<string, Reply>> = {
  device_code: (service) => json(200, service.deviceCode()),
  device_token: (service) => (service.maker.chance(1 / 3) ? json(400, PENDING) : json(200, service.tokens())),
  refresh_token: (service) => json(200, service.tokens()),
  account: () => json(200, named('Ada')),
  'user info': () => json(200, named('Ada')),
  metadata: () => json(200, METADATA),
};
const DONE: Reply = () => json(200, { status: 200 });

/** What a request sent that nobody may see. */
function sentIn({ clientSecret }: EchoingService, url: string, { body, headers }: FetchInit): readonly string[] {
  const form = new URLSearchParams(body ?? '');
  const { Authorization: authorization = '' } = headers;
  return [
    ...['client_secret', 'device_code', 'code', 'refresh_token', 'token', 'access_token'].flatMap((name) => [
      ...new URL(url).searchParams.getAll(name),
      ...form.getAll(name),
    ]),
    // HTTP Basic hides the client secret.
    ...(authorization.startsWith('Basic ') ? [clientSecret] : []),
    ...(authorization.startsWith('Bearer ') ? [authorization.slice('Bearer '.length)] : []),
    'nothing',
  ];
}

/** Answers that repeat secrets, each in another place. */
const HOSTILE: Readonly<Record<string, Reply>> = {
  'an error that was sent': (service, url, init) => {
    const error = service.maker.pick(sentIn(service, url, init));
    return json(400, { error, error_description: service.any() });
  },
  'an error with all secrets in its description': (service) =>
    json(400, { error: 'invalid_request', error_description: service.known.join(' ') }),
  'an unknown error of another kind': (service) => json(418, { error: { [service.any()]: service.any() } }),
  'an error in a success that was sent': (service, url, init) =>
    json(200, { error: service.maker.pick(sentIn(service, url, init)) }),
  'wrong fields named after secrets': (service) =>
    json(200, Object.fromEntries(service.known.map((one) => [one, one]))),
  'a user code within markup': (service) =>
    json(200, { ...service.deviceCode(), user_code: `[${service.any()}](x:y)` }),
  'tokens that can’t be used': (service) => json(200, { ...service.tokens(), access_token: `${service.any()}\n` }),
  'tokens of a kind that is a secret': (service) =>
    json(200, { ...service.tokens(), token_type: service.any(), expires_in: service.any() }),
  'tokens in a damaged object': (service) => new Response(`${JSON.stringify(service.tokens())}${service.any()}`),
  'metadata with secrets in every field': (service) =>
    json(200, {
      ...METADATA,
      token_endpoint: `https://other.example/${percent(service.any())}`,
      revocation_endpoint: `http://other.example/${percent(service.any())}`,
      scopes_supported: service.known,
      [service.any()]: service.any(),
    }),
  'metadata of an issuer that is a secret': (service) =>
    json(200, { ...METADATA, issuer: `${BASE_URL}/${service.any()}` }),
  'no access token': (service) => json(200, { ...service.tokens(), access_token: null }),
  'the query and the form of the request': (_service, url, { body }) =>
    new Response(url + String(body), { status: 502, headers: { 'X-Query': url } }),
  'the request in a broken object': (_service, url, init) => new Response(`{"${url} ${JSON.stringify(init)}`),
  'a redirect to the same query': (_service, url) => new Response('', { status: 307, headers: { Location: url } }),
  'an end of the session': () => json(400, { error: 'invalid_grant' }),
  'wrong credentials': (service) => json(400, { error: 'invalid_client', error_description: service.clientSecret }),
  'a network error with the query in every field': (_service, url) =>
    new FetchError(`request to ${url} failed`, 'system', { code: url, syscall: url, cause: url }),
  'a refused connection': (_service, url) =>
    new FetchError(`request to ${url} failed`, 'system', { code: 'ECONNREFUSED', syscall: 'connect' }),
  'an error of another kind with the request in it': (_service, url, init) =>
    Object.assign(new TypeError(url, { cause: { url, init } }), { input: url, init }),
  'a body that breaks with a secret in its error': (service, url) => ({
    status: 200,
    headers: { get: () => service.any() },
    body: (async function* () {
      yield await Promise.resolve(service.known.join('\n'));
      throw new Error(`Invalid response body while trying to fetch ${url}`);
    })(),
  }),
};

/** What requests are told apart by here. */
export const OPERATIONS = {
  draft: ['device_code', 'device_token', 'refresh_token', 'notification', 'account'],
  rfc8628: ['metadata', 'device_code', 'device_token', 'refresh_token', 'revocation', 'user info'],
} as const;

/** The names of all answers. */
export const ANSWERS: readonly string[] = ['honest', ...Object.keys(HOSTILE)];

function json(status: number, body: unknown): FetchResponse {
  return new Response(JSON.stringify(body), { status });
}
