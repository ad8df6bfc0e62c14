import type { Translated } from './l10n';

/** How other texts are put together. */
export const COMMON_MESSAGES = {
  twoSentences: { message: '{first} {second}', comment: ['Two sentences, one after the other'] },
  detailed: {
    message: '{text} ({detail})',
    comment: ['Such as an account and its service, or “in 2 days” and the date'],
  },
} as const;

/** What puts other texts together. */
export type CommonTexts = ReturnType<typeof commonTexts>;

/** Puts texts together in the person's language. */
export function commonTexts({ detailed, twoSentences }: Translated<typeof COMMON_MESSAGES>) {
  return {
    /** Sentences, one after the other. Those that are `undefined` are left out. */
    sentences: (first: string, ...others: readonly (string | undefined)[]): string =>
      others.reduce<string>(
        (text, next) => (next === undefined ? text : twoSentences({ first: text, second: next })),
        first,
      ),

    withDetail: (text: string, detail: string): string => detailed({ text, detail }),
  };
}
