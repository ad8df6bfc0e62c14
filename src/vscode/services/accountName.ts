import { sameService } from '../../oauth/service';
import { isSameLabel } from '../../sessions/sameLabel';
import type { Editor } from '../editor/editor';
import type { InputBoxOptions } from '../editor/quickInput';
import type { ConfiguredService } from '../settings/service';
import type { ConfiguredServices } from '../settings/services';
import { nameProblem, normalizedName, plainText, saysService, serviceSuffix } from '../texts/plainText';
import type { Texts } from '../texts/texts';

/** Leaves room for a number that makes the label unique. */
export const LONGEST_LABEL = 58;

/** What makes names into labels of accounts. */
interface Naming {
  /** Labels of the other accounts. Labels are unique, because the editor's permissions depend on them. */
  readonly taken: readonly string[];
  /** What an account is called whose user or person calls it this. */
  readonly labelOf: (name: string) => string;
}

/**
 * What an account is called whose user or person calls it this. At a further service, the service is in the label: VS Code tells
 * accounts apart by their labels, so the accounts of different services must never have the same one, whichever service becomes
 * the default.
 */
export function accountLabel(
  { default: meantByDefault }: ConfiguredServices,
  service: Pick<ConfiguredService, 'id' | 'name'>,
  name: string,
): string {
  const isDefault = meantByDefault !== undefined && sameService(meantByDefault.id, service.id);
  const { plain, withService } = labelForms(service, name);
  return isDefault ? plain : withService;
}

/**
 * What an account may be called whose user or person calls it this, whether or not its service was the default when it was added:
 * alone, and with its service. An account that nobody names is called as its service is, which needn't be said twice.
 */
export function labelForms(
  service: Pick<ConfiguredService, 'name'>,
  name: string,
): Readonly<Record<'plain' | 'withService', string>> {
  const suffix = serviceSuffix(service.name);
  const withService = saysService(name, service.name)
    ? name
    : `${plainText(name, LONGEST_LABEL - suffix.length)}${suffix}`;
  return { plain: name, withService };
}

/** Asks for the name of an account, and resolves with its label; `undefined` if the person canceled. */
export async function askAccountName(
  editor: Pick<Editor, 'ask'>,
  texts: Texts,
  naming: Naming,
  options: Omit<InputBoxOptions, 'placeholder' | 'validate' | 'canGoBack'>,
): Promise<string | undefined> {
  const result = await editor.ask({
    ...options,
    placeholder: texts.sessions.accountName,
    validate: (name) => accountNameProblem(texts, name, naming),
  });
  return result && naming.labelOf(normalizedName(result.value));
}

/** Says why an account can't have this name; `undefined` if it can. */
export function accountNameProblem(texts: Texts, name: string, { labelOf, taken }: Naming): string | undefined {
  const problem = nameProblem(name);
  if (problem !== undefined) {
    return problem === 'empty' ? texts.sessions.nameRequired : texts.settings.problems[problem];
  }
  const label = labelOf(normalizedName(name));
  return taken.some((other) => isSameLabel(other, label)) ? texts.sessions.faults['label taken'] : undefined;
}
