import { type Clock, withTimeLimit } from '../../clock';
import { asText } from '../../fields';
import type { FetchResponse } from '../../oauth/fetch';
import { readHead } from '../../oauth/responseHead';
import { shownWait } from '../failures/describeFailure';
import type { Texts } from '../texts/texts';
import { type ClientMessage, unaddressedError } from './clientMessage';

/** An error of the protocol is much shorter than that. Characters. */
const LONGEST_BODY = 64 * 1024;
/** A page may never end. Milliseconds. */
const BODY_PATIENCE = 5_000;

/** The server has too much to do, and hasn't begun with the request. */
const BUSY: readonly number[] = [425, 429, 503];
/** Somebody between us and the server gave up waiting, or the server did. */
const TIMED_OUT = 408;

/** What a response to a message of the protocol means that isn't a success. */
interface FailedResponse {
  /**
   * - `result`: the server responded to the call with the text. An error is one, too.
   * - `session over`: the server no longer knows the session of the protocol. The text is the body.
   * - `failed`: it isn't a response of the protocol, whoever sent it. The text is for people.
   */
  readonly kind: 'result' | 'session over' | 'failed';
  readonly text: string;
}

/**
 * Reads a response that isn't a success.
 * @param server what people call the server
 * @param hasSession whether the message belongs to a session of the protocol
 * @param message what it responds to
 */
export async function readFailure(
  clock: Clock,
  texts: Texts,
  server: string,
  response: FetchResponse,
  hasSession: boolean,
  message: ClientMessage,
): Promise<FailedResponse> {
  const { status } = response;
  const body = await readBody(clock, response);
  const wasWaiting = message.isWaiting();
  message.receive(body);
  if (wasWaiting && !message.isWaiting()) {
    return { kind: 'result', text: body };
  }
  const error = unaddressedError(body);
  // Servers respond with 404, as the protocol says, or with 400 and an error.
  if (hasSession && (status === 404 || (status === 400 && error !== undefined))) {
    return { kind: 'session over', text: body };
  }
  const text = describe(clock, texts, server, response);
  if (wasWaiting && error !== undefined && isLasting(status)) {
    // The server knows better why it doesn't do what's requested.
    return { kind: 'result', text: message.errorWith(asText(error['message']) ?? text, error) };
  }
  return { kind: 'failed', text };
}

/** What went wrong, and when to try again. */
function describe(clock: Clock, texts: Texts, server: string, response: FetchResponse): string {
  const { retryAfter, status } = readHead(response, clock.now());
  if (isLasting(status)) {
    return texts.mcp.refused({ server, status });
  }
  const when = shownWait(texts, retryAfter);
  return BUSY.includes(status) ? texts.mcp.busy({ server, status, when }) : texts.mcp.failed({ server, status, when });
}

/** Whether the same request would fail again. */
function isLasting(status: number): boolean {
  return status < 500 && status !== TIMED_OUT && !BUSY.includes(status);
}

/** The beginning of a body, which is a whole error of the protocol, or something else; empty if it can't be read. */
async function readBody(clock: Clock, { body }: FetchResponse): Promise<string> {
  try {
    return await withTimeLimit(clock, BODY_PATIENCE, readBeginning(body ?? []), () => new Error('It never ends.'));
  } catch {
    return '';
  }
}

async function readBeginning(
  stream: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    if (text.length > LONGEST_BODY) {
      break;
    }
  }
  return text;
}
