import assert from 'node:assert/strict';
import path from 'node:path';
import { SERVICE_NAME, settingsFor } from '../../../demo/configured';
import { createService, type EmbeddedService } from '../../../demo/service';
import { VSIX } from '../../../host/paths';
import { until } from '../../../host/until';
import { takeEntry } from '../../../scripts/scene/mcp';
import {
  allowUse,
  confirmSignIn,
  followLink,
  giveConsent,
  signOut,
  takeCode,
  untilNoSignIn,
} from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import {
  accountOf,
  callApi,
  folderOf,
  packEmbedderFor,
  packNextVersion,
  packServersEmbedder,
  PUBLIC_CLIENT,
} from '../../support/embedder';
import { tellAsOneStory } from '../../support/story';

const WANTS_TO_SIGN_IN = /Acme Tools.* wants to sign in/;
const CALLER = path.join('test', 'embedder', 'caller');
const WRONG_ENTRY = /^Element 1 of the globex\.servers setting can’t be used: baseUrl is wrong\. Enter a web address/;

/**
 * Guards that an extension signs people in on its own with the npm package, exactly as its author installs, bundles, and
 * packages it; that VS Code lets others use its session; and that it gets along with its own next version, with a change of
 * its service, with others who embed the package, and with the extension. And that one whose users list servers of their own, written
 * as the page for authors says, signs them in to each, and sends each its own token, without a question once the person has allowed
 * it; and that a wrong entry harms no other.
 */
