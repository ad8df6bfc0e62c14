import type { InvalidResponseError, NetworkError, ServiceError } from './errors';
import type { Authentication, Credentials, Endpoints, Service, ServiceId } from './service';

/** The endpoints that are set, absolute or relative to the base URL; the others come from the metadata. */
export type EndpointSettings = Partial<Omit<Endpoints, 'issuer' | 'authentication' | 'resource'>>;

/** What a standard service says about itself. */
export interface Metadata {
  readonly endpoints: Endpoints;
  readonly scopesSupported: readonly string[];
  /** Whether it knows PKCE with `S256` (RFC 7636), if only in other flows. */
  readonly supportsPkce: boolean;
}

/** How the client authenticates in a sign-in. */
export interface ChosenAuthentication {
  readonly way: Authentication;
  /** Whether it's known to work, or the other way was refused. Otherwise, the other way is tried, too. */
  readonly isSettled: boolean;
}

/** What a device authorization request asks for. Only standard services have scopes and parameters. */
export interface AuthorizationRequest extends Credentials {
  readonly scopes?: readonly string[];
  /** Those that are requested if the service refuses the scopes, and if it refuses these, the next, and so on. */
  readonly fewerScopes?: readonly (readonly string[])[];
  /** Further parameters. They can't replace those of the protocol. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** How the client authenticates; absent if that's how the service prefers it. */
  readonly authentication?: ChosenAuthentication | undefined;
  /** Whether codes are bound to a secret of this client (RFC 7636). */
  readonly pkce?: boolean;
  /** The secret that a code is bound to, which polls for it show. Each code has another one. */
  readonly codeVerifier?: string | undefined;
}

/** The device authorization response (docs/draft-dialect.md#a-code). */
export interface DeviceAuthorization {
  /** Secret of this sign-in, sent with each poll. Never shown. */
  readonly deviceCode: string;
  /** Code that the person enters on the verification page, exactly as the service sent it. */
  readonly userCode: string;
  /** Page on which the person enters the code: an http or https address, not yet checked against any setting. */
  readonly verificationUri: string;
  /** The verification page with the code in its address, of the same origin, if the service has one. */
  readonly verificationUriComplete?: string;
  /** The scopes that were requested, what the code is bound to, and how the client authenticated: polls begin with the same. */
  readonly accepted?: Pick<AuthorizationRequest, 'authentication' | 'codeVerifier' | 'scopes'>;
  /** Lifetime of the device code in seconds; finite, and at least 1. */
  readonly expiresIn: number;
  /** Polling interval: the minimum number of seconds between a response and the next poll; finite, and at least 1. */
  readonly interval: number;
}

/**
 * The token response to a successful poll or refresh (docs/draft-dialect.md#tokens).
 *
 * A response to a refresh holds the only refresh token that still works. So one bad field doesn't spoil the rest: what
 * could be read is here, and the log names what couldn't.
 */
export interface TokenResponse {
  /** Absent if the response has no usable one. At least one of the two tokens is always present. */
  readonly accessToken: string | undefined;
  /**
   * Absent if the response has no usable one. Then a refresh leaves the one that was sent in use (RFC 6749, section 6), whatever is in
   * its place: services send an empty text or `false` if they didn't replace it, and if they did, there's nothing to lose.
   */
  readonly refreshToken: string | undefined;
  /**
   * When the request was sent, in wall-clock milliseconds. The tokens may be as old as that: this process may have stood still
   * before it read the response.
   */
  readonly requestedAt: number;
  /**
   * Lifetime of the access token in seconds: at least 1, infinite if nothing says it, or 0 if a refresh says that it's over; absent if
   * the response has no usable one.
   */
  readonly expiresIn: number | undefined;
  /** Lifetime of the refresh token in seconds, if the service says it. For planning and display only. */
  readonly refreshExpiresIn?: number;
  /** Scopes that a sign-in is granted. Services leave out some in their responses. */
  readonly scopes?: readonly string[];
  /** Those that the response lists, if it lists any. */
  readonly listedScopes?: readonly string[];
  /** What further refreshes request, if that changes: what the sign-in requested, or nothing if the service refused that. */
  readonly requestedScopes?: readonly string[];
  /** Who is signed in, if the response has an ID token. */
  readonly user?: AccountInfo;
  /** The ID token that says so. As secret as the other tokens. */
  readonly idToken?: string;
  /**
   * Where requests go, with the way of authentication that works, to be stored with the session. A sign-in has it, and a refresh if the
   * service refused the resource.
   */
  readonly endpoints?: Endpoints;
}

/** The tokens of a session, as far as there are any. */
export type Tokens = Pick<TokenResponse, 'accessToken' | 'refreshToken'>;

