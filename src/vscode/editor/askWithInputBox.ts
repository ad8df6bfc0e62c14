import * as vscode from 'vscode';
import type { Answer, Question } from './editor';

/** Asks a question with an input box of the editor, which stays when the person looks something up elsewhere. */
export function askWithInputBox(question: Question): Promise<Answer> {
  const box = vscode.window.createInputBox();
  box.ignoreFocusOut = true;
  box.title = question.title;
  box.prompt = question.prompt;
  box.placeholder = question.placeholder;
  box.password = question.password ?? false;
  box.value = question.value ?? '';
  if (question.step !== undefined) {
    box.step = question.step.number;
    box.totalSteps = question.step.of;
  }
  box.buttons = question.canGoBack === true ? [vscode.QuickInputButtons.Back] : [];
  // What is half typed is not wrong yet; once something was refused, it is told at each key when that is mended.
  let refused = false;
  return new Promise((resolve) => {
    const settle = (answer: Answer): void => {
      resolve(answer);
      question.signal?.removeEventListener('abort', onAbort);
      box.dispose();
    };
    const onAbort = (): void => {
      settle({ kind: 'cancelled' });
    };
    box.onDidChangeValue((value) => {
      box.validationMessage = refused ? question.validate(value) : undefined;
    });
    box.onDidTriggerButton(() => {
      settle({ kind: 'back', value: box.value });
    });
    box.onDidAccept(() => {
      box.validationMessage = question.validate(box.value);
      refused = box.validationMessage !== undefined;
      if (!refused) {
        settle({ kind: 'entered', value: box.value });
      }
    });
    box.onDidHide(onAbort);
    question.signal?.addEventListener('abort', onAbort, { once: true });
    if (question.signal?.aborted === true) {
      onAbort();
    } else {
      box.show();
    }
  });
}
