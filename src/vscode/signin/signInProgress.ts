import type { l10n } from 'vscode';
import type { Clock } from '../../clock';
import type { Editor, ProgressMessage, StatusItem } from '../editor/editor';
import {
  askingText,
  progressTitle,
  type SignInTopic,
  statusSpoken,
  statusText,
  statusTooltip,
  waitingText,
} from './signInWords';
import { timeLeftInDigits, timeLeftInWords } from '../words/timeLeft';

type L10n = Pick<typeof l10n, 't'>;

/** What the progress of a sign-in works with. */
export interface SignInProgressParts {
  readonly editor: Pick<Editor, 'progress' | 'statusItem'>;
  readonly l10n: L10n;
  readonly clock: Clock;
}

/** What the progress is about. */
export interface SignInProgressSubject {
  readonly service: string;
  /** Command that a click on the status bar carries out. */
  readonly menuCommand: string;
  readonly onCancel: () => void;
}

/** A code, how long it lives and whether the service answers. */
export interface Waiting extends SignInTopic {
  /** When the code ends, in milliseconds of the monotonic clock. */
  readonly expiresAt: number;
  readonly reachable: boolean;
}

const ONE_SECOND = 1000;

/** Shows that a sign-in runs, with its code and the time left: in a notification with Cancel, and in the status bar. */
export class SignInProgress {
  readonly #progress: ProgressMessage;
  readonly #status: StatusItem;
  readonly #over = new AbortController();
  #waiting: Waiting | undefined;
  #reported: string | undefined;

  constructor(
    private readonly parts: SignInProgressParts,
    { service, menuCommand, onCancel }: SignInProgressSubject,
  ) {
    const { editor, l10n } = parts;
    const title = progressTitle(l10n, service);
    this.#progress = editor.progress(title, onCancel);
    this.#status = editor.statusItem(title, menuCommand);
    this.#report(askingText(l10n));
    this.#status.show({ text: `$(sync~spin) ${title}`, tooltip: askingText(l10n), spoken: title });
  }

  /** Shows the code, and counts down from now on. */
  wait(waiting: Waiting): void {
    const counts = this.#waiting !== undefined;
    this.#waiting = waiting;
    this.#draw();
    if (!counts) {
      void this.#countDown();
    }
  }

  /** Takes everything away. Idempotent. */
  end(): void {
    this.#over.abort();
    this.#progress.end();
    this.#status.dispose();
  }

  async #countDown(): Promise<void> {
    while (!this.#over.signal.aborted) {
      try {
        await this.parts.clock.sleep(ONE_SECOND, this.#over.signal);
      } catch {
        // It has ended, and everything was taken away.
        return;
      }
      this.#draw();
    }
  }

  #draw(): void {
    if (this.#waiting === undefined || this.#over.signal.aborted) {
      return;
    }
    const { l10n, clock } = this.parts;
    const { userCode, expiresAt, reachable } = this.#waiting;
    const left = Math.max(0, expiresAt - clock.monotonic());
    const inWords = timeLeftInWords(l10n, left);
    this.#report(waitingText(l10n, userCode, inWords, reachable));
    this.#status.show({
      text: statusText(userCode, timeLeftInDigits(left)),
      tooltip: statusTooltip(l10n, this.#waiting),
      spoken: statusSpoken(l10n, this.#waiting, inWords),
    });
  }

  /** A screen reader says every report, so only what is new is reported. */
  #report(text: string): void {
    if (text !== this.#reported) {
      this.#reported = text;
      this.#progress.report(text);
    }
  }
}
