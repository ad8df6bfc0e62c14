/** A dialect that services speak, by its name in settings and in what's stored. See `dialect.ts`. */
export type Protocol = 'draft' | 'rfc8628';

/** A service, and one client of it. Tokens of one are never sent to, or served for, another. */
export interface ServiceId {
  /** Base URL without a trailing slash; already validated. For a standard service, its issuer. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly protocol: Protocol;
}

/** Whether both are the same client of the same service. */
export function sameService(a: ServiceId, b: ServiceId): boolean {
  return a.baseUrl === b.baseUrl && a.clientId === b.clientId && a.protocol === b.protocol;
}

/** Whether both are the same client of the same service, or there's neither. */
export function sameServiceOrNone(a: ServiceId | undefined, b: ServiceId | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameService(a, b);
}

/** A string that identifies a service and client. */
export function serviceKey({ baseUrl, clientId, protocol }: ServiceId): string {
  return JSON.stringify([baseUrl, clientId, protocol]);
}

/** How a client with a secret authenticates (RFC 6749, section 2.3.1): in a header, or in the body. */
export type Authentication = 'basic' | 'post';

/** The addresses of a standard service. They're stored with each session: new ones apply at the next sign-in. */
export interface Endpoints {
  /** Exactly as the metadata has it, because ID tokens are compared with it. */
  readonly issuer: string;
  readonly deviceAuthorization: string;
  readonly token: string;
  readonly revocation?: string;
  readonly userInfo?: string;
  readonly authentication: Authentication;
  /** The API that tokens are for, if it's named in each request for tokens (RFC 8707). */
  readonly resource?: string | undefined;
}

/** A service and where its requests go, unless its dialect says so. */
export interface Service extends ServiceId {
  readonly endpoints?: Endpoints;
}

/** The service as it's stored with its sessions. */
export function serviceOf({ baseUrl, clientId, endpoints, protocol }: Service): Service {
  return { baseUrl, clientId, protocol, ...(endpoints && { endpoints }) };
}

/** The name under which a service's client secret is stored. It says whom the secret may be sent to. */
export function clientSecretName(service: Service): string {
  const { endpoints } = service;
  return endpoints === undefined ? serviceKey(service) : `${serviceKey(service)} ${new URL(endpoints.token).origin}`;
}

/** Whether a client secret with this name is one of this service and client, whatever its token endpoint. */
export function isClientSecretOf(service: ServiceId, name: string): boolean {
  return name === serviceKey(service) || name.startsWith(`${serviceKey(service)} `);
}

/** What a client authenticates with. */
export interface Credentials extends Service {
  /** Empty for a client without a secret. */
  readonly clientSecret: string;
}
