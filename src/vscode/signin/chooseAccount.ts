import { dialectOf } from '../../oauth/dialect';
import { coversScopes } from '../../oauth/scopes';
import { type SessionInfo, sessionsOf } from '../../sessions/currentSession';
import type { List } from '../editor/quickInput';
import { accountLabel, accountNameProblem, askAccountName } from '../services/accountName';
import type { ConfiguredService } from '../settings/service';
import type { SignInWiring } from './wiring';
import type { SignInRequest } from './request';

/** The account that a sign-in is for. */
export interface ChosenAccount {
  /** Whether the person wants another account than those that are there. */
  readonly isForAnother: boolean;
  /** Its name; `undefined` if nobody has said one: then the service may, or it's an account without a name. */
  readonly label: string | undefined;
  /** The session that the new one replaces. */
  readonly replaced: SessionInfo | undefined;
  /** The scopes of all sessions of the account. */
  readonly scopes: readonly string[];
}

/** The sessions of an account: it has several if the service refuses all of its scopes at once. A new account has none. */
type AccountSessions = readonly SessionInfo[];

/** Which account the person, or whoever requests the sign-in, means. */
interface MeantAccount {
  readonly sessions: AccountSessions;
  readonly isForAnother: boolean;
}

/**
 * Chooses the account: an existing one, or a new one. The person is asked which, if that isn't clear, and for the name of a further
 * account, if the service can't say who signs in.
 * @returns `undefined` if the person cancels
 */
export async function chooseAccount(
  wiring: SignInWiring,
  service: ConfiguredService,
  request: SignInRequest,
  signal: AbortSignal,
): Promise<ChosenAccount | undefined> {
  const { accountId, accountLabel: requestedLabel, isForAnother = false, scopes = [] } = request;
  const known = sessionsOf(await wiring.sessions.list(), service.id);
  const accounts = byAccount(known);
  const requested = accounts.find((sessions) => sessions.some(({ account }) => account.id === accountId));
  const isChosen = requested !== undefined || requestedLabel !== undefined || isForAnother;
  const chosen = isChosen
    ? { sessions: requested ?? [], isForAnother }
    : await askWhichAccount(wiring, service, accounts, scopes, signal);
  if (chosen === undefined) {
    return undefined;
  }
  const replaced = sessionToReplace(chosen.sessions, scopes);
  const account = {
    replaced,
    isForAnother: chosen.isForAnother,
    scopes: chosen.sessions.flatMap((session) => session.scopes ?? []),
  };
  if (service.isAskedForUser) {
    // The service will be asked who signed in. If it doesn't say, the account must not get the name of the replaced one.
    return { ...account, label: undefined };
  }
  if (replaced !== undefined) {
    return { ...account, label: replaced.account.label };
  }
  const needsName = requestedLabel !== undefined || known.length > 0;
  if (!needsName || mayNameUser(service, known)) {
    return { ...account, label: requestedLabel };
  }
  const label = await nameAccount(wiring, service, requestedLabel, signal);
  return label === undefined ? undefined : { ...account, label };
}

/** Whether the tokens may say who signed in: by the dialect, unless those of the accounts that are there don't. */
function mayNameUser({ id }: ConfiguredService, known: readonly SessionInfo[]): boolean {
  return dialectOf(id).tokensIdentifyUsers && (known.length === 0 || known.some(({ isIdentified }) => isIdentified));
}

/**
 * The label of a further account whose user the service doesn't name. The person is asked if it isn't known, or taken.
 * @returns `undefined` if the person cancels
 */
async function nameAccount(
  { editor, sessions, settings, texts }: SignInWiring,
  service: ConfiguredService,
  requestedLabel: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const taken = (await sessions.list()).map((session) => session.account.label);
  // The label of an account of before stays as it was.
  const asItIs = { taken, labelOf: (label: string) => label };
  if (requestedLabel !== undefined && accountNameProblem(texts, requestedLabel, asItIs) === undefined) {
    return requestedLabel;
  }
  const naming = { taken, labelOf: (name: string) => accountLabel(settings.current.services, service, name) };
  return await askAccountName(editor, texts, naming, {
    title: texts.signIn.anotherAccount({ service: service.name }),
    prompt: texts.signIn.nameAccount({ names: taken.join(', ') }),
    value: requestedLabel ?? '',
    signal,
  });
}

/**
 * Which account is meant if none was named: one that can't be used until its person signs in again, or one that lacks the scopes, or
 * else a new one. The person is asked, unless there's only one account, and nobody else can get into it by signing in.
 * @returns `undefined` if the person cancels
 */
async function askWhichAccount(
  { editor, texts }: SignInWiring,
  { isAskedForUser, name }: ConfiguredService,
  accounts: readonly AccountSessions[],
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<MeantAccount | undefined> {
  const candidates = accounts.filter(
    (sessions) =>
      sessions.some(({ needsUser }) => needsUser) || !sessions.some((one) => coversScopes(one.scopes, scopes)),
  );
  // If the service says who signed in, somebody else gets an account of their own.
  const isIdentified = isAskedForUser || accounts.flat().some((session) => session.isIdentified);
  if (candidates.length === 0 || (accounts.length === 1 && isIdentified)) {
    return { sessions: candidates[0] ?? [], isForAnother: false };
  }
  const list: List<MeantAccount> = {
    title: texts.signIn.progress({ service: name }),
    placeholder: texts.signIn.whichAccount,
    choices: [
      ...candidates.map((sessions) => ({
        icon: 'account',
        label: sessions[0]?.account.label ?? '',
        value: { sessions, isForAnother: false },
      })),
      { icon: 'add', label: texts.sessions.signInToAnother, value: { sessions: [], isForAnother: true } },
    ],
  };
  return await editor.choose(list, signal);
}

/** Which session of an account a new one replaces: one that needs its person, or else one that has the scopes, or else the first. */
function sessionToReplace(sessions: AccountSessions, scopes: readonly string[]): SessionInfo | undefined {
  return (
    sessions.find(({ needsUser }) => needsUser) ??
    sessions.find((session) => coversScopes(session.scopes, scopes)) ??
    sessions[0]
  );
}

function byAccount(sessions: readonly SessionInfo[]): readonly AccountSessions[] {
  const ids = [...new Set(sessions.map(({ account }) => account.id))];
  return ids.map((id) => sessions.filter(({ account }) => account.id === id));
}
