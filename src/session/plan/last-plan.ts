/** The plan that a conversation is about, according to its messages. */
import { isRecord } from "../../lib/is-record.ts";
import type { Message } from "../../protocol/message.ts";
import type { ReattachItem } from "../../context/reattach-item.ts";
import { exitPlanMode } from "../tools/session-tool-names.ts";
import { reattachedPlanText } from "./plan-texts.ts";

/** The name of the reminder. */
const reminderName = "plan";

/** Returns the plan as it is reattached after a compaction; undefined if there is none. */
export function lastPlan(messages: readonly Message[]): ReattachItem | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const found = planIn(messages[at]!);
    if (found !== undefined) return found;
  }
  return undefined;
}

function planIn(message: Message): ReattachItem | undefined {
  switch (message.type) {
    case "user": {
      const output = message.toolUseResult;
      const isPlan = isRecord(output) && typeof output["plan"] === "string" && output["isAgent"] === false;
      return isPlan ? planItem(String(output["plan"]), true, output["filePath"]) : undefined;
    }
    case "assistant":
      for (const block of message.content) {
        const plan = block.type === "tool_use" && block.name === exitPlanMode ? block.input["plan"] : undefined;
        if (typeof plan === "string") return planItem(plan, false);
      }
      return undefined;
    case "attachment": {
      const { attachment } = message;
      const isReminder = attachment.kind === "reminder" && attachment.name === reminderName;
      return isReminder ? { label: "the plan", name: reminderName, text: attachment.text } : undefined;
    }
    default:
      return undefined;
  }
}

function planItem(plan: string, isApproved: boolean, path?: unknown): ReattachItem {
  const where = typeof path === "string" ? ` (Read ${path})` : "";
  const label = `${isApproved ? "the approved plan" : "the plan as it was presented last"}${where}`;
  return { label, name: reminderName, text: reattachedPlanText(plan, isApproved) };
}
