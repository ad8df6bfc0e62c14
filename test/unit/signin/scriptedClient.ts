import type { Clock } from '../../../src/clock';
import type {
  AccountInfo,
  AccountOptions,
  AuthorizationRequest,
  PollResult,
  OAuthClient,
  DeviceAuthorization,
  Metadata,
  TokenResponse,
} from '../../../src/oauth/types';
import type { Credentials } from '../../../src/oauth/service';
import { NetworkError, OAuthError, ServiceError } from '../../../src/oauth/errors';
import { checkVerificationPage, DeviceCodeError, requestCode, waitForTokens } from '../../../src/signin/deviceFlow';
import type { Interruption } from '../../../src/signin/pollingPace';
import type { ReceivedCode } from '../../../src/signin/receivedCode';
import { FakeClock } from '../../support/fakeClock';

export const credentials: Credentials = {
  protocol: 'draft',
  baseUrl: 'https://service.example',
  clientId: 'the client',
  clientSecret: 'not a real secret',
};

export const tokens: TokenResponse = {
  accessToken: 'not a real access token',
  refreshToken: 'not a real refresh token',
  requestedAt: 0,
  expiresIn: 3600,
};

/** A device code with plausible values, or others. */
export function deviceCode(fields: Partial<DeviceAuthorization> = {}): DeviceAuthorization {
  return {
    deviceCode: 'not a real device code',
    userCode: 'ABCD-1234',
    verificationUri: 'https://service.example/device',
    expiresIn: 8600,
    interval: 5,
    ...fields,
  };
}

/** One response of the scripted service, and how long it takes. */
export interface Scripted<T> {
  readonly response: T | Error;
  /** Milliseconds from the request to the response; 0 if absent. */
  readonly after?: number;
}

export const pending: Scripted<PollResult> = { response: { kind: 'pending' } };
export const confirmed: Scripted<PollResult> = { response: { kind: 'tokens', tokens } };

/** The service refuses a poll. */
export function refusal(code: string | undefined, status = 400): Scripted<PollResult> {
  return { response: new ServiceError('poll', status, code) };
}

/** A poll has no response. */
export function silence(after = 0): Scripted<PollResult> {
  return { response: new NetworkError('poll', 'connection refused', false, { systemCode: 'ECONNREFUSED' }), after };
}

/** A request that the scripted service got. */
export interface Seen {
  readonly at: number;
  /** When its response arrived; `undefined` while it's under way, or if it was aborted. */
  respondedAt: number | undefined;
  aborted: boolean;
  /** How the client authenticated. */
  readonly authentication: AuthorizationRequest['authentication'];
  /** What it showed that the code is bound to. */
  readonly codeVerifier: AuthorizationRequest['codeVerifier'];
}

/** A service that responds by a script. After the last line of the script, every poll is pending. */
export class ScriptedClient implements OAuthClient {
  readonly codeRequests: Seen[] = [];
  readonly polls: Seen[] = [];
  readonly notifications: { readonly at: number; readonly baseUrl: string; readonly accessToken: string }[] = [];

  /** Who is signed in, as the service says it. */
  account: (options: AccountOptions, accessToken: string) => Promise<AccountInfo> = () =>
    Promise.reject(new Error('nobody is to be asked'));

  constructor(
    private readonly clock: Clock,
    private readonly codes: readonly Scripted<DeviceAuthorization>[],
    private readonly responses: readonly Scripted<PollResult>[] = [],
    private readonly notificationResponses: readonly (Error | undefined)[] = [],
  ) {}

  requestDeviceAuthorization(request: AuthorizationRequest, signal?: AbortSignal): Promise<DeviceAuthorization> {
    const line = this.codes[this.codeRequests.length] ?? { response: deviceCode() };
    return this.play('device authorization', request, this.codeRequests, line, signal);
  }

  poll(request: AuthorizationRequest, _deviceCode: string, signal?: AbortSignal): Promise<PollResult> {
    return this.play('poll', request, this.polls, this.responses[this.polls.length] ?? pending, signal);
  }

