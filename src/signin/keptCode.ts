import type { Clock } from '../clock';
import type { Log } from '../log';
import type { PollResult, Credentials, OAuthClient, DeviceAuthorization } from '../oauth/client';
import { type KeptSignIn, remaining, type SignInKeeper, type WaitingSignIn } from './keptSignIn';

/** What a kept code works with. */
export interface KeptCodeParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly protocol: Pick<OAuthClient, 'requestDeviceAuthorization' | 'poll'>;
  readonly keeper: SignInKeeper;
}

/**
 * The protocol of one sign-in, whose device code is kept for the next window; or is the one that another window kept,
 * and then the service is not asked for another.
 */
export class KeptCode implements Pick<OAuthClient, 'requestDeviceAuthorization' | 'poll'> {
  #kept: Promise<KeptSignIn | undefined>;

  /** @param resumed the sign-in to go on with, where there is one */
  constructor(
    private readonly parts: KeptCodeParts,
    private readonly subject: Pick<WaitingSignIn, 'accountLabel' | 'replaces'>,
    resumed: KeptSignIn | undefined,
  ) {
    this.#kept = Promise.resolve(resumed);
  }

  /** The code that was kept, or a new one (specification 4.1). */
  async requestDeviceAuthorization(credentials: Credentials, signal?: AbortSignal): Promise<DeviceAuthorization> {
    const { clock, protocol, keeper } = this.parts;
    const resumed = await this.#kept;
    const left = resumed === undefined ? undefined : remaining(resumed.signIn, clock.now());
    if (left !== undefined) {
      return left;
    }
    const deviceCode = await protocol.requestDeviceAuthorization(credentials, signal);
    const { baseUrl, clientId } = credentials;
    const { accountLabel, replaces } = this.subject;
    const service = { baseUrl, clientId };
    // Not awaited: the person sees the code at once, whatever the disk does.
    this.#kept = keeper.keep({ service, deviceCode, arrivedAt: clock.now(), accountLabel, replaces });
    return deviceCode;
  }

  /** Asks once (specification 4.2). */
  poll(credentials: Credentials, deviceCode: string, signal?: AbortSignal): Promise<PollResult> {
    return this.parts.protocol.poll(credentials, deviceCode, signal);
  }

  /**
   * The sign-in ends, or only its window does.
   * @param goesOn whether the next window may go on with it
   */
  end(goesOn: boolean): void {
    this.#kept.then(
      (kept) => (goesOn ? kept?.leave() : kept?.forget()),
      (error: unknown) => {
        this.parts.log.warn(`A sign-in can't be kept: ${error instanceof Error ? error.name : 'unknown'}.`);
      },
    );
  }
}
