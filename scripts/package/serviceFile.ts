import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv } from 'ajv';
import { asObject, property } from '../../src/fields';
import { codeOf } from '../../src/log';
import { mistakeIn } from '../../src/vscode/settings/mistakes';
import { readFields } from '../../src/vscode/settings/readFields';
import { invalidValue, validateName } from '../../src/vscode/settings/validate';
import { type McpServerOptions, mcpServerProblems } from '../../src/vscode/mcp/options';
import { SERVICE_FILE } from '../settings/schemas';
import { isWithin, placeOf, schemaProblem, WHOLE_FILE } from './schemaProblems';
import { jsonProblem, repeatedFields } from './serviceJson';
import { storeTextProblems } from './storeText';

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

/** Names that VS Code's own parts and other extensions have: people have both, and only one can have the name. */
const TAKEN = {
  providerId: ['device-flow', 'github', 'github-enterprise', 'microsoft', 'microsoft-sovereign-cloud'],
  prefix: [
    ...['chat', 'debug', 'editor', 'extension', 'extensions', 'git', 'github', 'list', 'markdown', 'mcp', 'notebook'],
    ...['search', 'setcontext', 'terminal', 'testing', 'vscode', 'workbench', 'deviceflow'],
  ],
} as const;

/** It compiles a schema only once. */
const SCHEMAS = new Ajv({ allErrors: true, verbose: true });

/** Files that are taken over as they are. */
const TEXTS = ['readme', 'changelog', 'license'] as const;

/**
 * Reads the file of a build for one service, and checks it against its schema and against the rules for settings.
 * @throws ServiceFileError
 */
export async function readServiceFile(file: string): Promise<ServiceFile> {
  const text = await readText(file);
  const contents = parseJson(file, text);
  const validate = SCHEMAS.compile<ServiceFile>(SERVICE_FILE);
  const mcpServers = property(contents, 'mcpServers');
  const service = asObject(property(contents, 'service')) ?? {};
  const found = validate(contents) ? [] : (validate.errors ?? []);
  // What's wrong with MCP servers is found below.
  const misfits = found.filter((misfit) => !isWithin('mcpServers', placeOf(misfit)));
  /** Whether the schema has nothing against a part of the file, such as `service.notify`. */
  const fits = (part: string): boolean =>
    !misfits.map(placeOf).some((place) => place === WHOLE_FILE || isWithin(part, place));
  const problems = [
    ...repeatedFields(text).map(({ name, place }) => `${name} is there twice, again in ${place}. Remove one of them.`),
    ...misfits.map((misfit) => schemaProblem(misfit, contents)),
    ...(['providerId', 'prefix'] as const).flatMap((name) =>
      fits(name) ? takenName(name, contents as ServiceFile) : [],
    ),
    ...(fits('displayName') ? wrongName('displayName', contents as ServiceFile) : []),
    // What the schema has against a field is said already.
    ...readFields(service, 'build').problems.flatMap((problem) =>
      fits(`service.${problem.field}`) ? [`service.${problem.field} ${mistakeIn(problem)}`] : [],
    ),
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

/** @throws ServiceFileError that says where the mistake is */
function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceFileError(`${file} isn't JSON: ${jsonProblem(text)}.`);
  }
}

/** What's wrong with a name that VS Code shows. */
function wrongName(name: 'displayName', file: ServiceFile): readonly string[] {
  const invalid = invalidValue(() => validateName(file[name]));
  return invalid === undefined ? [] : [`${name} ${mistakeIn({ field: name, problem: invalid.problem })}`];
}

function takenName(name: keyof typeof TAKEN, file: ServiceFile): readonly string[] {
  const taken: readonly string[] = TAKEN[name];
  return taken.includes(file[name].toLowerCase())
    ? [`${name} is wrong. VS Code or another extension has the name ${file[name]}; choose one of your own.`]
    : [];
}

/** The contents of a file that the service file names; `undefined` if it can't be read. */
function readBeside(file: string, name: string): Promise<Buffer | undefined> {
  return readFile(path.resolve(path.dirname(file), name)).catch(() => undefined);
}

/** What the Marketplace requires of an icon. */
const ICON_SIZE = 128;
/** The first bytes of a PNG file. Its width and height follow at byte 16. */
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** How many bytes the beginning has, to the end of the height. */
const PNG_HEAD = 24;

async function wrongIcon(file: string, { icon }: ServiceFile): Promise<readonly string[]> {
  if (icon === undefined) return [];
  const image = await readBeside(file, icon);
  if (image === undefined) return [`icon is wrong. ${icon} can't be read.`];
  if (image.length < PNG_HEAD || !image.subarray(0, PNG.length).equals(PNG)) {
    return [`icon is wrong. ${icon} isn't a PNG file.`];
  }
  const [width, height] = [image.readUInt32BE(16), image.readUInt32BE(20)];
  return Math.min(width, height) >= ICON_SIZE
    ? []
    : [`icon is wrong. ${icon} has ${width} by ${height} pixels, but needs at least ${ICON_SIZE} by ${ICON_SIZE}.`];
}

async function wrongText(
  file: string,
  name: (typeof TEXTS)[number],
  contents: ServiceFile,
): Promise<readonly string[]> {
  const given = contents[name];
  if (given === undefined) return [];
  const text = await readBeside(file, given);
  if (text === undefined) return [`${name} is wrong. ${given} can't be read.`];
  const problems = name === 'license' ? [] : storeTextProblems(text.toString('utf8'), contents.repository);
  return problems.length === 0 ? [] : [`${name} is wrong. ${problems.join(' ')}`];
}
