import type { Stamp } from './disk';
import { NO_REGULAR_FILE, TOO_LARGE } from './nodeDisk';
import { codeOf } from '../log';

/** The extension's folder itself. */
export const TOP = '';
/** Folder of the journal files and tombstones, and of nothing else: its stamp tells whether anything changed. */
export const SESSIONS = 'sessions';
/** Folder of what is not yet a journal: files being written, and room kept for the next. */
export const SPARE = 'spare';
/** Folder of journals that could not be read. */
export const DAMAGED = 'damaged';

const SESSION_ID = /^[0-9a-f-]{36}$/;
const ENTRY_NAME = /^([0-9a-f-]{36})\.json$/;
const END_NAME = /^([0-9a-f-]{36})\.ended$/;

/**
 * The codes for what stands where a file should be and can't be read: a folder, a ring of links, another's file, a pipe,
 * something huge.
 */
const NO_FILE_OF_OURS: readonly string[] = ['EISDIR', 'ELOOP', 'EACCES', NO_REGULAR_FILE, TOO_LARGE];
/** The system's code where a file, or its folder, is not there. */
const GONE = 'ENOENT';

/** Stands for the stamp of what has none. */
export const NO_STAMP: Stamp = { mark: 'none', changedAt: 0 };

/** What is in the folder of sessions, by session ID. */
export interface Contents {
  readonly entries: readonly string[];
  readonly ended: readonly string[];
}

/** Sorts the names of the files in the folder of sessions. */
export function contentsOf(names: readonly string[]): Contents {
  return { entries: matching(names, ENTRY_NAME), ended: matching(names, END_NAME) };
}

/** Whether this can be the ID of a session, and so part of a file's name. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

/** Whether something stands in a file's place that is none of ours. */
export function isNoFileOfOurs(error: unknown): boolean {
  return NO_FILE_OF_OURS.includes(codeOf(error));
}

/** Whether a file, or its folder, is not there. */
export function isGone(error: unknown): boolean {
  return codeOf(error) === GONE;
}

/** Path of a session's journal. */
export function entryName(sessionId: string): string {
  return `${SESSIONS}/${sessionId}.json`;
}

/** Path of a session's tombstone. */
export function endName(sessionId: string): string {
  return `${SESSIONS}/${sessionId}.ended`;
}

/** Path of the room that is kept for a session's next journal. */
export function reserveName(sessionId: string): string {
  return `${SPARE}/${sessionId}.reserve`;
}

/** Path under which a session's next journal is written. */
export function temporaryName(sessionId: string): string {
  return `${SPARE}/${sessionId}.new`;
}

function matching(names: readonly string[], pattern: RegExp): string[] {
  return names.flatMap((name) => pattern.exec(name)?.[1] ?? []);
}
