/** Returns the tokens of each part of a request's prompt, as the scripted server counts them. */
import { defaultBytesPerToken, tokensOfBytes } from "../src/testing/billing/tokens.ts";
import type { BlockFacts } from "../src/testing/wire/facts.ts";
import { promptOf } from "../src/testing/wire/prompt.ts";
import type { WireRequest } from "../src/testing/wire/types.ts";
import type { PromptTokens } from "./server-types.ts";

export function promptTokens(body: WireRequest): PromptTokens {
  const { system, tools, messages } = promptOf(body);
  const tokens = (blocks: BlockFacts[]): number =>
    tokensOfBytes(
      blocks.reduce((sum, { bytes }) => sum + bytes, 0),
      defaultBytesPerToken,
    );
  return { system: tokens(system), tools: tokens(tools), messages: tokens(messages.flatMap(({ blocks }) => blocks)) };
}
