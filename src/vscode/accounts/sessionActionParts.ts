import type { l10n } from 'vscode';
import type { Clock } from '../../clock';
import type { Sessions } from '../../sessions/sessions';
import type { Editor } from '../editor/editor';
import type { SignInRequest } from '../signin/dependencies';

/** What the actions on sessions work with. */
export interface SessionActionParts {
  readonly editor: Editor;
  readonly l10n: Pick<typeof l10n, 't'>;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly signIn: (request: SignInRequest) => Promise<void>;
  /** Opens the menu of the sign-in that runs; `undefined` while none runs. */
  readonly runningSignIn: () => (() => Promise<void>) | undefined;
  readonly configure: () => Promise<void>;
  readonly showLog: () => void;
  /** Puts errors of the sessions into words. */
  readonly inWords: (error: unknown) => string;
  /** The language of dates, such as `en`. */
  readonly language: string;
}
