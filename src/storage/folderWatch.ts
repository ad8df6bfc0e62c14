import type { Disk } from './nodeDisk';

/** Watches a folder of the store, from the first `renew` on, and again after it was deleted and made anew. */
export class FolderWatch {
  /** Identity of the folder that's watched; `undefined` if none is. */
  #watched: string | undefined;
  #unwatch: () => void = () => undefined;
  #isStopped = false;

  /** @param onChange called when entries of the folder change, perhaps too often */
  constructor(
    private readonly disk: Disk,
    private readonly folder: string,
    private readonly onChange: () => void,
  ) {}

  /** Watches the folder that's there now, unless it's watched already. @throws the system's error */
  async renew(): Promise<void> {
    const found = (await this.disk.stamp(this.folder))?.identity;
    if (found === this.#watched || this.#isStopped) {
      return;
    }
    this.#unwatch();
    this.#watched = found;
    this.#unwatch = this.disk.watch(this.folder, this.onChange, () => {
      this.#watched = undefined;
    });
  }

  /** Ends it for good. */
  stop(): void {
    this.#isStopped = true;
    this.#unwatch();
  }
}
