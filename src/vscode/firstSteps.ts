import type { ClientSecrets, ServiceId, Sessions } from '../sessions/sessions';
import type { Editor } from './editor/editor';

/** What the first steps are read from. */
export interface FirstStepsParts {
  readonly prefix: string;
  readonly editor: Pick<Editor, 'setContext'>;
  readonly sessions: Pick<Sessions, 'list'>;
  readonly secrets: Pick<ClientSecrets, 'get'>;
  /** The configured service; `undefined` while none is. */
  readonly service: () => ServiceId | undefined;
}

/** Ticks the steps of the walkthrough that are done: the service is configured, somebody is signed in. */
export async function tickFirstSteps({ prefix, editor, sessions, secrets, service }: FirstStepsParts): Promise<void> {
  const signedIn = (await sessions.list()).length > 0;
  const configured = service();
  editor.setContext(`${prefix}.signedIn`, signedIn);
  const hasSecret = signedIn || (configured !== undefined && (await secrets.get(configured)) !== undefined);
  editor.setContext(`${prefix}.configured`, configured !== undefined && hasSecret);
}
