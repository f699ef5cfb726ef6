/** Tokens: a shorter answer is of no use. */
export const minUsefulAnswerTokens = 1_024;
