/** Which files the holder holds. */
export interface HolderSettings {
  readonly root: string;
  /** With what the names of the folders in `root` begin whose files it holds. */
  readonly folders: readonly string[];
}

/** What the holder tells. Any message asks it to let go of everything and end. */
export type HolderReport =
  | { readonly kind: 'ready' }
  /** `held`: how often it held a file. */
  | { readonly kind: 'stopped'; readonly held: number };
