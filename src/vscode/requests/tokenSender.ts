import type { Clock } from '../../clock';

/** How long a token that a server wanted isn't refreshed again because that server rejects it, in milliseconds. */
const BETWEEN_REFRESHES = 60_000;
/** How long a server that rejects a new token is given to learn of it, in milliseconds. */
const TO_LEARN_OF_TOKEN = 1_000;

/** The tokens of a session that requests to a server carry. */
export interface TokenSource {
  /** The token that's current now. */
  current(): Promise<string>;
  /** Whether a token is so new that servers may not know it yet. */
  isNew(accessToken: string): Promise<boolean>;
  /**
   * The token to send instead of one that the server rejected; `undefined` if there's none.
   * @param mayRefresh whether a current token may be refreshed for that, or only one may be used that's there by now
   */
  replace(rejected: string, mayRefresh: boolean): Promise<string | undefined>;
}

/** A request to a server. */
interface RequestWithToken<R> {
  /** What tells the server from others, and if requests to it carry the tokens of several sessions, these from each other. */
  readonly server: string;
  readonly tokens: TokenSource;
  /** Sends the request with a token. */
  readonly send: (accessToken: string) => Promise<R>;
  /** Gets a response that isn't needed, because the request is sent once more. */
  readonly discard: (response: R) => unknown;
  /** Whether the request can be sent once more. If not, only the next one carries the next token. */
  readonly isRepeatable: boolean;
}

/**
 * Sends requests with current tokens, and once more with the next one after a 401. That status says something about the server
 * that responds with it, not about the session, which others use too: a server that rejects a new token may not know it yet, and gets
 * it once more a second later; one that also rejects the next token gets no further refresh until it has accepted a token; and one
 * that accepts a token and soon rejects it gets one a minute.
 */
export class TokenSender {
  readonly #rejecting = new Set<string>();
  /** The last token that each server got because it had rejected the one before, and when it got that. */
  readonly #replacements = new Map<string, { readonly token: string; readonly at: number }>();

  constructor(private readonly clock: Clock) {}

  /**
   * Sends a request to a server.
   * @returns the response; its status is 401 if there's no other token, the server rejects that too, or it isn't sent once more
   */
  async send<R extends { readonly status: number }>(request: RequestWithToken<R>): Promise<R> {
    const { discard, isRepeatable, server, tokens } = request;
    const token = await tokens.current();
    const first = await this.#sendPatiently(request, token);
    if (first.status !== 401 || (!isRepeatable && (await tokens.isNew(token)))) {
      this.#noteAccepted(server, first);
      return first;
    }
    const next = await tokens.replace(token, this.#mayRefresh(server, token));
    // The server would reject the same token again.
    if (next === undefined || next === token) {
      return first;
    }
    this.#replacements.set(server, { token: next, at: this.clock.monotonic() });
    if (!isRepeatable) {
      return first;
    }
    await discard(first);
    const second = await this.#sendPatiently(request, next);
    if (second.status === 401) {
      this.#rejecting.add(server);
    } else {
      this.#noteAccepted(server, second);
    }
    return second;
  }

  /** Sends a request with a token, and once more if that's new and the server rejects it. */
  async #sendPatiently<R extends { readonly status: number }>(
    { discard, isRepeatable, send, tokens }: RequestWithToken<R>,
    token: string,
  ): Promise<R> {
    const response = await send(token);
    if (response.status !== 401 || !isRepeatable || !(await tokens.isNew(token))) {
      return response;
    }
    await discard(response);
    await this.clock.sleep(TO_LEARN_OF_TOKEN);
    return await send(token);
  }

  #mayRefresh(server: string, rejected: string): boolean {
    const last = this.#replacements.get(server);
    const isNew = last?.token === rejected && this.clock.monotonic() - last.at < BETWEEN_REFRESHES;
    return !isNew && !this.#rejecting.has(server);
  }

  /** A server may refuse for other reasons before it looks at the token. */
  #noteAccepted(server: string, { status }: { readonly status: number }): void {
    if (status < 400) {
      this.#rejecting.delete(server);
    }
  }
}
