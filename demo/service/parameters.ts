import { ApiError } from './errors';

/** The parameters of a request: those of its query string, and in lenient mode also those of its form. */
export class RequestParameters {
  private readonly all: readonly (readonly [name: string, value: unknown])[];

  /** @param url path and query string as they arrived */
  constructor(url: string, form: RequestParameters['all'] = []) {
    this.all = [...new URL(url, 'http://service').searchParams, ...form];
  }

  /** The value of a parameter that is present once and not empty. */
  get(name: string): string | undefined {
    const [value, ...repeated] = this.all.filter(([other]) => other === name).map(([, value]) => value);
    return typeof value !== 'string' || value === '' || repeated.length > 0 ? undefined : value;
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
  exceptAccessToken(): Record<string, unknown> {
    return Object.fromEntries(this.all.filter(([name]) => name !== 'access_token'));
  }
}
