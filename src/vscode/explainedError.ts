import type { MessageKind } from './editor/editor';

/** What a message offers, by the name of the button. */
export type Offer =
  | 'configure'
  | 'getNewCode'
  | 'openSettings'
  | 'openSettingsFile'
  | 'setClientSecret'
  | 'showLog'
  | 'troubleshoot'
  | 'tryAgain';

/** What went wrong, and what to do. */
export interface Failure {
  /** An error, unless it's what the person wanted. */
  readonly severity?: MessageKind;
  readonly text: string;
  readonly offers: readonly Offer[];
  /** For `openSettings`, such as `verificationUrl`. */
  readonly setting?: string;
}

/** An error whose message is for people. */
export class ExplainedError extends Error {
  override readonly name = 'ExplainedError';

  /** @param failure what's shown when it's caught: the message, and what it offers */
  constructor(readonly failure: Failure) {
    super(failure.text);
  }
}
