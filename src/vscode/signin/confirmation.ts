import { type Clock, untilAborted } from '../../clock';
import type { Log } from '../../log';
import type { OAuthClient, TokenResponse } from '../../oauth/types';
import { type WaitingForUser, waitForTokens } from '../../signin/deviceFlow';
import type { Editor } from '../editor/editor';
import type { Attempt } from './attempt';
import type { CodeWithRequest } from './codeSource';
import type { Completion } from './completion';
import { untilWindowIsReplaced } from './replacedWindow';
import type { SignInView } from './signInView';

interface ConfirmationDependencies {
  readonly client: OAuthClient;
  readonly clock: Clock;
  readonly completion: Completion;
  readonly editor: Editor;
  readonly log: Log;
}

/** The wait for the person to confirm the code. */
export class Confirmation {
  constructor(private readonly dependencies: ConfirmationDependencies) {}

  /**
   * Waits until the tokens arrive, unless the person cancels: that takes effect at once, and tokens that arrive afterwards are
   * revoked. If the sign-in is left to the next window, it waits for those that may be on their way.
   * @throws DeviceCodeError `expired`; OAuthError; the signal's reason
   */
  async wait(attempt: Attempt, view: SignInView, { code, request }: CodeWithRequest): Promise<TokenResponse> {
    const { completion, log } = this.dependencies;
    const { signal } = attempt;
    const onWaiting = ({ code: current, interruption }: WaitingForUser): void => {
      view.showInterruption(interruption);
      if (current !== code) {
        // After a reload, the next window must not poll more often again, or sooner.
        attempt.progress.pending?.save(current);
      }
    };
    const polling = waitForTokens(this.dependencies, request, code, { onWaiting, signal, closing: attempt.closing });
    const ended = new AbortController();
    this.#handOverLater(attempt, ended.signal).catch(() => undefined);
    try {
      const tokens = await untilAborted(signal, () => polling);
      log.debug('The person confirmed the code.');
      return tokens;
    } catch (error) {
      if (attempt.ending?.kind === 'left to the next window') {
        return await polling;
      }
      if (signal.aborted) {
        const revoke = (tokens: TokenResponse): void => {
          completion.revokeUnused(request, tokens);
        };
        polling.then(revoke, () => undefined);
      }
      throw error;
    } finally {
      ended.abort();
    }
  }

  /** Leaves it to another window, when that waits for it and this one is gone. @throws the signal's reason */
  async #handOverLater({ leave, progress: { pending } }: Attempt, ended: AbortSignal): Promise<void> {
    const { clock, editor } = this.dependencies;
    if (pending !== undefined) {
      await untilWindowIsReplaced(clock, editor, pending, ended);
      leave();
    }
  }
}
