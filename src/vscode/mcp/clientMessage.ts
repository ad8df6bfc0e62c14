import { asObject, type Fields, parseObject } from '../../fields';

/** JSON-RPC leaves this number to servers. */
const JSON_RPC_ERROR = -32_000;

/** What VS Code sends: a call, which waits for its result, a notification or a response, which don't, or nothing of the protocol. */
export class ClientMessage {
  /** Whether it's a message of the protocol at all. */
  readonly isOfProtocol: boolean;
  /** Whether it subscribes to notifications. They come in the response, which has a result only if the server ends it. */
  readonly isSubscription: boolean;
  readonly #id: unknown;
  #isWaiting: boolean;

  /** @param body of the request; if it's none of the protocol, or waits for no result, neither does this */
  constructor(body: string) {
    const message = parseObject(body);
    const { id, method } = message ?? {};
    this.isOfProtocol = message !== undefined;
    this.isSubscription = method === 'subscriptions/listen';
    this.#id = id;
    this.#isWaiting = method !== undefined && (typeof id === 'string' || typeof id === 'number');
  }

  /** Whether it still waits for its result. Of a property, TypeScript would think that `receive` doesn't change it. */
  isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** The server sent this, which may be the result, or have it among others. */
  receive(message: string): void {
    if (this.#isWaiting) {
      this.#isWaiting = !messagesIn(message).some(({ id, method }) => id === this.#id && method === undefined);
    }
  }

  /** The error that the call gets as its result. */
  errorWith(message: string, { code, data }: Fields = {}): string {
    const error = { code: Number.isInteger(code) ? code : JSON_RPC_ERROR, message, data };
    return JSON.stringify({ jsonrpc: '2.0', id: this.#id, error });
  }
}

/** The error of the protocol in this text that's meant for no call: its server couldn't, or didn't, read which one it was. */
export function unaddressedError(json: string): Fields | undefined {
  const { error, id = null, jsonrpc } = parseObject(json) ?? {};
  return jsonrpc === '2.0' && id === null ? asObject(error) : undefined;
}

function messagesIn(json: string): readonly Fields[] {
  try {
    const parsed: unknown = JSON.parse(json);
    const messages: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
    return messages.map(asObject).filter((message) => message !== undefined);
  } catch {
    return [];
  }
}
