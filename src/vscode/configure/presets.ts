import type { ServiceOptions } from '../settings/serviceFields';
import type { CONFIGURATION_MESSAGES } from '../texts/configurationTexts';

/** A well-known service, as an element of the setting. What only its users know is in capitals, such as `YOUR-CLIENT-ID`. */
export interface Preset {
  /** Its name among the texts. */
  readonly name: keyof typeof CONFIGURATION_MESSAGES.presets;
  readonly service: ServiceOptions;
  /** Whether its clients must have a secret, or may have one. Left out if they have none. */
  readonly clientSecret?: 'required' | 'optional';
}

const GITHUB = {
  protocol: 'rfc8628',
  baseUrl: 'https://api.github.com',
  clientId: 'YOUR-CLIENT-ID',
  serviceName: 'GitHub',
  endpoints: {
    deviceAuthorization: 'https://github.com/login/device/code',
    token: 'https://github.com/login/oauth/access_token',
  },
  verificationUrl: 'https://github.com',
  account: { path: '/user', field: 'login', idField: 'id' },
} as const;

/** The well-known services. docs/services.md and what the editor suggests in settings.json come from this table too. */
export const PRESETS: readonly Preset[] = [
  { name: 'githubApp', service: { ...GITHUB, scopes: [] } },
  { name: 'githubOAuthApp', service: { ...GITHUB, scopes: ['read:user'] } },
  {
    name: 'gitlab',
    clientSecret: 'optional',
    service: {
      protocol: 'rfc8628',
      baseUrl: 'https://gitlab.com',
      clientId: 'YOUR-APPLICATION-ID',
      serviceName: 'GitLab',
      endpoints: { deviceAuthorization: '/oauth/authorize_device' },
      scopes: ['openid', 'profile', 'read_user'],
      account: { path: '/api/v4/user', field: 'username', idField: 'id' },
    },
  },
  {
    name: 'gitlabSelfManaged',
    clientSecret: 'optional',
    service: {
      protocol: 'rfc8628',
      baseUrl: 'https://YOUR-HOST',
      clientId: 'YOUR-APPLICATION-ID',
      endpoints: { deviceAuthorization: '/oauth/authorize_device' },
      scopes: ['openid', 'profile', 'read_user'],
      account: { path: '/api/v4/user', field: 'username', idField: 'id' },
    },
  },
  {
    name: 'google',
    clientSecret: 'required',
    service: {
      protocol: 'rfc8628',
      baseUrl: 'https://accounts.google.com',
      clientId: 'YOUR-CLIENT-ID',
      serviceName: 'Google',
      scopes: ['openid', 'email', 'profile'],
      verificationUrl: 'https://www.google.com',
    },
  },
  {
    name: 'entraTenant',
    service: {
      protocol: 'rfc8628',
      baseUrl: 'https://login.microsoftonline.com/YOUR-TENANT-ID/v2.0',
      clientId: 'YOUR-APPLICATION-ID',
      serviceName: 'Microsoft',
      scopes: ['openid', 'profile', 'offline_access'],
    },
  },
  {
    name: 'entraAny',
    service: {
      protocol: 'rfc8628',
      baseUrl: 'https://graph.microsoft.com/v1.0',
      clientId: 'YOUR-APPLICATION-ID',
      serviceName: 'Microsoft',
      endpoints: {
        deviceAuthorization: 'https://login.microsoftonline.com/common/oauth2/v2.0/devicecode',
        token: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
      },
      scopes: ['offline_access', 'User.Read'],
      account: { path: '/me', field: 'userPrincipalName', idField: 'id' },
    },
  },
  {
    name: 'okta',
    clientSecret: 'optional',
    service: {
      protocol: 'rfc8628',
      baseUrl: 'https://YOUR-ORG.okta.com/oauth2/default',
      clientId: 'YOUR-CLIENT-ID',
      serviceName: 'Okta',
      scopes: ['openid', 'profile', 'offline_access'],
    },
  },
  {
    name: 'auth0',
    service: {
      protocol: 'rfc8628',
      baseUrl: 'https://YOUR-TENANT.auth0.com',
      clientId: 'YOUR-CLIENT-ID',
      serviceName: 'Auth0',
      scopes: ['openid', 'profile', 'offline_access'],
      parameters: { audience: 'YOUR-AUDIENCE' },
    },
  },
  {
    name: 'keycloak',
    clientSecret: 'optional',
    service: {
      protocol: 'rfc8628',
      baseUrl: 'https://YOUR-HOST/realms/YOUR-REALM',
      clientId: 'YOUR-CLIENT-ID',
      serviceName: 'Keycloak',
      scopes: ['openid', 'profile', 'offline_access'],
      verificationUrl: 'https://YOUR-HOST',
    },
  },
  {
    name: 'hydra',
    clientSecret: 'optional',
    service: {
      protocol: 'rfc8628',
      baseUrl: 'https://YOUR-PROJECT.projects.oryapis.com',
      clientId: 'YOUR-CLIENT-ID',
      serviceName: 'Ory',
      scopes: ['openid', 'offline_access'],
    },
  },
];

