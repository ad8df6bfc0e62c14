/** What another program that has a file open on Windows lets others do with it. */
export type Sharing =
  /** Everything but replacing the file, as an indexer. */
  | 'read'
  /** Neither replacing nor removing, as a backup. */
  | 'keep'
  /** Nothing, as a virus scanner. */
  | 'lock';

/** What a program may want to do with a file that another one has open. Moving a file away is like removing it. */
export type Use = 'open' | 'remove' | 'replace';

/** What a program can't do with a file that others have open in one of these ways. */
const PREVENTS: Readonly<Record<Use, readonly Sharing[]>> = {
  open: ['lock'],
  remove: ['keep', 'lock'],
  replace: ['read', 'keep', 'lock'],
};

/** Whether another program that has a file open, if there is one, prevents this use of it. */
export function prevents(sharing: Sharing | undefined, use: Use): boolean {
  return sharing !== undefined && PREVENTS[use].includes(sharing);
}

/** An error as the system gives it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: model`), { code });
}
