import type { ServiceId } from '../../oauth/service';
import type { CurrentSettings } from '../settings/settings';
import { shownService } from '../texts/plainText';
import type { Texts } from '../texts/texts';

/** An account, and the service that it's of. */
export interface AccountOfService {
  readonly account: { readonly label: string };
  readonly service: ServiceId;
}

/** How messages call accounts and their services. Lists have the labels of accounts, as the editor does. */
export class AccountNames {
  constructor(
    private readonly settings: CurrentSettings,
    private readonly texts: Texts,
  ) {}

  /** An account, always with its service: people may have several builds, each for a service, and the same name at all of them. */
  of({ account, service }: AccountOfService): string {
    return this.texts.sessions.accountAt(account.label, this.ofService(service));
  }

  /** A service. That of a hidden account isn't configured, so nobody knows its name. */
  ofService(service: ServiceId): string {
    return this.settings.current.services.of(service)?.name ?? new URL(service.baseUrl).host;
  }

  /** How to show the accounts of a service that isn't configured: base URLs are unique, so a service with its own is to be changed. */
  howToShow(service: ServiceId): string {
    const { add, change } = this.texts.sessions.toShow;
    const isTaken = this.settings.current.services.all.some(({ id }) => id.baseUrl === service.baseUrl);
    return (isTaken ? change : add)(shownService(service));
  }
}
