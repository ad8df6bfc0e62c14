import { randomBytes } from 'node:crypto';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fetch from 'node-fetch';
import { systemClock } from '../../../src/clock';
import { createClient } from '../../../src/oauth/createClient';
import { SILENT } from '../silentLog';
import { createService, type EmbeddedService } from '../../../demo/service';
import type { Order, Report, WindowSettings } from './messages';

/** One window process. */
export interface WindowProcess {
  readonly child: ChildProcess;
  /** All that it told, oldest first. */
  readonly reports: readonly Report[];
}

/** A new token as one window process saw it. */
type Changed = Extract<Report, { kind: 'changed' }>;

/** Window processes that share one session of a demo service. */
export class Fleet {
  readonly #all: WindowProcess[] = [];

  private constructor(
    readonly service: EmbeddedService,
    private readonly folder: string,
    private readonly editorFolder: string,
    private readonly node: string,
  ) {}

  /**
   * Starts so many windows and signs in.
   * @param lifetime of an access token in seconds
   * @param node the Node.js to run them on: 22.15 or newer
   */
  static async start(count: number, lifetime: number, node = process.execPath): Promise<Fleet> {
    const service = await createService({ accessTokenTtl: lifetime, interval: 0.05 });
    const folder = await mkdtemp(path.join(tmpdir(), 'device-flow-fleet-'));
    const editorFolder = await mkdtemp(path.join(tmpdir(), 'device-flow-editor-'));
    const fleet = new Fleet(service, folder, editorFolder, node);
    await fleet.open();
    await Promise.all(Array.from({ length: count - 1 }, () => fleet.open()));
    await fleet.signIn();
    return fleet;
  }

  /** The windows that live. */
  get windows(): readonly WindowProcess[] {
    return this.#all.filter(({ child }) => child.exitCode === null && child.signalCode === null);
  }

  /** What all windows told, those that died too. */
  get reports(): readonly Report[] {
    return this.#all.flatMap(({ reports }) => reports);
  }

  /** Opens one more window, and resolves when it knows its sessions. */
  async open(): Promise<WindowProcess> {
    const { baseUrl, clientId, clientSecret } = this.service;
    const settings: WindowSettings = {
      folder: this.folder,
      editorFolder: this.editorFolder,
      baseUrl,
      clientId,
      clientSecret,
    };
    const child = fork(path.join(__dirname, 'window.js'), [JSON.stringify(settings)], {
      execPath: this.node,
      execArgv: ['--no-warnings'],
    });
    const reports: Report[] = [];
    child.on('message', (report: Report) => reports.push(report));
    const window = { child, reports };
    this.#all.push(window);
    await this.#told(window, 'ready');
    return window;
  }

  /** Signs in as a person would, and hands the tokens to a window. */
  async signIn(): Promise<void> {
    const protocol = createClient({ fetch, clock: systemClock, log: SILENT, random: randomBytes, userAgent: 'fleet' });
    const code = await protocol.requestDeviceAuthorization(this.service);
    this.service.approve(code.userCode);
    const answer = await protocol.poll(this.service, code.deviceCode);
    const [window] = this.windows;
    if (answer.kind !== 'tokens' || window === undefined) throw new Error('The sign-in brought no tokens.');
    const { accessToken = '', refreshToken = '', expiresIn = 0 } = answer.tokens;
    await this.ask(window, { kind: 'add', accessToken, refreshToken, expiresIn }, 'added');
  }

  /** Gives a window an order, and resolves with its answer. */
  async ask<K extends Report['kind']>(
    window: WindowProcess,
    order: Order,
    kind: K,
  ): Promise<Extract<Report, { kind: K }>> {
    const answer = this.#told(window, kind);
    window.child.send(order);
    return await answer;
  }

  /** Kills a window without warning, and resolves when it is dead. */
  async kill(window: WindowProcess): Promise<void> {
    const dead = once(window.child, 'exit');
    window.child.kill('SIGKILL');
    await dead;
  }

  /**
   * For each new token that all living windows saw: milliseconds from the end of the service's answer to the moment
   * when the last of them served it.
   */
  convergence(): readonly number[] {
    const living = this.windows.map(({ reports }) => reports.filter((one): one is Changed => one.kind === 'changed'));
    const answered = this.service.record
      .of('refresh')
      .flatMap(({ result }) => (result?.issued === undefined ? [] : [performance.timeOrigin + result.monotonicAt]));
    const prints = new Set(living.flat().map(({ print }) => print));
    return [...prints].flatMap((print) => {
      const seen = living.map((changes) => changes.find((one) => one.print === print)?.at);
      if (seen.includes(undefined)) return [];
      const times = seen.filter((at) => at !== undefined);
      const from = answered.findLast((at) => at <= Math.min(...times) + 1);
      return from === undefined ? [] : [Math.max(...times) - from];
    });
  }

  /** Ends it all. */
  async stop(): Promise<void> {
    await Promise.all(this.windows.map((window) => this.kill(window)));
    await this.service.close();
    for (const folder of [this.folder, this.editorFolder]) {
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    }
  }

  /** The next report of a kind; rejects if something fails, or the window dies first. */
  #told<K extends Report['kind']>({ child }: WindowProcess, kind: K): Promise<Extract<Report, { kind: K }>> {
    return new Promise((resolve, reject) => {
      const onMessage = (report: Report): void => {
        if (report.kind === kind) resolve(report as Extract<Report, { kind: K }>);
        else if (report.kind === 'failed') reject(new Error(report.reason));
        else return;
        child.off('message', onMessage).off('exit', onExit);
      };
      const onExit = (): void => {
        reject(new Error('the window process ended'));
      };
      child.on('message', onMessage).on('exit', onExit);
    });
  }
}
