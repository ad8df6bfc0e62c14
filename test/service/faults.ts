import type { Operation } from './record';

/** Whether something happens before the service carries a request out, or after that and before the answer. */
export type Moment = 'before' | 'after';

/** What goes wrong with a request. */
export type Fault =
  /** Nothing more happens until the test releases it: never, for a service that hangs. */
  | { readonly kind: 'hold'; readonly when: Moment }
  /** A pause by the service's clock. */
  | { readonly kind: 'delay'; readonly when: Moment; readonly milliseconds: number }
  /** The connection ends without an answer, or in the middle of one; `reset` sends RST instead of FIN. */
  | { readonly kind: 'drop'; readonly when: Moment | 'within the answer'; readonly reset?: boolean }
  /** Another answer than the service's own; with `carryOut`, after the service has carried the request out. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Buffer;
      readonly carryOut?: boolean;
    }
  /** These bytes on the connection, which then ends, whether they are HTTP or not. */
  | { readonly kind: 'raw'; readonly bytes: string | Buffer; readonly carryOut?: boolean }
  /** The service's own answer, a few bytes at a time; with `endless`, blanks follow for as long as someone listens. */
  | {
      readonly kind: 'trickle';
      readonly bytes: number;
      readonly everyMilliseconds: number;
      readonly endless?: boolean;
    };

/** A fault that was switched on. */
export class SwitchedFault {
  private taken = 0;
  private held = 0;
  private released = false;
  private readonly watchers = new Set<() => void>();

  constructor(
    readonly id: number,
    readonly operation: Operation,
    readonly fault: Fault,
    readonly times: number,
  ) {}

  /** How many requests it has met. */
  get hits(): number {
    return this.taken;
  }

  /** How many requests are waiting for `release`. */
  get waiting(): number {
    return this.held;
  }

  /** Whether it will meet no further request. */
  get isSpent(): boolean {
    return this.taken >= this.times;
  }

  /** Resolves once it has met that many requests; of a `hold`, once that many are waiting. */
  reached(count = 1): Promise<void> {
    return this.until(() => (this.fault.kind === 'hold' ? this.held : this.taken) >= count);
  }

  /** Lets the requests go on that wait, and those that will. */
  release(): void {
    this.released = true;
    this.look();
  }

  /** For the service: a request meets this fault. */
  meet(): void {
    this.taken += 1;
    this.look();
  }

  /** For the service: waits for `release`. */
  async hold(): Promise<void> {
    this.held += 1;
    this.look();
    await this.until(() => this.released);
    this.held -= 1;
  }

  private until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!condition()) return;
        this.watchers.delete(look);
        resolve();
      };
      this.watchers.add(look);
      look();
    });
  }

  private look(): void {
    for (const watcher of this.watchers) watcher();
  }
}

/** The faults that are switched on. Of several for one operation, the oldest that is not spent is next. */
export class Faults {
  private readonly all = new Map<number, SwitchedFault>();
  private made = 0;

  /** Switches a fault on for the next `times` requests of an operation. */
  switchOn(operation: Operation, fault: Fault, times = 1): SwitchedFault {
    this.made += 1;
    const switched = new SwitchedFault(this.made, operation, fault, times);
    this.all.set(switched.id, switched);
    return switched;
  }

  /** The faults that were switched on and not off. */
  get list(): readonly SwitchedFault[] {
    return [...this.all.values()];
  }

  /**
   * Switches a fault off and releases the requests that wait for it.
   * @returns whether there was one with that number.
   */
  switchOff(id: number): boolean {
    this.all.get(id)?.release();
    return this.all.delete(id);
  }

  /** Switches all of them off. */
  clear(): void {
    for (const id of this.all.keys()) this.switchOff(id);
  }

  /** For the service: the fault that the next request of this operation meets. */
  take(operation: Operation): SwitchedFault | undefined {
    const next = this.list.find((switched) => switched.operation === operation && !switched.isSpent);
    next?.meet();
    return next;
  }
}
