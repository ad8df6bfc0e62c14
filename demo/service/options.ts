import { randomBytes } from 'node:crypto';
import { Option } from 'commander';
import { type Clock, systemClock } from '../../src/clock';
import { wholeNumber } from '../../host/commandLine';
import type { Random } from './secrets';
import { ROTATIONS } from './tokenPairs';

/** The dialects that the service speaks: the draft, or the standard. */
const PROTOCOLS = ['draft', 'rfc8628'] as const;

/** What real services do differently from the standard. */
const DEVIATIONS = ['status-200', 'form', 'verification-url', 'slow-down-429', 'slow-down-interval'] as const;

/** A deviation of real services from the standard. README.md beside this file explains them. */
export type Deviation = (typeof DEVIATIONS)[number];

/** Options of a demo service. All are optional. Lifetimes and intervals are whole seconds. */
export interface ServiceOptions {
  /** Address to listen on; by default only this machine can reach it. */
  readonly host?: string;
  /** Port to listen on; 0 for any free one. */
  readonly port?: number;
  readonly clientId?: string;
  /** By default a new random one. Empty for a client without a secret, which only a standard service has. */
  readonly clientSecret?: string;
  /** What the verification page calls the client; by default its client ID. */
  readonly clientName?: string;
  /** Minimum time between two polls. */
  readonly interval?: number;
  /** Lifetime of a device code. */
  readonly deviceCodeTtl?: number;
  /** Lifetime of an access token. */
  readonly accessTokenTtl?: number;
  /** Lifetime of a refresh token; by default 30 days (docs/draft-dialect.md#tokens). */
  readonly refreshTokenTtl?: number;
  /** Accepts parameters in forms, and refreshes at the device endpoint, as some clients send them. */
  readonly lenient?: boolean;
  readonly protocol?: (typeof PROTOCOLS)[number];
  /** What a refresh does to earlier tokens. */
  readonly rotation?: keyof typeof ROTATIONS;
  /** Whether a standard service demands PKCE (RFC 7636) of its client. */
  readonly requirePkce?: boolean;
  /** Deviations of a standard service. */
  readonly deviations?: readonly Deviation[];
  readonly clock?: Clock;
  /** Source of codes and tokens. */
  readonly random?: Random;
}

/** Options with all defaults filled in. */
export type Settings = Required<ServiceOptions>;

/** The defaults that people see in the help. */
export const DEFAULTS = {
  host: '127.0.0.1',
  port: 0,
  clientId: 'demo-client',
  interval: 5,
  deviceCodeTtl: 900,
  accessTokenTtl: 3600,
  refreshTokenTtl: 30 * 24 * 60 * 60,
  lenient: false,
  protocol: 'draft',
  rotation: 'rotate',
  requirePkce: false,
  deviations: [],
} as const;

/** Fills in the defaults. */
export function withDefaults(options: ServiceOptions): Settings {
  const random = options.random ?? randomBytes;
  return {
    ...DEFAULTS,
    clientSecret: random(24).toString('base64url'),
    clientName: options.clientId ?? DEFAULTS.clientId,
    clock: systemClock,
    random,
    ...options,
  };
}

/** Ten years in seconds; later expiry times make no sense. */
const MAX_SECONDS = 10 * 365 * 24 * 60 * 60;

/** The command-line option for a port. */
export function portOption(flag: string, description: string): Option {
  return new Option(`${flag} <port>`, description).argParser(wholeNumber(0, 65_535));
}

/** The command-line options for lifetimes and the polling interval. */
export function timeOptions(): Option[] {
  const seconds = (flag: string, description: string, value: number): Option =>
    new Option(`${flag} <seconds>`, description).argParser(wholeNumber(1, MAX_SECONDS)).default(value);
  return [
    seconds('--interval', 'Minimum time between two polls.', DEFAULTS.interval),
    seconds('--device-code-ttl', 'Lifetime of a device code.', DEFAULTS.deviceCodeTtl),
    seconds('--access-token-ttl', 'Lifetime of an access token.', DEFAULTS.accessTokenTtl),
  ];
}

/** The command-line options for the dialect. All but the first are for a standard service. */
export function protocolOptions(): Option[] {
  const standard = { protocol: 'rfc8628' };
  return [
    new Option('--protocol <name>', 'Dialect to speak: the draft, or RFC 8628.')
      .choices(PROTOCOLS)
      .default(DEFAULTS.protocol),
    new Option('--rotation <policy>', 'What a refresh does to earlier tokens. Implies rfc8628.')
      .choices(Object.keys(ROTATIONS))
      .default(DEFAULTS.rotation)
      .implies(standard),
    new Option('--deviations <names...>', 'What to do differently, as some real services. Implies rfc8628.')
      .choices(DEVIATIONS)
      .implies(standard),
    new Option('--require-pkce', 'Demand PKCE of the client. Implies rfc8628.').implies(standard),
    new Option('--public-client', 'Accept the client without a secret. Implies rfc8628.').implies({
      ...standard,
      clientSecret: '',
    }),
  ];
}
