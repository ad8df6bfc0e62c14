import { readFile } from 'node:fs/promises';
import { Ajv, type ErrorObject } from 'ajv';
import {
  readAccount,
  readNotification,
  readService,
  readSetting,
  readStandard,
  type SettingsSource,
  WrongSettingError,
} from '../../src/vscode/configuration/settings';
import { InvalidValueError, validateText } from '../../src/vscode/configuration/validate';
import { settingTexts } from '../../src/vscode/texts/settingTexts';
import { withNamedArguments } from '../../src/vscode/texts/l10n';
import { filled } from '../unit/vscode/english';
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
  const problems = validate(contents) ? wrongSettings(contents) : (validate.errors ?? []).map(sentence);
  if (problems.length > 0) throw new ServiceFileError(`${file} can't be used:\n  ${problems.join('\n  ')}`);
  return contents as ServiceFile;
}

/** What the schema says about a part of the file. */
function sentence({ instancePath, keyword, message = 'is wrong', params, parentSchema }: ErrorObject): string {
  const name = instancePath.slice(1).replaceAll('/', '.') || 'The file';
  if (keyword === 'pattern') return `${name} is wrong. ${String(parentSchema?.['description'])}`;
  const { additionalProperty, allowedValues } = params as {
    readonly additionalProperty?: string;
    readonly allowedValues?: readonly string[];
  };
  const what = additionalProperty ?? allowedValues?.join(', ');
  return `${name} ${message}${what === undefined ? '' : `: ${what}`}.`;
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
  const { problems } = settingTexts(withNamedArguments({ t: ({ message, args }) => filled(message, args) }));
  const readers = [
    () => readService(source),
    () => readStandard(source),
    () => readNotification(source),
    () => readAccount(source),
    () => validateText(fixed['clientSecret'] ?? 'none'),
    () => readSetting(source, 'serviceName'),
    () => readSetting(source, 'verificationUrl'),
    () => readSetting(source, 'accessTokenIn'),
  ];
  return readers.flatMap((read) => {
    try {
      read();
      return [];
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      const name = error instanceof WrongSettingError ? error.setting : 'clientSecret';
      return [`service.${name} is wrong. ${problems[error.problem]}`];
    }
  });
}
