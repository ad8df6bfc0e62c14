import type { Manifest } from '../brand';
import { type McpServerOptions, readMcpServers } from '../mcp/options';
import { type Configuration, readConfiguration } from '../settings/configuration';
import { mistakeIn } from '../settings/mistakes';
import type { FieldProblem } from '../settings/wrongSetting';
import { readService } from '../settings/service';
import type { ServiceOptions } from '../settings/serviceFields';
import { ConfiguredServices } from '../settings/services';
import type { WrongService } from './api';
import { nameProblem } from '../texts/plainText';
import { SETTING_MESSAGES } from '../texts/settingTexts';

/** What's read of the manifest of an extension that embeds the library: it may contribute less than ours. */
export interface EmbedderManifest extends Pick<Manifest, 'publisher' | 'name' | 'version'> {
  readonly contributes?: {
    readonly authentication?: readonly { readonly id: string }[];
    readonly commands?: readonly { readonly command: string }[];
    readonly mcpServerDefinitionProviders?: readonly { readonly id: string }[];
  };
}

/** The library's commands that an extension can contribute. Others with its prefix are its own. */
const COMMANDS: readonly string[] = [
  'signIn',
  'signOut',
  'showStatus',
  'showLog',
  'copyUserCode',
  'openVerificationPage',
  'showQrCode',
  'cancelSignIn',
  'setClientSecret',
  'reportRejectedToken',
];

/** Also the name of a folder: two IDs must not differ only in their case, which some systems ignore. */
const ID = /^[a-z0-9][\w-]*(?:\.[\w-]+)*$/i;
const PREFIX = /^[a-z][\w-]*(?:\.[\w-]+)*$/i;

/** @throws Error that says what's wrong with the name under which a provider is registered */
export function checkNames(
  manifest: EmbedderManifest,
  { id, label, commandPrefix }: { readonly id: string; readonly label: string; readonly commandPrefix?: string },
): void {
  if (typeof id !== 'string' || !ID.test(id)) {
    throw new Error(
      'id is wrong. Use letters, digits, dots, dashes, and underscores, and begin with a letter or digit.',
    );
  }
  const problem = typeof label === 'string' ? nameProblem(label) : 'not a string';
  if (problem !== undefined) {
    throw new Error(`label is wrong. ${SETTING_MESSAGES.problems[problem]}`);
  }
  if (commandPrefix !== undefined && (typeof commandPrefix !== 'string' || !PREFIX.test(commandPrefix))) {
    throw new Error('commandPrefix is wrong. It’s what stands before the last dot of your commands, such as "acme".');
  }
  if (manifest.contributes?.authentication?.some((contributed) => contributed.id === id) !== true) {
    const line = JSON.stringify({ id, label });
    throw new Error(
      `The manifest doesn't contribute the authentication provider "${id}". Add it to package.json:\n` +
        `"contributes": { "authentication": [${line}] }`,
    );
  }
}

/**
 * Reads what an extension passes to `registerDeviceFlow`, which is a service, or several.
 * @throws Error that names every field that's wrong
 */
export function readEitherServices({
  label,
  service,
  services,
}: {
  readonly label: string;
  readonly service?: ServiceOptions | undefined;
  readonly services?: unknown;
}): Configuration {
  if (service !== undefined && services !== undefined) {
    throw new Error('service and services exclude each other. Leave out one of them.');
  }
  if (services === undefined) {
    return readServiceOptions(service, label);
  }
  const { configuration, wrong } = readServicesOptions(services, label, (index) => `services[${index}]`);
  throwIfAny(wrong.map(({ message }) => message));
  return configuration;
}

/**
 * Reads the service that an extension passes, by the rules for settings.
 * @param label what the service is called if it has no name of its own
 * @throws Error that names every field that's wrong
 */
export function readServiceOptions(given: ServiceOptions | undefined, label: string): Configuration {
  if (given === undefined) {
    return configurationOf(new ConfiguredServices([], undefined), label);
  }
  const { problems, service } = readService(given, 'extension');
  throwIfAny(problems.map((problem) => sentence('service', problem)));
  const named = service && { ...service, name: given.serviceName?.trim() ? service.name : label };
  return configurationOf(new ConfiguredServices(named === undefined ? [] : [named], named), label);
}

