import type { l10n } from 'vscode';
import type { SettingProblem } from '../configuration/validate';
import type { Named } from './l10n';

type L10n = Named<typeof l10n>;

/** Texts of Configure Service and Set Client Secret, and about settings. */
export function settingTexts(l10n: L10n) {
  const problem = (problem: SettingProblem): string => problemText(l10n, problem);
  return {
    /** What is wrong with a value, and what to do. */
    problem,
    /** @param name the whole name of the setting, such as `deviceFlow.baseUrl` */
    wrong: (name: string, what: SettingProblem) =>
      l10n.t('The setting {name} is invalid. {problem}')({ name, problem: problem(what) }),
    /** @param name the whole name of the setting, such as `deviceFlow.notify.path` */
    ignored: (name: string, what: SettingProblem) =>
      l10n.t('The setting {name} is invalid and was ignored. {problem}')({ name, problem: problem(what) }),

    configured: (service: string) => l10n.t('{service} is configured.')({ service }),
    whatToChange: l10n.t('Select what you want to change'),
    baseUrl: l10n.t('Base URL'),
    clientId: l10n.t('Client ID'),
    clientSecret: l10n.t('Client secret'),
    serviceName: l10n.t('Service name'),
    everything: l10n.t('Everything, step by step'),
    secretStored: l10n.t({ message: 'Stored, never shown', comment: ['Shown beside “Client secret”'] }),
    notSaved: l10n.t('Couldn’t write your settings file, so nothing was saved. Save the file or fix its errors first.'),
    enterBaseUrl: l10n.t('Enter the base URL that the operator of the service gave you'),
    baseUrlExample: l10n.t('Base URL, such as https://api.example.com'),
    enterClientId: l10n.t('Enter the client ID that the operator of the service gave you'),
    enterSecret: l10n.t(
      'Enter the client secret that belongs to the client ID. It’s stored encrypted and never shown.',
    ),
    enterOrKeepSecret: l10n.t('Enter the client secret, or leave this empty to keep the stored one'),
    enterSecretOf: (clientId: string, baseUrl: string) =>
      l10n.t('Enter the client secret for client ID {clientId} at {baseUrl}. It’s stored encrypted and never shown.')({
        clientId,
        baseUrl,
      }),
    enterServiceName: l10n.t('Enter a name for the service, as you want to see it in menus and messages'),
    defaultServiceName: (host: string) => l10n.t('Service name. If empty: {host}')({ host }),

    secretSaved: l10n.t('The client secret was saved.'),
    secretNotText: l10n.t('The client secret must be a string. Leave the argument out to be asked for it.'),
    wrongSecret: (what: SettingProblem) =>
      l10n.t('The client secret is invalid. {problem}')({ problem: problem(what) }),
    configureFirst: l10n.t('A client secret belongs to a base URL and a client ID. Configure the service first.'),
  };
}

function problemText(l10n: L10n, problem: SettingProblem): string {
  switch (problem) {
    case 'not a string':
      return l10n.t('Enter text.');
    case 'empty':
      return l10n.t('Enter a value.');
    case 'too long':
      return l10n.t('Enter a shorter value.');
    case 'forbidden characters':
      return l10n.t('Remove the characters that aren’t allowed.');
    case 'not an address':
      return l10n.t('Enter a web address, such as https://api.example.com.');
    case 'no scheme':
      return l10n.t('Begin with http:// if the service runs on this machine, for example http://localhost:8080.');
    case 'not secure':
      return l10n.t('Begin with https://. Only localhost, 127.0.0.1, and [::1] can use http://.');
    case 'has credentials':
      return l10n.t('Remove the user name and password from the address.');
    case 'has a query or fragment':
      return l10n.t('Remove “?” or “#” and everything after it from the address.');
    case 'not a path':
      return l10n.t('Enter a path that begins with “/” and doesn’t contain “?”, “#”, or “..”.');
    case 'not a field':
      return l10n.t('Enter the name of a field, such as name, or user.name for a nested field.');
    case 'not one of its values':
      return l10n.t('Select one of the values that the Settings editor offers.');
    case 'not an object of strings':
      return l10n.t('Enter an object whose values are strings.');
    case 'reserved name':
      return l10n.t('Remove the parameter {name}. It’s reserved for the access token.')({ name: 'access_token' });
  }
}
