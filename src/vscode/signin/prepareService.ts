import { untilAborted } from '../../clock';
import { dialectOf } from '../../oauth/dialect';
import type { Configured } from '../configure/clientSecret';
import { ExplainedError } from '../failures/failure';
import { findMeantService } from '../services/meantService';
import { checkUsable } from '../settings/configuration';
import type { ConfiguredService } from '../settings/service';
import { plainText, shownAddress } from '../texts/plainText';
import type { SignInWiring } from './wiring';
import type { SignInRequest } from './request';
import type { RunningSignIn } from './runningSignIn';

/** How many characters of a list of services a message shows. */
const LONGEST_SHOWN_SERVICES = 200;

/**
 * The service that a sign-in is for, once everything is set that it needs: the person is asked for the rest. One that isn't
 * configured is offered to be added.
 * @returns `undefined` if the person cancels
 * @throws WrongSettingError; ExplainedError if the service that's meant isn't to be had; the store's error; the signal's reason
 */
export async function prepareService(
  wiring: SignInWiring,
  running: RunningSignIn,
): Promise<ConfiguredService | undefined> {
  const { settings } = wiring;
  const { request, signal } = running;
  for (let hasAsked = false; ; hasAsked = true) {
    // From before it looks what's missing, so that nothing that comes meanwhile goes unnoticed.
    const complete = new AbortController();
    running.enter({
      kind: 'finding the service',
      lookAgain: async () => {
        if (await isComplete(wiring, request)) {
          complete.abort();
        }
      },
    });
    const configuration = settings.current;
    const service = await untilAborted(signal, () => findConfigured(wiring, request, hasAsked));
    checkUsable(configuration, service);
    if (service !== undefined && (await untilAborted(signal, () => hasSecret(wiring, service)))) {
      return service;
    }
    const entered = await askForMissing(wiring, running, service, complete.signal);
    if (entered === undefined && !complete.signal.aborted) {
      return undefined;
    }
  }
}

/**
 * The configured service that's meant.
 * @param hasAsked whether the person was asked for it already
 * @returns `undefined` if it isn't configured, and the person may be asked for it
 * @throws ExplainedError if it isn't to be had
 */
export async function findConfigured(
  { brand, configureService, sessions, settings, texts }: SignInWiring,
  request: SignInRequest,
  hasAsked = false,
): Promise<ConfiguredService | undefined> {
  const { services } = settings.current;
  const meant = await findMeantService(services, sessions, request);
  switch (meant.kind) {
    case 'configured':
      return meant.service;
    case 'not configured': {
      const canAdd = configureService !== undefined || services.all.length === 0;
      const isNamed = request.services !== undefined && request.services.length > 0;
      if (!isNamed) {
        if (canAdd) {
          return undefined;
        }
        // The default one can't be used, and nobody means another one.
        throw new ExplainedError({ text: texts.settings.noService({ service: brand.displayName }), offers: [] });
      }
      // If a person's own button names it, it was removed. Whatever they were asked for would be about another service.
      const isRemoved = !isForExtension(request) && services.all.length > 0;
      if (canAdd && !isRemoved && !hasAsked) {
        return undefined;
      }
      const configured = services.all.map(({ id }) => shownAddress(id.baseUrl)).join(', ');
      const names = { meant: shownServices(request), configured: plainText(configured, LONGEST_SHOWN_SERVICES) };
      const { notConfiguredAnymore, otherServiceMeant } = texts.signIn;
      const text = isForExtension(request) ? otherServiceMeant(names) : notConfiguredAnymore({ meant: names.meant });
      throw new ExplainedError({ text, offers: ['configure'] });
    }
    case 'no base URL':
      throw new ExplainedError({
        text: texts.signIn.noBaseUrlMeant({ name: shownServices(request) }),
        offers: ['showLog'],
      });
    case 'contradiction':
      throw new ExplainedError({
        text: texts.signIn.contradiction({ meant: shownServices(request) }),
        offers: ['showLog'],
      });
    case 'unknown account':
      throw new ExplainedError({ text: texts.signIn.unknownAccountMeant, offers: ['showStatus'] });
  }
}

/** Asks for what's missing, until it has come in another way. Resolves to `undefined` then, and if the person cancels. */
async function askForMissing(
  { configureService, log, setClientSecret }: SignInWiring,
  { request, signal }: RunningSignIn,
  service: ConfiguredService | undefined,
  complete: AbortSignal,
): Promise<Configured | undefined> {
  log.info("The service isn't configured yet, so the person is asked for it.");
  const closed = AbortSignal.any([signal, complete]);
  const ask = async (): Promise<Configured | undefined> => {
    if (service !== undefined || configureService === undefined) {
      return await setClientSecret.ask({ meantBaseUrl: service?.id.baseUrl, signal: closed });
    }
    // An address that isn't configured is one that an extension asks for.
    return await configureService.add(isForExtension(request) ? request.services?.[0] : undefined, closed);
  };
  // What the person has entered is saved even if the first settings of it suffice: the client secret follows them.
  return await untilAborted(signal, ask);
}

/** Whether everything is set that the sign-in needs. @throws StoreUnavailableError */
async function isComplete(wiring: SignInWiring, request: SignInRequest): Promise<boolean> {
  const { sessions, settings } = wiring;
  const meant = await findMeantService(settings.current.services, sessions, request);
  return meant.kind === 'configured' && meant.service.blocking.length === 0 && (await hasSecret(wiring, meant.service));
}

/** Whether the client has the secret that it needs, if it needs one. @throws StoreUnavailableError */
async function hasSecret({ clientSecrets }: SignInWiring, { id }: ConfiguredService): Promise<boolean> {
  return (await clientSecrets.get(id, dialectOf(id).clientsNeedSecrets)) !== undefined;
}

/** Whether VS Code asks on behalf of another extension, or did: then its author should know what's wrong with the request. */
function isForExtension({ awaitedByEditorUntil }: SignInRequest): boolean {
  return awaitedByEditorUntil !== undefined;
}

/** The services that somebody named, for a message: they may be any text. */
function shownServices({ services = [] }: SignInRequest): string {
  return plainText(services.join(', '), LONGEST_SHOWN_SERVICES);
}
