/** How long VS Code took to load the code of an extension and to activate it, in milliseconds. */
export interface ActivationTime {
  readonly load: number;
  readonly activate: number;
}

/** What the probe can be asked to do, and what it answers. Times are milliseconds. */
export interface Jobs {
  /** Activates extensions one after the other, each when nothing else runs; answers what each took, by its ID. */
  readonly activate: {
    readonly ask: { readonly extensions: readonly string[] };
    readonly answer: Readonly<Record<string, ActivationTime>>;
  };
  /** Runs a command. */
  readonly run: { readonly ask: { readonly command: string; readonly argument: unknown }; readonly answer: null };
  /** Asks for a session of a provider, with consent; answers when it has come, by the wall clock. */
  readonly signIn: { readonly ask: { readonly provider: string }; readonly answer: { readonly at: number } };
  /** Lets the constant provider have so many sessions from now on. */
  readonly hold: { readonly ask: { readonly sessions: number }; readonly answer: null };
  /** Asks providers in turn, silently; answers how long each call of each provider took. */
  readonly compare: {
    readonly ask: { readonly providers: readonly string[]; readonly calls: number };
    readonly answer: readonly (readonly number[])[];
  };
}

/** Names the environment variable that tells the probes in which folder to listen, on a socket named after the process. */
export const PROBE_FOLDER = 'DEVICE_FLOW_BENCH_FOLDER';
