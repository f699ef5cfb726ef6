import { formatTokens } from "../../lib/format-figures.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import { refusal, type Command, type CommandAnswer, type CommandDesk } from "./command.ts";

export const compact: Command = {
  name: "compact",
  argumentHint: "[instructions]",
  description: "shorten the conversation to a summary that keeps what the instructions name",
  run: compactConversation,
};

async function* compactConversation(argument: string, desk: CommandDesk): AsyncGenerator<SDKMessage, CommandAnswer> {
  const answer = yield* desk.session().compact(argument === "" ? undefined : argument, desk.cancel);
  if (!answer.compacted) return refusal(`The conversation was not compacted: ${answer.why}.`);
  const { preTokens, postTokens } = answer;
  return {
    text: `The conversation was compacted: from about ${formatTokens(preTokens)} to ${formatTokens(postTokens)} tokens.`,
    data: { pre_tokens: preTokens, post_tokens: postTokens },
  };
}
