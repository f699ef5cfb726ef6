/** Decides which hooks an event reaches. Names and lists are compared; anything else is an unanchored JavaScript regular expression. */
import { basename } from "node:path";
import { withoutPrototype } from "../lib/without-prototype.ts";
import type { HookEvent, HookInput } from "../protocol/hook.ts";

const nameList = /^[A-Za-z0-9_\- ,|]*$/;
/** For StopFailure and FileChanged, the convention allows fewer characters in names. */
const narrowNameList = /^[A-Za-z0-9_|]*$/;
const maxExpressionLength = 512;
/** No name that is worth matching is longer, and short subjects limit how long a backtracking expression can run. */
const maxSubjectLength = 256;
/** The factor of one repeat. Three in a row are the most allowed; others may occur side by side. */
const repeatCost = 64;
const maxCost = 1.25 * repeatCost ** 3;

/** Former names of tools still match. */
const formerNames = withoutPrototype({ Agent: "Task", TaskStop: "KillShell", TaskOutput: "BashOutput" });

type MatcherField =
  | "tool_name"
  | "notification_type"
  | "load_reason"
  | "command_name"
  | "source"
  | "reason"
  | "trigger"
  | "error"
  | "agent_type"
  | "mcp_server_name"
  | "file_path";

/** Returns the input field that a matcher is compared with; undefined if the event has none and matchers are ignored. */
export function matcherField(event: HookEvent): MatcherField | undefined {
  switch (event) {
    case "PreToolUse":
    case "PostToolUse":
    case "PostToolUseFailure":
    case "PermissionRequest":
    case "PermissionDenied":
    case "PreSkillShellCommand":
      return "tool_name";
    case "Notification":
      return "notification_type";
    case "InstructionsLoaded":
      return "load_reason";
    case "SessionStart":
    case "ConfigChange":
    case "DirectoryAdded":
      return "source";
    case "SessionEnd":
      return "reason";
    case "PreCompact":
    case "PostCompact":
    case "Setup":
      return "trigger";
    case "StopFailure":
      return "error";
    case "SubagentStart":
    case "SubagentStop":
      return "agent_type";
    case "Elicitation":
    case "ElicitationResult":
      return "mcp_server_name";
    case "FileChanged":
      return "file_path";
    case "UserPromptExpansion":
      return "command_name";
    case "UserPromptSubmit":
    case "Stop":
    case "TaskCreated":
    case "TaskCompleted":
    case "TeammateIdle":
    case "CwdChanged":
    case "PreModelSwitch":
    case "PostModelSwitch":
    case "PostToolBatch":
    case "WorktreeCreate":
    case "WorktreeRemove":
    case "MessageDisplay":
      return undefined;
    default:
      return event satisfies never;
  }
}

export function matchesHook(matcher: string | undefined, input: HookInput): boolean {
  const field = matcherField(input.hook_event_name);
  if (field === undefined) return true;
  const value = input[field] ?? "";
  // By convention, a file is matched by its base name alone.
  const subject = field === "file_path" ? basename(value) : value;
  if (matcher === undefined || matcher === "" || matcher === "*") return true;
  const former = field === "tool_name" ? formerNames[subject] : undefined;
  const names = former === undefined ? [subject] : [subject, former];
  const isNarrow = input.hook_event_name === "StopFailure" || field === "file_path";
  const isList = (isNarrow ? narrowNameList : nameList).test(matcher);
  if (isList) return matcher.split(/[|,]/).some((name) => names.includes(name.trim()));
  const found = safeExpression(matcher);
  return found !== undefined && names.some((name) => found.test(name.slice(0, maxSubjectLength)));
}

