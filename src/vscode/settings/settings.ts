import { type Event, EventEmitter } from '../../event';
import type { Log } from '../../log';
import type { Disposable } from '../editor/editor';
import type { SettingsSource } from '../editor/settingsSource';
import { type Configuration, describeConfiguration, readConfiguration } from './configuration';

/** Where the settings are set. */
export interface SettingsEditing {
  /** The settings as they are now, not validated. */
  settings(): SettingsSource;
  /** Calls back after each change. */
  onDidChangeSettings(listener: () => void): Disposable;
}

/** What the settings said before a change, and what they say now. */
export interface SettingsChange {
  readonly before: Configuration;
  readonly after: Configuration;
}

/** The settings: read and validated once, and again after each change. */
export class Settings {
  readonly #changes = new EventEmitter<SettingsChange>();
  readonly #subscription: Disposable;
  #current: Configuration;

  /** @param fallbackName what the service is called if nothing says it */
  constructor(source: SettingsEditing, fallbackName: string, log: Log) {
    const read = (): Configuration => readConfiguration(source.settings(), fallbackName);
    this.#current = read();
    this.#subscription = source.onDidChangeSettings(() => {
      const before = this.#current;
      this.#current = read();
      log.info(`The configuration changed. ${describeConfiguration(this.#current)}`);
      this.#changes.fire({ before, after: this.#current });
    });
  }

  /** What they say now. It doesn't change: whoever begins something with it may end it with the same. */
  get current(): Configuration {
    return this.#current;
  }

  /** A setting of the service may have another value. */
  get onDidChange(): Event<SettingsChange> {
    return this.#changes.event;
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
