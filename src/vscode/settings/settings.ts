import { type Event, EventEmitter } from '../../event';
import type { Log } from '../../log';
import { type Configuration, describeConfiguration } from './configuration';

/** The settings, for whoever only needs what they say now. */
export interface CurrentSettings {
  /** It doesn't change: whoever begins something with it may end it with the same. */
  readonly current: Configuration;
}

/** What the settings said before a change, and what they say now. */
export interface SettingsChange {
  readonly before: Configuration;
  readonly after: Configuration;
}

/** What the settings say: read and validated once, and again after each change. */
export class Settings implements CurrentSettings {
  readonly #changes = new EventEmitter<SettingsChange>();
  #current: Configuration;

  constructor(
    initial: Configuration,
    private readonly log: Log,
  ) {
    this.#current = initial;
  }

  get current(): Configuration {
    return this.#current;
  }

  /** A setting of the service may have another value. */
  get onDidChange(): Event<SettingsChange> {
    return this.#changes.event;
  }

  replace(after: Configuration): void {
    const before = this.#current;
    this.#current = after;
    this.log.info(`The configuration changed. ${describeConfiguration(after)}`);
    this.#changes.fire({ before, after });
  }
}
