import type { Editor } from '../editor/editor';
import { isSameName, nameProblem } from '../texts/plainText';
import type { Texts } from '../texts/texts';

/** What the box for the name of an account says. */
export interface AccountNameQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly value: string;
  /** Names of the other accounts. Names are unique, as the editor keeps what it knows of an account under its name. */
  readonly taken: readonly string[];
  readonly signal?: AbortSignal;
}

/** Asks for the name of an account; `undefined` if the person cancelled. */
export async function askAccountName(
  { editor, texts }: { readonly editor: Pick<Editor, 'ask'>; readonly texts: Texts },
  { title, prompt, value, taken, signal }: AccountNameQuestion,
): Promise<string | undefined> {
  const answer = await editor.ask({
    title,
    prompt,
    placeholder: texts.sessions.accountName,
    value,
    validate: (name) => accountNameProblem(texts, name, taken),
    ...(signal === undefined ? {} : { signal }),
  });
  return answer.kind === 'entered' ? answer.value.trim().normalize('NFC') : undefined;
}

/** Says why an account can't have this name; `undefined` if it can. */
export function accountNameProblem(texts: Texts, name: string, taken: readonly string[]): string | undefined {
  const problem = nameProblem(name);
  if (problem !== undefined) {
    return texts.settings.problem(problem);
  }
  return taken.some((other) => isSameName(other, name)) ? texts.sessions.nameTaken : undefined;
}
