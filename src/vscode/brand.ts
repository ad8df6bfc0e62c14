/** Who says which services there are: a person in the settings, an extension that embeds the library, or a build for one. */
export type ConfiguredBy = 'person' | 'extension' | 'build';

/**
 * The names of this build, read from its manifest. To build it under another name, change only `package.json`; such
 * builds can be installed side by side.
 */
export interface Brand {
  /** Such as `device-flow.device-flow-authentication`. */
  readonly extensionId: string;
  readonly displayName: string;
  /** What the commands begin with in the Command Palette, such as `Device Flow`. */
  readonly category: string;
  readonly version: string;
  /** ID under which other extensions ask for a session, such as `device-flow`. */
  readonly providerId: string;
  /** First part of the names of commands, settings and context keys, such as `deviceFlow`. */
  readonly prefix: string;
  /** The commands that people have, without the prefix: a build for one service leaves out those that configure it. */
  readonly commands: readonly string[];
  readonly configuredBy: ConfiguredBy;
  /** The service of a build for one, with its `clientSecret`. */
  readonly fixed?: Readonly<Record<string, unknown>> | undefined;
  /** Address of the page that explains messages. Absent if it isn't known, or the page isn't about this build. */
  readonly troubleshooting?: string | undefined;
}

/** What messages show of it: how commands and settings are called, and which of them this build has. */
export type ShownBrand = Pick<Brand, 'prefix' | 'commands' | 'configuredBy' | 'displayName' | 'troubleshooting'>;

/** What is read of the manifest. */
export interface Manifest extends Pick<Brand, 'displayName' | 'version'> {
  readonly publisher: string;
  readonly name: string;
  /** The repository's page, which only a release names. */
  readonly homepage?: string;
  /** See `Brand.fixed`. */
  readonly service?: Readonly<Record<string, unknown>>;
  /** See `readMcpServers`. */
  readonly mcpServers?: unknown;
  readonly contributes: {
    readonly authentication: readonly { readonly id: string }[];
    readonly commands: readonly { readonly category?: TitleInManifest; readonly command: string }[];
  };
}

/** A title of a command, which VS Code replaces by its translation and the original in a language that has one. */
type TitleInManifest = string | { readonly value: string };

/**
 * Reads the names of this build.
 * @throws Error if the manifest contributes no authentication provider or no command.
 */
export function readBrand(manifest: Manifest): Brand {
  const { contributes, displayName, homepage, name, publisher, service, version } = manifest;
  const providerId = contributes.authentication[0]?.id;
  const [first] = contributes.commands;
  const [prefix] = first?.command.split('.') ?? [];
  const commands = contributes.commands.map(({ command }) => command.slice(command.indexOf('.') + 1));
  if (providerId === undefined || prefix === undefined) {
    throw new Error('The manifest must contribute an authentication provider and its commands.');
  }
  const [repository] = homepage?.split('#') ?? [];
  const isOwnPage = repository !== undefined && service === undefined;
  return {
    extensionId: `${publisher}.${name}`,
    displayName,
    category: readCategory(first?.category) ?? displayName,
    version,
    providerId,
    prefix,
    commands,
    configuredBy: service === undefined ? 'person' : 'build',
    fixed: service,
    troubleshooting: isOwnPage ? `${repository}/blob/HEAD/docs/troubleshooting.md` : undefined,
  };
}

/** Eclipse Theia leaves the placeholder of the text in the manifest. */
function readCategory(title: TitleInManifest | undefined): string | undefined {
  const category = typeof title === 'object' ? title.value : title;
  return category?.startsWith('%') === true ? undefined : category;
}

/** The only setting for services, without the prefix. */
export const SERVICES_SETTING = 'services';

/** The name of the setting for services, with the prefix. */
export function servicesSetting({ prefix }: Pick<Brand, 'prefix'>): string {
  return `${prefix}.${SERVICES_SETTING}`;
}
