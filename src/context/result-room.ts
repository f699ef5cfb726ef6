/** How much of a window tool results may take, so that no single result fills it: a small window has less room. */
import { safetyFactor, textTokens } from "./measure.ts";
import type { ContextPolicy } from "./policy.ts";
import type { WindowFigures } from "./window.ts";

/** Estimated tokens for one result, and for all results of one message. */
export interface ResultRoom {
  one: number;
  all: number;
}

/** Enough for a preview with the name of its file. */
const leastRoomTokens = 500;
/** The shortest possible tokens: three bytes of UTF-8 per character, in JSON. */
const mostTokensPerCharacter = 1.2;

/** Returns the room for tool results. `fixedTokens`: estimate for system prompt and tools. `scale`: ratio of real to estimated tokens. */
export function resultRoom(
  { effective }: WindowFigures,
  fixedTokens: number,
  scale: number,
  policy: ContextPolicy,
): ResultRoom {
  const free = Math.max(0, effective / scale - fixedTokens) / safetyFactor;
  const share = (of: number): number => Math.max(leastRoomTokens, Math.floor(free * of));
  return { one: share(policy.resultShare), all: share(policy.resultsShare) };
}

/** Returns the characters that fit whatever the text is. */
export function guaranteedCharacters({ one, all }: ResultRoom): ResultRoom {
  return { one: Math.floor(one / mostTokensPerCharacter), all: Math.floor(all / mostTokensPerCharacter) };
}

/** Returns how many characters of a text like this one the tokens allow. */
export function charactersForTokens(text: string, tokens: number): number {
  return Math.floor((tokens * text.length) / Math.max(1, textTokens(text)));
}