/** A poll after which polling continues. */
export type UnconfirmedPoll =
  | {
      readonly kind: 'pending';
      /** How further polls authenticate, if that's settled. */
      readonly authentication?: ChosenAuthentication | undefined;
      /** The service wants fewer polls, in an interval of so many seconds if it names one. */
      readonly slowDown?: { readonly interval: number | undefined };
      /** No poll is sent before so many seconds have passed, if the service says so. */
      readonly retryAfter?: number | undefined;
      /** The service may have refused what the code is bound to, so the next poll doesn't show it. */
      readonly refusesVerifier?: true;
    }
  /** Nothing is said of the code: the service is busy, or something other than the service responded, or nothing. */
  | {
      readonly kind: 'no answer';
      readonly error: ServiceError | InvalidResponseError | NetworkError;
      /** How further polls authenticate, if that's settled. */
      readonly authentication?: ChosenAuthentication | undefined;
    };

/** The result of one poll (docs/draft-dialect.md#poll). */
export type PollResult = UnconfirmedPoll | { readonly kind: 'tokens'; readonly tokens: TokenResponse };

/** How the device notification is sent, which differs from service to service (docs/draft-dialect.md#notify-the-service-of-this-device). */
export interface NotificationOptions {
  /** Path below the base URL. */
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly parameters: Readonly<Record<string, string>>;
  readonly parametersIn: 'query' | 'form' | 'json';
  readonly accessTokenIn: 'header' | 'query';
}

/** How the service is asked who is signed in. Services have no common operation for that, so these are settings. */
export interface AccountOptions extends Pick<NotificationOptions, 'path' | 'accessTokenIn'> {
  /** The field of the response that names the account, such as `name`, or `user.name` for a nested field. */
  readonly field: string;
  /** The field that identifies the user, if there is one: unlike a name, never the same for two users. */
  readonly idField: string | undefined;
}

/** Who the service says is signed in. At least one of the two is always present. */
export interface AccountInfo {
  /** As the service sent it: not yet safe to show. Absent if the response has no usable one. */
  readonly name: string | undefined;
  /** Identifies the user: no other user has it. Absent if not configured, or if the response has no usable one. */
  readonly id: string | undefined;
}

/** The operations that depend on the dialect. The optional ones are those that not every dialect has. */
export interface DialectClient {
  /** Finds a service's endpoints; `undefined` if its dialect says where they are. */
  discover?(service: ServiceId, settings: EndpointSettings, signal?: AbortSignal): Promise<Metadata | undefined>;
  /**
   * Whether what responds at the base URL is a service of this dialect, asked without credentials. Absent if metadata says it.
   * @throws NetworkError if nothing responds; ServiceError if the response says nothing of what's there, as of a busy server
   */
  recognize?(service: ServiceId): Promise<boolean>;
  /** Asks for a device code (docs/draft-dialect.md#ask-for-a-code). */
  requestDeviceAuthorization(request: AuthorizationRequest, signal?: AbortSignal): Promise<DeviceAuthorization>;
  /** Asks once whether the person has confirmed (docs/draft-dialect.md#poll). */
  poll(request: AuthorizationRequest, deviceCode: string, signal?: AbortSignal): Promise<PollResult>;
  /**
   * Replaces the token pair (docs/draft-dialect.md#refresh). The service invalidates all earlier tokens when it carries this out.
   * If sending again never helps, it waits minutes for the response: giving up early could lose the only copy of the new pair.
   * @param requestedScopes those that the sign-in requested: without them, some services give tokens for another API
   */
  refresh(credentials: Credentials, refreshToken: string, requestedScopes?: readonly string[]): Promise<TokenResponse>;
  /** Ends a grant at the service, if it can (RFC 7009): by its refresh token, or else its access token. */
  revoke?(credentials: Credentials, tokens: Tokens): Promise<void>;
  /** Asks for the name of a user that an ID token identifies, if the service can say it. */
  fetchUserName?(
    service: Service,
    user: AccountInfo,
    accessToken: string,
    signal?: AbortSignal,
  ): Promise<string | undefined>;
}

/**
 * The service's operations, in whichever dialect it speaks. Each call is one HTTP request that the service carries out:
 * nothing here repeats one without a response. All of them throw an `OAuthError`, and nothing else.
 */
export interface OAuthClient extends Required<DialectClient> {
  /** Notifies the service of this device (docs/draft-dialect.md#notify-the-service-of-this-device). */
  notify(baseUrl: string, options: NotificationOptions, token: string, signal?: AbortSignal): Promise<void>;
  /** Asks whose access token this is. */
  fetchAccount(
    baseUrl: string,
    options: AccountOptions,
    accessToken: string,
    signal?: AbortSignal,
  ): Promise<AccountInfo>;
}