/** What in a preset only its users know. */
export type Gap = keyof typeof CONFIGURATION_MESSAGES.gaps;

const GAP = /YOUR-[A-Z-]*[A-Z]/g;

/** What a part of an address consists of, if it isn't anything of a host or a path. The region of a tenant follows a dot. */
const PARTS: Readonly<Partial<Record<Gap, RegExp>>> = {
  'YOUR-ORG': /^[\w-]+$/,
  'YOUR-PROJECT': /^[\w-]+$/,
  'YOUR-TENANT': /^[\w-]+(?:\.[a-z]{2}(?:-\d)?)?$/i,
};
const ANY_PART = /^[\w.:-]+$/;

/** The end of the host of Okta's console, where people look up their domain. */
const OF_OKTA_CONSOLE = /-admin$/;

/**
 * The part of an address that somebody means: services show it as a whole domain, or with `https://`, so people enter that.
 * @param baseUrl with this gap, and what's known of the others
 * @returns `undefined` if it can't be part of an address
 */
export function meantPart(baseUrl: string, gap: Gap, entered: string): string | undefined {
  const [before = '', after = ''] = baseUrl.replace('https://', '').split(gap).map(asPattern);
  // What follows the gap is the rest of the host, which a whole address has, and the path, which it may have.
  const [, host = '', path = ''] = /^([^/]*)(.*)$/.exec(after) ?? [];
  const whole = new RegExp(`^(?:https://)?${before}(?<part>[^/]+?)${host}(?:${path})?/?$`, 'i');
  const part = (whole.exec(entered)?.groups?.['part'] ?? entered).replace(
    gap === 'YOUR-ORG' ? OF_OKTA_CONSOLE : '',
    '',
  );
  return (PARTS[gap] ?? ANY_PART).test(part) ? part : undefined;
}

/** A pattern of this address, in which anything may be in the gaps. */
function asPattern(address: string): string {
  return address.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(GAP, '([^/]+)');
}

/** What's still to be known of a service, each once, in the order in which it's asked for. */
export function gapsIn(service: unknown): readonly Gap[] {
  return [...new Set(JSON.stringify(service).match(GAP) ?? [])] as Gap[];
}

/** The service with these values in its gaps. */
export function fillGaps<T>(service: T, values: Readonly<Partial<Record<Gap, string>>>): T {
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return value.replace(GAP, (gap) => values[gap as Gap] ?? gap);
    }
    if (Array.isArray(value)) {
      return value.map(fill);
    }
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one)]))
      : value;
  };
  return fill(service) as T;
}

/**
 * Recognizes the service at a base URL.
 * @returns what's in its gaps there; `undefined` if the preset isn't for that base URL, or would be for any
 */
export function matchPreset({ service }: Preset, baseUrl: string): Readonly<Partial<Record<Gap, string>>> | undefined {
  const gaps = service.baseUrl.match(GAP) ?? [];
  const isAnyHost = /^https:\/\/YOUR-[A-Z-]*$/.test(service.baseUrl);
  const match = isAnyHost ? null : new RegExp(`^${asPattern(service.baseUrl)}$`).exec(baseUrl);
  return match === null ? undefined : Object.fromEntries(gaps.map((gap, index) => [gap, match[index + 1] ?? '']));
}
