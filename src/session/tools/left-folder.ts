/** Of a session that goes on: that its commands begin where it does again, wherever they had gone when it was left. */
import { resolve } from "node:path";
import { contentText } from "../../protocol/block-text.ts";
import type { Attachment, Message, ToolUseBlock } from "../../protocol/message.ts";
import { quoteName } from "../../lib/quote-name.ts";

const name = "cwd_reset";

/** Empty where the conversation shows no such command, or what came of the last one. */
export function folderLeft(messages: readonly Message[], folder: string): Attachment[] {
  let hasLeft = false;
  for (const message of messages) {
    if (message.type === "assistant") {
      for (const block of message.content) if (block.type === "tool_use") hasLeft = leaves(block, folder) ?? hasLeft;
    } else if (message.type === "user") {
      const isBack = message.content.some(
        (block) => block.type === "tool_result" && tellsOfReset(contentText(block.content)),
      );
      if (isBack) hasLeft = false;
    } else if (message.type === "attachment" && message.attachment.kind === "reminder") {
      if (message.attachment.name === "cwd") hasLeft = true;
      if (message.attachment.name === name) hasLeft = false;
    }
  }
  const text = `The program was started anew: commands and relative paths begin in ${quoteName(folder)} again.`;
  return hasLeft ? [{ kind: "reminder", name, text }] : [];
}

/** Undefined where it goes nowhere. As far as its words tell: what is said here is true in any case. */
function leaves({ name: tool, input }: ToolUseBlock, folder: string): boolean | undefined {
  if (tool !== "Bash" || typeof input["command"] !== "string") return undefined;
  const last = [...input["command"].matchAll(/(?:^|[\s;&|])(?:cd|pushd|popd)(?:\s+["']?([^\s;&|"']+)|$)/gu)].at(-1);
  return last === undefined ? undefined : last[1] === undefined || resolve("/", last[1]) !== folder;
}

function tellsOfReset(text: string): boolean {
  return /(?:^|\n)Shell cwd was reset to [^\n]+$/u.test(text);
}
