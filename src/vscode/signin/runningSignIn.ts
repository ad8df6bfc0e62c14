import type { CurrentSession } from '../../sessions/currentSession';
import type { ConfiguredService } from '../settings/service';
import type { ChosenAccount } from './chooseAccount';
import type { SignInRequest } from './request';
import type { SignInView } from './signInView';

/** Why a sign-in ends before its tokens arrive. */
export type EarlyEnd =
  | { readonly kind: 'canceled' }
  /** The person got a session that answers the request in another way, such as in another window. */
  | { readonly kind: 'signed in elsewhere'; readonly session: CurrentSession }
  | { readonly kind: 'window closed' };

/** How far a sign-in is. */
type SignInState =
  | {
      readonly kind: 'finding the service';
      /** Settings or a client secret changed: if nothing is missing anymore, the person needn't enter it. */
      readonly lookAgain?: () => Promise<void>;
    }
  | { readonly kind: 'choosing the account'; readonly service: ConfiguredService }
  | WithAccount<'requesting a code'>
  | WithAccount<'waiting for the person'>
  /** The tokens have arrived, and are stored whatever happens now. */
  | WithAccount<'storing the tokens'>;

interface WithAccount<Kind> {
  readonly kind: Kind;
  readonly service: ConfiguredService;
  readonly account: ChosenAccount;
  readonly view: SignInView;
}

/**
 * The sign-in in progress in this window, as others see it: they ask how far it is, and end it. What it does is told in
 * `SignIn`, which alone moves it on.
 */
export class RunningSignIn {
  readonly #ended = new AbortController();
  #state: SignInState = { kind: 'finding the service' };
  #earlyEnd: EarlyEnd | undefined;

  /** Aborted when it ends early. */
  readonly signal = this.#ended.signal;

  constructor(readonly request: SignInRequest) {}

  get state(): SignInState {
    return this.#state;
  }

  /** Why it ends before its tokens arrive, if it does. */
  get earlyEnd(): EarlyEnd | undefined {
    return this.#earlyEnd;
  }

  /** The service that it's for, once that's known. */
  get service(): ConfiguredService | undefined {
    return 'service' in this.#state ? this.#state.service : undefined;
  }

  /** The account that it's for, once that's known. */
  get account(): ChosenAccount | undefined {
    return 'account' in this.#state ? this.#state.account : undefined;
  }

  /** The ID of the account that the person signs in to again, if that's known, and it's not a new one. */
  get accountId(): string | undefined {
    return this.account === undefined ? this.request.accountId : this.account.replaced?.account.id;
  }

  /** What the account is called, as far as somebody has said that. */
  get accountLabel(): string | undefined {
    return this.account === undefined ? this.request.accountLabel : this.account.label;
  }

  /** Whether the person wants another account than those that are there. */
  get isForAnother(): boolean {
    return this.account === undefined ? this.request.isForAnother === true : this.account.isForAnother;
  }

  /** What's shown of it, from the request for the code until the end. */
  get view(): SignInView | undefined {
    return 'view' in this.#state ? this.#state.view : undefined;
  }

  /** The next phase begins. @throws the signal's reason if the sign-in has ended early, unless its tokens arrived all the same */
  enter(state: SignInState): void {
    if (state.kind === 'storing the tokens') {
      // From here on, it ends as if nobody had ended it.
      this.#earlyEnd = undefined;
    } else {
      this.signal.throwIfAborted();
    }
    this.#state = state;
  }

  /** Ends it immediately, unless its tokens have arrived. @returns whether that ended it */
  end(end: EarlyEnd): boolean {
    if (this.#state.kind === 'storing the tokens' || this.signal.aborted) {
      return false;
    }
    this.#earlyEnd = end;
    this.#ended.abort();
    return true;
  }

  readonly cancel = (): void => {
    this.end({ kind: 'canceled' });
  };

  /**
   * What the person answered. If they gave no answer, or don't continue, the sign-in is canceled.
   * @throws the signal's reason
   */
  answered<T>(answer: T | undefined | false): T {
    if (answer === undefined || answer === false) {
      this.cancel();
      throw new Error('The person canceled.');
    }
    this.signal.throwIfAborted();
    return answer;
  }
}
