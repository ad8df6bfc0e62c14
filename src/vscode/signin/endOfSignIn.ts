import type { Clock } from '../../clock';
import { type Log, loggedAs } from '../../log';
import { dialectOf } from '../../oauth/dialect';
import type { AssignedAccount } from '../../sessions/newSessions';
import type { CurrentSession } from '../../sessions/currentSession';
import type { SignInRequest } from '../../signin/pendingSignIn';
import { type FailureOptions, namesOf } from '../failures/describeFailure';
import type { Editor } from '../editor/editor';
import { ExplainedError } from '../failures/failure';
import type { Messages } from '../failures/messages';
import type { CurrentSettings } from '../settings/settings';
import type { Texts } from '../texts/texts';
import type { Attempt } from './attempt';
import { type ConfirmedSignIn, describeSurprise } from './completion';
import type { SignInView } from './signInView';

interface EndDependencies {
  readonly clock: Clock;
  readonly editor: Editor;
  readonly log: Log;
  readonly messages: Messages;
  readonly settings: CurrentSettings;
  readonly texts: Texts;
}

/** Tells how a sign-in has ended, where its progress was shown. */
export class EndOfSignIn {
  constructor(private readonly dependencies: EndDependencies) {}

  /** Removes what's shown of a sign-in. From now on, buttons that are left look first whether anything is still needed. Idempotent. */
  removeView(attempt: Attempt): void {
    const { clock, editor, texts } = this.dependencies;
    const since = clock.now();
    const isSignedIn = attempt.progress.isStored || attempt.ending?.kind === 'signed in elsewhere';
    attempt.view?.end(() => {
      editor.showStatusMessage(isSignedIn ? texts.signIn.codeNotNeeded : texts.signIn.codeNotValid);
      return isSignedIn ? undefined : attempt.again(since);
    });
    attempt.note({ view: undefined });
  }

  /** Says who signed in. */
  showSignedIn(
    { accountId, awaitedByEditorUntil = 0 }: SignInRequest,
    view: SignInView,
    { account, service }: ConfirmedSignIn,
    completed: AssignedAccount,
  ): void {
    const { clock, editor, texts } = this.dependencies;
    const { tokensIdentifyUsers } = dialectOf(service.id);
    // Then VS Code says itself that somebody else signed in than the account that it requested.
    const isChecked = clock.monotonic() < awaitedByEditorUntil && accountId !== undefined && tokensIdentifyUsers;
    const surprise = isChecked ? undefined : describeSurprise(texts, service.name, account, completed);
    if (surprise === undefined) {
      view.showResult(texts.signIn.whoSignedIn(service.name, completed.session.account.label));
    } else {
      void editor.message('information', surprise);
    }
  }

  /** Says who got a session in another way than by this sign-in. */
  showSignedInElsewhere(attempt: Attempt, { account }: CurrentSession): void {
    const { editor, log, texts } = this.dependencies;
    log.info('The person signed in elsewhere, so the sign-in ends.');
    editor.showStatusMessage(texts.signIn.whoSignedIn(this.#names(attempt).service, account.label));
  }

  /** The error for everybody who waits. */
  explain(attempt: Attempt, error: unknown): Error {
    const { editor, log, texts } = this.dependencies;
    if (attempt.ending?.kind === 'left to the next window') {
      log.info('This window is gone, and the next one may continue the sign-in.');
      return editor.cancellation();
    }
    if (attempt.ending?.kind === 'canceled') {
      log.info('The sign-in was canceled.');
      editor.showStatusMessage(texts.signIn.canceled);
      return editor.cancellation();
    }
    log.warn(`The sign-in failed. ${loggedAs(error)}`);
    return new ExplainedError(this.dependencies.messages.describe(error, this.#names(attempt)));
  }

  /** What messages call the service, its base URL, and where it's set. */
  #names({ progress: { service }, started: { services = [] } }: Attempt): FailureOptions {
    const { current } = this.dependencies.settings;
    return namesOf(current, service ?? current.services.meant(services));
  }
}
