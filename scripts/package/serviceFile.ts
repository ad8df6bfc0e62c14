import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv, type ErrorObject } from 'ajv';
import { parse, type ParseError } from 'jsonc-parser';
import { asObject, asText, property } from '../../src/fields';
import { codeOf } from '../../src/log';
import { didYouMean } from '../../src/vscode/settings/didYouMean';
import { serviceAdvice, serviceProblems, serviceSettings } from '../../src/vscode/settings/serviceOptions';
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
  const contents = parseJson(file, await readText(file));
  const validate = new Ajv({ allErrors: true, verbose: true }).compile<ServiceFile>(schema);
  const mcpServers = property(contents, 'mcpServers');
  const service = asObject(property(contents, 'service')) ?? {};
  const found = validate(contents) ? [] : (validate.errors ?? []);
  // What's wrong with MCP servers is found below.
  const misfits = found.filter((misfit) => !isWithin('mcpServers', placeOf(misfit)));
  /** Whether the schema has nothing against a part of the file, such as `service.notify`. */
  const fits = (part: string): boolean =>
    !misfits.map(placeOf).some((place) => place === WHOLE_FILE || isWithin(part, place));
  const problems = [
    ...misfits.map(sentence),
    ...(['providerId', 'prefix'] as const).flatMap((name) =>
      fits(name) ? takenName(name, contents as ServiceFile) : [],
    ),
    ...serviceAdvice(service).map(({ field, says }) => `service.${field} ${says}`),
    ...wrongSettings(service, fits),
    ...(mcpServers === undefined ? [] : [...mcpServerProblems(mcpServers), ...namedServices(mcpServers)]),
    ...(fits('icon') ? await wrongIcon(file, contents as ServiceFile) : []),
    ...(await Promise.all(TEXTS.filter(fits).map((name) => wrongText(file, name, contents as ServiceFile)))).flat(),
  ];
  if (problems.length > 0) throw new ServiceFileError(`${file} can't be used:\n  ${problems.join('\n  ')}`);
  return contents as ServiceFile;
}

/** What's wrong with MCP servers that name a service: a build has only one. */
function namedServices(mcpServers: unknown): readonly string[] {
  const servers: readonly unknown[] = Array.isArray(mcpServers) ? mcpServers : [];
  return servers.flatMap((server, index) =>
    property(server, 'service') === undefined
      ? []
      : [`mcpServers[${index}].service is only for the library. A build has one service: leave it out.`],
  );
}

/** @throws ServiceFileError */
async function readText(file: string): Promise<string> {
  try {
    const text = await readFile(file, 'utf8');
    // Notepad and PowerShell write a byte order mark.
    return text.replace(/^\uFEFF/, '');
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT';
    throw new ServiceFileError(isMissing ? `${file} doesn't exist.` : `${file} can't be read (${codeOf(error)}).`);
  }
}

/** @throws ServiceFileError that says where the mistake is, without quoting the file, which may hold a client secret */
function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const errors: ParseError[] = [];
    parse(text, errors, { disallowComments: true });
    const before = text.slice(0, errors[0]?.offset ?? 0).split('\n');
    const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
    throw new ServiceFileError(`${file} isn't JSON: look at ${place}.`);
  }
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

/** What the schema tells about a misfit, each only for some keywords. */
interface MisfitDetails {
  readonly additionalProperty?: string;
  readonly allowedValues?: readonly string[];
  readonly missingProperty?: string;
  readonly type?: string;
}

const WHOLE_FILE = '';

/** Which part of the file doesn't fit the schema, such as `service.notify.method`. */
function placeOf({ instancePath, params }: ErrorObject): string {
  const { additionalProperty, missingProperty } = params as MisfitDetails;
  const field = additionalProperty ?? missingProperty;
  return [...instancePath.split('/').slice(1), ...(field === undefined ? [] : [field])].join('.');
}

/** Whether a place is this part of the file, or inside of it. */
function isWithin(part: string, place: string): boolean {
  return `${place}.`.startsWith(`${part}.`);
}

/** What the schema says about a part of the file. */
function sentence(misfit: ErrorObject): string {
  const { keyword, message = 'is wrong', params, parentSchema } = misfit;
  const place = placeOf(misfit);
  const name = place === WHOLE_FILE ? 'The file' : place;
  const { additionalProperty, allowedValues, missingProperty, type } = params as MisfitDetails;
  const properties = asObject(parentSchema?.['properties']) ?? {};
  if (additionalProperty !== undefined) {
    return `${name} isn't a known field.${didYouMean(additionalProperty, Object.keys(properties))}`;
  }
  if (missingProperty !== undefined) {
    return `${name} is missing. ${asText(property(properties[missingProperty], 'description')) ?? ''}`.trim();
  }
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

/**
 * What's wrong with the settings, in the words in which people who configure a service read it.
 * @param fits whether the schema has nothing against a part of the file: what it has is said already
 */
function wrongSettings(service: object, fits: (part: string) => boolean): readonly string[] {
  return serviceProblems(serviceSettings(service))
    .filter(({ name }) => fits(`service.${name}`))
    .map(({ name, problem }) => `service.${name} is wrong. ${SETTING_MESSAGES.problems[problem]}`);
}
