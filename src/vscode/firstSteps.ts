import { type Log, safeTrace } from '../log';
import type { ServiceId } from '../oauth/client';
import type { ClientSecrets } from '../storage/clientSecrets';
import type { SharedSessions } from '../sessions/sharedSessions';
import type { Brand } from './brand';
import type { Editor } from './editor/editor';

/** What the walkthrough's steps depend on. */
export interface FirstStepsDependencies {
  readonly brand: Pick<Brand, 'prefix'>;
  readonly editor: Pick<Editor, 'setContext'>;
  readonly log: Log;
  readonly sessions: Pick<SharedSessions, 'list'>;
  readonly secrets: Pick<ClientSecrets, 'get'>;
  /** The configured service; `undefined` while there is none. */
  readonly service: () => ServiceId | undefined;
  /** Whether the editor shows a page that may be the walkthrough. */
  readonly showsPage: () => boolean;
}

/**
 * Checks off the steps of the walkthrough that are done: the service is configured, somebody is signed in. VS Code
 * checks off what becomes true while it knows the steps, but not what was true before, so nothing is true until the
 * page is shown.
 */
export async function tickFirstSteps(deps: FirstStepsDependencies): Promise<void> {
  const { brand, editor, log, secrets, service, sessions, showsPage } = deps;
  try {
    const isShown = showsPage();
    const isSignedIn = isShown && (await sessions.list()).length > 0;
    editor.setContext(`${brand.prefix}.signedIn`, isSignedIn);
    const configured = isShown ? service() : undefined;
    const hasSecret = isSignedIn || (configured !== undefined && (await secrets.get(configured)) !== undefined);
    editor.setContext(`${brand.prefix}.configured`, configured !== undefined && hasSecret);
  } catch (error) {
    log.debug(`The walkthrough's steps can't be checked off. ${safeTrace(error)}`);
  }
}
