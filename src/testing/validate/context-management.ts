/** Server-side context editing, compaction at a threshold and fallbacks: parameters that only beta headers make legal. */
import { asText, isObject } from "../wire/types.ts";
import { checkShape, type Shape } from "./shape.ts";
import type { CheckContext } from "./report.ts";

const editing = "context-management-2025-06-27";

const edits: Record<string, { beta: string; shape: Shape }> = {
  clear_tool_uses_20250919: {
    beta: editing,
    shape: {
      required: { type: "string" },
      optional: {
        trigger: "object",
        keep: "object",
        clear_at_least: "object",
        exclude_tools: "array",
        clear_tool_inputs: "any",
      },
    },
  },
  clear_thinking_20251015: { beta: editing, shape: { required: { type: "string" }, optional: { keep: "any" } } },
  compact_20260112: {
    beta: "compact-2026-01-12",
    shape: {
      required: { type: "string" },
      optional: { trigger: "object", instructions: "string", pause_after_compaction: "boolean" },
    },
  },
};

export function checkContextManagement(body: Record<string, unknown>, context: CheckContext): void {
  const management = body["context_management"];
  if (isObject(management) && Array.isArray(management["edits"])) checkEdits(management["edits"], context);
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
      const tags = Object.keys(edits).map((tag) => `'${tag}'`);
      report.add(
        path,
        `Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags.join(", ")}`,
      );
      return;
    }
    if (!betas.has(known.beta)) report.add(path, `\`${type}\` requires the beta header \`${known.beta}\``);
    checkShape(edit, known.shape, `${path}.${type}`, (at, message) => report.add(at, message));
    if (type === "clear_thinking_20251015" && index > 0) {
      report.add("context_management.edits", "`clear_thinking_20251015` must be the first edit");
    }
    const trigger = edit["trigger"];
    if (type === "compact_20260112" && isObject(trigger) && Number(trigger["value"]) < 50_000) {
      report.add(`${path}.${type}.trigger.value`, "Input should be greater than or equal to 50000");
    }
  });
}
