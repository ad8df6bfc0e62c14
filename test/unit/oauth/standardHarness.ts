import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { systemClock } from '../../../src/clock';
import type { AuthorizationRequest, DialectClient } from '../../../src/oauth/client';
import { createStandardClient } from '../../../src/oauth/standardClient';
import { fetchUnderTest } from '../../support/fetchUnderTest';
import { RecordingLog } from '../../support/recordingLog';
import { serve, type SeenRequest } from './servers';

/** A response of the scripted service: JSON, or text as it is. */
export interface Scripted {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A standard service on loopback that responds by the script, and what it saw. */
export interface StandardService {
  readonly baseUrl: string;
  readonly seen: SeenRequest[];
  readonly oauth: Required<DialectClient>;
  readonly log: RecordingLog;
  /** A client of it, with a secret, whose endpoints are known. */
  readonly request: AuthorizationRequest;
}

/**
 * Starts a standard service.
 * @param script what it responds to the first request, the second and so on, or to a path
 */
export async function standardService(
  script: readonly Scripted[] | ((path: string, baseUrl: string) => Scripted | undefined),
): Promise<StandardService> {
  const seen: SeenRequest[] = [];
  const listener: RequestListener = (request, response) => {
    void text(request).then((body) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const { method, headers } = request;
      const scripted =
        typeof script === 'function'
          ? script(url.pathname, server.baseUrl)
          : script[Math.min(seen.length, script.length - 1)];
      seen.push({ method, path: url.pathname, query: [...url.searchParams], headers, body });
      response.writeHead(scripted === undefined ? 404 : (scripted.status ?? 200), scripted?.headers);
      response.end(scripted?.text ?? (scripted?.json === undefined ? '' : JSON.stringify(scripted.json)));
    });
  };
  const server = await serve(listener);
  const log = new RecordingLog();
  const { baseUrl } = server;
  return {
    ...{ baseUrl, seen, log },
    oauth: createStandardClient({ fetch: fetchUnderTest, clock: systemClock, log, userAgent: 'test-client/1.0' }),
    request: {
      ...{ baseUrl, clientId: 'the client', clientSecret: 'not a real secret', protocol: 'rfc8628' },
      endpoints: {
        issuer: baseUrl,
        deviceAuthorization: `${baseUrl}/device`,
        token: `${baseUrl}/token`,
        revocation: `${baseUrl}/revoke`,
        userInfo: `${baseUrl}/me`,
        authentication: 'basic',
      },
    },
  };
}

/** The parameters in a form, in their order. */
export function form({ body }: SeenRequest): readonly (readonly [string, string])[] {
  return [...new URLSearchParams(body)];
}

/** An ID token with these claims, and a signature that nobody checks. */
export function idToken(claims: unknown): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.c2lnbmF0dXJl`;
}
