import { createHash } from 'node:crypto';
import type { Clock } from '../../src/clock';
import { ApiError } from './errors';
import { newSecret, newUserCode, normalizeUserCode, type Random, sameSecret } from './secrets';

/** The state of a device code. */
export type DeviceState = 'pending' | 'approved' | 'denied' | 'used' | 'expired';

/** The user's decision on the verification page. */
export type Decision = { readonly allow: true; readonly account: string } | { readonly allow: false };

/** Why a decision isn't possible: the state of the device code, or that there is no such code. */
export type DecisionProblem = Exclude<DeviceState, 'pending'> | 'unknown';

interface Authorization {
  readonly userCode: string;
  readonly expiresAt: number;
  readonly scopes: readonly string[];
  /** What the verifier of each poll must have as its hash (RFC 7636); `undefined` if the code needs none. */
  readonly codeChallenge: string | undefined;
  /** Minimum time between two polls in milliseconds. */
  interval: number;
  lastPollAt: number | undefined;
  state: Exclude<DeviceState, 'expired'>;
  account: string;
}

/** What a poll is told in each state but one. */
const ERROR_OF = {
  pending: 'pending',
  denied: 'denied',
  used: 'usedDeviceCode',
  expired: 'expiredDeviceCode',
} as const satisfies Record<Exclude<DeviceState, 'approved'>, string>;

/** How long an expired device code is still told apart from an unknown one, in milliseconds. */
const REMEMBERED = 24 * 60 * 60 * 1000;

/** The device authorizations and their states. Every method is synchronous and thus atomic. */
export class DeviceAuthorizations {
  private readonly byDeviceCode = new Map<string, Authorization>();
  private readonly byUserCode = new Map<string, Authorization>();

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
    /** Milliseconds. */
    private readonly times: { readonly lifetime: number; readonly interval: number },
  ) {}

  /** Issues a device code: (none) → pending. Only standard services have scopes and PKCE. */
  issue(
    scopes: readonly string[] = [],
    codeChallenge?: string,
  ): { readonly deviceCode: string; readonly userCode: string } {
    this.forgetOld();
    const deviceCode = newSecret(this.random);
    const userCode = newUserCode(this.random);
    const authorization: Authorization = {
      userCode: normalizeUserCode(userCode),
      expiresAt: this.clock.now() + this.times.lifetime,
      scopes,
      codeChallenge,
      interval: this.times.interval,
      lastPollAt: undefined,
      state: 'pending',
      account: '',
    };
    if (this.byDeviceCode.has(deviceCode) || this.byUserCode.has(authorization.userCode)) {
      throw new Error('The random source returned the same code twice.');
    }
    this.byDeviceCode.set(deviceCode, authorization);
    this.byUserCode.set(authorization.userCode, authorization);
    return { deviceCode, userCode };
  }

  /** The user codes that wait for a decision, oldest first, without dashes. */
  get pending(): readonly string[] {
    return [...this.byUserCode.keys()].filter((userCode) => this.stateOf(userCode) === 'pending');
  }

  /** The state of the device code with this user code, however it's typed; `undefined` if there is none. */
  stateOf(userCode: string): DeviceState | undefined {
    const authorization = this.byUserCode.get(normalizeUserCode(userCode));
    return authorization && this.currentState(authorization);
  }

  /**
   * Applies the user's decision to a pending device code.
   * @returns why that isn't possible; `undefined` if it's done
   */
  decide(userCode: string, decision: Decision): DecisionProblem | undefined {
    const authorization = this.byUserCode.get(normalizeUserCode(userCode));
    if (authorization === undefined) return 'unknown';
    const state = this.currentState(authorization);
    if (state !== 'pending') return state;
    authorization.state = decision.allow ? 'approved' : 'denied';
    if (decision.allow) authorization.account = decision.account;
    return undefined;
  }

  /** @throws ApiError if the device code isn't bound to this verifier */
  checkVerifier(deviceCode: string, codeVerifier: string | undefined): void {
    const challenge = this.byDeviceCode.get(deviceCode)?.codeChallenge;
    const shown = createHash('sha256')
      .update(codeVerifier ?? '')
      .digest('base64url');
    if (challenge !== undefined && !sameSecret(shown, challenge)) throw new ApiError('wrongCodeVerifier');
  }

  /** Records that a poll arrived. Returns whether it came sooner after the previous one than the polling interval allows. */
  receivePoll(deviceCode: string): boolean {
    const authorization = this.byDeviceCode.get(deviceCode);
    if (authorization === undefined) return false;
    const { interval, lastPollAt } = authorization;
    const now = this.clock.monotonic();
    authorization.lastPollAt = now;
    return lastPollAt !== undefined && now - lastPollAt < interval;
  }

  /** Makes the polling interval of a device code longer for good. Returns it in milliseconds. */
  slowDown(deviceCode: string, by: number): number {
    const authorization = this.byDeviceCode.get(deviceCode);
    if (authorization === undefined) throw new ApiError('unknownDeviceCode');
    return (authorization.interval += by);
  }

  /**
   * Uses up an approved device code, which is good for one token pair.
   * @returns the account that it was approved for, and the scopes that were requested
   * @throws ApiError in every other state
   */
  redeem(deviceCode: string): Pick<Authorization, 'account' | 'scopes'> {
    const authorization = this.byDeviceCode.get(deviceCode);
    if (authorization === undefined) throw new ApiError('unknownDeviceCode');
    const state = this.currentState(authorization);
    if (state !== 'approved') throw new ApiError(ERROR_OF[state]);
    authorization.state = 'used';
    return authorization;
  }

  private currentState({ state, expiresAt }: Authorization): DeviceState {
    return state !== 'used' && this.clock.now() >= expiresAt ? 'expired' : state;
  }

  private forgetOld(): void {
    const limit = this.clock.now() - REMEMBERED;
    for (const [deviceCode, authorization] of this.byDeviceCode) {
      if (authorization.expiresAt > limit) return;
      this.byDeviceCode.delete(deviceCode);
      this.byUserCode.delete(authorization.userCode);
    }
  }
}
