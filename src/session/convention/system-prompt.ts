/** A system prompt in the convention's forms. */

/** Marks, among blocks of a system prompt, where what other sessions share ends. */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/** Of a text or of blocks; undefined where it is neither: with a part that is no text, what it was to say would be missing. */
export function promptOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || !value.every((part) => typeof part === "string")) return undefined;
  return value.filter((part) => part !== "" && part !== SYSTEM_PROMPT_DYNAMIC_BOUNDARY).join("\n\n");
}
