/** What the parent process asks a window process to do. */
export type Order =
  /** Store what a sign-in brought. */
  | { readonly kind: 'add'; readonly accessToken: string; readonly refreshToken: string; readonly expiresIn: number }
  /** Answer with what is served now. */
  | { readonly kind: 'serve' };

/** What a window process tells. Times are epoch milliseconds with fractions. No token leaves it: `print` names one. */
export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'added' }
  | { readonly kind: 'changed'; readonly print: string; readonly at: number }
  | { readonly kind: 'ended'; readonly responseLost: boolean }
  /** What else the person would be told, by the kind of the notice. */
  | { readonly kind: 'told'; readonly notice: string }
  | { readonly kind: 'served'; readonly prints: readonly string[] }
  | { readonly kind: 'failed'; readonly reason: string };

/** How a window process is started: where everything is, and which service it is configured for. */
export interface WindowSettings {
  /** The folder that all windows share. */
  readonly folder: string;
  /** Where the editor keeps what it stores for extensions. */
  readonly editorFolder: string;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}
