/** Tokens: an answer shorter than this is of no use. */
export const usefulAnswer = 1_024;
