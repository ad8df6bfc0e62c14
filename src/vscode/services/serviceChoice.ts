import { type SessionInfo, sessionsOf } from '../../sessions/currentSession';
import type { Editor } from '../editor/editor';
import type { Choice } from '../editor/quickInput';
import type { ConfiguredService } from '../settings/service';
import type { ConfiguredServices } from '../settings/services';
import { shownAddress } from '../texts/plainText';
import type { Texts } from '../texts/texts';

/**
 * Asks which service is meant. Those without an account come first.
 * @param options the `signal` closes the list when it's aborted, as if the person canceled
 * @returns `undefined` if the person cancels
 */
export async function chooseService(
  editor: Editor,
  { all }: ConfiguredServices,
  sessions: readonly SessionInfo[],
  texts: Texts,
  { signal, title }: { readonly title: string; readonly signal?: AbortSignal | undefined },
): Promise<ConfiguredService | undefined> {
  const isNew = ({ id }: ConfiguredService): boolean => sessionsOf(sessions, id).length === 0;
  const ordered = [...all.filter(isNew), ...all.filter((service) => !isNew(service))];
  const choices = ordered.map((service) => ({ ...serviceLine(texts, service, sessions), value: service }));
  const placeholder = texts.sessions.selectService;
  return await editor.choose<ConfiguredService>({ title, placeholder, choices }, signal);
}

/** A service in a list: where it is, and who is signed in to it. */
export function serviceLine(
  { sessions: texts, signIn }: Texts,
  { blocking, id, name }: ConfiguredService,
  sessions: readonly SessionInfo[],
): Omit<Choice<unknown>, 'value'> {
  const own = sessionsOf(sessions, id);
  const accounts = [...new Set(own.map(({ account }) => account.label))].join(', ');
  const signedIn = signIn.isUnnamed(accounts, name) ? texts.signedInUnnamed : texts.signedInAs({ accounts });
  return {
    icon: blocking.length > 0 ? 'warning' : 'server',
    label: name,
    description: shownAddress(id.baseUrl),
    detail: accounts === '' ? texts.notSignedInYet : signedIn,
  };
}
