/** What a conversation has found with ToolSearch: it was told that it has these tools. */
import { isRecord } from "../../lib/is-record.ts";
import type { Message } from "../../protocol/message.ts";

/** Names, in the order in which they were loaded. `before`: those of what a summary stands for. */
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
