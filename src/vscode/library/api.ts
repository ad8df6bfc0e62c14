import type * as vscode from 'vscode';
import type { McpServerOptions } from '../mcp/options';
import type { ServiceOptions } from '../settings/serviceFields';
import type { AuthorizedRequestInit, Fetch } from './authorizedFetch';

/** What `registerDeviceFlow` needs to know: among it, either `service` or `services`. */
export type DeviceFlowOptions = ProviderOptions & (OneService | SeveralServices);

/** One service. */
export interface OneService {
  /** The service; `undefined` until your extension knows it. */
  readonly service: ServiceOptions | undefined;
  readonly services?: never;
}

/** Several services, such as the servers that a person lists in a setting of yours. */
export interface SeveralServices {
  /**
   * The services, each with a base URL of its own. The first one is the default: callers that name none get its sessions. Accounts
   * of the others have the service in their labels, such as `ada · gitlab.com`. It can be empty.
   */
  readonly services: readonly ServiceOptions[];
  readonly service?: never;
}

/** What `registerDeviceFlow` needs to know besides its services. */
export interface ProviderOptions {
  /** ID of the authentication provider, as in `contributes.authentication` of your manifest. */
  readonly id: string;
  /** Name of the service in menus and messages. With several, what VS Code calls them together. */
  readonly label: string;
  /**
   * What stands before the last dot of the commands that your manifest contributes, such as `acme` for `acme.signIn`; each
   * service has a prefix of its own. Of `signIn`, `signOut`, `showStatus`, `showLog`, `copyUserCode`, `openVerificationPage`,
   * `showQrCode`, `cancelSignIn`, `setClientSecret`, and `reportRejectedToken`, those that it contributes are registered. By
   * default, none.
   */
  readonly commandPrefix?: string;
  /**
   * MCP servers that VS Code offers, and whose requests carry the token of the session. Your manifest contributes them in
   * `mcpServerDefinitionProviders`, with the same `id`.
   */
  readonly mcpServers?: readonly McpServerOptions[];
  /**
   * Whether the Accounts menu offers the sign-in, with a badge on its icon, while nobody is signed in and there is a service. By
   * default, false: people are asked to sign in when something calls `getSession`.
   */
  readonly offerSignIn?: boolean;
  /** Gets what happens, never a secret. By default, a channel with the label as its name. */
  readonly log?: vscode.LogOutputChannel;
  /** Replaces the HTTP client, for tests and special networks. */
  readonly fetch?: Fetch;
}

/** A service that isn't used, and why. */
export interface WrongService {
  /** Its index in the list. */
  readonly index: number;
  /** What's wrong with it, such as “baseUrl is wrong. Enter a web address, such as https://api.example.com.” */
  readonly message: string;
}

/** A registered provider. VS Code disposes of it when your extension is deactivated, if you haven't done that before. */
export interface DeviceFlow {
  /** Unregisters it. Sign-ins end, and its accounts are kept until it's registered again. */
  dispose(): void;
  /**
   * Replaces the service, or says that there is none, for extensions with a setting of their own, such as the address of a
   * self-hosted server. Accounts of the previous service are hidden until it's back, and a sign-in to it is canceled.
   * @throws Error that names every field that's wrong; then, the previous service stays
   */
  setService(service: ServiceOptions | undefined): void;
  /**
   * Replaces all services, for extensions whose users list their servers in a setting. Accounts of a service that isn't among them
   * are hidden until it's back, and a sign-in to it is canceled. A service that can't be used is left out, and the others are used;
   * if it's the first one, there's no default. What VS Code's `getConfiguration().get()` returns can be passed as it is.
   * @returns those that are left out: tell the person which entries of your setting they are
   * @throws Error if it isn't a list, or one of `mcpServers` names none of several services; then, the previous services stay
   */
  setServices(services: readonly ServiceOptions[]): readonly WrongService[];
  /**
   * Sends a request with the token of a session, and once more with the next token if the service rejects it. The token
   * goes to the origin of the URL only, which must be `https:`, except on this machine. Redirects within that origin are followed.
   * With several services, name the one whose token is sent, as `service`: its account is used, whichever one VS Code prefers.
   * It sets the header `Authorization`, unless the service wants the token in the query. If the server says that the session lacks
   * scopes (`insufficient_scope`), an interactive call asks for a session that has them, too, and sends the request once more. A
   * body that can be read only once, such as a stream or that of a `Request`, isn't sent again, but the next call has the next token.
   * @param url where to send it, or a `Request`, whose fields `init` replaces
   * @throws DeviceFlowError if there's no token for the request, the session lacks scopes, or the server redirects the request
   *   elsewhere: its `code` says why; DeviceFlowUsageError if the call is wrong: the URL is one that no token may be sent to, the
   *   request can't be sent, or it names none of several services
   */
  fetch(url: string | URL | Request, init?: AuthorizedRequestInit): Promise<Response>;
  /**
   * Says that the service rejected a token although it hasn't expired. Resolves with true if it was the current one, or the one
   * before, and there's another one now: then ask for the session again. Resolves with false otherwise, even if there's another one
   * for a token that's older or from before a reload, so asking for the session again is always right. Waits up to 10 s for a
   * refresh. Never rejects.
   */
  reportRejectedToken(accessToken: string): Promise<boolean>;
  /** Resolves when no token is on its way to the disk anymore. Return it from `deactivate`. */
  close(): Promise<void>;
}
