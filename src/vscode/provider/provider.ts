import type * as vscode from 'vscode';
import { withTimeLimit } from '../../clock';
import { codeOf, safeTrace } from '../../log';
import { dialectOf } from '../../oauth/dialect';
import { coversScopes } from '../../oauth/scopes';
import { parseRequestedScopes, serviceScope } from '../requests/serviceScope';
import { sameService, sameServiceOrNone } from '../../oauth/service';
import { type CurrentSession, type SessionInfo, sessionsOf } from '../../sessions/currentSession';
import { SessionError } from '../../sessions/sessionError';
import { StoreUnavailableError } from '../../storage/storeUnavailable';
import { type Disposable, EventEmitter } from '../../event';
import { type Challenge, scopesIn } from '../requests/challenge';
import { findMeantService, type MeantService } from '../services/meantService';
import type { ConfiguredService } from '../settings/service';
import type { Tried } from '../texts/sessionTexts';
import { plainText } from '../texts/plainText';
import { Announcements, type Change, toEditor } from './announcements';
import { type ProviderWiring, Registration } from './registration';

const ONE_MINUTE = 60 * 1000;

/** How many characters of a name an error shows that isn't a service's. */
const LONGEST_SHOWN_NAME = 200;

/** While VS Code waits for a session, it serves nobody else. So the wait ends, not the sign-in. Milliseconds. */
const CREATE_PATIENCE = 5 * ONE_MINUTE;

/** What an extension asks for that got a challenge from a server. */
interface ChallengeConstraint {
  /** VS Code has read them from the header of a server's response. */
  readonly challenges: readonly Challenge[];
  /** The scopes that it wants if the challenges don't say any. */
  readonly fallbackScopes?: readonly string[];
}

/** A session that its person signed out of, and whether the service ends its tokens; `undefined` if there were none anymore. */
interface SignedOutSession {
  readonly session: SessionInfo;
  readonly revoked: Promise<boolean> | undefined;
}

/**
 * Serves sessions to VS Code, and through it to other extensions: those that have the scopes requested, with exactly these
 * scopes. If the service has no scopes, all sessions have any.
 */
export class Provider implements vscode.AuthenticationProvider {
  /** Private, so that printing the provider, which VS Code holds, doesn't reveal what leads to secrets. */
  readonly #wiring: ProviderWiring;
  readonly #announcements: Announcements;
  readonly #subscriptions: readonly Disposable[];
  readonly #registration: Registration;
  readonly #signedOut = new EventEmitter<SignedOutSession>();
  /** Fires when the person signed out in VS Code's own menu, once for each session that's over by then. */
  readonly onDidSignOut = this.#signedOut.event;

