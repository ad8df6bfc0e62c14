import * as vscode from 'vscode';
import type { Clock } from '../../clock';
import type { Log } from '../../log';
import type { CurrentSession, SessionsChange } from '../../sessions/sessions';
import type { Account } from '../../storage/record';
import type { SharedSessions } from '../../sessions/sharedSessions';
import { AskedScopes } from './askedScopes';
import { logFailure } from './logFailure';

/** While the editor waits for a new session it answers nobody else, so the waiting ends; the sign-in goes on. */
const CREATE_PATIENCE = 5 * 60 * 1000;

/** Names what stands in for a session and its account when our own entry to sign in is taken back. */
const ENTRY = 'sign-in entry';

/** The sign-in, as the provider needs it. */
export interface SignsIn {
  /**
   * Runs a sign-in, or joins the one that runs.
   * @throws vscode.CancellationError where the person cancelled; otherwise an error whose message can be shown.
   */
  signIn(request: { readonly replaces?: string }): Promise<CurrentSession>;
}

/** Puts errors of the sessions into words for other extensions and the people who read their messages. */
export type InWords = (error: unknown) => string;

/** Serves sessions to the editor, and through it to other extensions. The service knows no scopes, so whatever is asked for is answered. */
export class Provider implements vscode.AuthenticationProvider, vscode.Disposable {
  readonly #changes = new vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>();
  readonly onDidChangeSessions = this.#changes.event;
  readonly #idle = new vscode.EventEmitter<void>();
  /** Fires when the editor has been given what it waited for. */
  readonly onDidBecomeIdle = this.#idle.event;
  readonly #scopes: AskedScopes;
  readonly #stop: () => void;
  /** The accounts as the editor knows them, by session. */
  readonly #accounts = new Map<string, Account>();
  #creating = 0;

  /** @param ownScopes the scopes with which this extension asks for its own entry in the Accounts menu */
  constructor(
    private readonly sessions: SharedSessions,
    private readonly signs: SignsIn,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly inWords: InWords,
    private readonly l10n: Pick<typeof vscode.l10n, 't'>,
    ownScopes: readonly string[],
  ) {
    this.#scopes = new AskedScopes(ownScopes);
    this.#stop = sessions.onDidChange((change) => {
      this.announce(change);
    });
  }

  /** True while the editor waits for `createSession`. */
  get busy(): boolean {
    return this.#creating > 0;
  }

  /**
   * Without scopes: all sessions as they are known, without waiting, for menus. With scopes: sessions whose tokens are
   * current, with exactly these scopes.
   */
  async getSessions(
    scopes: readonly string[] | undefined,
    options: vscode.AuthenticationProviderSessionOptions,
  ): Promise<vscode.AuthenticationSession[]> {
    if (scopes === undefined) {
      const known = await this.sessions.list();
      for (const { id, account } of known.filter((session) => !this.#accounts.has(session.id))) {
        this.#accounts.set(id, account);
      }
      return known.map((session) => toEditor(session, []));
    }
    this.#scopes.add(scopes);
    try {
      const served = await this.sessions.serve(options.account?.id);
      return served.map((session) => toEditor(session, scopes));
    } catch (error) {
      logFailure(this.log, error);
      throw new Error(this.inWords(error), { cause: error });
    }
  }

  /** Runs a sign-in. With an account, its session is replaced. */
  async createSession(
    scopes: readonly string[],
    options: vscode.AuthenticationProviderSessionOptions,
  ): Promise<vscode.AuthenticationSession> {
    this.#scopes.add(scopes);
    this.#creating++;
    const over = new AbortController();
    try {
      const session = await Promise.race([this.#signIn(options.account?.id), this.#patience(over.signal)]);
      return toEditor(session, scopes);
    } finally {
      over.abort();
      this.#creating--;
      // Not before this call's own result is on its way to the editor.
      setImmediate(() => {
        this.#idle.fire();
      });
    }
  }

  /** Signs out of one session. Idempotent. */
  async removeSession(sessionId: string): Promise<void> {
    try {
      await this.sessions.remove(sessionId);
    } catch (error) {
      throw new Error(this.inWords(error), { cause: error });
    }
  }

  /** Tells the editor of changes. New sessions are announced with all scopes that were asked for. */
  announce({ added, changed, removed }: SessionsChange): void {
    this.log.debug(`Sessions: ${added.length} added, ${changed.length} changed, ${removed.length} removed.`);
    const renamed = changed.flatMap((session) => {
      const before = this.#accounts.get(session.id);
      return before === undefined || before.label === session.account.label ? [] : [session.withAccount(before)];
    });
    for (const session of [...added, ...changed]) {
      this.#accounts.set(session.id, session.account);
    }
    if (renamed.length > 0) {
      // The editor would keep the old name in its menu beside the new one.
      this.#changes.fire({
        added: undefined,
        changed: undefined,
        removed: renamed.map((session) => toEditor(session, this.#scopes.own)),
      });
    }
    this.#changes.fire({
      added: added.flatMap((session) => this.#scopes.all().map((scopes) => toEditor(session, scopes))),
      changed: changed.map((session) => toEditor(session, this.#scopes.own)),
      removed: removed.map((session) => toEditor(session, this.#scopes.own)),
    });
    for (const { id } of removed) {
      this.#accounts.delete(id);
    }
    if (removed.length > 0) {
      void this.#keepInMenu(removed);
    }
  }

  /**
   * Has the editor take back our own entry to sign in, which would go on naming the service of before. It does so only
   * for a session with the entry's scopes, so one is announced that nobody can have, and its end right after.
   */
  withdrawEntry(): void {
    if (this.#accounts.size > 0) {
      return;
    }
    const nobody = { id: ENTRY, label: ENTRY };
    const session = [{ id: ENTRY, accessToken: '', account: nobody, scopes: [...this.#scopes.own] }];
    this.#changes.fire({ added: session, changed: undefined, removed: undefined });
    this.#changes.fire({ added: undefined, changed: undefined, removed: session });
  }

  dispose(): void {
    this.#stop();
    this.#changes.dispose();
    this.#idle.dispose();
  }

  /**
   * The editor takes an account out of its menu by ID with whichever session of it ends, so one that has another
   * session, as after signing in again, is shown to it once more.
   */
  async #keepInMenu(removed: readonly CurrentSession[]): Promise<void> {
    const known = await this.sessions.list();
    const kept = known.filter((session) => removed.some(({ account }) => account.id === session.account.id));
    if (kept.length > 0) {
      const changed = kept.map((session) => toEditor(session, this.#scopes.own));
      this.#changes.fire({ added: undefined, changed, removed: undefined });
    }
  }

  async #signIn(accountId: string | undefined): Promise<CurrentSession> {
    const replaced =
      accountId === undefined
        ? undefined
        : (await this.sessions.list()).find((session) => session.account.id === accountId);
    return await this.signs.signIn(replaced === undefined ? {} : { replaces: replaced.id });
  }

  async #patience(signal: AbortSignal): Promise<never> {
    await this.clock.sleep(CREATE_PATIENCE, signal);
    throw new Error(unfinishedMessage(this.l10n));
  }
}

/** For the extension that asked, when it has waited as long as the editor can. */
function unfinishedMessage(l10n: Pick<typeof vscode.l10n, 't'>): string {
  return l10n.t(
    'The sign-in was not finished within 5 minutes. It goes on: once you have entered the code, try again.',
  );
}

function toEditor(session: CurrentSession, scopes: readonly string[]): vscode.AuthenticationSession {
  const { id, accessToken, account } = session;
  return { id, accessToken, account: { id: account.id, label: account.label }, scopes: [...scopes] };
}
