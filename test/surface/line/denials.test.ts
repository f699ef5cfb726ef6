// Calls that are refused by a rule, a mode or a hook, on a terminal and in the progress of pawl -p.
import { expect, test } from "vitest";
import { createProgress } from "../../../src/surface/headless/progress.ts";
import { plainStyle } from "../../../src/surface/show/style.ts";
import { assistant, failure, success, system, toolResult } from "../support/messages.ts";
import { start } from "./talk.ts";

const call = (id: string, command: string): object => ({ type: "tool_use", id, name: "Bash", input: { command } });
const denied = (id: string, message: string) =>
  system({ subtype: "permission_denied", tool_name: "Bash", tool_use_id: id, decision_reason_type: "rule", message });

test("a refusal names its call if it is not right below the call's line", async () => {
  const { type, text } = start(() => [
    assistant(call("t1", "pwd") as never, call("t2", "ls") as never),
    denied("t1", "not here"),
    toolResult("a.txt", false, "t2"),
    toolResult("not here", true, "t1"),
    success("x"),
  ]);
  await type("go\r");
  expect(text()).toContain("● Bash pwd\n● Bash ls\nBash pwd: not here\n  └ Bash ls: a.txt\n(");
});

test("a refusal right below its call does not name the call", async () => {
  const { type, text } = start(() => [
    assistant(call("t1", "pwd") as never),
    denied("t1", "not here"),
    toolResult("not here", true, "t1"),
    success("x"),
  ]);
  await type("go\r");
  expect(text()).toContain("● Bash pwd\nnot here\n(");
});

test("a call that an interrupt has ended is not reported as refused", async () => {
  const { promise: interrupted, resolve } = Promise.withResolvers<void>();
  const interrupt = (): boolean => {
    resolve();
    return true;
  };
  const { type, text } = start(
    async function* () {
      yield assistant(call("t1", "pwd") as never);
      await interrupted;
      yield { ...denied("t1", "the run was cancelled"), decision_reason_type: "other" };
      yield toolResult("the run was cancelled", true, "t1");
      yield failure("error_during_execution", "aborted_tools", ["Interrupted by user"]);
    },
    { overrides: { interrupt } },
  );
  await type("go\r");
  await type("\x03");
  expect(text()).toContain("● Bash pwd\n(interrupting; Ctrl+C again exits at once)\nInterrupted by user\n");
});

test("the progress of pawl -p names the refused call, too", () => {
  const lines: string[] = [];
  const cost = () => ({ totalUsd: 0, modelUsage: {} }) as never;
  const show = createProgress({
    write: (line) => void lines.push(line),
    style: plainStyle,
    width: 80,
    cwd: "/w",
    cost,
  });
  for (const message of [assistant(call("t1", "pwd") as never, call("t2", "ls") as never), denied("t1", "not here")])
    show(message);
  expect(lines).toEqual(["● Bash pwd", "● Bash ls", "Bash pwd: not here"]);
});

test("a hook's refusal names the hook as its source", async () => {
  const byHook = (message: string) => ({ ...denied("t1", message), decision_reason_type: "hook" });
  const { type, text } = start(() => [
    assistant(call("t1", "rm -rf build") as never),
    byHook("no rm -rf here"),
    byHook('A hook refused Bash "ls" and said: no'),
    success("x"),
  ]);
  await type("go\r");
  expect(text()).toContain('build\nA hook refused Bash: no rm -rf here\nA hook refused Bash "ls" and said: no\n(');
});
