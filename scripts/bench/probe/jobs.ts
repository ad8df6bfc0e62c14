/** What the probe can be asked to do, and what it answers. Times are milliseconds. */
export interface Jobs {
  /**
   * Waits until these extensions and VS Code's own GitHub provider have been activated; answers how long VS Code took to load
   * the code of each of these, without what it did before.
   */
  readonly activate: { readonly ask: { readonly extensions: readonly string[] }; readonly answer: readonly number[] };
  /** Runs a command. */
  readonly run: { readonly ask: { readonly command: string; readonly argument: unknown }; readonly answer: null };
  /** Asks for a session of a provider, with consent; answers when it has come, by the wall clock. */
  readonly signIn: { readonly ask: { readonly provider: string }; readonly answer: { readonly at: number } };
  /** Asks two providers in turn, silently; answers how long each call took. */
  readonly compare: {
    readonly ask: { readonly providers: readonly [string, string]; readonly calls: number };
    readonly answer: readonly (readonly number[])[];
  };
}

/** Names the environment variable that tells the probes in which folder to listen, on a socket named after the process. */
export const PROBE_FOLDER = 'DEVICE_FLOW_BENCH_FOLDER';
