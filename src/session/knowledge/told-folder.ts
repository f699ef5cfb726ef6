/** Where a conversation says that it began, for one whose system prompt leaves that to the first message. */
import { contentText } from "../../protocol/block-text.ts";
import type { Message } from "../../protocol/message.ts";

/** A line of an environment: absolute, or in quotes. */
export function isOfFolder(line: string): boolean {
  return /^Folder: ["/]/u.test(line);
}

/** That line of the first message, which a summary may stand before. */
export function folderToldFirst(messages: readonly Message[]): string | undefined {
  const first = messages.find((message) => message.type === "user" && message.origin === "context");
  if (first?.type !== "user") return undefined;
  const [, after = ""] = contentText(first.content).split("\n# Folder\n", 2);
  return after.split("\n", 1).find(isOfFolder);
}
