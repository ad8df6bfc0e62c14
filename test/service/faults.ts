import { Waiters } from '../support/waiters';
import type { Operation } from './record';

/** Before the service processes a request, or after that and before it responds. */
export type Moment = 'before' | 'after';

/** What goes wrong with a request. */
export type Fault =
  /** Nothing more happens until the test releases the request. */
  | { readonly kind: 'hold'; readonly when: Moment }
  /** A pause, on the service's clock. */
  | { readonly kind: 'delay'; readonly when: Moment; readonly milliseconds: number }
  /** The connection ends without a response or in the middle of it; with `reset` by RST instead of FIN. */
  | { readonly kind: 'drop'; readonly when: Moment | 'mid-response'; readonly reset?: boolean }
  /** A response other than the service's own; with `process`, after the service has processed the request. */
  | {
      readonly kind: 'respond';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Buffer;
      readonly process?: boolean;
    }
  /** These bytes, whether they are HTTP or not, and then the end of the connection. */
  | { readonly kind: 'raw'; readonly bytes: string | Buffer; readonly process?: boolean }
  /** The service's own response, a few bytes at a time; with `endless`, followed by spaces for as long as anyone listens. */
  | {
      readonly kind: 'trickle';
      readonly bytes: number;
      readonly everyMilliseconds: number;
      readonly endless?: boolean;
    };

/** A fault that is switched on. */
export class ActiveFault {
  private met = 0;
  private held = 0;
  private released = false;
  private readonly waiters = new Waiters();

  constructor(
    readonly id: number,
    readonly operation: Operation,
    readonly fault: Fault,
    readonly times: number,
  ) {}

  /** How many requests it has affected. */
  get hits(): number {
    return this.met;
  }

  /** How many requests are waiting for `release`. */
  get waiting(): number {
    return this.held;
  }

  /** Whether it won't affect any further request. */
  get isSpent(): boolean {
    return this.met >= this.times;
  }

  /** Resolves when it has affected that many requests; for a `hold`, when that many are waiting. */
  reached(count = 1): Promise<void> {
    return this.waiters.until(() => (this.fault.kind === 'hold' ? this.held : this.met) >= count);
  }

  /** Lets all requests continue that are waiting now or later. */
  release(): void {
    this.released = true;
    this.waiters.check();
  }

  /** For the service: affects a request. */
  hit(): void {
    this.met += 1;
    this.waiters.check();
  }

  /** For the service: waits for `release`. */
  async hold(): Promise<void> {
    this.held += 1;
    this.waiters.check();
    await this.waiters.until(() => this.released);
    this.held -= 1;
  }
}

/** The faults that are switched on. Several for the same operation apply one after the other, the oldest first. */
export class Faults {
  private readonly all = new Map<number, ActiveFault>();
  private created = 0;

  /** Switches on a fault for the next `times` requests of an operation. */
  switchOn(operation: Operation, fault: Fault, times = 1): ActiveFault {
    this.created += 1;
    const active = new ActiveFault(this.created, operation, fault, times);
    this.all.set(active.id, active);
    return active;
  }

  /** The faults that haven't been switched off. */
  get list(): readonly ActiveFault[] {
    return [...this.all.values()];
  }

  /**
   * Switches off a fault and releases the requests that it holds.
   * @returns whether there was one with this ID
   */
  switchOff(id: number): boolean {
    this.all.get(id)?.release();
    return this.all.delete(id);
  }

  /** Switches off all faults. */
  clear(): void {
    for (const id of this.all.keys()) this.switchOff(id);
  }

  /** For the service: the fault that affects the next request of this operation. */
  take(operation: Operation): ActiveFault | undefined {
    const next = this.list.find((active) => active.operation === operation && !active.isSpent);
    next?.hit();
    return next;
  }
}
