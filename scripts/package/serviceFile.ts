import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv, type ErrorObject } from 'ajv';
import {
  readAccount,
  readNotification,
  readService,
  readSetting,
  type SettingsSource,
  WrongSettingError,
} from '../../src/vscode/configuration/settings';
import { InvalidValueError, validateText } from '../../src/vscode/configuration/validate';
import { SETTING_MESSAGES } from '../../src/vscode/texts/settingTexts';
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
  readonly providerId: string;
  readonly prefix: string;
  readonly service: Readonly<Record<string, unknown>>;
}

/** The file can't be used. The message says all that's wrong with it. */
export class ServiceFileError extends Error {
  override readonly name = 'ServiceFileError';
}

/** Settings of which the parts are settings of their own, such as `notify.path`. */
const NESTED = ['notify', 'account'];

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
    ...(fits('service') ? wrongSettings(contents as ServiceFile) : []),
    ...(fits('icon') ? await wrongIcon(file, contents as ServiceFile) : []),
    ...(fits('readme') ? await wrongReadme(file, contents as ServiceFile) : []),
  ];
  if (problems.length > 0) throw new ServiceFileError(`${file} can't be used:\n  ${problems.join('\n  ')}`);
  return contents as ServiceFile;
}

/** What people call the types of the schema. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'a list in square brackets',
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

async function wrongReadme(file: string, { readme }: ServiceFile): Promise<readonly string[]> {
  return readme === undefined || (await readBeside(file, readme)) !== undefined
    ? []
    : [`readme is wrong. ${readme} can't be read.`];
}

/** The settings that a build fixes, each by its name: those that are given, and the protocol that goes with them. */
export function fixedSettings({ service }: Pick<ServiceFile, 'service'>): Readonly<Record<string, unknown>> {
  const settings = Object.entries(service).flatMap(([name, value]) =>
    NESTED.includes(name)
      ? Object.entries(value as object).map(([part, inner]: [string, unknown]) => [`${name}.${part}`, inner] as const)
      : [[name, value] as const],
  );
  return { protocol: 'draft', ...Object.fromEntries(settings) };
}

/** What's wrong with the settings, in the words in which people who configure a service read it. */
function wrongSettings(file: ServiceFile): readonly string[] {
  const fixed = fixedSettings(file);
  const source: SettingsSource = (name) => fixed[name];
  const readers = [
    () => readService(source),
    () => readNotification(source),
    () => readAccount(source),
    () => validateText(fixed['clientSecret'] ?? 'none'),
    ...(['endpoints', 'scopes', 'parameters', 'serviceName', 'verificationUrl', 'accessTokenIn'] as const).map(
      (name) => () => readSetting(source, name),
    ),
  ];
  return readers.flatMap((read) => {
    try {
      read();
      return [];
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      const name = error instanceof WrongSettingError ? error.setting : 'clientSecret';
      return [`service.${name} is wrong. ${SETTING_MESSAGES.problems[error.problem]}`];
    }
  });
}
