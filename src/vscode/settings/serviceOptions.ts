import { asObject, type Fields } from '../../fields';
import { settingsIn, type SettingsSource } from '../editor/settingsSource';
import { SETTING_MESSAGES, type SettingProblem } from '../texts/settingTexts';
import { readSettings } from './readSettings';
import { OF_THE_STANDARD } from './service';
import { invalidValue, SETTING_NAMES, validateText } from './validate';

/**
 * A service and one client of it. The fields are those of `service` in a publisher's `service.json`, and mean the same as
 * the settings of Device Flow Authentication with the same names.
 */
export interface ServiceOptions {
  /** `rfc8628` for a service that follows the standard, RFC 8628, as most do; `draft` for one that follows an early draft of it. */
  readonly protocol: 'draft' | 'rfc8628';
  /**
   * Address of the service, such as `https://api.example.com`; for a standard service, its issuer. It must begin with
   * `https:`, except for `localhost`, `127.0.0.1`, and `[::1]`.
   */
  readonly baseUrl: string;
  /** The ID that the operator of the service gave to your client. */
  readonly clientId: string;
  /** Optional for standard services. Everyone who has your extension can read it, so it proves nothing. */
  readonly clientSecret?: string;
  /** What the service is called in menus and messages. By default, the label. */
  readonly serviceName?: string;
  /** If set, the page where people enter the code must have the same origin as this address. */
  readonly verificationUrl?: string;
  /** Scopes that every sign-in asks for, besides those of `getSession`. For standard services only. */
  readonly scopes?: readonly string[];
  /** Further parameters of the request for a code. For standard services only. */
  readonly parameters?: Readonly<Record<string, string>>;
  /**
   * Endpoints that aren't in the metadata of a standard service, as addresses, as paths below the base URL (`token`), or as
   * paths at the root of its host (`/token`).
   */
  readonly endpoints?: {
    readonly deviceAuthorization?: string;
    readonly token?: string;
    readonly revocation?: string;
    readonly userInfo?: string;
  };
  /** What carries the access token: the header `Authorization: Bearer`, or the query parameter `access_token`. */
  readonly accessTokenIn?: 'header' | 'query';
  /** How the service is asked who is signed in, if neither an ID token nor user info says it. */
  readonly account?: {
    /** Path below the base URL. */
    readonly path?: string;
    /** Field of the response that names the user, such as `user.name`. */
    readonly field?: string;
    /** Field of the response that identifies the user. */
    readonly idField?: string;
  };
  /** How a service of the draft is notified of a new device. */
  readonly notify?: {
    /** Path below the base URL; empty for no notification. By default `/device/notify`. */
    readonly path?: string;
    readonly method?: 'GET' | 'POST' | 'PUT';
    readonly parameters?: Readonly<Record<string, string>>;
    readonly parametersIn?: 'query' | 'form' | 'json';
    /** When: after each sign-in, or after each refresh, too. By default `signIn`. */
    readonly on?: 'signIn' | 'everyToken';
  };
}

/** Fields of a service that are objects. Each of their parts is a setting, such as `notify.path`. */
const GROUPS: readonly string[] = ['account', 'notify'];

/** What applies if a service leaves this field out. Each other setting has the same meaning left out as empty. */
const DEFAULTS = { 'notify.path': '/device/notify' };

/** The settings that a service fixes, and its `clientSecret`, each by its name. The others aren't set. */
export function serviceSettings(service: object): Readonly<Record<string, unknown>> {
  const fields = Object.entries(service).flatMap(([name, value]: [string, unknown]) =>
    GROUPS.includes(name) ? partsOf(name, value) : [[name, value] as const],
  );
  const given = fields.filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(given) };
}

/** A service with these settings, as `ServiceOptions` have it: the other way round than `serviceSettings`. */
export function serviceFields(settings: SettingsSource): Fields {
  const fields: Record<string, unknown> = { protocol: 'draft' };
  for (const name of SETTING_NAMES) {
    const value = settings(name);
    const [field = name, part] = name.split('.');
    if (value !== undefined && value !== null) {
      fields[field] = part === undefined ? value : { ...asObject(fields[field]), [part]: value };
    }
  }
  return fields;
}

/** The parts of a group, each by the name of its setting. Something other than an object has none. */
function partsOf(group: string, value: unknown): readonly (readonly [setting: string, value: unknown])[] {
  return Object.entries(asObject(value) ?? {}).map(([part, inner]) => [`${group}.${part}`, inner]);
}

/** What's wrong with a field of a service, for developers: not translated. */
export interface FieldMistake {
  /** Such as `notify.path`; `undefined` for the service itself. */
  readonly field: string | undefined;
  /** The rest of a sentence that begins with the name of the field, such as “is missing.” */
  readonly says: string;
}

/** What's wrong with the fields that a service has. */
export function fieldMistakes(service: object): readonly FieldMistake[] {
  const settings = serviceSettings(service);
  const { baseUrl, clientSecret, protocol } = settings;
  const misplaced = protocol === 'draft' ? OF_THE_STANDARD.filter((name) => settings[name] !== undefined) : [];
  const issuer = issuerOf(baseUrl);
  const wrongSecret = clientSecret === undefined ? undefined : invalidValue(() => validateText(clientSecret));
  return [
    ...misplaced.map((field) => ({ field, says: 'is only for standard services, whose protocol is rfc8628.' })),
    ...(issuer === undefined
      ? []
      : [{ field: 'baseUrl', says: `is the address of the metadata. Enter ${issuer} instead.` }]),
    ...readSettings(settingsIn(settings)).problems.map(({ problem, setting }) => wrongField(setting, problem)),
    ...(wrongSecret === undefined ? [] : [wrongField('clientSecret', wrongSecret.problem)]),
  ];
}

function wrongField(field: string, problem: SettingProblem): FieldMistake {
  return { field, says: `is wrong. ${SETTING_MESSAGES.problems[problem]}` };
}

/** Where standards place the metadata of a service: behind its address, or between the host and the path. */
const METADATA = /^(.*)\/\.well-known\/(?:openid-configuration|oauth-authorization-server)(\/.*)?$/;

/** The base URL of the service that has its metadata at this address; `undefined` if nobody has them there. */
function issuerOf(address: unknown): string | undefined {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
  const [metadata, before = '', after = ''] = METADATA.exec(url?.pathname ?? '') ?? [];
  return url === undefined || metadata === undefined ? undefined : `${url.origin}${before}${after}`;
}

/** All fields of a service, by the names of their settings. */
export const FIELD_NAMES: readonly string[] = [...SETTING_NAMES, 'clientSecret'];

/** The names of fields in a service that mean nothing, such as `notify.url`. */
export function unknownFields(service: object): readonly string[] {
  const known = FIELD_NAMES;
  return Object.entries(service).flatMap(([name, value]: [string, unknown]) => {
    if (GROUPS.includes(name) && (value === undefined || asObject(value) !== undefined)) {
      const parts = partsOf(name, value).map(([setting]) => setting);
      return parts.filter((setting) => !known.includes(setting));
    }
    // The part of a group is known only in its group, not as a field whose name has a dot.
    const isKnown = known.includes(name) && !name.includes('.');
    return isKnown ? [] : [name];
  });
}
