import {
  InvalidResponseError,
  isFromNetwork,
  MetadataError,
  NetworkError,
  OAuthError,
  type ResponseProblem,
  ServiceError,
  troubleOf,
} from '../../oauth/errors';
import { classifySignInError, type SignInErrorKind } from '../../signin/classifySignInError';
import { DeviceCodeError } from '../../signin/deviceFlow';
import type { Interruption } from '../../signin/pollingPace';
import { StoreUnavailableError } from '../../storage/storeUnavailable';
import type { Configuration } from '../settings/configuration';
import { WrongSettingError } from '../settings/wrongSetting';
import type { ConfiguredService } from '../settings/service';
import type { AskedField } from '../settings/serviceFields';
import { type Brand, servicesSetting } from '../brand';
import type { MessageKind } from '../editor/editor';
import { type Chapter, ExplainedError, type Failure, type Offer } from './failure';
import { addressBeside, shownAddress, shownEndpoint } from '../texts/plainText';
import type { Tried } from '../texts/sessionTexts';
import type { Texts } from '../texts/texts';

/** How a failure is described. */
export interface FailureOptions {
  /** What it's about is called: the service or, if a session failed, its account. */
  readonly service: string;
  /** Its base URL, if it has one. */
  readonly baseUrl: string | undefined;
  /** What failed, which an unexpected error is told with; a sign-in if left out. */
  readonly tried?: Tried;
}

/** What's offered when the network responded instead of the service. */
const AFTER_NETWORK: readonly Offer[] = ['tryAgain', 'showLog', 'troubleshoot'];

/** What people read and can do when the service refused, besides the text, which is in `refusals` of `signInTexts.ts`. */
interface Refusal {
  readonly offers: readonly Offer[];
  /** How grave it is, if it's no error. */
  readonly severity?: MessageKind;
  /**
   * What most likely has to be changed: with `address`, the response comes from something else than the service, as far as can be told.
   */
  readonly about?: 'address' | 'client';
}

const REFUSALS: Readonly<Record<SignInErrorKind, Refusal>> = {
  denied: { offers: ['tryAgain', 'troubleshoot'], severity: 'information' },
  expired: { offers: ['getNewCode', 'troubleshoot'], severity: 'warning' },
  'unknown code': { offers: ['getNewCode'] },
  'wrong credentials': { offers: ['configure', 'setClientSecret', 'troubleshoot'], about: 'client' },
  'grant not allowed': { offers: ['configure', 'setClientSecret', 'troubleshoot'], about: 'client' },
  'not accepted': { offers: ['configure', 'tryAgain', 'troubleshoot'], about: 'address' },
  'scopes refused': { offers: ['openSettings', 'tryAgain', 'troubleshoot'] },
  busy: { offers: ['tryAgain', 'troubleshoot'] },
  'not working': { offers: ['tryAgain', 'troubleshoot'] },
  numbered: { offers: ['tryAgain', 'showLog', 'troubleshoot'] },
  network: { offers: AFTER_NETWORK, about: 'address' },
  'PKCE required': { offers: ['openSettings', 'tryAgain', 'troubleshoot'] },
  'in own words': { offers: ['tryAgain', 'configure', 'showLog'] },
  unexplained: { offers: ['tryAgain', 'showLog'] },
  other: { offers: ['tryAgain', 'showLog'] },
};

/** What's wrong with one field of a response: the log says more. */
const IN_FIELD: readonly ResponseProblem[] = ['missing field', 'bad field', 'token type', 'page not secure'];

/** What a failure is put into words with. */
interface Words {
  readonly brand: Pick<Brand, 'prefix' | 'configuredBy'>;
  readonly texts: Texts;
}

/** The chapter that explains why something can't be done with a session. */
const EXPLAINED_IN: Readonly<Partial<Record<Tried, Chapter>>> = {
  refresh: 'youre-signed-out-or-have-to-sign-in-again',
  signOut: 'youre-signed-out-or-have-to-sign-in-again',
};

/** What messages name: the service, and the address that was requested. */
type ShownNames = Readonly<Record<'service' | 'address', string>>;

/** The field of a service that turns PKCE on. */
const PKCE_FIELD = 'pkce';

/** A person who's told to try again later isn't sent away for longer. Seconds. */
const LONGEST_SHOWN_WAIT = 5 * 60;

/** What messages call a service, or the one that's configured if it isn't known which. */
export function namesOf({ label }: Configuration, service: ConfiguredService | undefined): FailureOptions {
  return { service: service?.name ?? label, baseUrl: service?.id.baseUrl };
}

