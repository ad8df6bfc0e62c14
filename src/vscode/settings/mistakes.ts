import leven from 'leven';
import { ENGLISH, translate } from '../texts/l10n';
import { SETTING_MESSAGES, settingDescriptions } from '../texts/settingTexts';
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

/** What names may be called elsewhere, if no rule finds them. */
const OTHER_WORDS: Readonly<Record<string, string>> = { issuer: 'baseUrl' };

/** How many letters of a name may be wrong, and of how many one may be. */
const MOST_MISTAKES = 2;
const LETTERS_PER_MISTAKE = 3;

/** Shorter names are part of too many others. */
const SHORTEST_PART = 4;

/**
 * Which of the known names may be meant by one that isn't known, such as `client_id` for `clientId`.
 * @returns a question after a space; empty if nobody can tell
 */
export function didYouMean(name: string, known: readonly string[]): string {
  const given = simplified(name);
  const meant =
    known.find((one) => simplified(one) === given) ??
    known.find((one) => one === OTHER_WORDS[given]) ??
    known.find((one) => isPart(given, simplified(one)) || isPart(simplified(one), given)) ??
    closest(given, known);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

/** A name without case, without what's between words, and without the prefix that the settings have. */
export function simplified(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9.]/g, '')
    .replace(/^deviceflow\./, '');
}

function isPart(part: string, whole: string): boolean {
  return part.length >= SHORTEST_PART && (whole.startsWith(part) || whole.endsWith(part));
}

/** The known name with the fewest other letters; `undefined` if even that one has too many. */
function closest(given: string, known: readonly string[]): string | undefined {
  const mistakes = (one: string): number => leven(given, simplified(one));
  const [nearest] = [...known].sort((one, other) => mistakes(one) - mistakes(other));
  const allowed = Math.min(MOST_MISTAKES, Math.floor(given.length / LETTERS_PER_MISTAKE));
  return nearest !== undefined && mistakes(nearest) <= allowed ? nearest : undefined;
}
