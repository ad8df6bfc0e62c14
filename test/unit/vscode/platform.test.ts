import assert from 'node:assert/strict';
import { originName } from '../../../src/vscode/platform';

const FOLDER = '/home/ada/.config/editor/storage';
const name = (platform: NodeJS.Platform, machineId: string, hostName: string, folder = FOLDER): string =>
  originName({ platform, machineId, hostName }, folder);

/** Guards that what's stored outside the folder belongs to one machine, one user, and one editor. */
describe('the name of the machine under which things are stored outside the folder', () => {
  it('differs on Linux by the machine ID, whatever the host is called', () => {
    assert.equal(name('linux', 'a1', 'home'), name('linux', 'a1', 'work'));
    assert.notEqual(name('linux', 'a1', 'home'), name('linux', 'a2', 'home'));
  });

  it('differs on Linux by the host name if there is no machine ID, as in containers', () => {
    assert.equal(name('linux', '', 'one'), name('linux', '', 'one'));
    assert.notEqual(name('linux', '', 'one'), name('linux', '', 'other'));
  });

  for (const platform of ['darwin', 'win32'] as const) {
    it(`stays the same on ${platform} when the host name changes`, () => {
      assert.equal(name(platform, '', 'Adas-MacBook.local'), name(platform, '', 'dhcp-17.example'));
    });
  }

  it('differs by the folder, as for another editor or user', () => {
    assert.notEqual(name('linux', 'a1', 'home'), name('linux', 'a1', 'home', '/home/grace/.config/editor/storage'));
  });

  it('reveals neither the machine ID nor the host name', () => {
    assert.match(name('linux', 'a1b2', 'home'), /^[0-9a-f]{32}$/);
  });
});
