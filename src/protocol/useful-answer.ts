/** Tokens: a shorter answer is of no use. */
export const usefulAnswer = 1_024;
