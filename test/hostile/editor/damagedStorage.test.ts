import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { until } from '../../../scripts/host/until';
import { FIRST_ACCOUNT, signIn } from '../../../scripts/scene/person';
import { storedNames } from '../../support/storedRows';
import { tellAsOneStory } from '../../support/story';
import { useScene } from '../../../scripts/scene/useScene';

const RESTORED = /Session \S+: its journal was missing or outdated, and was restored\./g;
/** In a browser, a window can't tell a key that's gone from another browser's, or, right after it was made, from a new one. */
const NOT_SIGNED_IN = /^(This window was opened before your sign-in could be shared|Sample: no session)/;

/** Guards that damage on the disk or in the keyring signs nobody out in the real editor. */
describe('damage to what is stored, while no window is open', () => {
  tellAsOneStory();
  const { scene } = useScene({});
  const stored = (prefix: string): Promise<string[]> => storedNames(scene().data.storage, prefix);
  before('sign in', async () => {
    await signIn(scene().workbench, scene().profile.context);
    // From it the session is made again.
    await until('the copy in SecretStorage', async () =>
      (await scene().data.log()).includes('SecretStorage has a copy of generation 1.'),
    );
  });

  it('signs nobody out if the keyring fails, and stores nothing in place of the key', async () => {
    const { data } = scene();
    const before = [await stored('key/'), await stored('session/')];
    assert.equal(before[1]?.length, 1);
    // The sample extension would hand over the client secret, with which a new key is made.
    await rm(data.secretFile);
    await scene().closeWindow();
    const { workbench } = await scene().openWindow({ keyringFails: true });
    await workbench.runCommand('Sample: Ask Silently');
    await workbench.notifications.waitFor(NOT_SIGNED_IN);
    assert.deepEqual([await stored('key/'), await stored('session/')], before);
    await workbench.screenshot('hostile/keyring-fails');
  });

  it('signs nobody out if the whole folder is gone, after that', async () => {
    const { data, service } = scene();
    const restorations = async (): Promise<number> => (await data.log()).match(RESTORED)?.length ?? 0;
    const [before, sessions] = [await restorations(), await stored('session/')];
    await scene().closeWindow();
    await rm(data.storage, { recursive: true });
    const { workbench } = await scene().openWindow();
    await workbench.accounts.waitFor(FIRST_ACCOUNT);
    await until('the log to say so', async () => (await restorations()) > before);
    assert.deepEqual(await stored('session/'), sessions, 'the journal is back');
    assert.equal(service.counts().requests['device code'], 1, 'nobody had to sign in again');
    assert.equal(service.counts().deadRefreshTokens, 0);
  });
});
