import type { FastifyReply } from 'fastify';
import type { Clock } from '../../src/clock';
import { ApiError } from './errors';
import type { ActiveFault, Fault } from './faults';
import type { RequestResult } from './record';
import type { TokenName } from './tokenPairs';

/** A response of the API. */
export interface ApiResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly issued?: TokenName;
}

/** The headers of every response (specification 2). */
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** The response that tells the client of an error. */
export function errorResponse({ response: { status, error, description } }: ApiError): ApiResponse {
  return {
    status,
    body: { error, ...(description === undefined ? {} : { error_description: description }) },
    ...(status === 401 ? { headers: { 'www-authenticate': 'Bearer' } } : {}),
  };
}

/** Sends a response. */
export async function send(reply: FastifyReply, { status, headers, body }: ApiResponse): Promise<void> {
  await reply
    .code(status)
    .headers({ ...HEADERS, ...headers })
    .send(bytesOf(body));
}

/** Processes one request and responds to it, with or without a fault. */
export class Exchange {
  private response: ApiResponse | undefined;

  /**
   * @param processRequest changes the service's state and returns the response, synchronously
   * @param closing aborted when the service closes, which drops the requests that are still waiting
   */
  constructor(
    private readonly reply: FastifyReply,
    private readonly processRequest: () => ApiResponse,
    private readonly clock: Clock,
    private readonly closing: AbortSignal,
  ) {}

  /** Never rejects because of a fault or because the client has gone. */
  async run(active: ActiveFault | undefined): Promise<RequestResult> {
    const sent = await (active === undefined ? this.respond() : this.spoil(active.fault, active));
    return {
      outcome: sent === 'dropped' ? 'dropped' : 'sent',
      processed: this.response !== undefined,
      status: typeof sent === 'number' ? sent : undefined,
      error: this.response?.body['error'] as string | undefined,
      issued: this.response?.issued,
      fault: active?.fault.kind,
    };
  }

  /** @returns the status that was sent, if any */
  private async spoil(fault: Fault, active: ActiveFault): Promise<number | 'raw' | 'dropped'> {
    if ('when' in fault ? fault.when === 'after' : fault.kind !== 'trickle' && fault.process === true) this.process();
    switch (fault.kind) {
      case 'hold':
      case 'delay':
        await (fault.kind === 'hold' ? active.hold() : this.sleep(fault.milliseconds));
        return this.closing.aborted ? this.drop(false) : this.respond();
      case 'drop':
        if (fault.when === 'mid-response') {
          const body = this.startResponse(true);
          await this.write(body.subarray(0, body.length / 2));
        }
        return this.drop(fault.reset === true);
      case 'respond':
        await this.reply
          .code(fault.status)
          .headers({ ...HEADERS, ...fault.headers })
          .send(Buffer.from(fault.body ?? ''));
        return fault.status;
      case 'raw':
        this.reply.hijack();
        this.reply.raw.socket?.end(fault.bytes);
        return 'raw';
      case 'trickle':
        return this.trickle(fault.bytes, fault.everyMilliseconds, fault.endless === true);
    }
  }

  /** Processes the request, at most once. */
  private process(): ApiResponse {
    try {
      this.response ??= this.processRequest();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.response = errorResponse(error);
    }
    return this.response;
  }

  private async respond(): Promise<number> {
    const response = this.process();
    await send(this.reply, response);
    return response.status;
  }

  private drop(reset: boolean): 'dropped' {
    this.reply.hijack();
    const { socket } = this.reply.raw;
    if (reset) socket?.resetAndDestroy();
    else socket?.destroy();
    return 'dropped';
  }

  private async trickle(bytes: number, pause: number, endless: boolean): Promise<number> {
    const body = this.startResponse(!endless);
    await this.write(body.subarray(0, bytes));
    for (let at = bytes; (endless || at < body.length) && !this.isOver(); at += bytes) {
      await this.sleep(pause);
      await this.write(at < body.length ? body.subarray(at, at + bytes) : Buffer.alloc(bytes, ' '));
    }
    this.reply.raw.end();
    return this.process().status;
  }

  private startResponse(withLength: boolean): Buffer {
    const { status, headers, body } = this.process();
    const bytes = bytesOf(body);
    this.reply.hijack();
    const length = withLength ? { 'content-length': bytes.length } : {};
    this.reply.raw.writeHead(status, { ...HEADERS, ...headers, ...length });
    return bytes;
  }

  private isOver(): boolean {
    return this.closing.aborted || this.reply.raw.destroyed;
  }

  /** Resolves when the bytes are sent, or when nobody is left to read them. */
  private write(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.reply.raw.write(bytes, () => {
        resolve();
      });
    });
  }

  /** Returns early, without an error, if the service closes. */
  private async sleep(milliseconds: number): Promise<void> {
    try {
      await this.clock.sleep(milliseconds, this.closing);
    } catch (error) {
      if (!this.closing.aborted) throw error;
    }
  }
}

function bytesOf(body: ApiResponse['body']): Buffer {
  return Buffer.from(JSON.stringify(body));
}