/**
 * Reads several services that an extension passes. The first one is the default, whose accounts have plain names. One that can't be used
 * is left out, and harms no other: if it's the first, there's no default.
 * @param given what VS Code's `getConfiguration().get()` returns may be handed on as it is
 * @param label what they're called together
 * @param placeOf what messages call one of them, such as `services[1]`; nothing by default, because it's from a setting of the
 *   extension's own
 * @throws Error if it's no list
 */
export function readServicesOptions(
  given: unknown,
  label: string,
  placeOf: (index: number) => string | undefined = () => undefined,
): { readonly configuration: Configuration; readonly wrong: readonly WrongService[] } {
  if (!Array.isArray(given)) {
    throw new Error('services must be a list.');
  }
  const { problems, services } = readConfiguration(given, label, 'extension');
  const indexes = new Set(problems.flatMap(({ index = [] }) => index));
  const wrong = Array.from(indexes, (index) => {
    const own = problems.filter((problem) => problem.index === index);
    return { index, message: own.map((problem) => sentence(placeOf(index), problem)).join(' ') };
  });
  return { configuration: configurationOf(services, label), wrong };
}

/** The configuration of these services. What's wrong with others isn't in it: the extension is told of that at once. */
function configurationOf(services: ConfiguredServices, label: string): Configuration {
  const [only, ...others] = services.all;
  return { services, label: others.length > 0 || only === undefined ? label : only.name, blocking: [], problems: [] };
}

/**
 * What's wrong with a field, in a sentence.
 * @param place what the service is called, such as `services[1]`; `undefined` if nobody needs to know
 */
function sentence(place: string | undefined, mistake: FieldProblem): string {
  const names = [place, mistake.field].filter((name) => name !== undefined);
  return `${names.length > 0 ? names.join('.') : 'The service'} ${mistakeIn(mistake)}`;
}

/** @throws Error with these sentences, if there are any */
function throwIfAny(problems: readonly string[]): void {
  if (problems.length > 0) {
    throw new Error(problems.join(' '));
  }
}

/**
 * Reads the MCP servers that an extension passes.
 * @throws Error that names every field that's wrong, or the line that the manifest lacks
 */
export function readMcpServerOptions(
  { contributes }: EmbedderManifest,
  { id, label, mcpServers }: { readonly id: string; readonly label: string; readonly mcpServers?: unknown },
): readonly McpServerOptions[] {
  const servers = readMcpServers(mcpServers);
  const isContributed =
    contributes?.mcpServerDefinitionProviders?.some((contributed) => contributed.id === id) === true;
  if (servers.length > 0 && !isContributed) {
    throw new Error(
      `The manifest doesn't contribute the MCP servers of "${id}". Add them to package.json:\n` +
        `"contributes": { "mcpServerDefinitionProviders": [${JSON.stringify({ id, label })}] }`,
    );
  }
  return servers;
}

/**
 * Makes sure that each MCP server names its service if there are several: else it would get the token of one that it isn't for.
 * @throws Error that names every field that's missing
 */
export function checkMcpServices(servers: readonly McpServerOptions[], services: ConfiguredServices): void {
  const unnamed = services.all.length > 1 ? servers.filter(({ service }) => service === undefined) : [];
  throwIfAny(
    unnamed.map((server) => `mcpServers[${servers.indexOf(server)}].service is missing: name one by its base URL.`),
  );
}

/**
 * The library's commands that an extension has, without their prefix: those that its manifest contributes.
 * @param prefix of its commands; `undefined` if it wants none
 */
export function contributedCommands({ contributes }: EmbedderManifest, prefix: string | undefined): readonly string[] {
  const ids = contributes?.commands?.map(({ command }) => command) ?? [];
  return prefix === undefined ? [] : COMMANDS.filter((name) => ids.includes(`${prefix}.${name}`));
}
