import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { vaultKey } from '../../../src/storage/cipher';
import type { Locks } from '../../../src/storage/locks';
import { NodeDisk } from '../../../src/storage/nodeDisk';
import type { WaitingSignIn } from '../../../src/signin/keptSignIn';
import { SignInFiles } from '../../../src/signin/signInFiles';
import { FakeClock } from '../../support/fakeClock';
import { RecordingLog } from '../../support/recordingLog';
import { deviceCode } from './scriptedProtocol';

const service = { baseUrl: 'https://service.example', clientId: 'the client' };

/** Locks of one machine: those of a window that dies are free at once. */
class MachineLocks {
  readonly #held = new Map<string, object>();

  /** The locks as one window takes them, and how that window dies. */
  window(): { readonly locks: Locks; readonly die: () => void } {
    const window = {};
    const free = (name: string): void => {
      if (this.#held.get(name) === window) this.#held.delete(name);
    };
    return {
      locks: {
        acquire: (name) => {
          if (this.#held.has(name)) return Promise.resolve(undefined);
          this.#held.set(name, window);
          return Promise.resolve(() => {
            free(name);
          });
        },
      },
      die: () => {
        for (const name of [...this.#held.keys()]) free(name);
      },
    };
  }
}

describe('sign-ins that are kept for the next window', () => {
  const key = vaultKey(randomBytes(32));
  let folder: string;
  let clock: FakeClock;
  let log: RecordingLog;
  let machine: MachineLocks;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sign-in-files-'));
    clock = new FakeClock();
    log = new RecordingLog();
    machine = new MachineLocks();
  });
  afterEach(() => rm(folder, { recursive: true }));

  function window(windowKey: typeof key | 'none' = key): { files: SignInFiles; die: () => void } {
    const { locks, die } = machine.window();
    const disk = new NodeDisk(folder, log);
    const parts = {
      disk,
      locks,
      clock,
      random: randomBytes,
      log,
      key: () => Promise.resolve(windowKey === 'none' ? undefined : windowKey),
    };
    return { files: new SignInFiles(parts), die };
  }

  function waiting(fields: Partial<WaitingSignIn> = {}): WaitingSignIn {
    return {
      service,
      deviceCode: deviceCode(),
      arrivedAt: clock.now(),
      accountLabel: 'Ada of the kept sign-in',
      replaces: 'one',
      ...fields,
    };
  }

  it('are taken over whole by the window after one that died, once', async () => {
    const first = window();
    const signIn = waiting();
    await first.files.keep(signIn);
    first.die();
    const second = window();
    const taken = await second.files.takeOver(service);
    assert.deepEqual(taken?.signIn, signIn);
    assert.equal(await window().files.takeOver(service), undefined);
    taken.leave();
    assert.deepEqual((await window().files.takeOver(service))?.signIn, signIn);
  });

  it('stay with the window that runs them', async () => {
    await window().files.keep(waiting());
    assert.equal(await window().files.takeOver(service), undefined);
  });

  it('are gone once they are over', async () => {
    const first = window();
    await (await first.files.keep(waiting()))?.forget();
    first.die();
    assert.equal(await window().files.takeOver(service), undefined);
    assert.deepEqual(await readdir(path.join(folder, 'signins')), []);
  });

  it('are forgotten when their code has expired', async () => {
    const first = window();
    await first.files.keep(waiting({ deviceCode: deviceCode({ expiresIn: 60 }) }));
    first.die();
    clock.jump(60_000);
    assert.equal(await window().files.takeOver(service), undefined);
    assert.deepEqual(await readdir(path.join(folder, 'signins')), []);
  });

  it('are left alone by windows that are set to another service or client', async () => {
    const first = window();
    await first.files.keep(waiting());
    first.die();
    assert.equal(await window().files.takeOver({ ...service, clientId: 'another' }), undefined);
    assert.equal(await window().files.takeOver({ ...service, baseUrl: 'https://another.example' }), undefined);
    assert.ok((await window().files.takeOver(service)) !== undefined);
  });

  it('of several windows wait side by side', async () => {
    const windows = [window(), window(), window()];
    for (const [index, { files }] of windows.entries()) await files.keep(waiting({ accountLabel: String(index) }));
    for (const { die } of windows) die();
    const next = window();
    const labels = [];
    for (;;) {
      const taken = await next.files.takeOver(service);
      if (taken === undefined) break;
      labels.push(taken.signIn.accountLabel);
    }
    assert.deepEqual(labels.sort(), ['0', '1', '2']);
  });

  it('show nothing of their codes on the disk', async () => {
    await window().files.keep(waiting());
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile());
    assert.ok(files.length > 0);
    for (const file of files) {
      const text = await readFile(path.join(file.parentPath, file.name), 'utf8');
      assert.doesNotMatch(text, /ABCD-1234|not a real|Ada of|service\.example/);
    }
  });

  it('of another browser, with a key of its own, are left alone', async () => {
    const first = window();
    await first.files.keep(waiting());
    first.die();
    assert.equal(await window(vaultKey(randomBytes(32))).files.takeOver(service), undefined);
    assert.equal(await window('none').files.takeOver(service), undefined);
    assert.ok((await window().files.takeOver(service)) !== undefined);
  });

  for (const [what, text] of [
    ['cut off', '{"keyId":'],
    ['empty', ''],
    ['changed', `{"keyId":"${key.id}","sealed":"AAAA"}`],
  ] as const) {
    it(`are removed where they are damaged: ${what}`, async () => {
      const first = window();
      await first.files.keep(waiting());
      first.die();
      await writeFile(path.join(folder, 'signins', '0.json'), text);
      assert.equal(await window().files.takeOver(service), undefined);
      assert.deepEqual(await readdir(path.join(folder, 'signins')), []);
      assert.ok(log.text().includes('damaged'));
    });
  }

  it('that can’t be written cost no more than a line in the log', async () => {
    await writeFile(path.join(folder, 'signins'), 'a file where the folder should be');
    assert.equal(await window().files.keep(waiting()), undefined);
    assert.equal(await window().files.takeOver(service), undefined);
    assert.equal(log.lines.length, 2);
  });
});
