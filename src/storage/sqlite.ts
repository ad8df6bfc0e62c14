import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { property } from '../fields';
import { codeOf } from '../log';
import { folderUnavailable, StoreUnavailableError } from './storeUnavailable';

/** The part of `node:sqlite` that's used here. */
export interface SqliteModule {
  readonly DatabaseSync: new (path: string, options?: DatabaseSyncOptions) => DatabaseSync;
}

/** Loads `node:sqlite`; `undefined` if this Node.js lacks it. */
export type LoadSqlite = () => SqliteModule | undefined;

/** Result codes of SQLite, without the details above their lowest byte. */
export const RESULT = {
  error: 1,
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  notDatabase: 26,
} as const;

/** Not by an `import`: bundlers for an older Node.js, which doesn't know the module, take the `node:` out of its name. */
const loadBuiltIn: LoadSqlite = () => process.getBuiltinModule('node:sqlite');

/** `node:sqlite`. @throws StoreUnavailableError `no sqlite` */
export function loadSqlite(load: LoadSqlite = loadBuiltIn): SqliteModule {
  const sqlite = load();
  if (sqlite === undefined) {
    throw new StoreUnavailableError('no sqlite');
  }
  return sqlite;
}

/** SQLite's result code for an error, with the details above the lowest byte; `undefined` if the error isn't SQLite's. */
export function resultCode(error: unknown): number | undefined {
  const code = property(error, 'errcode');
  return typeof code === 'number' ? code : undefined;
}

/** SQLite's result code for an error, without the details above the lowest byte; `undefined` if the error isn't SQLite's. */
export function plainResultCode(error: unknown): number | undefined {
  const code = resultCode(error);
  return code === undefined ? undefined : code & 0xff;
}

/** Whether SQLite says that another connection is using the file, which passes. */
export function isBusy(error: unknown): boolean {
  return plainResultCode(error) === RESULT.busy;
}

/**
 * What an error of SQLite or the system means for people, who never see its own message.
 * @param path of the file that it's about
 */
export function sqliteProblem(error: unknown, path: string): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) {
    return error;
  }
  const result = resultCode(error);
  const known = result === undefined ? error : Object.assign(new Error(), { code: systemCode(result, path) });
  return folderUnavailable(known);
}

/** The system's code for a result code of SQLite, as far as the system says why this user can't use the file. */
function systemCode(result: number, path: string): string {
  const kind = result & 0xff;
  if (kind === RESULT.busy) {
    return 'EBUSY';
  }
  if (kind === RESULT.full) {
    return 'ENOSPC';
  }
  const denied = [dirname(path), path, `${path}-journal`].map(deniedBy).find((code) => code !== undefined);
  return denied ?? (kind === RESULT.readOnly ? 'EROFS' : `SQLITE_${result}`);
}

/** The system's code if it doesn't let this user change a file or folder that's there. */
function deniedBy(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' ? undefined : code;
  }
}
