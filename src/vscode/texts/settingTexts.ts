import type { l10n } from 'vscode';
import type { Named } from './l10n';

type L10n = Named<typeof l10n>;

/** What is wrong with the value of a setting. */
export type SettingProblem = keyof ReturnType<typeof problemTexts>;

/** Texts of Configure Service and Set Client Secret, and about settings. */
export function settingTexts(l10n: L10n) {
  return {
    /** What to do about a value that can't be used. */
    problems: problemTexts(l10n),
    /** `name` is the whole name of the setting, such as `deviceFlow.baseUrl`. */
    wrong: l10n.t('The setting {name} is invalid. {problem}'),
    ignored: l10n.t('The setting {name} is invalid and was ignored. {problem}'),

    configured: l10n.t('{service} is configured.'),
    whatToChange: l10n.t('Select what you want to change'),
    baseUrl: l10n.t('Base URL'),
    clientId: l10n.t('Client ID'),
    clientSecret: l10n.t('Client secret'),
    serviceName: l10n.t('Service name'),
    everything: l10n.t('Everything, step by step'),
    secretStored: l10n.t({ message: 'Stored, never shown', comment: ['Shown beside “Client secret”'] }),
    notSaved: l10n.t(
      'Couldn’t write to your settings file, so nothing was saved. Save the file or fix its errors, and then try again.',
    ),
    enterBaseUrl: l10n.t('Enter the base URL that the operator of the service gave you'),
    baseUrlExample: l10n.t('Base URL, such as https://api.example.com'),
    enterClientId: l10n.t('Enter the client ID that the operator of the service gave you'),
    enterOptionalSecret: l10n.t(
      'This service uses RFC 8628, so the client secret is optional. Leave this empty if you have none, or to keep the stored one.',
    ),
    enterOrKeepSecret: l10n.t('Enter the client secret, or leave this empty to keep the stored one'),
    enterSecretOf: l10n.t(
      'Enter the client secret for client ID {clientId} at {baseUrl}. It’s stored encrypted and never shown.',
    ),
    enterServiceName: l10n.t('Enter a name for the service, as you want to see it in menus and messages'),
    defaultServiceName: l10n.t('Service name (default: {host})'),

    secretSaved: l10n.t('The client secret was saved.'),
    secretNotText: l10n.t('The client secret must be a string. Leave the argument out to be asked for it.'),
    wrongSecret: l10n.t('The client secret is invalid. {problem}'),
    configureFirst: l10n.t('A client secret belongs to a base URL and a client ID. Configure the service first.'),
  };
}

function problemTexts(l10n: L10n) {
  return {
    'not a string': l10n.t('Enter text.'),
    empty: l10n.t('Enter a value.'),
    'too long': l10n.t('Enter a shorter value.'),
    'forbidden characters': l10n.t('Remove the characters that aren’t allowed.'),
    'not an address': l10n.t('Enter a web address, such as https://api.example.com.'),
    'not secure': l10n.t('Begin with https://. Only localhost, 127.0.0.1, and [::1] can use http://.'),
    'has credentials': l10n.t('Remove the user name and password from the address.'),
    'has a query or fragment': l10n.t('Remove “?” or “#” and everything after it from the address.'),
    'not a path': l10n.t('Enter a path that begins with “/” and doesn’t contain “?”, “#”, or “..”.'),
    'not a field': l10n.t('Enter the name of a field, such as name, or user.name for a nested field.'),
    'not one of its values': l10n.t('Select one of the values that the Settings editor offers.'),
    'not scopes': l10n.t('Enter a list of scopes. A scope can’t contain spaces or quotation marks.'),
    'not endpoints': l10n.t(
      'Enter an object with any of deviceAuthorization, token, revocation, and userInfo. Each must be a path or a web address.',
    ),
    'not an object of strings': l10n.t('Enter an object whose values are strings.'),
    'reserved name': l10n.t('Remove the parameter {name}. It’s reserved for the access token.')({
      name: 'access_token',
    }),
    'reserved parameter': l10n.t('Remove the parameters that belong to the protocol: {names}.')({
      names: 'client_id, client_secret, grant_type, scope',
    }),
  };
}
