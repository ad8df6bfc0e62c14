import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as sendRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { installHost } from '../../host/install';
import { NEWEST } from '../../host/versions';
import type { ProviderSettings } from './provider';

/** The package doesn't run on what's older. */
const OLDEST_NODE = 22;
/** How a peer behaves. */
export interface PeerOptions {
  readonly clientSecret?: string;
  /** The clock by which polls come too soon. Milliseconds. */
  readonly now?: () => number;
}

/** A request that the peer responded to, other than those of a person's browser. */
export interface PeerRequest {
  readonly kind: 'metadata' | 'device code' | 'poll' | 'refresh' | 'revocation' | 'user info';
  readonly form: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
  readonly at: number;
  readonly status: number;
  /** The fields of the response, if it's a JSON object. */
  readonly fields: Readonly<Record<string, unknown>>;
}

interface PeerResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * A standard service that others have written and certified. Before it stands a layer that adds the polling
 * interval, which it lacks, and that can lose responses.
 */
export class Peer {
  readonly clientSecret: string;
  readonly issuer: string;
  readonly requests: PeerRequest[] = [];
  /** The interval that it announces, in seconds. */
  readonly interval = 1;
  /** How many further refreshes are carried out, and their responses lost. */
  lostRefreshes = 0;
  /** How many polls came too soon. */
  earlyPolls = 0;
  readonly #now: () => number;
  /** When the last response about each device code was sent. */
  readonly #respondedAt = new Map<string, number>();
  #provider: ChildProcess | undefined;
  #providerPort = 0;

  private constructor(
    private readonly server: Server,
    { clientSecret = 'not a real secret: 50% + more', now = () => performance.now() }: PeerOptions,
  ) {
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.clientSecret = clientSecret;
    this.#now = now;
    server.on('request', (request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  /** Starts it. The provider runs on this process's Node.js if that's new enough, otherwise on the newest VS Code's. */
  static async start(options: PeerOptions = {}): Promise<Peer> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const peer = new Peer(server, options);
    const isNew = Number(process.versions.node.split('.')[0]) >= OLDEST_NODE;
    const settings: ProviderSettings = { issuer: peer.issuer, clientSecret: peer.clientSecret };
    const provider = fork(path.join(__dirname, 'provider.js'), [JSON.stringify(settings)], {
      execPath: isNew ? process.execPath : (await installHost(NEWEST)).node,
      execArgv: [],
      // Inside a desktop VS Code, the executable is the editor's.
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      // It warns that it's set up for development.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    peer.#provider = provider;
    const [port] = (await Promise.race([once(provider, 'message'), once(provider, 'exit')])) as [number];
    peer.#providerPort = port;
    return peer;
  }

  /** The requests of a kind, oldest first. */
  of(kind: PeerRequest['kind']): readonly PeerRequest[] {
    return this.requests.filter((request) => request.kind === kind);
  }

  /** The last token of a kind that it issued. */
  lastToken(kind: 'access_token' | 'refresh_token'): string {
    const tokens = this.requests.map(({ fields }) => fields[kind]).filter((token) => typeof token === 'string');
    return tokens.at(-1) ?? '';
  }

  /** What it says of an access token: its user, or nothing if it doesn't accept it. */
  async userOf(accessToken: string): Promise<unknown> {
    const response = await fetch(`${this.issuer}/me`, { headers: { Authorization: `Bearer ${accessToken}` } });
    return response.status === 200 ? ((await response.json()) as { sub: unknown }).sub : undefined;
  }

  async stop(): Promise<void> {
    const { server } = this;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    if (this.#provider?.exitCode === null) {
      const ended = once(this.#provider, 'exit');
      this.#provider.kill();
      await ended;
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const form = Object.fromEntries(new URLSearchParams(body));
    const kind = kindOf(request.url ?? '', form['grant_type']);
    if (kind === 'poll') this.#countIfEarly(form['device_code']);
    const provided = await this.#forward(request, body);
    const { status, headers, body: content } = kind === 'device code' ? this.#withInterval(provided) : provided;
    if (kind !== undefined) {
      const fields = fieldsOf(content);
      const { authorization } = request.headers;
      this.requests.push({ kind, form, authorization, at: this.#now(), status, fields });
    }
    const code = kind === 'device code' ? fieldsOf(content)['device_code'] : form['device_code'];
    if (typeof code === 'string') this.#respondedAt.set(code, this.#now());
    if (kind === 'refresh' && this.lostRefreshes > 0) {
      this.lostRefreshes--;
      response.destroy();
      return;
    }
    response.writeHead(status, headers).end(content);
  }

  #countIfEarly(deviceCode = ''): void {
    const respondedAt = this.#respondedAt.get(deviceCode) ?? Number.NEGATIVE_INFINITY;
    if (this.#now() - respondedAt < this.interval * 1000) this.earlyPolls++;
  }

  #withInterval({ body, status }: PeerResponse): PeerResponse {
    const headers = { 'content-type': 'application/json' };
    return { status, headers, body: JSON.stringify({ ...fieldsOf(body), interval: this.interval }) };
  }

  async #forward({ method, url, headers }: IncomingMessage, body: string): Promise<PeerResponse> {
    // The sample extension's name for the page that says who a token belongs to.
    const path = url === '/api/whoami' ? '/me' : url;
    // The header that names the host stays, because the provider makes addresses of it.
    const sent = sendRequest({ host: '127.0.0.1', port: this.#providerPort, method, path, headers }).end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
  }
}

/** What requests are for, by their path; a person's browser sends others. */
const KINDS: Readonly<Record<string, PeerRequest['kind']>> = {
  '/device/auth': 'device code',
  '/token': 'poll',
  '/token/revocation': 'revocation',
  '/me': 'user info',
};

function kindOf(url: string, grantType: string | undefined): PeerRequest['kind'] | undefined {
  if (url.startsWith('/.well-known/')) return 'metadata';
  return grantType === 'refresh_token' ? 'refresh' : KINDS[url];
}

function fieldsOf(body: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(body) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
