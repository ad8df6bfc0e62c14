import { asText } from '../fields';
import type { Log } from '../log';
import { isReadableHost, isSameIssuer, LONGEST_HOST, parseAddress, safeUrl } from './address';
import type { EndpointSettings, Metadata } from './types';
import type { Service, ServiceId } from './service';
import { InvalidResponseError, MetadataError, type NamedService, ServiceError } from './errors';
import type { ResponseFields } from './responseBody';
import type { OAuthDependencies } from './exchange';
import { sendRequest } from './sendRequest';

type EndpointName = keyof EndpointSettings;

/** What metadata calls the endpoints (RFC 8414, section 2; RFC 8628, section 4). */
const NAMES: Readonly<Record<EndpointName, string>> = {
  deviceAuthorization: 'device_authorization_endpoint',
  token: 'token_endpoint',
  revocation: 'revocation_endpoint',
  userInfo: 'userinfo_endpoint',
};

/** The names of the endpoints, as in the settings. */
const ENDPOINTS = Object.keys(NAMES) as readonly EndpointName[];

const NEEDED: readonly EndpointName[] = ['deviceAuthorization', 'token'];

/** Far longer than any endpoint. */
const LONGEST_ADDRESS = 2048;

/** Statuses with which a service says that it has no such document. */
const ABSENT: readonly number[] = [404, 405, 410];
/** Statuses with which something in front of a service keeps people away from what it doesn't pass on. */
const REFUSED: readonly number[] = [400, 401, 403];

/**
 * Finds the endpoints of a standard service: those that are set, and the others in its metadata. If all that's needed is
 * set, nothing is requested.
 * @throws MetadataError if an endpoint is missing or unsafe, or the metadata is another service's; other OAuthErrors
 */
export async function discover(
  dependencies: OAuthDependencies,
  { baseUrl }: ServiceId,
  settings: EndpointSettings,
  signal?: AbortSignal,
): Promise<Metadata> {
  const isComplete = NEEDED.every((name) => settings[name] !== undefined);
  const document = isComplete ? undefined : await findDocument(dependencies, baseUrl, settings, signal);
  const addresses: Partial<Record<EndpointName, string>> = {};
  for (const name of ENDPOINTS) {
    const address = findEndpoint(name, baseUrl, settings[name], document, dependencies.log);
    if (address !== undefined) {
      addresses[name] = address;
    }
  }
  const { deviceAuthorization = '', token = '', ...optional } = addresses;
  const methods = strings(document?.get('token_endpoint_auth_methods_supported'));
  const isPostOnly = methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
  const issuer = asText(document?.get('issuer')) ?? baseUrl;
  return {
    endpoints: { issuer, deviceAuthorization, token, ...optional, authentication: isPostOnly ? 'post' : 'basic' },
    scopesSupported: strings(document?.get('scopes_supported')),
    supportsPkce: strings(document?.get('code_challenge_methods_supported')).includes('S256'),
  };
}

/**
 * The address of an endpoint: the one that's set, or else the document's.
 * @throws MetadataError if it's missing although it's needed, or unsafe although it's needed or set
 */
function findEndpoint(
  name: EndpointName,
  baseUrl: string,
  setting: string | undefined,
  document: ResponseFields | undefined,
  log: Log,
): string | undefined {
  const given = setting ?? document?.get(NAMES[name]);
  const isNeeded = NEEDED.includes(name);
  const unusable = (problem: 'missing endpoint' | 'unsafe endpoint'): MetadataError =>
    new MetadataError(problem, document !== undefined, { endpoint: name });
  if (given === undefined) {
    if (isNeeded) {
      throw unusable('missing endpoint');
    }
    return undefined;
  }
  const address = setting === undefined ? endpointInMetadata(given, baseUrl) : endpointInSettings(setting, baseUrl);
  if (address === undefined) {
    if (isNeeded || setting !== undefined) {
      throw unusable('unsafe endpoint');
    }
    log.warn(`metadata: ${NAMES[name]} isn't used, because it's no safe address`);
  }
  return address;
}

/** Hosts of the endpoints. */
export function endpointHosts({ endpoints }: Service): readonly string[] {
  const addresses = ENDPOINTS.flatMap((name) => endpoints?.[name] ?? []);
  return [...new Set(addresses.map((address) => new URL(address).host))];
}

/** The part of a path that makes it a metadata document's (RFC 8615). */
const WELL_KNOWN = /\/\.well-known\/[^/]+/;

/**
 * The first document that has what's needed, or else the last; `undefined` if there is none. RFC 8414 and OpenID Connect Discovery
 * have an address each.
 */
