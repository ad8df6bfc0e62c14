import type { Log } from '../../src/log';

type Level = keyof Log;

/** A log that keeps what it is told. */
export class RecordingLog implements Log {
  readonly lines: { readonly level: Level; readonly message: string }[] = [];

  error(message: string): void {
    this.lines.push({ level: 'error', message });
  }

  warn(message: string): void {
    this.lines.push({ level: 'warn', message });
  }

  info(message: string): void {
    this.lines.push({ level: 'info', message });
  }

  debug(message: string): void {
    this.lines.push({ level: 'debug', message });
  }

  trace(message: string): void {
    this.lines.push({ level: 'trace', message });
  }

  /** The levels, in the order of the lines. */
  levels(): Level[] {
    return this.lines.map((line) => line.level);
  }

  /** All messages, one a line. */
  text(): string {
    return this.lines.map((line) => line.message).join('\n');
  }
}
