import { untilAborted } from '../../clock';
import type { Dependencies } from '../dependencies';
import type { Failure } from '../explainedError';
import { buttonsFor } from '../failures';

/** Asks a person whose code no longer works whether they want another one. */
export class NewCodeQuestion {
  /** Answers the question; `undefined` unless it's asked just now. */
  #acceptNow: (() => void) | undefined;
  #isSignedIn = false;

  /** Whether it's asked just now. */
  get isOpen(): boolean {
    return this.#acceptNow !== undefined;
  }

  /** Says yes for the person, who asked for a sign-in in another way. */
  accept(): void {
    this.#acceptNow?.();
  }

  /** The person has signed in. Extensions can't close a message, so its button says that, unless they've signed out again. */
  signedIn(): void {
    this.#isSignedIn = true;
  }

  /**
   * Says what happened, and waits for the person.
   * @param again begins a new sign-in, for a message that's still there when nobody waits for its answer anymore
   * @returns whether they want another code; false if they close the message
   * @throws the signal's reason
   */
  async ask(
    deps: Pick<Dependencies, 'brand' | 'editor' | 'sessions' | 'texts'>,
    failure: Failure,
    again: () => void,
    signal: AbortSignal,
  ): Promise<boolean> {
    const accepted = new Promise<true>((resolve) => {
      this.#acceptNow = () => {
        resolve(true);
      };
    });
    const getNewCode = (): void => {
      if (this.isOpen) {
        this.accept();
      } else {
        void this.#answerLate(deps, again);
      }
    };
    const buttons = buttonsFor(deps, failure.offers, { ...failure, again: getNewCode });
    // The button closes the message too, but accepts first.
    const closed = deps.editor.message('error', failure.text, buttons).then(() => false);
    try {
      return await untilAborted(signal, () => Promise.race([accepted, closed]));
    } finally {
      this.#acceptNow = undefined;
    }
  }

  /** The person presses the button of a message that nobody waits for anymore. */
  async #answerLate(
    { editor, sessions, texts }: Pick<Dependencies, 'editor' | 'sessions' | 'texts'>,
    again: () => void,
  ): Promise<void> {
    if (this.#isSignedIn && (await sessions.list()).length > 0) {
      await editor.message('information', texts.signIn.codeNotNeeded);
    } else {
      again();
    }
  }
}
