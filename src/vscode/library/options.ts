import { asObject } from '../../fields';
import type { Manifest } from '../brand';
import { type McpServerOptions, readMcpServers } from '../mcp/options';
import { didYouMean } from '../settings/didYouMean';
import {
  FIELD_NAMES,
  serviceAdvice,
  serviceProblems,
  type ServiceOptions,
  serviceSettings,
  unknownFields,
} from '../settings/serviceOptions';
import { settingsIn, type SettingsSource } from '../editor/settingsSource';
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

/** The service of an embedder: as the settings that the rest of the code reads, and the secret, which is no setting. */
export interface EmbeddedService {
  readonly settings: SettingsSource;
  readonly clientSecret: string | undefined;
}

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
 * Reads the service that an extension passes, by the rules for settings. What was passed may change later: this doesn't.
 * @throws Error that names every field that's wrong
 */
export function readServiceOptions(service: ServiceOptions | undefined, label: string): EmbeddedService {
  if (service === undefined) {
    return { settings: () => undefined, clientSecret: undefined };
  }
  const given = asObject(structuredClone(service));
  if (given === undefined) {
    throw new Error('service must be an object.');
  }
  const settings = serviceSettings({ ...given, serviceName: given['serviceName'] ?? label });
  const problems = [
    ...(given['protocol'] === undefined
      ? ['service.protocol is missing. Enter rfc8628 for a standard service, as most are, or draft.']
      : []),
    ...(['baseUrl', 'clientId'] as const).flatMap((name) =>
      settings[name] === undefined || settings[name] === '' ? [`service.${name} is missing.`] : [],
    ),
    ...unknownFields(given).map((name) => `service.${name} isn't a known field.${didYouMean(name, FIELD_NAMES)}`),
    ...serviceAdvice(given),
    ...serviceProblems(settings).map(
      ({ name, problem }) => `service.${name} is wrong. ${SETTING_MESSAGES.problems[problem]}`,
    ),
  ];
  if (problems.length > 0) {
    throw new Error(problems.join(' '));
  }
  const { clientSecret } = settings;
  return {
    settings: settingsIn(settings),
    clientSecret: typeof clientSecret === 'string' ? clientSecret.trim() : undefined,
  };
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
 * The commands that an extension has, without their prefix: those that its manifest contributes.
 * @param prefix of its commands; `undefined` if it wants none
 */
export function contributedCommands({ contributes }: EmbedderManifest, prefix: string | undefined): readonly string[] {
  if (prefix === undefined) {
    return [];
  }
  const ids = contributes?.commands?.map(({ command }) => command) ?? [];
  return ids.filter((id) => id.startsWith(`${prefix}.`)).map((id) => id.slice(prefix.length + 1));
}
