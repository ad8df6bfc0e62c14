import { appendFileSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { systemClock as clock } from '../../../src/clock';
import { KEY_BYTES, storeKey } from '../../../src/storage/cipher';
import { Database } from '../../../src/storage/database';
import { LockFiles } from '../../../src/storage/lockFiles';
import { Journals } from '../../../src/storage/journal';
import { Sealing } from '../../../src/storage/sealing';
import { StoreUnavailableError } from '../../../src/storage/storeUnavailable';
import { RecordingLog } from '../../support/recordingLog';
import { entryWith } from '../../unit/sessions/entries';

/** What happened on a disk that was full, from one moment of a refresh on. */
export interface FullDiskReport {
  /** Why a new row was refused. */
  readonly refused: string;
  /** The kinds of what the journal was after the response was written, and after the sign-out. */
  readonly kinds: readonly (string | undefined)[];
  /** Whether the token that's longer than the one before is there. */
  readonly hasToken: boolean;
}

/** Fills a small disk during a refresh. The disk is mounted at the folder that's given, for this process only. */
async function main(folder: string): Promise<void> {
  const log = new RecordingLog();
  const locks = new LockFiles(path.join(folder, 'locks'), clock, log);
  const database = new Database(folder, 'test', locks, clock, log);
  const journals = new Journals(new Sealing(storeKey(Buffer.alloc(KEY_BYTES, 1)), (bytes) => Buffer.alloc(bytes, 7)));
  const before = entryWith({ accessToken: 'a'.repeat(1_000) }, { state: 'stable' });
  const { sessionId } = before;
  await database.write((rows) => {
    journals.write(rows, before);
  });
  await database.write((rows) => {
    journals.reserve(rows, before);
  });
  await database.write((rows) => {
    journals.write(rows, { ...before, state: 'sending', revision: 2 });
  });
  fill(path.join(folder, 'filling'));
  const refused = await database
    .write((rows) => {
      rows.put('another', 'x'.repeat(100_000));
    })
    .then(
      () => 'it was not',
      (error: unknown) => (error instanceof StoreUnavailableError ? error.reason : String(error)),
    );
  const accessToken = 'b'.repeat(5_000);
  await database.write((rows) => {
    journals.write(rows, entryWith({ accessToken }, { generation: 2, revision: 3 }));
  });
  const after = await database.read((rows) => journals.read(rows, sessionId));
  await database.write((rows) => {
    journals.end(rows, sessionId, { endedAt: 1, isRejected: false });
  });
  const end = await database.read((rows) => journals.read(rows, sessionId));
  const report: FullDiskReport = {
    refused,
    kinds: [after?.kind, end?.kind],
    hasToken: after?.kind === 'entry' && after.entry.record.accessToken === accessToken,
  };
  process.stdout.write(JSON.stringify(report));
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
