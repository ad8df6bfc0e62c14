import type { Editor } from '../editor/editor';

/** A progress notification with Cancel that comes and goes. */
export class ProgressNotification {
  #open: { readonly ended: AbortController; readonly report: (text: string) => void } | undefined;
  #text = '';

  constructor(
    private readonly editor: Editor,
    private readonly cancel: () => void,
  ) {}

  /** Draws only changes, because a screen reader announces each of them. */
  show(text: string): void {
    if (this.#open === undefined) {
      const ended = new AbortController();
      this.#open = { ended, report: this.editor.progress(undefined, ended.signal, this.cancel) };
      this.#text = '';
    }
    if (text !== this.#text) {
      this.#text = text;
      this.#open.report(text);
    }
  }

  hide(): void {
    this.#open?.ended.abort();
    this.#open = undefined;
  }
}
