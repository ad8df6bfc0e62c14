import { Refusal } from './errors';

const known = new Set(['grant_type', 'client_id', 'client_secret', 'code', 'refresh_token', 'access_token']);

/** The query parameters of a request: the only place where the operations look (specification 4). */
export class Parameters {
  private readonly query: URLSearchParams;

  /** @param url path and query as they came */
  constructor(url: string) {
    const mark = url.indexOf('?');
    this.query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  }

  /** Value of a parameter that is there once and not empty. */
  get(name: string): string | undefined {
    const values = this.query.getAll(name);
    return values.length === 1 && values[0] !== '' ? values[0] : undefined;
  }

  /**
   * The same, where it must be there.
   * @throws Refusal where it is missing, empty or there more than once.
   */
  require(name: string): string {
    const value = this.get(name);
    if (value === undefined) throw new Refusal('badParameter');
    return value;
  }

  /** All of them except the access token. */
  others(): Record<string, string> {
    return Object.fromEntries([...this.query].filter(([name]) => name !== 'access_token'));
  }

  /** Names as they may be recorded: an unknown name could be a piece of a badly encoded secret. */
  names(): readonly string[] {
    return [...this.query.keys()].map((name) => (known.has(name) ? name : '(other)'));
  }
}
