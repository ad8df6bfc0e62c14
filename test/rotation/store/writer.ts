import { appendFileSync } from 'node:fs';
import { systemClock as clock } from '../../../src/clock';
import { Database } from '../../../src/storage/database';
import { RecordingLog } from '../../support/recordingLog';

/** What a writer process is told: where the database is, its own name, and the file to note its commits in. */
export interface WriterSettings {
  readonly folder: string;
  readonly name: string;
  readonly file: string;
}

/** Longer than a page of the database, so that a commit changes several. */
const FILLING = 'x'.repeat(9_000);

/** Counts up in two rows for as long as it lives: one of its own, and one that all writers share. */
async function main({ folder, name, file }: WriterSettings): Promise<void> {
  const platform = { clock, log: new RecordingLog(), locks: { hasOwn: () => Promise.resolve(true), acquire: none } };
  const database = new Database(folder, 'test', platform);
  for (let count = 1; ; count++) {
    const total = await database.write((rows) => {
      const next = Number.parseInt(rows.get('shared') ?? '0') + 1;
      rows.put('shared', `${next} ${FILLING}`);
      rows.put(`own ${name}`, `${count} ${FILLING}`);
      return next;
    });
    appendFileSync(file, `${name} ${count} ${total}\n`);
  }
}

function none(): Promise<undefined> {
  return Promise.resolve(undefined);
}

void main(JSON.parse(process.argv[2] ?? '') as WriterSettings);
