import type { Chance } from './random';
import type { Process, Steps } from './steps';
import type { Timeline } from './timeline';
import type { SecretPort } from '../../../src/storage/platform';

/** From a desktop window's `store` to the disk. Milliseconds. */
const FLUSH = 100;
/** From there to the other windows. */
const DESKTOP_SPREAD = 250;

/** How SecretStorage misbehaves for one window. */
export type SecretFault = 'none' | 'throws' | 'hangs';

interface Copy {
  text: string | undefined;
  /** What the window read last. */
  seen: string | undefined;
  /** Writings that did not reach the disk yet. */
  unwritten: number;
  fault: SecretFault;
}

/**
 * SecretStorage of one editor, or of one browser, with one entry: each window has a copy. On the desktop the copies
 * follow the disk, late. In a browser a copy is read when the window opens, and written whole, over whatever another
 * window wrote.
 */
export class SecretShelf {
  /** Names it. Browsers have no names of their own. */
  readonly owner: string;
  /** Called whenever a window stores something, with what it read last. */
  onStore: (before: string | undefined) => void = () => undefined;
  readonly #copies = new Map<Process, Copy>();
  #stored: string | undefined;
  #storedBefore: string | undefined;

  constructor(
    readonly kind: 'desktop' | 'browser',
    private readonly steps: Steps,
    private readonly timeline: Timeline,
    number = 0,
  ) {
    this.owner = kind === 'desktop' ? `desktop ${number}` : kind;
  }

  /** What a window that opens now would find. */
  get stored(): string | undefined {
    return this.#stored;
  }

  /** Whether it misbehaves for any process. */
  get hasFault(): boolean {
    return [...this.#copies.values()].some(({ fault }) => fault !== 'none');
  }

  /** Makes SecretStorage misbehave for one window. */
  setFault(process: Process, fault: SecretFault): void {
    const copy = this.#copies.get(process);
    if (copy !== undefined) copy.fault = fault;
  }

  /** The stored values are gone, as when a keyring was reset; open windows keep their copies. */
  lose(replacement: string | undefined): void {
    this.#stored = replacement;
    this.#storedBefore = replacement;
  }

  /** Another program stores something. Open windows of a desktop see it soon. */
  replace(text: string): void {
    this.lose(text);
    if (this.kind === 'desktop') this.#spread(undefined);
  }

  /** The power fails: the last write may be lost. Returns whether nothing is left. */
  crash(chance: Chance): boolean {
    if (chance() < 0.3) this.#stored = this.#storedBefore;
    return this.#stored === undefined;
  }

  /** Removes the copy of a dead process. Returns whether the very first write was lost with it. */
  bury(process: Process): boolean {
    const unwritten = this.#copies.get(process)?.unwritten ?? 0;
    this.#copies.delete(process);
    return unwritten > 0 && this.#stored === undefined;
  }

  /** A window opens and reads its copy. */
  open(process: Process): SecretPort {
    const copy: Copy = { text: this.#stored, seen: undefined, unwritten: 0, fault: 'none' };
    this.#copies.set(process, copy);
    return {
      get: () => this.#call(process, copy, 'get secret', () => (copy.seen = copy.text)),
      store: (text) =>
        this.#call(process, copy, 'store secret', () => {
          this.onStore(copy.seen);
          copy.text = text;
          if (this.kind === 'browser') this.#put(text);
          else this.#flush(process, copy, text);
        }),
    };
  }

  async #call<T>(process: Process, copy: Copy, label: string, effect: () => T): Promise<T> {
    return await this.steps.wait(
      process,
      label,
      () => {
        if (copy.fault === 'throws') throw new Error('the keyring failed');
        return effect();
      },
      () => copy.fault !== 'hangs',
    );
  }

  #flush(process: Process, copy: Copy, text: string): void {
    copy.unwritten++;
    this.timeline.later(process, FLUSH, () => {
      copy.unwritten--;
      this.#put(text);
      this.#spread(process);
    });
  }

  #put(text: string): void {
    this.#storedBefore = this.#stored;
    this.#stored = text;
  }

  #spread(from: Process | undefined): void {
    for (const [process, copy] of this.#copies) {
      if (process !== from && process.alive) {
        this.timeline.later(process, DESKTOP_SPREAD, () => {
          copy.text = this.#stored;
        });
      }
    }
  }
}
