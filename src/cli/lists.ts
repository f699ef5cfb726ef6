/** Lists on the command line: `Read,Edit`, `"Read Edit"` and `Read Edit` are equal. Text in a rule's parentheses is not split. */
import { UsageError } from "../lib/usage-error.ts";
import { findToolIgnoringCase } from "../permissions/rules/tool-names.ts";

/** Splits at commas and blanks outside parentheses. Inside them, a backslash escapes the next character. */
function splitList(flag: string, value: string): string[] {
  const items: string[] = [];
  let item = "";
  let depth = 0;
  for (let at = 0; at < value.length; at += 1) {
    const character = value.charAt(at);
    if (character === "\\" && depth > 0 && at + 1 < value.length) {
      at += 1;
      item += character + value.charAt(at);
      continue;
    }
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth < 0) break;
    if (depth === 0 && /[\s,]/u.test(character)) {
      if (item !== "") items.push(item);
      item = "";
    } else item += character;
  }
  if (depth !== 0) {
    throw new UsageError(
      `${flag}: the parentheses in "${value}" do not match; write \\( or \\) for a parenthesis that belongs to the command.`,
    );
  }
  return item === "" ? items : [...items, item];
}

/** What a list flag says about a word that may have been meant as the prompt. */
export const promptAfterList = 'a prompt after a list needs "--" before it';

const rulePattern = /^(?:\*|[A-Z][\w*-]*|mcp__[^\s()]+)(?:\([^]*\))?$/u;

/** Such as `exit_plan_mode`, which clients still name in their lists. No built-in tool is called so, and no prompt is one such word. */
const foreignToolName = /^[a-z]+(?:_[a-z\d]+)+$/u;

/**
 * Returns the permission rules in order. A tool's name starts with a capital or `mcp__`, so a prompt that a list flag has
 * swallowed is detected here.
 */
export function parseRules(flag: string, values: readonly string[]): string[] {
  const rules = values.flatMap((value) => splitList(flag, value));
  for (const rule of rules) {
    if (!rulePattern.test(rule) && !foreignToolName.test(rule)) {
      throw new UsageError(
        `${flag}: "${rule}" is not a permission rule such as Read or "Bash(npm test *)"; ${promptAfterList}.`,
      );
    }
  }
  return rules;
}

/** As `parseRules`. A tool of this name in another spelling is meant, as in settings: `web_fetch` denies WebFetch. */
export function parseDenyRules(flag: string, values: readonly string[]): string[] {
  return parseRules(flag, values).map((rule) =>
    foreignToolName.test(rule) ? (findToolIgnoringCase(rule.replaceAll("_", "")) ?? rule) : rule,
  );
}

/** Returns the names of the built-in tools to offer: undefined means the default set, an empty list none. */
export function parseToolNames(flag: string, values: readonly string[]): string[] | undefined {
  const names = values.flatMap((value) => splitList(flag, value));
  if (names.length === 1 && names[0] === "default") return undefined;
  for (const name of names) {
    if (!/^[A-Z]\w*$/u.test(name)) {
      throw new UsageError(
        `${flag}: "${name}" is not a tool name such as Read (give names, default alone, or "" for none); ${promptAfterList}.`,
      );
    }
  }
  return names;
}
