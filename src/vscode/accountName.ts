import { isSameLabel } from '../sessions/sameLabel';
import type { Editor } from './editor/editor';
import type { InputBoxOptions } from './editor/quickInput';
import { nameProblem } from './texts/plainText';
import type { Texts } from './texts/texts';

/**
 * Asks for the name of an account; `undefined` if the person canceled.
 * @param taken names of the other accounts. Names are unique, because the editor's permissions depend on them
 */
export async function askAccountName(
  editor: Pick<Editor, 'ask'>,
  texts: Texts,
  taken: readonly string[],
  options: Omit<InputBoxOptions, 'placeholder' | 'validate' | 'canGoBack'>,
): Promise<string | undefined> {
  const result = await editor.ask({
    ...options,
    placeholder: texts.sessions.accountName,
    validate: (name) => accountNameProblem(texts, name, taken),
  });
  return result?.value.trim().normalize('NFC');
}

/** Says why an account can't have this name; `undefined` if it can. */
export function accountNameProblem(texts: Texts, name: string, taken: readonly string[]): string | undefined {
  const problem = nameProblem(name);
  if (problem !== undefined) {
    return texts.settings.problems[problem];
  }
  return taken.some((other) => isSameLabel(other, name)) ? texts.sessions.faults['label taken'] : undefined;
}
