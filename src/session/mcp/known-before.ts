/** What a conversation knows about servers: the tools it loaded with ToolSearch and was told it has, and what else it was told. */
import { isRecord } from "../../lib/is-record.ts";
import type { Message } from "../../protocol/message.ts";
import { reminderTexts } from "../../protocol/reminders.ts";
import { isServerLossText } from "../../protocol/server-loss.ts";

/** Returns the tools' names in the order in which they were loaded. `before`: those loaded in the part that a summary replaces. */
export function loadedTools(messages: readonly Message[], before: readonly string[] = []): string[] {
  const searches = new Set<string>();
  const names = new Set<string>(before);
  for (const message of messages) {
    if (message.type === "assistant") {
      for (const block of message.content)
        if (block.type === "tool_use" && block.name === "ToolSearch") searches.add(block.id);
    } else if (message.type === "user" && isRecord(message.toolUseResult)) {
      const isFound = message.content.some((block) => block.type === "tool_result" && searches.has(block.tool_use_id));
      const { matches } = message.toolUseResult;
      if (isFound && Array.isArray(matches)) for (const name of matches) if (typeof name === "string") names.add(name);
    }
  }
  return [...names];
}

/** Returns a test of whether the conversation was told a text about a server, and no loss of the server since. */
export function createAnnouncedTest(messages: readonly Message[]): (text: string) => boolean {
  const reminders = reminderTexts(messages, "mcp");
  return (text) => {
    const at = reminders.lastIndexOf(text);
    return at >= 0 && !reminders.slice(at + 1).some(isServerLossText);
  };
}
