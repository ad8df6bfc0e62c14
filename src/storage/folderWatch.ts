import type { Disk } from './nodeDisk';

/** Watches a folder of the store, also after somebody deleted it and it was made again. */
export class FolderWatch {
  /** Identity of the folder that's watched; `undefined` if it isn't known, or none is watched. */
  #watched: string | undefined;
  #unwatch: () => void = () => undefined;
  #isStopped = false;

  /** @param onChange called when entries of the folder change, perhaps too often */
  constructor(
    private readonly disk: Disk,
    private readonly folder: string,
    private readonly onChange: () => void,
  ) {}

  start(): void {
    this.#watch(undefined);
  }

  /** Watches the folder that's there now, unless it's the one that's watched. @throws the system's error */
  async renew(): Promise<void> {
    const found = (await this.disk.stamp(this.folder))?.identity;
    if (found !== this.#watched) {
      this.#watch(found);
    }
  }

  /** Ends it for good. */
  stop(): void {
    this.#isStopped = true;
    this.#unwatch();
  }

  #watch(identity: string | undefined): void {
    this.#unwatch();
    if (!this.#isStopped) {
      this.#watched = identity;
      this.#unwatch = this.disk.watch(this.folder, this.onChange, () => {
        this.#watched = undefined;
      });
    }
  }
}
