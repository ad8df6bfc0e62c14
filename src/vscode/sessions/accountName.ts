import type { l10n } from 'vscode';
import type { Answer, Editor } from '../editor/editor';
import { isSameName, type NameProblem, nameProblem } from '../texts/plainText';

type L10n = Pick<typeof l10n, 't'>;

/** What a question for the name of an account says. */
export interface AccountNameQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly value: string;
  /** Names of the other accounts. Names are unique, as the editor keeps what it knows of an account under its name. */
  readonly taken: readonly string[];
  readonly signal?: AbortSignal;
}

/** Asks for the name of an account; `undefined` where the person cancelled. */
export async function askAccountName(
  editor: Pick<Editor, 'ask'>,
  l10n: L10n,
  { title, prompt, value, taken, signal }: AccountNameQuestion,
): Promise<string | undefined> {
  const answer: Answer = await editor.ask({
    title,
    prompt,
    placeholder: l10n.t('Name of the account'),
    value,
    validate: (name) => accountNameProblemInWords(l10n, name, taken),
    ...(signal === undefined ? {} : { signal }),
  });
  return answer.kind === 'entered' ? answer.value.trim().normalize('NFC') : undefined;
}

/** Says why an account can't have this name; `undefined` where it can. */
export function accountNameProblemInWords(l10n: L10n, name: string, taken: readonly string[]): string | undefined {
  const problem = nameProblem(name);
  if (problem !== undefined) {
    return nameProblemInWords(l10n, problem);
  }
  return taken.some((other) => isSameName(other, name)) ? l10n.t('Another account has this name.') : undefined;
}

/** Says what is wrong with a name. */
export function nameProblemInWords(l10n: L10n, problem: NameProblem): string {
  switch (problem) {
    case 'empty':
      return l10n.t('Enter a name.');
    case 'too long':
      return l10n.t('The name is too long.');
    case 'forbidden characters':
      return l10n.t('The name has characters that are not allowed.');
  }
}

/** The question for the name of another account than those that are there. */
export function anotherAccountQuestion(
  l10n: L10n,
  service: string,
  taken: readonly string[],
): Pick<AccountNameQuestion, 'title' | 'prompt' | 'taken'> {
  return {
    title: l10n.t({
      message: 'Sign in to {0} with another account',
      args: [service],
      comment: ['{0} is the name of the service'],
    }),
    prompt: l10n.t({
      message: 'Name the account as you want to see it in menus. These names are taken: {0}.',
      args: [taken.join(', ')],
      comment: ['{0} is a list of names'],
    }),
    taken,
  };
}
