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
    if (this.#current !== undefined) {
      return this.#current;
    }
    if (this.#opening !== undefined) {
      const found = await this.#opening;
      if (found !== undefined) {
        return found;
      }
      // That attempt began before this call, and may have missed what has come since. So there's one more.
    }
    if (this.#opening !== undefined) {
      // Somebody else who waited has begun it by now.
      return await this.#opening;
    }
    return await this.#begin(open);
  }

  /**
   * What's open, or is made now. Attempts of others may find nothing, so it shares none of them, and waits until they're over.
   * @throws what `make` throws, or what an attempt that it waits for throws
   */
  async getOrMake(make: () => Promise<T>): Promise<T> {
    while (this.#opening !== undefined) {
      await this.#opening;
    }
    return this.#current ?? (await this.#begin(make));
  }

  #begin<Found extends T | undefined>(open: () => Promise<Found>): Promise<Found> {
    const attempt = this.#attempt(open).finally(() => {
      this.#opening = undefined;
    });
    this.#opening = attempt;
    return attempt;
  }

  async #attempt<Found extends T | undefined>(open: () => Promise<Found>): Promise<Found> {
    const found = await open();
    this.#current = found;
    return found;
  }
}
