import type { AddressInfo } from 'node:net';
import { fastify, type FastifyError, type FastifyInstance } from 'fastify';
import { addApi, type ApiDependencies, handleError, sendError, type ServiceState } from './api';
import { AuthorizationServer } from './authorizationServer';
import { DeviceAuthorizations, type DecisionProblem, type DeviceState } from './deviceAuthorizations';
import { ApiError } from './errors';
import { Faults } from './faults';
import { addMcpServer, MCP_PATH } from './mcp';
import { type ServiceOptions, type Settings, withDefaults } from './options';
import { addVerificationPage, DEFAULT_ACCOUNT, PAGE_PATH } from './page/routes';
import { type Counts, type RecordedRequest, RequestRecord } from './record';
import { type Notification, Resources } from './resources';
import { StandardServer } from './standardServer';
import { ROTATIONS, TokenPairs } from './tokenPairs';

export type { ServiceOptions } from './options';

/** A running service, and what tests control it with. */
export interface EmbeddedService {
  /** The dialect that it speaks: the draft (docs/draft-dialect.md), or RFC 8628. */
  readonly protocol: Required<ServiceOptions>['protocol'];
  /** Address of the service, without a trailing slash. For a standard service, its issuer. */
  readonly baseUrl: string;
  /** Page where a user enters the user code. */
  readonly verificationUrl: string;
  /** Its MCP server. */
  readonly mcpUrl: string;
  readonly clientId: string;
  /** Empty for a client without a secret. */
  readonly clientSecret: string;
  readonly faults: Faults;
  readonly record: RequestRecord;
  /** The requests in `record`, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Returns the totals in `record`, as they are now: call it again for later ones. */
  counts(): Counts;
  /** The device notifications, oldest first. */
  readonly notifications: readonly Notification[];
  /** The user codes that wait for a decision, oldest first. */
  readonly pending: readonly string[];
  /**
   * Allows the sign-in with this user code, as the user on the verification page would.
   * @returns why that isn't possible; `undefined` if it's done
   */
  approve(userCode: string, account?: string): DecisionProblem | undefined;
  /** The state of the device code with this user code; `undefined` if there is none. */
  stateOf(userCode: string): DeviceState | undefined;
  /**
   * Revokes both tokens of a sign-in, which ends it, or only the access token, which a refresh replaces.
   * @throws RangeError if there is no sign-in with that ordinal
   */
  revoke(session: number, what: 'access token' | 'both'): void;
  /** Gives the access tokens that are issued from now on another lifetime, in seconds. */
  setAccessTokenTtl(seconds: number): void;
  /** Stops immediately, even with open connections and held requests. Idempotent. */
  close(): Promise<void>;
}

/** Maximum size of a request body in bytes. */
const BODY_LIMIT = 64 * 1024;

/**
 * Starts a service that implements the whole draft dialect, or the standard, and keeps its state in memory.
 * @throws Error with a message for people if it can't listen on the given host and port
 */
export async function createService(options: ServiceOptions = {}): Promise<EmbeddedService> {
  const settings = withDefaults(options);
  const state = createState(settings);
  const { devices, pairs } = state;
  const { clientId, clientSecret, clock, protocol } = settings;
  // It isn't known before the service listens, and nobody asks before that.
  let baseUrl = '';
  const verificationUrl = (): string => baseUrl + PAGE_PATH;
  const server =
    protocol === 'draft'
      ? new AuthorizationServer(settings, state, verificationUrl)
      : new StandardServer(settings, state, () => baseUrl, verificationUrl);
  const resources = new Resources(pairs);
  const record = new RequestRecord(clock);
  const faults = new Faults();
  const closing = new AbortController();
  const app = createApp();
  await addRoutes(app, settings, {
    state,
    routes: server.routes(resources),
    record,
    faults,
    clock,
    closing: closing.signal,
  });
  baseUrl = await listen(app, settings);
  return {
    protocol,
    baseUrl,
    verificationUrl: verificationUrl(),
    mcpUrl: baseUrl + MCP_PATH,
    clientId,
    clientSecret,
    faults,
    record,
    get requests() {
      return record.requests;
    },
    get pending() {
      return devices.pending;
    },
    notifications: resources.notifications,
    counts: () => record.counts(),
    approve: (userCode, account = DEFAULT_ACCOUNT) => devices.decide(userCode, { allow: true, account }),
    stateOf: (userCode) => devices.stateOf(userCode),
    revoke: (session, what) => {
      pairs.revoke(session, what);
    },
    setAccessTokenTtl: (seconds) => {
      pairs.setAccessLifetime(seconds);
    },
    close: async () => {
      closing.abort();
      faults.clear();
      await app.close();
    },
  };
}

/** The HTTP server, which has nothing but its errors yet. */
function createApp(): FastifyInstance {
  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    bodyLimit: BODY_LIMIT,
    frameworkErrors: (error, request, reply) => void handleError(error, request, reply),
  });
  app.setErrorHandler<FastifyError>(handleError);
  app.setNotFoundHandler((_request, reply) => sendError(reply, new ApiError('unknownPath')));
  return app;
}

/** Adds the API, the MCP server, and the verification page. */
async function addRoutes(
  app: FastifyInstance,
  { clientName, random }: Settings,
  dependencies: ApiDependencies,
): Promise<void> {
  await inOwnScope(app, (scope) => {
    addApi(scope, dependencies);
  });
  await inOwnScope(app, (scope) => {
    addMcpServer(scope, dependencies);
  });
  await inOwnScope(app, (scope) => {
    addVerificationPage(scope, { devices: dependencies.state.devices, clientName, random });
  });
}

/** Parts of the service have a scope each, because they parse bodies in different ways. */
async function inOwnScope(app: FastifyInstance, add: (scope: FastifyInstance) => void): Promise<void> {
  await app.register((scope, _options, done) => {
    add(scope);
    done();
  });
}

/** @returns the base URL. @throws Error with a message for people */
async function listen(app: FastifyInstance, { host, port }: Settings): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw new Error(`The service can't start: ${listenProblem(error, port)}`, { cause: error });
  }
  return addressOf(host, app.server.address() as AddressInfo);
}

function createState(settings: Settings): ServiceState {
  const { clock, random, interval, deviceCodeTtl, accessTokenTtl, refreshTokenTtl, rotation } = settings;
  const lifetimes = { access: accessTokenTtl, refresh: refreshTokenTtl };
  return {
    devices: new DeviceAuthorizations(clock, random, { lifetime: deviceCodeTtl * 1000, interval: interval * 1000 }),
    pairs: new TokenPairs(clock, random, lifetimes, ROTATIONS[rotation]),
  };
}

function listenProblem(error: unknown, port: number): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `another program is using port ${port}.`;
  if (code === 'EACCES') return `port ${port} requires more permissions. Choose one above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return "this machine doesn't have the given address.";
  return message;
}

/** What a browser on this machine calls the address that the service listens on. */
function addressOf(host: string, { port }: AddressInfo): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
