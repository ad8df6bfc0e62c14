import { parseArgs } from 'node:util';
import { parsed, UsageError, wholeNumber } from '../commandLine';
import type { ServiceOptions } from './options';

/** What `--help` prints. */
export const help = `Starts the embedded service: the device flow of the specification on this machine, with its state in memory.

Usage: npm run service -- [options]

  --port N              Port to listen on. 0 takes any free one. (default: 0)
  --host ADDRESS        Address to listen on. (default: 127.0.0.1)
  --client-id ID        Client ID that the service accepts. (default: demo-client)
  --client-secret S     Client secret that it accepts. (default: a new random one)
  --interval S          Least time between two polls, in seconds. (default: 5)
  --device-code-ttl S   Lifetime of a device code, in seconds. (default: 900)
  --access-token-ttl S  Lifetime of an access token, in seconds. (default: 3600)
  --control             Lets whoever reaches the port steer the service below /_control/. For tests only.
  -h, --help            Prints this text.

The first line on standard output is one JSON object with baseUrl, verificationUrl, clientId and clientSecret.
Ctrl-C ends the service.
`;

/** Ten years in seconds: more makes no sense and no date. */
const LONGEST = 10 * 365 * 24 * 60 * 60;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const known = {
  port: text,
  host: text,
  'client-id': text,
  'client-secret': text,
  interval: text,
  'device-code-ttl': text,
  'access-token-ttl': text,
  control: flag,
  help: { ...flag, short: 'h' },
} as const;

/**
 * Reads the command line.
 * @returns `help` where that was asked for.
 * @throws UsageError with a sentence for the person.
 */
export function readArguments(args: readonly string[]): ServiceOptions | 'help' {
  const { values } = parsed(() => parseArgs({ args: [...args], options: known }));
  if (values.help === true) return 'help';
  return given({
    port: wholeNumber('--port', values.port, 0, 65_535),
    host: filled('--host', values.host),
    clientId: filled('--client-id', values['client-id']),
    clientSecret: filled('--client-secret', values['client-secret']),
    interval: wholeNumber('--interval', values.interval, 1, LONGEST),
    deviceCodeTtl: wholeNumber('--device-code-ttl', values['device-code-ttl'], 1, LONGEST),
    accessTokenTtl: wholeNumber('--access-token-ttl', values['access-token-ttl'], 1, LONGEST),
    control: values.control,
  });
}

/** The same without the properties that are `undefined`. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function filled(name: string, value: string | undefined): string | undefined {
  if (value === '') throw new UsageError(`${name} must not be empty.`);
  return value;
}
