import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { allowUse, CODE_MESSAGE, openBrowser, untilSignedIn, userCodeIn } from '../../scripts/scene/person';
import { type Browser, launchBrowser } from '../../host/browser';
import { editorEnvironment } from '../../host/environment';
import { packExtension } from '../../host/packExtension';
import { ROOT } from '../../host/paths';
import { takePicture } from '../../host/picture';
import { descendantsOf, extensionHostsOf } from '../../host/processTable';
import { until } from '../../host/until';
import { Workbench } from '../../host/workbench';

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

  it('opens a VS Code that is ready to use, and leaves nothing behind after a SIGINT to npm alone', async () => {
    const home = await makeFolder('home');
    const temporary = await makeFolder('tmp');
    const started = await startUntilReady(home, temporary);
    const { workbench, context } = await openEditor();
    await checkThatWalkthroughIsOpen(workbench);
    await askForSession(workbench, context);
    await callService(workbench);
    await checkThatCallerIsInstalled(workbench);
    const processes = processesOf(started);
    await interrupt(started);
    assert.deepEqual(stillRunning(processes), []);
    assert.deepEqual(await readdir(home, { recursive: true }), []);
    assert.deepEqual(await readdir(temporary, { recursive: true }), []);
  });

  async function makeFolder(name: string): Promise<string> {
    const made = path.join(folder, name);
    await mkdir(made);
    return made;
  }

  /** Starts it with these folders instead of the person's own, and waits until all that it opens can be used. */
  async function startUntilReady(home: string, temporary: string): Promise<ChildProcess> {
    const env = editorEnvironment({ HOME: home, TMPDIR: temporary, npm_config_cache: path.join(folder, 'npm') });
    // What `npm test` has compiled isn't compiled once more.
    for (const name of Object.keys(env)) if (/^(XDG_|DEVICE_FLOW_(?!COMPILED$))/.test(name)) env[name] = undefined;
    // A package is named by its path from where npm is called.
    const install = path.join('..', path.relative(ROOT, await packExtension(CALLER)));
    const args = ['start', '--', '--host', 'server', '--interval', '1', '--install', install];
    const started = spawn('npm', args, { cwd: path.join(ROOT, 'docs'), env, stdio: 'pipe' });
    npm = started;
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
    await until('the last line', () => output.includes('Ctrl-C') || started.exitCode !== null, 240_000);
    assert.match(output, /Ctrl-C/);
    assert.match(printed('Client ID') + printed('Client secret'), /^demo-client.{32}$/);
    return started;
  }

  /** What follows a name at the start of a printed line. */
  function printed(name: string): string {
    return new RegExp(`^${name}: (\\S+)`, 'm').exec(output)?.[1] ?? `no ${name}`;
  }

  /** Opens VS Code in a browser, by the link that was printed. Another browser that follows it is asked for the password. */
  async function openEditor(): Promise<{ readonly workbench: Workbench; readonly context: BrowserContext }> {
    browser = await launchBrowser();
    const { context } = await browser.newProfile();
    const page = await context.newPage();
    await page.goto(printed('VS Code'));
    const workbench = new Workbench(page);
    await workbench.waitUntilDrawn(60_000);
    const other = await browser.newProfile();
    const login = await other.context.newPage();
    await login.goto(printed('VS Code'));
    assert.match(await login.innerText('.header'), /Enter the password that npm start printed\./);
    await login.fill('input[name=password]', 'another one');
    await login.click('input[type=submit]');
    await login.getByText('Incorrect password').waitFor();
    await other.close();
    return { workbench, context };
  }

  it('says in a sentence that another program is using a port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = String((server.address() as AddressInfo).port);
    for (const [option, sentence] of [
      [
        '--port',
        `VS Code's server can't listen on port ${port}: another program is using it. Choose another one with --port.`,
      ],
      [
        '--service-port',
        `The service can't listen on port ${port}: another program is using it. Choose another one with --service-port.`,
      ],
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

/** The walkthrough of the sample is at its first step. */
async function checkThatWalkthroughIsOpen(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  await page
    .locator('.getting-started-step.expanded h3')
    .filter({ hasText: /^Ask for a session$/ })
    .waitFor({ timeout: 60_000 });
  await workbench.statusBarItem(/^Sample: not signed in/);
  await takePicture(page, 'start/walkthrough');
}

/** Follows the first step of the walkthrough, which signs in. The sample says nothing of that: the product does. */
async function askForSession(workbench: Workbench, context: BrowserContext): Promise<void> {
  await workbench.page
    .locator('.getting-started-step.expanded')
    .getByText('Ask for a Session', { exact: true })
    .click();
  await allowUse(workbench);
  const { text } = await workbench.notifications.waitFor(CODE_MESSAGE);
  const verification = await openBrowser(workbench, context);
  await verification.enter(userCodeIn(text));
  await verification.allow();
  await verification.page.close();
  await untilSignedIn(workbench, 'Demo Service as demo.');
  await workbench.statusBarItem(/^Sample: demo$/);
  await untilCheckedOff(workbench, 1);
  const told = (await workbench.notifications.list()).filter((one) => one.text.startsWith('Sample: '));
  assert.deepEqual(told, []);
}

/** Lets the sample extension call the service, which checks off the next step. */
async function callService(workbench: Workbench): Promise<void> {
  await workbench.runCommand('Sample: Who Am I');
  await workbench.notifications.waitFor(/^Sample: whoami returned 200 .*"name":"demo"/);
  await untilCheckedOff(workbench, 2);
  await takePicture(workbench.page, 'start/signed-in');
}

async function untilCheckedOff(workbench: Workbench, count: number): Promise<void> {
  const checkedOff = workbench.page.locator('.codicon-getting-started-step-checked');
  await until(`${count} steps to be checked off`, async () => (await checkedOff.count()) === count);
}

async function checkThatCallerIsInstalled(workbench: Workbench): Promise<void> {
  await workbench.runCommand('Extensions: Show Installed Extensions');
  await workbench.page.locator('.extension-list-item .name', { hasText: /^Caller$/ }).waitFor();
}

/** Checks that one extension host runs, and returns the process IDs of all that npm has started. */
function processesOf({ pid: npm = 0 }: ChildProcess): readonly number[] {
  const started = descendantsOf(npm).map(({ pid }) => pid);
  assert.ok(started.length > 3 && extensionHostsOf(npm).length === 1);
  return started;
}

/** Sends a SIGINT to npm alone, and waits until it has ended. */
async function interrupt(npm: ChildProcess): Promise<void> {
  npm.kill('SIGINT');
  await until('npm to end', () => npm.exitCode !== null || npm.signalCode !== null);
}

/** Those of these processes that haven't ended: whoever has lost its parent is a descendant of the first process. */
function stillRunning(pids: readonly number[]): readonly number[] {
  const running = descendantsOf(1).map(({ pid }) => pid);
  return pids.filter((pid) => running.includes(pid));
}
