/** What is wrong with the value of a setting. */
export type SettingProblem = keyof typeof SETTING_MESSAGES.problems;

/** Messages about settings, and of Set Client Secret. */
export const SETTING_MESSAGES = {
  /** What to do about a value that can't be used. */
  problems: {
    'not a string': 'Enter text.',
    empty: 'Enter a value.',
    'too long': 'Enter a shorter value.',
    'control characters': 'Remove line breaks and other control characters.',
    'forbidden characters': 'Remove double spaces, invisible characters, “](”, and “$(”.',
    'not an address': 'Enter a web address, such as https://api.example.com.',
    'not secure': 'Begin with https://. Only localhost, 127.0.0.1, and [::1] can use http://.',
    'has credentials': 'Remove the user name and password from the address.',
    'has a query or fragment': 'Remove “?” or “#” and everything after it from the address.',
    'unusual host':
      'Use a host name that contains only letters, digits, hyphens, and dots. If it contains an underscore, ask the operator of the service for a different one.',
    'not a path': 'Enter a path that begins with “/” and doesn’t contain “?”, “#”, or “..”.',
    'not a field': 'Enter the name of a field, such as name, or user.name for a nested field.',
    'not a protocol': 'Set it to rfc8628 or draft.',
    'not a place for the token': 'Set it to header or query.',
    'not a method': 'Set it to POST, PUT, or GET.',
    'not a place for parameters': 'Set it to query, form, or json.',
    'not an occasion': 'Set it to signIn or everyToken.',
    'not scopes': 'Enter a list of scopes. A scope can’t contain spaces or quotation marks.',
    'not endpoints':
      'Enter an object with any of deviceAuthorization, token, revocation, and userInfo. Each must be a path or a web address.',
    'not an object of strings': 'Enter an object whose values are strings.',
    'not a list': 'Enter a list of services, in square brackets.',
    'not an object': 'Enter an object with the fields of a service, such as protocol, baseUrl, and clientId.',
    'same service': 'Another service has the same base URL. Remove one of them.',
    'secret in settings':
      'Remove the client secret, because settings aren’t a safe place for it. Enter it with the command Set Client Secret.',
    'unknown field': 'There’s no field with this name. Correct the name, or remove the field.',
    'reserved name': 'Remove the parameter access_token. It’s reserved for the access token.',
    'reserved parameter':
      'Remove the parameters that belong to the protocol: client_id, client_secret, grant_type, scope.',
  },
  /** `name` is the whole name of the setting, such as `deviceFlow.baseUrl`. */
  wrong: 'The setting {name} is invalid. {problem}',
  missing: 'The setting {name} is missing. Enter a value.',
  severalWrong: '{number} service settings are invalid in total.',

  clientSecret: 'Client secret',
  enterSecret: 'Enter the client secret for client ID {clientId} at {baseUrl}. It’s stored encrypted and never shown.',
  useNoSecret: 'Leave this empty to use none.',
  removeSecret: 'Leave this empty to use none. A stored one is removed.',
  secretSaved: 'The client secret was saved.',
  secretRemoved: 'The client secret was removed.',
  /** For the author of an extension that hands over a client secret. */
  secretOfNone: 'The client secret wasn’t stored because no service with this base URL is configured.',
  secretBuiltIn: 'The client secret of {service} comes with the extension, so you can’t set another one.',
  wrongSecret: 'The client secret is invalid. {problem}',
  configureFirst: 'Configure the service before you set its client secret.',
  /** An extension that embeds the library, and has a setting of its own for the service, doesn't know it yet. */
  noService: '{service} isn’t set up yet. Check the extension’s settings.',
} as const;
