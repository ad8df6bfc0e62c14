import type * as vscode from 'vscode';
import { coversScopes } from '../../oauth/scopes';
import { parseRequestedScopes } from '../requests/serviceScope';
import { sameService, type ServiceId } from '../../oauth/service';
import { type CurrentSession, sessionsOf } from '../../sessions/currentSession';
import type { SessionsChange } from '../../sessions/sharedSessions';
import type { ConfiguredServices } from '../settings/services';

/** What VS Code is told. */
export type Change = vscode.AuthenticationProviderAuthenticationSessionsChangeEvent;

/** Stands in for a session that removes our own offer to sign in. It's never in the Accounts menu. */
const PLACEHOLDER = { id: 'offer', accessToken: '', idToken: undefined, account: { id: 'offer', label: 'offer' } };

/**
 * How many requests are remembered. Callers have a few, unless a server asks for other scopes in each response. New sessions are sent
 * once for each.
 */
const MOST_REQUESTS = 100;

/** What another extension asked for. */
interface Request {
  /** What a session must have to answer it, and which service is meant. */
  readonly wanted: readonly string[];
  /** The scopes with which a new session has to be announced, so that VS Code knows that it answers the request. */
  readonly compared: readonly string[];
}

/** What VS Code knows of the sessions, and how it learns of changes. */
export class Announcements {
  readonly #listeners = new Set<(change: Change) => unknown>();
  /** The sessions as VS Code knows them, by ID. */
  readonly #known = new Map<string, CurrentSession>();
  /** What callers asked for, by the JSON of the scopes that VS Code compares it with; what was requested last is at the end. */
  readonly #requests = new Map<string, Request>();

  /**
   * @param ownScopes with which this extension gets its own offer to sign in
   * @param services those that are configured now
   */
  constructor(
    private readonly ownScopes: readonly string[],
    private readonly services: () => ConfiguredServices,
  ) {}

  isOwnOffer(scopes: readonly string[]): boolean {
    return JSON.stringify(scopes) === JSON.stringify(this.ownScopes);
  }

