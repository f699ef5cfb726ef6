/** Which hooks an event reaches: names and lists are compared, anything else is a JavaScript expression, unanchored. */
import { basename } from "node:path";
import type { HookEvent, HookInput } from "../protocol/hook.ts";

const plain = /^[A-Za-z0-9_\- ,|]*$/;
/** For StopFailure and FileChanged the convention takes fewer characters for names. */
const plainNarrow = /^[A-Za-z0-9_|]*$/;
const maxExpression = 512;
/** No name anybody matches is longer, and a backtracking expression needs room to run wild. */
const maxSubject = 256;
/** What a repeat multiplies; three in a row are the most, and others may stand beside them. */
const repeatCost = 64;
const maxCost = 1.25 * repeatCost ** 3;

/** Former names of tools still match. */
const formerNames: Record<string, string> = { Agent: "Task", TaskStop: "KillShell", TaskOutput: "BashOutput" };

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

/** The field a matcher is held against; undefined where the event has none, and every matcher is ignored. */
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
  const named = input[field] ?? "";
  // By convention a file is matched by its name alone.
  const subject = field === "file_path" ? basename(named) : named;
  if (matcher === undefined || matcher === "" || matcher === "*") return true;
  const isTool = field === "tool_name";
  const former = isTool && Object.hasOwn(formerNames, subject) ? formerNames[subject] : undefined;
  const names = former === undefined ? [subject] : [subject, former];
  const isNarrow = input.hook_event_name === "StopFailure" || field === "file_path";
  const isList = (isNarrow ? plainNarrow : plain).test(matcher);
  if (isList) return matcher.split(/[|,]/).some((name) => names.includes(name.trim()));
  const found = expression(matcher);
  return found !== undefined && names.some((name) => found.test(name.slice(0, maxSubject)));
}

