import type { Answer } from './authorizationServer';
import { Refusal } from './errors';
import type { Parameters } from './parameters';
import type { TokenName, TokenPairs } from './tokenPairs';

/** What a device notification told, and with which token. */
export interface Notification {
  readonly token: TokenName;
  readonly method: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A request to a protected resource. */
export interface ResourceRequest {
  readonly method: string;
  readonly parameters: Parameters;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** What an access token opens: the device notification (specification 4.4) and a resource of this service's own. */
export class Resources {
  readonly notifications: Notification[] = [];

  constructor(private readonly pairs: TokenPairs) {}

  /**
   * Takes a device notification, with its parameters in the query, a form or JSON.
   * @throws Refusal
   */
  notify(request: ResourceRequest): Answer {
    const { session, generation } = this.pairs.holder(accessToken(request));
    const parameters = { ...request.parameters.others(), ...bodyParameters(request) };
    this.notifications.push({ token: { session, generation }, method: request.method, parameters });
    return { status: 200, body: { status: 200 } };
  }

  /**
   * Tells who the access token speaks for.
   * @throws Refusal
   */
  whoami(request: ResourceRequest): Answer {
    const { account, session, generation } = this.pairs.holder(accessToken(request));
    return { status: 200, body: { name: account, session, generation } };
  }
}

/** The access token of a request: by Bearer or by `access_token`; `undefined` where there is none. */
export function findAccessToken({ authorization, parameters }: ResourceRequest): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? parameters.get('access_token');
}

function accessToken(request: ResourceRequest): string {
  const token = findAccessToken(request);
  if (token === undefined) throw new Refusal('noAccessToken');
  if (request.authorization !== undefined && request.parameters.get('access_token') !== undefined) {
    throw new Refusal('twoAccessTokens');
  }
  return token;
}

function bodyParameters({ contentType = '', body }: ResourceRequest): object {
  if (body === '') return {};
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return Object.fromEntries(new URLSearchParams(body));
  if (/^application\/json\b/i.test(contentType)) return jsonObject(body);
  throw new Refusal('unknownMediaType');
}

function jsonObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Refusal('badRequest');
}
