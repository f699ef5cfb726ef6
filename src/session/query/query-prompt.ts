/** The prompts a program passes to `query()`, and how they are replayed to it. */
import type { ContentBlock } from "../../protocol/message.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import { toWireBlocks } from "../../protocol/wire-block.ts";
import { checkObject } from "../options/check-arguments.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { SubmitOptions } from "../intake/intake.ts";
import { withPasted } from "./pasted.ts";
import type { PromptInput } from "./query-types.ts";

/** An abort of any of them ends the query. */
export type Signals = readonly (AbortSignal | undefined)[];

export interface ReadPrompt extends SubmitOptions {
  content: string | ContentBlock[];
  /** Joins the conversation without starting a turn. */
  isAppended: boolean;
}

export function readPromptInput(prompt: PromptInput): ReadPrompt {
  if (typeof prompt === "string" || Array.isArray(prompt)) return { content: prompt, isAppended: false };
  checkObject("A prompt that is neither a string nor a list of blocks", prompt);
  checkObject("The message of a prompt", prompt.message);
  const { message, uuid, isSynthetic, shouldQuery, client_composed: isComposed, origin } = prompt;
  const { role }: { role?: unknown } = message;
  if (role !== undefined && role !== "user")
    throw new UsageError(`The message of a prompt must have the role "user", not ${JSON.stringify(role)}.`);
  return {
    content: withPasted(message.content, prompt.pasted_content) as string | ContentBlock[],
    isAppended: shouldQuery === false,
    // An empty uuid counts as none, as on standard input.
    ...(uuid === undefined || uuid === "" ? {} : { uuid }),
    ...(isSynthetic === true ? { isMeta: true } : {}),
    ...(isComposed === true ? { isVerbatim: true } : {}),
    ...(origin?.kind === "human" ? { origin: { kind: origin.kind } } : {}),
  };
}

export function replayOf(content: string | ContentBlock[], uuid: string, session_id: string): SDKMessage {
  const blocks = typeof content === "string" ? content : toWireBlocks(content);
  const own = { parent_tool_use_id: null, uuid, session_id, isReplay: true } as const;
  return { type: "user", message: { role: "user", content: blocks }, ...own };
}
