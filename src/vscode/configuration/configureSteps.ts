import type { l10n } from 'vscode';
import { nameProblemInWords } from '../sessions/accountName';
import { buttons } from '../words/buttons';
import { clientSecretProblemInWords } from './clientSecret';
import type { Question } from '../editor/editor';
import { nameProblem } from '../texts/plainText';
import { checkBaseUrl, type Checked, checkText, withScheme } from './settingChecks';
import { settingProblemInWords } from './settingWords';

type L10n = Pick<typeof l10n, 't'>;

/** What is entered in the steps. */
export interface Entered {
  readonly baseUrl: string;
  readonly clientId: string;
  /** Empty: the one that is stored stays. */
  readonly clientSecret: string;
  /** Empty: the host of the base URL. */
  readonly serviceName: string;
}

/** One step of Configure Service. */
export type ConfigureStep = keyof Entered;

/** What Configure Service says beside its questions. */
export interface ConfigureTexts {
  readonly whatToChange: string;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly serviceName: string;
  readonly all: string;
  readonly secretStored: string;
  readonly notWritten: string;
}

/** Texts of Configure Service, in the person's language. */
export function configureTexts(l10n: L10n): ConfigureTexts {
  return {
    whatToChange: l10n.t('What do you want to change?'),
    baseUrl: l10n.t('Base URL'),
    clientId: l10n.t('Client ID'),
    clientSecret: l10n.t('Client secret'),
    serviceName: l10n.t('Name of the service'),
    all: l10n.t('All of it, step by step'),
    secretStored: l10n.t({ message: 'stored, never shown', comment: ['Follows after “Client secret”'] }),
    notWritten: l10n.t(
      'Nothing was saved: the editor can’t write your settings file. Correct its errors first, or save it.',
    ),
  };
}

/**
 * The question of a step.
 * @param mayKeepSecret whether a secret is stored for the base URL and the client ID that were entered
 */
export function configureQuestion(l10n: L10n, step: ConfigureStep, entered: Entered, mayKeepSecret: boolean): Question {
  const title = buttons(l10n).configureService;
  const value = entered[step];
  const problemOf = (checked: Checked<unknown>): string | undefined =>
    'problem' in checked ? settingProblemInWords(l10n, checked.problem) : undefined;
  switch (step) {
    case 'baseUrl':
      return {
        title,
        prompt: l10n.t('Enter the base URL of the service, as its operator gave it to you.'),
        placeholder: l10n.t('Base URL, such as https://api.example.com'),
        value,
        validate: (text) => problemOf(checkBaseUrl(withScheme(text))),
      };
    case 'clientId':
      return {
        title,
        prompt: l10n.t('Enter the client ID that the operator of the service gave you.'),
        placeholder: configureTexts(l10n).clientId,
        value,
        validate: (text) => problemOf(checkText(text)),
      };
    case 'clientSecret':
      return {
        title,
        prompt: mayKeepSecret
          ? l10n.t('Enter the client secret, or nothing to keep the one that is stored.')
          : l10n.t('Enter the client secret that came with the client ID. It is kept encrypted and never shown.'),
        placeholder: configureTexts(l10n).clientSecret,
        value,
        password: true,
        validate: (text) => (mayKeepSecret && text.trim() === '' ? undefined : clientSecretProblemInWords(l10n, text)),
      };
    case 'serviceName':
      return {
        title,
        prompt: l10n.t('Enter a name for the service, as you want to see it in menus and messages.'),
        placeholder: l10n.t({
          message: 'Name of the service; if left empty: {0}',
          args: [hostOf(entered.baseUrl)],
          comment: ['{0} is the host of the base URL, such as “api.example.com”'],
        }),
        value,
        validate: (text) => {
          const problem = text.trim() === '' ? undefined : nameProblem(text);
          return problem === undefined ? undefined : nameProblemInWords(l10n, problem);
        },
      };
  }
}

function hostOf(baseUrl: string): string {
  const checked = checkBaseUrl(baseUrl);
  return 'value' in checked ? new URL(checked.value).host : '';
}
