import type { ServiceId } from '../../oauth/service';
import type { Configuration } from '../settings/configuration';
import { shownService } from '../texts/plainText';
import type { Texts } from '../texts/texts';

/** An account, and the service that it's of. */
export interface AccountOfService {
  readonly account: { readonly label: string };
  readonly service: ServiceId;
}

/** How messages call an account: with its service if there are several, or nothing else says whose it is. */
export function shownAccount(configuration: Configuration, texts: Texts, session: AccountOfService): string {
  const { label } = session.account;
  const isUnnamed = texts.signIn.isUnnamed(label, shownServiceName(configuration, session.service));
  return configuration.services.all.length > 1 || isUnnamed ? accountWithService(configuration, texts, session) : label;
}

/** How an account is called where its service matters even if it's the only one. */
export function accountWithService(
  configuration: Configuration,
  { sessions: texts }: Texts,
  { account, service }: AccountOfService,
): string {
  return texts.accountAt(account.label, shownServiceName(configuration, service));
}

/** How messages call a service. That of a hidden account isn't configured, so nobody knows its name. */
export function shownServiceName({ services }: Configuration, service: ServiceId): string {
  return services.of(service)?.name ?? new URL(service.baseUrl).host;
}

/** How to show the accounts of a service that isn't configured: base URLs are unique, so a service with its own is to be changed. */
export function howToShow({ services }: Configuration, { sessions }: Texts, service: ServiceId): string {
  const { add, change } = sessions.toShow;
  const isTaken = services.all.some(({ id }) => id.baseUrl === service.baseUrl);
  return (isTaken ? change : add)(shownService(service));
}
