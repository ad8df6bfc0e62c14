import type { AddressInfo } from 'node:net';
import { fastify, type FastifyError } from 'fastify';
import { addApi, handleError, sendError } from './api';
import { AuthorizationServer } from './authorizationServer';
import type { DecisionProblem, DeviceState } from './deviceAuthorizations';
import { ApiError } from './errors';
import { Faults } from './faults';
import { type ServiceOptions, withDefaults } from './options';
import { addVerificationPage, DEFAULT_ACCOUNT, PAGE_PATH } from './page/routes';
import { type Counts, type RecordedRequest, RequestRecord } from './record';
import { type Notification, Resources } from './resources';

export type { ServiceOptions } from './options';

/** A running service, and what tests control it with. */
export interface EmbeddedService {
  /** Address of the service, without a trailing slash. */
  readonly baseUrl: string;
  /** Page where a user enters the user code. */
  readonly verificationUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly faults: Faults;
  readonly record: RequestRecord;
  /** The requests in `record`, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** The totals in `record`. */
  readonly counts: Counts;
  /** The device notifications, oldest first. */
  readonly notifications: readonly Notification[];
  /**
   * Allows the sign-in with this user code, as the user on the verification page would.
   * @returns why that isn't possible; `undefined` if it's done
   */
  approve(userCode: string, account?: string): DecisionProblem | undefined;
  /** Denies the sign-in with this user code. */
  deny(userCode: string): DecisionProblem | undefined;
  /** The state of the device code with this user code; `undefined` if there is none. */
  stateOf(userCode: string): DeviceState | undefined;
  /**
   * Revokes both tokens of a sign-in, which ends it, or only the access token, which a refresh replaces.
   * @throws RangeError if there is no sign-in with that ordinal
   */
  revoke(session: number, what: 'access token' | 'both'): void;
  /** Stops immediately, even with open connections and held requests. Idempotent. */
  close(): Promise<void>;
}

/** Maximum size of a request body in bytes. */
const BODY_LIMIT = 64 * 1024;

/**
 * Starts a service that implements the whole specification and keeps its state in memory.
 * @throws Error with a message for people if it can't listen on the given host and port
 */
export async function createService(options: ServiceOptions = {}): Promise<EmbeddedService> {
  const settings = withDefaults(options);
  const { clientId, clientSecret, clientName, clock, random, lenient } = settings;
  let verificationUrl = '';
  const server = new AuthorizationServer(settings, () => verificationUrl);
  const { devices, pairs } = server;
  const resources = new Resources(pairs);
  const record = new RequestRecord(clock);
  const faults = new Faults();
  const closing = new AbortController();
  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    bodyLimit: BODY_LIMIT,
    frameworkErrors: (error, request, reply) => void handleError(error, request, reply),
  });

  app.setErrorHandler<FastifyError>(handleError);
  app.setNotFoundHandler((_request, reply) => sendError(reply, new ApiError('unknownPath')));
  // Each has a scope of its own, because they parse bodies in different ways.
  await app.register((scope, _options, done) => {
    addApi(scope, { server, resources, record, faults, clock, closing: closing.signal, lenient });
    done();
  });
  await app.register((scope, _options, done) => {
    addVerificationPage(scope, { devices, clientName, random });
    done();
  });
  const { host, port } = settings;
  await app.listen({ host, port }).catch((error: unknown) => {
    throw new Error(`The service can't start: ${listenProblem(error)}`, { cause: error });
  });
  const baseUrl = addressOf(host, app.server.address() as AddressInfo);
  verificationUrl = baseUrl + PAGE_PATH;
  return {
    ...{ baseUrl, verificationUrl, clientId, clientSecret, faults, record },
    get requests() {
      return record.requests;
    },
    get counts() {
      return record.counts;
    },
    notifications: resources.notifications,
    approve: (userCode, account = DEFAULT_ACCOUNT) => devices.decide(userCode, { allow: true, account }),
    deny: (userCode) => devices.decide(userCode, { allow: false }),
    stateOf: (userCode) => devices.stateOf(userCode),
    revoke: (session, what) => {
      pairs.revoke(session, what);
    },
    close: async () => {
      closing.abort();
      faults.clear();
      await app.close();
    },
  };
}

function listenProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'another program is using this port.';
  if (code === 'EACCES') return 'this port requires more permissions. Choose one above 1023.';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return "this machine doesn't have the given address.";
  return message;
}

/** What a browser on this machine calls the address that the service listens on. */
function addressOf(host: string, { port }: AddressInfo): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
