import type { Clock } from '../../src/clock';
import { Refusal } from './errors';
import type { Random } from './options';
import { bareUserCode, newSecret, newUserCode } from './secrets';

/** What became of a device code. */
export type DeviceState = 'pending' | 'approved' | 'denied' | 'used' | 'expired';

/** What the user decides on the verification page. */
export type Decision = { readonly allow: true; readonly account: string } | { readonly allow: false };

/** Why a decision could not be taken: the state the device code is in, or that there is none. */
export type DecisionProblem = Exclude<DeviceState, 'pending'> | 'unknown';

/** A poll as it arrives, before it is carried out. */
export interface PollArrival {
  /** Ordinal of the device authorization, from 1. */
  readonly authorization: number;
  /** Milliseconds since the poll before it; `undefined` for the first. */
  readonly sincePrevious: number | undefined;
  /** Milliseconds since the device code was issued. */
  readonly sinceIssued: number;
  /** Whether it came sooner than the interval allows after the poll before it. */
  readonly early: boolean;
}

interface Authorization {
  readonly ordinal: number;
  readonly bareUserCode: string;
  readonly expiresAt: number;
  readonly issuedAt: number;
  lastPollAt: number | undefined;
  state: Exclude<DeviceState, 'expired'>;
  account: string;
}

/** Expired device codes are told apart from unknown ones for this long, in milliseconds. */
const REMEMBERED = 24 * 60 * 60 * 1000;

/** The device authorizations and their states (specification 3). Every method is one step: nothing comes between. */
export class DeviceAuthorizations {
  private readonly byDeviceCode = new Map<string, Authorization>();
  private readonly byUserCode = new Map<string, Authorization>();
  private issued = 0;

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
    /** Milliseconds. */
    private readonly times: { readonly lifetime: number; readonly interval: number },
  ) {}

  /** Issues a device code: (none) → pending. */
  issue(): { readonly deviceCode: string; readonly userCode: string; readonly authorization: number } {
    this.forgetOld();
    const deviceCode = newSecret(this.random);
    const userCode = newUserCode(this.random);
    const bare = bareUserCode(userCode);
    if (this.byDeviceCode.has(deviceCode) || this.byUserCode.has(bare)) {
      throw new Error('The random source gave the same code twice.');
    }
    this.issued += 1;
    const authorization: Authorization = {
      ordinal: this.issued,
      bareUserCode: bare,
      expiresAt: this.clock.now() + this.times.lifetime,
      issuedAt: this.clock.monotonic(),
      lastPollAt: undefined,
      state: 'pending',
      account: '',
    };
    this.byDeviceCode.set(deviceCode, authorization);
    this.byUserCode.set(bare, authorization);
    return { deviceCode, userCode, authorization: authorization.ordinal };
  }

  /** State of the authorization with this user code, however typed; `undefined` where there is none. */
  stateOf(userCode: string): DeviceState | undefined {
    const authorization = this.byUserCode.get(bareUserCode(userCode));
    return authorization && this.currentState(authorization);
  }

  /**
   * Takes the user's decision on a pending device code.
   * @returns why not, where it could not be taken.
   */
  decide(userCode: string, decision: Decision): DecisionProblem | undefined {
    const authorization = this.byUserCode.get(bareUserCode(userCode));
    if (authorization === undefined) return 'unknown';
    const state = this.currentState(authorization);
    if (state !== 'pending') return state;
    authorization.state = decision.allow ? 'approved' : 'denied';
    if (decision.allow) authorization.account = decision.account;
    return undefined;
  }

  /** Notes that a poll arrived; `undefined` where its device code is unknown. */
  noteArrival(deviceCode: string): PollArrival | undefined {
    const authorization = this.byDeviceCode.get(deviceCode);
    if (authorization === undefined) return undefined;
    const now = this.clock.monotonic();
    const sincePrevious = authorization.lastPollAt === undefined ? undefined : now - authorization.lastPollAt;
    authorization.lastPollAt = now;
    return {
      authorization: authorization.ordinal,
      sincePrevious,
      sinceIssued: now - authorization.issuedAt,
      early: sincePrevious !== undefined && sincePrevious < this.times.interval,
    };
  }

  /**
   * Uses an approved device code up: it is good for one token pair.
   * @returns the account it was approved for.
   * @throws Refusal in every other state.
   */
  redeem(deviceCode: string): string {
    const authorization = this.byDeviceCode.get(deviceCode);
    if (authorization === undefined) throw new Refusal('unknownDeviceCode');
    switch (this.currentState(authorization)) {
      case 'pending':
        throw new Refusal('notYetActivated');
      case 'denied':
        throw new Refusal('deniedByUser');
      case 'used':
        throw new Refusal('usedDeviceCode');
      case 'expired':
        throw new Refusal('expiredDeviceCode');
      case 'approved':
        authorization.state = 'used';
        return authorization.account;
    }
  }

  private currentState(authorization: Authorization): DeviceState {
    const expired = this.clock.now() >= authorization.expiresAt;
    return expired && authorization.state !== 'used' ? 'expired' : authorization.state;
  }

  private forgetOld(): void {
    const limit = this.clock.now() - REMEMBERED;
    for (const [deviceCode, authorization] of this.byDeviceCode) {
      if (authorization.expiresAt > limit) return;
      this.byDeviceCode.delete(deviceCode);
      this.byUserCode.delete(authorization.bareUserCode);
    }
  }
}
