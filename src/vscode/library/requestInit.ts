import { property } from '../../fields';
import { DeviceFlowUsageError } from './deviceFlowError';

/** What's read of the options of a request. If they're a `Request`, none of that is a property of its own. */
const NAMES: readonly string[] = [
  ...['account', 'interactive', 'scopes', 'service'],
  ...['body', 'cache', 'credentials', 'duplex', 'headers', 'integrity', 'keepalive', 'method', 'mode', 'redirect'],
  ...['referrer', 'referrerPolicy', 'signal'],
];

/** A request that can be sent several times: everything was read once, except for a body that can be read only once. */
interface ReadRequest<Init extends RequestInit> {
  readonly address: string;
  readonly init: Init & { readonly headers: Headers };
}

/**
 * Reads what the web's `fetch` takes: an address or a `Request`, and options, which replace what the `Request` says.
 * @throws DeviceFlowUsageError if it can't be sent
 */
export function readRequest<Init extends RequestInit>(
  input: string | URL | Request,
  options: Init | null | undefined,
): ReadRequest<Init> {
  const request = isRequest(input) ? input : undefined;
  const init = { ...readOnce(request), ...readOnce(options) } as Init;
  const isUsed = [options, request].some(
    (source) => property(source, 'bodyUsed') === true && property(source, 'body') === init.body,
  );
  if (isUsed) {
    throw new DeviceFlowUsageError('The token isn’t sent: the body of the Request has been read already.');
  }
  if (init.mode === 'no-cors') {
    throw new DeviceFlowUsageError("The token isn’t sent: a request with { mode: 'no-cors' } can’t carry it.");
  }
  const address = isRequest(input) ? input.url : String(input);
  return { address, init: { ...init, headers: readHeaders(init.headers) } };
}

function isRequest(input: string | URL | Request): input is Request {
  return typeof property(input, 'url') === 'string';
}

function readOnce(source: object | null | undefined): RequestInit {
  const names = new Set([...NAMES, ...Object.keys(source ?? {})]);
  const read = Array.from(names, (name) => [name, property(source, name)] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

/** The error of `Headers` isn't passed on, because it quotes a value, which may be a secret. */
function readHeaders(given: RequestInit['headers']): Headers {
  try {
    return new Headers(given);
  } catch {
    throw new DeviceFlowUsageError('The token isn’t sent: { headers } has a name or a value that can’t be sent.');
  }
}
