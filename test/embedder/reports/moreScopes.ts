import * as vscode from 'vscode';
import { callService, PROVIDER, SCOPES } from './extension';

/** Calls the service. If it says that the token lacks scopes, asks the same person for these, too, and calls once more. */
export async function callWithMoreScopes(url: string): Promise<Response> {
  const { account } = await vscode.authentication.getSession(PROVIDER, SCOPES, { createIfNone: true });
  const response = await callService(url, SCOPES, { account });
  const needed = neededScopes(response);
  return needed.length === 0 ? response : callService(url, [...SCOPES, ...needed], { account });
}

/** The scopes that the service says the call needs, in a header with one challenge; none if it doesn't say so. */
function neededScopes({ headers }: Response): readonly string[] {
  const challenge = headers.get('WWW-Authenticate') ?? '';
  if (!/\berror\s*=\s*"?insufficient_scope\b/i.test(challenge)) return [];
  const [, quoted, token = ''] = /\bscope\s*=\s*(?:"([^"]*)"|([^\s,"]+))/i.exec(challenge) ?? [];
  return (quoted ?? token).split(' ').filter((scope) => scope !== '');
}
