import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Browser, type EditorWindow, launchBrowser, type Profile } from '../host/browser';
import { CleanUp } from '../host/cleanUp';
import { SERVICE_NAME, settingsFor } from '../host/configured';
import { DataFolder } from '../host/dataFolder';
import { keepWhatFailed, type Remains } from '../host/failed';
import { installHost } from '../host/install';
import { packExtension } from '../host/packExtension';
import { VSIX } from '../host/paths';
import { endWithChildren } from '../host/processes';
import { type Server, startServer } from '../host/server';
import { until } from '../host/until';
import { hostVersion, VERSION_VARIABLE } from '../host/versions';
import { createService, type EmbeddedService, type ServiceOptions } from '../service';
import type { ProbeLine } from './probe/extension';
import { answers, readProbeLines } from './probeLines';

/** The version of VS Code that these tests run in. */
export const version = hostVersion(process.env[VERSION_VARIABLE] ?? 'newest');

/** How the Accounts menu shows the first account. */
export const ACCOUNT = new RegExp(`^${SERVICE_NAME} \\(${SERVICE_NAME}\\)$`);

/** The message that shows the user code. */
const CODE_MESSAGE = /^Enter the code ([A-Z0-9-]+)/;

endWithChildren();

/** A VS Code with the packaged extension and the probe, a service, and a browser. */
export class Stage {
  readonly #windows: EditorWindow[] = [];

  private constructor(
    readonly service: EmbeddedService,
    readonly data: DataFolder,
    readonly server: Server,
    readonly browser: Browser,
    private readonly lines: string,
  ) {}

  static async set(options: ServiceOptions, cleanUp: CleanUp): Promise<Stage> {
    const service = await createService({ interval: 1, ...options });
    cleanUp.add(() => service.close());
    const data = await DataFolder.create(settingsFor(service));
    cleanUp.add(() => data.delete());
    const lines = path.join(data.root, 'probe.jsonl');
    await writeFile(lines, '');
    const server = await startServer({
      host: await installHost(version),
      data,
      fewBuiltIn: true,
      extensions: [VSIX, await packExtension(path.join('windows', 'probe'))],
      env: { DEVICE_FLOW_PROBE_FILE: lines, DEVICE_FLOW_PROBE_SECRET: service.clientSecret },
    });
    cleanUp.add(() => server.stop());
    const browser = await launchBrowser();
    cleanUp.add(() => browser.close());
    return new Stage(service, data, server, browser, lines);
  }

  /** The windows whose pages live, the last one that was opened last. */
  get windows(): readonly EditorWindow[] {
    return this.#windows.filter(({ workbench }) => !workbench.page.isClosed());
  }

  /** What to look at where a test failed. */
  get remains(): Remains {
    return { pages: this.windows.map(({ workbench }) => workbench.page), data: this.data, files: [this.lines] };
  }

  /** Opens a window. */
  async open(profile: Profile): Promise<EditorWindow> {
    const window = await profile.openWindow(this.server);
    this.#windows.push(window);
    return window;
  }

  /** Lets the page of a window die, as browsers do with tabs that are short of memory. Its extension host lives on. */
  async crash(window: EditorWindow): Promise<void> {
    const { page } = window.workbench;
    const client = await page.context().newCDPSession(page);
    const crashed = page.waitForEvent('crash');
    // It is never answered.
    client.send('Page.crash').catch(() => undefined);
    await crashed;
    this.#windows.splice(this.#windows.indexOf(window), 1);
  }

  /** Signs in as the probe's person does. */
  async signIn({ workbench }: EditorWindow): Promise<void> {
    await workbench.runCommand('Probe: Sign In');
    await workbench.dialog.answer(/sign in/i, 'Allow');
    await this.confirm(workbench);
  }

  /** Confirms the sign-in whose code a window shows. */
  async confirm({ notifications }: EditorWindow['workbench']): Promise<void> {
    const { text } = await notifications.waitFor(CODE_MESSAGE);
    assert.equal(this.service.approve(CODE_MESSAGE.exec(text)?.[1] ?? ''), undefined);
  }

  /** All that the probes wrote down so far. */
  probed(): Promise<ProbeLine[]> {
    return readProbeLines(this.lines);
  }

  /** When the consumers in a window were told of changes, since a moment. Wall-clock milliseconds. */
  async events({ extensionHost }: Pick<EditorWindow, 'extensionHost'>, since: number): Promise<number[]> {
    const lines = await this.probed();
    return lines.flatMap((line) =>
      line.kind === 'event' && line.pid === extensionHost && line.at >= since ? [line.at] : [],
    );
  }

  /** Waits until the last thing that each of these windows was asked for, after a moment, was answered in this way. */
  async untilAnswered(how: 'a token' | 'no session', hosts: readonly number[], since = Date.now()): Promise<void> {
    await until(`windows to answer ${how}`, async () => {
      const lines = answers(await this.probed()).filter(({ asked }) => asked >= since);
      return hosts.every((pid) => {
        const last = lines.filter((line) => line.pid === pid).at(-1);
        return last !== undefined && last.status === (how === 'a token' ? 200 : undefined);
      });
    });
  }

  /** Checks that each rotation took one request, with the token that was the current one. */
  async checkRequests(): Promise<void> {
    const { record } = this.service;
    await until('no refresh to be under way', () => record.of('refresh').every(({ result }) => result !== undefined));
    const { counts } = this.service;
    const rotations = counts.refreshed + counts.resentRefreshTokens;
    assert.equal(counts.requests.refresh, rotations, 'each rotation took one request');
    assert.equal(counts.deadRefreshTokens, 0, 'no dead refresh token was sent');
    assert.equal(counts.overlappingRefreshes, 0, 'no two refreshes at once');
  }
}

/**
 * Sets the stage before the tests of the suite that calls it, and clears it away after them. Where a test failed, pictures
 * of all windows, the log and what the probes wrote are left in the artifacts.
 * @returns what gives the stage to a test
 */
export function useStage(options: ServiceOptions = {}): () => Stage {
  const cleanUp = new CleanUp();
  let stage: Stage | undefined;
  before('set the stage', async () => {
    stage = await Stage.set(options, cleanUp);
  });
  afterEach(async function () {
    await keepWhatFailed(this.currentTest, () => stage?.remains);
  });
  after('clear the stage away', () => cleanUp.run());
  return () => {
    if (stage === undefined) throw new Error('The stage is set before the first test, not earlier.');
    return stage;
  };
}
