/** Where a conversation says which folder it began in, if its system prompt leaves that to the first message. */
import { contentText } from "../../protocol/block-text.ts";
import type { Message } from "../../protocol/message.ts";

/** The folder's line in an environment text: absolute, or in quotes. */
export function isAnyFolderLine(line: string): boolean {
  return /^Folder: ["/]/u.test(line);
}

/** That line in the first message, which a summary may precede. */
export function folderInFirstMessage(messages: readonly Message[]): string | undefined {
  const first = messages.find((message) => message.type === "user" && message.origin === "context");
  if (first?.type !== "user") return undefined;
  const [, after = ""] = contentText(first.content).split("\n# Folder\n", 2);
  return after.split("\n", 1).find(isAnyFolderLine);
}
