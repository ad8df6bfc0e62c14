import assert from 'node:assert/strict';
import path from 'node:path';
import type { DataFolder } from '../../scripts/host/dataFolder';
import type { Workbench } from '../../scripts/host/workbench';
import { confirmSignIn, signOut } from '../../scripts/scene/person';
import { useScene } from '../../scripts/scene/useScene';
import { SERVICE_NAME, settingsFor } from '../../demo/configured';
import { createService, type EmbeddedService } from '../../demo/service';
import { packEmbedder } from '../support/embedder';
import { tellAsOneStory } from '../support/story';

/** A standard service that wants no secret, which nobody could keep. */
const PUBLIC_CLIENT = { protocol: 'rfc8628', clientSecret: '' } as const;

const CALLER = path.join('test', 'embedder', 'caller');

/** The sample as it is for these services, under this name. */
async function embedder(data: DataFolder, company: string, first: EmbeddedService, second = first): Promise<string> {
  const id = company.toLowerCase();
  return await packEmbedder(path.join(data.root, id), {
    ...{ 'https://login.acme.example': first.baseUrl, 'https://staging.acme.example': second.baseUrl },
    ...{ 'https://api.acme.example/me': `${first.baseUrl}/api/whoami`, "'tools'": `'${first.clientId}'` },
    ...{ acme: id, Acme: company },
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
 * packages it.
 */
describe('an extension that embeds the library, alone', () => {
  tellAsOneStory();
  let staging: EmbeddedService;
  const { scene, workbench } = useScene({
    ...{ unconfigured: true, withoutExtension: true, consumer: CALLER },
    service: PUBLIC_CLIENT,
    surroundings: async (service, data, cleanUp) => {
      staging = await createService({ interval: 1, ...PUBLIC_CLIENT });
      cleanUp.add(() => staging.close());
      return { extensions: [await embedder(data, 'Acme', service, staging)] };
    },
  });

  it('offers both of its services in the Accounts menu, and signs in to one from there', async () => {
    await workbench().accounts.waitFor(/^Sign in with Acme Staging to use Acme Tools/);
    await workbench().accounts.choose(/^Sign in with Acme to use Acme Tools/);
    await confirmSignIn(workbench(), scene().service);
    await workbench().accounts.waitFor(accountOf('Acme'));
    assert.deepEqual(staging.requests, []);
    await workbench().screenshot(`${scene().server.host.version.name}/library-1-signed-in`);
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
});

/** Guards that whoever embeds the library disturbs nobody else who does, nor the extension. */
describe('two extensions that embed the library, beside each other and the extension', () => {
  tellAsOneStory();
  const { scene, workbench } = useScene({
    ...{ unconfigured: true, consumer: CALLER },
    service: PUBLIC_CLIENT,
    surroundings: async (service, data) => ({
      settings: settingsFor(service),
      extensions: [await embedder(data, 'Acme', service), await embedder(data, 'Initech', service)],
    }),
  });

  it('each sign in for themselves at the same service, and out for themselves', async () => {
    for (const [command, name] of [
      ['Acme: Sign In', 'Acme'],
      ['Initech: Sign In', 'Initech'],
      ['Device Flow: Sign In', SERVICE_NAME],
    ] as const) {
      await workbench().runCommand(command);
      await confirmSignIn(workbench(), scene().service);
      await workbench().accounts.waitFor(accountOf(name));
    }
    await workbench().screenshot(`${scene().server.host.version.name}/library-2-side-by-side`);
    await signOut(workbench(), 'Acme');
    await workbench().accounts.waitUntilGone(accountOf('Acme'));
    await workbench().accounts.waitFor(accountOf('Initech'));
    await workbench().accounts.waitFor(accountOf(SERVICE_NAME));
  });
});
