import { appendFileSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { until } from '../../../host/until';
import { systemClock as clock } from '../../../src/clock';
import { MemorySecretStorage } from '../../support/memory';
import { TestService } from '../../unit/sessions/testService';
import { Window } from './window';

/** What happened on a disk that was full from the moment on in which the first refresh of a store was sent. */
export interface FullDiskReport {
  /** Whether another window had the token, which is longer than the one before. */
  readonly hasToken: boolean;
  /** What the accounts were after the sign-out. */
  readonly accounts: readonly string[];
}

/** Fills a small disk during a refresh. The disk is mounted at the folder that's given, for this process only. */
async function main(folder: string): Promise<void> {
  const service = new TestService(
    3_600_000,
    () => clock.monotonic(),
    () => clock.now(),
  );
  const secrets = new MemorySecretStorage();
  const open = (): Window => new Window(folder, secrets, service);
  const window = open();
  await window.enterClientSecret();
  const signIn = async (label: string): Promise<string> => {
    await window.sessions.prepareToAdd();
    return await window.signIn(label);
  };
  // What a sign-out leaves behind is of use for the first row that grows, and SQLite's journal remains short.
  await window.sessions.remove(await signIn('Grace'));
  const id = await signIn('Ada');
  const accessToken = 'b'.repeat(5_000);
  const respond = service.hold({ accessToken });
  const refreshed = window.sessions.refreshNow(id);
  await until('the request', () => service.asked > 0);
  fill(path.join(folder, 'filling'));
  respond();
  await refreshed;
  const [served] = await open().sessions.list();
  await window.sessions.remove(id);
  const report: FullDiskReport = {
    hasToken: served?.accessToken === accessToken,
    accounts: await open().accounts(),
  };
  process.stdout.write(JSON.stringify(report));
  process.exit();
}

/** Takes all room that's left, to the last byte. */
function fill(file: string): void {
  const opened = openSync(file, 'w');
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) if (writeSync(opened, Buffer.alloc(size)) < size) break;
    } catch {
      // It's too much; perhaps less isn't.
    }
  }
  try {
    appendFileSync(file, 'x');
    throw new RangeError('The disk is not full.');
  } catch (error) {
    if (error instanceof RangeError) throw error;
  }
}

void main(process.argv[2] ?? '');
