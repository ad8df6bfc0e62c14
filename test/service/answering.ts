import type { FastifyReply } from 'fastify';
import type { Clock } from '../../src/clock';
import type { Answer } from './authorizationServer';
import { Refusal } from './errors';
import type { SwitchedFault } from './faults';
import type { Ending } from './record';

const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** The error answer to a refusal. */
export function refused({ row }: Refusal): Answer {
  const { status, error, description } = row;
  return {
    status,
    body: { error, ...(description === undefined ? {} : { error_description: description }) },
    ...(status === 401 ? { headers: { 'www-authenticate': 'Bearer' } } : {}),
  };
}

/** Sends an answer as section 2 of the specification wants all of them. */
export async function send(reply: FastifyReply, answer: Answer): Promise<void> {
  await reply
    .code(answer.status)
    .headers({ ...jsonHeaders, ...answer.headers })
    .send(bytesOf(answer));
}

/** Carries one request out, answers it, and lets a fault spoil either. */
export class Answering {
  private answer: Answer | undefined;

  /**
   * @param carryOut changes the service's state and comes to an answer, in one step
   * @param closing aborted when the service closes: what still waits is dropped
   */
  constructor(
    private readonly reply: FastifyReply,
    private readonly carryOut: () => Answer,
    private readonly clock: Clock,
    private readonly closing: AbortSignal,
  ) {}

  /** Never rejects because of a fault or a client that went away. */
  async run(switched: SwitchedFault | undefined): Promise<Ending> {
    const sent = await this.answerWith(switched);
    return {
      outcome: sent === 'dropped' ? 'dropped' : 'answered',
      carriedOut: this.answer !== undefined,
      status: typeof sent === 'number' ? sent : undefined,
      error: this.answer?.body['error'] as string | undefined,
      issued: this.answer?.issued,
      fault: switched?.fault.kind,
    };
  }

  /** @returns the status that was sent, if any. */
  private async answerWith(switched: SwitchedFault | undefined): Promise<number | 'bytes' | 'dropped'> {
    if (switched === undefined) return this.sendOwn();
    const { fault } = switched;
    switch (fault.kind) {
      case 'hold':
      case 'delay':
        if (fault.when === 'after') this.comeToAnswer();
        await (fault.kind === 'hold' ? switched.hold() : this.sleep(fault.milliseconds));
        return this.closing.aborted ? this.drop(false) : this.sendOwn();
      case 'drop':
        if (fault.when === 'within the answer') return this.sendHalf(fault.reset === true);
        if (fault.when === 'after') this.comeToAnswer();
        return this.drop(fault.reset === true);
      case 'answer':
        if (fault.carryOut === true) this.comeToAnswer();
        await this.reply
          .code(fault.status)
          .headers({ ...jsonHeaders, ...fault.headers })
          .send(Buffer.from(fault.body ?? ''));
        return fault.status;
      case 'raw':
        if (fault.carryOut === true) this.comeToAnswer();
        this.reply.hijack();
        this.reply.raw.socket?.end(fault.bytes);
        return 'bytes';
      case 'trickle':
        return this.trickle(fault.bytes, fault.everyMilliseconds, fault.endless === true);
    }
  }

  private comeToAnswer(): Answer {
    this.answer ??= this.attempt();
    return this.answer;
  }

  private attempt(): Answer {
    try {
      return this.carryOut();
    } catch (error) {
      if (error instanceof Refusal) return refused(error);
      throw error;
    }
  }

  private async sendOwn(): Promise<number> {
    const answer = this.comeToAnswer();
    await send(this.reply, answer);
    return answer.status;
  }

  private drop(reset: boolean): 'dropped' {
    this.reply.hijack();
    const { socket } = this.reply.raw;
    if (reset) socket?.resetAndDestroy();
    else socket?.destroy();
    return 'dropped';
  }

  private async sendHalf(reset: boolean): Promise<'dropped'> {
    const body = this.startAnswer(true);
    await this.write(body.subarray(0, body.length / 2));
    return this.drop(reset);
  }

  private async trickle(bytes: number, pause: number, endless: boolean): Promise<number> {
    const body = this.startAnswer(!endless);
    await this.write(body.subarray(0, bytes));
    for (let at = bytes; (endless || at < body.length) && !this.isOver(); at += bytes) {
      await this.sleep(pause);
      await this.write(at < body.length ? body.subarray(at, at + bytes) : Buffer.alloc(bytes, ' '));
    }
    this.reply.raw.end();
    return this.comeToAnswer().status;
  }

  private startAnswer(withLength: boolean): Buffer {
    const answer = this.comeToAnswer();
    const body = bytesOf(answer);
    this.reply.hijack();
    const length = withLength ? { 'content-length': body.length } : {};
    this.reply.raw.writeHead(answer.status, { ...jsonHeaders, ...answer.headers, ...length });
    return body;
  }

  private isOver(): boolean {
    return this.closing.aborted || this.reply.raw.destroyed;
  }

  /** Resolves when the bytes are on their way, or when nobody is there any more to read them. */
  private write(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.reply.raw.write(bytes, () => {
        resolve();
      });
    });
  }

  /** Wakes early, without an error, where the service closes. */
  private async sleep(milliseconds: number): Promise<void> {
    try {
      await this.clock.sleep(milliseconds, this.closing);
    } catch (error) {
      if (!this.closing.aborted) throw error;
    }
  }
}

function bytesOf(answer: Answer): Buffer {
  return Buffer.from(JSON.stringify(answer.body));
}
