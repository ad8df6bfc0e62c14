import assert from 'node:assert/strict';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { WHO_SIGNED_IN } from '../../../demo/configured';
import { createService, type EmbeddedService } from '../../../demo/service';
import type { DataFolder } from '../../../scripts/host/dataFolder';
import { packExtension } from '../../../scripts/host/packExtension';
import { until } from '../../../scripts/host/until';
import { allowUse, answerQuestions } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { tellAsOneStory } from '../../support/story';

/** A profile of VS Code, by its name. */
const STRAY = 'Stray';
/** Who signs in. */
const USER = 'Ada';

/** Guards that the application's list applies in a profile of VS Code that has another key of the extension's, and can be changed there. */
describe('profiles of VS Code', () => {
  tellAsOneStory();
  let second: EmbeddedService;
  const { scene, workbench } = useScene({
    windowless: true,
    fields: WHO_SIGNED_IN,
    surroundings: async (_service, _data, cleanUp) => {
      const standard = { clientName: 'Sample Client', interval: 1, protocol: 'rfc8628', clientSecret: '' } as const;
      second = await createService(standard);
      cleanUp.add(() => second.close());
      return { extensions: [await packExtension(path.join('test', 'e2e', 'consumer'))] };
    },
  });
  const openIn = async (profile: string): Promise<void> => {
    await scene().openWindow({ payload: [['profile', profile]] });
    await until(`a window of the profile ${profile}`, async () => (await workbench().page.title()).startsWith(profile));
  };
  const approve = async (service: EmbeddedService): Promise<void> => {
    assert.equal(service.approve(await until('a code', () => service.pending[0]), USER), undefined);
  };
  const add = async ({ baseUrl, clientId }: EmbeddedService): Promise<void> => {
    await workbench().runCommand('Device Flow: Configure Service');
    await workbench().quickInput.pick('Add Service…');
    await until('the presets', async () => (await workbench().quickInput.labels()).includes('GitHub App'));
    await workbench().quickInput.enter('Other…');
    await answerQuestions(workbench(), ['the base URL', baseUrl], ['the client ID', clientId]);
  };
  const askFor = async ({ baseUrl }: EmbeddedService): Promise<void> => {
    await workbench().runCommand('Alternating: Ask');
    await workbench().quickInput.enter(baseUrl);
    await allowUse(workbench(), 'Alternating');
  };
  const said = (by: string): Promise<string> => workbench().notifications.take(new RegExp(`^${by}: `));

  before('make the profile', async () => {
    const { data, profile } = scene();
    await makeProfile(data, STRAY, { 'deviceFlow.clientId': 'stray' });
    // In a browser, this is where VS Code knows its profiles from.
    const known = [{ name: STRAY, location: { $mid: 1, scheme: 'vscode-remote', path: folderOf(data, STRAY) } }];
    const script = `localStorage.setItem('userDataProfiles', ${JSON.stringify(JSON.stringify(known))})`;
    await profile.context.addInitScript(script);
  });

  it('use the application’s list if they have another key of the extension’s, and can be configured', async () => {
    await openIn(STRAY);
    await add(second);
    await workbench().notifications.take(/ is configured\./);
    assert.deepEqual(await baseUrls(), [scene().service.baseUrl, second.baseUrl]);
    await askFor(second);
    await approve(second);
    assert.equal(await said('Alternating'), `Alternating: ${USER} (${new URL(second.baseUrl).host}) 200`);
    await workbench().runCommand('Sample: Ask for a Session');
    await allowUse(workbench());
    await approve(scene().service);
    assert.equal(await said('Sample'), `Sample: session of ${USER}`);
  });

  /** Of the services in the application's settings. */
  async function baseUrls(): Promise<readonly unknown[]> {
    const { 'deviceFlow.services': services } = await scene().data.settings();
    return (services as readonly { baseUrl: string }[]).map(({ baseUrl }) => baseUrl);
  }
});

/** Where VS Code keeps what a profile has. */
function folderOf({ userData }: DataFolder, profile: string): string {
  return path.join(userData, 'User', 'profiles', profile.toLowerCase());
}

/** Makes a profile that has all extensions, and these settings of its own. Its windows have its name in their titles. */
async function makeProfile(
  data: DataFolder,
  profile: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  const folder = folderOf(data, profile);
  await mkdir(folder, { recursive: true });
  await copyFile(path.join(data.extensions, 'extensions.json'), path.join(folder, 'extensions.json'));
  const all = { 'window.title': '${profileName}', 'workbench.startupEditor': 'none', ...settings };
  await writeFile(path.join(folder, 'settings.json'), JSON.stringify(all));
}
