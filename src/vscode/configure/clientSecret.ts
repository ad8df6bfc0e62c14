import { type Log, loggedAs } from '../../log';
import type { OAuthClient } from '../../oauth/types';
import type { ShownBrand } from '../brand';
import type { Editor } from '../editor/editor';
import { ExplainedError, buttonsFor } from '../failures/failure';
import type { InputBoxOptions } from '../editor/quickInput';
import { shownService } from '../texts/plainText';
import type { Texts } from '../texts/texts';
import { completeService } from '../services/completeService';
import type { Configured } from './configured';
import { ifValid, invalidValue, validateBaseUrl, validateText } from '../settings/validate';
import { describeFailure, namesOf } from '../failures/describeFailure';
import { dialectOf } from '../../oauth/dialect';
import type { Service, ServiceId } from '../../oauth/service';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { ClientSecrets } from '../../storage/clientSecrets';
import type { Configuration } from '../settings/configuration';
import type { CurrentSettings } from '../settings/settings';
import type { ConfiguredService } from '../settings/service';
import { chooseService } from '../services/serviceChoice';

export interface SecretDependencies {
  readonly brand: ShownBrand;
  readonly client: OAuthClient;
  readonly clientSecrets: Pick<ClientSecrets, 'get' | 'set'>;
  readonly editor: Editor;
  readonly log: Log;
  readonly sessions: Pick<SharedSessions, 'list'>;
  readonly settings: CurrentSettings;
  readonly texts: Texts;
}

/** The settings that say which service a client secret is for, and where it's sent. */
const NEEDED: readonly string[] = ['baseUrl', 'clientId', 'protocol', 'endpoints'];

/**
 * Stores the client secret that a program hands over.
 * @param meantBaseUrl the base URL of the service that it's for; `undefined` for the default one
 * @throws ExplainedError if it can't be used or is for another service, the service isn't found, or the extension has a secret of its
 *   own; WrongSettingError; the store's error
 */
export async function storeClientSecret(
  dependencies: SecretDependencies,
  handedOver: unknown,
  meantBaseUrl: unknown,
): Promise<void> {
  const { clientSecrets, log, texts } = dependencies;
  const secret = validSecret(texts, handedOver);
  const service = meantService(dependencies, meantBaseUrl);
  if (service === undefined) {
    throw new ExplainedError({ text: texts.settings.configureFirst, offers: [] });
  }
  checkTakesSecret(texts, service);
  const complete = await findSecretPlace(dependencies, service);
  if (!(await isStored(clientSecrets, complete, secret))) {
    await clientSecrets.set(complete, secret);
    log.info('The client secret was stored.');
  }
}

/**
 * Asks the person for the client secret of a service, and stores it. If they enter none, and the service doesn't need one, the
 * stored one is removed. They're asked which service it's for if there are several and none is meant. If none is configured,
 * offers them to configure one if that's possible.
 * @returns what to tell them; `undefined` if nothing changed
 * @throws ExplainedError if the service isn't found, the extension has a secret of its own, or there's no service and no way to
 *   configure one; WrongSettingError; the store's error
 */
export async function askForClientSecret(
  dependencies: SecretDependencies,
  { meantBaseUrl, signal }: { readonly meantBaseUrl?: unknown; readonly signal?: AbortSignal | undefined },
): Promise<Configured | undefined> {
  const { clientSecrets, editor, log, settings, texts } = dependencies;
  const title = texts.buttons.setClientSecret;
  const { services } = settings.current;
  const mustChoose = meantBaseUrl === undefined && services.all.length > 1;
  const service = mustChoose
    ? await chooseService(editor, services, await dependencies.sessions.list(), texts, { title, signal })
    : meantService(dependencies, meantBaseUrl);
  if (service === undefined) {
    if (!mustChoose) {
      await editor.message('information', texts.settings.configureFirst, buttonsFor(dependencies, ['configure']));
    }
    return undefined;
  }
  checkTakesSecret(texts, service);
  const mayBeEmpty = !dialectOf(service.id).clientsNeedSecrets;
  const box = { title, ...secretBox(texts, service.id, { mayBeEmpty }), signal };
  const answer = await askForSecretOf(dependencies, service, box);
  if (answer === undefined) {
    return undefined;
  }
  const { complete, entered } = answer;
  const isRemoved = mayBeEmpty && entered.trim() === '';
  const secret = isRemoved ? '' : validSecret(texts, entered);
  if (isRemoved && (await isStored(clientSecrets, complete, secret))) {
    return undefined;
  }
  await clientSecrets.set(complete, secret);
  log.info(isRemoved ? 'The client secret was removed.' : 'The client secret was stored.');
  return { text: isRemoved ? texts.settings.secretRemoved : texts.settings.secretSaved, service: service.id };
}

/**
 * Asks for the client secret of a service. If it isn't known where that may be sent, such as without a network, the person sees why, and
 * can try again without entering it once more.
 * @returns what they entered, and the service with its endpoints; `undefined` if they canceled
 * @throws ExplainedError if trying again doesn't help
 */
