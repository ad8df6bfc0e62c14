import { ApiError } from './errors';

const KNOWN = new Set(['grant_type', 'client_id', 'client_secret', 'code', 'refresh_token', 'access_token']);

/** The parameters of a request: those of its query string, and in lenient mode also those of its form. */
export class Parameters {
  private readonly all: readonly (readonly [name: string, value: string])[];

  /** @param url path and query string as they arrived */
  constructor(url: string, form: Iterable<readonly [string, string]> = []) {
    const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
    this.all = [...new URLSearchParams(query), ...form];
  }

  /** The value of a parameter that is present once and not empty. */
  get(name: string): string | undefined {
    const [value, ...repeated] = this.all.filter(([other]) => other === name).map(([, value]) => value);
    return value === '' || repeated.length > 0 ? undefined : value;
  }

  /**
   * The value of a required parameter.
   * @throws ApiError if it's missing, empty, or repeated
   */
  require(name: string): string {
    const value = this.get(name);
    if (value === undefined) throw new ApiError('invalidParameter');
    return value;
  }

  /** All parameters except the access token. */
  exceptAccessToken(): Record<string, string> {
    return Object.fromEntries(this.all.filter(([name]) => name !== 'access_token'));
  }

  /** Names that are safe to record: an unknown name could be a piece of a badly encoded secret. */
  names(): readonly string[] {
    return this.all.map(([name]) => (KNOWN.has(name) ? name : '(other)'));
  }
}
