import type { Clock } from '../../clock';
import { EventEmitter } from '../../event';
import type { Actions, Editor } from '../editor/editor';

/** VS Code hides a message after its window has had the focus for so long. Milliseconds. */
const MESSAGE_TIMEOUT = 10_000;

/** How often the window is asked whether it has the focus. Milliseconds. */
const STEP = 1_000;

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

/**
 * Resolves when VS Code hides a message that it shows now: when its window has had the focus for some time without a break, because
 * VS Code lets nothing go that the person hasn't seen.
 * @throws the signal's reason
 */
export async function untilMessageTimesOut(clock: Clock, editor: Editor, signal?: AbortSignal): Promise<void> {
  for (let seen = 0; seen < MESSAGE_TIMEOUT; seen = editor.isFocused ? seen + STEP : 0) {
    await clock.sleep(STEP, signal);
  }
}