async function findDocument(
  dependencies: OAuthDependencies,
  baseUrl: string,
  settings: EndpointSettings,
  signal: AbortSignal | undefined,
): Promise<ResponseFields | undefined> {
  const { origin, pathname } = new URL(baseUrl);
  const path = pathname.replace(/\/+$/, '');
  if (WELL_KNOWN.test(path)) {
    const document = await fetchDocument(dependencies, baseUrl, isPassedOver, signal);
    const named = document === undefined ? {} : namedIn(document, baseUrl);
    const issuer = named.issuer ?? origin + path.replace(WELL_KNOWN, '');
    throw new MetadataError('document address', true, { named: { issuer } });
  }
  const find = async (address: string, isAbsent: (error: unknown) => boolean): Promise<ResponseFields | undefined> => {
    const document = await fetchDocument(dependencies, address, isAbsent, signal);
    return document && ofService(document, baseUrl);
  };
  const first = await find(`${origin}/.well-known/oauth-authorization-server${path}`, isPassedOver);
  if (first !== undefined && (hasDeviceEndpoint(first) || settings.deviceAuthorization !== undefined)) {
    return first;
  }
  const isAbsent = first === undefined ? isNotThere : isPassedOver;
  return (await find(`${origin}${path}/.well-known/openid-configuration`, isAbsent)) ?? first;
}

/** The document if it's metadata; `undefined` if it's something else. @throws MetadataError if it's another service's */
function ofService(document: ResponseFields, baseUrl: string): ResponseFields | undefined {
  if (!hasDeviceEndpoint(document) && !document.has('issuer')) {
    return undefined;
  }
  if (!isSameIssuer(document.get('issuer'), baseUrl)) {
    throw new MetadataError('other issuer', true, { named: namedIn(document, baseUrl) });
  }
  return document;
}

function hasDeviceEndpoint(document: ResponseFields): boolean {
  return document.has(NAMES.deviceAuthorization);
}

/** What a metadata document names, as far as it can be entered: for an MCP server, that's its first authorization server. */
function namedIn(document: ResponseFields, baseUrl: string): NamedService {
  const issuer = document.get('issuer') ?? strings(document.get('authorization_servers'))[0];
  const isTemplate = typeof issuer === 'string' && /[{}]/.test(issuer);
  return {
    issuer: isTemplate ? undefined : endpointInMetadata(issuer, baseUrl)?.replace(/\/$/, ''),
    deviceAuthorization: endpointInMetadata(document.get(NAMES.deviceAuthorization), baseUrl),
    token: endpointInMetadata(document.get(NAMES.token), baseUrl),
  };
}

/** Whether the service says that there's no such document. */
function isNotThere(error: unknown): boolean {
  return (
    (error instanceof ServiceError && ABSENT.includes(error.status)) ||
    (error instanceof InvalidResponseError && error.problem === 'not an object')
  );
}

/**
 * Whether an address has no document, if it's not the last one where it may be. A reverse proxy often doesn't pass the first
 * address on to the service: it refuses the request, responds with a page, or redirects to a sign-in.
 */
function isPassedOver(error: unknown): boolean {
  return (
    isNotThere(error) ||
    (error instanceof ServiceError && REFUSED.includes(error.status)) ||
    (error instanceof InvalidResponseError && ['redirect', 'not JSON'].includes(error.problem))
  );
}

/**
 * A metadata document; `undefined` if there is none.
 * @param isAbsent whether an error means that
 * @throws OAuthError
 */
async function fetchDocument(
  dependencies: OAuthDependencies,
  address: string,
  isAbsent: (error: unknown) => boolean,
  signal: AbortSignal | undefined,
): Promise<ResponseFields | undefined> {
  try {
    const request = { operation: 'metadata', method: 'GET', address, success: '200', signal } as const;
    return (await sendRequest(dependencies, request)).fields;
  } catch (error) {
    if (!isAbsent(error)) {
      throw error;
    }
    return undefined;
  }
}

/** The address of an endpoint in metadata, if secrets may travel there: https, and on this machine only if the issuer is. */
export function endpointInMetadata(address: unknown, issuer: string): string | undefined {
  return typeof address === 'string' ? safeEndpoint(address, undefined, issuer) : undefined;
}

/** The address of an endpoint that's set, if secrets may travel there. It may be relative to the base URL. */
export function endpointInSettings(address: string, baseUrl: string): string | undefined {
  return safeEndpoint(address, `${baseUrl}/`, baseUrl);
}

function safeEndpoint(address: string, base: string | undefined, issuer: string): string | undefined {
  if (address.length > LONGEST_ADDRESS) {
    return undefined;
  }
  const url = safeUrl(parseAddress(address, base)?.href ?? '', issuer);
  return url?.hash === '' && url.host.length <= LONGEST_HOST && isReadableHost(url) ? url.href : undefined;
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
