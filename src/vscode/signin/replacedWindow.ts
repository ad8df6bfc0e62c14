import type { Clock } from '../../clock';
import type { PendingSignIn } from '../../signin/pendingSignIn';
import type { Editor } from '../editor/editor';

/** How often the window is asked whether it's still there. Milliseconds. */
const ASK_AGAIN = 1_000;

/** How often it may give no answer in a row, because it's only busy. */
const MOST_UNANSWERED = 5;

/**
 * Resolves when the window of this extension host is gone and another window would continue the sign-in. After a reload, or
 * when a browser tab is closed, VS Code may keep the extension host for minutes, in case its window connects again: until then,
 * nobody sees the code.
 * @throws the signal's reason
 */
export async function untilWindowIsReplaced(
  clock: Clock,
  editor: Editor,
  signIn: PendingSignIn,
  signal: AbortSignal,
): Promise<void> {
  // Counted rather than measured: while the machine sleeps, no window can answer.
  let unanswered = 0;
  const onAnswer = (): void => {
    unanswered = 0;
  };
  do {
    if (unanswered === 0) {
      void editor.askWindow().then(onAnswer);
    }
    unanswered += 1;
    await clock.sleep(ASK_AGAIN, signal);
  } while (unanswered <= MOST_UNANSWERED || !(await signIn.isClaimed()));
}
