import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock as clock } from '../../../src/clock';
import { Database } from '../../../src/storage/database';
import { LockFiles } from '../../../src/storage/lockFiles';
import { StoreUnavailableError } from '../../../src/storage/storeUnavailable';
import { RecordingLog } from '../../support/recordingLog';

/** What a writer process is told: where the database is, its own name, and the file to note its commits in. */
export interface WriterSettings {
  readonly folder: string;
  readonly name: string;
  readonly file: string;
}

/** Longer than a page of the database, so that a commit changes several. */
const FILLING = 'x'.repeat(9_000);

/**
 * Says when it's ready, and when it's told to begin, counts up in two rows for as long as it lives: one of its own, and one that
 * all writers share. Reads all rows for that, so that it finds any damage.
 */
async function main({ folder, name, file }: WriterSettings): Promise<void> {
  const log = new RecordingLog();
  const locks = new LockFiles(path.join(folder, 'locks'), clock, log);
  const database = new Database(folder, 'test', locks, clock, log);
  process.send?.('ready');
  await once(process, 'message');
  for (let count = 1; ; count++) {
    const write = () =>
      database.write((rows) => {
        const next = Number.parseInt(rows.all('').get('shared') ?? '0') + 1;
        rows.put('shared', `${next} ${FILLING}`);
        rows.put(`own ${name}`, `${count} ${FILLING}`);
        return next;
      });
    const total = await whenNotInUse(write);
    appendFileSync(file, `${name} ${count} ${total}\n`);
  }
}

/** On a slow machine, others may use the file for longer than a write waits. Then it has written nothing, and is done again. */
async function whenNotInUse<T>(write: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || error.reason !== 'folder in use') throw error;
    }
  }
}

void main(JSON.parse(process.argv[2] ?? '') as WriterSettings);