/** Describes why something failed. The service's own description of its error is never shown. */
export function describeFailure(words: Words, error: unknown, options: FailureOptions): Failure {
  return {
    baseUrl: options.baseUrl,
    chapter: chapterOf(error, options),
    field: fieldOf(error),
    ...describe(words, error, options),
  };
}

/** Where the page that explains messages is about a failure; `undefined` if it isn't. */
function chapterOf(error: unknown, { tried = 'signIn' }: FailureOptions): Chapter | undefined {
  if (error instanceof StoreUnavailableError) {
    return 'the-disk-or-the-keyring-doesnt-work';
  }
  if (error instanceof DeviceCodeError || (error instanceof InvalidResponseError && error.problem === 'tokens lost')) {
    return 'the-sign-in-fails';
  }
  if (error instanceof ServiceError) {
    return REFUSALS[classifySignInError(error)].about === 'address' ? 'the-service-isnt-found' : 'the-sign-in-fails';
  }
  return error instanceof OAuthError ? 'the-service-isnt-found' : EXPLAINED_IN[tried];
}

/** What has to be changed of the service, if anything has; `undefined` if Configure Service doesn't ask for it. */
function fieldOf(error: unknown): AskedField | undefined {
  if (!(error instanceof OAuthError)) {
    return undefined;
  }
  const isAboutClient = error instanceof ServiceError && REFUSALS[classifySignInError(error)].about === 'client';
  return isAboutClient ? 'clientId' : 'baseUrl';
}

function describe(words: Words, error: unknown, options: FailureOptions): Failure {
  const { service, tried = 'signIn' } = options;
  const names = { service, address: requestedAddress(words, error, options) };
  if (error instanceof ExplainedError) {
    return error.failure;
  }
  if (error instanceof DeviceCodeError) {
    return error.problem === 'expired' ? expiredCode(words, error, names) : foreignPage(words, names);
  }
  if (error instanceof WrongSettingError) {
    return wrongSetting(words, error);
  }
  if (error instanceof ServiceError) {
    return refusal(words, error, names);
  }
  if (error instanceof OAuthError && isFromNetwork(error)) {
    return { text: words.texts.signIn.refusals.network(names), offers: AFTER_NETWORK };
  }
  if (error instanceof NetworkError) {
    return missingResponse(words, error, options);
  }
  if (error instanceof MetadataError) {
    return unusableMetadata(words, error, names);
  }
  if (error instanceof InvalidResponseError) {
    return invalidResponse(words, error, names);
  }
  const offers: Offer[] = [needsReload(error) ? 'reloadWindow' : 'tryAgain', 'showLog'];
  if (chapterOf(error, options) !== undefined) {
    offers.push('troubleshoot');
  }
  return { text: words.texts.sessions.failure(error, service, tried), offers };
}

/** Whether it can only succeed in a window that's reloaded. */
function needsReload(error: unknown): boolean {
  return error instanceof StoreUnavailableError && (error.reason === 'reload' || error.reason === 'newer version');
}

/** Where the request went: to an endpoint that isn't below the base URL, which is shown with its setting, or else to the base URL. */
function requestedAddress({ brand, texts }: Words, error: unknown, { baseUrl = '' }: FailureOptions): string {
  const failed = error instanceof DeviceCodeError ? error.interruption : error;
  const { endpointAddress } = failed instanceof OAuthError ? failed : {};
  if (endpointAddress === undefined) {
    return shownAddress(baseUrl);
  }
  const text = shownEndpoint(endpointAddress);
  const detail = servicesSetting(brand);
  // Nobody can set what a build is for.
  return brand.configuredBy === 'person' ? texts.common.withDetail(text, detail) : text;
}

function expiredCode({ texts: { signIn } }: Words, { interruption }: DeviceCodeError, names: ShownNames): Failure {
  const isResponse = interruption instanceof ServiceError || interruption instanceof InvalidResponseError;
  const text = isResponse
    ? signIn.expiredWithoutAnswer({ ...names, status: interruption.status })
    : signIn.expired(names);
  return { text, offers: ['getNewCode', 'troubleshoot'], severity: 'warning' };
}

/** The service wants the code on another site than the settings allow. */
function foreignPage({ texts }: Words, { service }: ShownNames): Failure {
  return { text: texts.signIn.foreignPage({ service }), offers: ['openSettings', 'troubleshoot'] };
}

function wrongSetting({ brand, texts }: Words, error: WrongSettingError): Failure {
  const { isMissing, place, problem: found } = error;
  const { settings } = texts;
  const name = `${brand.prefix}.${place}`;
  const problem = settings.advice(found);
  const text = isMissing ? settings.missing({ name, problem }) : settings.wrong({ name, problem });
  return { text, offers: ['openSettings'], problems: [error] };
}

