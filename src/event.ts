/** What's shaped like VS Code's own disposables. Disposing of a subscription ends it. */
export interface Disposable {
  dispose(): unknown;
}

/** Something that happens in a part. Whoever wants to know subscribes, as to the events of VS Code's API. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Fires an event. The part that owns it shows others only `event`. */
export class EventEmitter<T> {
  readonly #subscriptions = new Map<Disposable, (value: T) => void>();

  readonly event: Event<T> = (listener) => {
    const subscription: Disposable = { dispose: () => void this.#subscriptions.delete(subscription) };
    this.#subscriptions.set(subscription, listener);
    return subscription;
  };

  /** Tells all who have subscribed by now, in their order. A listener must not throw: it would stop what has just happened. */
  fire(value: T): void {
    for (const listener of [...this.#subscriptions.values()]) {
      listener(value);
    }
  }
}
