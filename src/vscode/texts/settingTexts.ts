/** What is wrong with the value of a setting. */
export type SettingProblem = keyof typeof SETTING_MESSAGES.problems;

const NO_CONNECTION = 'Couldn’t connect to {address}. Check the address and your network connection.';

/** Messages of Configure Service and Set Client Secret, and about settings. */
export const SETTING_MESSAGES = {
  /** What to do about a value that can't be used. */
  problems: {
    'not a string': 'Enter text.',
    empty: 'Enter a value.',
    'too long': 'Enter a shorter value.',
    'forbidden characters': 'Remove the characters that aren’t allowed.',
    'not an address': 'Enter a web address, such as https://api.example.com.',
    'not secure': 'Begin with https://. Only localhost, 127.0.0.1, and [::1] can use http://.',
    'has credentials': 'Remove the user name and password from the address.',
    'has a query or fragment': 'Remove “?” or “#” and everything after it from the address.',
    'not a path': 'Enter a path that begins with “/” and doesn’t contain “?”, “#”, or “..”.',
    'not a field': 'Enter the name of a field, such as name, or user.name for a nested field.',
    'not one of its values': 'Select one of the values that the Settings editor offers.',
    'not scopes': 'Enter a list of scopes. A scope can’t contain spaces or quotation marks.',
    'not endpoints':
      'Enter an object with any of deviceAuthorization, token, revocation, and userInfo. Each must be a path or a web address.',
    'not an object of strings': 'Enter an object whose values are strings.',
    'reserved name': 'Remove the parameter access_token. It’s reserved for the access token.',
    'reserved parameter':
      'Remove the parameters that belong to the protocol: client_id, client_secret, grant_type, scope.',
  },
  /** `name` is the whole name of the setting, such as `deviceFlow.baseUrl`. */
  wrong: 'The setting {name} is invalid. {problem}',
  ignored: 'The setting {name} is invalid and was ignored. {problem}',

  configured: '{service} is configured.',
  whatToChange: 'Select what you want to change',
  baseUrl: 'Base URL',
  clientId: 'Client ID',
  clientSecret: 'Client secret',
  serviceName: 'Service name',
  everything: 'Everything, step by step',
  noSecret: { message: 'None', comment: ['Shown beside “Client secret” if none is stored'] },
  secretStored: { message: 'Stored, never shown', comment: ['Shown beside “Client secret”'] },
  notSaved:
    'Couldn’t write to your settings file, so nothing was saved. Save the file or fix its errors, and then try again.',
  enterBaseUrl: 'Enter the base URL that the operator of the service gave you',
  baseUrlExample: 'Base URL, such as https://api.example.com',
  checking: { message: 'Checking {address}', comment: ['{address} is a base URL. Title of a progress notification'] },
  enterAgain: {
    message: '{problem} To use this base URL anyway, press Enter.',
    comment: ['{problem} is a sentence that says what’s wrong with the base URL'],
  },
  /** What's wrong with a base URL that was entered: why nothing there responded. */
  addressProblems: {
    'host not found': 'Couldn’t find the host {host}. Check its spelling and your network connection.',
    'connection refused': 'Nothing responds at {address}. Check the port, and whether the service is running.',
    'not HTTPS': '{host} doesn’t respond to https://. Check the port.',
    TLS: 'Couldn’t make a secure connection to {host} ({code}). If your network inspects secure connections, your system must trust its certificate.',
    proxy: 'The proxy didn’t let the request to {host} through. Check the setting {setting}.',
    timeout: '{host} didn’t respond in time. Check the address and your network connection.',
    overloaded: '{host} is busy.',
    'too many requests': '{host} is busy.',
    unreachable: NO_CONNECTION,
    'connection lost': NO_CONNECTION,
    aborted: NO_CONNECTION,
    unknown: NO_CONNECTION,
  },
  settingsOfPrevious: 'Some settings belong to the previous service. Select what to do with them.',
  clearSettings: 'Clear Settings',
  keepSettings: 'Keep Settings',
  enterClientId: 'Enter the client ID that the operator of the service gave you',
  enterOptionalSecret: 'Enter the client secret if you were given one, or leave this empty',
  enterOrKeepSecret: 'Enter the client secret, or leave this empty to keep the stored one',
  enterSecretOf:
    'Enter the client secret for client ID {clientId} at {baseUrl}. It’s stored encrypted and never shown.',
  enterServiceName: 'Enter a name for the service, as you want to see it in menus and messages',
  defaultServiceName: 'Service name (default: {host})',

  secretSaved: 'The client secret was saved.',
  secretNotText: 'The client secret must be a string. Leave the argument out to be asked for it.',
  wrongSecret: 'The client secret is invalid. {problem}',
  configureFirst: 'A client secret belongs to a base URL and a client ID. Configure the service first.',
} as const;
