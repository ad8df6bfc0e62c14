import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as send,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fetch } from '../../../../src/oauth/fetch';
import { Bridge, type BridgedServer } from '../../../../src/vscode/mcp/bridge';
import type { ForwardTarget } from '../../../../src/vscode/mcp/forwarder';
import { createTexts } from '../../../../src/vscode/texts/texts';
import type { TokenSource } from '../../../../src/vscode/requests/tokenSender';
import { FakeClock } from '../../../support/fakeClock';
import { RecordingLog } from '../../../support/recordingLog';
import { english } from '../english';

/** What a server does with a request whose body it has read. */
export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A request as a server received it. */
export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that keeps what it receives, and is told what to respond. */
export class RecordingServer {
  readonly received: Received[] = [];
  readonly #server = createServer((request, response) => {
    void text(request).then(
      (body) => {
        const { method, url, headers } = request;
        this.received.push({ method, url, headers, body });
        this.handler(request, response, body);
      },
      () => undefined,
    );
  });

  constructor(public handler: Handler = (_request, response) => response.end()) {}

  async start(): Promise<this> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp?tenant=1`;
  }

  /** The tokens that arrived, one after the other. */
  get tokens(): readonly (string | undefined)[] {
    return this.received.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** A response with its whole body. */
export interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A bridge to a server, and VS Code's requests to it. */
export class BridgeBench {
  readonly log = new RecordingLog();
  readonly clock = new FakeClock();
  readonly bridge = new Bridge(this.clock, fetch, this.log, randomBytes, createTexts(english, 'en'));
  readonly server = new RecordingServer();
  /** The tokens for which the bridge wanted another one, refreshed if necessary. */
  readonly refreshed: string[] = [];
  /** How often the server was said to reject the session. */
  rejections = 0;
  /** The scopes that the session has; `undefined` if its service has none. */
  scopes: readonly string[] | undefined = ['read'];
  /** The scopes that it was said to lack. */
  readonly missing: (readonly string[])[] = [];
  /** The tokens that the session has, one after the other: a refreshed token is replaced by the next. */
  tokens = ['token-1', 'token-2', 'token-3'];
  /** Whether servers may not know them yet. */
  areNew = false;
  /** What the bridge is given of the session. */
  source: TokenSource = {
    current: () => Promise.resolve(this.tokens[0] ?? ''),
    isNew: () => Promise.resolve(this.areNew),
    replace: (token, mayRefresh) => {
      if (mayRefresh) this.refreshed.push(token);
      if (mayRefresh && this.tokens[0] === token) this.tokens.shift();
      return Promise.resolve(this.tokens[0]);
    },
  };

  /** What the bridge is given for the server. */
  get target(): ForwardTarget {
    return {
      label: 'Tools',
      url: this.server.url,
      headers: { 'x-fixed': 'yes' },
      tokens: this.source,
      onRejected: () => {
        this.rejections += 1;
      },
      missingScopes: (needed) =>
        Promise.resolve(needed.filter((scope) => this.scopes !== undefined && !this.scopes.includes(scope))),
      onScopesMissing: (scopes) => {
        this.missing.push(scopes);
        return `Needs ${scopes.join(' ')}.`;
      },
    };
  }

  stop(): void {
    this.bridge.close();
    this.server.stop();
  }
}

/** Sends a request as it is, and resolves with the response when its head has come. */
export async function request(
  { url, headers }: Pick<BridgedServer, 'url' | 'headers'>,
  { body = '', ...options }: RequestOptions & { readonly body?: string } = {},
): Promise<IncomingMessage> {
  const sent = send(url, { method: 'POST', ...options, headers: { ...headers, ...(options.headers as object) } });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** Sends a request as it is, and resolves with the response when its body has come. */
export async function ask(...given: Parameters<typeof request>): Promise<Answer> {
  const response = await request(...given);
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}
