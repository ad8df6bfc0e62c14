import type { Clock } from '../../clock';
import type { Editor } from '../editor/editor';

/** VS Code hides a message after as many milliseconds in which its window has the focus. */
export const MESSAGE_SHOWN = 10_000;

/** How often the window is asked whether it has the focus. Milliseconds. */
const STEP = 1_000;

/**
 * Resolves when the window has had the focus for some time without a break: VS Code lets nothing go that the person hasn't seen.
 * @param time in milliseconds
 * @throws the signal's reason
 */
export async function untilSeen(
  clock: Clock,
  editor: Pick<Editor, 'isFocused'>,
  time: number,
  signal?: AbortSignal,
): Promise<void> {
  for (let seen = 0; seen < time; seen = editor.isFocused ? seen + STEP : 0) {
    await clock.sleep(STEP, signal);
  }
}
