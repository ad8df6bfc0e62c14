import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import type { Readable } from 'node:stream';
import { messageOf } from './commandLine';
import { descendantsOf } from './processTable';
import { until } from './until';

/** How to start a program. */
export interface ProgramOptions {
  readonly cwd?: string;
  /** The whole environment; this process's if omitted. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether what it prints is shown on stderr while it runs. */
  readonly show?: boolean;
  /** How much of the processor it leaves to others that want it at the same time: 0 for nothing, up to 19. */
  readonly niceness?: number;
}

/** A program that was started and is stopped with all that it started itself. */
export interface Program {
  readonly pid: number;
  /** The last part of what it printed, on both of its outputs. */
  output(): string;
  /** Resolves with the exit code when it has ended; 128 and more if a signal ended it. */
  readonly ended: Promise<number>;
  /**
   * Resolves as soon as something it prints matches.
   * @throws Error if it ends before, or nothing matches within `timeout` milliseconds.
   */
  printed(pattern: RegExp, timeout: number): Promise<RegExpExecArray>;
  /** Asks it and its children to end, insists after five seconds, and resolves when it has ended. Idempotent. */
  stop(): Promise<void>;
}

/** How many characters of a program's output are kept. */
const KEPT_OUTPUT = 200_000;
const PATIENCE = 5_000;

/**
 * Lets nothing outlive this process: when it ends, for whatever reason it still notices, so does all that it has started.
 * For the scripts that start things; call it once.
 *
 * @param stop finishes what can be finished, when a signal asks this process to end
 * @param codeAfterCtrlC the exit code after a SIGINT: 0 if that's how the program is meant to end
 */
export function endWithChildren(
  stop: () => Promise<void> = () => Promise.resolve(),
  codeAfterCtrlC = exitCodeAfter('SIGINT'),
): void {
  process.on('exit', () => {
    for (const { pid } of descendantsOf(process.pid)) send(pid, 'SIGKILL');
  });
  let stopping = false;
  const end = (code: number): void => {
    if (stopping) return;
    stopping = true;
    stop().then(
      () => process.exit(code),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      end(signal === 'SIGINT' ? codeAfterCtrlC : exitCodeAfter(signal));
    });
  }
  // The script that started this one has gone. To listen for that alone keeps nobody running.
  process.on('disconnect', () => {
    end(1);
  });
  process.channel?.unref();
}

/** The exit code of a program that a signal ended, as a shell counts it. */
function exitCodeAfter(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): number {
  return 128 + os.constants.signals[signal];
}

/**
 * Runs a script, of which nothing stays behind: the process ends with the exit code that it resolves with, or prints why
 * it failed and ends with 1.
 * @param describe what to print about an error
 */
export function runScript(main: () => Promise<number>, describe: (error: unknown) => unknown = messageOf): void {
  endWithChildren();
  main().then(
    (code) => process.exit(code),
    (error: unknown) => {
      console.error(describe(error));
      process.exit(1);
    },
  );
}

/**
 * How to spawn a program. Windows runs a batch file, such as VS Code's command line, only in its shell, which needs
 * quotation marks around what has spaces.
 */
export function spawnCall(
  file: string,
  args: readonly string[],
  system: NodeJS.Platform = process.platform,
): { readonly file: string; readonly args: readonly string[]; readonly shell: boolean } {
  const isBatchFile = system === 'win32' && /\.(?:cmd|bat)$/i.test(file);
  return isBatchFile
    ? { file: [file, ...args].map((part) => `"${part}"`).join(' '), args: [], shell: true }
    : { file, args, shell: false };
}

/**
 * Starts a program in a process group of its own, so that nothing it starts outlives it.
 * @throws Error if it can't be started.
 */
export async function startProgram(
  file: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<Program> {
  const call = spawnCall(file, args);
  const child = spawn(call.file, call.args, {
    cwd: options.cwd,
    env: options.env,
    shell: call.shell,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const output = new KeptOutput([child.stdout, child.stderr], options.show === true);
  const ended = exitCode(child);
  await Promise.race([once(child, 'spawn'), ended]);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} could not be started.`);
  if (options.niceness !== undefined) os.setPriority(pid, options.niceness);
  return new StartedProgram(file, pid, output, ended);
}

/** The last part of what a program prints. */
class KeptOutput {
  text = '';

  /** @param show whether it's shown on stderr too */
  constructor(streams: readonly Readable[], show: boolean) {
    for (const stream of streams) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.text = (this.text + text).slice(-KEPT_OUTPUT);
        if (show) process.stderr.write(text);
      });
    }
  }
}

/** A program in a process group of its own, whose number is its process ID. */
class StartedProgram implements Program {
  readonly ended: Promise<number>;
  #hasEnded = false;
  readonly #printed: KeptOutput;

  constructor(
    private readonly file: string,
    readonly pid: number,
    printed: KeptOutput,
    ended: Promise<number>,
  ) {
    this.#printed = printed;
    this.ended = this.#endGroup(ended);
  }

  output(): string {
    return this.#printed.text;
  }

  async printed(pattern: RegExp, timeout: number): Promise<RegExpExecArray> {
    const match = (): RegExpExecArray | undefined => pattern.exec(this.output()) ?? undefined;
    const said = (): string => `It printed:\n${this.output().slice(-5_000)}`;
    await until(
      () => `${this.file} to print ${pattern.source}. ${said()}`,
      () => this.#hasEnded || match(),
      timeout,
    );
    const found = match();
    if (found === undefined) throw new Error(`${this.file} ended with code ${await this.ended}. ${said()}`);
    return found;
  }

  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    if (process.platform === 'win32') {
      // Windows has neither process groups nor signals, but a tool that ends what a process has started.
      spawnSync('taskkill', ['/pid', String(this.pid), '/t', '/f']);
      await this.ended;
      return;
    }
    // Some children have left the group, such as the windows of a desktop editor.
    const children = descendantsOf(this.pid).map((child) => child.pid);
    const tell = (signal: NodeJS.Signals): void => {
      for (const target of this.#hasEnded ? children : [-this.pid, ...children]) send(target, signal);
    };
    tell('SIGTERM');
    // A stopped process acts on the signal only when it goes on.
    tell('SIGCONT');
    const timer = setTimeout(() => {
      tell('SIGKILL');
    }, PATIENCE);
    await this.ended;
    clearTimeout(timer);
    tell('SIGKILL');
  }

  /** The program is the last of its group: when it has ended, nothing else in the group goes on. */
  async #endGroup(ended: Promise<number>): Promise<number> {
    const code = await ended;
    send(-this.pid, 'SIGKILL');
    // From now on, the group's number may be that of another.
    this.#hasEnded = true;
    return code;
  }
}

/**
 * Runs a program to its end and resolves with what it printed.
 * @throws Error with the end of its output if its exit code isn't 0.
 */
export async function runProgram(file: string, args: readonly string[], options: ProgramOptions = {}): Promise<string> {
  const program = await startProgram(file, args, options);
  const code = await program.ended;
  if (code !== 0) {
    throw new Error(`"${[file, ...args].join(' ')}" ended with code ${code}:\n${program.output().slice(-5_000)}`);
  }
  return program.output();
}

function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : os.constants.signals[signal]));
    });
  });
}

/** Sends a signal to a process, or to a group if the number is negative. One that's gone needs none. */
function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
