import type * as vscode from 'vscode';
import type { Clock } from '../../clock';
import { codeOf, type Log, safeTrace } from '../../log';
import { RefreshError } from '../../sessions/errors';
import type { CurrentSession, Sessions, SessionsChange } from '../../sessions/sessions';
import type { Texts } from '../texts/texts';
import { StoreUnavailableError } from '../../storage/devices';

type Change = vscode.AuthenticationProviderAuthenticationSessionsChangeEvent;

/** While VS Code waits for a session, it serves nobody else. So the wait ends, not the sign-in. Milliseconds. */
const CREATE_PATIENCE = 5 * 60 * 1000;

/** How many different lists of scopes are remembered. */
const MOST_SCOPES = 100;

/** Stands in for a session that removes our own offer to sign in. It's never in the Accounts menu. */
const PLACEHOLDER = { id: 'offer', label: 'offer' };

/** What the provider works with. */
export interface ProviderDependencies {
  readonly sessions: Pick<Sessions, 'list' | 'serve' | 'remove' | 'onDidChange'>;
  /**
   * Runs a sign-in, or joins the one that's running.
   * @throws the editor's cancellation if the person cancels; otherwise an error with a message for people
   */
  readonly signIn: (request: { readonly replaces?: string }) => Promise<CurrentSession>;
  readonly clock: Clock;
  readonly log: Log;
  readonly texts: Texts;
  /** The scopes with which this extension gets its own offer in the Accounts menu. */
  readonly ownScopes: readonly string[];
  /** Called when VS Code no longer waits for a session. */
  readonly onIdle: () => void;
}

/**
 * Serves sessions to VS Code, and through it to other extensions. The service has no scopes, so a request with any
 * scopes gets the same sessions, with exactly those scopes.
 */
export class Provider implements vscode.AuthenticationProvider {
  readonly #listeners = new Set<(change: Change) => unknown>();
  readonly #stop: () => void;
  /** The sessions as VS Code knows them, by ID. */
  readonly #known = new Map<string, CurrentSession>();
  /** The lists of scopes that were requested in this window, by their JSON, oldest first. */
  readonly #scopes = new Map<string, readonly string[]>();
  #creating = 0;
  #withdrawing = false;

