import { Waiters } from './waiters';
import type { Operation } from './record';

/** What goes wrong with a request, before the service processes it, or after that and before it responds. */
export type Fault =
  /** A pause, on the service's clock. */
  | { readonly kind: 'delay'; readonly when: 'before' | 'after'; readonly milliseconds: number }
  /** The connection ends without a response. */
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' }
  /** A response other than the service's own, which doesn't process the request. */
  | {
      readonly kind: 'respond';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    };

/** A fault that is switched on. */
export class ActiveFault {
  /** How many requests it has affected. */
  hits = 0;
  private readonly waiters = new Waiters();

  constructor(
    readonly operation: Operation,
    readonly fault: Fault,
    readonly times: number,
  ) {}

  /** Resolves when it has affected that many requests. */
  reached(count = 1): Promise<void> {
    return this.waiters.until(() => this.hits >= count);
  }

  /** For the service: affects a request. */
  hit(): void {
    this.hits += 1;
    this.waiters.check();
  }
}

/** The faults that are switched on. Several for the same operation apply one after the other, the oldest first. */
export class Faults {
  private list: ActiveFault[] = [];

  /** Switches on a fault for the next `times` requests of an operation. */
  switchOn(operation: Operation, fault: Fault, times = 1): ActiveFault {
    const active = new ActiveFault(operation, fault, times);
    this.list.push(active);
    return active;
  }

  /** Switches off all faults. */
  clear(): void {
    this.list = [];
  }

  /** For the service: the fault that affects the next request of this operation. */
  take(operation: Operation): Fault | undefined {
    const next = this.list.find((active) => active.operation === operation && active.hits < active.times);
    next?.hit();
    return next?.fault;
  }
}
