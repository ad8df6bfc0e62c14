import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from './api';
import type { ErrorCase } from './errors';

/** Answers what the server library refuses before or around a route in the form of all error answers. */
export async function answerError(
  error: FastifyError,
  _request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const why = caseOf(error);
  if (why === 'internal') console.error(`The embedded service failed: ${error.stack ?? error.message}`);
  return refuse(reply, why);
}

/** Answers a request for a path that there is not. */
export async function answerUnknownPath(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return refuse(reply, 'unknownPath');
}

function caseOf({ statusCode = 500 }: FastifyError): ErrorCase {
  if (statusCode === 413) return 'tooLarge';
  if (statusCode === 415) return 'unknownMediaType';
  return statusCode < 500 ? 'badRequest' : 'internal';
}
