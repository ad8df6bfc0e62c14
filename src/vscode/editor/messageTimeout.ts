import type { Clock } from '../../clock';
import type { Editor } from './editor';

/** VS Code hides a message after its window has had the focus for so long. Milliseconds. */
const MESSAGE_TIMEOUT = 10_000;

/** How often the window is asked whether it has the focus. Milliseconds. */
const STEP = 1_000;

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
