import { asObject, type Fields, parseObject } from '../../fields';

/** JSON-RPC leaves this number to servers. */
const JSON_RPC_ERROR = -32_000;

/** A call of the protocol, which waits for its result. */
export class Call {
  readonly #id: unknown;
  #isWaiting: boolean;

  /** @param body of the request; if it's none of the protocol, or waits for no result, neither does this */
  constructor(body: string) {
    const { id, method } = parseObject(body) ?? {};
    this.#id = id;
    this.#isWaiting = method !== undefined && (typeof id === 'string' || typeof id === 'number');
  }

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
  errorWith(message: string): string {
    return JSON.stringify({ jsonrpc: '2.0', id: this.#id, error: { code: JSON_RPC_ERROR, message } });
  }
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
