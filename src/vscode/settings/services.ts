import { isMeantService } from '../requests/serviceScope';
import { sameService, type ServiceId } from '../../oauth/service';
import type { ConfiguredService } from './service';

/** The services that are configured. Each has another base URL, because callers name a service by it. */
export class ConfiguredServices {
  /** The one that's meant if nobody says which; `undefined` if there's none. */
  readonly default: ConfiguredService | undefined;

  constructor(
    readonly all: readonly ConfiguredService[],
    meantByDefault: ConfiguredService | undefined,
  ) {
    this.default = meantByDefault;
  }

  /** The one of this service and client; `undefined` if it isn't configured. */
  of(id: ServiceId): ConfiguredService | undefined {
    return this.all.find((one) => sameService(one.id, id));
  }

  /** The one at this base URL, in any form that's the same address; `undefined` if it isn't configured. */
  at(baseUrl: string): ConfiguredService | undefined {
    return this.meant([baseUrl]);
  }

  /**
   * The one that somebody means who names services by their base URLs, which can be in any form that's the same address. Without
   * any, it's the default one.
   * @returns `undefined` if it isn't configured, or different ones are named
   */
  meant(baseUrls: readonly string[]): ConfiguredService | undefined {
    return baseUrls.length === 0 ? this.default : this.all.find(({ id }) => isMeantService(baseUrls, id.baseUrl));
  }
}
