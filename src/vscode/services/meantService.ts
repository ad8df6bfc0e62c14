import type { SharedSessions } from '../../sessions/sharedSessions';
import type { ConfiguredService } from '../settings/service';
import type { ConfiguredServices } from '../settings/services';
import { ifValid, validateBaseUrl } from '../settings/validate';

/** How somebody says which service they mean. */
export interface Meaning {
  /** The base URLs of the services that they name. */
  readonly services?: readonly string[] | undefined;
  /** The account that they ask for. */
  readonly accountId?: string | undefined;
}

/** Which service somebody means. */
export type MeantService =
  | { readonly kind: 'configured'; readonly service: ConfiguredService }
  /** They name one that isn't configured, or none, and there's no default one. */
  | { readonly kind: 'not configured' }
  /** They name something that can't be the base URL of any service. */
  | { readonly kind: 'no base URL'; readonly name: string }
  /** They name several, or one that isn't the account's. */
  | { readonly kind: 'contradiction' }
  /** They name none, and the account could be of any: its session has ended, or its service isn't configured. */
  | { readonly kind: 'unknown account' };

/**
 * Finds out which service somebody means: the one that they name, or else that of the account that they ask for, or else the
 * default one. They never get a token of another one.
 */
export async function findMeantService(
  configured: ConfiguredServices,
  accounts: Pick<SharedSessions, 'serviceOf'>,
  { accountId, services = [] }: Meaning,
): Promise<MeantService> {
  const wrong = services.find((name) => ifValid(() => validateBaseUrl(name)) === undefined);
  if (wrong !== undefined) {
    return { kind: 'no base URL', name: wrong };
  }
  const own = accountId === undefined ? undefined : await accounts.serviceOf(accountId);
  const ofAccount = own && configured.of(own);
  if (services.length === 0) {
    if (accountId !== undefined && ofAccount === undefined && configured.all.length > 1) {
      return { kind: 'unknown account' };
    }
    return found(ofAccount ?? configured.default);
  }
  const named = configured.meant(services);
  const areDifferent = new Set(services).size > 1;
  if (areDifferent || (ofAccount !== undefined && ofAccount !== named)) {
    return { kind: 'contradiction' };
  }
  return found(named);
}

function found(service: ConfiguredService | undefined): MeantService {
  return service === undefined ? { kind: 'not configured' } : { kind: 'configured', service };
}
