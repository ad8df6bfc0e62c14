import { dialectOf } from '../../oauth/dialect';
import { coversScopes } from '../../oauth/scopes';
import { sessionsOf, type SessionInfo } from '../../sessions/currentSession';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { SignInRequest } from '../../signin/pendingSignIn';
import { accountLabel, accountNameProblem, askAccountName } from '../services/accountName';
import type { Editor } from '../editor/editor';
import type { List } from '../editor/quickInput';
import type { CurrentSettings } from '../settings/settings';
import type { ConfiguredService } from '../settings/service';
import type { Texts } from '../texts/texts';

/** The sessions of an account: it has several if the service refuses all of its scopes at once. A new account has none. */
type AccountSessions = readonly SessionInfo[];

/** Which account the person, or whoever requests the sign-in, means. */
interface MeantAccount {
  readonly sessions: AccountSessions;
  /** Whether the person wants another account than those that are there. */
  readonly isForAnother: boolean;
}

/** The account that a sign-in is for. */
export interface ChosenAccount extends Pick<MeantAccount, 'isForAnother'> {
  /** Its name; `undefined` if nobody has said one yet: then the service may, or the person is asked at the end. */
  readonly label: string | undefined;
  /** The session that the new one replaces. */
  readonly replaced: SessionInfo | undefined;
  /** The scopes of all sessions of the account. */
  readonly scopes: readonly string[];
}

/** Chooses the account of a sign-in, and its name, and asks the person for what's not clear. */
export class AccountChooser {
  constructor(
    private readonly editor: Editor,
    private readonly sessions: Pick<SharedSessions, 'list'>,
    private readonly settings: CurrentSettings,
    private readonly texts: Texts,
  ) {}

  /**
   * Chooses the account: an existing one, or a new one. Asks the person for its name unless that's known or may come from
   * the service.
   * @param isResumed whether the account was chosen in an earlier window, whose sign-in this is
   * @returns `undefined` if the person cancels
   */
  async choose(
    service: ConfiguredService,
    request: SignInRequest,
    isResumed: boolean,
    signal: AbortSignal,
  ): Promise<ChosenAccount | undefined> {
    const { accountId, accountLabel: requestedLabel, isForAnother = false, scopes = '' } = request;
    const accounts = byAccount(sessionsOf(await this.sessions.list(), service.id));
    const requested = accounts.find((sessions) => sessions.some(({ account }) => account.id === accountId));
    const isChosen = isResumed || requested !== undefined || requestedLabel !== undefined || isForAnother;
    const chosen = isChosen
      ? { sessions: requested ?? [], isForAnother }
      : await this.#chooseAccount(service, accounts, scopes, signal);
    if (chosen === undefined) {
      return undefined;
    }
    const replaced = sessionToReplace(chosen.sessions, scopes);
    const account = {
      replaced,
      isForAnother: chosen.isForAnother,
      scopes: chosen.sessions.flatMap((session) => session.scopes ?? []),
    };
    if (service.identifiesUsers) {
      // The service will be asked who signed in. If it doesn't say, the account must not get the name of the replaced one.
      return { ...account, label: undefined };
    }
    if (dialectOf(service.id).tokensIdentifyUsers || replaced !== undefined) {
      return { ...account, label: replaced?.account.label ?? requestedLabel };
    }
    const label = await this.chooseName(service, requestedLabel, signal);
    return label === undefined ? undefined : { ...account, label };
  }

  /**
   * The label of an account whose user the service doesn't name. The first account of a service needs no name. For that of a further
   * one, the person is asked if it isn't known, or taken.
   * @returns `undefined` if the person cancels
   */
  async chooseName(
    service: ConfiguredService,
    requestedLabel: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { anotherAccount, nameAccount } = this.texts.signIn;
    if (requestedLabel === undefined && sessionsOf(await this.sessions.list(), service.id).length === 0) {
      return this.unnamedLabels(service)[0];
    }
    const taken = (await this.sessions.list()).map((session) => session.account.label);
    // The label of an account of before stays as it was.
    const known = { taken, labelOf: (label: string) => label };
    if (requestedLabel !== undefined && accountNameProblem(this.texts, requestedLabel, known) === undefined) {
      return requestedLabel;
    }
    const naming = { taken, labelOf: (name: string) => this.labelOf(service, name) };
    const question = {
      title: anotherAccount({ service: service.name }),
      prompt: nameAccount({ names: taken.join(', ') }),
    };
    return await askAccountName(this.editor, this.texts, naming, { ...question, value: requestedLabel ?? '', signal });
  }

  /**
   * What an account of this service is called if nobody says whose it is, and what it may have been called earlier. VS Code shows the
   * provider's label beside it: if that's the service's name, it isn't said twice.
   */
  unnamedLabels({ name }: ConfiguredService): readonly [label: string, earlier: string] {
    const { unnamedAccount } = this.texts.signIn;
    return this.settings.current.label === name ? [unnamedAccount, name] : [name, unnamedAccount];
  }

  /** What an account of this service is called whose user or person calls it this. */
  labelOf(service: ConfiguredService, name: string): string {
    return accountLabel(this.settings.current.services, service, name);
  }

  /**
   * Chooses the account if none was named: one that can't be used until its person signs in again, or one that lacks the scopes,
   * or else a new one. The person is asked, unless there's only one account, and nobody else can get into it by signing in.
   * @returns `undefined` if the person cancels
   */
  async #chooseAccount(
    { identifiesUsers, name }: ConfiguredService,
    accounts: readonly AccountSessions[],
    scopes: string,
    signal: AbortSignal,
  ): Promise<MeantAccount | undefined> {
    const { sessions: texts, signIn } = this.texts;
    const candidates = accounts.filter(
      (sessions) =>
        sessions.some(({ needsUser }) => needsUser) || !sessions.some((one) => coversScopes(one.scopes, [scopes])),
    );
    // If the service says who signed in, somebody else gets an account of their own.
    const isIdentified = identifiesUsers || accounts.flat().some((session) => session.isIdentified);
    if (candidates.length === 0 || (accounts.length === 1 && isIdentified)) {
      return { sessions: candidates[0] ?? [], isForAnother: false };
    }
    const list: List<MeantAccount> = {
      title: signIn.progress({ service: name }),
      placeholder: signIn.whichAccount,
      choices: [
        ...candidates.map((sessions) => ({
          icon: 'account',
          label: sessions[0]?.account.label ?? '',
          value: { sessions, isForAnother: false },
        })),
        { icon: 'add', label: texts.signInToAnother, value: { sessions: [], isForAnother: true } },
      ],
    };
    return await this.editor.choose(list, signal);
  }
}

/** Which session of an account a new one replaces: one that needs its person, or else one that has the scopes, or else the first. */
function sessionToReplace(sessions: AccountSessions, scopes: string): SessionInfo | undefined {
  return (
    sessions.find(({ needsUser }) => needsUser) ??
    sessions.find((session) => coversScopes(session.scopes, [scopes])) ??
    sessions[0]
  );
}

function byAccount(sessions: readonly SessionInfo[]): readonly AccountSessions[] {
  const ids = [...new Set(sessions.map(({ account }) => account.id))];
  return ids.map((id) => sessions.filter(({ account }) => account.id === id));
}
