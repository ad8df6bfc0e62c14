import { statSync } from 'node:fs';
import { lstat, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../clock';
import { codeOf, type Log } from '../log';
import { LocksUnavailableError } from './locks';

/** SQLite's result code for a lock that somebody else holds. */
const SQLITE_BUSY = 5;
/** SQLite's result code for a file that can't be read, as when its folder was deleted. */
const SQLITE_IO_ERROR = 10;
/** SQLite's result codes for a file with something in it that SQLite didn't write. */
const SQLITE_DAMAGED: readonly unknown[] = [11, 26];
/** The system's codes for something else in a folder's place. */
const NOT_A_FOLDER: readonly string[] = ['EEXIST', 'ENOTDIR'];
/** How often to try: a virus scanner may hold a new file for a moment. Without locks, each attempt fails. */
const PROBES = 5;
/** Between two of them. Milliseconds. */
const PROBE_AGAIN = 20;

/** The part of `node:sqlite` that's used here. */
export interface SqliteModule {
  readonly DatabaseSync: new (path: string) => DatabaseSync;
}

/** A lock file that's open. */
export interface OpenFile {
  readonly path: string;
  readonly database: DatabaseSync;
  /** Tells it from another file that was made in its place. */
  readonly inode: number | undefined;
}

/** What looking for a folder works with. */
export interface LockFolderDependencies {
  /** Folders for the lock files, the best first. The next one is used if a file system has no locks. */
  readonly folders: readonly string[];
  readonly sqlite: SqliteModule;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The first folder whose file system has locks: one that nobody else can hold is taken for a test. A temporary error is
 * thrown, and is no reason to use another folder: windows with locks in different folders wouldn't keep each other out.
 */
export async function findLockFolder(dependencies: LockFolderDependencies): Promise<string> {
  const { folders, log } = dependencies;
  for (const [index, folder] of folders.entries()) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if ((index === 0 || (await isOnlyOurs(folder))) && (await hasLocks(dependencies, folder))) {
        return folder;
      }
      log.warn('A folder for locks has no file locks, or others can write to it; trying another one.');
    } catch (error) {
      if (!NOT_A_FOLDER.includes(codeOf(error))) {
        throw error;
      }
      log.warn(`Something else is in the place of a folder for locks (${codeOf(error)}); trying another one.`);
    }
  }
  throw new LocksUnavailableError('no file locks');
}

/** Opens a lock file, and makes it if there is none. */
export function openLockFile(sqlite: SqliteModule, path: string): OpenFile {
  const database = new sqlite.DatabaseSync(path);
  database.exec('PRAGMA busy_timeout = 0');
  return { path, database, inode: inodeOf(path) };
}

/**
 * Takes the lock of an open file, if nobody else holds it. `deleted`: other windows see another file in its place, or will.
 * @throws SQLite's error
 */
export function takeLock({ database, inode, path }: OpenFile): 'taken' | 'busy' | 'damaged' | 'deleted' {
  try {
    database.exec('BEGIN EXCLUSIVE');
    if (inodeOf(path) === inode) {
      return 'taken';
    }
    database.exec('ROLLBACK');
    return 'deleted';
  } catch (error) {
    const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
    if (code === SQLITE_BUSY) {
      return 'busy';
    }
    if (SQLITE_DAMAGED.includes(code)) {
      return 'damaged';
    }
    if (typeof code === 'number' && (code & 0xff) === SQLITE_IO_ERROR) {
      return 'deleted';
    }
    throw error;
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

async function hasLocks({ clock, sqlite }: LockFolderDependencies, folder: string): Promise<boolean> {
  for (let probe = 1; probe <= PROBES; probe++) {
    const path = join(folder, `probe.${process.pid}.${probe}.lock`);
    await rm(path, { force: true });
    const file = openLockFile(sqlite, path);
    try {
      if (takeLock(file) === 'taken') {
        return true;
      }
    } finally {
      file.database.close();
      await rm(path, { force: true });
    }
    await clock.sleep(PROBE_AGAIN);
  }
  return false;
}

/** Whether nobody else could have prepared the folder. Among temporary files, others could. */
async function isOnlyOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder);
  const ours = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
  return found.isDirectory() && ours;
}
