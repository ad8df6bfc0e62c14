import { RESERVED_PARAMETERS } from '../../oauth/standardClient';
import {
  address,
  choice,
  endpoint,
  type Field,
  fieldName,
  flag,
  type Group,
  group,
  hosts,
  type Kind,
  name,
  parameters,
  path,
  scopes,
  text,
} from './fieldKinds';
import { validateAddress, validateIssuer } from './validate';

/**
 * The only description of a service: an element of the setting `services`, `service` of a publisher's `service.json`, and
 * `ServiceOptions` of the library. What's read, the types, the schemas, and the table in docs/settings.md come from it; see
 * CONTRIBUTING.md.
 */
export const SERVICE_FIELDS = {
  protocol: choice(
    {
      purpose: 'Protocol that the service uses for signing in. Most services follow the standard.',
      isRequired: true,
      isNeeded: true,
    },
    {
      rfc8628: 'The standard device flow (RFC 8628). A client secret is optional.',
      draft: 'An early draft of the OAuth 2.0 device flow, with a device notification.',
    },
  ),
  baseUrl: address(
    {
      purpose:
        'Address of the service, such as `https://api.example.com`; for a standard service, its issuer. It must begin with `https://`, except for `localhost`, `127.0.0.1`, and `[::1]`. Each service needs a different one.',
      isRequired: true,
      isNeeded: true,
    },
    validateIssuer,
  ),
  clientId: text({
    purpose: "Client ID that the service's operator gave you.",
    isRequired: true,
    isNeeded: true,
  }),
  clientSecret: text({
    purpose: 'Client secret. Everyone who has your extension can read it, so it proves nothing.',
    isSecret: true,
  }),
  serviceName: name({
    purpose: "Name of the service in menus and messages. If it's left out, the host of the base URL is used.",
  }),
  verificationUrl: address(
    {
      purpose:
        'If set, the page where you enter the code must have the same origin (scheme, host, and port) as this address. The service says where that page is, so this protects you from a fake one.',
      isNeeded: true,
    },
    // Only its origin counts.
    (value) => validateAddress(value).origin,
  ),
  scopes: scopes({
    purpose:
      'Scopes that every sign-in requests, in addition to those that extensions ask for. By default, those of `openid`, `profile`, and `offline_access` that the service supports.',
    protocol: 'rfc8628',
    isNeeded: true,
  }),
  parameters: parameters(
    {
      purpose:
        'Additional parameters to send when requesting a code, such as the `audience` that Auth0 needs. `resource` (RFC 8707) is also sent when requesting tokens.',
      default: {},
      protocol: 'rfc8628',
      isNeeded: true,
    },
    RESERVED_PARAMETERS,
  ),
  endpoints: group(
    {
      purpose:
        "Endpoints that are missing from the metadata of the service. Each is an address, a path at the root of the base URL's host (`/token`), or one below the base URL (`token`). If `deviceAuthorization` and `token` are set, no metadata is requested.",
      protocol: 'rfc8628',
      isNeeded: true,
    },
    {
      deviceAuthorization: endpoint({ purpose: 'Endpoint that returns a code.' }),
      token: endpoint({ purpose: 'Endpoint that returns tokens.' }),
      revocation: endpoint({ purpose: 'Endpoint that revokes tokens.' }),
      userInfo: endpoint({ purpose: 'Endpoint that says who signed in.' }),
    },
  ),
  pkce: flag({
    purpose: "Whether to use PKCE (RFC 7636) even if the metadata doesn't list it.",
    default: false,
    protocol: 'rfc8628',
    isNeeded: true,
  }),
  account: group(
    {
      purpose:
        'How to ask the service who is signed in. If `path` and `field` are set, accounts are named by the service. Otherwise, you name every account after the first, unless a standard service says who signed in.',
    },
    {
      path: path({ purpose: 'Path of a GET request, relative to the base URL, such as `/user`.' }),
      field: fieldName({
        purpose:
          "Field in the response that contains the user's name, such as `name`, or `user.name` for a nested field.",
      }),
      idField: fieldName({
        purpose:
          "Field in the response that identifies the user, such as `id`. If it's set, signing in again as the same user replaces that user's session instead of adding an account.",
      }),
    },
  ),
  git: group(
    {
      purpose:
        "Gives VS Code's built-in Git support your access token for repositories on these hosts, without asking you. Git sends the token to them, so list only hosts that you trust with it.",
    },
    {
      hosts: hosts({
        purpose:
          'Hosts of the repositories, such as `gitlab.example`, or `gitlab.example:8443` with a port other than the default. Only `https://` repositories at exactly these hosts get the token; `http://` only on this machine.',
      }),
      username: text({
        purpose: 'User name to send with the token. Most servers accept any; GitLab wants `oauth2`.',
        default: 'oauth2',
      }),
    },
  ),
  accessTokenIn: choice(
    {
      purpose:
        'How to send the access token with the device notification and with the request that asks who is signed in.',
      default: 'header',
      protocol: 'draft',
    },
    {
      header: 'In the header `Authorization: Bearer …`.',
      query: 'In the query parameter `access_token`.',
    },
  ),
  notify: group(
    {
      purpose: 'The device notification, a request that tells the service about this device after a sign-in.',
      protocol: 'draft',
    },
    {
      path: path({
        purpose: "Path of the request, relative to the base URL. If it's empty, no notification is sent.",
        default: '/device/notify',
        mayBeEmpty: true,
      }),
      method: choice({ purpose: 'HTTP method of the request.', default: 'POST' }, { POST: '', PUT: '', GET: '' }),
      parameters: parameters({ purpose: 'Parameters to send with the request.', default: {} }, ['access_token']),
      parametersIn: choice(
        { purpose: "Where to send the parameters. With `GET`, they're always in the query string.", default: 'query' },
        { query: 'In the query string.', form: 'In the body, as a form.', json: 'In the body, as JSON.' },
      ),
      on: choice(
        { purpose: 'When to send the request.', default: 'signIn' },
        { signIn: 'After each sign-in.', everyToken: 'After each sign-in and each refresh.' },
      ),
    },
  ),
};

