import { untilAborted } from '../../clock';
import type { Log } from '../../log';
import { isMeantService } from '../../oauth/scopes';
import type { ServiceId } from '../../oauth/service';
import type { SignInRequest } from '../../signin/pendingSignIn';
import type { ConfigureOptions } from '../configuration/configureService';
import type { Configured, SecretReader } from '../configuration/clientSecret';
import { ExplainedError } from '../failure';
import { checkUsable, type Configuration } from '../settings/configuration';
import type { ConfiguredService } from '../settings/service';
import { plainText, shownService } from '../texts/plainText';
import type { Texts } from '../texts/texts';

/** How many characters of a list of services a message shows. */
const LONGEST_SHOWN_SERVICES = 200;

/** What a sign-in is for, from its first step to the last, and what its client authenticates with. */
export interface SignInService {
  readonly service: ConfiguredService;
  readonly clientSecret: string;
}

/** Finds out which service a sign-in is for, and asks for what isn't set. */
export class ServiceSetup {
  /** Aborted if what the person is asked for is set meanwhile; `undefined` unless they're asked. */
  #asking: AbortController | undefined;

  /** @param ask asks the person, and resolves to `undefined` if they cancel */
  constructor(
    private readonly settings: { readonly current: Configuration },
    private readonly clientSecrets: SecretReader,
    private readonly ask: (options: ConfigureOptions) => Promise<Configured | undefined>,
    private readonly texts: Texts,
    private readonly log: Log,
  ) {}

  /**
   * The configured service, once everything is set.
   * @returns `undefined` if the person cancels
   * @throws WrongSettingError; ExplainedError if the caller means another service; the signal's reason
   */
  async find(request: SignInRequest, signal: AbortSignal): Promise<SignInService | undefined> {
    for (;;) {
      const configuration = this.settings.current;
      const service = configuration.services.default;
      checkUsable(configuration, service);
      checkMeantService(this.texts, service?.id, request);
      const clientSecret = service && (await untilAborted(signal, () => this.clientSecrets.get(service.id)));
      if (service !== undefined && clientSecret !== undefined) {
        return { service, clientSecret };
      }
      if (!(await this.#askForMissing(request, signal))) {
        return undefined;
      }
    }
  }

  /** Settings or the client secret changed: closes the input box if nothing is missing anymore. */
  async configurationChanged(): Promise<void> {
    const id = this.settings.current.services.default?.id;
    if (id !== undefined && (await this.clientSecrets.get(id)) !== undefined) {
      this.#asking?.abort();
    }
  }

  /** Asks for the service until it's configured, here or by a companion. Returns false if the person canceled. */
  async #askForMissing({ services }: SignInRequest, signal: AbortSignal): Promise<boolean> {
    this.log.info("The service isn't configured yet, so the person is asked for it.");
    const asking = new AbortController();
    this.#asking = asking;
    const closes = AbortSignal.any([signal, asking.signal]);
    // Once the settings are saved, nothing seems to be missing. But the client secret, which is optional, follows them.
    const onSaving = (): void => {
      this.#asking = undefined;
    };
    try {
      const saved = await untilAborted(closes, () =>
        this.ask({ meantBaseUrl: services?.[0], signal: closes, onSaving }),
      );
      return saved !== undefined || asking.signal.aborted;
    } catch (error) {
      if (asking.signal.aborted) {
        return true;
      }
      throw error;
    } finally {
      this.#asking = undefined;
    }
  }
}

/**
 * Refuses to sign in to the configured service if the caller means another one.
 * @throws ExplainedError
 */
export function checkMeantService(
  { signIn }: Texts,
  service: ServiceId | undefined,
  { services = [] }: SignInRequest,
): void {
  if (service !== undefined && !isMeantService({ services }, service)) {
    const meant = plainText(services.join(', '), LONGEST_SHOWN_SERVICES);
    const text = signIn.otherServiceMeant({ meant, configured: shownService(service).baseUrl });
    throw new ExplainedError({ text, offers: ['configure'] });
  }
}
