import type * as vscode from 'vscode';
import { InputBoxValidationSeverity, QuickInputButtons, QuickPickItemKind, ThemeIcon, window } from 'vscode';
import { bestEffort, type Log } from '../../log';

/** How often an open list is updated, in milliseconds. */
const LIST_UPDATE = 1_000;

/** A walkthrough takes the focus back 250 ms after a key was released on one of its steps, and later on a busy machine. Milliseconds. */
const FOCUS_TAKEN_BACK = 700;

export interface InputBoxOptions extends Partial<Pick<vscode.InputBox, 'value' | 'password'>> {
  readonly title: string;
  /** Says what to enter. */
  readonly prompt: string;
  /** Shown in the empty box, and what a screen reader says first: names what to enter. */
  readonly placeholder?: string;
  readonly canGoBack?: boolean;
  /** Why `value` may be wrong. Shown instead of the prompt until it's changed; it can be accepted all the same. */
  readonly warning?: string | undefined;
  /** Says what's wrong with the value; called when the person accepts it, and while they correct it after that. */
  readonly validate: (value: string) => string | undefined;
  /** Closes the box when aborted, as if the person canceled. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of an input box: what it contained, unless the person canceled. */
export type InputBoxResult = Readonly<{ kind: 'entered' | 'back'; value: string }> | undefined;

/** Asks with an input box, which stays open while the person looks something up elsewhere. */
export function ask(options: InputBoxOptions): Promise<InputBoxResult> {
  const { canGoBack = false, signal, validate, warning, ...shown } = options;
  const buttons = canGoBack ? [QuickInputButtons.Back] : [];
  const box = Object.assign(window.createInputBox(), { ...shown, buttons });
  box.validationMessage = warning && { message: warning, severity: InputBoxValidationSeverity.Warning };
  // What's half typed isn't wrong yet. After the first refusal, each change is validated.
  let refused = false;
  return new Promise((resolve) => {
    let open: Shown | undefined;
    const settle = (result: InputBoxResult): void => {
      open?.close();
      resolve(result);
      signal?.removeEventListener('abort', cancel);
      box.dispose();
    };
    const cancel = (): void => {
      settle(undefined);
    };
    box.onDidChangeValue((changed) => {
      box.validationMessage = refused ? validate(changed) : undefined;
    });
    box.onDidTriggerButton(() => {
      settle({ kind: 'back', value: box.value });
    });
    box.onDidAccept(() => {
      box.validationMessage = validate(box.value);
      refused = box.validationMessage !== undefined;
      if (!refused) {
        settle({ kind: 'entered', value: box.value });
      }
    });
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted === true) {
      cancel();
    } else {
      open = show(box, cancel);
    }
  });
}

/** A list or a box that's shown. */
interface Shown {
  /** It's about to close for good. */
  close(): void;
}

/**
 * Shows a list or a box, which stays while the person looks something up elsewhere. If a walkthrough's step had the focus before the
 * command palette, the step gets it back when the person presses Enter there. If they release the key before the list is shown, VS
 * Code takes that for a selection of the step, and a moment later moves the focus to it once more. The person would type into nothing,
 * so then it's shown again.
 * @param onHidden called when it's closed
 * @param refill puts back what VS Code forgets of it while it isn't shown
 */
function show(input: vscode.QuickInput, onHidden: () => void, refill: () => void = () => undefined): Shown {
  // For a walkthrough, and for little else, VS Code doesn't say what the tab has. It says of nothing who has the focus.
  const { activeTab } = window.tabGroups.activeTabGroup;
  let mayShowAgain = activeTab !== undefined && activeTab.input === undefined;
  const stay = (): void => {
    mayShowAgain = false;
    input.ignoreFocusOut = true;
  };
  // If this process was busy until now, VS Code's news that the input was hidden still waits, and comes before `setImmediate`.
  const timer = mayShowAgain ? setTimeout(() => setImmediate(stay), FOCUS_TAKEN_BACK) : undefined;
  input.ignoreFocusOut = !mayShowAgain;
  input.onDidHide(() => {
    clearTimeout(timer);
    if (mayShowAgain) {
      stay();
      refill();
      input.show();
    } else {
      onHidden();
    }
  });
  input.show();
  return {
    close: () => {
      clearTimeout(timer);
      mayShowAgain = false;
    },
  };
}

export interface Choice<T> extends Readonly<Pick<vscode.QuickPickItem, 'label' | 'description' | 'detail'>> {
  /** Name of the editor's icon before the label, such as `key`. Screen readers don't mention it. */
  readonly icon?: string;
  readonly value: T;
}

export interface List<T> {
  readonly title: string;
  readonly placeholder: string;
  /** The items, and lines between them, which name the items below and can't be chosen. */
  readonly choices: readonly (Choice<T> | { readonly heading: string })[];
}

type Line<T> = vscode.QuickPickItem & { readonly value?: T };

/**
 * Shows a list until something is chosen or it's closed, and updates it meanwhile.
 * @param signal closes it when aborted, as if the person canceled
 */
export async function choose<T>(
  contents: () => Promise<List<T> | undefined>,
  log: Log,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const pick = Object.assign(window.createQuickPick<Line<T>>(), { keepScrollPosition: true });
  let drawn = '';
  let open: Shown | undefined;
  const close = (): void => {
    open?.close();
    pick.hide();
  };
  /** Draws the list as it is now, and says whether there still is one. */
  const draw = async (): Promise<boolean> => {
    const list = await contents();
    if (list === undefined || signal?.aborted === true) {
      close();
      return false;
    }
    const lines = list.choices.map(toLine);
    pick.title = list.title;
    pick.placeholder = list.placeholder;
    // Redrawn only if it looks different, because screen readers read it again.
    if (JSON.stringify(lines) !== drawn) {
      drawn = JSON.stringify(lines);
      const [before] = pick.activeItems;
      const alike = lines.filter(({ kind, label }) => kind !== QuickPickItemKind.Separator && label === before?.label);
      // Services may have the same name, and then only the description tells them apart. Other descriptions change.
      const active = alike.find(({ description }) => description === before?.description) ?? alike[0];
      pick.items = lines;
      if (active !== undefined) {
        pick.activeItems = [active];
      }
    }
    return true;
  };
  try {
    const isThere = await draw();
    if (!isThere) {
      return undefined;
    }
    return await new Promise((resolve) => {
      const updates = setInterval(() => {
        void bestEffort(log, 'debug', "A list can't be updated", draw);
      }, LIST_UPDATE);
      pick.onDidAccept(() => {
        resolve(pick.selectedItems[0]?.value);
        close();
      });
      signal?.addEventListener('abort', close, { once: true });
      const onHidden = (): void => {
        resolve(undefined);
        clearInterval(updates);
      };
      open = show(pick, onHidden, () => {
        pick.items = [...pick.items];
      });
    });
  } finally {
    signal?.removeEventListener('abort', close);
    pick.dispose();
  }
}

function toLine<T>(choice: List<T>['choices'][number]): Line<T> {
  if ('heading' in choice) {
    return { label: choice.heading, kind: QuickPickItemKind.Separator };
  }
  const { icon, ...line } = choice;
  return icon === undefined ? line : { ...line, iconPath: new ThemeIcon(icon) };
}
