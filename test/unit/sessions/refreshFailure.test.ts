import assert from 'node:assert/strict';
import { dialectOf } from '../../../src/oauth/dialect';
import { InvalidResponseError, NetworkError, ServiceError } from '../../../src/oauth/errors';
import { classifyRefreshError } from '../../../src/sessions/refreshFailure';
import type { FailedRefresh } from '../../../src/sessions/refreshState';
import { SERVICE, STANDARD_SERVICE } from './machine';

type Case = readonly [error: unknown, outcome: FailedRefresh['outcome'], meaning: FailedRefresh['meaning']];

function refused(status: number, code?: string, body?: 'object' | 'empty' | 'other'): ServiceError {
  return new ServiceError('refresh', status, code, body === undefined ? {} : { body });
}

/** The same in both dialects. */
const CASES: readonly Case[] = [
  [new NetworkError('refresh', 'unreachable', false), 'not sent', 'nothing'],
  [new NetworkError('refresh', 'timeout', true), 'no response', 'nothing'],
  [new TypeError('a fault of ours'), 'no response', 'nothing'],
  [new InvalidResponseError('refresh', 200, 'tokens lost'), 'tokens lost', 'tokens lost'],
  [new InvalidResponseError('refresh', 302, 'redirect'), 'invalid response', 'trouble'],
  [refused(400, 'invalid_client'), 'refused', 'wrong credentials'],
  [refused(503, 'invalid_client'), 'refused', 'wrong credentials'],
  [refused(401, 'unauthorized_client'), 'refused', 'wrong credentials'],
  [refused(400, 'unauthorized_client'), 'refused', 'refused'],
  [refused(400, 'strange'), 'refused', 'refused'],
  [refused(400, 'invalid_grant'), 'refused', 'token rejected'],
  [refused(429, 'slow_down'), 'refused', 'trouble'],
  [refused(429, undefined, 'object'), 'refused', 'trouble'],
  [refused(500, 'invalid_grant'), 'refused', 'trouble'],
  [refused(503), 'refused', 'trouble'],
  [refused(400, 'temporarily_unavailable'), 'refused', 'trouble'],
  [refused(400, 'server_error'), 'refused', 'trouble'],
  [refused(400, undefined, 'object'), 'invalid response', 'refused in words'],
  [refused(401, undefined, 'object'), 'invalid response', 'refused in words'],
  [refused(400, undefined, 'empty'), 'invalid response', 'refused in words'],
  [refused(400, 'bad_request'), 'invalid response', 'refused in words'],
  [refused(401, 'unauthorized'), 'invalid response', 'refused in words'],
  [refused(400, undefined, 'other'), 'invalid response', 'trouble'],
  [refused(401, undefined, 'other'), 'invalid response', 'trouble'],
  [refused(403, undefined, 'other'), 'invalid response', 'trouble'],
  [refused(403, undefined, 'object'), 'invalid response', 'trouble'],
  [refused(403, 'forbidden'), 'invalid response', 'trouble'],
  [refused(404, 'NOT-FOUND'), 'invalid response', 'trouble'],
  [refused(404, undefined, 'empty'), 'invalid response', 'trouble'],
  [refused(408, undefined, 'other'), 'invalid response', 'trouble'],
];

const OF_DRAFT: readonly Case[] = [
  [refused(400, 'invalid_refresh_token'), 'refused', 'token rejected'],
  [new InvalidResponseError('refresh', 200, 'not JSON'), 'invalid response', 'trouble'],
];

const OF_STANDARD: readonly Case[] = [
  [refused(400, 'invalid_refresh_token'), 'refused', 'refused'],
  [new InvalidResponseError('refresh', 200, 'not JSON'), 'no response', 'trouble'],
];

/** Guards what a failed refresh request says of the token, the client, and the service. */
describe('a failed refresh request', () => {
  for (const [service, cases] of [
    [SERVICE, [...CASES, ...OF_DRAFT]],
    [STANDARD_SERVICE, [...CASES, ...OF_STANDARD]],
  ] as const) {
    for (const [error, outcome, meaning] of cases) {
      const body = error instanceof ServiceError && error.code === undefined ? `, ${error.body} body` : '';
      it(`means “${meaning}” in the dialect ${service.protocol}: ${String(error)}${body}`, () => {
        assert.deepEqual(classifyRefreshError(error, dialectOf(service)), { outcome, meaning });
      });
    }
  }
});
