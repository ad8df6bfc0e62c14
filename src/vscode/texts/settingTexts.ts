import type { Translated } from './l10n';

export type ProblemKind = keyof typeof SETTING_MESSAGES.problems;

/** What's wrong with a value, and what can be there instead. */
export interface Problem {
  readonly kind: ProblemKind;
  /** The words, or the names of fields, that it can have. */
  readonly choices?: readonly string[];
  /** The parameters that can't be there. */
  readonly parameters?: readonly string[];
  /** The address to enter instead. */
  readonly address?: string;
  /** What the field is called instead of its name. */
  readonly name?: string;
  /** The protocol that has the field. */
  readonly protocol?: string | undefined;
}

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
    'not secure':
      'Enter a web address that begins with https://. Only localhost, 127.0.0.1, and [::1] can use http://.',
    'has credentials': 'Remove the user name and password from the address.',
    'has a query or fragment': 'Remove “?” or “#” and everything after it from the address.',
    'unusual host':
      'Use a host name that contains only letters, digits, hyphens, and dots. If it contains an underscore, ask the service’s operator for a different one.',
    'not a path': 'Enter a path that begins with “/” and doesn’t contain “?”, “#”, or “..”.',
    'not a field': 'Enter the name of a field, such as name, or user.name for a nested field.',
    'not a choice': 'Set it to {choices}.',
    'not scopes': 'Enter a list of scopes. A scope can’t contain spaces or quotation marks.',
    'not hosts': 'Enter a list of hosts, such as gitlab.example, without https:// and without a path.',
    'not an endpoint':
      'Enter an address that begins with https://, or a path, such as /token. An endpoint can be on this machine only if the service is, too.',
    'not an object of strings': 'Enter an object whose values are strings.',
    'not a list': 'Enter a list of services, in square brackets.',
    'not an object': 'Enter an object with the fields of a service, such as protocol, baseUrl, and clientId.',
    'not an object of fields': 'Enter an object with any of {choices}.',
    'metadata address': 'This is the address of the metadata. Enter {address} instead.',
    'other protocol': 'Only services with the protocol {protocol} have this field. Remove it.',
    'same service': 'Another service has the same base URL. Remove one of them.',
    'secret in settings':
      'Remove the client secret, because settings aren’t a safe place for it. Enter it with the Set Client Secret command.',
    variable: 'Enter the value itself, because VS Code doesn’t fill in variables in settings.',
    misspelled: 'It’s misspelled as “{name}”. Correct the name.',
    'unknown field': 'There’s no field with this name. Correct the name, or remove the field.',
    'reserved parameter': 'Remove the parameters that belong to the protocol: {parameters}.',
  },
  /** `name` is the place in the settings, such as `deviceFlow.services[0].baseUrl`. */
  wrong: 'The {name} setting is invalid. {problem}',
  missing: 'The {name} setting is missing. {problem}',
  severalWrong: '{number} service settings are invalid.',
  /** For a button of a message that may be old. */
  alreadyFixed: 'This problem has already been fixed in your settings.',

  clientSecret: 'Client secret',
  enterSecret:
    'Enter the client secret for client ID {clientId} at {baseUrl}. It’s stored encrypted, and it’s never shown.',
  tryAgain: 'Press Enter to try again.',
  /** For the box of a service whose clients all have one. */
  secretRequired: 'Enter the client secret. This service requires one.',
  removeSecret: 'If this client has no secret, leave this empty. Any saved secret is then removed.',
  secretSaved: 'The client secret for {service} was saved.',
  secretRemoved: 'The client secret for {service} was removed.',
  noSecret: 'No client secret is saved for {service}.',
  /** For the author of an extension that hands over a client secret. */
  secretOfNone: 'The client secret wasn’t saved because its service wasn’t configured.',
  secretBuiltIn: '{service} has a client secret that comes with the extension and can’t be changed.',
  wrongSecret: 'The client secret is invalid. {problem}',
  configureFirst: 'Configure the service before you set its client secret.',
  /** An extension that embeds the library, and has a setting of its own for the service, doesn't know it yet. */
  noService: '{service} isn’t set up yet. Check the extension’s settings.',
} as const;

/** What tells problems of settings. @param language for lists, such as `en` or `de-CH` */
export function settingDescriptions({ problems }: Translated<typeof SETTING_MESSAGES>, language: string | undefined) {
  return {
    /** What to do about a value that can't be used. */
    advice: ({ address = '', choices = [], kind, name = '', parameters = [], protocol = '' }: Problem): string => {
      const list = (type: 'conjunction' | 'disjunction', words: readonly string[]): string =>
        new Intl.ListFormat(language, { type }).format(words);
      const text = problems[kind];
      return typeof text === 'string'
        ? text
        : text({
            address,
            choices: list('disjunction', choices),
            name,
            parameters: list('conjunction', parameters),
            protocol,
          });
    },
  };
}
