import { type Clock, untilAborted } from '../../clock';
import { bestEffort, type Log, safeTrace } from '../../log';
import type { SessionInfo } from '../../sessions/currentSession';
import type { SharedSessions } from '../../sessions/sharedSessions';
import { accountLabel, askAccountName } from '../services/accountName';
import { areRevoked, endSessions } from '../services/endSessions';
import type { ShownBrand } from '../brand';
import type { Editor } from '../editor/editor';
import type { Toast } from '../editor/toast';
import type { Messages } from '../failures/messages';
import type { CurrentSettings } from '../settings/settings';
import type { SignIn } from '../signin/signIn';
import type { Tried } from '../texts/sessionTexts';
import type { Texts } from '../texts/texts';
import type { AccountNames, AccountOfService } from './accountNames';

/** What Show Status, Sign Out, and messages about sessions are wired from. */
export interface AccountsWiring {
  readonly brand: ShownBrand;
  readonly clock: Clock;
  readonly editor: Editor;
  readonly log: Log;
  readonly messages: Messages;
  readonly names: AccountNames;
  readonly sessions: Pick<
    SharedSessions,
    'list' | 'listAll' | 'listHidden' | 'onNotice' | 'remove' | 'rename' | 'refreshNow'
  >;
  readonly settings: CurrentSettings;
  readonly signIn: Pick<SignIn, 'start' | 'startAtChosenService' | 'startIfNeeded' | 'isRunning'>;
  readonly texts: Texts;
  readonly toast: Toast;
}

/** What people can do with a session of theirs. */
export class AccountActions {
  /**
   * Whether the service ends the tokens of each session that the person signed out of in VS Code's own menu, by account, until they
   * were told of all of them.
   */
  readonly #revokedInMenu = new Map<string, readonly Promise<boolean>[]>();

  constructor(private readonly wiring: AccountsWiring) {}

  /**
   * Asks as VS Code's Accounts menu does, and then ends all sessions of an account, which has several if a service refused to
   * widen its first one.
   */
  async signOut(session: SessionInfo): Promise<void> {
    const { clock, editor, names, sessions, settings, texts } = this.wiring;
    const { confirmSignOut, losesAccess, signOut } = texts.sessions;
    const account = names.of(session);
    // Nobody can use a hidden account.
    const isHidden = settings.current.services.of(session.service) === undefined;
    const detail = isHidden ? '' : losesAccess;
    if (!(await editor.confirm(confirmSignOut({ account }), detail, signOut))) {
      return;
    }
    try {
      const ofAccount = (await sessions.listAll()).filter((one) => one.account.id === session.account.id);
      this.#tellSignedOut(session, await endSessions(clock, sessions, ofAccount));
    } catch (error) {
      this.showFailure(error, 'signOut', session);
    }
  }

  /**
   * The person signed out in VS Code's own menu, which ends one session of an account after the other. Says what became of the tokens
   * when the last one is over.
   */
  async signedOutInMenu(session: SessionInfo, revoked: Promise<boolean> | undefined): Promise<void> {
    const { clock, log, sessions } = this.wiring;
    const { id } = session.account;
    const before = this.#revokedInMenu.get(id) ?? [];
    this.#revokedInMenu.set(id, revoked === undefined ? before : [...before, revoked]);
    await bestEffort(log, 'debug', "The person can't be told that they're signed out", async () => {
      const isLeft = (await sessions.list()).some(({ account }) => account.id === id);
      const ofAll = this.#revokedInMenu.get(id);
      if (!isLeft && ofAll !== undefined) {
        this.#revokedInMenu.delete(id);
        this.#tellSignedOut(session, await areRevoked(clock, ofAll));
      }
    });
  }

