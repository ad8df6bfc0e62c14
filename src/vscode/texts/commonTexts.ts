/** How other texts are put together. */
export const COMMON_MESSAGES = {
  sentences: { message: '{first} {second}', comment: ['Two sentences, one after the other'] },
  withDetail: {
    message: '{text} ({detail})',
    comment: ['Such as an account and its service, or a date and “in 2 days”'],
  },
} as const;
