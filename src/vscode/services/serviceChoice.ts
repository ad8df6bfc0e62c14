import { type SessionInfo, sessionsOf } from '../../sessions/currentSession';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { Editor } from '../editor/editor';
import type { Choice } from '../editor/quickInput';
import type { ConfiguredService } from '../settings/service';
import type { ConfiguredServices } from '../settings/services';
import { shownAddress } from '../texts/plainText';
import type { Texts } from '../texts/texts';

interface ServiceQuestion {
  readonly title: string;
  /** Closes the list when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The service that a person means who names none, if they needn't choose: the only one that can be used, whatever else is wrong with
 * the list, or the only one that's there.
 */
export function onlyService({ all }: ConfiguredServices): ConfiguredService | undefined {
  const usable = all.filter(({ blocking }) => blocking.length === 0);
  const [first, ...others] = usable.length === 1 ? usable : all;
  return others.length === 0 ? first : undefined;
}

/**
 * What a request of ours names that's for the only service there is: its base URL, unless it's the default one, which is meant anyway.
 */
export function nameOfOnly(services: ConfiguredServices): string | undefined {
  const only = onlyService(services);
  return only === services.default ? undefined : only?.id.baseUrl;
}

/**
 * The service that a person means who names none: the only one, or of several the one that they choose, of which those without an account come first.
 * @returns `none` if there's none to choose from
 */
export async function findPersonsService(
  editor: Editor,
  services: ConfiguredServices,
  sessions: Pick<SharedSessions, 'list'>,
  texts: Texts,
  { signal, title }: ServiceQuestion,
): Promise<ConfiguredService | 'none' | 'canceled'> {
  const { all } = services;
  if (all.length === 0) {
    return 'none';
  }
  const only = onlyService(services);
  if (only !== undefined) {
    return only;
  }
  const known = await sessions.list();
  const isNew = ({ id }: ConfiguredService): boolean => sessionsOf(known, id).length === 0;
  const ordered = [...all.filter(isNew), ...all.filter((service) => !isNew(service))];
  const choices = ordered.map((service) => ({ ...serviceLine(texts, service, known), value: service }));
  const placeholder = texts.sessions.selectService;
  return (await editor.choose<ConfiguredService>({ title, placeholder, choices }, signal)) ?? 'canceled';
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
