import { bestEffort, safeTrace } from '../../log';
import { sessionsOf } from '../../sessions/currentSession';
import { endSessions } from '../services/endSessions';
import { accountsAt } from '../services/serviceChoice';
import { ExplainedError } from '../failures/failure';
import type { ConfiguredService } from '../settings/service';
import type { ConfigurationTexts } from '../texts/configurationTexts';
import type { Configured, ConfigureWiring } from './clientSecret';
import type { ServiceList } from './serviceList';

/**
 * Removes a service from the settings, if the person confirms that. Signs out of its accounts first: without its settings, its tokens
 * couldn't be revoked anymore.
 * @returns what to tell the person; `undefined` if they cancel, or the service isn't configured anymore
 * @throws ExplainedError or WrongSettingError if the settings can't be written; ExplainedError if the store fails
 */
export async function removeService(
  wiring: ConfigureWiring,
  list: ServiceList,
  configurationTexts: ConfigurationTexts,
  baseUrl: string,
): Promise<Configured | undefined> {
  const { clientSecrets, log, settings, texts } = wiring;
  const service = settings.current.services.at(baseUrl);
  if (service === undefined || !(await list.mayChange()) || !(await isConfirmed(wiring, configurationTexts, service))) {
    return undefined;
  }
  const { id, name } = service;
  const wasDefault = settings.current.services.default?.id.baseUrl === baseUrl;
  const signedOut = await signOut(wiring, list, service);
  await list.remove(baseUrl);
  await bestEffort(log, 'warn', "The client secret couldn't be deleted", () => clientSecrets.remove(id));
  log.info(`The service was removed: ${id.baseUrl}, client ID ${id.clientId}.`);
  const { nowDefault, removed, removedAndSignedOut, sameAddress } = configurationTexts;
  const text = (signedOut === undefined ? removed : removedAndSignedOut)({ service: name });
  // Another element may have the same base URL, and is used from now on.
  const { services } = list.configuration;
  const twin = services.at(baseUrl);
  const next =
    wasDefault && services.default !== undefined ? nowDefault({ service: services.default.name }) : undefined;
  return {
    text: texts.common.sentences(text, signedOut?.tokens, twin && sameAddress({ service: twin.name }), next),
    offers: ['configure'],
  };
}

/** Asks the person, and says which accounts they'd be signed out of. */
async function isConfirmed(
  { editor, sessions, texts }: ConfigureWiring,
  configurationTexts: ConfigurationTexts,
  service: ConfiguredService,
): Promise<boolean> {
  const { confirmRemoval, losesAccounts, losesSettings, losesUnnamed, remove } = configurationTexts;
  const { name } = service;
  const accounts = accountsAt(service, await sessions.list());
  const losesThem = texts.signIn.isUnnamed(accounts, name) ? losesUnnamed : losesAccounts({ accounts });
  const detail = texts.common.sentences(losesSettings, accounts === '' ? undefined : losesThem);
  return await editor.confirm(confirmRemoval({ service: name }), detail, remove);
}

/** Somebody was signed out. */
interface SignedOut {
  /** What became of the tokens, if that has to be said. */
  readonly tokens: string | undefined;
}

/**
 * Signs out of all accounts of a service, unless its settings can't be removed afterward.
 * @returns `undefined` if there were none
 * @throws ExplainedError if the store fails, or the settings can't be written; WrongSettingError if they aren't a list
 */
async function signOut(
  { clock, log, sessions: store, texts }: ConfigureWiring,
  list: ServiceList,
  service: ConfiguredService,
): Promise<SignedOut | undefined> {
  const sessions = sessionsOf(await store.list(), service.id);
  const [first] = sessions;
  if (first === undefined) {
    return undefined;
  }
  // Nobody should be signed out for nothing.
  await list.checkWritable();
  try {
    const areRevoked = await endSessions(clock, store, sessions);
    return { tokens: texts.sessions.tokensLeft(first.service, areRevoked) };
  } catch (error) {
    log.error(`The accounts of a service can't be signed out of. ${safeTrace(error)}`);
    throw new ExplainedError({ text: texts.sessions.failure(error, service.name, 'signOut'), offers: ['showLog'] });
  }
}
