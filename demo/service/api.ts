import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../src/clock';
import { readBody } from './body';
import type { DeviceAuthorizations } from './deviceAuthorizations';
import { ApiError } from './errors';
import { type ApiResponse, errorResponse, exchange, send } from './exchange';
import type { Faults } from './faults';
import { RequestParameters } from './parameters';
import type { Operation, ReceivedRequest, RequestRecord } from './record';
import { accessTokenOf, type ApiRequest } from './resources';
import type { TokenPairs } from './tokenPairs';

/** What the service keeps in memory. */
export interface ServiceState {
  readonly devices: DeviceAuthorizations;
  readonly pairs: TokenPairs;
}

/** What the API works with. */
export interface ApiDependencies {
  readonly state: ServiceState;
  readonly routes: Routes;
  readonly record: RequestRecord;
  readonly faults: Faults;
  readonly clock: Clock;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
}

/** What is at a path. */
interface Route {
  readonly methods: readonly string[];
  /** Where parameters are read. */
  readonly parametersIn: 'query' | 'form' | 'both';
  readonly operation: (parameters: RequestParameters) => Operation;
  readonly process: (request: ApiRequest, received: ReceivedRequest) => ApiResponse;
}

/** What a dialect has, by path. */
export type Routes = Readonly<Record<string, Route>>;

/** Adds the operations of a dialect. */
export function addApi(app: FastifyInstance, dependencies: ApiDependencies): void {
  // Bodies are read later: most operations ignore them, whatever they contain.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  for (const [url, route] of Object.entries(dependencies.routes)) {
    app.all(url, (request, reply) =>
      route.methods.includes(request.method)
        ? serve(dependencies, route, request, reply)
        : sendError(reply, new ApiError('wrongMethod'), { allow: route.methods.join(', ') }),
    );
  }
}

/** Sends an error response outside of any operation. */
export async function sendError(
  reply: FastifyReply,
  error: ApiError,
  headers: Readonly<Record<string, string>> = {},
): Promise<FastifyReply> {
  const response = errorResponse(error);
  await send(reply, { ...response, headers: { ...response.headers, ...headers } });
  return reply;
}

/** Turns errors of the server library and of this service into error responses. */
export function handleError(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { statusCode = 500 } = error;
  if (statusCode >= 500) {
    console.error(`The demo service had an internal error: ${error.stack ?? error.message}`);
    return sendError(reply, new ApiError('internal'));
  }
  const names = { 413: 'bodyTooLarge', 415: 'unsupportedMediaType' } as const;
  return sendError(reply, new ApiError(statusCode in names ? names[statusCode as keyof typeof names] : 'malformed'));
}

async function serve(
  dependencies: ApiDependencies,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const body = await readBody(request.headers['content-type'] ?? '', bytes).catch(onlyApiError);
  const form = route.parametersIn !== 'query' && !(body instanceof ApiError) && body.isForm ? body.entries : [];
  const apiRequest: ApiRequest = {
    method: request.method,
    parameters: new RequestParameters(route.parametersIn === 'form' ? '' : (request.raw.url ?? ''), form),
    authorization: request.headers.authorization,
    body,
  };
  const operation = route.operation(apiRequest.parameters);
  const received = receive(dependencies.state, operation, apiRequest);
  const finish = dependencies.record.add(received);
  finish(
    await exchange(reply, () => route.process(apiRequest, received), dependencies.faults.take(operation), dependencies),
  );
  return reply;
}

function onlyApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

function receive({ devices, pairs }: ServiceState, operation: Operation, request: ApiRequest): ReceivedRequest {
  const { parameters, authorization } = request;
  const isPoll = operation === 'poll';
  const hasAuthorization = authorization !== undefined;
  if (isPoll) {
    const deviceCode = parameters.get('code') ?? parameters.get('device_code') ?? '';
    return { operation, hasAuthorization, early: devices.receivePoll(deviceCode), token: undefined };
  }
  const received = { operation, hasAuthorization, early: false };
  if (operation === 'revocation') return { ...received, token: pairs.receive(parameters.get('token') ?? '') };
  const isRefresh = operation === 'refresh';
  const token = isRefresh ? parameters.get('refresh_token') : accessTokenOf(request);
  return { ...received, token: pairs.receive(token ?? '', isRefresh ? 'refresh' : 'access') };
}
