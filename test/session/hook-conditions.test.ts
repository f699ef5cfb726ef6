// A rule in an `if` that is none: seen, the hook ran for every call without a word.
import { expect, test } from "vitest";
import { readHooks } from "../../src/session/settings/read-hooks.ts";

const problemsOf = (event: string, rule: string) =>
  readHooks({ [event]: [{ hooks: [{ type: "command", command: "true", if: rule }] }] }, "user", "s").problems;

test.each(["Bash(a *) || Bash(b *)", "npm test", "Bash()", "WebFetch(domain:not a host)"])(
  "the invalid condition %s is reported",
  (rule) => {
    const text = `s: hooks.PreToolUse: the "if" ${JSON.stringify(rule)} is not one permission rule such as Bash(git push *); the hook runs for every call.`;
    expect(problemsOf("PreToolUse", rule)).toEqual([{ level: "notice", text }]);
  },
);

test.each(["Bash", "Bash(git push *)", "Edit(src/**)", "mcp__db__*", "my_tool"])(
  "the valid condition %s is not reported",
  (rule) => {
    expect(problemsOf("PreToolUse", rule)).toEqual([]);
  },
);

test("a condition of an event that takes none is not reported", () => {
  expect(problemsOf("Stop", "npm test")).toEqual([]);
});
