import type { Clock } from '../clock';
import type { Bell } from './bell';

/** How often to look for changes if the bell can't be heard. Milliseconds. */
const LOOK_AGAIN = 200;

/** Notices what other windows commit: by the bell, or while that can't be heard, by looking at the version again and again. */
export class ChangeWatch {
  /** Whom to tell; absent while nobody watches. */
  #onChange: (() => void) | undefined;
  #stopListening = (): void => undefined;
  /** Whether somebody watches, but the bell can't be heard. */
  #isDeaf = false;
  #isPolling = false;

  /** @param version differs from before if anything may have been committed since */
  constructor(
    private readonly bell: Bell,
    private readonly clock: Clock,
    private readonly version: () => string | undefined,
  ) {}

  /** See `SharedRows.watch`. */
  start(onChange: () => void): () => void {
    this.#onChange = onChange;
    void this.bell
      .prepare()
      .catch(() => undefined)
      .then(() => {
        this.listen();
      });
    return () => {
      this.#onChange = undefined;
      this.#isDeaf = false;
      this.#stopListening();
    };
  }

  /** If somebody watches, begins to listen to the bell, or begins again. */
  listen(): void {
    const onChange = this.#onChange;
    if (onChange === undefined) {
      return;
    }
    this.#stopListening();
    this.#isDeaf = false;
    this.#stopListening = this.bell.listen(onChange, () => {
      this.#isDeaf = true;
      void this.#pollWhileDeaf(onChange);
    });
  }

  /** Looks for changes until the bell can be heard, or nobody watches anymore. */
  async #pollWhileDeaf(onChange: () => void): Promise<void> {
    if (this.#isPolling) {
      return;
    }
    this.#isPolling = true;
    let before = this.version();
    while (this.#isDeaf) {
      await this.clock.sleep(LOOK_AGAIN);
      const now = this.version();
      if (now !== before) {
        onChange();
      }
      before = now;
    }
    this.#isPolling = false;
  }
}
