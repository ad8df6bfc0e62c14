import { type L10n, translate, type Translated } from './l10n';

/** Messages of Configure Service, which only the extension has. */
export const CONFIGURATION_MESSAGES = {
  configured: '{service} is configured.',
  addServiceTitle: 'Add Service',
  whatToChange: 'Select what you want to change',
  baseUrl: 'Base URL',
  clientId: 'Client ID',
  serviceName: 'Service name',
  everything: 'Everything, step by step',
  noSecret: { message: 'None', comment: ['Shown beside “Client secret” if none is stored'] },
  secretStored: 'Stored, never shown',
  notSaved:
    'Couldn’t write to your settings file, so nothing was saved. Save the file or fix its errors, and then try again.',
  enterBaseUrl: 'Enter the base URL that the operator of the service gave you',
  enterMeantBaseUrl:
    'An extension asked you to sign in at this address. Use it only if the operator of the service gave you the same address.',
  baseUrlExample: 'Base URL, such as https://api.example.com',
  checking: 'Checking {address}',
  enterAgain: 'To use this base URL anyway, press Enter.',
  /** What's wrong with a base URL that was entered: something else is there, or uses another protocol. */
  addressProblems: {
    'no service': '{address} responds, but it isn’t a service that you can sign in to. Check the address.',
    'not working': '{address} is busy or isn’t working right now. Try again later.',
    'not HTTPS': '{host} doesn’t accept secure connections (https://). Check the port.',
  },
  whichProtocol: 'Select the protocol of the service. If you don’t know it, ask the operator of the service.',
  standardProtocol: 'Device flow (RFC 8628), used by most services',
  draftProtocol: 'Early draft of the device flow',
  enterClientId: 'Enter the client ID that the operator of the service gave you',
  keepSecret: 'Leave this empty to change nothing.',
  enterServiceName: 'Enter a name for the service, as you want to see it in menus and messages',
  defaultServiceName: 'Service name (default: {host})',
  addService: 'Add Service…',
  alreadyConfigured: '{service} is already configured. Enter a different address, or change that service instead.',
  makeDefault: 'Set as Default',
  madeDefault: '{service} is now the default service. Extensions that don’t name a service use it.',
  removeService: 'Remove Service…',
  remove: 'Remove',
  confirmRemoval: 'Remove {service}?',
  losesSettings: 'Its settings will be removed, along with any client secret.',
  losesAccounts: 'You’ll be signed out of {accounts}.',
  removed: '{service} was removed.',
} as const;

/** The texts of Configure Service, in the person's language. */
export type ConfigurationTexts = Translated<typeof CONFIGURATION_MESSAGES>;

/**
 * Creates the texts of Configure Service.
 * @param l10n looks up the translations
 */
export function createConfigurationTexts(l10n: L10n): ConfigurationTexts {
  return translate(l10n, CONFIGURATION_MESSAGES);
}