function refusal({ brand, texts }: Words, error: ServiceError, names: ShownNames): Failure {
  const { status, code = '', number = '', retryAfter } = error;
  const kind = classifySignInError(error);
  const { offers, severity = 'error' } = REFUSALS[kind];
  const { contactPublisher, refusals, turnOn } = texts.signIn;
  const pkce =
    brand.configuredBy === 'person' ? turnOn({ field: PKCE_FIELD, setting: servicesSetting(brand) }) : contactPublisher;
  return {
    text: texts.common.sentences(
      refusals[kind]({ ...names, status, code, number, when: shownWait(texts, retryAfter) }),
      kind === 'PKCE required' ? pkce : undefined,
    ),
    offers,
    severity,
  };
}

/** When to try again, such as “in 2 minutes”; in whole minutes, if there's one, and never too early. */
export function shownWait(texts: Texts, seconds: number | undefined): string {
  if (seconds === undefined) {
    return texts.signIn.later;
  }
  const step = seconds > 60 ? 60 : 1;
  const shown = Math.min(Math.ceil(seconds / step) * step, LONGEST_SHOWN_WAIT);
  return texts.times.distance(shown * 1000, 0);
}

function missingResponse({ texts }: Words, error: NetworkError, { service, baseUrl }: FailureOptions): Failure {
  const { endpointAddress, reason } = error;
  if (reason === 'host not found' && endpointAddress !== undefined) {
    const host = withDetails(texts, new URL(endpointAddress).host, error.systemCode);
    return { text: texts.signIn.hostNotFound({ host }), offers: ['tryAgain', whereToSet(error), 'troubleshoot'] };
  }
  const ownAddress = baseUrl === undefined ? undefined : addressBeside(service, baseUrl);
  const address = endpointAddress === undefined ? ownAddress : shownEndpoint(endpointAddress);
  return {
    text: texts.signIn.networkErrors[reason]({ place: withDetails(texts, service, address, error.systemCode) }),
    // The proxy isn't a setting of the service.
    offers: ['tryAgain', ...(reason === 'proxy' ? [] : [whereToSet(error)]), 'troubleshoot'],
  };
}

function unusableMetadata({ brand, texts }: Words, error: MetadataError, names: ShownNames): Failure {
  const { endpoint = '', named, problem } = error;
  const setting = servicesSetting(brand);
  const { deviceAuthorization, issuer, token } = brand.configuredBy === 'person' ? named : {};
  const canBeSet = problem === 'missing endpoint' && brand.configuredBy === 'person';
  const { enterEndpoint, enterEndpoints, enterIssuer, metadata } = texts.signIn;
  const text = texts.common.sentences(
    metadata[problem]({ ...names, endpoint }),
    canBeSet ? enterEndpoint({ setting }) : undefined,
    issuer === undefined ? undefined : enterIssuer({ issuer: shownEndpoint(issuer) }),
    deviceAuthorization === undefined || token === undefined
      ? undefined
      : enterEndpoints({
          deviceAuthorization: shownEndpoint(deviceAuthorization),
          token: shownEndpoint(token),
          setting,
        }),
  );
  return { text, offers: ['configure', 'openSettings', 'troubleshoot'] };
}

function invalidResponse({ texts }: Words, error: InvalidResponseError, names: ShownNames): Failure {
  const { field = '', problem, status } = error;
  return {
    text: texts.signIn.invalidResponses[problem]({ ...names, status, field }),
    offers: ['tryAgain', whereToSet(error), IN_FIELD.includes(problem) ? 'showLog' : 'troubleshoot'],
  };
}

/** What didn't respond, with what else is known: its address, and the system's own code for the error. */
function withDetails({ common }: Texts, unreached: string, ...details: readonly (string | undefined)[]): string {
  const known = details.filter((detail) => detail !== undefined && detail !== '').join(', ');
  return known === '' ? unreached : common.withDetail(unreached, known);
}

/** What leads to the setting of the address that was requested. */
function whereToSet({ endpointAddress }: OAuthError): Offer {
  return endpointAddress === undefined ? 'configure' : 'openSettings';
}

/** Says why the last poll decided nothing, while the sign-in continues. */
export function describeInterruption(texts: Texts, interruption: Interruption, service: string): string {
  const { interruptions } = texts.signIn;
  if (!(interruption instanceof NetworkError)) {
    return interruptions[troubleOf(interruption) ?? 'foreign'];
  }
  const { reason } = interruption;
  const kind = reason === 'TLS' || reason === 'proxy' || reason === 'timeout' ? reason : 'no response';
  return interruptions[kind]({ service: withDetails(texts, service, interruption.systemCode) });
}
