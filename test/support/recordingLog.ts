import type { Log } from '../../src/log';

type Level = keyof Log;

/** A log that keeps what it is told. */
export class RecordingLog implements Log {
  readonly lines: { readonly level: Level; readonly message: string }[] = [];

  readonly error = this.#keep('error');
  readonly warn = this.#keep('warn');
  readonly info = this.#keep('info');
  readonly debug = this.#keep('debug');
  readonly trace = this.#keep('trace');

  /** The levels, in the order of the lines. */
  levels(): Level[] {
    return this.lines.map((line) => line.level);
  }

  /** All messages, one a line. */
  text(): string {
    return this.lines.map((line) => line.message).join('\n');
  }

  #keep(level: Level): (message: string) => void {
    return (message) => {
      this.lines.push({ level, message });
    };
  }
}
