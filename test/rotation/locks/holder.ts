import { appendFileSync } from 'node:fs';
import { systemClock as clock } from '../../../src/clock';
import { LockFiles } from '../../../src/storage/lockFiles';
import { RecordingLog } from '../../support/recordingLog';

/** What a holder process is told: where the locks are, how often to take one, and the file to note it in. */
export interface HolderSettings {
  readonly folder: string;
  /** 0: take it once and keep it. */
  readonly times: number;
  readonly file: string;
}

const PATIENCE = 60_000;

async function main({ folder, times, file }: HolderSettings): Promise<void> {
  const locks = new LockFiles(folder, clock, new RecordingLog());
  const take = async (): Promise<() => void> => {
    const release = await locks.acquire('one', PATIENCE);
    if (release === undefined) throw new Error('The lock was not to be had.');
    return release;
  };
  if (times === 0) {
    await take();
    process.send?.('taken');
    setInterval(() => undefined, PATIENCE);
    return;
  }
  for (let taken = 0; taken < times; taken++) {
    const release = await take();
    appendFileSync(file, `begin ${process.pid}\n`);
    await clock.sleep(Math.random() * 2);
    appendFileSync(file, `end ${process.pid}\n`);
    release();
  }
  process.exit(0);
}

void main(JSON.parse(process.argv[2] ?? '') as HolderSettings);