  /**
   * VS Code cuts a message off after one line unless it has a button. A hidden account has others than a sign-in, because its service
   * isn't configured.
   */
  #tellSignedOut(session: SessionInfo, areTokensRevoked: boolean | undefined): void {
    const { clock, messages, names, settings, signIn, texts } = this.wiring;
    const { account, service } = session;
    const request = { accountLabel: account.label, services: [service.baseUrl] };
    const since = clock.now();
    void messages.show(
      {
        severity: 'information',
        text: texts.sessions.signedOut(names.of(session), service, areTokensRevoked),
        offers: settings.current.services.of(service) === undefined ? ['configure', 'troubleshoot'] : ['signIn'],
        chapter: 'signing-out-and-uninstalling',
      },
      { signIn: () => signIn.startIfNeeded(request, since) },
    );
  }

  /** Refreshes a session for a button of a message that may be old, unless it's been refreshed since, or is over. */
  async tryAgain(session: Pick<SessionInfo, 'account' | 'id' | 'service'>): Promise<void> {
    const { editor, names, sessions, texts } = this.wiring;
    const current = (await sessions.list()).find(({ id }) => id === session.id);
    if (current === undefined) {
      editor.showStatusMessage(texts.sessions.faults.over({ account: names.of(session) }));
    } else if (current.standing === 'fine') {
      editor.showStatusMessage(texts.sessions.refreshed({ account: names.of(session) }));
    } else {
      await this.refreshNow(session);
    }
  }

  /** Refreshes a session for the person, and says how that ended, unless they cancel: then it goes on without them. */
  async refreshNow(session: Pick<SessionInfo, 'account' | 'id' | 'service'>): Promise<void> {
    const { editor, names, sessions, texts } = this.wiring;
    const account = names.of(session);
    const ended = new AbortController();
    editor.progress(texts.sessions.refreshing({ account }), ended.signal, () => {
      ended.abort();
    });
    let told = 0;
    const notices = sessions.onNotice((notice) => {
      if ('account' in notice && notice.account.id === session.account.id) {
        told++;
      }
    });
    try {
      await untilAborted(ended.signal, () => sessions.refreshNow(session.id));
      editor.showStatusMessage(texts.sessions.refreshed({ account }));
    } catch (error) {
      // A notice about it says more, with more that can be done.
      if (told === 0 && !ended.signal.aborted) {
        this.showFailure(error, 'refresh', session, () => this.tryAgain(session));
      }
    } finally {
      notices.dispose();
      ended.abort();
    }
  }

  /** Asks for a new name for an account, and sets it. */
  async rename(session: SessionInfo): Promise<void> {
    const { account, id, service } = session;
    const { editor, names, sessions, settings, texts } = this.wiring;
    const accounts = (await sessions.list()).map((other) => other.account);
    const taken = accounts.filter((other) => other.id !== account.id).map((other) => other.label);
    const { services } = settings.current;
    const configured = services.of(service);
    // VS Code's permissions hang on the label, so a name that's accepted as it is stays, whichever service is the default by now.
    const labelOf = (name: string) =>
      configured === undefined || name === account.label ? name : accountLabel(services, configured, name);
    const label = await askAccountName(
      editor,
      texts,
      { taken, labelOf },
      {
        title: texts.sessions.renameAccount,
        prompt: texts.sessions.askAgain({ account: names.of(session) }),
        value: account.label,
      },
    );
    // The account may have several sessions, one of which couldn't be renamed the last time.
    const isNamedSo = accounts.every((other) => other.id !== account.id || other.label === label);
    if (label === undefined || (label === account.label && isNamedSo)) {
      return;
    }
    try {
      await sessions.rename(id, label);
    } catch (error) {
      this.showFailure(error, 'rename', session);
    }
  }

  /**
   * Shows why something couldn't be done with a session.
   * @param session which one, if it's about one
   * @param again tries it again
   */
  showFailure(error: unknown, tried: Tried, session?: AccountOfService, again?: () => Promise<void>): void {
    const { log, messages, names, settings } = this.wiring;
    log.warn(`An action on the sessions failed. ${safeTrace(error)}`);
    const service = session === undefined ? settings.current.label : names.of(session);
    void messages.show(messages.describe(error, { service, baseUrl: session?.service.baseUrl, tried }), { again });
  }
}
