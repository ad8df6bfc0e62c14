import type { Schedule } from './actions';

/** A schedule that is always played: each showed a fault once, or shows one that random schedules seldom meet. */
export interface Recorded {
  readonly about: string;
  readonly schedule: Schedule;
}

const DESKTOP = { shelves: ['desktop'], windows: 2, lifetime: 40, signedIn: true, impatient: false } as const;

/** The shortest schedules that show it. */
export const RECORDED: readonly Recorded[] = [
  {
    about: 'a journal is gone, and one window knows a later pair than the recovery copy',
    schedule: {
      ...DESKTOP,
      actions: [
        { do: 'break secrets', window: 0 },
        { do: 'refresh now', window: 0, account: 0 },
        { do: 'live', milliseconds: 0 },
        { do: 'tamper', how: 'remove', account: 0 },
        { do: 'live', milliseconds: 0 },
        { do: 'steps', count: 2, seed: 0 },
        { do: 'open', shelf: 0 },
      ],
    },
  },
  {
    about: 'a journal is gone while a window opens that has an older recovery copy',
    schedule: {
      ...DESKTOP,
      actions: [
        { do: 'break secrets', window: 0 },
        { do: 'live', milliseconds: 50_000 },
        { do: 'steps', count: 1, seed: 0 },
        { do: 'tamper', how: 'remove', account: 0 },
        { do: 'live', milliseconds: 0 },
        { do: 'steps', count: 1, seed: 0 },
      ],
    },
  },
  {
    about: 'a window that was stopped remembers an old pair, and the journal is gone',
    schedule: {
      ...DESKTOP,
      windows: 3,
      actions: [
        { do: 'stop', window: 21 },
        { do: 'tamper', how: 'remove', account: 0 },
        { do: 'open', shelf: 0 },
        { do: 'refresh now', window: 0, account: 0 },
        { do: 'live', milliseconds: 0 },
        { do: 'sleep', milliseconds: 3_600_000 },
        { do: 'steps', count: 1, seed: 0 },
        { do: 'tamper', how: 'remove', account: 0 },
      ],
    },
  },
  {
    about: 'a window that was stopped renames an account whose journal is gone',
    schedule: {
      ...DESKTOP,
      windows: 5,
      actions: [
        { do: 'close', window: 0, seed: 0 },
        { do: 'stop', window: 14 },
        { do: 'advance', milliseconds: 60_000 },
        { do: 'live', milliseconds: 0 },
        { do: 'rename', window: 6, account: 0 },
        { do: 'steps', count: 1, seed: 0 },
        { do: 'advance', milliseconds: 20 },
        { do: 'tamper', how: 'remove', account: 0 },
      ],
    },
  },
  {
    about: 'an older journal is put back, and only the recovery copy has the latest pair',
    schedule: {
      ...DESKTOP,
      lifetime: 1,
      actions: [
        { do: 'tamper', how: 'restore', account: 0 },
        { do: 'open', shelf: 0 },
        { do: 'steps', count: 25, seed: 24_523 },
        { do: 'tamper', how: 'remove', account: 0 },
        { do: 'break secrets', window: 0 },
        { do: 'refresh now', window: 0, account: 0 },
        { do: 'live', milliseconds: 0 },
      ],
    },
  },
  {
    about: 'the disk takes nothing when the answer comes, and another window asks for a refresh',
    schedule: {
      ...DESKTOP,
      actions: [
        { do: 'spoil answer', fault: 'readOnly' },
        { do: 'refresh now', window: 0, account: 0 },
        { do: 'disk', fault: 'full', on: false },
        { do: 'jump', milliseconds: -18_000_000 },
        { do: 'refresh now', window: 13, account: 0 },
        { do: 'steps', count: 20, seed: 0 },
      ],
    },
  },
  {
    about: 'the disk can’t be read when a window is asked that has seen no session yet',
    schedule: {
      ...DESKTOP,
      signedIn: false,
      actions: [
        { do: 'live', milliseconds: 5_000 },
        { do: 'disk', fault: 'unwatched', on: true },
        { do: 'sign in', window: 0 },
        { do: 'live', milliseconds: 0 },
        { do: 'disk', fault: 'unreadable', on: true },
        { do: 'get', window: 1 },
        { do: 'live', milliseconds: 0 },
      ],
    },
  },
  {
    about: 'a window takes a minute to read what changed meanwhile',
    schedule: {
      ...DESKTOP,
      windows: 3,
      lifetime: 120,
      actions: [
        { do: 'open', shelf: 0 },
        { do: 'steps', count: 10, seed: 0 },
        { do: 'refresh now', window: 0, account: 0 },
        { do: 'steps', count: 33, seed: 49_352 },
        { do: 'steps', count: 6, seed: 8_450 },
        { do: 'advance', milliseconds: 60_000 },
        { do: 'get', window: 0 },
        { do: 'live', milliseconds: 0 },
        { do: 'jump', milliseconds: -18_000_000 },
        { do: 'steps', count: 2, seed: 0 },
      ],
    },
  },
  {
    about: 'the clock is set back while a window asks for the date of the folder',
    schedule: {
      ...DESKTOP,
      lifetime: 120,
      actions: [
        { do: 'sign out', window: 0, account: 0 },
        { do: 'get', window: 0 },
        { do: 'jump', milliseconds: -18_000_000 },
        { do: 'sign in', window: 3 },
        { do: 'get', window: 0 },
        { do: 'get', window: 0 },
        { do: 'get', window: 0 },
      ],
    },
  },
  {
    about: 'a window looks for the tombstone and the journal while another signs out',
    schedule: {
      ...DESKTOP,
      windows: 4,
      actions: [
        { do: 'advance', milliseconds: 130_000 },
        { do: 'steps', count: 8, seed: 0, window: 0 },
        { do: 'steps', count: 33, seed: 28_390 },
        { do: 'steps', count: 1, seed: 0 },
        { do: 'steps', count: 19, seed: 7_129 },
        { do: 'sign out', window: 0, account: 0 },
        { do: 'steps', count: 1, seed: 16_384 },
        { do: 'steps', count: 11, seed: 0, window: 0 },
        { do: 'live', milliseconds: 0 },
      ],
    },
  },
  {
    about: 'the clock is set back and forth while a folder is read and changed',
    schedule: {
      ...DESKTOP,
      windows: 4,
      actions: [
        { do: 'tamper', how: 'remove', account: 0 },
        { do: 'jump', milliseconds: -3_600_000 },
        { do: 'live', milliseconds: 0 },
        { do: 'jump', milliseconds: 3_600_000 },
        { do: 'sign out', window: 0, account: 0 },
        { do: 'live', milliseconds: 0 },
        { do: 'get', window: 1 },
        { do: 'live', milliseconds: 0 },
      ],
    },
  },
  {
    about: 'an answer that can’t be read had the next pair, and a journal of the one before is gone',
    schedule: {
      ...DESKTOP,
      actions: [
        { do: 'behave', manners: ['no lifetime', '429'] },
        { do: 'refresh now', window: 0, account: 0 },
        { do: 'behave', manners: ['carried out, then malformed', '429'] },
        { do: 'live', milliseconds: 0 },
        { do: 'open', shelf: 0 },
        { do: 'tamper', how: 'remove', account: 0 },
        { do: 'steps', count: 20, seed: 4_169 },
        { do: 'refresh now', window: 25, account: 0 },
        { do: 'live', milliseconds: 0 },
        { do: 'advance', milliseconds: 20 },
      ],
    },
  },
  {
    about: 'a window is stopped while it holds the lock, and another asks for a refresh',
    schedule: {
      ...DESKTOP,
      actions: [
        { do: 'refresh now', window: 0, account: 0 },
        { do: 'steps', count: 6, seed: 0, window: 0 },
        { do: 'stop', window: 0 },
        { do: 'refresh now', window: 1, account: 0 },
        { do: 'live', milliseconds: 20_000 },
        { do: 'continue', window: 0 },
      ],
    },
  },
  {
    about: 'the first key is stored after the time limit, and another window of the browser needs one',
    schedule: {
      shelves: ['browser'],
      windows: 3,
      lifetime: 40,
      signedIn: false,
      impatient: false,
      actions: [
        { do: 'steps', count: 9, seed: 5_527 },
        { do: 'advance', milliseconds: 20_000 },
        { do: 'sign in', window: 23 },
        { do: 'steps', count: 6, seed: 0 },
        { do: 'advance', milliseconds: 20_000 },
        { do: 'steps', count: 1, seed: 0 },
        { do: 'live', milliseconds: 50_000 },
        { do: 'rename', window: 0, account: 0 },
        { do: 'steps', count: 1, seed: 0, window: 0 },
      ],
    },
  },
  {
    about: 'a window is stopped while it stores a sign-in, which is refused elsewhere meanwhile',
    schedule: {
      shelves: ['desktop'],
      windows: 2,
      lifetime: 40,
      signedIn: false,
      impatient: false,
      actions: [
        { do: 'steps', count: 10, seed: 0 },
        { do: 'advance', milliseconds: 20_000 },
        { do: 'behave', manners: ['carried out, then malformed'] },
        { do: 'crash', seed: 0 },
        { do: 'steps', count: 7, seed: 0 },
        { do: 'sign in', window: 0 },
        { do: 'steps', count: 10, seed: 0 },
        { do: 'stop', window: 0 },
        { do: 'open', shelf: 0 },
        { do: 'report', window: 3, account: 0 },
        { do: 'live', milliseconds: 0 },
        { do: 'refresh now', window: 3, account: 0 },
        { do: 'steps', count: 1, seed: 0 },
        { do: 'live', milliseconds: 0 },
        { do: 'behave', manners: ['429'] },
        { do: 'continue', window: 0 },
      ],
    },
  },
  {
    about: 'the clock is set forth and back within the millisecond in which the folder of sessions changes',
    schedule: {
      ...DESKTOP,
      actions: [
        { do: 'advance', milliseconds: 60000 },
        { do: 'live', milliseconds: 0 },
        { do: 'jump', milliseconds: 18000000 },
        { do: 'get', window: 3 },
        { do: 'steps', count: 1, seed: 0, window: 15 },
        { do: 'jump', milliseconds: -18000000 },
        { do: 'sign in', window: 0 },
        { do: 'live', milliseconds: 0 },
        { do: 'get', window: 9 },
        { do: 'open', shelf: 0 },
        { do: 'stop', window: 0 },
        { do: 'open', shelf: 0 },
        { do: 'advance', milliseconds: 20 },
      ],
    },
  },
  {
    about:
      'the only session that a window knows is signed out while it can’t read the folder, in which there is another',
    schedule: {
      ...DESKTOP,
      actions: [
        { do: 'stop', window: 13 },
        { do: 'sign in', window: 0 },
        { do: 'spoil answer', fault: 'unreadable' },
        { do: 'open', shelf: 0 },
        { do: 'live', milliseconds: 50000 },
        { do: 'get', window: 10 },
        { do: 'sign out', window: 0, account: 0 },
        { do: 'continue', window: 10 },
        { do: 'steps', count: 2, seed: 0 },
        { do: 'stop', window: 0 },
        { do: 'jump', milliseconds: -18000000 },
        { do: 'disk', fault: 'full', on: false },
      ],
    },
  },
  {
    about:
      'a token from a recovery copy is refused once, then the service answers something unknown, and the person asks',
    schedule: {
      ...DESKTOP,
      actions: [
        { do: 'advance', milliseconds: 60000 },
        { do: 'live', milliseconds: 0 },
        { do: 'tamper', how: 'remove', account: 0 },
        { do: 'behave', manners: ['429', '429', '429'] },
        { do: 'quit', seed: 0 },
        { do: 'open', shelf: 0 },
        { do: 'open', shelf: 0 },
        { do: 'live', milliseconds: 0 },
        { do: 'advance', milliseconds: 60000 },
        { do: 'refresh now', window: 1, account: 0 },
        { do: 'refresh now', window: 0, account: 0 },
        { do: 'live', milliseconds: 0 },
        { do: 'advance', milliseconds: 20000 },
        { do: 'behave', manners: ['unknown code'] },
        { do: 'live', milliseconds: 5000 },
        { do: 'steps', count: 1, seed: 0 },
      ],
    },
  },
  {
    about: 'an account could not be named on the disk, its window is gone, and its journal is restored from the copy',
    schedule: {
      ...DESKTOP,
      windows: 4,
      actions: [
        { do: 'spoil answer', fault: 'readOnly' },
        { do: 'sign in', window: 0 },
        { do: 'refresh now', window: 0, account: 0 },
        { do: 'live', milliseconds: 20_000 },
        { do: 'kill', window: 0, seed: 0 },
        { do: 'open', shelf: 0 },
        { do: 'tamper', how: 'remove', account: 9 },
        { do: 'disk', fault: 'unreadable', on: true },
        { do: 'steps', count: 3, seed: 0 },
        { do: 'get', window: 0 },
        { do: 'open', shelf: 0 },
        { do: 'jump', milliseconds: -18_000_000 },
      ],
    },
  },
];
