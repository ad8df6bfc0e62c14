import type { Log } from '../../log';
import type { OAuthClient } from '../../oauth/client';
import type { Build } from '../brand';
import type { Editor } from '../editor/editor';
import { ExplainedError, buttonsFor, type Offer } from '../failure';
import type { InputBoxOptions } from '../editor/quickInput';
import { shownAddress, shownService } from '../texts/plainText';
import type { Texts } from '../texts/texts';
import { completeService } from './findService';
import { ifValid, invalidValue, validateBaseUrl, validateText } from '../settings/validate';
import { dialectOf } from '../../oauth/dialect';
import type { Service, ServiceId } from '../../oauth/service';
import type { SessionInfo } from '../../sessions/sessions';
import type { Configuration } from '../settings/configuration';
import type { ConfiguredService } from '../settings/service';
import { chooseService } from '../serviceChoice';

/** Where a client secret comes from. What a program hands over may be anything. */
export interface SecretSource {
  /** The secret that a program hands over; `undefined` asks the person. */
  readonly handedOver?: unknown;
  /** The base URL of the service that the secret is for; `undefined` if it's for any that's configured. */
  readonly meantBaseUrl?: unknown;
  /** Closes the input box when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads client secrets. */
export interface SecretReader {
  /** `undefined` if the client needs one, and there's none. */
  get(service: Service): Promise<string | undefined>;
}

/** Where client secrets are kept. */
export interface SecretStore extends SecretReader {
  /** Whether the extension has one of its own. */
  isBuiltIn(service: ServiceId): boolean;
  set(service: Service, secret: string): Promise<void>;
}

/** What was configured. */
export interface Configured {
  /** What to tell the person. */
  readonly text: string;
  /** The service that they may want to sign in to now. */
  readonly service?: ServiceId;
  /** What the message offers. VS Code shows only one line of a message without a button. */
  readonly offers?: readonly Offer[];
}

/** What Set Client Secret works with. */
export interface SecretDependencies {
  readonly brand: Build;
  readonly client: Pick<OAuthClient, 'discover'>;
  readonly clientSecrets: SecretStore;
  readonly editor: Editor;
  readonly log: Log;
  readonly sessions: { list(): Promise<readonly SessionInfo[]> };
  readonly settings: { readonly current: Configuration };
  readonly texts: Texts;
}

/** The settings that say which service a client secret is for, and where it's sent. */
const NEEDED: readonly string[] = ['baseUrl', 'clientId', 'protocol', 'endpoints'];

/**
 * Stores the client secret of a service: the one that a program hands over, or else what the person enters. If they enter none,
 * and the service doesn't need one, the stored one is removed. A person is asked which service it's for if there are several;
 * a program names it, or means the default one.
 * If no service is configured, offers the person to configure one if that's possible.
 * @returns what to tell the person, if they entered one
 * @throws ExplainedError if a secret that's handed over can't be used or is for another service, the extension has one of its own,
 *   or there's no service and no way to configure one; WrongSettingError; OAuthError; the store's error
 */
export async function setClientSecret(
  deps: SecretDependencies,
  { handedOver, meantBaseUrl, signal }: SecretSource = {},
): Promise<Configured | undefined> {
  const { brand, client, clientSecrets, editor, log, settings, texts } = deps;
  if (handedOver !== undefined && typeof handedOver !== 'string') {
    throw new ExplainedError({ text: texts.settings.secretNotText, offers: [] });
  }
  const configuration = settings.current;
  const { all } = configuration.services;
  const isAsked = handedOver === undefined && meantBaseUrl === undefined && all.length > 1;
  const configured = isAsked ? await askForService(deps, signal) : meantService(configuration, meantBaseUrl);
  if (isAsked && configured === undefined) {
    return undefined;
  }
  const wrong = (configured ?? configuration).wrong.find(({ setting, element }) =>
    NEEDED.includes(element?.field ?? setting),
  );
  if (wrong !== undefined) {
    throw wrong;
  }
  if (configured === undefined) {
    if (all.length > 0) {
      throw otherMeant(texts, meantBaseUrl, all);
    }
    const { configureFirst, noService } = texts.settings;
    if (!brand.commands.includes('configure')) {
      throw new ExplainedError({ text: noService({ service: configuration.label }), offers: [] });
    }
    if (handedOver !== undefined) {
      throw new ExplainedError({ text: configureFirst, offers: [] });
    }
    await editor.message('information', configureFirst, buttonsFor(deps, ['configure']));
    return undefined;
  }
  const { endpoints, id: service, name } = configured;
  if (clientSecrets.isBuiltIn(service)) {
    throw new ExplainedError({ text: texts.settings.secretBuiltIn({ service: name }), offers: [] });
  }
  const question = { title: texts.buttons.setClientSecret, ...secretBox(texts, service), signal };
  const secret = (handedOver ?? (await editor.ask(question))?.value)?.trim();
  if (secret === undefined) {
    return undefined;
  }
  const isRemoved = handedOver === undefined && secret === '' && !dialectOf(service).clientsNeedSecrets;
  const problem = isRemoved ? undefined : problemText(texts, validateText, secret);
  if (problem !== undefined) {
    throw new ExplainedError({ text: texts.settings.wrongSecret({ problem }), offers: [] });
  }
  const complete = await completeService(client, service, endpoints);
  // If the stored secret can't be read, store this one: writing it to the disk may work.
  const isStored = secret === (await clientSecrets.get(complete).catch(() => undefined));
  if (isStored && (isRemoved || handedOver !== undefined)) {
    return undefined;
  }
  await clientSecrets.set(complete, secret);
  log.info(isRemoved ? 'The client secret was removed.' : 'The client secret was stored.');
  const { secretRemoved, secretSaved } = texts.settings;
  const done = isRemoved ? secretRemoved : secretSaved;
  return handedOver === undefined ? { text: done, service } : undefined;
}

/** The service with this base URL, or the default one if there's none. */
function meantService({ services }: Configuration, meantBaseUrl: unknown): ConfiguredService | undefined {
  if (meantBaseUrl === undefined) {
    return services.default;
  }
  const meant = ifValid(() => validateBaseUrl(meantBaseUrl));
  return meant === undefined ? undefined : services.meant([meant])[0];
}

async function askForService(
  { editor, sessions, settings, texts }: SecretDependencies,
  signal: AbortSignal | undefined,
): Promise<ConfiguredService | undefined> {
  const question = { title: texts.buttons.setClientSecret, signal };
  return await chooseService(editor, settings.current.services, await sessions.list(), texts, question);
}

/** The error about a client secret that's for a service that isn't configured: another one would be sent it. */
function otherMeant(
  { settings: texts }: Texts,
  meantBaseUrl: unknown,
  all: readonly ConfiguredService[],
): ExplainedError {
  const meant = ifValid(() => validateBaseUrl(meantBaseUrl));
  if (meant === undefined) {
    return new ExplainedError({ text: texts.secretServiceInvalid, offers: [] });
  }
  const shown = { meant: shownAddress(meant), configured: all.map(({ id }) => shownAddress(id.baseUrl)).join(', ') };
  const text = (all.length > 1 ? texts.secretOfNone : texts.secretOfOther)(shown);
  return new ExplainedError({ text, offers: [] });
}

/** The input box for the client secret of this service. It may stay empty if the service doesn't need one. */
export function secretBox(texts: Texts, service: ServiceId): Omit<InputBoxOptions, 'title'> {
  const { clientSecret, enterOptionalSecretOf, enterSecretOf } = texts.settings;
  const { clientsNeedSecrets } = dialectOf(service);
  const isEmpty = (text: string): boolean => text.trim() === '';
  return {
    prompt: (clientsNeedSecrets ? enterSecretOf : enterOptionalSecretOf)(shownService(service)),
    placeholder: clientSecret,
    password: true,
    validate: (text) => (isEmpty(text) && !clientsNeedSecrets ? undefined : problemText(texts, validateText, text)),
  };
}

/** What throws if a text can't be used. */
export type Validator = (text: string) => unknown;

/** Says what's wrong with a text that somebody entered; `undefined` if nothing is. */
export function problemText({ settings }: Texts, validate: Validator, text: string): string | undefined {
  const invalid = invalidValue(() => validate(text));
  return invalid === undefined ? undefined : settings.problems[invalid.problem];
}
