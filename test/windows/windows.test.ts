import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createService, type EmbeddedService } from '../service';
import { type Browser, launchBrowser, type Profile } from '../host/browser';
import { DataFolder } from '../host/dataFolder';
import { installHost } from '../host/install';
import { packExtension } from '../host/packExtension';
import { VSIX } from '../host/paths';
import { type Server, startServer } from '../host/server';
import { until } from '../host/until';
import { describeServer, hostVersion, VERSION_VARIABLE } from '../host/versions';
import { answers, readProbeLines } from './probeLines';

/** Lifetime of an access token in seconds: short, so that a minute sees many rotations. */
const LIFETIME = 3;
const ROTATIONS = 21;
const KILL_AFTER = 7;
const LATE_WINDOW_AFTER = 13;

const version = hostVersion(process.env[VERSION_VARIABLE] ?? 'newest');

describe(`several windows of ${describeServer(version)}`, () => {
  let service: EmbeddedService;
  let data: DataFolder;
  let server: Server;
  let browser: Browser;
  let profile: Profile;
  let file: string;

  before(async () => {
    service = await createService({ accessTokenTtl: LIFETIME, interval: 1 });
    data = await DataFolder.create({
      'deviceFlow.baseUrl': service.baseUrl,
      'deviceFlow.clientId': service.clientId,
      'deviceFlow.serviceName': 'Demo Service',
    });
    file = path.join(data.root, 'probe.jsonl');
    await writeFile(file, '');
    server = await startServer({
      host: await installHost(version),
      data,
      extensions: [VSIX, await packExtension(path.join('windows', 'probe'))],
      env: { DEVICE_FLOW_PROBE_FILE: file, DEVICE_FLOW_PROBE_SECRET: service.clientSecret },
    });
    browser = await launchBrowser();
    profile = await browser.newProfile();
  });

  after(async () => {
    await browser.close();
    await server.stop();
    await service.close();
    await data.delete();
  });

  const refreshed = (count: number): Promise<true> =>
    until(`${count} rotations`, () => service.counts.refreshed >= count, 120_000).then(() => true);

  /** Whether every one of these windows has been served a token that works, asked for after `since`. */
  const servedSince = async (pids: readonly number[], since: number): Promise<boolean> => {
    const lines = answers(await readProbeLines(file));
    return pids.every((pid) => lines.some((line) => line.pid === pid && line.asked >= since && line.status === 200));
  };

  it('refreshes once per expiry, serves current tokens everywhere, survives a kill, and signs out everywhere', async () => {
    const first = await profile.openWindow(server);
    await first.workbench.runCommand('Probe: Sign In');
    await first.workbench.dialog.answer(/sign in/i, 'Allow');
    const { text } = await first.workbench.notifications.waitFor(/Enter the code/);
    const code = /code ([A-Z0-9-]+)/.exec(text)?.[1] ?? '';
    assert.equal(service.approve(code), undefined, 'the code on the screen is the service’s');
    const second = await profile.openWindow(server);
    const third = await profile.openWindow(server);
    const three = [first.extensionHost, second.extensionHost, third.extensionHost];
    await until('all three windows to serve the session', () => servedSince(three, 0));
    const allOpen = Date.now();

    await refreshed(KILL_AFTER);
    process.kill(first.extensionHost, 'SIGKILL');
    await refreshed(LATE_WINDOW_AFTER);
    const late = await profile.openWindow(server);
    const survivors = [second.extensionHost, third.extensionHost, late.extensionHost];
    await until('the late window to serve the session', () => servedSince(survivors, Date.now() - 5_000));
    await refreshed(ROTATIONS);
    const end = Date.now();
    const lines = await readProbeLines(file);

    const { counts } = service;
    assert.equal(
      counts.requests.refresh,
      counts.refreshed + counts.resentRefreshTokens,
      'each rotation took one request',
    );
    assert.equal(counts.deadRefreshTokens, 0, 'no dead refresh token was sent');
    assert.equal(counts.overlappingRefreshes, 0, 'no two refreshes at once');
    const starts = service.record.of('refresh').map(({ at }) => at);
    const soonest = Math.min(...starts.slice(1).map((at, index) => at - (starts[index] ?? 0)));
    assert.ok(soonest > LIFETIME * 1000 * 0.65, `no refresh before it was due: ${soonest} ms after the one before`);

    assert.deepEqual(
      lines.filter((line) => line.kind === 'failed' && line.pid !== first.extensionHost),
      [],
      'every question was answered',
    );
    const deaths = service.record.of('refresh').flatMap(({ at, ending }) => (ending === undefined ? [] : [at]));
    const dead = answers(lines).filter(
      ({ asked, served, status, tried }) =>
        served < end && status === 401 && !deaths.some((at) => at >= asked - 5 && at <= tried + 5),
    );
    assert.deepEqual(dead, [], 'no token was served that had been replaced before it was asked for');
    const unanswered = answers(lines).filter(
      ({ pid, asked, status }) => survivors.includes(pid) && asked > allOpen && asked < end && status === undefined,
    );
    assert.ok(
      unanswered.every(({ pid }) => pid === late.extensionHost),
      'nobody who had a session was told that there is none',
    );
    const events = lines.filter(
      (line) => line.kind === 'event' && line.pid === second.extensionHost && line.at > allOpen,
    );
    const rotations = starts.filter((at) => at > allOpen).length;
    assert.ok(Math.abs(events.length - rotations) <= 1, `one event per rotation: ${events.length} of ${rotations}`);

    await third.workbench.runCommand('Device Flow: Sign Out');
    await until('every window to have no session', async () => {
      const after = Date.now() - 1_500;
      const recent = answers(await readProbeLines(file)).filter(({ asked }) => asked > after);
      return survivors.every((pid) => {
        const last = recent.filter((line) => line.pid === pid).at(-1);
        return last !== undefined && last.status === undefined;
      });
    });
    console.log(
      `      ${counts.refreshed} rotations, ${counts.resentRefreshTokens} replays, ${answers(lines).length} tokens served in 4 windows`,
    );
  });
});
