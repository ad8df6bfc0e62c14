import { ENGLISH, translate } from '../texts/l10n';
import { SETTING_MESSAGES, settingDescriptions } from '../texts/settingTexts';
import { didYouMean } from './didYouMean';
import type { FieldProblem } from './wrongSetting';
import { FIELD_NAMES } from './serviceFields';

/** What's wrong with a field, for developers: not translated. It's the rest of a sentence that begins with the field's name. */
export function mistakeIn({ field, isMissing, problem }: FieldProblem): string {
  if (field !== undefined && problem.kind === 'unknown field') {
    return `isn't a known field.${didYouMean(field, FIELD_NAMES)}`;
  }
  const { advice } = settingDescriptions(translate(ENGLISH, SETTING_MESSAGES), 'en');
  return `is ${isMissing === true ? 'missing' : 'wrong'}. ${advice(problem)}`;
}
