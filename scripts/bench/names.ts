/** All that is measured, in the order of the report. A test holds docs/performance.md to these names. */
export const FIGURES = [
  'Size of the extension’s one script, minified',
  'Size of an extension that embeds the library and does nothing else, minified',
  'Time to load and activate',
  'Time to load and activate an extension that embeds the library',
  'Silent getSession, seen by another extension, warm, median of 300 calls',
  'Silent getSession, seen by another extension, warm, 99th percentile of 300 calls',
  'Silent getSession of an extension that embeds the library, warm, median of 300 calls',
  'Silent getSession with 5 accounts, warm, median of 300 calls',
  'Silent getSession with 20 accounts, warm, median of 300 calls',
  'Silent getSession with 3 services, warm, median of 300 calls',
  'Silent getSession while one of 3 services hangs, warm, median of 300 calls',
  'Silent getSession with 10 services, warm, median of 300 calls',
  'SecretStorage reads of one warm getSessions',
  'One rotation, from the service’s response until it’s stored durably and served, one window, without SecretStorage',
  'From the token response to the return of createSession, without VS Code’s own steps and the service’s',
  'Memory added by 1000 rotations',
  'One rotation, from the service’s response to the last of 8 windows',
  'Requests per expiry, with 8 windows',
] as const;

export type FigureName = (typeof FIGURES)[number];
