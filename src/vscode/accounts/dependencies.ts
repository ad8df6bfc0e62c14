import type { Clock } from '../../clock';
import type { Log } from '../../log';
import type { Sessions } from '../../sessions/sessions';
import type { Editor } from '../editor/editor';
import type { SignInRequest } from '../signin/preparation';
import type { Texts } from '../texts/texts';

/** What the commands and messages about accounts work with. */
export interface AccountsDependencies {
  readonly editor: Editor;
  readonly texts: Texts;
  readonly clock: Clock;
  readonly log: Log;
  readonly sessions: Pick<Sessions, 'list' | 'listHidden' | 'remove' | 'rename' | 'refreshNow' | 'reportRejected'>;
  readonly signIn: (request: SignInRequest) => Promise<void>;
  /** Opens the menu of the sign-in that's in progress; `undefined` if there is none. */
  readonly runningSignIn: () => (() => Promise<void>) | undefined;
  readonly configure: () => Promise<void>;
  readonly setClientSecret: () => Promise<void>;
  readonly showLog: () => void;
  /** Says what went wrong with sessions. */
  readonly explain: (error: unknown) => string;
}
