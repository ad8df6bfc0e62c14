import type { l10n } from 'vscode';
import { type Log, safeTrace } from '../../log';
import type { ClientSecrets } from '../../sessions/createSessions';
import type { ServiceId } from '../../oauth/client';
import type { Brand } from '../brand';
import { buttons } from '../words/buttons';
import { plainText, shownAddress } from '../texts/plainText';
import { readConfiguration, type SettingsSource } from './configuration';
import type { Editor } from '../editor/editor';
import { settingProblemInWords, wrongSettingInWords } from './settingWords';
import { checkText } from './settingChecks';

type L10n = Pick<typeof l10n, 't'>;

/** What Set Client Secret works with. */
export interface ClientSecretParts {
  readonly brand: Pick<Brand, 'prefix'>;
  readonly editor: Editor;
  readonly l10n: L10n;
  readonly log: Log;
  readonly secrets: ClientSecrets;
  readonly settings: () => SettingsSource;
  /** Puts errors of the secret store into words. */
  readonly inWords: (error: unknown) => string;
}

/** What is wrong with a client secret, in words; `undefined` where nothing is. */
export function clientSecretProblemInWords(l10n: L10n, secret: string): string | undefined {
  const checked = checkText(secret);
  return 'problem' in checked ? settingProblemInWords(l10n, checked.problem) : undefined;
}

/**
 * Keeps the client secret of the configured service and client: the argument, or else what the person enters. One that a
 * program hands over makes no message.
 *
 * @param secret the command's argument, which may be anything
 * @returns whether the person entered one, which was stored
 * @throws Error with a message for people where the argument or the settings can't be used, or storing fails
 */
export async function setClientSecret(parts: ClientSecretParts, secret: unknown): Promise<boolean> {
  const { editor, l10n, log, secrets } = parts;
  if (secret !== undefined && typeof secret !== 'string') {
    throw new Error(l10n.t('The client secret must be given as a text, or not at all: then it is asked for.'));
  }
  const service = await configuredService(parts, secret !== undefined);
  if (service === undefined) {
    return false;
  }
  const entered = secret ?? (await askClientSecret(parts, service));
  if (entered === undefined) {
    return false;
  }
  const problem = clientSecretProblemInWords(l10n, entered);
  if (problem !== undefined) {
    throw new Error(
      l10n.t({
        message: 'The client secret can’t be used. {0}',
        args: [problem],
        comment: ['{0} is a sentence that says what is wrong'],
      }),
    );
  }
  try {
    if (secret !== undefined && (await isStored(parts, service, entered))) {
      log.debug('The client secret that was handed over is the one that is stored.');
      return false;
    }
    await secrets.set(service, entered);
  } catch (error) {
    throw new Error(parts.inWords(error), { cause: error });
  }
  log.info('The client secret was stored.');
  if (secret !== undefined) {
    editor.remark(secretStoredMessage(l10n));
  }
  return secret === undefined;
}

/** Says that a client secret was stored. */
export function secretStoredMessage(l10n: L10n): string {
  return l10n.t('The client secret was stored.');
}

/** Where what is stored can't be read, the secret is stored: it may be there on the disk, where all windows see it. */
async function isStored({ log, secrets }: ClientSecretParts, service: ServiceId, secret: string): Promise<boolean> {
  try {
    return (await secrets.get(service)) === secret;
  } catch (error) {
    log.debug(`The client secret that is stored can't be compared. ${safeTrace(error)}`);
    return false;
  }
}

/** The service that the secret belongs to. Where there is none, a person is shown the way and a program is told. */
async function configuredService(
  { brand, editor, l10n, settings }: ClientSecretParts,
  byProgram: boolean,
): Promise<ServiceId | undefined> {
  const result = readConfiguration(settings());
  if (result.kind === 'ready') {
    return result.configuration.service;
  }
  if (result.kind === 'wrong') {
    throw new Error(wrongSettingInWords(l10n, `${brand.prefix}.${result.problem.setting}`, result.problem.problem));
  }
  const text = l10n.t('A client secret belongs to a base URL and a client ID. Configure the service first.');
  if (byProgram) {
    throw new Error(text);
  }
  const { configureService } = buttons(l10n);
  if ((await editor.message('information', text, configureService)) === configureService) {
    await editor.run(`${brand.prefix}.configure`);
  }
  return undefined;
}

async function askClientSecret({ editor, l10n }: ClientSecretParts, service: ServiceId): Promise<string | undefined> {
  const answer = await editor.ask({
    title: buttons(l10n).setClientSecret,
    prompt: l10n.t({
      message: 'Enter the client secret for the client {0} of {1}. It is kept encrypted and never shown.',
      args: [plainText(service.clientId), shownAddress(service.baseUrl)],
      comment: ['{0} is a client ID', '{1} is the base URL of the service'],
    }),
    password: true,
    validate: (value) => clientSecretProblemInWords(l10n, value),
  });
  return answer.kind === 'entered' ? answer.value.trim() : undefined;
}
