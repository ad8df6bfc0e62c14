import type { Clock } from '../../clock';
import { type Log, safeTrace } from '../../log';
import type { Notice, SessionInfo } from '../../sessions/sessions';
import type { SharedSessions } from '../../sessions/sharedSessions';
import { askAccountName } from '../accountName';
import type { Build } from '../brand';
import type { Actions, Editor } from '../editor/editor';
import { buttonsFor } from '../failure';
import type { Configuration } from '../settings/configuration';
import type { SignIn } from '../signin/signIn';
import type { Texts } from '../texts/texts';
import { accessAfterSignOut } from '../accessAfterSignOut';

/** What the commands and messages about accounts work with. */
export interface AccountsDependencies {
  readonly brand: Build;
  readonly clock: Clock;
  readonly editor: Editor;
  readonly log: Log;
  readonly sessions: Pick<
    SharedSessions,
    'list' | 'listHidden' | 'onNotice' | 'remove' | 'rename' | 'refreshNow' | 'reportRejected'
  >;
  readonly settings: { readonly current: Pick<Configuration, 'label'> };
  readonly signIn: Pick<SignIn, 'start' | 'running'>;
  readonly texts: Texts;
}

/** What people do with accounts. */
export class AccountActions {
  constructor(private readonly deps: AccountsDependencies) {}

  /**
   * Asks as VS Code's Accounts menu does, and then ends all sessions of an account, which has several if a service refused to
   * widen its first one.
   * @param isHidden whether a different service is configured than the account's
   */
  async signOut(session: SessionInfo, isHidden = false): Promise<void> {
    const { editor, sessions, texts } = this.deps;
    const { confirmSignOut, losesAccess, losesHidden, signedOut, signOut } = texts.sessions;
    const { id, label } = session.account;
    const revoked: Promise<boolean>[] = [];
    if (!(await editor.confirm(confirmSignOut({ account: label }), isHidden ? losesHidden : losesAccess, signOut))) {
      return;
    }
    try {
      for (const known of [...(await sessions.list()), ...(await sessions.listHidden())]) {
        if (known.account.id === id) {
          revoked.push((await sessions.remove(known.id)).revoked);
        }
      }
    } catch (error) {
      this.showFailure(error, label, texts.sessions.notSignedOut);
      return;
    }
    const access = await accessAfterSignOut(this.deps.clock, session.service, revoked);
    const actions = access === 'revoked' ? {} : this.#buttonsAfterSignOut(label, isHidden);
    void editor.message('information', signedOut[access]({ account: label }), actions);
  }

  /** Refreshes a session for the person, and says how that ended. */
  async refreshNow(sessionId: string, account: string): Promise<void> {
    const { editor, sessions, texts } = this.deps;
    const ended = new AbortController();
    editor.progress(texts.sessions.refreshing({ account }), ended.signal);
    const told: Notice[] = [];
    const notices = sessions.onNotice((notice) => {
      told.push(...('account' in notice && notice.account.label === account ? [notice] : []));
    });
    try {
      await sessions.refreshNow(sessionId);
      editor.showStatusMessage(texts.sessions.refreshed({ account }));
    } catch (error) {
      // A notice about it says more, with more that can be done.
      if (told.length === 0) {
        this.showFailure(error, account);
      }
    } finally {
      notices.dispose();
      ended.abort();
    }
  }

  /** Asks for a new name for an account, and sets it. */
  async rename({ account, id }: SessionInfo): Promise<void> {
    const { editor, sessions, texts } = this.deps;
    const others = (await sessions.list()).filter((session) => session.account.id !== account.id);
    const taken = others.map((session) => session.account.label);
    const name = await askAccountName(editor, texts, taken, {
      title: texts.sessions.renameTitle,
      prompt: texts.sessions.askAgain({ account: account.label }),
      value: account.label,
    });
    if (name === undefined || name === account.label) {
      return;
    }
    try {
      await sessions.rename(id, name);
    } catch (error) {
      this.showFailure(error, account.label, texts.sessions.notRenamed);
    }
  }

  /**
   * Shows why something couldn't be done with a session.
   * @param account the label of its account, if it's about one
   * @param unexpected what to say of an error that has no text of its own
   */
  showFailure(error: unknown, account?: string, unexpected?: string): void {
    const { editor, log, settings, texts } = this.deps;
    log.warn(`An action on the sessions failed. ${safeTrace(error)}`);
    const whose = texts.sessions.accountAt(account, settings.current.label);
    // VS Code shows only one line of a message without a button.
    void editor.message('error', texts.sessions.failure(error, whose, unexpected), buttonsFor(this.deps, ['showLog']));
  }

  /**
   * The buttons of the message after a sign-out, which isn't cut off after one line if it has any. A hidden account has others,
   * because a sign-in would be to the configured service.
   */
  #buttonsAfterSignOut(account: string, isHidden: boolean): Actions {
    const { signIn, texts } = this.deps;
    return isHidden
      ? buttonsFor(this.deps, ['configure', 'troubleshoot'])
      : { [texts.buttons.signIn]: () => signIn.start({ accountLabel: account }) };
  }
}
