import type { FastifyReply } from 'fastify';
import type { Clock } from '../../src/clock';
import { ApiError } from './errors';
import type { Fault } from './faults';
import type { RequestResult } from './record';
import type { TokenName, TokenPair } from './tokenPairs';

/** A response of the API. */
export interface ApiResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the body is sent as a form. */
  readonly isForm?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly issued?: TokenName;
}

/** The response that tells the client of an error. */
export function errorResponse({ status, error, description }: ApiError): ApiResponse {
  return {
    status,
    body: { error, ...(description === undefined ? {} : { error_description: description }) },
    ...(status === 401 ? { headers: { 'www-authenticate': error === 'invalid_client' ? 'Basic' : 'Bearer' } } : {}),
  };
}

/** The response that brings tokens, which the dialects call by different types and to which they add different fields. */
export function tokenResponse(pair: TokenPair, type: string, more: ApiResponse['body'] = {}): ApiResponse {
  const tokens = { access_token: pair.accessToken, token_type: type, expires_in: pair.expiresIn };
  return { status: 200, body: { ...tokens, refresh_token: pair.refreshToken, ...more }, issued: pair.name };
}

/** Sends a response. */
export async function send(reply: FastifyReply, { status, headers, body, isForm }: ApiResponse): Promise<void> {
  if (isForm !== true) {
    await sendBytes(reply, status, headers, JSON.stringify(body));
    return;
  }
  const entries = Object.entries(body).filter(([, value]) => value !== undefined);
  const form = new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)])).toString();
  await sendBytes(reply, status, { ...headers, 'content-type': 'application/x-www-form-urlencoded' }, form);
}

/**
 * Processes one request and responds to it, with or without a fault. Never rejects because of a fault or because the client
 * has gone.
 * @param process changes the service's state and returns the response, synchronously
 * @param closing aborted when the service closes, which drops the requests that are still waiting
 */
export async function exchange(
  reply: FastifyReply,
  process: () => ApiResponse,
  fault: Fault | undefined,
  { clock, closing }: { readonly clock: Clock; readonly closing: AbortSignal },
): Promise<RequestResult> {
  let response: ApiResponse | undefined;
  const processOnce = (): ApiResponse => (response ??= orErrorResponse(process));
  if (fault !== undefined && 'when' in fault && fault.when === 'after') processOnce();
  // Only the closing service interrupts the pause.
  if (fault?.kind === 'delay') await clock.sleep(fault.milliseconds, closing).catch(() => undefined);
  const dropped = fault?.kind === 'drop' || closing.aborted;
  if (dropped) drop(reply);
  else if (fault?.kind === 'respond') await sendBytes(reply, fault.status, fault.headers, fault.body ?? '');
  else await send(reply, processOnce());
  return {
    status: dropped ? undefined : reply.statusCode,
    processed: response !== undefined,
    error: response?.body['error'] as string | undefined,
    issued: response?.issued,
  };
}

/** The response of an operation, also if that throws. */
export function orErrorResponse(process: () => ApiResponse): ApiResponse {
  try {
    return process();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return errorResponse(error);
  }
}

/** Those of every response (docs/draft-dialect.md#responses). */
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** Bytes, because the server library adds a character set to the type of text. */
async function sendBytes(
  reply: FastifyReply,
  status: number,
  headers: ApiResponse['headers'],
  body: string,
): Promise<void> {
  await reply
    .code(status)
    .headers({ ...HEADERS, ...headers })
    .send(Buffer.from(body));
}

function drop(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.socket?.destroy();
}
