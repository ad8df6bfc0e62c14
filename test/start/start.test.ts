import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { giveConsent, openBrowser, userCodeIn } from '../../scripts/scene/person';
import { type Browser, launchBrowser } from '../../scripts/host/browser';
import { editorEnvironment } from '../../scripts/host/environment';
import { packExtension } from '../../scripts/host/packExtension';
import { ROOT } from '../../scripts/host/paths';
import { takePicture } from '../../scripts/host/picture';
import { descendantsOf, extensionHostsOf } from '../../scripts/host/processTable';
import { until } from '../../scripts/host/until';
import { Workbench } from '../../scripts/host/workbench';

/** An extension to install beside the sample. */
const CALLER = path.join('test', 'embedder', 'caller');

/** Preloaded into a process to make every host name unknown to it. */
const OFFLINE = `data:text/javascript,import dns from 'node:dns';
dns.lookup = (host, options, done) => done(Object.assign(new Error('offline'), { code: 'ENOTFOUND' }));`;

/** Guards that `npm start` opens an editor that's ready, says what's missing, and leaves nothing behind. */
describe('npm start', function () {
  this.timeout(300_000);
  let folder: string;
  let npm: ChildProcess | undefined;
  let browser: Browser | undefined;
  let output = '';

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'device-flow-start-'));
  });
  afterEach(async () => {
    await browser?.close();
    if (npm?.pid !== undefined) for (const { pid } of descendantsOf(npm.pid)) process.kill(pid, 'SIGKILL');
    npm?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  /** What follows a name at the start of a printed line. */
  const printed = (name: string): string => new RegExp(`^${name}: (\\S+)`, 'm').exec(output)?.[1] ?? `no ${name}`;

  it('opens a VS Code that is ready to use, and leaves nothing behind after a SIGINT to npm alone', async () => {
    const [home, temporary] = [path.join(folder, 'home'), path.join(folder, 'tmp')];
    for (const each of [home, temporary]) await mkdir(each);
    const env = editorEnvironment({ HOME: home, TMPDIR: temporary, npm_config_cache: path.join(folder, 'npm') });
    for (const name of Object.keys(env)) if (/^(XDG_|DEVICE_FLOW_)/.test(name)) env[name] = undefined;
    // A package is named by its path from where npm is called.
    const install = path.join('..', path.relative(ROOT, await packExtension(CALLER)));
    const args = ['start', '--', '--host', 'server', '--interval', '1', '--install', install];
    npm = spawn('npm', args, { cwd: path.join(ROOT, 'docs'), env, stdio: 'pipe' });
    const ended = once(npm, 'exit');
    for (const stream of [npm.stdout, npm.stderr]) stream?.on('data', (bytes: Buffer) => (output += bytes.toString()));
    await until('the last line', () => output.includes('Ctrl-C') || npm?.exitCode !== null, 240_000);
    assert.match(output, /Ctrl-C/);
    assert.match(printed('Client ID') + printed('Client secret'), /^demo-client.{32}$/);

    browser = await launchBrowser();
    const { context } = await browser.newProfile();
    const page = await context.newPage();
    await page.goto(printed('VS Code'));
    assert.match(await page.innerText('.header'), /Enter the password that npm start printed\./);
    await page.fill('input[name=password]', printed('Password'));
    await page.click('input[type=submit]');
    const workbench = new Workbench(page);
    await workbench.waitUntilDrawn(60_000);
    await page.getByText('Sign in with Device Flow Authentication').first().waitFor({ timeout: 60_000 });
    // The service is configured already.
    const openStep = page.locator('.getting-started-step.expanded h3');
    await openStep.filter({ hasText: /^Sign in$/ }).waitFor();
    await page.locator('.codicon-getting-started-step-checked').first().waitFor();
    await workbench.statusBarItem(/^Sample: not signed in/);
    await takePicture(page, 'start/walkthrough');

    await workbench.runCommand('Device Flow: Sign In');
    const item = await workbench.statusBarItem(/^[A-Z0-9]{4}-[A-Z0-9]{4} /);
    const verification = await openBrowser(workbench, context);
    await verification.enter(userCodeIn(item));
    await verification.allow();
    await verification.page.close();
    await workbench.statusBarItem(/^Sample: demo \(no access yet\)/);
    await takePicture(page, 'start/walkthrough-offered');
    await workbench.notifications.click(/^Next, see how an extension uses the session\.$/, 'Open Walkthrough');
    await openStep.filter({ hasText: /^Ask for a session$/ }).waitFor();
    await workbench.runCommand('Sample: Ask for a Session');
    await giveConsent(workbench, 'demo');
    await workbench.notifications.waitFor(/^Sample: session of demo$/);
    await workbench.statusBarItem(/^Sample: demo$/);
    await workbench.runCommand('Sample: Who Am I');
    await workbench.notifications.waitFor(/^Sample: whoami returned 200 .*"name":"demo"/);
    await takePicture(page, 'start/signed-in');

    await workbench.runCommand('Extensions: Show Installed Extensions');
    await page.locator('.extension-list-item .name', { hasText: /^Caller$/ }).waitFor();

    const started = descendantsOf(npm.pid ?? 0).map(({ pid }) => pid);
    assert.ok(started.length > 3 && extensionHostsOf(npm.pid ?? 0).length === 1);
    npm.kill('SIGINT');
    await until('npm to end', () => npm?.exitCode !== null || npm.signalCode !== null, 20_000);
    await ended;
    const running = descendantsOf(1).map(({ pid }) => pid);
    assert.deepEqual(
      started.filter((pid) => running.includes(pid)),
      [],
    );
    assert.deepEqual(await readdir(home, { recursive: true }), []);
    assert.deepEqual(await readdir(temporary, { recursive: true }), []);
  });

  it('says in a sentence that another program is using a port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = String((server.address() as AddressInfo).port);
    for (const [option, sentence] of [
      [
        '--port',
        `VS Code's server can't listen on port ${port}: another program is using it. Choose another one with --port.`,
      ],
      ['--service-port', "The service can't start: another program is using this port."],
    ] as const) {
      assert.deepEqual(await run(['--host', 'server', option, port]), { code: 1, errors: `${sentence}\n` });
    }
    server.close();
  });

  it('says in a sentence that a desktop VS Code needs a display, or a download', async () => {
    const environment = { PATH: folder, NODE_OPTIONS: `--import="${OFFLINE.replace(/\n/g, '')}"` };
    const withoutDisplay = await run(['--host', 'desktop'], { DISPLAY: undefined, WAYLAND_DISPLAY: undefined });
    assert.equal(withoutDisplay.code, 1);
    assert.match(withoutDisplay.errors, /^A desktop VS Code can't be opened, because there is no display\. [^\n]+\n$/);
    const offline = await run(['--host', 'desktop'], { ...environment, DISPLAY: ':0' });
    assert.equal(offline.code, 1);
    assert.match(
      offline.errors,
      /(^|\n)A desktop VS Code isn't installed, and it couldn't be downloaded \([^\n]+\)[^\n]+\n$/,
    );
  });

  /** Runs the script that npm runs, without building anything before. */
  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: unknown; errors: string }> =>
    new Promise((resolve) => {
      const script = path.join(ROOT, 'out', 'demo', 'start.js');
      const options = { cwd: folder, env: { ...process.env, ...env } };
      execFile(process.execPath, [script, ...args], options, (error, _output, errors) => {
        resolve({ code: error?.code ?? 0, errors });
      });
    });
});
