import { FetchError, Response } from 'node-fetch';
import type { FetchInit, FetchResponse } from '../../../src/oauth/fetch';
import { type SecretMaker, Secrets } from './forms';

/** What a service says to one request; it knows all that it was told and all that it told. */
type Reply = (service: EchoingService, url: string, init: FetchInit) => FetchResponse | Error;

/** This share of the answers is honest, so that the flow gets on; the others repeat what they know wherever they can. */
const HONEST_SHARE = 0.6;

/** A service that does what the specification says at times, and at others repeats every secret that it knows. */
export class EchoingService {
  readonly clientSecret: string;
  /** Everything that must not be seen, whoever made it. */
  readonly known: string[] = [];
  /** How many requests came, and the names of the answers. */
  readonly answers: string[] = [];
  /** What the person is told: allowed on the screen, and in no log. */
  readonly userCodes = new Secrets();
  /** While set, it does only what the specification says. */
  honest = true;
  #tokens = 0;
  #operation = '';
  #inUse: readonly string[] = [];
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
    const parameters = new URL(url).searchParams;
    const operation = parameters.get('grant_type') ?? (init.method === 'GET' ? 'account' : 'notification');
    const honest = this.#honest(operation);
    const isHonest = this.honest || this.maker.chance(HONEST_SHARE);
    const [name, reply] = isHonest ? (['honest', honest] as const) : this.#nextHostile(operation);
    this.answers.push(`${operation}: ${name}`);
    this.#operation = operation;
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
    if (this.#operation === 'device_token' || this.#operation === 'refresh_token') this.#inUse = [access, refresh];
    return { access_token: access, token_type: 'bearer', expires_in: 3600, refresh_token: refresh };
  }

  /** A secret that it knows. */
  any(): string {
    return this.maker.pick(this.known);
  }

  /** A secret that the client holds just now: older ones it no longer knows, and others it was never given as tokens. */
  anyInUse(): string {
    return this.maker.pick([this.clientSecret, ...this.#inUse]);
  }

  #nextHostile(operation: string): readonly [name: string, reply: Reply] {
    const turn = this.turns.get(operation) ?? 0;
    this.turns.set(operation, turn + 1);
    const all = Object.entries(HOSTILE);
    return all[turn % all.length] ?? ['honest', this.#honest(operation)];
  }

  #honest(operation: string): Reply {
    switch (operation) {
      case 'device_code':
        return (service) => json(200, service.deviceCode());
      case 'device_token':
        return (service) => (service.maker.chance(1 / 3) ? json(400, PENDING) : json(200, service.tokens()));
      case 'refresh_token':
        return (service) => json(200, service.tokens());
      case 'account':
        return () => json(200, { name: 'Ada' });
      default:
        return () => json(200, { status: 200 });
    }
  }
}

const PENDING = { error: 'authorization_pending' };

/** Answers that repeat secrets, each in another place. */
const HOSTILE: Readonly<Record<string, Reply>> = {
  'an error that is a secret': (service) => json(400, { error: service.any(), error_description: service.any() }),
  'an error with a secret in it': (service) => json(400, { error: `invalid_${service.any()}` }),
  'an error that is half of what was sent': (service, url, init) => {
    const sent = [...new URL(url).searchParams.values(), ...Object.values(init.headers)];
    const secret = service.maker.pick(service.known.filter((one) => sent.some((value) => value.includes(one))));
    return json(401, { error: secret.slice(0, 14) });
  },
  'an error with all secrets in its description': (service) =>
    json(400, { error: 'invalid_request', error_description: service.known.join(' ') }),
  'an unknown error of another kind': (service) => json(418, { error: { [service.any()]: service.any() } }),
  'an error in a success': (service) => json(200, { error: service.any() }),
  'wrong fields named after secrets': (service) =>
    json(200, Object.fromEntries(service.known.map((one) => [one, one]))),
  'a page for the person that repeats the client secret': (service) =>
    json(200, { ...service.deviceCode(), verification_uri: `https://s.example/?${percent(service.clientSecret)}` }),
  'a user code that is the client secret': (service) =>
    json(200, { ...service.deviceCode(), user_code: service.clientSecret }),
  'a user code within markup': (service) =>
    json(200, { ...service.deviceCode(), user_code: `[${service.any()}](x:y)` }),
  'tokens that can’t be used': (service) => json(200, { ...service.tokens(), access_token: `${service.any()}\n` }),
  'tokens of a kind that is a secret': (service) =>
    json(200, { ...service.tokens(), token_type: service.any(), expires_in: service.any() }),
  'tokens in a damaged object': (service) =>
    new Response(`{"note":"\n",${JSON.stringify(service.tokens()).slice(1)}${service.any()}`),
  'no access token': (service) => json(200, { ...service.tokens(), access_token: null }),
  'the query of the request': (_service, url) => new Response(url, { status: 502, headers: { 'X-Query': url } }),
  'the request in a broken object': (_service, url, init) => new Response(`{"${url} ${JSON.stringify(init)}`),
  'a redirect to the same query': (_service, url) => new Response('', { status: 307, headers: { Location: url } }),
  'a name that is a secret': (service) => json(200, { name: service.anyInUse() }),
  'a name with a secret in it': (service) => json(200, { name: `Ada ${service.anyInUse()}` }),
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
export const OPERATIONS: readonly string[] = [
  'device_code',
  'device_token',
  'refresh_token',
  'notification',
  'account',
];

/** The names of all answers. */
export const ANSWERS: readonly string[] = ['honest', ...Object.keys(HOSTILE)];

function json(status: number, body: unknown): FetchResponse {
  return new Response(JSON.stringify(body), { status });
}

/** Percent encoding of everything that is no letter and no digit. */
function percent(text: string): string {
  return Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
