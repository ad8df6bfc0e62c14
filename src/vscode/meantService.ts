import type { ServiceId } from '../oauth/service';
import type { ConfiguredService } from './settings/service';
import type { ConfiguredServices } from './settings/services';

/** How somebody says which service they mean. */
export interface Meaning {
  /** The base URLs of the services that they name. */
  readonly services?: readonly string[] | undefined;
  /** The account that they ask for. */
  readonly accountId?: string | undefined;
}

/** Where accounts are looked up. */
interface AccountServices {
  /** The service of an account that's listed. */
  serviceOf(accountId: string): Promise<ServiceId | undefined>;
}

/**
 * Finds out which service somebody means: the one that they name, or else that of the account that they ask for, or else the
 * default one. They never get a token of another one.
 * @returns `contradiction` if they name several, or one that isn't the account's; `unknown account` if they name none, and with
 *   several services, nobody knows which one the account is of: its session has ended, or its service isn't configured
 */
export async function findMeantService(
  configured: ConfiguredServices,
  accounts: AccountServices,
  { accountId, services = [] }: Meaning,
): Promise<ConfiguredService | 'not configured' | 'contradiction' | 'unknown account'> {
  const named = configured.meant(services);
  const own = accountId === undefined ? undefined : await accounts.serviceOf(accountId);
  const ofAccount = own && configured.of(own);
  if (services.length === 0) {
    if (accountId !== undefined && ofAccount === undefined && configured.all.length > 1) {
      return 'unknown account';
    }
    return ofAccount ?? named ?? 'not configured';
  }
  const areDifferent = new Set(services).size > 1;
  if (areDifferent || (ofAccount !== undefined && ofAccount !== named)) {
    return 'contradiction';
  }
  return named ?? 'not configured';
}
