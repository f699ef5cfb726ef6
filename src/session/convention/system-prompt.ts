/** A system prompt in the convention's forms. */
import { isStringList } from "../../lib/is-string-list.ts";

/** Marks, among the blocks of a system prompt, the end of the part shared with other sessions. */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/** Returns the prompt in a string or a list of strings; undefined for anything else, since dropping a part would lose what it says. */
export function joinPromptBlocks(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isStringList(value)) return undefined;
  return value.filter((part) => part !== "" && part !== SYSTEM_PROMPT_DYNAMIC_BOUNDARY).join("\n\n");
}
