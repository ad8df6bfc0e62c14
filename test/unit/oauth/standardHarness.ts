import { randomBytes } from 'node:crypto';
import { systemClock } from '../../../src/clock';
import type { AuthorizationRequest, ChosenAuthentication } from '../../../src/oauth/types';
import type { Authentication, Endpoints } from '../../../src/oauth/service';
import { createStandardClient } from '../../../src/oauth/standardClient';
import { fetchUnderTest } from '../../support/fetchUnderTest';
import { RecordingLog } from '../../support/recordingLog';
import { record, type SeenRequest } from './servers';

/** A standard service on loopback that responds by the script, and what it saw. */
export interface StandardService {
  readonly baseUrl: string;
  readonly seen: SeenRequest[];
  readonly oauth: ReturnType<typeof createStandardClient>;
  readonly log: RecordingLog;
  /** A client of it, with a secret, whose endpoints are known. */
  readonly request: AuthorizationRequest;
}

/** Starts a standard service, which responds as `record` does. */
export async function standardService(script: Parameters<typeof record>[0]): Promise<StandardService> {
  const { server, seen } = await record(script);
  const log = new RecordingLog();
  const { baseUrl } = server;
  return {
    baseUrl,
    seen,
    log,
    oauth: createStandardClient({
      fetch: fetchUnderTest,
      clock: systemClock,
      log,
      random: randomBytes,
      userAgent: 'test-client/1.0',
    }),
    request: {
      baseUrl,
      clientId: 'the client',
      clientSecret: 'not a real secret',
      protocol: 'rfc8628',
      endpoints: endpointsAt(baseUrl),
    },
  };
}

/** The endpoints of a standard service. */
export function endpointsAt(issuer: string): Required<Omit<Endpoints, 'resource'>> {
  const [deviceAuthorization, token] = [`${issuer}/device`, `${issuer}/token`];
  const optional = { revocation: `${issuer}/revoke`, userInfo: `${issuer}/me` };
  return { issuer, deviceAuthorization, token, ...optional, authentication: 'basic' };
}

/** What such a service says about itself. */
export function metadataAt(issuer: string): Readonly<Record<string, unknown>> {
  const { deviceAuthorization, token, revocation, userInfo } = endpointsAt(issuer);
  return {
    issuer,
    device_authorization_endpoint: deviceAuthorization,
    token_endpoint: token,
    revocation_endpoint: revocation,
    userinfo_endpoint: userInfo,
    scopes_supported: ['openid', 'offline_access'],
  };
}

/** An ID token with these claims, and a signature that nobody checks. */
export function idToken(claims: unknown): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.c2lnbmF0dXJl`;
}

/** A way of authentication that's known to work. */
export const settled = (way: Authentication): ChosenAuthentication => ({ way, isSettled: true });
