/** The tokens of a session that a request may carry. */
export interface TokenSource {
  /** The token that's current now. */
  current(): Promise<string>;
  /** A server rejected this token. Resolves with the one to send instead; `undefined` if there's none. */
  replace(rejected: string): Promise<string | undefined>;
}

/**
 * Sends a request with the current token, and once more with the next one if the server rejects it.
 * @param send sends the request with a token
 * @param discard gets a response that isn't needed, because the request is sent once more
 * @returns the response; its status is 401 if there's no other token, or the server rejects that too
 */
export async function sendWithToken<Response extends { readonly status: number }>(
  tokens: TokenSource,
  send: (accessToken: string) => Promise<Response>,
  discard: (response: Response) => unknown,
): Promise<Response> {
  const token = await tokens.current();
  const response = await send(token);
  if (response.status !== 401) {
    return response;
  }
  const next = await tokens.replace(token);
  // The server would reject the same token again.
  if (next === undefined || next === token) {
    return response;
  }
  await discard(response);
  return await send(next);
}
