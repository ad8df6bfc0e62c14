import type { Page } from 'playwright-core';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DataFolder } from './dataFolder';
import { ARTIFACTS } from './paths';
import { takePicture } from './picture';

/** What was there when a test failed. */
export interface Remains {
  /** Windows and other pages. */
  readonly pages: readonly Page[];
  readonly data: DataFolder;
  /** Further files worth keeping. */
  readonly files?: readonly string[];
}

/**
 * Saves screenshots of the windows, the extension's log, and other files in `artifacts/failed`.
 * @param title of the test, or of the suite whose tests couldn't begin
 */
export async function keepWhatFailed(title: string, left: Remains): Promise<void> {
  const name = path.join('failed', title.replace(/[^a-z0-9]+/gi, '-'));
  const folder = path.join(ARTIFACTS, name);
  await mkdir(folder, { recursive: true });
  // If one can't be saved, the others are saved all the same, and the next tests don't fail.
  const keep = (keeping: Promise<void>): Promise<void> =>
    keeping.catch((error: unknown) => {
      console.error('Couldn’t save a part of what a failed test left.', error);
    });
  await keep(left.data.log().then((log) => writeFile(path.join(folder, 'extension.log'), log)));
  for (const file of left.files ?? []) await keep(copyFile(file, path.join(folder, path.basename(file))));
  for (const [index, page] of left.pages.entries()) {
    if (!page.isClosed()) await keep(takePicture(page, path.join(name, `page-${index + 1}`)));
  }
}
