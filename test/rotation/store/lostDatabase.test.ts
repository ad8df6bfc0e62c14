import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '../../../host/until';
import { type Clock, systemClock } from '../../../src/clock';
import { MemorySecretStorage } from '../../support/memory';
import { IS_POSIX, REMOVE } from '../../support/thisSystem';
import { TestService } from '../../unit/sessions/testService';
import { Window } from './window';

type Misfortune = readonly [what: string, happen: (file: string, backup: Buffer) => Promise<void>];

/** What may happen to a database. The backup is one from before the last refresh. */
const MISFORTUNES: readonly Misfortune[] = [
  ['damaged', (file) => writeFile(file, Buffer.alloc(readFileSync(file).length, 'no database '))],
  ['emptied', (file) => writeFile(file, '')],
  ['set back', (file, backup) => writeFile(file, backup)],
];

const DELETED: Misfortune = ['deleted', (file) => rm(path.dirname(file), REMOVE)];

/** Guards that people stay signed in, with their latest tokens, whatever becomes of the database, because others know them too. */
describe('a database that’s lost', function () {
  this.timeout(60_000);
  let folder: string;
  let secrets: MemorySecretStorage;
  let service: TestService;
  let backup: Buffer;
  /** By how much the wall clock was set forward. Milliseconds. */
  let later = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + later };
  const windows: Window[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'device-flow-lost-'));
    later = 0;
    secrets = new MemorySecretStorage();
    service = new TestService(
      3_600_000,
      () => clock.monotonic(),
      () => clock.now(),
    );
    const window = open();
    await window.enterClientSecret();
    const id = await window.signIn('Ada');
    backup = readFileSync(file());
    const { stored } = secrets;
    await window.sessions.refreshNow(id);
    await until('the recovery copy', () => secrets.stored > stored);
  });

  afterEach(async () => {
    await closeAll();
    await rm(folder, REMOVE);
  });

  function open(): Window {
    const window = new Window(folder, secrets, service, clock);
    windows.push(window);
    return window;
  }

  async function closeAll(): Promise<void> {
    for (const window of windows.splice(0)) await window.close();
  }

  function file(): string {
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('.sqlite'));
    return path.join(folder, found ?? assert.fail('There is no database.'));
  }

  // On Windows, nobody can delete what windows have open.
  for (const [what, happen] of [...MISFORTUNES, ...(IS_POSIX ? [DELETED] : [])]) {
    it(`is written again by the windows that are open, access tokens included, if it was ${what}`, async () => {
      const other = open();
      assert.deepEqual(await other.accounts(), ['Ada']);
      for (const { sessions } of windows) void sessions.run();
      await happen(file(), backup);
      for (const { sessions } of windows) sessions.wake();
      await until('the journal', () => windows.some(({ log }) => log.text().includes('they were written again')));
      const next = open();
      assert.deepEqual(await next.accounts(), ['Ada']);
      const [served] = await next.sessions.list();
      assert.deepEqual([served?.account.label, served?.accessToken], ['Ada', service.accessToken()]);
      assert.equal(service.asked, 1);
    });
  }

  for (const [what, happen] of [...MISFORTUNES, DELETED]) {
    it(`is written again from the recovery copies, which the next window has, if it was ${what}`, async () => {
      await closeAll();
      await happen(file(), backup);
      const [restored] = await open().sessions.list();
      assert.equal(restored?.account.label, 'Ada');
      // Until then, another window might have had a later token.
      later = 30_000;
      await windows[0]?.sessions.refreshNow(restored.id);
      assert.equal(service.requests.at(-1)?.current, true, 'with the latest refresh token');
    });
  }
});
