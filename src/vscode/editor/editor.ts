/** How a message is marked. */
export type MessageKind = 'information' | 'warning' | 'error';

/** A progress notification while it is shown. */
export interface ProgressMessage {
  /** Replaces the text after the title. */
  report(text: string): void;
  /** Takes the notification away. Idempotent. */
  end(): void;
}

/** What an item of the status bar shows. */
export interface StatusItemContents {
  /** May begin with an icon such as `$(key)`. */
  readonly text: string;
  readonly tooltip: string;
  /** What a screen reader says instead of the text. */
  readonly spoken: string;
}

/** An item of the status bar while it is shown. */
export interface StatusItem {
  show(face: StatusItemContents): void;
  dispose(): void;
}

/** A page that is open beside the files. */
export interface Page {
  /** Closes it, unless the person has. Idempotent. */
  close(): void;
}

/** An input box. */
export interface InputBoxOptions {
  readonly title: string;
  /** Says what to enter. */
  readonly prompt: string;
  /** Shown in the empty box, and the first that a screen reader says of it: names what is entered. */
  readonly placeholder?: string;
  /** What the box holds at first. */
  readonly value?: string;
  readonly password?: boolean;
  /** Which step of how many this is. */
  readonly step?: { readonly number: number; readonly of: number };
  readonly canGoBack?: boolean;
  /** Says what is wrong with what was entered; called when the person accepts it, and as they correct it after that. */
  readonly validate: (value: string) => string | undefined;
  /** Takes the box away when aborted, which is then `cancelled`. */
  readonly signal?: AbortSignal;
}

/** What came of an input box; `value` is what it held. */
export type InputBoxResult =
  | { readonly kind: 'entered'; readonly value: string }
  | { readonly kind: 'back'; readonly value: string }
  | { readonly kind: 'cancelled' };

/** One line of a list to choose from. */
export interface Choice<T> {
  /** Name of the editor's icon before the label, such as `key`. Screen readers don't hear of it. */
  readonly icon?: string;
  readonly label: string;
  /** Shown beside the label. */
  readonly description?: string;
  /** Shown below the label. */
  readonly detail?: string;
  readonly value: T;
}

/** A line between the choices of a list that can't be chosen. */
export interface Divider {
  /** Says what the choices below it are about. */
  readonly heading: string;
}

/** A list to choose from. */
export interface List<T> {
  readonly title: string;
  readonly placeholder: string;
  readonly choices: readonly (Choice<T> | Divider)[];
}

/** What is used of VS Code's interface. Texts are shown as they are: whatever came from outside was made plain before. */
export interface Editor {
  /** Shows a message; resolves to the button that was pressed, or to `undefined` when it is closed. */
  message(kind: MessageKind, text: string, ...buttons: readonly string[]): Promise<string | undefined>;
  /** Shows a text in the status bar for a few seconds. */
  showStatusMessage(text: string): void;
  /** Shows a progress notification until it is ended, with Cancel if there is an `onCancel`. */
  progress(title: string, onCancel?: () => void): ProgressMessage;
  /** Shows an item in the status bar that runs `command` when clicked. */
  statusItem(name: string, command: string): StatusItem;
  /** Asks for text. */
  ask(question: InputBoxOptions): Promise<InputBoxResult>;
  /** Offers a list; resolves to `undefined` if nothing was chosen. */
  choose<T>(title: string, placeholder: string, choices: readonly (Choice<T> | Divider)[]): Promise<T | undefined>;
  /**
   * Offers a list whose contents change while it's open; resolves to `undefined` if nothing was chosen.
   * @param contents called now and then while the list is open; `undefined` closes it
   */
  chooseFrom<T>(contents: () => Promise<List<T> | undefined>): Promise<T | undefined>;
  /**
   * Opens an address in the person's browser, character by character as it is.
   * @returns false if the person decided not to open it, and perhaps copied it
   * @throws Error if it can't be opened
   */
  openExternal(address: string): Promise<boolean>;
  /** Copies to the clipboard. @throws Error if the clipboard can't be written */
  copy(text: string): Promise<void>;
  /**
   * Opens a page in the place of a file. It runs no script and loads nothing.
   * @param html makes the document; a style takes effect only with the nonce that it is handed
   */
  page(title: string, html: (nonce: string) => string): Page;
  /** Opens the settings at exactly this one, such as `deviceFlow.baseUrl`. */
  openSetting(name: string): Promise<void>;
  /** Sets a context key, which the manifest's `when` and `enablement` clauses read. */
  setContext(key: string, value: boolean): void;
  /** Runs a command, such as `deviceFlow.showLog`. */
  run(command: string): Promise<void>;
  /** The error by which the editor knows that a person cancelled. */
  cancellation(): Error;
}

/**
 * Shows a message with buttons, and does what the pressed one says.
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
