import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv, type ErrorObject } from 'ajv';
import { serviceProblems, serviceSettings } from '../../src/vscode/settings/serviceOptions';
import { SETTING_MESSAGES } from '../../src/vscode/texts/settingTexts';
import { type McpServerOptions, mcpServerProblems } from '../../src/vscode/mcp/options';
import schema from './service.schema.json';

/** What a publisher says about a build for one service. */
export interface ServiceFile {
  readonly publisher: string;
  readonly name: string;
  readonly displayName: string;
  readonly description?: string;
  readonly version: string;
  /** Paths beside the file. */
  readonly icon?: string;
  readonly readme?: string;
  readonly changelog?: string;
  readonly license?: string;
  /** As in any extension's manifest. */
  readonly repository?: string;
  readonly bugs?: string;
  readonly homepage?: string;
  readonly keywords?: readonly string[];
  readonly categories?: readonly string[];
  readonly galleryBanner?: object;
  readonly preview?: boolean;
  readonly providerId: string;
  readonly prefix: string;
  /** See `mcpServerProblems`. */
  readonly mcpServers?: readonly McpServerOptions[];
  readonly service: Readonly<Record<string, unknown>>;
}

/** The file can't be used. The message says all that's wrong with it. */
export class ServiceFileError extends Error {
  override readonly name = 'ServiceFileError';
}

/** Names that other extensions have: people may have both installed, and only one can have the name. */
const TAKEN = {
  providerId: ['device-flow', 'github', 'github-enterprise', 'microsoft', 'microsoft-sovereign-cloud'],
  prefix: ['deviceflow'],
} as const;

/** Files that are taken over as they are. */
const TEXTS = ['readme', 'changelog', 'license'] as const;

/**
 * Reads the file of a build for one service, and checks it against its schema and against the rules for settings.
 * @throws ServiceFileError
 */
export async function readServiceFile(file: string): Promise<ServiceFile> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ServiceFileError(`${file} can't be read: ${error instanceof Error ? error.message : 'unknown'}.`);
  });
  let contents: unknown;
  try {
    contents = JSON.parse(text);
  } catch {
    // The parser's error quotes the file, which may hold a client secret.
    throw new ServiceFileError(`${file} isn't JSON.`);
  }
  const validate = new Ajv({ allErrors: true, verbose: true }).compile<ServiceFile>(schema);
  const misfits = validate(contents) ? [] : (validate.errors ?? []);
  const fits = (part: string): boolean =>
    !misfits.some(
      ({ instancePath, keyword, params }) =>
        `${instancePath}/`.startsWith(`/${part}/`) ||
        (instancePath === '' &&
          (keyword === 'type' || (params as { missingProperty?: string }).missingProperty === part)),
    );
  const problems = [
    ...misfits.map(sentence),
    ...(['providerId', 'prefix'] as const).flatMap((name) =>
      fits(name) ? takenName(name, contents as ServiceFile) : [],
    ),
    ...(fits('service') ? wrongSettings(contents as ServiceFile) : []),
    ...(fits('mcpServers') ? mcpServerProblems((contents as ServiceFile).mcpServers ?? []) : []),
    ...(fits('icon') ? await wrongIcon(file, contents as ServiceFile) : []),
    ...(await Promise.all(TEXTS.filter(fits).map((name) => wrongText(file, name, contents as ServiceFile)))).flat(),
  ];
  if (problems.length > 0) throw new ServiceFileError(`${file} can't be used:\n  ${problems.join('\n  ')}`);
  return contents as ServiceFile;
}

function takenName(name: keyof typeof TAKEN, file: ServiceFile): readonly string[] {
  const taken: readonly string[] = TAKEN[name];
  return taken.includes(file[name].toLowerCase())
    ? [`${name} is wrong. Another extension has the name ${file[name]}; choose one of your own.`]
    : [];
}

/** What people call the types of the schema. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'a list in square brackets',
  boolean: 'true or false',
  object: 'an object in braces',
  string: 'text in quotation marks',
};

/** What the schema says about a part of the file. */
function sentence({ instancePath, keyword, message = 'is wrong', params, parentSchema }: ErrorObject): string {
  const parts = instancePath.split('/').slice(1);
  const name = parts.join('.') || 'The file';
  const { additionalProperty, allowedValues, missingProperty, type } = params as {
    readonly additionalProperty?: string;
    readonly allowedValues?: readonly string[];
    readonly missingProperty?: string;
    readonly type?: string;
  };
  if (additionalProperty !== undefined) return `${[...parts, additionalProperty].join('.')} isn't a known field.`;
  if (missingProperty !== undefined) return `${[...parts, missingProperty].join('.')} is missing.`;
  if (allowedValues !== undefined) return `${name} must be one of these: ${allowedValues.join(', ')}.`;
  if (type !== undefined) return `${name} must be ${TYPES[type] ?? type}.`;
  if (keyword === 'minLength') return `${name} is empty.`;
  return keyword === 'pattern' ? `${name} is wrong. ${String(parentSchema?.['description'])}` : `${name} ${message}.`;
}

/** The contents of a file that the service file names; `undefined` if it can't be read. */
function readBeside(file: string, name: string): Promise<Buffer | undefined> {
  return readFile(path.resolve(path.dirname(file), name)).catch(() => undefined);
}

/** What the Marketplace requires of an icon. */
const ICON_SIZE = 128;
/** The first bytes of a PNG file. Its width and height follow at byte 16. */
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

async function wrongIcon(file: string, { icon }: ServiceFile): Promise<readonly string[]> {
  if (icon === undefined) return [];
  const image = await readBeside(file, icon);
  if (image === undefined) return [`icon is wrong. ${icon} can't be read.`];
  const isPng = image.length >= 24 && image.subarray(0, PNG.length).equals(PNG);
  return isPng && Math.min(image.readUInt32BE(16), image.readUInt32BE(20)) >= ICON_SIZE
    ? []
    : [`icon is wrong. ${icon} isn't a PNG file of at least ${ICON_SIZE} by ${ICON_SIZE} pixels.`];
}

async function wrongText(
  file: string,
  name: (typeof TEXTS)[number],
  contents: ServiceFile,
): Promise<readonly string[]> {
  const text = contents[name];
  return text === undefined || (await readBeside(file, text)) !== undefined
    ? []
    : [`${name} is wrong. ${text} can't be read.`];
}

/** What's wrong with the settings, in the words in which people who configure a service read it. */
function wrongSettings({ service }: ServiceFile): readonly string[] {
  return serviceProblems(serviceSettings(service)).map(
    ({ name, problem }) => `service.${name} is wrong. ${SETTING_MESSAGES.problems[problem]}`,
  );
}
