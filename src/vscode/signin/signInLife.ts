import type { Log } from '../../log';
import { dialectOf } from '../../oauth/dialect';
import { isScope, splitScopes } from '../../oauth/scopes';
import type { CurrentSession } from '../../sessions/currentSession';
import { ExplainedError } from '../failures/failure';
import type { ConfiguredService } from '../settings/service';
import type { Texts } from '../texts/texts';
import type { AccountChooser } from './accountChoice';
import type { Attempt } from './attempt';
import type { CodeMessageDependencies } from './codeMessage';
import type { CodeSource } from './codeSource';
import type { Completion, ConfirmedSignIn } from './completion';
import type { Confirmation } from './confirmation';
import type { EndOfSignIn } from './endOfSignIn';
import type { ServiceSetup } from './serviceSetup';
import { type WatchedSessions, watchForAnswer } from './signedInElsewhere';
import { SignInView } from './signInView';
import { findAddedScopes } from './addedScopes';

interface SignInLifeDependencies {
  readonly accounts: AccountChooser;
  readonly codes: CodeSource;
  readonly completion: Completion;
  readonly confirmation: Confirmation;
  readonly log: Log;
  readonly end: EndOfSignIn;
  readonly sessions: WatchedSessions;
  readonly setup: ServiceSetup;
  readonly texts: Texts;
  readonly view: CodeMessageDependencies;
}

export class SignInLife {
  constructor(private readonly dependencies: SignInLifeDependencies) {}

  /**
   * Runs a sign-in from top to bottom. Each phase gets what those before it have found out, and throws if the sign-in ends early.
   * @throws the editor's cancellation if the person canceled; otherwise an ExplainedError
   */
  async run(attempt: Attempt): Promise<CurrentSession> {
    const { accounts, end } = this.dependencies;
    const watch = this.#watchForAnswer(attempt);
    try {
      const service = await this.#findService(attempt);
      this.#checkScopes(attempt, service);
      const account = attempt.answered(
        await accounts.choose(service, attempt.started, attempt.resumed !== undefined, attempt.signal),
      );
      attempt.note({ account });
      const view = new SignInView(this.dependencies.view, { service, cancel: attempt.cancel });
      attempt.note({ view });
      const code = await this.dependencies.codes.get(attempt, service, account);
      view.showCode(code.code, findAddedScopes(code.request, account));
      const tokens = await this.dependencies.confirmation.wait(attempt, view, code);
      return await this.#complete(attempt, view, { service, account, request: code.request, tokens });
    } catch (error) {
      if (attempt.ending?.kind === 'signed in elsewhere') {
        const { session } = attempt.ending;
        end.showSignedInElsewhere(attempt, session);
        return session;
      }
      throw end.explain(attempt, error);
    } finally {
      watch.dispose();
      end.removeView(attempt);
      await this.#release(attempt);
    }
  }

  /** Ends the sign-in if the person gets in another way what it's for. */
  #watchForAnswer(attempt: Attempt): { dispose(): void } {
    const { resumed, started } = attempt;
    // What a resumed sign-in calls the account is most likely the name that the person entered for whichever it turns out to be.
    const request = resumed === undefined ? started : { ...started, accountLabel: undefined };
    return watchForAnswer(this.dependencies, {
      request,
      resumedFrom: resumed?.arrivedAt,
      isForService: (service) => attempt.isForService(service),
      onAnswer: (session) => {
        attempt.endWith(session);
      },
    });
  }

  /** Finds the service, and asks for what isn't set. From here on, a change of it cancels. */
  async #findService(attempt: Attempt): Promise<ConfiguredService> {
    const service = attempt.answered(await this.dependencies.setup.find(attempt.started, attempt.signal));
    attempt.note({ service });
    // They may have changed meanwhile.
    attempt.settingsChanged();
    attempt.signal.throwIfAborted();
    return service;
  }

  /** @throws ExplainedError if somebody asks for what can't be a scope */
  #checkScopes({ started }: Attempt, { id }: ConfiguredService): void {
    const areScopes = splitScopes(started.scopes ?? '').every(isScope);
    if (dialectOf(id).sessionsHaveScopes && !areScopes) {
      throw new ExplainedError({ text: this.dependencies.texts.signIn.wrongScopes, offers: ['showLog'] });
    }
  }

  /** Stores the tokens, and finds out whose they are. */
  async #complete(attempt: Attempt, view: SignInView, confirmed: ConfirmedSignIn): Promise<CurrentSession> {
    const { completion, end } = this.dependencies;
    const sessionId = await completion.store(confirmed);
    attempt.note({ isStored: true });
    // The code is used up, so nothing must ask for it anymore, however long it takes to find out who signed in.
    end.removeView(attempt);
    const completed = await completion.assignAccount(sessionId, confirmed);
    end.showSignedIn(attempt.started, view, confirmed, completed);
    return completed.session;
  }

  /** Gives back the place in which the sign-in waits for the next window. */
  async #release({ ending, progress }: Attempt): Promise<void> {
    const { isStored, pending } = progress;
    const isLeft = ending?.kind === 'left to the next window';
    // The code is all there is until the tokens are stored.
    const released = isLeft && !isStored ? pending?.leaveForNextWindow() : pending?.discard();
    if (isLeft) {
      // Only a window that closes waits for it.
      await released;
    }
  }
}
