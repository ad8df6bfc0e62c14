import * as vscode from 'vscode';
import { PROVIDER, SCOPES } from './extension';

/** The account that the person picks, of those at your service that you have access to; `undefined` if they cancel. */
export async function pickAccount(): Promise<vscode.AuthenticationSessionAccountInformation | undefined> {
  const usable: vscode.AuthenticationSessionAccountInformation[] = [];
  for (const account of await vscode.authentication.getAccounts(PROVIDER)) {
    const session = await vscode.authentication.getSession(PROVIDER, SCOPES, { silent: true, account });
    if (session !== undefined) usable.push(account);
  }
  return vscode.window.showQuickPick(usable, { placeHolder: 'Select an account' });
}
