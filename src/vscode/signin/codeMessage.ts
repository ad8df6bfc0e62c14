import type { Clock } from '../../clock';
import { EventEmitter } from '../../event';
import type { Actions, Editor } from '../editor/editor';
import { untilMessageTimesOut } from '../editor/messageTimeout';

/** A message that VS Code hides after some seconds, but keeps until it's answered. Nobody else can take it away. */
export class CodeMessage {
  readonly #changed = new EventEmitter<void>();
  /** It appeared, was answered, or was hidden. */
  readonly onDidChange = this.#changed.event;
  /** The last time that it was shown: aborted when it's no longer in view. */
  #shown: AbortController | undefined;
  #isAnswered = true;

  constructor(
    private readonly clock: Clock,
    private readonly editor: Editor,
  ) {}

  /** Whether it's in view: not if it was answered or closed, or if VS Code has hidden it. */
  get isInView(): boolean {
    return this.#shown?.signal.aborted === false;
  }

  /** Whether nothing of it is left: it's neither in view nor under the bell. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Shows it, again if it was shown before: VS Code replaces one that looks the same. */
  show(text: string, buttons: Actions): void {
    const before = this.#shown;
    const shown = new AbortController();
    this.#shown = shown;
    this.#isAnswered = false;
    before?.abort();
    this.#changed.fire();
    const hide = (): void => {
      shown.abort();
      this.#changed.fire();
    };
    const answered = (): void => {
      this.#isAnswered ||= this.#shown === shown;
      hide();
    };
    // A button closes the message at once, however long it takes to do what it's for.
    const closing = Object.entries(buttons).map(
      ([name, act]) =>
        [
          name,
          () => {
            answered();
            return act();
          },
        ] as const,
    );
    void untilMessageTimesOut(this.clock, this.editor, shown.signal).then(hide, () => undefined);
    void this.editor.message('information', text, Object.fromEntries(closing)).then(answered);
  }

  /** From now on, nobody needs to know whether it's in view. */
  stopWatching(): void {
    this.#shown?.abort();
  }
}
