import type { InputBoxOptions } from '../editor/quickInput';
import type { Editor } from '../editor/editor';

/** One input box of several. */
export interface Box extends Omit<InputBoxOptions, 'title' | 'canGoBack' | 'signal'> {
  /**
   * Takes what the person entered. It resolves with `again` to show the box once more, which then may say something else, and with
   * `canceled` if the person canceled something else that it asked.
   */
  readonly take: (value: string) => Promise<'next' | 'again' | 'canceled'>;
}

/** How boxes are shown. */
interface GuideOptions {
  readonly title: string;
  /** Closes them when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** The number of the box that the person sees first, counted from 0. */
  readonly first?: number;
  /** Whether Back is in the first box, too, because something was asked before. */
  readonly canLeaveBack?: boolean;
}

/**
 * Guides a person through boxes, and back. A box that they come back to has what they entered.
 * @param boxes all of them, as far as they're known by what was entered so far
 * @returns `finished` if they answered the last one, and `back` if they went back from the first one
 */
export async function guide(
  editor: Editor,
  boxes: () => Promise<readonly Box[]>,
  { title, signal, first = 0, canLeaveBack = false }: GuideOptions,
): Promise<'finished' | 'canceled' | 'back'> {
  const entered: string[] = [];
  let index = first;
  for (;;) {
    const all = await boxes();
    const box = all[index];
    if (box === undefined) {
      return 'finished';
    }
    const { take, value = '', ...options } = box;
    const answer = await editor.ask({
      ...options,
      title,
      value: entered[index] ?? value,
      canGoBack: index > 0 || canLeaveBack,
      signal,
    });
    if (answer === undefined) {
      return 'canceled';
    }
    entered[index] = answer.value;
    const taken = answer.kind === 'back' ? 'back' : await take(answer.value);
    if (taken === 'canceled' || (taken === 'back' && index === 0)) {
      return taken;
    }
    index += { back: -1, again: 0, next: 1 }[taken];
  }
}
