import { open, rename } from 'node:fs/promises';
import path from 'node:path';
import type { SharedRows } from '../../../src/storage/rows';

/** How many bytes a session's row has. */
export async function journalSize(rows: SharedRows): Promise<number> {
  const [text = ''] = await rows.read((read) => [...read.all('session/').values()]);
  return text.length;
}

/** Milliseconds that it takes to replace a file by another of so many bytes, synced. */
export async function writeSyncRename(folder: string, size: number): Promise<number> {
  const from = path.join(folder, 'reference.new');
  const to = path.join(folder, 'reference');
  const contents = Buffer.alloc(size, 'x');
  const began = performance.now();
  const file = await open(from, 'w', 0o600);
  try {
    await file.write(contents);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(from, to);
  return performance.now() - began;
}

/** The same, and syncs the folder: only then does the new file survive a loss of power. */
export async function writeDurably(folder: string, size: number): Promise<number> {
  const took = await writeSyncRename(folder, size);
  const began = performance.now();
  const opened = await open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
  return took + performance.now() - began;
}
