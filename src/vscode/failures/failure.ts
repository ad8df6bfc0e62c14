import { LoggableError } from '../../log';
import type { MessageKind } from '../editor/editor';
import type { AskedField } from '../settings/serviceFields';
import type { WrongSettingError } from '../settings/wrongSetting';

/** What a message offers, by the name of the button. */
export type Offer =
  | 'configure'
  | 'getNewCode'
  | 'openSettings'
  | 'openProfileSettingsFile'
  | 'openSettingsFile'
  | 'reloadWindow'
  | 'setClientSecret'
  | 'showLog'
  | 'showStatus'
  | 'signIn'
  | 'troubleshoot'
  | 'tryAgain';

/** The chapters of the page that explains messages, by their anchors there. */
export const CHAPTERS = [
  'the-service-isnt-found',
  'the-sign-in-fails',
  'youre-signed-out-or-have-to-sign-in-again',
  'the-disk-or-the-keyring-doesnt-work',
  'signing-out-and-uninstalling',
] as const;

export type Chapter = (typeof CHAPTERS)[number];

/** What a message is about, which its buttons lead to. */
export interface About {
  /** For `troubleshoot`: the chapter that explains it. */
  readonly chapter?: Chapter | undefined;
  /** What's wrong with settings. When none of it is left, there's nothing to do anymore, and the buttons say so. */
  readonly problems?: readonly WrongSettingError[] | undefined;
  /** For `configure` and `setClientSecret`: the base URL of the service; `undefined` if it's about none, or any. */
  readonly baseUrl?: string | undefined;
  /** For `configure`: what most likely has to be changed of that service; `undefined` if that's not known. */
  readonly field?: AskedField | undefined;
}

/** What went wrong, or what else the person has to know, and what to do. */
export interface Failure extends About {
  /** An error, unless it's what the person wanted. */
  readonly severity?: MessageKind;
  readonly text: string;
  readonly offers: readonly Offer[];
}

/** Authors of other extensions may rely on it. */
const NAME = 'ExplainedError';

/** An error whose message is for people. If it comes from a sign-in, the person has seen that already. */
export class ExplainedError extends LoggableError {
  override readonly name = NAME;

  /** @param failure what's shown when it's caught: the message, and what it offers */
  constructor(readonly failure: Failure) {
    super(failure.text);
  }
}

/** Whether it's such an error. Of one that has come through VS Code, only the name and the message are left. */
export function isExplained(error: unknown): error is Error {
  return error instanceof Error && error.name === NAME;
}