function namesIn(list: string): string[] {
  return list
    .split(/[|,]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Returns why no tool can have this name. By convention, a server's name alone does not match its tools. */
function reasonNameMatchesNothing(name: string): string | undefined {
  if (name.includes(" ")) return onlyNamesHint;
  const [, server] = /^mcp__((?!.+__.).*?)(?:__)?$/u.exec(name) ?? [];
  if (server === undefined) return undefined;
  return server === "" ? "use mcp__.* for the tools of all servers." : `mcp__${server}__.* matches all of its tools.`;
}

/** Returns why a matcher cannot match anything; undefined if it can, or if matchers are ignored. */
export function matcherProblem(matcher: string | undefined, event: HookEvent = "PreToolUse"): string | undefined {
  const field = matcherField(event);
  if (field === undefined || matcher === undefined || matcher === "*") return undefined;
  if (nameList.test(matcher)) {
    const names = namesIn(matcher);
    return field === "tool_name" && names.every((name) => reasonNameMatchesNothing(name))
      ? reasonNameMatchesNothing(names[0] ?? "")
      : undefined;
  }
  if (matcher.length > maxExpressionLength) return `it is longer than ${maxExpressionLength} characters.`;
  const lost = field === "tool_name" ? reasonNoToolMatches(matcher) : undefined;
  if (lost !== undefined) return lost;
  if (mayBeExponential(matcher))
    return "it repeats a group, or has more than three repeats in a row, which can take forever.";
  if (compile(matcher) !== undefined) return undefined;
  const rules = field === "tool_name" ? alternatives(matcher).map(ruleHint) : [];
  return rules.find((rule) => rule !== undefined) ?? "it is not a valid regular expression.";
}

/** Returns which alternative of a tool matcher cannot match anything, even if others can; undefined if all can. */
export function partMatchingNothing(matcher: string | undefined, event: HookEvent = "PreToolUse"): string | undefined {
  if (matcher === undefined || matcherField(event) !== "tool_name") return undefined;
  if (nameList.test(matcher)) {
    const lost = namesIn(matcher).find((name) => reasonNameMatchesNothing(name));
    return lost === undefined
      ? undefined
      : `${JSON.stringify(lost)} matches nothing: ${reasonNameMatchesNothing(lost)}`;
  }
  for (const part of alternatives(matcher)) {
    const lost = reasonNoToolMatches(part);
    if (lost !== undefined) return `${JSON.stringify(part)} matches nothing: ${lost}`;
  }
  return undefined;
}

/** Returns what is wrong with a matcher or a part of it, as a predicate to put after its name; undefined if nothing is. */
export function describeMatcherProblem(matcher: string | undefined, event: HookEvent): string | undefined {
  const wrong = matcherProblem(matcher, event);
  if (wrong !== undefined) return `matches nothing: ${wrong}`;
  const lost = partMatchingNothing(matcher, event);
  return lost === undefined ? undefined : `has a part: ${lost}`;
}

const builtInTools = "Agent Bash Edit Glob Grep NotebookEdit Read TodoWrite WebFetch Write".split(" ");

/**
 * Returns names in a tool matcher that differ from a tool's name only in case. Such a name matches nothing, unless the host has a tool of
 * that name. If the tool's own name is listed too, the host's tool is meant.
 */
export function miscasedToolNames(matcher: string | undefined, event: HookEvent): { written: string; tool: string }[] {
  if (matcher === undefined || matcherField(event) !== "tool_name" || !nameList.test(matcher)) return [];
  const names = namesIn(matcher);
  return names.flatMap((written) => {
    const tool = builtInTools.find((name) => name.toLowerCase() === written.toLowerCase());
    return tool === undefined || names.includes(tool) ? [] : [{ written, tool }];
  });
}

function alternatives(matcher: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const [token] of matcher.matchAll(/\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^]/gu)) {
    if (token === "(") depth += 1;
    else if (token === ")") depth -= 1;
    if (token === "|" && depth === 0) parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts;
}

/** Returns why no tool name can match the expression or any of its alternatives. */
function reasonNoToolMatches(matcher: string): string | undefined {
  const lost = alternatives(matcher).map(
    (part) => ruleHint(part) ?? (looksLikeCondition(part) ? onlyNamesHint : undefined),
  );
  return lost.includes(undefined) ? undefined : lost[0];
}

const onlyNamesHint = `tool names have no blanks, quotes, commas and the like; separate names with "|", and put other conditions on a call into "if".`;

/** Whether a part has characters no tool name has, outside of groups and classes and not made optional. */
function looksLikeCondition(part: string): boolean {
  const bare = part.replace(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/gu, "_").replace(/\{\d+,\d*\}/gu, "{}");
  let outside = bare;
  for (let inner = ""; inner !== outside;) [inner, outside] = [outside, outside.replace(/\([^()]*\)/gu, "_")];
  return /["'` :,;!=<>&/@#%~](?![?*{])/u.test(outside);
}

/** Characters that tool names do not contain, and that expressions for them do not need; `.*` and `(?:` are excepted. */
const ruleCharacters = String.raw`[ /]|(?<!\?):|(?<![.\])]|\\\w)\*|(?<!\\)\.(?![*+?{])`;
const rulePattern = new RegExp(String.raw`^(\w+)\((?!\?).*(?:${ruleCharacters}).*\)$`, "su");

/** `Bash(git *)` is meant for `if`; as an expression it matches a tool called `Bashgit `. */
function ruleHint(matcher: string): string | undefined {
  const [, name = ""] = rulePattern.exec(matcher) ?? [];
  if (name === "" || safeExpression(matcher)?.test(name)) return undefined;
  return `a matcher is compared with names only; put a rule into "if": {"matcher": "${name}", "hooks": [{…, "if": ${JSON.stringify(matcher)}}]}.`;
}

/**
 * Whether an expression may take exponential time. `(a+)+`, `(a|a)*` and the like are exponential in the length of the subject, and many
 * stars in a row a high power of it. Anything else takes a bounded time on a short subject.
 */
function mayBeExponential(matcher: string): boolean {
  const bare = matcher.replace(/\\./gsu, "_").replace(/\[(?:\^?\])?[^\]]*\]/gu, "_");
  return /\)(?:[*+]|\{)/u.test(bare) || costOf(bare) > maxCost;
}

/** Returns the estimated cost: a sequence multiplies, alternatives add up. */
function costOf(bare: string): number {
  const groups: { tried: number; current: number }[] = [];
  let group = { tried: 0, current: 1 };
  for (const [token] of bare.matchAll(/[(|)*+]|\{\d*,?\d*\}/gu)) {
    if (token === "(") {
      groups.push(group);
      group = { tried: 0, current: 1 };
    } else if (token === "|") group = { tried: group.tried + group.current, current: 1 };
    else if (token === ")") {
      const outer = groups.pop() ?? { tried: 0, current: 1 };
      group = { ...outer, current: outer.current * (group.tried + group.current) };
    } else group.current *= repeatCost;
  }
  return group.tried + group.current;
}

function safeExpression(matcher: string): RegExp | undefined {
  return matcher.length > maxExpressionLength || mayBeExponential(matcher) ? undefined : compile(matcher);
}

function compile(matcher: string): RegExp | undefined {
  try {
    return new RegExp(matcher);
  } catch {
    return undefined;
  }
}
