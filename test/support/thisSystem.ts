import { mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/*
 * What some tests need of the system they run on. A test isn't declared where its subject doesn't exist, so that it
 * neither passes there by doing nothing nor counts as skipped.
 */

const isWindows = process.platform === 'win32';
/** Seconds since 1970. */
const IN_THE_YEAR_2100 = 4_102_444_800;

/**
 * Files have modes, pipes and devices have names in folders, and anyone may make symbolic links. On Windows, files take
 * over who may read them from the person's profile, and links need a privilege.
 */
export const IS_POSIX = !isWindows;

/** Another process can be asked to end, or stopped for a while. On Windows, all that can be sent is its end. */
export const HAS_SIGNALS = !isWindows;

/** What came on a connection can be read after the other end has reset it. Windows discards it. */
export const RESET_LEAVES_WHAT_CAME = !isWindows;

/** How to remove a folder that a virus scanner may be looking into. */
export const REMOVE = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 } as const;

/** How long to wait for the lock of a file that a virus scanner may have found first. Milliseconds. */
export const SOON = 2_000;

/** A folder keeps the date when it was made. Emulated Windows dates it by the last change. */
export const FOLDERS_KEEP_DATE_OF_BIRTH = foldersKeepDateOfBirth();

function foldersKeepDateOfBirth(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'device-flow-dates-'));
  try {
    const made = statSync(folder, { bigint: true }).birthtimeNs;
    utimesSync(folder, IN_THE_YEAR_2100, IN_THE_YEAR_2100);
    return statSync(folder, { bigint: true }).birthtimeNs === made;
  } finally {
    rmSync(folder, REMOVE);
  }
}
