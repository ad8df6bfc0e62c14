/** How many different lists of scopes are remembered. */
const MOST = 100;

/**
 * The lists of scopes that were asked for in this window. The editor takes back its entry "Sign in to use …" only when
 * a session with exactly the scopes of that entry is announced, so each new session is announced with all of them.
 */
export class AskedScopes {
  readonly #lists = new Map<string, readonly string[]>();

  /** @param own the scopes with which this extension asks for its own entry */
  constructor(readonly own: readonly string[]) {
    this.add(own);
  }

  /** Remembers a list, in the place of the oldest where there are many. */
  add(scopes: readonly string[]): void {
    const name = JSON.stringify(scopes);
    if (!this.#lists.has(name) && this.#lists.size >= MOST) {
      const oldest = [...this.#lists.keys()].find((one) => one !== JSON.stringify(this.own));
      if (oldest !== undefined) {
        this.#lists.delete(oldest);
      }
    }
    this.#lists.set(name, [...scopes]);
  }

  /** All lists, this extension's own among them. */
  all(): readonly (readonly string[])[] {
    return [...this.#lists.values()];
  }
}
