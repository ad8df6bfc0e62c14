import { sameService } from '../oauth/service';
import type { AccountInfo } from '../oauth/types';
import type { Account, JournalEntry, SessionRecord } from '../storage/record';

/** Who has signed in, as far as anybody says. */
export interface SignedIn {
  /** Who the service says is signed in; `undefined` if it wasn't asked or didn't say. */
  readonly user: AccountInfo | undefined;
  /** Whether the sign-in should show who signed in: it came with an ID token, or the settings say how to ask. */
  readonly mustShowUser: boolean;
  /** ID of the account that the person signed in to again, if any. */
  readonly accountId: string | undefined;
}

/**
 * - `added`: a new account.
 * - `replaced`: the session replaced another one of the same account.
 * - `other user`: the service named somebody else than the account to replace, or nobody, so that account stays.
 */
export type AssignmentOutcome = 'added' | 'replaced' | 'other user';

/**
 * Whom the sign-in shows.
 * - `not asked`: the service wasn't asked.
 * - `nobody`: the service was asked, and didn't say.
 * - `its user`: the user of the account that the person chose.
 * - `user with account`: another user, who has an account, too.
 * - `new user`: another user, who has none.
 */
type Shown = 'not asked' | 'nobody' | 'its user' | 'user with account' | 'new user';

/** Who gets the session: the account that the person chose, that of the user who's shown, or a new one. */
interface Owner {
  readonly account: 'chosen' | 'of user' | 'new';
  readonly outcome: AssignmentOutcome;
}

/** Whose session a sign-in has brought, by which account the person chose and whom the sign-in shows. */
export const OWNERS: {
  readonly 'none chosen': Readonly<Record<Exclude<Shown, 'its user'>, Owner>>;
  readonly 'user unknown': Readonly<Record<Shown, Owner>>;
  readonly 'user known': Readonly<Record<Shown, Owner>>;
} = {
  'none chosen': {
    'not asked': { account: 'new', outcome: 'added' },
    nobody: { account: 'new', outcome: 'added' },
    'user with account': { account: 'of user', outcome: 'replaced' },
    'new user': { account: 'new', outcome: 'added' },
  },
  // The service has never said whose the chosen account is.
  'user unknown': {
    'not asked': { account: 'chosen', outcome: 'replaced' },
    nobody: { account: 'new', outcome: 'other user' },
    'its user': { account: 'chosen', outcome: 'replaced' },
    'user with account': { account: 'of user', outcome: 'other user' },
    'new user': { account: 'new', outcome: 'other user' },
  },
  // The service has said it: from then on, only a sign-in that shows the user again belongs to the account.
  'user known': {
    'not asked': { account: 'new', outcome: 'other user' },
    nobody: { account: 'new', outcome: 'other user' },
    'its user': { account: 'chosen', outcome: 'replaced' },
    'user with account': { account: 'of user', outcome: 'other user' },
    'new user': { account: 'new', outcome: 'other user' },
  },
};

/**
 * Whose session a sign-in has brought, as `OWNERS` says.
 * @param sessions the other ones
 * @returns `account`: `undefined` if it's a new one
 */
export function findOwner(
  sessions: readonly JournalEntry[],
  added: JournalEntry,
  signedIn: SignedIn,
): { readonly account: Account | undefined; readonly outcome: AssignmentOutcome } {
  const others = sessions
    .map(({ record }) => record)
    .filter(({ listed, service }) => listed && sameService(service, added.record.service));
  const chosen = bestKnown(others.filter(({ account }) => account.id === signedIn.accountId));
  const userId = signedIn.user?.id;
  const ofUser = others.find(({ user }) => userId !== undefined && user?.id === userId);
  const { account, outcome } = ownerIn(chosen, ofUser, signedIn);
  return { account: { chosen, 'of user': ofUser, new: undefined }[account]?.account, outcome };
}

/** Of an account's sessions one that tells most of its user: if the service has said who that is, that counts for all of them. */
export function bestKnown<T extends Pick<SessionRecord, 'user'>>(ofAccount: readonly T[]): T | undefined {
  return ofAccount.find(({ user }) => user !== undefined) ?? ofAccount[0];
}

/** What `OWNERS` says. @param ofUser a session of the user who's shown, if there's one */
function ownerIn(chosen: SessionRecord | undefined, ofUser: SessionRecord | undefined, signedIn: SignedIn): Owner {
  const shown = whoIsShown(ofUser, signedIn);
  if (chosen === undefined) {
    return OWNERS['none chosen'][shown];
  }
  const ofChosen = chosen.user === undefined ? OWNERS['user unknown'] : OWNERS['user known'];
  return isUserOf(chosen, signedIn.user) ? ofChosen['its user'] : ofChosen[shown];
}

/** Whom the sign-in shows, whatever account the person chose. */
function whoIsShown(ofUser: SessionRecord | undefined, { mustShowUser, user }: SignedIn): Exclude<Shown, 'its user'> {
  if (user === undefined) {
    return mustShowUser ? 'nobody' : 'not asked';
  }
  return ofUser === undefined ? 'new user' : 'user with account';
}

/** Whether that's the account's user, who is told by ID if it has one, else by name, or else by what the account is called. */
function isUserOf({ account, user: known }: SessionRecord, shown: AccountInfo | undefined): boolean {
  if (known?.id !== undefined) {
    return known.id === shown?.id;
  }
  return shown?.name !== undefined && shown.name === (known?.name ?? account.label);
}
