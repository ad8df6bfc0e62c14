/** Something that's opened when it's first needed, once. All who ask meanwhile share one attempt. */
export class Lazy<T> {
  #current: T | undefined;
  #opening: Promise<T | undefined> | undefined;

  /** What's open; `undefined` if nothing is so far. */
  get current(): T | undefined {
    return this.#current;
  }

  /**
   * What's open, or is opened now.
   * @param open returns `undefined` if there's nothing to open. Then, and if it fails, the next call tries again
   * @throws what `open` throws
   */
  async get(open: () => Promise<T | undefined>): Promise<T | undefined> {
    // An attempt that began before this call may have missed what has come since.
    return this.#current ?? (await this.#opening) ?? (await this.#share(open));
  }

  async #share(open: () => Promise<T | undefined>): Promise<T | undefined> {
    this.#opening ??= this.#attempt(open).finally(() => {
      this.#opening = undefined;
    });
    return await this.#opening;
  }

  async #attempt(open: () => Promise<T | undefined>): Promise<T | undefined> {
    this.#current = await open();
    return this.#current;
  }
}