describe('an extension that embeds the library', () => {
  tellAsOneStory();
  let staging: EmbeddedService;
  /** The servers that a person lists for another extension, which is called Globex. */
  const listed: EmbeddedService[] = [];
  const { scene, workbench } = useScene({
    unconfigured: true,
    withoutExtension: true,
    consumer: CALLER,
    settings: { 'chat.disableAIFeatures': false },
    service: PUBLIC_CLIENT,
    surroundings: async (service, data, cleanUp) => {
      const create = async (): Promise<EmbeddedService> => {
        const created = await createService({ interval: 1, ...PUBLIC_CLIENT });
        cleanUp.add(() => created.close());
        return created;
      };
      staging = await create();
      listed.push(...(await Promise.all([create(), create(), create()])));
      const settings = { 'globex.servers': ['globex.example', ...listed.map(({ baseUrl }) => baseUrl)] };
      const acme = await packEmbedderFor(data, 'Acme', [service, staging]);
      const globex = await packServersEmbedder(data, 'Globex', service.clientId, folderOf(data, 'Acme'));
      return { settings, extensions: [acme, globex] };
    },
  });
  const screenshot = (name: string): Promise<void> =>
    workbench().screenshot(`${scene().server.host.version.name}/embedder-${name}`);

  it('says nothing more if the person declines, or cancels the sign-in', async () => {
    await workbench().runCommand('Acme: Who Am I');
    await workbench().dialog.answer(WANTS_TO_SIGN_IN, 'Cancel');
    await workbench().runCommand('Acme: Who Am I');
    await workbench().dialog.answer(WANTS_TO_SIGN_IN, 'Allow');
    await takeCode(workbench());
    await workbench().runCommand('Acme: Cancel Sign In');
    await untilNoSignIn(workbench());
    // VS Code shows what a command throws.
    const shown = (await workbench().notifications.list()).map(({ text }) => text);
    assert.deepEqual(
      shown.filter((text) => /result|cancel|consent/i.test(text)),
      [],
    );
  });

  it('offers both of its services in the Accounts menu, and signs in to one from there', async () => {
    await workbench().accounts.waitFor(/^Sign in with Acme Staging to use Acme Tools/);
    await workbench().accounts.choose(/^Sign in with Acme to use Acme Tools/);
    const { page } = await followLink(workbench(), scene().profile.context);
    await page.close();
    await confirmSignIn(workbench(), scene().service);
    await workbench().accounts.waitFor(accountOf('Acme'));
    assert.deepEqual(staging.requests, []);
    await screenshot('1-signed-in');
    await callApi(workbench());
  });

  it('serves another extension after the person’s consent, and not before', async () => {
    await workbench().runCommand('Caller: Ask Silently');
    assert.equal(await workbench().notifications.take(/^Caller: /), 'Caller: nobody');
    await workbench().runCommand('Caller: Ask');
    await giveConsent(workbench(), 'demo', 'Caller');
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
    const later = await scene().openWindow();
    await callApi(later.workbench);
    scene().service.revoke(1, 'access token');
    await Promise.all([callApi(workbench()), callApi(later.workbench)]);
    assert.equal(scene().service.counts().requests.refresh, 1);
    await later.close();
  });

  it('asks for the scopes that an API says it needs, and calls it once more', async () => {
    const headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' };
    scene().service.faults.switchOn('whoami', { kind: 'respond', status: 403, headers });
    await workbench().runCommand('Acme: Who Am I');
    await workbench().dialog.answer(WANTS_TO_SIGN_IN, 'Allow');
    await confirmSignIn(workbench(), scene().service);
    assert.match(await workbench().notifications.take(/^Acme says: /), /"name":"demo"/);
    await callApi(workbench());
  });

  it('cancels a sign-in when it changes the service, and can register the service again', async () => {
    await workbench().accounts.choose(/^Sign in with Acme Staging/);
    await takeCode(workbench());
    await workbench().runCommand('Acme: Change Service');
    await untilNoSignIn(workbench());
    await workbench().runCommand('Acme: Register Again');
    // Until then, the menu has the entry of before, which leads nowhere anymore.
    await workbench().notifications.take(/^Acme is registered again/);
  });

  it('ends a sign-in when its window is reloaded, and one press begins it anew, beside extensions that have come meanwhile', async () => {
    const { data, server, service } = scene();
    await workbench().accounts.choose(/^Sign in with Acme Staging/);
    await takeCode(workbench());
    await data.writeSettings({ ...(await data.settings()), ...settingsFor(service) });
    await server.install(VSIX, await packEmbedderFor(data, 'Initech', [service, service], folderOf(data, 'Globex')));
    // A window that's reloaded while it stores its first key loses that.
    await workbench().accounts.waitFor(/^Sign in with Initech/);
    await workbench().reload();
    await workbench().accounts.choose(/^Sign in with Acme Staging/);
    await confirmSignIn(workbench(), staging);
    await workbench().accounts.waitFor(accountOf('Acme Staging'));
    assert.equal(staging.counts().requests['device code'], 3);
  });

  it('signs in and out for itself, beside another one and the extension, at the same service', async () => {
    const { service } = scene();
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

  describe('and whose users list three servers in a setting of its own', () => {
    const call = async ({ baseUrl }: EmbeddedService): Promise<void> => {
      await workbench().runCommand('Globex: Who Am I');
      await workbench().quickInput.pick(baseUrl);
    };
    const said = (): Promise<string> => workbench().notifications.take(/^Globex says: /);

    it('says which element of the setting can’t be used, and offers the others', async () => {
      await workbench().runCommand('Globex: Who Am I');
      await workbench().quickInput.waitUntilOpen();
      assert.deepEqual(
        await workbench().quickInput.labels(),
        listed.map(({ baseUrl }) => baseUrl),
      );
      await workbench().quickInput.cancel();
      assert.match(await workbench().notifications.take(/^Element /), WRONG_ENTRY);
    });

    it('signs in to each, the first time it calls it', async () => {
      for (const service of listed) {
        await call(service);
        await allowUse(workbench(), 'Globex Servers');
        await confirmSignIn(workbench(), service, 'Ada');
        assert.match(await said(), /"name":"Ada"/);
      }
    });

    it('shows them in one menu, each with a name of its own', async () => {
      // The first entry can't be used, so none of them is the default one, whose accounts have plain names.
      for (const { baseUrl } of listed) {
        const { port } = new URL(baseUrl);
        await workbench().accounts.waitFor(new RegExp(`^Ada · 127\\.0\\.0\\.1:${port} \\(Globex\\)$`));
      }
    });

    it('sends each its own token from then on, in any order, and asks nothing', async () => {
      for (const service of [...listed, ...listed].reverse()) {
        await call(service);
        assert.match(await said(), /"name":"Ada"/);
        const { token } = service.record.of('whoami').at(-1) ?? assert.fail('the service was not called');
        assert.equal(token?.state, 'current');
      }
      for (const service of listed) assert.equal(service.counts().requests['device code'], 1);
    });
  });
});
