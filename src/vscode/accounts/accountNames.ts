import type { ServiceId } from '../../oauth/service';
import type { CurrentSettings } from '../settings/settings';
import { shownService } from '../texts/plainText';
import type { Texts } from '../texts/texts';

/** An account, and the service that it's of. */
export interface AccountOfService {
  readonly account: { readonly label: string };
  readonly service: ServiceId;
}

/** How messages call accounts and their services. */
export class AccountNames {
  constructor(
    private readonly settings: CurrentSettings,
    private readonly texts: Texts,
  ) {}

  /** An account: with its service if there are several, or nothing else says whose it is. */
  of(session: AccountOfService): string {
    const { label } = session.account;
    const isUnnamed = this.texts.signIn.isUnnamed(label, this.ofService(session.service));
    return this.settings.current.services.all.length > 1 || isUnnamed ? this.withService(session) : label;
  }

  /** An account where its service matters even if it's the only one. */
  withService({ account, service }: AccountOfService): string {
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
