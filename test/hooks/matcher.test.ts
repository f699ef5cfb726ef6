// What a matcher matches, and which matchers are reported because they match nothing.
import { expect, test } from "vitest";
import { partMatchingNothing, matcherProblem, matchesHook } from "../../src/hooks/matcher.ts";
import type { HookInput } from "../../src/protocol/hook.ts";

test.each([
  ["^a\\.txt$", true],
  ["a.txt|b.txt", true],
  ["*", true],
  ["work", false],
  ["/work/a.txt", false],
])("matches a changed file by its base name, not by its folder: %s", (matcher, isMeant) => {
  expect(matchesHook(matcher, { hook_event_name: "FileChanged", file_path: "/home/work/a.txt" })).toBe(isMeant);
});

test("groups without repetition do not make a matcher too expensive", () => {
  const matcher = "^(Read|Edit)(a|b)(c)(d)(e)$";
  expect(matcherProblem(matcher)).toBeUndefined();
  expect(matchesHook(matcher, { hook_event_name: "PreToolUse", tool_name: "Editbcde" })).toBe(true);
});

test.each(["Bash(git *)", "Bash(git commit:*)", "Edit(src/app.ts)", "Task(* x)", "Write(*.py)|Edit"])(
  "a permission rule used as a matcher matches nothing and is explained: %s",
  (matcher) => {
    expect(matchesHook(matcher, { hook_event_name: "PreToolUse", tool_name: "Bash" })).toBe(false);
    expect(matcherProblem(matcher)).toContain(`{"matcher": "${matcher.split("(", 1)[0] ?? ""}"`);
  },
);

test.each([
  'tool == "Bash"',
  'tool == "Edit" && tool_input.file_path matches "\\\\.(ts|tsx)$"',
  "tool_name: Bash",
  "tool in ['Edit', 'Write']",
  "tool_name=Bash",
  "!Bash",
  "Edit,mcp__files__.*",
  "/^(Edit|Bash)$/",
  "Edit Write",
])("a condition used as a matcher matches nothing and is explained: %s", (matcher) => {
  expect(matchesHook(matcher, { hook_event_name: "PreToolUse", tool_name: "Edit" })).toBe(false);
  expect(matcherProblem(matcher)).toContain("tool names have no blanks");
});

test("reports a permission rule among the names of a matcher, while the other names still match", () => {
  expect(matcherProblem("Agent|Bash(git push:*)")).toBeUndefined();
  expect(partMatchingNothing("Agent|Bash(git push:*)")).toContain('"Bash(git push:*)" matches nothing: a matcher');
  expect(partMatchingNothing("mcp__a__.*|Edit|Task(Create|Update)")).toBeUndefined();
  expect(matcherProblem("Bash(git *)|Edit|Write(src/*)")).toBeUndefined();
  expect(matcherProblem("Edit | Write,Bash , Bash Read")).toBeUndefined();
  expect(partMatchingNothing("Edit | Write,Bash , Bash Read")).toContain('"Bash Read" matches nothing');
  expect(partMatchingNothing("Edit | Write, Bash")).toBeUndefined();
  expect(matcherProblem("code reviewer", "SubagentStop")).toBeUndefined();
  expect(matcherProblem("mcp__docs|mcp__docs__")).toContain("mcp__docs__.* matches all of its tools");
  expect(partMatchingNothing("Edit|mcp__|mcp__docs__get")).toContain('"mcp__" matches nothing: use mcp__.*');
  expect(partMatchingNothing("mcp__docs__get|mcp__my_docs__get_it")).toBeUndefined();
  expect(partMatchingNothing("Bash(git *)|Edit|Write(src/*)")).toContain('"Bash(git *)" matches nothing');
  expect(matcherProblem("Bash(git *)|Bash(npm *)")).toContain('"if": "Bash(git *)"}');
  expect(matcherProblem("Edit{1,2}|mcp__a__.{1,9}")).toBeUndefined();
  expect(partMatchingNothing("^(?=Edit|Write)|mcp__a__(?!x).*")).toBeUndefined();
});

test.each(["Bash(.*)", "Task(Create|Update)", "Notebook(Edit)?", "mcp__(a|b)__.*", "(Edit|Write)( x)?"])(
  "a matcher with a group is not taken for a permission rule: %s",
  (matcher) => {
    expect(matcherProblem(matcher)).toBeUndefined();
  },
);

test.each([
  "mcp__github__(create.*|update.*)",
  "mcp__files__(?:read|write)",
  "Web(?:Fetch|Search)",
  "Notebook(Edit.*)",
  "Task(Output|.*Stop)",
  String.raw`mcp__db__(\w*query|[a-z]*read)`,
  "mcp__a__(get(?:_one|_all)|set.+)",
])("does not report a matcher that tools may match: %s", (matcher) => {
  expect(matcherProblem(matcher)).toBeUndefined();
});

test.each<[string, HookInput]>([
  ["config(.local)", { hook_event_name: "FileChanged", file_path: "/a/config.local" }],
  ["tidy(:all|:some)", { hook_event_name: "UserPromptExpansion", command_name: "tidy:all" }],
])("reports permission rules only in matchers for tools, not in: %s", (matcher, input) => {
  expect(matchesHook(matcher, input)).toBe(true);
  expect(matcherProblem(matcher, input.hook_event_name)).toBeUndefined();
});