/** A field with a single value, or a group of them. */
export type Described = Field<unknown> | Group;

/** The type of a field's value. */
type ValueOf<D> = D extends Group<infer Parts> ? OptionsOf<Parts> : D extends Kind<infer T> ? T : never;

type RequiredNames<D> = { [N in keyof D]: D[N] extends { readonly isRequired: true } ? N : never }[keyof D];

/** What can be given for these fields. */
type OptionsOf<D> = { readonly [N in RequiredNames<D>]: ValueOf<D[N]> } & {
  readonly [N in Exclude<keyof D, RequiredNames<D>>]?: ValueOf<D[N]>;
};

/** What's read of these fields: what's left out has its default, if there's one. */
type ReadOf<D> = {
  readonly [N in keyof D]: D[N] extends Group<infer Parts>
    ? ReadOf<Parts>
    : D[N] extends { readonly default: unknown }
      ? ValueOf<D[N]>
      : ValueOf<D[N]> | undefined;
};

/** A service and one client of it, as `SERVICE_FIELDS` describes it. */
export type ServiceOptions = OptionsOf<typeof SERVICE_FIELDS>;

/** The values of a service. Those that can't be used are as if they were left out. */
export type ServiceValues = ReadOf<typeof SERVICE_FIELDS>;

/** The fields of a service, by their names, for whoever goes through all of them. */
export const ALL_FIELDS: Readonly<Record<string, Described>> = SERVICE_FIELDS;

/** The names of all fields that have a value: those of a group with that of their group, such as `notify.path`. */
export const FIELD_NAMES: readonly string[] = Object.entries(ALL_FIELDS).flatMap(([own, one]) =>
  'parts' in one ? Object.keys(one.parts).map((part) => `${own}.${part}`) : [own],
);

/** The fields that Configure Service asks for, in this order. */
export const ASKED_FIELDS = ['baseUrl', 'clientId'] as const satisfies readonly (keyof ServiceOptions)[];

export type AskedField = (typeof ASKED_FIELDS)[number];

/** Whether nobody can sign in while this field, such as `endpoints.token`, can't be used; `undefined` is the whole service. */
export function isNeeded(field: string | undefined): boolean {
  return field === undefined || ALL_FIELDS[field.split('.')[0] ?? '']?.isNeeded === true;
}
