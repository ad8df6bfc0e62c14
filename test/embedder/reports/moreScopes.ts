import { callService, SCOPES } from './extension';

/** Calls the service. If it says that the token lacks scopes, asks the person for these, too, and calls once more. */
export async function callWithMoreScopes(url: string): Promise<Response> {
  const response = await callService(url);
  const needed = neededScopes(response);
  return needed.length === 0 ? response : callService(url, [...SCOPES, ...needed]);
}

/** The scopes that the service says the call needs; none if it doesn't say so. */
function neededScopes({ headers, status }: Response): readonly string[] {
  const challenge = headers.get('WWW-Authenticate') ?? '';
  if (status !== 403 || !challenge.includes('error="insufficient_scope"')) return [];
  const [, scopes = ''] = /\bscope="([^"]*)"/.exec(challenge) ?? [];
  return scopes.split(' ').filter((scope) => scope !== '');
}
