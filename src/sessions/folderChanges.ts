import type { Clock } from '../clock';
import type { Stamp } from '../storage/nodeDisk';

/** A stamp of the folder, and what's known about it. */
interface SeenStamp extends Stamp {
  /** Since when the folder has had this stamp, on the monotonic clock. */
  readonly since: number;
  /** Whether the folder was read while its stamp was certain to change with the next change. */
  readonly isRead: boolean;
}

/**
 * Tells by a folder's date whether it must be read again: one `stat` if nothing has changed.
 *
 * The date isn't always proof. File systems date changes in steps, so two changes may have the same date, and some
 * (FAT and exFAT on Windows) keep a folder's first date whatever happens inside. So the folder is read again unless
 * - its date is later than its birth: on this file system, changes inside it do date it;
 * - the date has stood for longer than a step;
 * - and nobody has reported a change since the folder was read.
 */
export class FolderChanges {
  #last: SeenStamp | undefined;

  /** @param stamp looks at the folder; `undefined` if there is none */
  constructor(
    private readonly stamp: () => Promise<Stamp | undefined>,
    private readonly clock: Clock,
  ) {}

  /** Identity of the folder when it was last seen. */
  get identity(): string | undefined {
    return this.#last?.identity;
  }

  /** Somebody noticed a change: the folder is read next time, whatever its date is. */
  report(): void {
    this.#last &&= { ...this.#last, isRead: false };
  }

  /**
   * Calls `read` if anything in the folder may have changed since it last succeeded.
   * @throws what `read` throws, or the system's error if the folder's date can't be read
   */
  async readIfChanged(read: () => Promise<void>): Promise<void> {
    const { clock } = this;
    const asked = { wall: clock.now(), monotonic: clock.monotonic() };
    const stamp = await this.stamp();
    const last = stamp?.mark === this.#last?.mark ? this.#last : undefined;
    if (last?.isRead === true) {
      return;
    }
    const since = last?.since ?? clock.monotonic();
    const seen = stamp && { ...stamp, since, isRead: false };
    const isProof = seen !== undefined && isDated(seen) && hasStood(seen, asked, clock.now());
    this.#last = seen;
    await read();
    // If a change was reported during the read, `#last` is another object by now, and the folder is read again.
    if (isProof && this.#last === seen) {
      this.#last = { ...seen, isRead: true };
    }
  }
}

/** Whether changes inside the folder date it: at least one did. */
function isDated({ bornAt, changedAt, resolution }: Stamp): boolean {
  return changedAt - bornAt > resolution;
}

/** Whether the date is so old, by both clocks, that the next change gets another one. */
function hasStood(
  { changedAt, resolution, since }: SeenStamp,
  asked: { readonly wall: number; readonly monotonic: number },
  now: number,
): boolean {
  // The wall clock is read before and after the `stat`, which may take long: it may be set meanwhile. A date in the
  // future comes from a clock that was set back, so the same date may occur again.
  const age = Math.min(asked.wall, now) - changedAt;
  return asked.monotonic - since > resolution && age > resolution;
}
