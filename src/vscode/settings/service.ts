import type { AccountOptions, EndpointSettings, NotificationOptions } from '../../oauth/types';
import type { ServiceId } from '../../oauth/service';
import type { ConfiguredBy } from '../brand';
import { readFields } from './readFields';
import { type FieldProblem, WrongSettingError } from './wrongSetting';
import { isNeeded, type ServiceOptions, type ServiceValues } from './serviceFields';

type Value<Name extends keyof ServiceOptions> = NonNullable<ServiceOptions[Name]>;

/** How the device notification is sent, and when: after each sign-in, or after each refresh too. */
interface NotificationSettings extends NotificationOptions {
  readonly on: NonNullable<Value<'notify'>['on']>;
}

/** A service as it's configured, validated. What can't be used is as if it weren't set. */
export interface ConfiguredService {
  /** Only this decides whose sessions are shown. */
  readonly id: ServiceId;
  /** What it's called in menus and messages. */
  readonly name: string;
  /** The client secret that comes with the extension. Then none that people enter is used. */
  readonly clientSecret: string | undefined;
  /** What carries the access token. Standard services accept it in the header (RFC 6750, section 2.1). */
  readonly accessTokenIn: Value<'accessTokenIn'>;
  /** How the service is asked who is signed in; `undefined` if it isn't. */
  readonly account: AccountOptions | undefined;
  /** Whether the settings say how to ask the service who is signed in, even if they can't be used. */
  readonly isAskedForUser: boolean;
  /** `undefined` if no notification is sent. The standard has none. */
  readonly notification: NotificationSettings | undefined;
  /** If set, the page where people enter the code must have this origin. */
  readonly verificationOrigin: string | undefined;
  /** Which hosts' repositories VS Code's own git gets the access token for; `undefined` if none. */
  readonly git: { readonly hosts: readonly string[]; readonly username: string } | undefined;
  /** For standard services only, as are scopes, parameters, and PKCE. */
  readonly endpoints: EndpointSettings;
  /** Scopes that every sign-in asks for; `undefined` if none are set, not even an empty list. */
  readonly scopes: readonly string[] | undefined;
  /** Further parameters of the request for a code. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether the client must use PKCE although no metadata says so. */
  readonly pkce: boolean;
  /** The problems that keep a sign-in from beginning: a wrong guard, for example, lets nothing pass. */
  readonly blocking: readonly WrongSettingError[];
}

/** What's read of a service, even if it can't be used. */
interface ReadService extends Pick<ConfiguredService, 'blocking'> {
  /** `undefined` if a field that names the service is missing or can't be used. */
  readonly service: ConfiguredService | undefined;
  /** What it's called, if it says so, or else its host, if it has one. */
  readonly name: string | undefined;
  /** All problems: everything that can't be used. */
  readonly problems: readonly WrongSettingError[];
}

/**
 * Reads and validates a service.
 * @param configuredBy whose service it is: a person's setting can't have a client secret
 * @param index of the service in the list
 */
export function readService(given: unknown, configuredBy: ConfiguredBy, index = 0): ReadService {
  const { problems: found, values } = readFields(given, configuredBy);
  const problems = found.map((one) => new WrongSettingError(index, one));
  // What another protocol has isn't used anyway.
  const effective = problems.filter(({ problem }) => problem.kind !== 'other protocol');
  const blocking = effective.filter(({ field }) => isNeeded(field));
  const { baseUrl, clientId, protocol } = values;
  const name = values.serviceName ?? (baseUrl === undefined ? undefined : new URL(baseUrl).host);
  if (baseUrl === undefined || clientId === undefined || protocol === undefined || name === undefined) {
    return { service: undefined, name, blocking, problems };
  }
  const service: ConfiguredService = {
    id: { baseUrl, clientId, protocol },
    name,
    clientSecret: values.clientSecret,
    accessTokenIn: values.accessTokenIn,
    account: areUsable('account', effective) ? accountIn(values) : undefined,
    isAskedForUser: isAskedForUser(values, problems),
    notification: protocol === 'draft' && areUsable('notify', effective) ? notificationIn(values) : undefined,
    verificationOrigin: values.verificationUrl,
    git: areUsable('git', effective) ? gitIn(values) : undefined,
    endpoints: endpointsIn(values),
    scopes: values.scopes,
    parameters: values.parameters,
    pkce: values.pkce,
    blocking,
  };
  return { service, name, blocking, problems };
}

/** Whether nothing is wrong with a group by which the token is sent. */
function areUsable(group: 'account' | 'git' | 'notify', problems: readonly FieldProblem[]): boolean {
  return !problems.some(({ field }) => isIn(group, field) || (group !== 'git' && field === 'accessTokenIn'));
}

function isIn(group: string, field: string | undefined): boolean {
  return field === group || field?.startsWith(`${group}.`) === true;
}

/** @returns `undefined` if it's turned off */
function notificationIn({ accessTokenIn, notify }: ServiceValues): NotificationSettings | undefined {
  return notify.path === '' ? undefined : { ...notify, accessTokenIn };
}

/** @returns `undefined` unless the path and the field are set */
function accountIn({ accessTokenIn, account: { field, idField, path } }: ServiceValues): AccountOptions | undefined {
  return path === undefined || field === undefined ? undefined : { path, field, idField, accessTokenIn };
}

/** @returns `undefined` unless there are hosts */
function gitIn({ git: { hosts = [], username } }: ServiceValues): ConfiguredService['git'] {
  return hosts.length === 0 ? undefined : { hosts, username };
}

/** Those that are set. */
function endpointsIn({ endpoints }: ServiceValues): EndpointSettings {
  return Object.fromEntries(Object.entries(endpoints).filter(([, address]) => address !== undefined));
}

/** Whether the service is asked who is signed in, or would be if what's wrong with that were right. */
function isAskedForUser({ account }: ServiceValues, problems: readonly FieldProblem[]): boolean {
  return (['path', 'field'] as const).every(
    (part) => account[part] !== undefined || problems.some(({ field }) => field === `account.${part}`),
  );
}
