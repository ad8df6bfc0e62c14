import type { FastifyInstance, FastifyReply } from 'fastify';
import type { EmbeddedService } from './index';
import type { Fault } from './faults';
import { operations, type Operation } from './record';

interface UserCodeBody {
  readonly userCode: string;
  readonly account?: string;
}

/** A fault as JSON can carry it: bytes that are not text come in base64. */
interface FaultBody {
  readonly operation: Operation;
  readonly fault: Fault & { readonly bodyBase64?: string; readonly bytesBase64?: string };
  readonly times?: number;
}

const text = { type: 'string' };
const userCodeBody = {
  type: 'object',
  required: ['userCode'],
  properties: { userCode: text, account: text },
};
const moment = { enum: ['before', 'after'] };
const milliseconds = { type: 'number', minimum: 0 };
const faultBody = {
  type: 'object',
  required: ['operation', 'fault'],
  properties: {
    operation: { enum: operations },
    times: { type: 'integer', minimum: 1 },
    fault: {
      type: 'object',
      required: ['kind'],
      oneOf: [
        variant('hold', { when: moment }, ['when']),
        variant('delay', { when: moment, milliseconds }, ['when', 'milliseconds']),
        variant('drop', { when: { enum: ['before', 'after', 'within the answer'] }, reset: { type: 'boolean' } }, [
          'when',
        ]),
        variant(
          'answer',
          {
            status: { type: 'integer', minimum: 200, maximum: 599 },
            headers: { type: 'object', additionalProperties: text },
            body: text,
            bodyBase64: text,
            carryOut: { type: 'boolean' },
          },
          ['status'],
        ),
        variant('raw', { bytes: text, carryOut: { type: 'boolean' } }, ['bytes']),
        variant('raw', { bytesBase64: text, carryOut: { type: 'boolean' } }, ['bytesBase64']),
        variant(
          'trickle',
          { bytes: { type: 'integer', minimum: 1 }, everyMilliseconds: milliseconds, endless: { type: 'boolean' } },
          ['bytes', 'everyMilliseconds'],
        ),
      ],
    },
  },
};
const revokeBody = {
  type: 'object',
  required: ['session', 'what'],
  properties: { session: { type: 'integer', minimum: 1 }, what: { enum: ['access token', 'both'] } },
};

/**
 * Adds the switches of a service that runs in another process than the test: what `EmbeddedService` offers, as JSON.
 * A page in a browser can't use them: JSON from elsewhere needs a permission that is never given.
 */
export function addControl(app: FastifyInstance, service: EmbeddedService): void {
  app.post<{ Body: UserCodeBody }>('/approve', { schema: { body: userCodeBody } }, ({ body }) => ({
    problem: service.approve(body.userCode, body.account) ?? null,
  }));
  app.post<{ Body: UserCodeBody }>('/deny', { schema: { body: userCodeBody } }, ({ body }) => ({
    problem: service.deny(body.userCode) ?? null,
  }));
  app.post<{ Body: { session: number; what: 'access token' | 'both' } }>(
    '/revoke',
    { schema: { body: revokeBody } },
    ({ body }, reply) => {
      try {
        service.revoke(body.session, body.what);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        reply.callNotFound();
        return reply;
      }
      return empty(reply);
    },
  );
  app.get('/requests', () => ({ requests: service.requests, counts: service.counts }));
  app.delete('/requests', (_request, reply) => {
    service.record.clear();
    return empty(reply);
  });
  app.get('/notifications', () => ({ notifications: service.notifications }));
  app.get('/faults', () => ({
    faults: service.faults.list.map(({ id, operation, fault, times, hits, waiting }) => ({
      ...{ id, operation, kind: fault.kind, times, hits, waiting },
    })),
  }));
  app.post<{ Body: FaultBody }>('/faults', { schema: { body: faultBody } }, ({ body }) => ({
    id: service.faults.switchOn(body.operation, decoded(body.fault), body.times).id,
  }));
  app.delete('/faults', (_request, reply) => {
    service.faults.clear();
    return empty(reply);
  });
  app.delete<{ Params: { id: string } }>('/faults/:id', ({ params }, reply) => {
    if (service.faults.switchOff(Number(params.id))) return empty(reply);
    reply.callNotFound();
    return reply;
  });
}

function variant(kind: string, properties: object, required: readonly string[]): object {
  return { properties: { kind: { const: kind }, ...properties }, required, additionalProperties: false };
}

function decoded({ bodyBase64, bytesBase64, ...fault }: FaultBody['fault']): Fault {
  if (fault.kind === 'answer' && bodyBase64 !== undefined) return { ...fault, body: Buffer.from(bodyBase64, 'base64') };
  if (fault.kind === 'raw' && bytesBase64 !== undefined) return { ...fault, bytes: Buffer.from(bytesBase64, 'base64') };
  return fault;
}

function empty(reply: FastifyReply): FastifyReply {
  return reply.code(204).send();
}
