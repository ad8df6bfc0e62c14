import type { AddressInfo } from 'node:net';
import { fastify, type FastifyError } from 'fastify';
import { addApi } from './api';
import { AuthorizationServer } from './authorizationServer';
import { addControl } from './control';
import type { DecisionProblem, DeviceState } from './deviceAuthorizations';
import { answerError, answerUnknownPath } from './errorAnswers';
import { Faults } from './faults';
import { type ServiceOptions, settle } from './options';
import { addVerificationPage, DEFAULT_ACCOUNT, PAGE_PATH } from './page/routes';
import { type Counts, type RecordedRequest, RequestRecord } from './record';
import { type Notification, Resources } from './resources';

export type { DecisionProblem, DeviceState } from './deviceAuthorizations';
export type { Fault, Faults, Moment, SwitchedFault } from './faults';
export type { ServiceOptions } from './options';
export type { Counts, Ending, Operation, RecordedRequest, RequestRecord } from './record';
export type { Notification } from './resources';
export type { TokenName, TokenSighting } from './tokenPairs';

/** A running service, and the switches that tests turn on it. */
export interface EmbeddedService {
  /** Address of the service, without a trailing slash. */
  readonly baseUrl: string;
  /** Page where a user enters the user code. */
  readonly verificationUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What to switch faults on with. */
  readonly faults: Faults;
  /** The record of requests, with a way to wait for one. */
  readonly record: RequestRecord;
  /** The requests so far, oldest first: those of `record`. */
  readonly requests: readonly RecordedRequest[];
  /** Totals over the requests: those of `record`. */
  readonly counts: Counts;
  /** The device notifications so far, oldest first. */
  readonly notifications: readonly Notification[];
  /**
   * Allows the sign-in with this user code, as the person on the verification page would.
   * @returns why not, where that is not possible; `undefined` where it is done.
   */
  approve(userCode: string, account?: string): DecisionProblem | undefined;
  /** Denies it, likewise. */
  deny(userCode: string): DecisionProblem | undefined;
  /** State of the device code with this user code; `undefined` where there is none. */
  stateOf(userCode: string): DeviceState | undefined;
  /**
   * Makes tokens of a sign-in invalid: `both`, which ends it, or only the access token, which a refresh heals.
   * @throws RangeError where there is no sign-in with that ordinal.
   */
  revoke(session: number, what: 'access token' | 'both'): void;
  /** Stops at once, also with connections open and requests held. Idempotent. */
  close(): Promise<void>;
}

/** Bodies larger than this many bytes are refused. */
const BODY_LIMIT = 64 * 1024;

/**
 * Starts a service that carries out the whole specification, with its state in memory.
 * @throws Error where it can't listen on the given host and port.
 */
export async function createService(options: ServiceOptions = {}): Promise<EmbeddedService> {
  const settings = settle(options);
  let baseUrl = '';
  const verificationUrl = (): string => baseUrl + PAGE_PATH;
  const server = new AuthorizationServer(settings, verificationUrl);
  const resources = new Resources(server.pairs);
  const record = new RequestRecord(settings.clock);
  const faults = new Faults();
  const closing = new AbortController();

  const service: EmbeddedService = {
    get baseUrl() {
      return baseUrl;
    },
    get verificationUrl() {
      return verificationUrl();
    },
    clientId: settings.clientId,
    clientSecret: settings.clientSecret,
    faults,
    record,
    get requests() {
      return record.requests;
    },
    get counts() {
      return record.counts;
    },
    notifications: resources.notifications,
    approve: (userCode, account = DEFAULT_ACCOUNT) => server.devices.decide(userCode, { allow: true, account }),
    deny: (userCode) => server.devices.decide(userCode, { allow: false }),
    stateOf: (userCode) => server.devices.stateOf(userCode),
    revoke: (session, what) => {
      server.pairs.revoke(session, what);
    },
    close: async () => {
      closing.abort();
      faults.clear();
      await app.close();
    },
  };

  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    bodyLimit: BODY_LIMIT,
    // What is wrong is refused rather than left out or converted.
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false } },
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
  });
  app.setErrorHandler<FastifyError>(answerError);
  app.setNotFoundHandler(answerUnknownPath);
  await app.register((api, _options, done) => {
    addApi(api, { server, resources, record, faults, clock: settings.clock, closing: closing.signal });
    done();
  });
  await app.register((page, _options, done) => {
    addVerificationPage(page, { devices: server.devices, clientName: settings.clientName, random: settings.random });
    done();
  });
  if (settings.control) {
    await app.register(
      (control, _options, done) => {
        addControl(control, service);
        done();
      },
      { prefix: '/_control' },
    );
  }
  await app.listen({ host: settings.host, port: settings.port });
  baseUrl = addressOf(settings.host, app.server.address() as AddressInfo);
  return service;
}

/** What a browser on this machine calls the address that was listened on. */
function addressOf(host: string, { port }: AddressInfo): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
