import { type SessionInfo, sessionsOf } from '../../sessions/currentSession';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { Editor } from '../editor/editor';
import type { Choice } from '../editor/quickInput';
import type { ConfiguredService } from '../settings/service';
import type { ConfiguredServices } from '../settings/services';
import { addressBeside, withoutService } from '../texts/plainText';
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
export function baseUrlOfOnly(services: ConfiguredServices): string | undefined {
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
  const choices = ordered.map((service) => ({ ...serviceLine(texts, services, service, known), value: service }));
  const placeholder = texts.sessions.selectService;
  return (await editor.choose<ConfiguredService>({ title, placeholder, choices }, signal)) ?? 'canceled';
}

/** A service in a list: where it is, and who is signed in to it. */
export function serviceLine(
  texts: Texts,
  services: ConfiguredServices,
  service: ConfiguredService,
  sessions: readonly SessionInfo[],
): Omit<Choice<unknown>, 'value'> {
  const { blocking, name } = service;
  const { notSignedInYet, signedInAs, signedInUnnamed } = texts.sessions;
  const accounts = accountsAt(service, sessions);
  const signedIn = texts.signIn.isUnnamed(accounts, name) ? signedInUnnamed : signedInAs({ accounts });
  return {
    icon: blocking.length > 0 ? 'warning' : 'server',
    label: name,
    description: serviceDescription(texts, services, service),
    detail: accounts === '' ? notSignedInYet : signedIn,
  };
}

/** What's beside the name of a service in a list: where it is, unless its name says that, and whether it's the default one. */
export function serviceDescription(texts: Texts, services: ConfiguredServices, service: ConfiguredService): string {
  const address = addressBeside(service.name, service.id.baseUrl);
  const isDefault = service === services.default ? texts.sessions.isDefault : '';
  return [address, isDefault].filter((part) => part !== '').join(' · ');
}

/** The accounts of a service, in a text that names it anyway; empty if there are none. */
export function accountsAt({ id, name }: ConfiguredService, sessions: readonly SessionInfo[]): string {
  const labels = sessionsOf(sessions, id).map(({ account }) => withoutService(account.label, name));
  return [...new Set(labels)].join(', ');
}
