import { untilAborted } from '../../clock';
import type { Dependencies } from '../dependencies';
import { buttonsFor, type Failure } from '../failures';

/** Asks a person whose code no longer works whether they want another one. */
export class NewCodeQuestion {
  /** Answers the question; `undefined` unless it's asked just now. */
  #acceptNow: (() => void) | undefined;

  /** Says yes for the person, who asked for a sign-in in another way. */
  accept(): void {
    this.#acceptNow?.();
  }

  /**
   * Says what happened, and waits for the person.
   * @returns whether they want another code; false if they close the message
   * @throws the signal's reason
   */
  async ask(
    deps: Pick<Dependencies, 'brand' | 'editor' | 'texts'>,
    failure: Failure,
    signal: AbortSignal,
  ): Promise<boolean> {
    const accepted = new Promise<true>((resolve) => {
      this.#acceptNow = () => {
        resolve(true);
      };
    });
    const again = (): void => {
      this.accept();
    };
    const buttons = buttonsFor(deps, failure.offers, { ...failure, again });
    // The button closes the message too, but accepts first.
    const closed = deps.editor.message('error', failure.text, buttons).then(() => false);
    try {
      return await untilAborted(signal, () => Promise.race([accepted, closed]));
    } finally {
      this.#acceptNow = undefined;
    }
  }
}
