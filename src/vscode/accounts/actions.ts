import { type Clock, untilAborted } from '../../clock';
import { type Log, safeTrace } from '../../log';
import type { Notice, SessionInfo } from '../../sessions/sessions';
import type { SharedSessions } from '../../sessions/sharedSessions';
import { accountLabel, askAccountName } from '../accountName';
import type { Build } from '../brand';
import type { Actions, Editor } from '../editor/editor';
import { buttonsFor } from '../failure';
import type { Configuration } from '../settings/configuration';
import type { SignIn } from '../signin/signIn';
import type { Tried } from '../texts/sessionTexts';
import type { Texts } from '../texts/texts';
import { endSessions } from '../endSessions';
import { type AccountOfService, accountWithService, shownAccount } from './shownAccount';

/** What the commands and messages about accounts work with. */
export interface AccountsDependencies {
  readonly brand: Build;
  readonly clock: Clock;
  readonly editor: Editor;
  readonly log: Log;
  readonly sessions: Pick<SharedSessions, 'list' | 'listHidden' | 'onNotice' | 'remove' | 'rename' | 'refreshNow'>;
  readonly settings: { readonly current: Configuration };
  readonly signIn: Pick<SignIn, 'start' | 'startForPerson' | 'running'>;
  readonly texts: Texts;
}

/** What people do with accounts. */
export class AccountActions {
  constructor(private readonly deps: AccountsDependencies) {}

  /**
   * Asks as VS Code's Accounts menu does, and then ends all sessions of an account, which has several if a service refused to
   * widen its first one.
   */
  async signOut(session: SessionInfo): Promise<void> {
    const { clock, editor, sessions, settings, texts } = this.deps;
    const { confirmSignOut, keepsPermissions, losesAccess, signedOut, signOut } = texts.sessions;
    // People may have several builds, each for a service, and the same name at all of them.
    const account = accountWithService(settings.current, texts, session);
    // A hidden account isn't in the Accounts menu.
    const isListed = settings.current.services.of(session.service) !== undefined;
    const detail = texts.common.sentences(losesAccess, isListed ? keepsPermissions : undefined);
    if (!(await editor.confirm(confirmSignOut({ account }), detail, signOut))) {
      return;
    }
    try {
      const known = [...(await sessions.list()), ...(await sessions.listHidden())];
      const ofAccount = known.filter((one) => one.account.id === session.account.id);
      const areRevoked = await endSessions(clock, sessions, ofAccount);
      const text = signedOut(account, session.service, areRevoked);
      void editor.message('information', text, this.#buttonsAfterSignOut(session));
    } catch (error) {
      this.showFailure(error, 'signOut', session);
    }
  }

  /** Refreshes a session for the person, and says how that ended, unless they cancel: then it goes on without them. */
  async refreshNow(session: Pick<SessionInfo, 'account' | 'id' | 'service'>): Promise<void> {
    const { editor, sessions, settings, texts } = this.deps;
    const account = shownAccount(settings.current, texts, session);
    const ended = new AbortController();
    editor.progress(texts.sessions.refreshing({ account }), ended.signal, () => {
      ended.abort();
    });
    const told: Notice[] = [];
    const notices = sessions.onNotice((notice) => {
      told.push(...('account' in notice && notice.account.id === session.account.id ? [notice] : []));
    });
    try {
      await untilAborted(ended.signal, () => sessions.refreshNow(session.id));
      editor.showStatusMessage(texts.sessions.refreshed({ account }));
    } catch (error) {
      // A notice about it says more, with more that can be done.
      if (told.length === 0 && !ended.signal.aborted) {
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
    const { editor, sessions, settings, texts } = this.deps;
    const accounts = (await sessions.list()).map((other) => other.account);
    const taken = accounts.filter((other) => other.id !== account.id).map((other) => other.label);
    const { services } = settings.current;
    const configured = services.of(service);
    const labelOf = (name: string) => (configured === undefined ? name : accountLabel(services, configured, name));
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
    const { editor, log, settings, texts } = this.deps;
    log.warn(`An action on the sessions failed. ${safeTrace(error)}`);
    const { label } = settings.current;
    const whose = session === undefined ? label : accountWithService(settings.current, texts, session);
    // VS Code shows only one line of a message without a button.
    void editor.message('error', texts.sessions.failure(error, whose, tried), buttonsFor(this.deps, ['showLog']));
  }

  /**
   * The buttons of the message after a sign-out, which isn't cut off after one line if it has any. A hidden account has others,
   * because its service isn't configured.
   */
  #buttonsAfterSignOut({ account, service }: SessionInfo): Actions {
    const { settings, signIn, texts } = this.deps;
    return settings.current.services.of(service) === undefined
      ? buttonsFor(this.deps, ['configure', 'troubleshoot'])
      : { [texts.buttons.signIn]: () => signIn.start({ accountLabel: account.label, services: [service.baseUrl] }) };
  }
}
