import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Counts } from '../../demo/service/record';
import { allowUse, approveSignIn } from '../../scripts/scene/person';
import { useScene } from '../../scripts/scene/useScene';
import type { EditorWindow, Profile } from '../../host/browser';
import type { Scene } from '../../scripts/scene/scene';
import { until } from '../../host/until';
import { hostVersion } from '../../host/versions';
import type { ProbeLine } from './probe/extension';

/** The version of VS Code that these tests run in. */
export const version = hostVersion();

/** What a probe got when it asked for the session. */
type Answer = 'a token' | 'a dead token' | 'no session' | 'nothing';

/** A scene in which probes ask for the session in each window, and write down what they get. */
export class ProbedScene {
  readonly service: Scene['service'];
  readonly data: Scene['data'];
  readonly server: Scene['server'];
  /** What the service had counted when this began to count. */
  #before: Counts;

  constructor(
    private readonly scene: Scene,
    private readonly lines: string,
  ) {
    ({ service: this.service, data: this.data, server: this.server } = scene);
    this.#before = this.service.counts();
  }

  /** Has all that the service counted so far left out from now on. */
  countAnew(): void {
    this.#before = this.service.counts();
  }

  /** Opens a window. */
  open(profile?: Profile): Promise<EditorWindow> {
    return this.scene.openWindow({}, profile);
  }

  /** Another browser of the same person. */
  newProfile(): Promise<Profile> {
    return this.scene.newProfile();
  }

  /** Lets the page of a window die, as browsers do with tabs that are short of memory. Its extension host lives on. */
  async crash(window: EditorWindow): Promise<void> {
    const { page } = window.workbench;
    const client = await page.context().newCDPSession(page);
    const crashed = page.waitForEvent('crash');
    // It is never answered.
    client.send('Page.crash').catch(() => undefined);
    await crashed;
  }

  /** Signs in as the probe's person does. */
  async signIn({ workbench }: EditorWindow): Promise<void> {
    await workbench.runCommand('Probe: Sign In');
    await allowUse(workbench, 'Probe');
    await approveSignIn(workbench, this.service);
  }

  /** All that the probes wrote down so far, in the order of writing. A last line that is half written is left out. */
  async probed(): Promise<ProbeLine[]> {
    const lines = (await readFile(this.lines, 'utf8')).split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as ProbeLine);
  }

  /** When the consumers in a window were told of changes, since a moment. Wall-clock milliseconds. */
  async events({ extensionHost }: Pick<EditorWindow, 'extensionHost'>, since: number): Promise<number[]> {
    const lines = await this.probed();
    return lines.flatMap((line) =>
      line.kind === 'event' && line.pid === extensionHost && line.at >= since ? [line.at] : [],
    );
  }

  /** Waits until the last thing that each of these windows was asked for, after this moment, was answered in this way. */
  async untilAnswered(how: Answer, hosts: readonly number[]): Promise<void> {
    const since = Date.now();
    let last: readonly Answer[] = [];
    await until(
      () => `windows to answer ${how}, not ${last.join(', ')}; ${this.#progress()}`,
      async () => (last = await this.#lastAnswers(hosts, since)).every((answer) => answer === how),
    );
  }

  /**
   * Waits for further rotations.
   * @throws Error that says what became of the refreshes, as soon as the session has ended
   */
  async rotations(count: number): Promise<void> {
    const { record } = this.service;
    const wanted = record.counts().refreshed + count;
    const hasEnded = (): boolean => record.counts().deadRefreshTokens > this.#before.deadRefreshTokens;
    await until(
      () => `${wanted} rotations: ${this.#progress()}`,
      () => hasEnded() || record.counts().refreshed >= wanted,
      120_000,
    );
    if (hasEnded()) assert.fail(`The session ended before ${wanted} rotations: ${this.#progress()}`);
  }

  /**
   * Kills an extension host while a window sends a refresh that the service never processes: all tokens it issued before
   * are stored by then. A response that's lost with its window would end the session, and no protocol could help that.
   * @returns when the refresh arrived, in wall-clock milliseconds
   */
  async kill(extensionHost: number): Promise<number> {
    await this.service.faults.switchOn('refresh', { kind: 'drop', when: 'before' }).reached();
    process.kill(extensionHost, 'SIGKILL');
    return Date.now();
  }

  /** The last answer of each of these windows to a question that was asked after a moment. */
  async #lastAnswers(hosts: readonly number[], since: number): Promise<Answer[]> {
    const lines = answers(await this.probed()).filter(({ asked }) => asked >= since);
    return hosts.map((pid) => {
      const last = lines.filter((line) => line.pid === pid).at(-1);
      if (last === undefined) return 'nothing';
      return last.status === undefined ? 'no session' : last.status === 200 ? 'a token' : 'a dead token';
    });
  }

  /** How the refreshes went so far. */
  #progress(): string {
    const { record } = this.service;
    const counts = record.counts();
    const { status, error } = record.of('refresh').at(-1)?.result ?? {};
    return (
      `${counts.refreshed} of ${counts.requests.refresh} refreshes succeeded, ${counts.resentRefreshTokens} tokens ` +
      `were sent again, ${counts.deadRefreshTokens} of them dead; the last response: ${status ?? 'none'} ${error ?? ''}`
    );
  }

  /** Waits until the service has responded to all refreshes. */
  async untilNoRefresh(): Promise<void> {
    const { record } = this.service;
    await until('no refresh to be under way', () => record.of('refresh').every(({ result }) => result !== undefined));
  }

  /** Checks that each rotation took one request, with the token that was the current one. */
  async checkRequests(): Promise<void> {
    await this.untilNoRefresh();
    const [counts, before] = [this.service.counts(), this.#before];
    const rotations = counts.refreshed + counts.resentRefreshTokens - before.refreshed - before.resentRefreshTokens;
    assert.equal(counts.requests.refresh - before.requests.refresh, rotations, 'each rotation took one request');
    assert.equal(counts.deadRefreshTokens, before.deadRefreshTokens, 'no dead refresh token was sent');
    assert.equal(counts.overlappingRefreshes, before.overlappingRefreshes, 'no two refreshes at once');
  }
}

/**
 * Sets a probed scene before the tests of the suite that calls it, without a window, and clears it away after them.
 *
 * @param lifetime of an access token in seconds
 * @returns what gives the scene to a test
 */
export function useProbedScene(lifetime = 3_600): () => ProbedScene {
  let lines = '';
  const { scene } = useScene({
    service: { accessTokenTtl: lifetime },
    consumer: path.join('test', 'windows', 'probe'),
    windowless: true,
    surroundings: async (service, { root }) => {
      lines = path.join(root, 'probe.jsonl');
      await writeFile(lines, '');
      const env = { DEVICE_FLOW_PROBE_FILE: lines, DEVICE_FLOW_PROBE_SECRET: service.clientSecret };
      return { env, files: [lines] };
    },
  });
  let probedScene: ProbedScene | undefined;
  return () => (probedScene ??= new ProbedScene(scene(), lines));
}

/** The lines in which a probe was answered. */
export function answers(lines: readonly ProbeLine[]): Extract<ProbeLine, { kind: 'asked' }>[] {
  return lines.filter((line) => line.kind === 'asked');
}