function namesIn(list: string): string[] {
  return list
    .split(/[|,]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Why no tool can be called so. By convention a server's name alone is none of its tools. */
function lostName(name: string): string | undefined {
  if (name.includes(" ")) return onlyNames;
  const [, server] = /^mcp__((?!.+__.).*?)(?:__)?$/u.exec(name) ?? [];
  if (server === undefined) return undefined;
  return server === ""
    ? "mcp__.* stands for the tools of all servers."
    : `mcp__${server}__.* stands for all of its tools.`;
}

/** Why a matcher can match nothing; undefined for a good one, and where it is ignored. */
export function matcherProblem(matcher: string | undefined, event: HookEvent = "PreToolUse"): string | undefined {
  const field = matcherField(event);
  if (field === undefined || matcher === undefined || matcher === "*") return undefined;
  if (plain.test(matcher)) {
    const names = namesIn(matcher);
    return field === "tool_name" && names.every((name) => lostName(name)) ? lostName(names[0] ?? "") : undefined;
  }
  if (matcher.length > maxExpression) return `it is longer than ${maxExpression} characters.`;
  const lost = field === "tool_name" ? noName(matcher) : undefined;
  if (lost !== undefined) return lost;
  if (mayRunWild(matcher)) return "it repeats a group, or repeats more than thrice in a row, which can take for ever.";
  if (compile(matcher) !== undefined) return undefined;
  const rules = field === "tool_name" ? alternatives(matcher).map(ruleForm) : [];
  return rules.find((rule) => rule !== undefined) ?? "it is not a valid regular expression.";
}

/** What stands between `|` of a matcher for tools and can match nothing, though the rest of it may; undefined where nothing does. */
export function lostInMatcher(matcher: string | undefined, event: HookEvent = "PreToolUse"): string | undefined {
  if (matcher === undefined || matcherField(event) !== "tool_name") return undefined;
  if (plain.test(matcher)) {
    const lost = namesIn(matcher).find((name) => lostName(name));
    return lost === undefined ? undefined : `${JSON.stringify(lost)} matches nothing: ${lostName(lost)}`;
  }
  for (const part of alternatives(matcher)) {
    const lost = noName(part);
    if (lost !== undefined) return `${JSON.stringify(part)} matches nothing: ${lost}`;
  }
  return undefined;
}

/** What is wrong with all of a matcher, or with a part of it, behind what names it; undefined where nothing is. */
export function matcherSlip(matcher: string | undefined, event: HookEvent): string | undefined {
  const wrong = matcherProblem(matcher, event);
  if (wrong !== undefined) return `matches nothing: ${wrong}`;
  const lost = lostInMatcher(matcher, event);
  return lost === undefined ? undefined : `has a part: ${lost}`;
}

const guarded = "Agent Bash Edit Glob Grep NotebookEdit Read TodoWrite WebFetch Write".split(" ");

/** Names between `|` that are a tool's but for their case, and match nothing by that, unless a host's own tool is called so. Beside the tool itself they mean such a one. */
export function miscased(matcher: string | undefined, event: HookEvent): { written: string; tool: string }[] {
  if (matcher === undefined || matcherField(event) !== "tool_name" || !plain.test(matcher)) return [];
  const names = matcher.split(/[|,]/).map((part) => part.trim());
  return names.flatMap((written) => {
    const tool = guarded.find((name) => name.toLowerCase() === written.toLowerCase());
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

/** Why no name of a tool is like it, or like any part of it. */
function noName(matcher: string): string | undefined {
  const lost = alternatives(matcher).map((part) => ruleForm(part) ?? (isCondition(part) ? onlyNames : undefined));
  return lost.includes(undefined) ? undefined : lost[0];
}

const onlyNames = `names of tools have no blanks, quotes, commas and the like, and "|" stands between them; what else a call has to be stands in an "if".`;

/** Outside of groups and classes, and not left open by what follows. */
function isCondition(part: string): boolean {
  const bare = part.replace(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/gu, "_").replace(/\{\d+,\d*\}/gu, "{}");
  let outside = bare;
  for (let inner = ""; inner !== outside;) [inner, outside] = [outside, outside.replace(/\([^()]*\)/gu, "_")];
  return /["'` :,;!=<>&/@#%~](?![?*{])/u.test(outside);
}

/** What the names of tools do not hold, and expressions for them have no use for: `.*` and `(?:` are theirs. */
const ofRules = String.raw`[ /]|(?<!\?):|(?<![.\])]|\\\w)\*|(?<!\\)\.(?![*+?{])`;
const ruleLike = new RegExp(String.raw`^(\w+)\((?!\?).*(?:${ofRules}).*\)$`, "su");

/** `Bash(git *)` is what an `if` has; as an expression it stands for a tool called `Bashgit `. */
function ruleForm(matcher: string): string | undefined {
  const [, name = ""] = ruleLike.exec(matcher) ?? [];
  if (name === "" || expression(matcher)?.test(name)) return undefined;
  return `it is held against names alone, and a rule stands in "if": {"matcher": "${name}", "hooks": [{…, "if": ${JSON.stringify(matcher)}}]}.`;
}

/**
 * `(a+)+`, `(a|a)*` and their like are exponential in the length of the subject, many stars in a row a high power of it. What
 * is left takes a bounded time on a short subject.
 */
function mayRunWild(matcher: string): boolean {
  const bare = matcher.replace(/\\./gsu, "_").replace(/\[(?:\^?\])?[^\]]*\]/gu, "_");
  return /\)(?:[*+]|\{)/u.test(bare) || costOf(bare) > maxCost;
}

/** What follows one another multiplies, alternatives add up. */
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

function expression(matcher: string): RegExp | undefined {
  return matcher.length > maxExpression || mayRunWild(matcher) ? undefined : compile(matcher);
}

function compile(matcher: string): RegExp | undefined {
  try {
    return new RegExp(matcher);
  } catch {
    return undefined;
  }
}
