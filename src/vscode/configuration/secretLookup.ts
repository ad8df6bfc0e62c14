import { withTimeLimit } from '../../clock';
import { bestEffort, type Log } from '../../log';
import type { OAuthClient } from '../../oauth/client';
import { type Service, serviceKey, type ServiceId } from '../../oauth/service';
import type { ClientSecrets } from '../../storage/clientSecrets';
import type { SettingsSource } from '../editor/settingsSource';
import { readSettings } from '../settings/readSettings';
import { completeService } from './findService';
import { type CheckDependencies, showIfSlow } from './showIfSlow';

/** What looking up a client secret works with. */
export interface SecretLookupDependencies extends CheckDependencies {
  readonly client: Pick<OAuthClient, 'discover'>;
  readonly clientSecrets: Pick<ClientSecrets, 'get'>;
  readonly log: Log;
}

/** What's known about the client secret of a service. */
export type SecretState =
  | 'stored'
  /** None is stored, and none is needed. */
  | 'none'
  /** None is stored but one is needed, or the service isn't entered yet. */
  | 'missing'
  /** The service doesn't say where its token endpoint is, which the secret belongs to. */
  | 'unknown';

/** How long to wait for the metadata of a service, while the person waits for the next step. Milliseconds. */
const METADATA_PATIENCE = 2_000;

/** Finds out whether the client secret of a service is stored. Each service is asked for its metadata only once. */
export class SecretLookup {
  readonly #found = new Map<string, Promise<Service | undefined>>();

  /** @param settings those of the service before they're changed */
  constructor(
    private readonly deps: SecretLookupDependencies,
    private readonly settings: SettingsSource,
  ) {}

  /**
   * @param isCleared whether the endpoints that are set are another service's
   * @throws StoreUnavailableError
   */
  async find(service: ServiceId, isCleared: boolean): Promise<SecretState> {
    const complete = await this.#complete(service, isCleared);
    if (complete === undefined) {
      return 'unknown';
    }
    const secret = await this.deps.clientSecrets.get(complete);
    if (secret === undefined) {
      return 'missing';
    }
    return secret === '' ? 'none' : 'stored';
  }

  /**
   * The service with its endpoints, which need no request if its dialect fixes them or all are set.
   * @returns `undefined` if they aren't known
   */
  #complete(service: ServiceId, isCleared: boolean): Promise<Service | undefined> {
    const key = `${serviceKey(service)} ${isCleared}`;
    const found = this.#found.get(key) ?? this.#ask(service, isCleared);
    this.#found.set(key, found);
    return found;
  }

  async #ask(service: ServiceId, isCleared: boolean): Promise<Service | undefined> {
    const { client, clock, log } = this.deps;
    return await bestEffort(log, 'info', "The client secret's token endpoint isn't known", () => {
      const endpoints = isCleared ? undefined : readSettings(this.settings).values.endpoints;
      const complete = completeService(client, service, endpoints ?? {});
      const inTime = withTimeLimit(clock, METADATA_PATIENCE, complete, () => new Error('The metadata took too long.'));
      return showIfSlow(this.deps, service.baseUrl, inTime);
    });
  }
}
