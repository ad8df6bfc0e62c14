import type { l10n } from 'vscode';
import type { SettingProblem } from './settingChecks';

type L10n = Pick<typeof l10n, 't'>;

/** Says that a setting can't be used. The name is whole, such as `deviceFlow.baseUrl`. */
export function wrongSettingInWords(l10n: L10n, name: string, problem: SettingProblem): string {
  return l10n.t({
    message: 'The setting {0} can’t be used. {1}',
    args: [name, settingProblemInWords(l10n, problem)],
    comment: ['{0} is the name of a setting', '{1} is a sentence that says what is wrong'],
  });
}

/** Says what is wrong with a value, for those who have just entered it. */
export function settingProblemInWords(l10n: L10n, problem: SettingProblem): string {
  switch (problem) {
    case 'not a text':
      return l10n.t('It must be a text.');
    case 'empty':
      return l10n.t('It must not be empty.');
    case 'too long':
      return l10n.t('It is too long.');
    case 'forbidden characters':
      return l10n.t('It has characters that are not allowed.');
    case 'not an address':
      return l10n.t('It must be a web address, such as https://api.example.com.');
    case 'not secure':
      return l10n.t('It must begin with https:, as http: is allowed only for localhost, 127.0.0.1 and [::1].');
    case 'has credentials':
      return l10n.t('It must hold no user name and no password.');
    case 'has a query or fragment':
      return l10n.t({ message: 'It must hold no “?” and no “#”.', comment: ['“It” is a web address'] });
    case 'not a path':
      return l10n.t('It must be a path that begins with “/”, without “?”, “#” and “..”.');
    case 'not a field':
      return l10n.t('It must be the name of a field, or names with dots between them, such as user.name.');
    case 'not one of its values':
      return l10n.t('It must be one of the values that the settings editor offers.');
    case 'not names and texts':
      return l10n.t('It must be an object that gives each name a text.');
    case 'reserved name':
      return l10n.t({
        message: 'The name {0} is taken: the access token goes there.',
        args: ['access_token'],
        comment: ['{0} is the name of a parameter'],
      });
  }
}