  /**
   * Calls back with each change. VS Code subscribes when the provider is registered, and ends that when it's
   * unregistered. Our offer to sign in names the service, and would stay in the menu under the old name.
   */
  subscribe(listener: (change: Change) => unknown): { dispose(): void } {
    this.#listeners.add(listener);
    return {
      dispose: () => {
        this.#listeners.delete(listener);
        // Unregistering the provider clears its accounts from the menu, this one included.
        listener(this.#answerToOffer());
      },
    };
  }

  /** VS Code is told of these sessions. */
  know(sessions: readonly CurrentSession[]): void {
    for (const session of sessions) {
      this.#known.set(session.id, session);
    }
  }

  /**
   * Another extension requests sessions with these scopes. New sessions are announced with them, and with what VS Code makes
   * of them: it joins the scopes of a request with spaces, and newer versions split them again before they compare them with
   * those of a new session. So `[]` is compared as `['']`, and `['a b']` as `['a', 'b']`.
   */
  remember(scopes: readonly string[]): void {
    if (!this.isOwnOffer(scopes)) {
      this.#remember({ wanted: scopes, compared: scopes });
      this.#remember({ wanted: scopes, compared: scopes.join(' ').split(' ') });
    }
  }

  /**
   * Another extension requests a session for challenges. VS Code compares new sessions with the words of the header, and of the
   * fallback scopes behind it.
   * @param header as it's usually spelled
   * @param wanted the scopes that answer it
   */
  rememberChallenge(header: string, fallbackScopes: readonly string[], wanted: readonly string[]): void {
    this.#remember({ wanted, compared: `${header}:${fallbackScopes.join(' ')}`.split(' ') });
  }

  #remember(request: Request): void {
    const key = JSON.stringify(request.compared);
    this.#requests.delete(key);
    this.#requests.set(key, request);
    for (const old of [...this.#requests.keys()].slice(0, -MOST_REQUESTS)) {
      this.#requests.delete(old);
    }
  }

  /** Makes VS Code remove our offer to sign in if somebody is signed in: it was made while the session arrived. */
  settleOffer(): void {
    if (this.#known.size > 0) {
      this.#fire(this.#answerToOffer());
    }
  }

  /**
   * Tells VS Code about changes in one event. New sessions are sent with all lists of scopes that were requested, to satisfy all
   * requests to sign in. That a renamed account is removed comes before, in an event of its own: Eclipse Theia would remove it last.
   */
  announce({ added, changed, removed }: SessionsChange): void {
    const before = new Map(this.#known);
    for (const { id } of [...removed, ...added, ...changed]) {
      this.#known.delete(id);
    }
    const untouched = [...this.#known.values()];
    this.know([...added, ...changed]);

    // VS Code and Eclipse Theia show an account as it was called when it was added, so a renamed one is removed and added.
    const renamed = changed.filter((session) => isRenamed(before.get(session.id), session));
    const underOldNames = renamed.flatMap(({ id }) => before.get(id) ?? []);
    // A session with more scopes, or one that can be used again, may satisfy requests that it didn't before, as a new one does.
    const usable = changed.filter((session) => answersMore(before.get(session.id), session));
    // VS Code removes accounts from its menu by ID, so an account that has another session left is added again.
    const remaining = untouched.filter(({ account }) => removed.some((session) => session.account.id === account.id));

    const own = (session: CurrentSession): vscode.AuthenticationSession => toEditor(session, this.ownScopes);
    this.#fire({ removed: underOldNames.map(own) });
    this.#fire({
      added: [
        ...[...added, ...renamed].map(own),
        ...[...added, ...usable].flatMap((session) => this.#toRequests(session, [...this.#requests.values()])),
      ],
      changed: [...changed, ...remaining].map(own),
      removed: removed.map(own),
    });
  }

  /**
   * Callers that name no service get the sessions of another one from now on: those who keep a session learn that it changed, and
   * those who wait for one that there's one.
   * @param before the default one until now, if there was one
   * @param now the default one, if there's one
   */
  defaultChanged(before: ServiceId | undefined, now: ServiceId | undefined): void {
    const knownOf = (service: ServiceId | undefined): readonly CurrentSession[] =>
      service === undefined ? [] : sessionsOf([...this.#known.values()], service);
    const unnamed = [...this.#requests.values()].filter(
      ({ wanted }) => parseRequestedScopes(wanted).services.length === 0,
    );
    this.#fire({
      added: knownOf(now).flatMap((session) => this.#toRequests(session, unnamed)),
      changed: [before, now].flatMap(knownOf).map((session) => toEditor(session, this.ownScopes)),
    });
  }

  /** A session as each of these requests gets it that it answers. */
  #toRequests(session: CurrentSession, requests: readonly Request[]): vscode.AuthenticationSession[] {
    return requests
      .filter(({ wanted }) => this.#answers(session, wanted))
      .map(({ compared }) => toEditor(session, compared));
  }

  /** Whether a session is what callers ask for with these scopes: of the service that they mean, and with all of the scopes. */
  #answers({ scopes, service }: CurrentSession, requested: readonly string[]): boolean {
    const wanted = parseRequestedScopes(requested);
    const meant = this.services().meant(wanted.services);
    return meant !== undefined && sameService(meant.id, service) && coversScopes(scopes, wanted.scopes);
  }

  #fire({ added = [], changed = [], removed = [] }: Partial<Change>): void {
    if (added.length + changed.length + removed.length > 0) {
      for (const listener of this.#listeners) {
        listener({ added, changed, removed });
      }
    }
  }

  /** VS Code removes our offer only when a session with its scopes is added, and there may be none. */
  #answerToOffer(): Change {
    const [session = PLACEHOLDER] = this.#known.values();
    return { added: [toEditor(session, this.ownScopes)], changed: [], removed: [] };
  }
}

/** @param before as VS Code was told of the session, if it was */
function isRenamed(before: CurrentSession | undefined, now: CurrentSession): boolean {
  return before !== undefined && before.account.label !== now.account.label;
}

/** Whether a session can be used again, or has more scopes. Without any, it answers all requests already. */
function answersMore(before: CurrentSession | undefined, { needsUser, scopes }: CurrentSession): boolean {
  const isUsableAgain = !needsUser && before?.needsUser === true;
  return (
    isUsableAgain || (before?.scopes !== undefined && scopes !== undefined && !coversScopes(before.scopes, scopes))
  );
}

/** A session as VS Code has it. */
export function toEditor(
  { id, accessToken, account, idToken }: Pick<CurrentSession, 'id' | 'accessToken' | 'account' | 'idToken'>,
  scopes: readonly string[],
): vscode.AuthenticationSession {
  const session = { id, accessToken, account: { id: account.id, label: account.label }, scopes: [...scopes] };
  // Newer versions of VS Code know this property, and older ones pass it on.
  return idToken === undefined ? session : Object.assign(session, { idToken });
}
