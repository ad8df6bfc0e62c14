import { type Clock, untilAborted } from '../../clock';
import { bestEffort, type Log, safeTrace } from '../../log';
import type { SessionInfo } from '../../sessions/currentSession';
import type { SharedSessions } from '../../sessions/sharedSessions';
import { StoreUnavailableError } from '../../storage/storeUnavailable';
import { accountLabel, askAccountName } from '../services/accountName';
import type { ShownBrand } from '../brand';
import type { Actions, Editor } from '../editor/editor';
import { buttonsFor, type Chapter, type Offer } from '../failures/failure';
import type { CurrentSettings } from '../settings/settings';
import type { SignIn } from '../signin/signIn';
import type { Tried } from '../texts/sessionTexts';
import type { Texts } from '../texts/texts';
import { areRevoked, endSessions } from '../services/endSessions';
import { type AccountOfService, accountWithService, shownAccount } from './shownAccount';

export interface AccountsDependencies {
  readonly brand: ShownBrand;
  readonly clock: Clock;
  readonly editor: Editor;
  readonly log: Log;
  readonly sessions: Pick<
    SharedSessions,
    'list' | 'listAll' | 'listHidden' | 'onNotice' | 'remove' | 'rename' | 'refreshNow'
  >;
  readonly settings: CurrentSettings;
  readonly signIn: Pick<SignIn, 'start' | 'startAtChosenService' | 'startIfNeeded' | 'running'>;
  readonly texts: Texts;
}

/** The chapter that explains why something can't be done with a session. */
const EXPLAINED_IN: Readonly<Partial<Record<Tried, Chapter>>> = {
  refresh: 'youre-signed-out-or-have-to-sign-in-again',
  signOut: 'youre-signed-out-or-have-to-sign-in-again',
};

export class AccountActions {
  /**
   * Whether the service ends the tokens of each session that the person signed out of in VS Code's own menu, by account, until they
   * were told of all of them.
   */
  readonly #revokedInMenu = new Map<string, readonly Promise<boolean>[]>();

  constructor(private readonly dependencies: AccountsDependencies) {}

  /**
   * Asks as VS Code's Accounts menu does, and then ends all sessions of an account, which has several if a service refused to
   * widen its first one.
   */
  async signOut(session: SessionInfo): Promise<void> {
    const { clock, editor, sessions, settings, texts } = this.dependencies;
    const { confirmSignOut, keepsPermissions, losesAccess, signOut } = texts.sessions;
    // People may have several builds, each for a service, and the same name at all of them.
    const account = accountWithService(settings.current, texts, session);
    // A hidden account isn't in the Accounts menu.
    const isListed = settings.current.services.of(session.service) !== undefined;
    const detail = texts.common.sentences(losesAccess, isListed ? keepsPermissions : undefined);
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
    const { clock, log, sessions } = this.dependencies;
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

  #tellSignedOut(session: SessionInfo, areTokensRevoked: boolean | undefined): void {
    const { editor, settings, texts } = this.dependencies;
    const account = accountWithService(settings.current, texts, session);
    const text = texts.sessions.signedOut(account, session.service, areTokensRevoked);
    void editor.message('information', text, this.#buttonsAfterSignOut(session));
  }

  /** Refreshes a session for a button of a message that may be old, unless it's been refreshed since, or is over. */
  async tryAgain(session: Pick<SessionInfo, 'account' | 'id' | 'service'>): Promise<void> {
    const { editor, sessions, settings, texts } = this.dependencies;
    const current = (await sessions.list()).find(({ id }) => id === session.id);
    if (current?.standing === 'fine') {
      editor.showStatusMessage(texts.sessions.refreshed({ account: shownAccount(settings.current, texts, session) }));
    } else {
      await this.refreshNow(session);
    }
  }

  /** Refreshes a session for the person, and says how that ended, unless they cancel: then it goes on without them. */
  async refreshNow(session: Pick<SessionInfo, 'account' | 'id' | 'service'>): Promise<void> {
    const { editor, sessions, settings, texts } = this.dependencies;
    const account = shownAccount(settings.current, texts, session);
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
        this.showFailure(error, 'refresh', session);
      }
    } finally {
      notices.dispose();
      ended.abort();
    }
  }

  /** Asks for a new name for an account, and sets it. */
  async rename(session: SessionInfo): Promise<void> {
    const { account, id, service } = session;
    const { editor, sessions, settings, texts } = this.dependencies;
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
        title: texts.sessions.rename,
        prompt: texts.sessions.askAgain({ account: account.label }),
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
   */
  showFailure(error: unknown, tried: Tried, session?: AccountOfService): void {
    const { editor, log, settings, texts } = this.dependencies;
    log.warn(`An action on the sessions failed. ${safeTrace(error)}`);
    const { label } = settings.current;
    const whose = session === undefined ? label : accountWithService(settings.current, texts, session);
    // VS Code shows only one line of a message without a button.
    const chapter =
      error instanceof StoreUnavailableError ? 'the-disk-or-the-keyring-doesnt-work' : EXPLAINED_IN[tried];
    const offers: Offer[] = ['showLog'];
    if (chapter !== undefined) {
      offers.push('troubleshoot');
    }
    const buttons = buttonsFor(this.dependencies, offers, { chapter });
    void editor.message('error', texts.sessions.failure(error, whose, tried), buttons);
  }

  /**
   * The buttons of the message after a sign-out, which isn't cut off after one line if it has any. A hidden account has others,
   * because its service isn't configured.
   */
  #buttonsAfterSignOut({ account, service }: SessionInfo): Actions {
    const { clock, settings, signIn, texts } = this.dependencies;
    const request = { accountLabel: account.label, services: [service.baseUrl] };
    const since = clock.now();
    return settings.current.services.of(service) === undefined
      ? buttonsFor(this.dependencies, ['configure', 'troubleshoot'], {
          chapter: 'youre-signed-out-or-have-to-sign-in-again',
        })
      : { [texts.buttons.signIn]: () => signIn.startIfNeeded(request, since) };
  }
}
