import assert from 'node:assert/strict';
import path from 'node:path';
import type { EditorWindow } from '../../../scripts/host/browser';
import type { DataFolder } from '../../../scripts/host/dataFolder';
import { VSIX } from '../../../scripts/host/paths';
import { until } from '../../../scripts/host/until';
import type { Workbench } from '../../../scripts/host/workbench';
import { takeEntry } from '../../../scripts/scene/mcp';
import { approveSignIn, confirmSignIn, signOut, STATUS } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { SERVICE_NAME, settingsFor } from '../../../demo/configured';
import { createService, type EmbeddedService } from '../../../demo/service';
import { packEmbedder, packNextVersion } from '../../support/embedder';
import { tellAsOneStory } from '../../support/story';

/** A standard service that wants no secret, which nobody could keep. */
const PUBLIC_CLIENT = { protocol: 'rfc8628', clientSecret: '' } as const;

const CALLER = path.join('test', 'embedder', 'caller');

/** A refreshed token this old is replaced if the service rejects it. Milliseconds. */
const OLD_ENOUGH = 5_000;

/** Where an embedder of this name is made. */
const folderOf = (data: DataFolder, company: string): string => path.join(data.root, company.toLowerCase());

/** The sample as it is for these services, under this name. */
async function embedder(data: DataFolder, company: string, first: EmbeddedService, second = first): Promise<string> {
  return await packEmbedder(folderOf(data, company), {
    'https://login.acme.example': first.baseUrl,
    'https://staging.acme.example': second.baseUrl,
    'https://api.acme.example/me': `${first.baseUrl}/api/whoami`,
    "commandPrefix: 'acme',": `commandPrefix: 'acme', mcpServers: [{ label: 'Acme MCP', url: '${first.mcpUrl}' }],`,
    '"contributes": {': '"contributes": { "mcpServerDefinitionProviders": [{ "id": "acme", "label": "Acme" }],',
    "'tools'": `'${first.clientId}'`,
    acme: company.toLowerCase(),
    Acme: company,
  });
}

/** Has the extension call its API, and checks that the service accepts its token. */
async function call(workbench: Workbench): Promise<void> {
  await workbench.runCommand('Acme: Who Am I');
  assert.match(await workbench.notifications.take(/^Acme says: /), /"name":"demo"/);
}

const accountOf = (service: string): RegExp => new RegExp(` \\(${service}\\)$`);

/**
 * Guards that an extension signs people in on its own with the npm package, exactly as its author installs, bundles, and
 * packages it, and that it disturbs nobody else who does so, nor the extension.
 */
