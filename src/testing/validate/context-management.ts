/** Server-side context editing, compaction at a threshold and fallbacks: parameters that only beta headers make legal. */
import { asText, isObject } from "../wire/types.ts";
import { inputTokens, inputTokensOrToolUses, thinkingTurns, toolUses } from "./parts.ts";
import { checkShape, unknownTag, type Shape } from "./shape.ts";
import type { CheckContext } from "./report.ts";

const editing = "context-management-2025-06-27";

const edits: Record<string, { beta: string; shape: Shape }> = {
  clear_tool_uses_20250919: {
    beta: editing,
    shape: {
      required: { type: "string" },
      optional: {
        trigger: inputTokensOrToolUses,
        keep: toolUses,
        clear_at_least: inputTokens,
        exclude_tools: { listOf: "string" },
        clear_tool_inputs: "any",
      },
    },
  },
  clear_thinking_20251015: {
    beta: editing,
    shape: { required: { type: "string" }, optional: { keep: thinkingTurns } },
  },
  compact_20260112: {
    beta: "compact-2026-01-12",
    shape: {
      required: { type: "string" },
      optional: { trigger: inputTokens, instructions: "string", pause_after_compaction: "boolean" },
    },
  },
};

const managementShape: Shape = { required: {}, optional: { edits: "array" } };

export function checkContextManagement(body: Record<string, unknown>, context: CheckContext): void {
  const management = body["context_management"];
  if (isObject(management)) {
    checkShape(management, managementShape, "context_management", (at, message) => context.report.add(at, message));
    if (Array.isArray(management["edits"])) checkEdits(management["edits"], context);
  }
  const fallbacks = body["fallbacks"];
  if (Array.isArray(fallbacks) && fallbacks.length > 3) {
    context.report.add("fallbacks", "List should have at most 3 items after validation");
  }
}

function checkEdits(list: unknown[], { report, betas }: CheckContext): void {
  list.forEach((edit, index) => {
    const path = `context_management.edits.${index}`;
    const type = isObject(edit) ? asText(edit["type"]) : "";
    const known = Object.hasOwn(edits, type) ? edits[type] : undefined;
    if (!isObject(edit) || known === undefined) {
      report.add(path, unknownTag(type, Object.keys(edits)));
      return;
    }
    if (!betas.has(known.beta)) report.add(path, `\`${type}\` requires the beta header \`${known.beta}\``);
    checkShape(edit, known.shape, `${path}.${type}`, (at, message) => report.add(at, message));
    if (type === "clear_thinking_20251015" && index > 0) {
      report.add("context_management.edits", "`clear_thinking_20251015` must be the first edit");
    }
    const { keep, trigger } = edit;
    if (type === "clear_thinking_20251015" && typeof keep === "string" && keep !== "all")
      report.add(`${path}.${type}.keep`, "Input should be 'all' or a valid dictionary");
    if (type === "compact_20260112" && isObject(trigger) && Number(trigger["value"]) < 50_000) {
      report.add(`${path}.${type}.trigger.value`, "Input should be greater than or equal to 50000");
    }
  });
}
