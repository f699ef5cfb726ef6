/** How much of a window the results of tools may take, so that no single one fills it: a small window has room for less. */
import { safety, textTokens } from "./measure.ts";
import type { ContextPolicy } from "./policy.ts";
import type { WindowFigures } from "./window.ts";

/** Estimated tokens of one result, and of all results of one message. */
export interface ResultRoom {
  one: number;
  all: number;
}

/** Room for a preview with the name of its file. */
const least = 500;
/** The shortest tokens there are: three bytes of UTF-8 a character, in JSON. */
const mostTokensPerCharacter = 1.2;

/** `fixedTokens`: of system prompt and tools, estimated. `scale`: real tokens over estimated ones. */
export function resultRoom(
  { effective }: WindowFigures,
  fixedTokens: number,
  scale: number,
  policy: ContextPolicy,
): ResultRoom {
  const free = Math.max(0, effective / scale - fixedTokens) / safety;
  const share = (of: number): number => Math.max(least, Math.floor(free * of));
  return { one: share(policy.resultShare), all: share(policy.resultsShare) };
}

/** Characters that fit whatever they say. */
export function certainCharacters({ one, all }: ResultRoom): ResultRoom {
  return { one: Math.floor(one / mostTokensPerCharacter), all: Math.floor(all / mostTokensPerCharacter) };
}

/** Characters of a text like this one. */
export function charactersOf(text: string, tokens: number): number {
  return Math.floor((tokens * text.length) / Math.max(1, textTokens(text)));
}