describe('an extension that embeds the library', () => {
  tellAsOneStory();
  let staging: EmbeddedService;
  let later: EditorWindow;
  const { scene, workbench } = useScene({
    unconfigured: true,
    withoutExtension: true,
    consumer: CALLER,
    settings: { 'chat.disableAIFeatures': false },
    service: PUBLIC_CLIENT,
    surroundings: async (service, data, cleanUp) => {
      staging = await createService({ interval: 1, ...PUBLIC_CLIENT });
      cleanUp.add(() => staging.close());
      return { extensions: [await embedder(data, 'Acme', service, staging)] };
    },
  });
  const refreshes = (): number => scene().service.counts.requests.refresh;
  const screenshot = (name: string): Promise<void> =>
    workbench().screenshot(`${scene().server.host.version.name}/embedder-${name}`);

  it('offers both of its services in the Accounts menu, and signs in to one from there', async () => {
    await workbench().accounts.waitFor(/^Sign in with Acme Staging to use Acme Tools/);
    await workbench().accounts.choose(/^Sign in with Acme to use Acme Tools/);
    await confirmSignIn(workbench(), scene().service);
    await workbench().accounts.waitFor(accountOf('Acme'));
    assert.deepEqual(staging.requests, []);
    await screenshot('1-signed-in');
    await call(workbench());
  });

  it('serves another extension after the person’s consent, and not before', async () => {
    await workbench().runCommand('Caller: Ask Silently');
    assert.equal(await workbench().notifications.take(/^Caller: /), 'Caller: nobody');
    await workbench().runCommand('Caller: Ask');
    await workbench().dialog.answer(/Caller.* wants to (sign in|access)/, 'Allow');
    await workbench().quickInput.pick('demo');
    assert.equal(await workbench().notifications.take(/^Caller: /), 'Caller: demo');
  });

  it('offers an MCP server, which runs with its session', async () => {
    await workbench().runCommand('MCP: List Servers');
    await takeEntry(workbench(), 'Acme MCP');
    await takeEntry(workbench(), 'Start Server');
    const { record } = scene().service;
    await record.until((now) => now.of('mcp').length >= 3);
    const said = await until('the tool to be known', async () => {
      await workbench().runCommand('Caller: Run an MCP Tool');
      const text = await workbench().notifications.take(/^Caller: /);
      return text === 'Caller: "no tool"' ? undefined : text;
    });
    assert.match(said, /You are demo\./);
    assert.ok(record.of('mcp').every(({ token }) => token?.state === 'current'));
  });

  it('shares its session with a window that runs its next version, and replaces a rejected token once', async () => {
    await scene().server.install(await packNextVersion(folderOf(scene().data, 'Acme')));
    later = await scene().openWindow();
    await call(later.workbench);
    scene().service.revoke(1, 'access token');
    await Promise.all([call(workbench()), call(later.workbench)]);
    assert.equal(refreshes(), 1);
  });

  it('cancels a sign-in when it changes the service, and can register the service again', async () => {
    await workbench().accounts.choose(/^Sign in with Acme Staging/);
    await workbench().statusBarItem(STATUS);
    await workbench().runCommand('Acme: Change Service');
    await until('the code to be gone', async () => !(await workbench().statusBar()).some((text) => STATUS.test(text)));
    await workbench().runCommand('Acme: Register Again');
  });

  it('continues a sign-in after a reload of the window', async () => {
    await workbench().accounts.choose(/^Sign in with Acme Staging/);
    await workbench().statusBarItem(STATUS);
    await workbench().reload();
    await approveSignIn(workbench(), staging);
    await workbench().accounts.waitFor(accountOf('Acme Staging'));
    assert.equal(staging.counts.requests['device code'], 2);
  });

  it('keeps its session when a window is killed while it refreshes', async () => {
    const { faults, record } = scene().service;
    await until('the token to be old enough to be to blame', () => {
      const { at } = record.of('refresh').at(-1) ?? assert.fail('nothing was refreshed');
      return Date.now() - at > OLD_ENOUGH;
    });
    scene().service.revoke(1, 'access token');
    const dropped = faults.switchOn('refresh', { kind: 'drop', when: 'before' });
    await later.workbench.runCommand('Acme: Who Am I');
    await dropped.reached();
    process.kill(later.extensionHost, 'SIGKILL');
    await record.until(({ counts }) => counts.refreshed === 2);
    await call(workbench());
    assert.equal(scene().service.counts.deadRefreshTokens, 0);
    await later.workbench.page.close();
  });

  it('signs in and out for itself, beside another one and the extension, at the same service', async () => {
    const { data, server, service } = scene();
    await data.writeSettings(settingsFor(service));
    await server.install(VSIX, await embedder(data, 'Initech', service));
    await workbench().reload();
    for (const [command, name] of [
      ['Initech: Sign In', 'Initech'],
      ['Device Flow: Sign In', SERVICE_NAME],
    ] as const) {
      await workbench().runCommand(command);
      await confirmSignIn(workbench(), service);
      await workbench().accounts.waitFor(accountOf(name));
    }
    await screenshot('2-side-by-side');
    await signOut(workbench(), 'Acme');
    await workbench().accounts.waitUntilGone(accountOf('Acme'));
    for (const name of ['Acme Staging', 'Initech', SERVICE_NAME]) await workbench().accounts.waitFor(accountOf(name));
  });
});
