import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../src/clock';
import type { AuthorizationServer } from './authorizationServer';
import { readBody } from './body';
import { ApiError } from './errors';
import { type ApiResponse, errorResponse, exchange, send } from './exchange';
import type { Faults } from './faults';
import { Parameters } from './parameters';
import type { Operation, ReceivedRequest, RequestRecord } from './record';
import { accessTokenOf, type ApiRequest, type Resources } from './resources';

/** What the API works with. */
export interface ApiDependencies {
  readonly server: AuthorizationServer;
  readonly resources: Resources;
  readonly record: RequestRecord;
  readonly faults: Faults;
  readonly clock: Clock;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  /** Whether the endpoints of the authorization server accept their parameters in a form, too. */
  readonly lenient: boolean;
}

interface Route {
  readonly methods: readonly string[];
  /** Whether the parameters may be in a form. */
  readonly acceptsForm?: boolean;
  readonly operation: (parameters: Parameters) => Operation;
  readonly process: (request: ApiRequest) => ApiResponse;
}

/** Adds the operations of the specification's section 4 and the protected resource. */
export function addApi(app: FastifyInstance, deps: ApiDependencies): void {
  const { server, resources, lenient } = deps;
  const routes: Readonly<Record<string, Route>> = {
    '/oauth2/device': {
      methods: ['POST'],
      acceptsForm: lenient,
      operation: (parameters) => deviceOperation(parameters, lenient),
      process: ({ parameters }) => server.process('device', parameters),
    },
    '/oauth2/token': {
      methods: ['POST'],
      acceptsForm: lenient,
      operation: () => 'refresh',
      process: ({ parameters }) => server.process('token', parameters),
    },
    '/device/notify': {
      methods: ['GET', 'POST', 'PUT'],
      operation: () => 'notification',
      process: (request) => resources.notify(request),
    },
    '/api/whoami': {
      methods: ['GET'],
      operation: () => 'whoami',
      process: (request) => resources.whoami(request),
    },
  };
  // Bodies are read later: most operations ignore them, whatever they contain.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  for (const [url, route] of Object.entries(routes)) {
    app.all(url, (request, reply) =>
      route.methods.includes(request.method)
        ? serve(deps, route, request, reply)
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
    console.error(`The embedded service had an internal error: ${error.stack ?? error.message}`);
    return sendError(reply, new ApiError('internal'));
  }
  const names = { 413: 'bodyTooLarge', 415: 'unsupportedMediaType' } as const;
  return sendError(reply, new ApiError(statusCode in names ? names[statusCode as keyof typeof names] : 'malformed'));
}

function deviceOperation(parameters: Parameters, lenient: boolean): Operation {
  const grantType = parameters.get('grant_type');
  if (lenient && grantType === 'refresh_token') return 'refresh';
  return grantType === 'device_token' ? 'poll' : 'device code';
}

async function serve(
  deps: ApiDependencies,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const body = await readBody(request.headers['content-type'] ?? '', bytes).catch(onlyApiError);
  const form = route.acceptsForm === true && !(body instanceof ApiError) && body.isForm ? body.entries : [];
  const apiRequest: ApiRequest = {
    method: request.method,
    parameters: new Parameters(request.raw.url ?? '', form),
    authorization: request.headers.authorization,
    body,
  };
  const operation = route.operation(apiRequest.parameters);
  const finish = deps.record.add(receive(deps.server, operation, apiRequest));
  finish(await exchange(reply, () => route.process(apiRequest), deps.faults.take(operation), deps));
  return reply;
}

function onlyApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

function receive(server: AuthorizationServer, operation: Operation, request: ApiRequest): ReceivedRequest {
  const { parameters, authorization } = request;
  const isPoll = operation === 'poll';
  const kind = operation === 'refresh' ? 'refresh' : 'access';
  const token = kind === 'refresh' ? parameters.get('refresh_token') : accessTokenOf(request);
  return {
    operation,
    hasAuthorization: authorization !== undefined,
    early: isPoll && server.devices.receivePoll(parameters.get('code') ?? ''),
    token: isPoll ? undefined : server.pairs.receive(token ?? '', kind),
  };
}