  /** Registers at once. */
  constructor(wiring: ProviderWiring) {
    this.#wiring = wiring;
    const { log, ownScopes, sessions, settings } = wiring;
    this.#announcements = new Announcements(ownScopes, () => settings.current.services);
    this.#subscriptions = [
      sessions.onDidChange((change) => {
        const { added, changed, removed } = change;
        log.debug(`Sessions: ${added.length} added, ${changed.length} changed, ${removed.length} removed.`);
        this.#announcements.announce(change);
      }),
      settings.onDidChange(({ after, before }) => {
        const [was, is] = [before, after].map(({ services }) => services.default?.id);
        if (!sameServiceOrNone(was, is)) {
          log.debug('Another service is the default one.');
          this.#announcements.defaultChanged(was, is);
        }
      }),
    ];
    this.#registration = new Registration(wiring, this, this.#announcements);
  }

  readonly onDidChangeSessions = (listener: (change: Change) => unknown): { dispose(): void } =>
    this.#announcements.subscribe(listener);

  /**
   * Without scopes: all sessions as they're known, for menus, without waiting or errors. With scopes: sessions with
   * fresh tokens.
   * @throws Error with a message for people
   */
  async getSessions(
    scopes: readonly string[] | undefined,
    { account }: vscode.AuthenticationProviderSessionOptions,
  ): Promise<vscode.AuthenticationSession[]> {
    const { ownScopes, sessions } = this.#wiring;
    if (scopes === undefined) {
      const known = await sessions.list();
      this.#announcements.know(known);
      // Eclipse Theia compares these scopes with those of our offer, and takes it back if somebody is signed in.
      return known.map((session) => toEditor(session, ownScopes));
    }
    if (this.#announcements.isOwnOffer(scopes)) {
      // This extension requests these scopes to make VS Code offer a sign-in. If it got sessions, VS Code would offer
      // access to them instead.
      return [];
    }
    this.#announcements.remember(scopes);
    return await this.#serve(scopes, account);
  }

  /**
   * The sessions that answer challenges which another extension got from a server: those that have the scopes that the server needs. If
   * it doesn't say which, there are none, unless the service has no scopes.
   * @throws Error with a message for people
   */
  async getSessionsFromChallenges(
    constraint: ChallengeConstraint,
    { account }: vscode.AuthenticationProviderSessionOptions,
  ): Promise<vscode.AuthenticationSession[]> {
    const { fallback, scopes } = this.#readConstraint(constraint);
    if (scopes !== undefined) {
      return await this.#serve(scopes, account);
    }
    const services = serviceScopesIn(fallback);
    const service = this.#serviceToServe(await this.#meant(services, account));
    const anyAnswers = service !== undefined && !dialectOf(service.id).sessionsHaveScopes;
    return anyAnswers ? await this.#serve(services, account) : [];
  }

  /**
   * Runs a sign-in for challenges: for the scopes that the server needs, or else for the fallback scopes of the extension.
   * @throws as `createSession` does
   */
  async createSessionFromChallenges(
    constraint: ChallengeConstraint,
    options: vscode.AuthenticationProviderSessionOptions,
  ): Promise<vscode.AuthenticationSession> {
    const { fallback, scopes = fallback } = this.#readConstraint(constraint);
    return await this.createSession(scopes, options);
  }

  /** What challenges ask for: the scopes that a session needs, with those that name a service, if they say any. */
  #readConstraint({ challenges, fallbackScopes = [] }: ChallengeConstraint): {
    readonly fallback: readonly string[];
    readonly scopes: readonly string[] | undefined;
  } {
    const needed = scopesIn(challenges);
    // With the scopes of our own offer, a server would have the person choose among all services.
    const saysNone = needed.length === 0 || this.#announcements.isOwnOffer(needed);
    const scopes = saysNone ? undefined : [...needed, ...serviceScopesIn(fallbackScopes)];
    this.#announcements.rememberChallenge(spelled(challenges), fallbackScopes, scopes ?? fallbackScopes);
    return { fallback: fallbackScopes, scopes };
  }

  /** The sessions with these scopes and fresh tokens. @throws Error with a message for people */
  async #serve(
    scopes: readonly string[],
    account: vscode.AuthenticationSessionAccountInformation | undefined,
  ): Promise<vscode.AuthenticationSession[]> {
    const { sessions } = this.#wiring;
    const service = this.#serviceToServe(await this.#meant(scopes, account));
    if (service === undefined) {
      return [];
    }
    const wanted = parseRequestedScopes(scopes);
    try {
      const served = await sessions.serve(service.id, account?.id, wanted.scopes);
      const answers = served.filter((session) => coversScopes(session.scopes, wanted.scopes));
      return answers.map((session) => this.#toCaller(session, scopes));
    } catch (error) {
      const known = await sessions.list();
      const [first, ...others] = sessionsOf(known, service.id);
      const only = others.length === 0 ? first?.account : undefined;
      throw this.#explained(error, 'refresh', "The sessions can't be served", service, account ?? only);
    }
  }

  /**
   * Runs a sign-in, which is one to the account again if there's one given.
   * @throws the editor's cancellation, or an Error with a message for people
   */
  async createSession(
    scopes: readonly string[],
    { account }: vscode.AuthenticationProviderSessionOptions,
  ): Promise<vscode.AuthenticationSession> {
    this.#announcements.remember(scopes);
    const signIn = () => this.#withPatience(this.#signIn(account?.id, scopes));
    return this.#toCaller(await this.#registration.keptDuring(signIn), scopes);
  }

  /** Signs out of one session. Idempotent. */
  async removeSession(sessionId: string): Promise<void> {
    const { sessions, settings } = this.#wiring;
    const session = (await sessions.list()).find(({ id }) => id === sessionId);
    try {
      const { revoked } = await sessions.remove(sessionId);
      if (session !== undefined) {
        this.#signedOut.fire({ session, revoked });
      }
    } catch (error) {
      const service = session && settings.current.services.of(session.service);
      throw this.#explained(error, 'signOut', `Session ${sessionId} can't be signed out of`, service);
    }
  }

  /** Offers a sign-in in the Accounts menu, if nobody is signed in. */
  update(): void {
    this.#registration.update();
  }

  dispose(): void {
    this.#registration.dispose();
    this.#subscriptions.forEach((one) => one.dispose());
  }

  /** @throws Error if the person doesn't finish the sign-in in time */
  async #withPatience(signedIn: Promise<CurrentSession>): Promise<CurrentSession> {
    const { clock, texts } = this.#wiring;
    const tooLate = (): Error => new Error(texts.sessions.unfinished({ minutes: CREATE_PATIENCE / ONE_MINUTE }));
    return await withTimeLimit(clock, CREATE_PATIENCE, signedIn, tooLate);
  }

  async #signIn(accountId: string | undefined, scopes: readonly string[]): Promise<CurrentSession> {
    const { clock, sessions, settings, signIn, texts } = this.#wiring;
    const awaitedByEditorUntil = clock.monotonic() + CREATE_PATIENCE;
    if (this.#announcements.isOwnOffer(scopes)) {
      return await signIn.signInToChosenService({ awaitedByEditorUntil });
    }
    const wanted = parseRequestedScopes(scopes);
    const meaning = { accountId, services: wanted.services };
    const find = () => findMeantService(settings.current.services, sessions, meaning);
    const before = await find();
    this.#checkName(before);
    const session = await signIn.signIn({ ...meaning, awaitedByEditorUntil, scopes: wanted.scopes });
    // The sign-in may have added the service.
    const meant = before.kind === 'configured' ? before : await find();
    const isMeant = meant.kind === 'configured' && sameService(session.service, meant.service.id);
    if (!isMeant || !coversScopes(session.scopes, wanted.scopes)) {
      // It joined a sign-in that was started for other scopes, or another service.
      throw new Error(texts.signIn.otherEnded);
    }
    return session;
  }

  async #meant(
    scopes: readonly string[],
    account: vscode.AuthenticationSessionAccountInformation | undefined,
  ): Promise<MeantService> {
    const { sessions, settings } = this.#wiring;
    const meaning = { services: parseRequestedScopes(scopes).services, accountId: account?.id };
    return await findMeantService(settings.current.services, sessions, meaning);
  }

  /**
   * A session as callers get it: with the milliseconds for which its token may be kept, which is until it expires or is replaced. Newer
   * versions of VS Code know this property, and older ones pass it on. It's left out if nobody knows, or if the token may be replaced at
   * any moment.
   */
  #toCaller(session: CurrentSession, scopes: readonly string[]): vscode.AuthenticationSession {
    const expiresAfter = Math.floor(Math.min(session.expiresAt, session.nextRefreshAt) - this.#wiring.clock.now());
    const isKnown = expiresAfter > 0 && Number.isFinite(expiresAfter);
    return Object.assign(toEditor(session, scopes), isKnown ? { expiresAfter } : {});
  }

  /** The service whose sessions a caller gets; `undefined` if it gets none: it would send the token to a service that it isn't for. */
  #serviceToServe(meant: MeantService): ConfiguredService | undefined {
    this.#checkName(meant);
    switch (meant.kind) {
      case 'configured':
        return meant.service;
      case 'unknown account':
        // The sessions don't have the account either, but they throw if that's because the store can't be read.
        return this.#wiring.settings.current.services.default;
      default:
        return undefined;
    }
  }

  /** @throws Error for the author of the extension that asked, if what it names can't be a service */
  #checkName(meant: MeantService): void {
    if (meant.kind === 'no base URL') {
      const name = plainText(meant.name, LONGEST_SHOWN_NAME);
      throw new Error(this.#wiring.texts.signIn.noBaseUrlMeant({ name }));
    }
  }

  /**
   * The error for whoever asked.
   * @param tried what failed
   * @param failed what the log says: people are told that it says more. `src/sessions` logs its own errors
   * @param account whose session it is, if that's known
   */
  #explained(
    error: unknown,
    tried: Tried,
    failed: string,
    service: ConfiguredService | undefined,
    account?: { readonly label: string },
  ): Error {
    const { log, settings, texts } = this.#wiring;
    if (!(error instanceof SessionError || error instanceof StoreUnavailableError)) {
      log.error(`${failed} (${codeOf(error)}). ${safeTrace(error)}`);
    }
    const whose = texts.sessions.accountAt(account?.label, service?.name ?? settings.current.label);
    return new Error(texts.sessions.failure(error, whose, tried), { cause: error });
  }
}

/** The header of these challenges, as servers usually spell it. */
function spelled(challenges: readonly Challenge[]): string {
  const each = challenges.map(({ params, scheme }) => {
    const parameters = Object.entries(params).map(([name, value]) => `${name}="${value}"`);
    return [scheme, ...(parameters.length === 0 ? [] : [parameters.join(', ')])].join(' ');
  });
  return each.join(', ');
}

/** The scopes that name a service. An element may hold others, too, with spaces between them. */
function serviceScopesIn(scopes: readonly string[]): readonly string[] {
  return parseRequestedScopes(scopes).services.map(serviceScope);
}
