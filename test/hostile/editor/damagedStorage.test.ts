import assert from 'node:assert/strict';
import { readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../../../package.json';
import type { EditorWindow } from '../../host/browser';
import { SERVICE_NAME } from '../../host/configured';
import { until } from '../../host/until';
import { Workbench } from '../../host/workbench';
import { signIn } from '../../e2e/person';
import { tellAsOneStory } from '../../support/story';
import { useScene } from '../../e2e/scene';
import { logOf } from '../../host/logOf';
import { secretStored } from '../../e2e/secretStored';

const SESSION = /^([0-9a-f-]{36})\.json$/;
const SET_ASIDE = /The journal of session [0-9a-f-]{36} was damaged; it was set aside\./g;
/** In a browser, the editor does not tell a key that is gone from one that this window does not see. */
const KEYRING_FAILS =
  /^(Reload this window to use your sign-in|The key that protects your sign-in is gone .* Sign in again)/;

describe('damage to what is stored, while no window is open', () => {
  tellAsOneStory();
  const scene = useScene();
  const storage = (...parts: readonly string[]): string =>
    path.join(scene().data.globalStorage(`${manifest.publisher}.${manifest.name}`), ...parts);
  const journal = async (): Promise<string> => {
    const name = (await readdir(storage('sessions'))).find((one) => SESSION.test(one));
    assert.ok(name !== undefined);
    return storage('sessions', name);
  };
  const overwrite = async (folder: string): Promise<void> => {
    for (const name of await readdir(storage(folder))) await writeFile(storage(folder, name), 'not what was there\n');
  };
  /** Waits until the copy of the newest tokens is in SecretStorage: from it the session is made again. */
  const copyStored = async (): Promise<void> => {
    const { data, service } = scene();
    const line = `SecretStorage has a copy of generation ${service.counts.refreshed + 1}.`;
    await until('the copy in SecretStorage', async () => (await logOf(data)).includes(line));
  };
  const saidSetAside = async (): Promise<number> => (await logOf(scene().data)).match(SET_ASIDE)?.length ?? 0;

  before('sign in', async () => {
    const { data, profile } = scene();
    const { workbench } = scene();
    await secretStored(data);
    await signIn(workbench, profile.context);
    await copyStored();
  });

  const reopenAfter = async (damage: () => Promise<void>): Promise<EditorWindow> => {
    await scene().closeWindow();
    await damage();
    return scene().openWindow();
  };

  for (const [name, strike, isSetAside] of [
    [
      'a journal that is cut off, a client secret that can’t be read, lock files with something in them',
      async () => {
        await truncate(await journal(), 100);
        await overwrite('clients');
        await overwrite('locks');
      },
      true,
    ],
    [
      'a link to itself in the place of the journal, and no marks of the key',
      async () => {
        const file = await journal();
        await rm(file);
        await symlink(file, file);
        await rm(storage('keys'), { recursive: true });
      },
      true,
    ],
    ['no folder at all', () => rm(storage(), { recursive: true }), false],
  ] as const) {
    it(`does not sign out: ${name}`, async () => {
      const { service } = scene();
      const codes = service.counts.requests['device code'];
      const { refreshed } = service.counts;
      const setAside = (): Promise<number> =>
        readdir(storage('damaged')).then(
          ({ length }) => length,
          () => 0,
        );
      const before = await setAside();
      const said = await saidSetAside();
      const { workbench } = await reopenAfter(strike);
      await workbench.accounts.waitFor(new RegExp(`^${SERVICE_NAME} `));
      // The copy that the session is made again from has no access token, so the service is asked for a new one.
      await service.record.until(({ counts }) => counts.refreshed > refreshed);
      await copyStored();
      assert.equal(service.counts.requests['device code'], codes, 'nobody had to sign in again');
      assert.equal(service.counts.deadRefreshTokens, 0);
      if (isSetAside) {
        assert.equal(await setAside(), before + 1, 'what is damaged is kept');
        await until('the log to say so', async () => (await saidSetAside()) === said + 1);
      }
    });
  }

  it('signs nobody out where the keyring fails, and is told with what to do', async () => {
    const { data, profile, server, service } = scene();
    // The sample extension would hand over the client secret, with which a new key is made.
    await rm(data.secretFile);
    await scene().closeWindow();
    const page = await profile.context.newPage();
    // Without the key that it makes, the editor can't read the secrets that it sealed.
    await page.route('**/mint-key', (route) => route.abort());
    await page.goto(`${server.url}/?folder=${encodeURIComponent(data.workspace)}`);
    const workbench = new Workbench(page);
    await workbench.waitUntilDrawn(60_000);
    await workbench.runCommand('Sample: Ask Silently');
    await workbench.notifications.waitFor(KEYRING_FAILS);
    await workbench.screenshot('hostile/keyring-fails');
    await page.goto('about:blank');
    await page.close();
    const codes = service.counts.requests['device code'];
    const again = await reopenAfter(() => Promise.resolve());
    await again.workbench.accounts.waitFor(new RegExp(`^${SERVICE_NAME} `));
    assert.equal(service.counts.requests['device code'], codes);
  });
});