  constructor(private readonly dependencies: ProviderDependencies) {
    this.#stop = dependencies.sessions.onDidChange((change) => {
      this.#announce(change);
    });
  }

  /** Tells VS Code about changes. VS Code calls this when the provider is registered. */
  readonly onDidChangeSessions = (listener: (change: Change) => unknown): { dispose(): void } => {
    this.#listeners.add(listener);
    return {
      dispose: () => {
        this.#listeners.delete(listener);
        if (this.#withdrawing) {
          this.#withdrawing = false;
          // The provider is being unregistered, which clears its accounts from the menu, this one included.
          listener({ added: [this.#answerToOffer()], changed: [], removed: [] });
        }
      },
    };
  };

  /** True while VS Code waits for `createSession`. */
  get busy(): boolean {
    return this.#creating > 0;
  }

  /**
   * Without scopes: all sessions as they're known, for menus, without waiting or errors. With scopes: sessions with
   * fresh tokens.
   * @throws Error with a message for people
   */
  async getSessions(
    scopes: readonly string[] | undefined,
    { account }: vscode.AuthenticationProviderSessionOptions,
  ): Promise<vscode.AuthenticationSession[]> {
    const { sessions, texts, ownScopes } = this.dependencies;
    if (scopes === undefined) {
      const known = await sessions.list();
      for (const session of known) {
        this.#known.set(session.id, session);
      }
      return known.map((session) => toEditor(session, []));
    }
    if (isSameList(scopes, ownScopes)) {
      // Only this extension requests these, for the offer to sign in. If there were sessions, VS Code would offer
      // access to them instead.
      return [];
    }
    this.#remember(scopes);
    try {
      const served = await sessions.serve(account?.id);
      return served.map((session) => toEditor(session, scopes));
    } catch (error) {
      this.#logFailure(error);
      throw new Error(texts.sessions.failure(error), { cause: error });
    }
  }

  /**
   * Runs a sign-in. With an account, its session is replaced.
   * @throws the editor's cancellation, or an Error with a message for people
   */
  async createSession(
    scopes: readonly string[],
    { account }: vscode.AuthenticationProviderSessionOptions,
  ): Promise<vscode.AuthenticationSession> {
    this.#remember(scopes);
    this.#creating++;
    const over = new AbortController();
    try {
      const session = await Promise.race([this.#signIn(account?.id), this.#patience(over.signal)]);
      return toEditor(session, scopes);
    } finally {
      over.abort();
      this.#creating--;
      // Not before the result of this call is on its way to VS Code.
      setImmediate(this.dependencies.onIdle);
    }
  }

  /** Signs out of one session. Idempotent. */
  async removeSession(sessionId: string): Promise<void> {
    const { sessions, texts } = this.dependencies;
    try {
      await sessions.remove(sessionId);
    } catch (error) {
      throw new Error(texts.sessions.failure(error), { cause: error });
    }
  }

  /**
   * Makes VS Code remove our offer to sign in when it unregisters the provider, because the offer names the service.
   * VS Code removes it only when a session with the offer's scopes is added, and there may be none.
   */
  withdrawOffer(): void {
    this.#withdrawing = true;
  }

  /** Makes VS Code remove our offer to sign in if somebody is signed in: it was made while the session arrived. */
  settleOffer(): void {
    if (this.#known.size > 0) {
      this.#fire({ added: [this.#answerToOffer()], changed: [], removed: [] });
    }
  }

  dispose(): void {
    this.#stop();
    this.#listeners.clear();
  }

  /**
   * Tells VS Code about changes in one event, in which VS Code handles removed sessions first. VS Code adds accounts
   * to its menu by label and removes them by ID, so a renamed account is removed and added, and an account that has
   * another session left is added again. New sessions are sent with all lists of scopes that were requested, to satisfy
   * all requests to sign in.
   */
  #announce({ added, changed, removed }: SessionsChange): void {
    this.dependencies.log.debug(
      `Sessions: ${added.length} added, ${changed.length} changed, ${removed.length} removed.`,
    );
    const renamed = changed.flatMap(({ id, account }) => {
      const before = this.#known.get(id);
      return before !== undefined && before.account.label !== account.label ? [before] : [];
    });
    for (const { id } of removed) {
      this.#known.delete(id);
    }
    const ids = new Set([...added, ...changed].map(({ id }) => id));
    const remaining = [...this.#known.values()].filter(
      ({ id, account }) => !ids.has(id) && removed.some((session) => session.account.id === account.id),
    );
    for (const session of [...added, ...changed]) {
      this.#known.set(session.id, session);
    }
    const { ownScopes } = this.dependencies;
    const own = (session: CurrentSession): vscode.AuthenticationSession => toEditor(session, ownScopes);
    this.#fire({
      added: added.flatMap((session) =>
        [ownScopes, ...this.#scopes.values()].map((scopes) => toEditor(session, scopes)),
      ),
      changed: [...changed, ...remaining].map(own),
      removed: [...removed, ...renamed].map(own),
    });
  }

  #fire(change: Change): void {
    for (const listener of this.#listeners) {
      listener(change);
    }
  }

  #answerToOffer(): vscode.AuthenticationSession {
    const { ownScopes } = this.dependencies;
    const [session] = this.#known.values();
    return session === undefined
      ? { id: PLACEHOLDER.id, accessToken: '', account: PLACEHOLDER, scopes: ownScopes }
      : toEditor(session, ownScopes);
  }

  #remember(scopes: readonly string[]): void {
    if (isSameList(scopes, this.dependencies.ownScopes)) {
      return;
    }
    this.#scopes.set(JSON.stringify(scopes), [...scopes]);
    const [oldest] = this.#scopes.keys();
    if (oldest !== undefined && this.#scopes.size > MOST_SCOPES) {
      this.#scopes.delete(oldest);
    }
  }

  async #signIn(accountId: string | undefined): Promise<CurrentSession> {
    const { sessions, signIn } = this.dependencies;
    const known = accountId === undefined ? [] : await sessions.list();
    const replaced = known.find(({ account }) => account.id === accountId);
    return await signIn(replaced === undefined ? {} : { replaces: replaced.id });
  }

  async #patience(signal: AbortSignal): Promise<never> {
    const { clock, texts } = this.dependencies;
    await clock.sleep(CREATE_PATIENCE, signal);
    throw new Error(texts.sessions.unfinished);
  }

  /** Logs what `src/sessions` doesn't log itself: people are told that the log says more. */
  #logFailure(error: unknown): void {
    if (!(error instanceof RefreshError || error instanceof StoreUnavailableError)) {
      this.dependencies.log.error(`The sessions can't be served (${codeOf(error)}). ${safeTrace(error)}`);
    }
  }
}

function toEditor(
  { id, accessToken, account }: CurrentSession,
  scopes: readonly string[],
): vscode.AuthenticationSession {
  return { id, accessToken, account: { id: account.id, label: account.label }, scopes: [...scopes] };
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
