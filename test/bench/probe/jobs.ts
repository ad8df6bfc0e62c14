/** What the probe can be asked to do, and what it answers. Times are milliseconds. */
export interface Jobs {
  /** Lets VS Code's own GitHub provider be activated. */
  readonly wakeGithub: { readonly ask: object; readonly answer: null };
  /** Waits until this project's extension has been activated. */
  readonly activated: { readonly ask: object; readonly answer: null };
  /** Hands over the client secret. */
  readonly setSecret: { readonly ask: { readonly secret: string }; readonly answer: null };
  /** Asks for a session of a provider, with consent; answers when it has come, by the wall clock. */
  readonly signIn: { readonly ask: { readonly provider: string }; readonly answer: { readonly at: number } };
  /** The same of a provider that has the session after a while; answers also when it handed it to VS Code. */
  readonly signInLate: { readonly ask: object; readonly answer: { readonly handed: number; readonly at: number } };
  readonly signOut: { readonly ask: object; readonly answer: null };
  /** Asks two providers in turn, silently; answers how long each call took. */
  readonly compare: {
    readonly ask: { readonly providers: readonly [string, string]; readonly calls: number };
    readonly answer: readonly [readonly number[], readonly number[]];
  };
  /** Asks so often at once, silently; answers how many different tokens came, and how long all took. */
  readonly burst: {
    readonly ask: { readonly provider: string; readonly calls: number };
    readonly answer: { readonly tokens: number; readonly took: number };
  };
  /** Sends requests to an address, each over a connection of its own; answers how long each took. */
  readonly roundTrip: {
    readonly ask: { readonly url: string; readonly calls: number };
    readonly answer: readonly number[];
  };
  /** Stores a text of so many bytes in SecretStorage, again and again; answers how long each took. */
  readonly secrets: {
    readonly ask: { readonly bytes: number; readonly calls: number };
    readonly answer: { readonly store: readonly number[]; readonly get: readonly number[] };
  };
}

/** Where a file of this name is beside the sockets, the probe has this project's extension activated apart from others. */
export const APART = 'apart';

/** Names the environment variable that tells the probes in which folder to listen, on a socket named after the process. */
export const PROBE_FOLDER = 'DEVICE_FLOW_BENCH_FOLDER';
