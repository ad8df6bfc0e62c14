import type * as vscode from 'vscode';
import { serviceScope } from '../../oauth/scopes';

/** The accounts of a service, as VS Code knows them. */
export type ServiceAccounts = readonly vscode.AuthenticationSessionAccountInformation[];

/**
 * The scopes that VS Code is asked for.
 * @param service the base URL of the service that's meant, if it's named
 */
export function scopesAt(service: string | undefined, scopes: readonly string[] = []): readonly string[] {
  return service === undefined ? scopes : [...scopes, serviceScope(service)];
}

/**
 * Asks for a session without asking anybody. VS Code prefers one account of a provider for each extension, even if the provider has
 * several services: if that's an account of another one, it hands out nothing. So each account of the service is asked for.
 * @param accounts those of the service; none if it isn't named
 */
export async function silentSession(
  getSession: (options: vscode.AuthenticationGetSessionOptions) => Thenable<vscode.AuthenticationSession | undefined>,
  accounts: ServiceAccounts,
): Promise<vscode.AuthenticationSession | undefined> {
  const isOnlyOne = accounts.length === 1;
  let session = isOnlyOne ? undefined : await getSession({ silent: true });
  for (const account of accounts) {
    session ??= await getSession({ silent: true, account });
  }
  return session;
}

/** The account to ask a person about: the only one of the service. With several, VS Code lets them choose. */
export function onlyAccount(accounts: ServiceAccounts): {
  readonly account?: vscode.AuthenticationSessionAccountInformation;
} {
  const [account, ...others] = accounts;
  return account === undefined || others.length > 0 ? {} : { account };
}
