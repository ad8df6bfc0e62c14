import { type L10n, translate, type Translated } from './l10n';

/** Messages of Configure Service, which only the extension has. */
export const CONFIGURATION_MESSAGES = {
  configured: '{service} is configured.',
  /** The person was told that nothing responded at its address, or not as a service does, and wanted it all the same. */
  configuredUnreached: '{service} was saved, but it might not work yet.',
  addServiceTitle: 'Add Service',
  configureTitle: 'Configure {service}',
  whichService: 'Select the service that you want to sign in to',
  other: 'Other…',
  /** Well-known services. */
  presets: {
    githubApp: 'GitHub App',
    githubOAuthApp: 'GitHub OAuth app',
    gitlab: 'GitLab',
    gitlabSelfManaged: 'GitLab Self-Managed',
    google: 'Google',
    entraTenant: 'Microsoft Entra ID (single tenant)',
    entraAny: 'Microsoft Entra ID (multitenant)',
    okta: 'Okta',
    auth0: 'Auth0',
    keycloak: 'Keycloak',
    hydra: 'Ory Hydra',
  },
  /** What only the users of a well-known service know. */
  gaps: {
    'YOUR-CLIENT-ID': 'Client ID',
    'YOUR-APPLICATION-ID': 'Application ID',
    'YOUR-TENANT-ID': 'Tenant ID',
    'YOUR-ORG': 'Organization, such as dev-123456',
    'YOUR-TENANT': 'Tenant with its region, such as example.us',
    'YOUR-AUDIENCE': 'Audience, such as https://api.example.com',
    'YOUR-HOST': 'Host, such as login.example.com',
    'YOUR-REALM': 'Realm',
    'YOUR-PROJECT': 'Project slug, such as pensive-kapitsa-1a2b3c',
  },
  enterPart: 'Fill in the missing part (…) of the base URL: {address}',
  /** What to do with those that aren't a part of the base URL. */
  enterGap: {
    'YOUR-CLIENT-ID': 'Enter the client ID of your {service} app',
    'YOUR-APPLICATION-ID': 'Enter the application ID of your {service} app',
    'YOUR-AUDIENCE': 'Enter the identifier of your {service} API',
  },
  onlyThisPart: 'Enter only this part of the base URL. If your base URL looks different, go back and select “Other…”.',
  askedFor: 'An extension asked you to sign in to {address}.',
  whatToDo: 'Select an action',
  change: 'Change…',
  setClientSecret: 'Set Client Secret…',
  editInFile: 'Edit in settings.json',
  clientId: 'Client ID',
  clientIdRequired: 'Enter the client ID.',
  notSaved: 'Couldn’t write to your settings file. Save the file or fix its errors, and then try again.',
  listElsewhere:
    'Your services weren’t changed because your profile or organization has its own list. Change the list in your profile, or ask your organization’s administrator.',
  notApplied:
    'Your services were saved but not applied because your profile or organization has its own list. Remove the list from your profile, or ask your organization’s administrator.',
  losesComments: 'Remove the comments from your list of services?',
  keepsComments: 'Your change rewrites the whole list. To keep the comments, edit the list in settings.json instead.',
  removeComments: 'Remove Comments',
  removedMeanwhile: 'Nothing was saved because the service was removed in the meantime.',
  enterBaseUrl: 'Enter the base URL that the service’s operator gave you',
  enterMeantBaseUrl:
    'An extension asked you to sign in to this address. Use it only if the service’s operator gave you the same address.',
  baseUrlExample: 'Base URL, such as https://api.example.com',
  checking: 'Checking {address}',
  enterAgain: 'To use this base URL anyway, press Enter.',
  /** What's wrong with a base URL that was entered: something else is there, or uses another protocol. */
  addressProblems: {
    'no service':
      'There’s no sign-in service at {address}. Check the address. If your network has a sign-in page, sign in there first.',
    'not working': '{address} isn’t available right now. Try again later.',
    'not HTTPS': '{host} doesn’t accept secure connections (https://). Check the port.',
  },
  whichProtocol: 'Select the protocol that the service uses. If you’re not sure, ask the service’s operator.',
  standardProtocol: 'Device flow (RFC 8628), used by most services',
  draftProtocol: 'Early draft of the device flow',
  enterClientId: 'Enter the client ID that the service’s operator gave you',
  addService: 'Add Service…',
  alreadyConfigured: '{service} is already configured. Enter a different base URL, or change that service instead.',
  makeDefault: 'Set as Default',
  removeService: 'Remove Service…',
  remove: 'Remove',
  confirmRemoval: 'Remove {service}?',
  losesSettings: 'Its settings will be removed, along with any client secret.',
  losesAccounts: 'You’ll be signed out of {accounts}.',
  /** If its only account is one whose name nobody knows. */
  losesUnnamed: 'You’ll be signed out.',
  removed: '{service} was removed.',
  removedAndSignedOut: '{service} was removed, and you were signed out.',
  sameAddress: '{service}, which has the same base URL, took its place.',
  nowDefault: '{service} was set as the default service.',
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
