import assert from 'node:assert/strict';
import { type Machine, originName } from '../../../src/storage/machine';

const FOLDER = '/home/ada/.config/editor/storage';
const machine = (platform: NodeJS.Platform, machineId: string | undefined, hostName: string): Machine => ({
  platform,
  machineId: () => machineId,
  hostName: () => hostName,
});

/** The name of the machine that this is, over these devices. */
const name = (...of: Parameters<typeof machine>): string => originName(machine(...of), FOLDER);

describe('the name of the machine under which things are stored outside the folder', () => {
  it('differs on Linux by the machine ID, whatever the host is called', () => {
    assert.equal(name('linux', 'a1\n', 'home'), name('linux', 'a1', 'work'));
    assert.notEqual(name('linux', 'a1', 'home'), name('linux', 'a2', 'home'));
  });

  it('differs on Linux by the host name if there is no machine ID, as in containers', () => {
    for (const none of [undefined, '', '\n']) {
      assert.equal(name('linux', none, 'one'), name('linux', none, 'one'));
      assert.notEqual(name('linux', none, 'one'), name('linux', none, 'other'));
    }
  });

  for (const platform of ['darwin', 'win32'] as const) {
    it(`stays the same on ${platform} when the host name changes`, () => {
      assert.equal(name(platform, undefined, 'Adas-MacBook.local'), name(platform, undefined, 'dhcp-17.example'));
    });
  }

  it('differs by the folder, as for another editor or user', () => {
    const here = machine('linux', 'a1', 'home');
    assert.notEqual(originName(here, FOLDER), originName(here, '/home/grace/.config/editor/storage'));
  });

  it('reveals neither the machine ID nor the host name', () => {
    assert.match(name('linux', 'a1b2', 'home'), /^[0-9a-f]{32}$/);
  });

  it('is asked of nothing that differs between windows of one machine', () => {
    const asked: string[] = [];
    const here = {
      platform: 'linux',
      machineId: () => {
        asked.push('machine ID');
        return 'a1';
      },
      hostName: () => {
        asked.push('host name');
        return 'home';
      },
    } as const;
    originName(here, FOLDER);
    assert.deepEqual(asked, ['machine ID']);
  });
});
