/** The severity of a message. */
export type MessageKind = 'information' | 'warning' | 'error';

/** A progress notification while it's shown. */
export interface ProgressMessage {
  /** Replaces the text after the title. */
  report(text: string): void;
  /** Removes the notification. Idempotent. */
  end(): void;
}

/** What a status bar item shows. */
export interface StatusItemContents {
  /** May begin with an icon such as `$(key)`. */
  readonly text: string;
  readonly tooltip: string;
  /** What a screen reader says instead of the text. */
  readonly spoken: string;
}

/** A status bar item while it's shown. */
export interface StatusItem {
  show(face: StatusItemContents): void;
  dispose(): void;
}

/** An open page among the editors. */
export interface Page {
  /** Closes it, unless the person already did. Idempotent. */
  close(): void;
}

/** An input box. */
export interface InputBoxOptions {
  readonly title: string;
  /** Says what to enter. */
  readonly prompt: string;
  /** Shown in the empty box, and what a screen reader says first: names what to enter. */
  readonly placeholder?: string;
  /** What the box holds at first. */
  readonly value?: string;
  readonly password?: boolean;
  /** Which step of how many this is. */
  readonly step?: { readonly number: number; readonly of: number };
  readonly canGoBack?: boolean;
  /** Says what's wrong with the value; called when the person accepts it, and while they correct it after that. */
  readonly validate: (value: string) => string | undefined;
  /** Closes the box when aborted, with the result `cancelled`. */
  readonly signal?: AbortSignal;
}

/** The result of an input box; `value` is what it contained. */
export type InputBoxResult =
  | { readonly kind: 'entered'; readonly value: string }
  | { readonly kind: 'back'; readonly value: string }
  | { readonly kind: 'cancelled' };

/** An item of a list. */
export interface Choice<T> {
  /** Name of the editor's icon before the label, such as `key`. Screen readers don't mention it. */
  readonly icon?: string;
  readonly label: string;
  /** Shown beside the label. */
  readonly description?: string;
  /** Shown below the label. */
  readonly detail?: string;
  readonly value: T;
}

/** A line between the items of a list. It can't be chosen. */
export interface Divider {
  /** Names the items below it. */
  readonly heading: string;
}

/** A list to choose from. */
export interface List<T> {
  readonly title: string;
  readonly placeholder: string;
  readonly choices: readonly (Choice<T> | Divider)[];
}

/** The part of VS Code's interface that's used. Texts are shown as they are: those from outside must be plain. */
export interface Editor {
  /** Shows a message; resolves to the selected button, or to `undefined` when it's closed. */
  message(kind: MessageKind, text: string, ...buttons: readonly string[]): Promise<string | undefined>;
  /** Shows a text in the status bar for a few seconds. */
  showStatusMessage(text: string): void;
  /** Shows a progress notification until it's ended, with Cancel if there is an `onCancel`. */
  progress(title: string, onCancel?: () => void): ProgressMessage;
  /** Shows an item in the status bar that runs `command` when clicked. */
  statusItem(name: string, command: string): StatusItem;
  /** Asks for text. */
  ask(question: InputBoxOptions): Promise<InputBoxResult>;
  /** Offers a list; resolves to `undefined` if nothing was chosen. */
  choose<T>(title: string, placeholder: string, choices: readonly (Choice<T> | Divider)[]): Promise<T | undefined>;
  /**
   * Offers a list whose contents change while it's open; resolves to `undefined` if nothing was chosen.
   * @param contents called repeatedly while the list is open; `undefined` closes it
   */
  chooseFrom<T>(contents: () => Promise<List<T> | undefined>): Promise<T | undefined>;
  /**
   * Opens an address in the person's browser, exactly as it is.
   * @returns false if the person decided not to open it, and perhaps copied it
   * @throws Error if it can't be opened
   */
  openExternal(address: string): Promise<boolean>;
  /** Copies to the clipboard. @throws Error if the clipboard can't be written */
  copy(text: string): Promise<void>;
  /**
   * Opens a page among the editors. It runs no scripts and loads nothing.
   * @param html creates the document; a style takes effect only with the nonce that it's given
   */
  page(title: string, html: (nonce: string) => string): Page;
  /** Opens the Settings editor at this setting, such as `deviceFlow.baseUrl`. */
  openSetting(name: string): Promise<void>;
  /** Sets a context key, which the manifest's `when` and `enablement` clauses read. */
  setContext(key: string, value: boolean): void;
  /** Runs a command, such as `deviceFlow.showLog`. */
  run(command: string): Promise<void>;
  /** The error that tells the editor that a person canceled. */
  cancellation(): Error;
}

/**
 * Shows a message with buttons, and runs the action of the selected one.
 * @param actions by the labels of their buttons
 */
export async function offer(
  editor: Pick<Editor, 'message'>,
  kind: MessageKind,
  text: string,
  actions: Readonly<Record<string, () => Promise<void> | void>>,
): Promise<void> {
  const pressed = await editor.message(kind, text, ...Object.keys(actions));
  if (pressed !== undefined) {
    await actions[pressed]?.();
  }
}