  notify(baseUrl: string, _shape: unknown, accessToken: string): Promise<void> {
    const response = this.notificationResponses[this.notifications.length];
    this.notifications.push({ at: this.clock.monotonic(), baseUrl, accessToken });
    return response === undefined ? Promise.resolve() : Promise.reject(response);
  }

  fetchAccount(_baseUrl: string, options: AccountOptions, accessToken: string): Promise<AccountInfo> {
    return this.account(options, accessToken);
  }

  /** Like a service whose dialect fixes its endpoints. */
  discover(): Promise<Metadata | undefined> {
    return Promise.resolve(undefined);
  }

  recognize(): Promise<boolean> {
    return Promise.resolve(true);
  }

  refresh(): Promise<TokenResponse> {
    return Promise.reject(new Error('nothing is to be refreshed'));
  }

  revoke(): Promise<void> {
    return Promise.resolve();
  }

  fetchUserName(): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }

  private async play<T>(
    operation: 'device authorization' | 'poll',
    { authentication, codeVerifier }: AuthorizationRequest,
    record: Seen[],
    line: Scripted<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const at = this.clock.monotonic();
    const seen: Seen = { at, respondedAt: undefined, aborted: false, authentication, codeVerifier };
    record.push(seen);
    try {
      if (line.after !== undefined && line.after > 0) {
        await this.clock.sleep(line.after, signal);
      }
    } catch {
      seen.aborted = true;
      throw new NetworkError(operation, 'aborted', true);
    }
    seen.respondedAt = this.clock.monotonic();
    if (line.response instanceof Error) {
      throw line.response;
    }
    return line.response;
  }
}

/** What a device flow went through, in order, with its end. */
export type FlowState =
  | { readonly kind: 'requesting' | 'expired' | 'canceled' | 'foreign page' }
  | { readonly kind: 'waiting'; readonly code: ReceivedCode; readonly interruption: Interruption | undefined }
  | { readonly kind: 'signedIn'; readonly tokens: TokenResponse }
  | { readonly kind: 'failed'; readonly error: OAuthError };

/** A device flow under way. */
export interface Flow {
  readonly clock: FakeClock;
  readonly client: ScriptedClient;
  readonly states: FlowState[];
  readonly abort: AbortController;
  /** Aborted if the window closes. */
  readonly closing: AbortController;
  readonly done: Promise<void>;
}

/** What a device flow may be started with. */
export interface FlowOptions {
  readonly clock?: FakeClock;
  readonly code?: Scripted<DeviceAuthorization>;
  readonly origin?: string | undefined;
}

/** Runs a device flow from its beginning to its end, with a service that responds to its polls so. */
export function start(responses: readonly Scripted<PollResult>[] = [], options: FlowOptions = {}): Flow {
  const { clock = new FakeClock(), code = { response: deviceCode() }, origin } = options;
  const client = new ScriptedClient(clock, [code], responses);
  const abort = new AbortController();
  const closing = new AbortController();
  const states: FlowState[] = [];
  const run = async (): Promise<FlowState> => {
    const dependencies = { clock, client };
    states.push({ kind: 'requesting' });
    // The test may still change the client.
    await Promise.resolve();
    const received = await requestCode(dependencies, credentials, abort.signal);
    checkVerificationPage(received, origin);
    const onInterruption = (interruption: Interruption | undefined): void =>
      void states.push({ kind: 'waiting', code: received, interruption });
    onInterruption(undefined);
    return {
      kind: 'signedIn',
      tokens: await waitForTokens(dependencies, credentials, received, {
        onInterruption,
        signal: abort.signal,
        closing: closing.signal,
      }),
    };
  };
  const done = run()
    .catch((error: unknown): FlowState => {
      if (abort.signal.aborted || closing.signal.aborted) return { kind: 'canceled' };
      if (error instanceof DeviceCodeError) return { kind: error.problem };
      if (error instanceof OAuthError) return { kind: 'failed', error };
      throw error;
    })
    .then((end) => void states.push(end));
  return { clock, client, states, abort, closing, done };
}
