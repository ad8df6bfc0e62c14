import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The command-line service in a process of its own. */
export class ChildService {
  private readonly child: ChildProcess;
  private output = '';
  private errors = '';
  private readonly ended: Promise<unknown[]>;
  private readonly line: Promise<string>;

  constructor(...args: readonly string[]) {
    const child = spawn(process.execPath, [join(__dirname, '../service/cli.js'), ...args], { stdio: 'pipe' });
    this.child = child;
    this.ended = once(child, 'close');
    this.line = new Promise((resolve) => {
      createInterface(child.stdout).once('line', resolve);
    });
    child.stdout.on('data', (bytes: Buffer) => (this.output += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => (this.errors += bytes.toString()));
  }

  /** The JSON object of its first line, once it is there. */
  async started(): Promise<Readonly<Record<string, string>>> {
    const line = await Promise.race([this.line, this.ended.then(() => '')]);
    if (line === '') throw new Error(`The service ended before its first line: ${this.errors}`);
    return JSON.parse(line) as Record<string, string>;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits for its end. */
  async end(): Promise<{ code: unknown; signal: unknown; output: string; errors: string }> {
    const [code, signal] = await this.ended;
    return { code, signal, output: this.output, errors: this.errors };
  }
}
