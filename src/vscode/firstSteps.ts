import type { ClientSecrets } from '../sessions/createSessions';
import type { Sessions } from '../sessions/sessions';
import type { ServiceId } from '../oauth/client';
import type { Editor } from './editor/editor';

/** What the first steps are read from. */
export interface FirstStepsParts {
  readonly prefix: string;
  readonly editor: Pick<Editor, 'setContext'>;
  readonly sessions: Pick<Sessions, 'list'>;
  readonly secrets: Pick<ClientSecrets, 'get'>;
  /** The configured service; `undefined` while none is. */
  readonly service: () => ServiceId | undefined;
  /** Whether the editor shows a page that may be that of the first steps. */
  readonly shown: () => boolean;
}

/**
 * Ticks the steps of the walkthrough that are done: the service is configured, somebody is signed in. Only while its page
 * is shown: the editor ticks what becomes true while it knows the steps, and not what was true before.
 */
export async function tickFirstSteps(parts: FirstStepsParts): Promise<void> {
  const { prefix, editor, sessions, secrets, service, shown } = parts;
  if (!shown()) {
    editor.setContext(`${prefix}.signedIn`, false);
    editor.setContext(`${prefix}.configured`, false);
    return;
  }
  const signedIn = (await sessions.list()).length > 0;
  const configured = service();
  editor.setContext(`${prefix}.signedIn`, signedIn);
  const hasSecret = signedIn || (configured !== undefined && (await secrets.get(configured)) !== undefined);
  editor.setContext(`${prefix}.configured`, configured !== undefined && hasSecret);
}
