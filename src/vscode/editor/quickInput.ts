import * as vscode from 'vscode';
import { type Log, safeTrace } from '../../log';
import type { InputBoxResult, Choice, Divider, List, InputBoxOptions } from './editor';

/** How often an open list is updated, in milliseconds. */
const LIST_UPDATE = 1_000;

/** Asks with an input box, which stays open while the person looks something up elsewhere. */
export function ask(options: InputBoxOptions): Promise<InputBoxResult> {
  const box = vscode.window.createInputBox();
  box.ignoreFocusOut = true;
  box.title = options.title;
  box.prompt = options.prompt;
  box.placeholder = options.placeholder;
  box.password = options.password ?? false;
  box.value = options.value ?? '';
  if (options.step !== undefined) {
    box.step = options.step.number;
    box.totalSteps = options.step.of;
  }
  box.buttons = options.canGoBack === true ? [vscode.QuickInputButtons.Back] : [];
  // What's half typed isn't wrong yet. After the first refusal, each change is validated.
  let refused = false;
  return new Promise((resolve) => {
    const settle = (result: InputBoxResult): void => {
      resolve(result);
      options.signal?.removeEventListener('abort', onAbort);
      box.dispose();
    };
    const onAbort = (): void => {
      settle({ kind: 'cancelled' });
    };
    box.onDidChangeValue((value) => {
      box.validationMessage = refused ? options.validate(value) : undefined;
    });
    box.onDidTriggerButton(() => {
      settle({ kind: 'back', value: box.value });
    });
    box.onDidAccept(() => {
      box.validationMessage = options.validate(box.value);
      refused = box.validationMessage !== undefined;
      if (!refused) {
        settle({ kind: 'entered', value: box.value });
      }
    });
    box.onDidHide(onAbort);
    options.signal?.addEventListener('abort', onAbort, { once: true });
    if (options.signal?.aborted === true) {
      onAbort();
    } else {
      box.show();
    }
  });
}

interface Line<T> extends vscode.QuickPickItem {
  readonly chosen?: { readonly value: T };
}

/** Shows a list until something is chosen or it's closed, and updates it meanwhile. */
export async function chooseFrom<T>(contents: () => Promise<List<T> | undefined>, log: Log): Promise<T | undefined> {
  const pick = vscode.window.createQuickPick<Line<T>>();
  pick.ignoreFocusOut = true;
  pick.keepScrollPosition = true;
  let drawn = '';
  const draw = async (): Promise<void> => {
    const list = await contents();
    if (list === undefined) {
      pick.hide();
      return;
    }
    const lines = list.choices.map(toLine);
    pick.title = list.title;
    pick.placeholder = list.placeholder;
    // Redrawn only if it looks different, because screen readers read it again.
    if (JSON.stringify(lines) !== drawn) {
      drawn = JSON.stringify(lines);
      const active = lines.find(({ label }) => label === pick.activeItems[0]?.label);
      pick.items = lines;
      if (active !== undefined) {
        pick.activeItems = [active];
      }
    }
  };
  const closed = new Promise<Line<T> | undefined>((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
    });
  });
  try {
    await draw();
    if (drawn === '') {
      return undefined;
    }
    pick.show();
    const updates = setInterval(() => {
      draw().catch((error: unknown) => {
        log.debug(`A list can't be updated. ${safeTrace(error)}`);
      });
    }, LIST_UPDATE);
    const chosen = await closed.finally(() => {
      clearInterval(updates);
    });
    return chosen?.chosen?.value;
  } finally {
    pick.dispose();
  }
}

function toLine<T>(choice: Choice<T> | Divider): Line<T> {
  if ('heading' in choice) {
    return { label: choice.heading, kind: vscode.QuickPickItemKind.Separator };
  }
  const { description, detail, icon, label, value } = choice;
  return {
    label,
    ...(icon === undefined ? {} : { iconPath: new vscode.ThemeIcon(icon) }),
    ...(description === undefined ? {} : { description }),
    ...(detail === undefined ? {} : { detail }),
    chosen: { value },
  };
}
