import { untilAborted } from '../../clock';
import type { Log } from '../../log';
import { dialectOf } from '../../oauth/dialect';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { SignInRequest } from '../../signin/pendingSignIn';
import type { ClientSecrets } from '../../storage/clientSecrets';
import type { AskOptions } from '../configure/configureService';
import type { Configured } from '../configure/clientSecret';
import { ExplainedError } from '../failures/failure';
import { findMeantService } from '../services/meantService';
import { checkUsable } from '../settings/configuration';
import type { CurrentSettings } from '../settings/settings';
import type { ConfiguredService } from '../settings/service';
import { plainText, shownAddress } from '../texts/plainText';
import type { Texts } from '../texts/texts';

/** How many characters of a list of services a message shows. */
const LONGEST_SHOWN_SERVICES = 200;

interface SetupDependencies {
  /** Looks up accounts. */
  readonly accounts: Pick<SharedSessions, 'serviceOf'>;
  /** Asks the person, and resolves to `undefined` if they cancel. */
  readonly ask: (options: AskOptions) => Promise<Configured | undefined>;
  readonly clientSecrets: Pick<ClientSecrets, 'get'>;
  readonly log: Log;
  /** Whether the person can add a service. */
  readonly mayAdd: boolean;
  readonly settings: CurrentSettings;
  readonly texts: Texts;
}

/** A sign-in for which the person is asked. */
interface Asking {
  readonly request: SignInRequest;
  /** Aborted if nothing is missing anymore. */
  readonly done: AbortController;
}

/** Finds out which service a sign-in is for, and asks for what isn't set. */
export class ServiceSetup {
  #asking: Asking | undefined;

  constructor(private readonly dependencies: SetupDependencies) {}

  /** The service that a sign-in is for, if it's configured. */
  async meant(request: SignInRequest): Promise<ConfiguredService | undefined> {
    const { accounts, settings } = this.dependencies;
    const meant = await findMeantService(settings.current.services, accounts, request);
    return meant.kind === 'configured' ? meant.service : undefined;
  }

  /**
   * The same, if a sign-in to it is possible once everything is set.
   * @param hasAsked whether the person was asked for it already
   * @throws ExplainedError
   */
  async possible(request: SignInRequest, hasAsked = false): Promise<ConfiguredService | undefined> {
    const { accounts, settings, texts } = this.dependencies;
    const meant = await findMeantService(settings.current.services, accounts, request);
    switch (meant.kind) {
      case 'configured':
        return meant.service;
      case 'not configured':
        if (this.#mayAskFor(request, hasAsked)) {
          return undefined;
        }
        throw this.#notMeant(request);
      case 'contradiction':
        throw new ExplainedError({ text: texts.signIn.contradiction({ meant: shownServices(request) }), offers: [] });
      case 'unknown account':
        throw new ExplainedError({ text: texts.signIn.unknownAccountMeant, offers: [] });
    }
  }

  /**
   * The service that a sign-in is for, once everything is set. One that isn't configured is offered to be added.
   * @returns `undefined` if the person cancels
   * @throws WrongSettingError; ExplainedError if the service that's meant isn't to be had; the signal's reason
   */
  async find(request: SignInRequest, signal: AbortSignal): Promise<ConfiguredService | undefined> {
    for (let hasAsked = false; ; hasAsked = true) {
      const configuration = this.dependencies.settings.current;
      const service = await untilAborted(signal, () => this.possible(request, hasAsked));
      checkUsable(configuration, service);
      if (service !== undefined && (await untilAborted(signal, () => this.#hasSecret(service)))) {
        return service;
      }
      if (!(await this.#askForMissing(request, service, signal))) {
        return undefined;
      }
    }
  }

  /** Settings or a client secret changed: if nothing is missing anymore, the person needn't enter it. @throws StoreUnavailableError */
  async lookAgain(): Promise<void> {
    const asking = this.#asking;
    const service = asking && (await this.meant(asking.request));
    if (service?.blocking.length === 0 && (await this.#hasSecret(service))) {
      asking?.done.abort();
    }
  }

  /** Whether the client has the secret that it needs, if it needs one. @throws StoreUnavailableError */
  async #hasSecret({ id }: ConfiguredService): Promise<boolean> {
    return (await this.dependencies.clientSecrets.get(id, dialectOf(id).clientsNeedSecrets)) !== undefined;
  }

  /** Whether the person may be asked for a service that isn't configured: if one is named, only once, and only where they can add it. */
  #mayAskFor(request: SignInRequest, hasAsked: boolean): boolean {
    const isFirst = this.dependencies.settings.current.services.all.length === 0;
    return !isNamed(request) || (!hasAsked && (this.dependencies.mayAdd || isFirst));
  }

  #notMeant(request: SignInRequest): ExplainedError {
    const { settings, texts } = this.dependencies;
    const meant = shownServices(request);
    const configured = settings.current.services.all.map(({ id }) => shownAddress(id.baseUrl)).join(', ');
    const shown = plainText(configured, LONGEST_SHOWN_SERVICES);
    return new ExplainedError({
      text: texts.signIn.otherServiceMeant({ meant, configured: shown }),
      offers: ['configure'],
    });
  }

  /** Asks for what's missing, until it's entered or has come in another way. Returns false if the person canceled. */
  async #askForMissing(
    request: SignInRequest,
    service: ConfiguredService | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { ask, log } = this.dependencies;
    log.info("The service isn't configured yet, so the person is asked for it.");
    const done = new AbortController();
    this.#asking = { request, done };
    const closes = AbortSignal.any([signal, done.signal]);
    const meantBaseUrl = service?.id.baseUrl ?? request.services?.[0];
    try {
      // What the person has entered is saved even if the first settings of it suffice: the client secret follows them.
      const entered = await untilAborted(signal, () => ask({ meantBaseUrl, signal: closes }));
      return entered !== undefined || done.signal.aborted;
    } finally {
      this.#asking = undefined;
    }
  }
}

function isNamed({ services = [] }: SignInRequest): boolean {
  return services.length > 0;
}

/** The services that somebody named, for a message: they may be any text. */
function shownServices({ services = [] }: SignInRequest): string {
  return plainText(services.join(', '), LONGEST_SHOWN_SERVICES);
}
