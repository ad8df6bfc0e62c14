import { parseArgs } from 'node:util';
import { parsed, UsageError } from '../commandLine';
import type { HostKind } from '../host/desktop';

/** What the tests were asked to do. */
export interface Options {
  /** The kind of host for the integration tests; the best that this machine can have where left out. */
  readonly host: HostKind | undefined;
  /** Names of the stages to run; all where empty. */
  readonly stages: readonly string[];
  readonly help: boolean;
}

/**
 * Reads the arguments.
 * @throws UsageError that says what is wrong with them.
 */
export function readOptions(args: readonly string[], known: readonly string[]): Options {
  const { values, positionals } = parsed(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h', default: false }, host: { type: 'string' } },
    }),
  );
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is no stage "${unknown}"; there are ${known.join(', ')}.`);
  return { host: hostKind(values.host), stages: positionals, help: values.help };
}

/**
 * The kind of host with this name.
 * @throws UsageError where there is none.
 */
export function hostKind(name: string | undefined): HostKind | undefined {
  if (name === undefined || name === 'desktop' || name === 'server') return name;
  throw new UsageError(`There is no host "${name}"; there are "desktop" and "server".`);
}
