import { dialectOf } from '../../oauth/dialect';
import { coversScopes } from '../../oauth/scopes';
import { sameService } from '../../oauth/service';
import type { SessionInfo } from '../../sessions/sessions';
import type { SignInRequest } from '../../signin/pendingSignIn';
import { accountLabel, accountNameProblem, askAccountName } from '../accountName';
import type { Editor } from '../editor/editor';
import type { List } from '../editor/quickInput';
import type { Configuration } from '../settings/configuration';
import type { ConfiguredService } from '../settings/service';
import type { Texts } from '../texts/texts';

/** The sessions of all configured services. */
export interface ListedSessions {
  list(): Promise<readonly SessionInfo[]>;
}

/** Whether a sign-in replaces a session, and which. */
interface Replacement {
  /** The session that the new one replaces. */
  readonly replaced: SessionInfo | undefined;
  /** Whether the person wants another account than those that are there. */
  readonly isForAnother: boolean;
}

/** The account that a sign-in is for. */
export interface ChosenAccount extends Replacement {
  /** Its name; `undefined` if it's found at the end. */
  readonly label: string | undefined;
  /** The scopes of all sessions of the account. */
  readonly scopes: readonly string[];
}

/** Chooses the account of a sign-in, and its name, and asks the person for what's not clear. */
export class AccountChooser {
  constructor(
    private readonly editor: Editor,
    private readonly sessions: ListedSessions,
    private readonly settings: { readonly current: Configuration },
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
    const { accountId, accountLabel, isForAnother = false, scopes = '' } = request;
    const known = await this.#ofService(service);
    const ofAccount = known.filter(({ account }) => account.id === accountId);
    // An account has several sessions if the service refuses all of its scopes at once. Only some may need the person.
    const requested =
      ofAccount.find(({ needsUser }) => needsUser) ??
      ofAccount.find((session) => coversScopes(session.scopes, [scopes])) ??
      ofAccount[0];
    const isChosen = isResumed || requested !== undefined || accountLabel !== undefined || isForAnother;
    const chosen = isChosen
      ? { replaced: requested, isForAnother }
      : await this.#chooseReplaced(service, known, scopes, signal);
    if (chosen === undefined) {
      return undefined;
    }
    const { replaced } = chosen;
    const { tokensIdentifyUsers } = dialectOf(service.id);
    const account = {
      ...chosen,
      scopes: known.filter((one) => one.account.id === replaced?.account.id).flatMap((one) => one.scopes ?? []),
    };
    if (service.identifiesUsers) {
      // The service will be asked who signed in. If it doesn't say, the account must not get the name of the replaced one.
      return { ...account, label: undefined };
    }
    if (tokensIdentifyUsers || replaced !== undefined) {
      return { ...account, label: replaced?.account.label ?? accountLabel };
    }
    const label = await this.chooseName(service, accountLabel, signal);
    return label === undefined ? undefined : { ...account, label };
  }

  /**
   * The label of a further account, for whose name the person is asked if it isn't known or taken. The first account of a service
   * is named after it.
   * @returns `undefined` if the person cancels
   */
  async chooseName(
    service: ConfiguredService,
    accountLabel: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { anotherAccount, nameAccount } = this.texts.signIn;
    const taken = (await this.sessions.list()).map((session) => session.account.label);
    const wanted = accountLabel ?? ((await this.#ofService(service)).length === 0 ? service.name : '');
    const naming = { taken, labelOf: (name: string) => this.labelOf(service, name) };
    if (accountNameProblem(this.texts, wanted, naming) === undefined) {
      return naming.labelOf(wanted);
    }
    const question = {
      title: anotherAccount({ service: service.name }),
      prompt: nameAccount({ names: taken.join(', ') }),
    };
    return await askAccountName(this.editor, this.texts, naming, { ...question, value: wanted, signal });
  }

  /** What an account of this service is called whose user or person calls it this. */
  labelOf(service: ConfiguredService, name: string): string {
    return accountLabel(this.settings.current.services, service, name);
  }

  async #ofService({ id }: ConfiguredService): Promise<readonly SessionInfo[]> {
    return (await this.sessions.list()).filter(({ service }) => sameService(service, id));
  }

  /**
   * Chooses the session that a sign-in without a certain account replaces, if there's one: one that can't be used until its
   * person signs in again, or one that lacks the scopes. The person is asked which one it is, or whether it's for another
   * account, unless there's only one account, and nobody else can get into it by signing in.
   * @returns `undefined` if the person cancels
   */
  async #chooseReplaced(
    { identifiesUsers, name }: ConfiguredService,
    known: readonly SessionInfo[],
    scopes: string,
    signal: AbortSignal,
  ): Promise<Replacement | undefined> {
    const { sessions, signIn } = this.texts;
    const accounts = byAccount(known);
    const unusable = accounts.flatMap((ofAccount) => ofAccount.find(({ needsUser }) => needsUser) ?? []);
    const narrower = accounts
      .filter((ofAccount) => ofAccount.every((one) => !one.needsUser && !coversScopes(one.scopes, [scopes])))
      .flatMap((ofAccount) => ofAccount.slice(0, 1));
    const candidates = [...unusable, ...narrower];
    // If the service says who signed in, somebody else gets an account of their own.
    const isIdentified = identifiesUsers || known.some((session) => session.isIdentified);
    if (candidates.length === 0 || (accounts.length === 1 && isIdentified)) {
      return { replaced: candidates[0], isForAnother: false };
    }
    const list: List<SessionInfo | 'another'> = {
      title: signIn.progress({ service: name }),
      placeholder: signIn.whichAccount,
      choices: [
        ...candidates.map((session) => ({ icon: 'account', label: session.account.label, value: session })),
        { icon: 'add', label: sessions.signInToAnother, value: 'another' },
      ],
    };
    const chosen = await this.editor.choose(list, signal);
    if (chosen === 'another') {
      return { replaced: undefined, isForAnother: true };
    }
    return chosen && { replaced: chosen, isForAnother: false };
  }
}

/** The sessions of each account: it has several if the service refuses all of its scopes at once. */
function byAccount(sessions: readonly SessionInfo[]): readonly (readonly SessionInfo[])[] {
  const ids = [...new Set(sessions.map(({ account }) => account.id))];
  return ids.map((id) => sessions.filter(({ account }) => account.id === id));
}