async function askForSecretOf(
  dependencies: SecretDependencies,
  service: ConfiguredService,
  box: InputBoxOptions,
): Promise<{ readonly complete: Service; readonly entered: string } | undefined> {
  const { editor, settings, texts } = dependencies;
  let entered = '';
  let warning: string | undefined;
  for (;;) {
    const answer = await editor.ask({ ...box, value: entered, warning });
    if (answer === undefined) {
      return undefined;
    }
    entered = answer.value;
    // While the box is open, the person may have set the endpoints of the service.
    const current = settings.current.services.of(service.id) ?? service;
    try {
      return { complete: await findSecretPlace(dependencies, current), entered };
    } catch (error) {
      warning = whyAgain(texts, error);
    }
  }
}

/**
 * The service with this base URL, or the default one if there's none.
 * @returns `undefined` if no service is configured yet, and the person can do that
 * @throws WrongSettingError if that's why there's none; ExplainedError if it's another one, or nobody can configure one here
 */
function meantService(
  { brand, settings, texts }: SecretDependencies,
  meantBaseUrl: unknown,
): ConfiguredService | undefined {
  const { blocking, label, services } = settings.current;
  const meant = ifValid(() => validateBaseUrl(meantBaseUrl));
  const named = meant === undefined ? undefined : services.at(meant);
  const service = meantBaseUrl === undefined ? services.default : named;
  if (service !== undefined) {
    return service;
  }
  checkSettings(blocking);
  if (services.all.length > 0) {
    throw new ExplainedError({ text: texts.settings.secretOfNone, offers: [] });
  }
  if (!brand.commands.includes('configure')) {
    throw new ExplainedError({ text: texts.settings.noService({ service: label }), offers: [] });
  }
  return undefined;
}

/** @throws ExplainedError if the extension has a client secret of its own for this service; WrongSettingError */
function checkTakesSecret({ settings: texts }: Texts, { blocking, clientSecret, name }: ConfiguredService): void {
  checkSettings(blocking);
  if (clientSecret !== undefined) {
    throw new ExplainedError({ text: texts.secretBuiltIn({ service: name }), offers: [] });
  }
}

/** @throws WrongSettingError if one of these settings says where a client secret is sent */
function checkSettings(problems: Configuration['blocking']): void {
  const needed = problems.find(({ field }) => field === undefined || NEEDED.includes(field.split('.')[0] ?? ''));
  if (needed !== undefined) {
    throw needed;
  }
}

/** A client secret in its normal form. @throws ExplainedError if it can't be used */
function validSecret(texts: Texts, secret: unknown): string {
  const problem = problemText(texts, () => validateText(secret));
  if (problem !== undefined) {
    throw new ExplainedError({ text: texts.settings.wrongSecret({ problem }), offers: [] });
  }
  return validateText(secret);
}

/**
 * Finds the token endpoint of a service, which its client secret is bound to.
 * @throws ExplainedError, which names this service
 */
export async function findSecretPlace(dependencies: SecretDependencies, service: ConfiguredService): Promise<Service> {
  try {
    return await completeService(dependencies.client, service.id, service.endpoints);
  } catch (error) {
    const { current } = dependencies.settings;
    dependencies.log.warn(`The token endpoint for a client secret isn't known. ${loggedAs(error)}`);
    throw new ExplainedError(describeFailure(dependencies, error, namesOf(current, service)));
  }
}

/**
 * What a box says of a failure, after which the person can try again.
 * @throws the error itself if that doesn't help, or if it isn't explained yet
 */
export function whyAgain({ common, settings }: Texts, error: unknown): string {
  if (!(error instanceof ExplainedError) || !error.failure.offers.includes('tryAgain')) {
    throw error;
  }
  return common.sentences(error.message, settings.tryAgain);
}

/** Whether this is the secret that's stored. One that can't be read isn't: writing this one to the disk may work. */
async function isStored(clientSecrets: Pick<ClientSecrets, 'get'>, service: Service, secret: string): Promise<boolean> {
  return secret === (await clientSecrets.get(service, false).catch(() => undefined));
}

/**
 * The input box for the client secret of this service.
 * @param options `mayBeEmpty`: whether it can stay empty, which removes the secret that's stored. By default, it can't
 */
export function secretBox(
  texts: Texts,
  service: ServiceId,
  { mayBeEmpty = false }: { readonly mayBeEmpty?: boolean } = {},
): Omit<InputBoxOptions, 'title'> {
  const { clientSecret, enterSecret, removeSecret, secretRequired } = texts.settings;
  return {
    prompt: texts.common.sentences(enterSecret(shownService(service)), mayBeEmpty ? removeSecret : undefined),
    placeholder: clientSecret,
    password: true,
    validate: (text) => {
      const isLeftEmpty = mayBeEmpty && text.trim() === '';
      return isLeftEmpty ? undefined : problemText(texts, () => validateText(text), secretRequired);
    },
  };
}

/**
 * Says what's wrong with what somebody entered; `undefined` if nothing is.
 * @param validate throws if something is
 * @param ifEmpty says that nothing was entered
 */
export function problemText(
  { settings }: Texts,
  validate: () => unknown,
  ifEmpty = settings.problems.empty,
): string | undefined {
  const invalid = invalidValue(validate);
  if (invalid === undefined) {
    return undefined;
  }
  return invalid.problem.kind === 'empty' ? ifEmpty : settings.advice(invalid.problem);
}
