import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../src/clock';
import { Answering, refused, send } from './answering';
import type { Answer, AuthorizationServer } from './authorizationServer';
import { type ErrorCase, Refusal } from './errors';
import type { Faults } from './faults';
import { Parameters } from './parameters';
import type { Arrival, Operation, RequestRecord } from './record';
import { findAccessToken, type ResourceRequest, type Resources } from './resources';

/** What the routes of the API work with. */
export interface ApiParts {
  readonly server: AuthorizationServer;
  readonly resources: Resources;
  readonly record: RequestRecord;
  readonly faults: Faults;
  readonly clock: Clock;
  readonly closing: AbortSignal;
}

const paths = {
  device: '/oauth2/device',
  token: '/oauth2/token',
  notify: '/device/notify',
  whoami: '/api/whoami',
} as const;

const allMethods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** Adds the operations of the specification's section 4 and the protected resource. */
export function addApi(app: FastifyInstance, parts: ApiParts): void {
  const { server, resources } = parts;
  // A body is read as text and only the notification looks at it: a parameter there is not seen by the others.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });

  const route = (
    url: string,
    methods: readonly string[],
    operationOf: (parameters: Parameters) => Operation,
    carryOut: (request: ResourceRequest) => Answer,
  ): void => {
    app.route({
      method: [...methods],
      url,
      handler: (request, reply) => serve(parts, request, reply, operationOf, carryOut),
    });
    app.route({
      method: allMethods.filter((method) => !methods.includes(method)),
      url,
      handler: (_request, reply) => refuse(reply, 'wrongMethod', { allow: methods.join(', ') }),
    });
  };
  route(paths.device, ['POST'], deviceOperation, ({ parameters }) => server.device(parameters));
  route(
    paths.token,
    ['POST'],
    () => 'refresh',
    ({ parameters }) => server.token(parameters),
  );
  route(
    paths.notify,
    ['GET', 'POST', 'PUT'],
    () => 'notification',
    (request) => resources.notify(request),
  );
  route(
    paths.whoami,
    ['GET'],
    () => 'whoami',
    (request) => resources.whoami(request),
  );
}

/** Answers with an error outside of any operation. */
export async function refuse(
  reply: FastifyReply,
  why: ErrorCase,
  headers: Readonly<Record<string, string>> = {},
): Promise<FastifyReply> {
  const answer = refused(new Refusal(why));
  await send(reply, { ...answer, headers: { ...answer.headers, ...headers } });
  return reply;
}

function deviceOperation(parameters: Parameters): Operation {
  return parameters.get('grant_type') === 'device_token' ? 'poll' : 'device code';
}

async function serve(
  parts: ApiParts,
  request: FastifyRequest,
  reply: FastifyReply,
  operationOf: (parameters: Parameters) => Operation,
  carryOut: (request: ResourceRequest) => Answer,
): Promise<FastifyReply> {
  const parameters = new Parameters(request.raw.url ?? '');
  const operation = operationOf(parameters);
  const resourceRequest: ResourceRequest = {
    method: request.method,
    parameters,
    authorization: request.headers.authorization,
    contentType: request.headers['content-type'],
    body: typeof request.body === 'string' ? request.body : '',
  };
  const end = parts.record.enter(arrival(parts.server, operation, resourceRequest));
  const answering = new Answering(reply, () => carryOut(resourceRequest), parts.clock, parts.closing);
  end(await answering.run(parts.faults.take(operation)));
  return reply;
}

function arrival(server: AuthorizationServer, operation: Operation, request: ResourceRequest): Arrival {
  const { parameters, method, authorization, body } = request;
  const secret = {
    'device code': undefined,
    poll: parameters.get('code'),
    refresh: parameters.get('refresh_token'),
    notification: findAccessToken(request),
    whoami: findAccessToken(request),
  }[operation];
  return {
    operation,
    method,
    parameters: parameters.names(),
    hasBody: body !== '',
    hasAuthorization: authorization !== undefined,
    poll: operation === 'poll' && secret !== undefined ? server.devices.noteArrival(secret) : undefined,
    token:
      operation === 'poll' || secret === undefined
        ? undefined
        : server.pairs.noteArrival(secret, operation === 'refresh' ? 'refresh' : 'access'),
  };
}
