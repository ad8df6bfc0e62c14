import type { Clock } from '../../clock';
import type { Editor } from './editor';
import { untilMessageTimesOut } from './messageTimeout';

/**
 * Says how something went in a notification that goes by itself, as a message does, but leaves nothing under the bell. There's one at
 * a time.
 */
export class Toast {
  #shown = new AbortController();

  constructor(
    private readonly clock: Clock,
    private readonly editor: Editor,
  ) {}

  /** Shows a text in the place of the one before. */
  show(text: string): void {
    this.hide();
    const shown = new AbortController();
    this.#shown = shown;
    this.editor.toast(text, shown.signal);
    const end = (): void => {
      shown.abort();
    };
    void untilMessageTimesOut(this.clock, this.editor, shown.signal).then(end, end);
  }

  /** Takes it away. */
  hide(): void {
    this.#shown.abort();
  }
}
