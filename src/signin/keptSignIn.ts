import type { DeviceAuthorization, ServiceId } from '../oauth/client';

/** A sign-in that waits for its person, with all that another window needs to go on with it. */
export interface WaitingSignIn {
  readonly service: ServiceId;
  readonly deviceCode: DeviceAuthorization;
  /** When the device code arrived, in wall-clock milliseconds: the monotonic clock begins anew in each window. */
  readonly arrivedAt: number;
  readonly accountLabel: string;
  readonly replaces: string | undefined;
}

/** A sign-in that is kept, and that no other window takes. */
export interface KeptSignIn {
  readonly signIn: WaitingSignIn;
  /** It is over: nobody goes on with it. */
  forget(): Promise<void>;
  /** This window ends before the sign-in does: the next one may go on with it. */
  leave(): void;
}

/** Keeps sign-ins that wait for their person beyond the window that began them. */
export interface SignInKeeper {
  /** Keeps a sign-in; `undefined` where that can't be done, which is logged. */
  keep(signIn: WaitingSignIn): Promise<KeptSignIn | undefined>;
  /**
   * Takes over a sign-in to this service whose window is gone.
   * @param wait whether to wait a moment for a window that may be closing
   * @returns `undefined` where there is none whose code still lives
   */
  takeOver(service: ServiceId, wait?: boolean): Promise<KeptSignIn | undefined>;
}

/** The device code as it is `now`, with the lifetime that is left; `undefined` where none is. */
export function remaining({ deviceCode, arrivedAt }: WaitingSignIn, now: number): DeviceAuthorization | undefined {
  // The wall clock may have been set back: then the code's age is unknown, and the service knows it.
  const age = Math.max(0, now - arrivedAt) / 1000;
  return age < deviceCode.expiresIn ? { ...deviceCode, expiresIn: deviceCode.expiresIn - age } : undefined;
}
