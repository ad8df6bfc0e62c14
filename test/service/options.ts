import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../../src/clock';

/** How an embedded service behaves. Everything can be left out. Lifetimes and intervals are whole seconds. */
export interface ServiceOptions {
  /** Address to listen on; loopback unless told otherwise. */
  readonly host?: string;
  /** Port to listen on; 0 takes any free one. */
  readonly port?: number;
  readonly clientId?: string;
  /** By default a new random one. */
  readonly clientSecret?: string;
  /** What the verification page calls the client; by default its client ID. */
  readonly clientName?: string;
  /** Least time between two polls, as device-code answers tell it. */
  readonly interval?: number;
  /** Lifetime of a device code. */
  readonly deviceCodeTtl?: number;
  /** Lifetime of an access token. */
  readonly accessTokenTtl?: number;
  /** Lifetime of a refresh token; by default 30 days (specification 8). */
  readonly refreshTokenTtl?: number;
  readonly clock?: Clock;
  /** Source of codes and tokens: that many random bytes. */
  readonly random?: Random;
  /** Whether `/_control/` lets whoever reaches the port approve, deny, switch faults on and read the record. */
  readonly control?: boolean;
}

/** Gives as many random bytes as asked for. */
export type Random = (size: number) => Buffer;

/** Options with nothing left out. */
export type Settings = Required<ServiceOptions>;

/** Fills in what was left out. */
export function settle(options: ServiceOptions): Settings {
  const random = options.random ?? randomBytes;
  const clientId = options.clientId ?? 'demo-client';
  return {
    host: '127.0.0.1',
    port: 0,
    clientId,
    clientSecret: random(24).toString('base64url'),
    clientName: clientId,
    interval: 5,
    deviceCodeTtl: 900,
    accessTokenTtl: 3600,
    refreshTokenTtl: 30 * 24 * 60 * 60,
    clock: systemClock,
    random,
    control: false,
    ...options,
  };
}
