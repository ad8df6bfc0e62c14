import type { Schedule } from './schedules';

/** A schedule that is always played: each showed a fault once, or shows one that random schedules seldom meet. */
export interface Recorded {
  readonly about: string;
  readonly schedule: Schedule;
}

const DESKTOP = { shelves: ['desktop'], windows: 2, lifetime: 40, signedIn: true, impatient: false } as const;

/** The shortest schedules that show it. */
const SHORTEST: readonly (Partial<Schedule> & { readonly about: string; readonly actions: string })[] = [
  {
    about: 'the disk works again, and another window asks for a refresh before the one with the response writes it',
    lifetime: 120,
    actions: 'spoilAnswer readOnly, refreshNow 0 0, live 500, disk readOnly off, refreshNow 1 0, live 1500',
  },
  {
    about: 'the service ends a session, somebody sets the store back, and a newer version takes the session over',
    windows: 4,
    actions: 'sleep 8640000000, live 50000, tamperStore setBack 1, newer journal 0, live 20000, crash 0, steps 1 0',
  },
  {
    about: 'a person signs out, and somebody empties the store',
    actions: 'signOut 0 0, live 1000, tamperStore empty 1, live 20000, live 20000',
  },
  {
    about: 'a person signs out during a refresh in another window, just before the disk takes nothing anymore',
    actions:
      'spoilAnswer readOnly, refreshNow 3 0, stepsOf 15 9 0, signOut 0 0, live 0, stepsOf 0 1 0, stepsOf 0 1 0, live 1000',
  },
  {
    about: 'a person signs out, somebody sets the store back, and a window opens before the others tell of it again',
    actions: 'signOut 0 0, live 20000, tamperStore setBack 1, open 0, live 20000, live 20000',
  },
  {
    about: 'a journal vanishes of which the recovery copy in a browser is older, and another window opens',
    shelves: ['browser'],
    lifetime: 120,
    actions: 'refreshNow 0 0, live 1000, tamper remove 0, live 20000, live 20000, open 0, live 20000, live 20000',
  },
  {
    about: 'a token expires while its window stands still in the middle of the refresh that brings it',
    windows: 1,
    actions:
      'refreshNow 0 0, stepsOf 0 32 2320, steps 2 0, stop 0, live 0, advance 600000, continue 0, steps 12 0, get 0',
  },
  {
    about: 'a power loss brings back what lay beside a journal whose last response had no access token',
    windows: 4,
    lifetime: 1,
    policy: 'no-rotation',
    actions: 'behave noAccessToken, close 0 0, crash 35080, stepsOf 0 1 0, stop 0, steps 1 0, steps 1 0',
  },
  {
    about: 'an account needs its person only while somebody asks for it, by a clock that was wrong for a while',
    windows: 4,
    impatient: true,
    hasTwoServices: true,
    actions:
      'open 0, wrongClock -18000000 0, stop 0, get 0, behave unknownCode, signInAs 1, live 1000, refreshNow 1 3, ' +
      'jump -3600000, stepsOf 0 1 0, stepsOf 0 1 0, steps 17 0',
  },
  {
    about: 'the clock is set back by hours after responses that say nothing, and the account needed its person',
    actions:
      'jump -3600000, crash 0, behave busy, steps 15 0, refreshNow 0 0, steps 18 0, stepsOf 0 1 8192, jump 3600000, advance 60000, signInAs 0, stepsOf 0 8 14085, kill 0 21376, steps 6 129, jump -18000000, focus 0, stop 0, steps 1 0, live 0',
  },
  {
    about: 'the machine sleeps until tombstones are removed, before a window sees that one of its sessions is over',
    actions:
      'signOut 0 0, stepsOf 0 1 0, kill 0 0, open 0, sleep 8640000000, get 0, steps 5 7832, stepsOf 9 7 13621, focus 0',
  },
  {
    about: 'a window stands still for ten minutes while the response to its refresh arrives',
    windows: 1,
    lifetime: 3600,
    actions: 'refreshNow 0 0, stepsOf 0 32 2320, steps 2 0, stop 0, live 0, advance 600000, continue 0, steps 2 26453',
  },
  {
    about: 'two sign-ins take so long that their accounts are listed, and would then give them one name',
    lifetime: 3600,
    actions: 'signInSlowly 0 120000, signInSlowly 1 120000, live 5000, live 70000, live 60000',
  },
  {
    about: 'a window that was stopped remembers an old pair, and the journal is gone',
    windows: 3,
    actions: 'stop 21, tamper remove 0, open 0, refreshNow 0 0, live 0, sleep 3600000, steps 1 0, tamper remove 0',
  },
  {
    about: 'a window that was stopped renames an account whose journal is gone',
    windows: 5,
    actions: 'close 0 0, stop 14, advance 60000, live 0, rename 6 0, steps 1 0, advance 20, tamper remove 0',
  },
  {
    about: 'the disk can’t be read when a window is asked that has seen no session yet',
    signedIn: false,
    actions: 'live 5000, disk unwatched on, signIn 0, live 0, disk unreadable on, get 1, live 0',
  },
  {
    about: 'a window takes a minute to read what changed meanwhile',
    windows: 3,
    lifetime: 120,
    actions: `open 0, steps 10 0, refreshNow 0 0, steps 33 49352, steps 6 8450, advance 60000, get 0, live 0, jump -18000000,
      steps 2 0`,
  },
  {
    about: 'a window looks for the tombstone and the journal while another signs out',
    windows: 4,
    actions: `advance 130000, stepsOf 0 8 0, steps 33 28390, steps 1 0, steps 19 7129, signOut 0 0, steps 1 16384,
      stepsOf 0 11 0, live 0`,
  },
  {
    about: 'a response that can’t be read had the next pair, and a journal of the one before is gone',
    actions: `behave noLifetime, behave busy, refreshNow 0 0, behave carriedOutMalformed, behave busy, live 0, open 0,
      tamper remove 0, steps 20 4169, refreshNow 25 0, live 0, advance 20`,
  },
  {
    about: 'a window is stopped while it holds the lock, and another asks for a refresh',
    actions: 'refreshNow 0 0, stepsOf 0 6 0, stop 0, refreshNow 1 0, live 20000, continue 0',
  },
  {
    about: 'the first key is stored after the time limit, and another window of the browser needs one',
    shelves: ['browser'],
    windows: 3,
    signedIn: false,
    actions: `steps 9 5527, advance 20000, signIn 23, steps 6 0, advance 20000, steps 1 0, live 50000, rename 0 0,
      stepsOf 0 1 0`,
  },
  {
    about:
      'a window of the browser dies before it announces the first key, and another makes one while a third has the first',
    shelves: ['browser'],
    signedIn: false,
    actions:
      'stepsOf 24 8 10711, signIn 24, kill 22 29293, signIn 24, open 12, stepsOf 12 8 52259, stepsOf 29 25 57014, steps 17 40100',
  },
  {
    about: 'a window is stopped while it stores a sign-in, which is refused elsewhere meanwhile',
    signedIn: false,
    actions: `steps 10 0, advance 20000, behave carriedOutMalformed, crash 0, steps 7 0, signIn 0, steps 10 0, stop 0,
      open 0, report 3 0, live 0, refreshNow 3 0, steps 1 0, live 0, behave busy, continue 0`,
  },
  {
    about:
      'a token from a recovery copy is refused once, then the service answers something unknown, and the person asks',
    actions: `advance 60000, live 0, tamper remove 0, behave busy, behave busy, behave busy, quit 0, open 0, open 0, live 0,
      advance 60000, refreshNow 1 0, refreshNow 0 0, live 0, advance 20000, behave unknownCode, live 5000, steps 1 0`,
  },
  {
    about: 'a session is signed out while another window reads its journal, and one was killed',
    windows: 4,
    actions: 'kill 0 0, refreshNow 0 0, steps 19 14657, signOut 0 0',
  },
  {
    about: 'a window is stopped while it stores a sign-in, and another refreshes that session meanwhile',
    windows: 4,
    signedIn: false,
    actions: `signIn 0, stepsOf 0 10 0, advance 10000, live 0, signOut 0 0, open 0, open 0, signIn 0, steps 4 19246,
      stepsOf 0 6 261, advance 130000, stepsOf 1 16 0, stepsOf 7 29 18909, open 0, behave busy, refreshNow 0 0, advance 20`,
  },
  {
    about: 'a person signs in for more scopes in a window that takes a minute for it, and another lists that session',
    policy: 'rotate',
    actions: 'widen 0 0, advance 20, advance 60000, steps 1 0, stepsOf 0 1 0, steps 1 0, steps 1 0',
  },
  {
    about: 'a session without a refresh token is restored without its token, which nobody knows',
    policy: 'access-token-only',
    actions: 'tamper remove 0, quit 0, open 0, refreshNow 0 0, close 0 0, get 0',
  },
  {
    about: 'a person signs in for more scopes while the account is found to be over',
    policy: 'reuse-detection',
    actions: `refreshNow 0 0, steps 17 0, kill 0 0, open 0, jump -18000000, widen 0 0, live 5000, refreshNow 0 0,
      behave busy, steps 1 0, get 0`,
  },
  {
    about: 'a window is stopped while it refreshes, and the person signs in for more scopes meanwhile',
    policy: 'rotate',
    actions: `live 5000, refreshNow 1 0, stepsOf 1 24 0, stop 1, widen 0 0, live 20000, continue 1, live 1000`,
  },
  {
    about: 'a window is stopped while it refreshes, and the person signs out meanwhile',
    policy: 'rotate',
    actions: 'live 5000, refreshNow 1 0, stepsOf 1 24 0, stop 1, signOut 0 0, live 1000, continue 1, live 1000',
  },
  {
    about: 'a window opens while a sign-in for more scopes replaces the session that it has just read',
    policy: 'rotate',
    actions: 'widen 0 0, steps 9 32457, steps 1 19248, open 0, steps 18 0, stop 0',
  },
  {
    about: 'a window dies between listing a sign-in for more scopes and ending the session that it replaces',
    policy: 'reuse-detection',
    actions: 'widen 0 0, stepsOf 0 38 0, kill 0 0, live 50000, live 50000, live 50000',
  },
  {
    about: 'only a recovery copy without any token is left of a sign-in for more scopes',
    policy: 'no-refresh-token',
    actions: 'disk full on, widen 0 0, live 0, advance 10000, quit 0, stepsOf 0 1 0, refreshNow 0 0, lose 0',
  },
  {
    about: 'a person signs in for more scopes, and the disk takes nothing',
    policy: 'no-expiry',
    actions: 'widen 0 0, stepsOf 0 1 0, disk full on, steps 16 0, stepsOf 0 17 0',
  },
  {
    about:
      'only the recovery copy has a sign-in for more scopes, which a further one replaces before the disk takes any',
    shelves: ['browser'],
    policy: 'rotate',
    actions: `disk readOnly on, widen 0 0, stepsOf 0 15 0, steps 4 8295, quit 0, stepsOf 0 2 33788, widen 0 0, live 0, lose 0,
      steps 1 0, get 0, open 0`,
  },
  {
    about: 'two sign-ins for more scopes end while the disk is full, in different windows',
    policy: 'rotate',
    windows: 4,
    actions: 'disk full on, widen 0 0, stepsOf 0 1 0, get 0, widen 3 0, live 0',
  },
  {
    about: 'a person signs in twice for more scopes, and the first sign-in ends last',
    policy: 'no-rotation',
    actions: 'widen 0 0, widen 0 0, steps 1 0, steps 3 0, kill 7 0, behave busy, stepsOf 0 1 0, close 0 0',
  },
  {
    about: 'a narrower session of an account has expired for good, and a wider one can be used',
    policy: 'no-refresh-token',
    windows: 3,
    lifetime: 120,
    impatient: true,
    actions:
      'steps 39 2, steps 18 9792, lose 26, steps 8 29577, rename 23 27, widen 3 21, steps 6 32196, steps 12 25878, behave broken, lose 31, get 29, steps 38 169, advance 130000, steps 16 0, widen 17 2, stepsOf 11 24 24989, live 50000, steps 4 7507',
  },
  {
    about: 'two sign-ins for more scopes end at the same time, the wider one first',
    policy: 'old-works',
    actions: 'widen 0 0, widen 0 0, steps 6 7457, steps 20 0, refreshNow 0 0, advance 60000, stepsOf 0 1 2048, live 0',
  },
  {
    about: 'a window is stopped while it ends a sign-in for more scopes, and another signs in for them too',
    shelves: ['browser'],
    policy: 'rotate',
    lifetime: 120,
    actions:
      'get 0, widen 1 0, widen 0 0, stepsOf 1 9 0, stepsOf 1 28 2, sleep 2678400000, stepsOf 0 17 0, advance 10000, stepsOf 1 28 2, stop 1, live 5000',
  },
  {
    about: 'a session is replaced by a wider one of its account while somebody waits for it',
    policy: 'rotate',
    windows: 1,
    lifetime: 120,
    actions: 'widen 0 0, widen 0 0, steps 1 63030, live 0, widen 0 0, steps 28 0, steps 31 0, get 0, advance 130000',
  },
  {
    about: 'a sign-in for more scopes ends while somebody waits for the session, which has expired for good by then',
    shelves: ['browser'],
    policy: 'no-refresh-token',
    lifetime: 120,
    actions: 'live 50000, rename 0 0, advance 60000, widen 0 0, steps 27 32026, get 0, advance 20000',
  },
  {
    about:
      'a person signs in for more scopes while the disk takes nothing, and another window refreshes the old session',
    policy: 'rotate',
    lifetime: 120,
    actions:
      'disk readOnly on, widen 0 0, steps 34 0, sleep 3600000, disk readOnly 0, advance 1000, stepsOf 1 2 0, ' +
      'advance 60000, stepsOf 1 34 0',
  },
  {
    about: 'a person signs out while a sign-in for more scopes ends, whose session stays',
    policy: 'rotate',
    windows: 1,
    actions: 'refreshNow 0 0, steps 24 0, widen 0 0, steps 7 0, signOut 0 0',
  },
  {
    about: 'a token that only one window has, on a full disk, expires for good',
    policy: 'no-refresh-token',
    lifetime: 40,
    actions: 'disk full on, signIn 0, live 1000, continue 0, lose 0, stepsOf 0 1 0',
  },
  {
    about: 'a response is lost, and the request is sent again while the old token still works',
    policy: 'grace',
    actions: 'refreshNow 0 0, stepsOf 0 4 0, steps 18 0, behave noLifetime, steps 2 0, lose 0',
  },
  {
    about: 'a newer version has written whose labels are whose, and an older window signs somebody in',
    actions: 'signInAs 0, live 5000, newer labels 0, signInAs 1, live 5000',
  },
  {
    about: 'a browser sleeps while one window makes the key and another has just opened',
    shelves: ['browser'],
    signedIn: false,
    windows: 2,
    lifetime: 40,
    actions: 'stepsOf 0 6 9041, open 0, sleep 3600000, signIn 0, get 0, advance 20, focus 0',
  },
  {
    about: 'a sign-in on a full disk ends while the folder is just being read, which puts off what windows announce',
    actions: 'disk full on, signIn 0, steps 25 0, steps 1 0, stepsOf 0 2 64, steps 3 8834, refreshNow 0 0, rename 0 0',
  },
  {
    about: 'two windows restore a session from different copies, and one of them ends what it replaces',
    policy: 'rotate',
    impatient: true,
    actions:
      'quit 0, live 0, widen 0 0, disk full on, steps 13 0, stop 0, live 50000, continue 0, open 0, live 0, ' +
      'advance 130000, live 0, behave busy, steps 1 0, behave busy',
  },
  {
    about: 'the clock is set back just as a window lists a token that has expired and can’t be refreshed',
    policy: 'no-refresh-token',
    lifetime: 1,
    actions:
      'signIn 0, stepsOf 0 4 34974, open 0, steps 26 40517, wrongClock -18000000 0, refreshNow 0 0, steps 1 0, ' +
      'advance 20, stepsOf 0 1 0',
  },
  {
    about: 'a window lists a journal that is removed by a sign-out before it can read it',
    windows: 4,
    actions:
      'refreshNow 0 0, disk unwatched on, steps 8 0, steps 28 0, signOut 0 0, get 5, steps 11 9638, disk full on, ' +
      'disk full on, refreshNow 0 0, get 0',
  },
  {
    about: 'a person signs out during a refresh, and a further sign-in that was begun before is finished afterward',
    policy: 'rotate',
    actions:
      'refreshNow 0 0, widen 0 0, steps 15 44549, stepsOf 0 22 56231, signOut 0 0, stepsOf 0 15 581, open 0, steps 1 0, ' +
      'signOut 0 0, stepsOf 0 8 24039, refreshNow 0 0, behave busy',
  },
  {
    about: 'a caller asks after the first sign-in while its window is in the middle of a look that began before it',
    windows: 2,
    signedIn: false,
    actions: 'stepsOf 0 3 0, stepsOf 1 2 0, stop 1, signIn 0, live 5000, get 1',
  },
  {
    about: 'a window stands still for a minute while it restores a journal from an older copy than another window has',
    shelves: ['browser', 'browser'],
    actions: 'open 0, tamper remove 0, steps 19 0, advance 60000, steps 22 4271, live 0, steps 2 0, open 0',
  },
  {
    about: 'a window is stopped just before it sends, and a further sign-in replaces its session meanwhile',
    policy: 'grace',
    windows: 3,
    lifetime: 40,
    actions:
      'widen 0 0, open 0, open 0, live 0, open 0, refreshNow 19 0, steps 18 20008, steps 9 0, widen 0 0, steps 15 8206, ' +
      'stop 7, live 0, stepsOf 0 1 0, stepsOf 0 1 0, report 0 0, stepsOf 0 1 0',
  },
  {
    about: 'a journal is restored from an older copy, and then the machine stalls for longer than the pause',
    shelves: ['browser'],
    windows: 2,
    lifetime: 1,
    actions: 'open 0, tamper remove 0, live 0, advance 20, lose 0, advance 130000, stepsOf 0 1 0',
  },
  {
    about: 'a further sign-in is finished during a sign-out and a refresh, and then its session ends, too',
    policy: 'old-works',
    windows: 2,
    lifetime: 40,
    actions:
      'close 0 0, refreshNow 0 0, widen 0 0, steps 3 10286, steps 31 53244, signOut 0 0, stepsOf 0 10 32270, signIn 0, ' +
      'spoilAnswer full, stepsOf 0 18 0',
  },
  {
    about: 'a machine sleeps after a sign-out until tombstones are removed, and then the power fails',
    policy: 'access-token-only',
    windows: 2,
    lifetime: 40,
    hasTwoServices: true,
    actions:
      'signInAs 0, stepsOf 0 4 0, kill 0 0, signOut 0 0, wrongClock -18000000 0, sleep 8640000000, open 0, live 0, ' +
      'crash 23352, lose 0, steps 1 0, refreshNow 0 0, stepsOf 0 1 0',
  },
  {
    about: 'a window stands still over a sign-out until tombstones are removed, and has a session that was replaced',
    policy: 'old-works',
    windows: 2,
    lifetime: 40,
    actions:
      'widen 3 0, stop 0, live 0, signOut 0 0, sleep 8640000000, steps 1 0, open 0, steps 1 0, stepsOf 11 11 3634',
  },
  {
    about:
      'the disk refuses a response, and another window that opens restores its copy while a further one is about to send',
    windows: 4,
    policy: 'no-expiry',
    actions: 'spoilAnswer unreadable, refreshNow 0 0, live 0, disk full on, close 0 0, disk full on, refreshNow 0 0',
  },
  {
    about: 'another window restores the copy of a sign-in that the disk refuses, whose window still has its tokens',
    lifetime: 120,
    actions: 'disk busy on, disk full on, signIn 0, behave busy, live 50000',
  },
  {
    about: 'a journal vanishes, is restored from its copy, and is then set back to before its account was named',
    actions: 'quit 0, tamper remove 0, stepsOf 0 5 0, tamper restore 0, stepsOf 0 1 8192',
  },
];

export const RECORDED: readonly Recorded[] = SHORTEST.map(({ about, ...own }) => ({
  about,
  schedule: { ...DESKTOP, ...own },
}));
