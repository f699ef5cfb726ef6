// What is reported about a run that nobody watches.
import { expect, test } from "vitest";
import type { SDKMessage } from "../../../src/protocol/sdk.ts";
import { RunReport } from "../../../src/surface/headless/report.ts";
import { StopDesk } from "../../../src/surface/stop-desk.ts";
import { assistant, failure, success, system } from "../support/messages.ts";

function toldOf(...messages: SDKMessage[]): string[] {
  const told: string[] = [];
  const report = new RunReport({
    notify: (text) => void told.push(text),
    stop: new StopDesk(),
    printsWarnings: true,
  });
  for (const message of messages) report.onMessage(message);
  return told;
}

const informed = (content: string, level: string, tag?: string): SDKMessage =>
  system({ subtype: "informational", level, content, ...(tag === undefined ? {} : { tag }) });

const broken = failure("error_during_execution", "model_error", ["no such model"]);
const command = (is_error: boolean): SDKMessage => success("$0.01", { local_command: "cost", is_error });

// Seen: in a script's log a guard that failed at each call left no word.
test("prints each different warning once, but no notices and nothing that the result repeats", () => {
  const failed = informed("PreToolUse: guard failed; it counts as a pass.", "warning", "hook");
  const other = informed("Stop: guard failed; it counts as a pass.", "warning", "hook");
  const elsewhere = [
    informed("Reached maximum number of turns (3)", "warning", "max_turns_reached"),
    informed("/x: the file is gone", "warning", "command_failed"),
    informed("waiting for an answer", "warning", "waiting:question"),
    informed("for your information", "notice"),
  ];
  expect(toldOf(failed, failed, ...elsewhere, other)).toEqual([
    "PreToolUse: guard failed; it counts as a pass.",
    "Stop: guard failed; it counts as a pass.",
  ]);
});

test("says that an answer is unfinished, unless the model has continued", () => {
  const paused = system({ subtype: "informational", level: "warning", tag: "answer_unfinished", content: "Paused." });
  const whole = assistant({ type: "text", text: "done" });
  expect(toldOf(paused, whole, success("done"))).toEqual([]);
  expect(toldOf(paused, { ...whole, parent_tool_use_id: "t1" } as SDKMessage, success(""))).toEqual(["Paused."]);
});

test("names the hook and the tool in a hook's refusal", () => {
  const denied = { subtype: "permission_denied", tool_name: "Bash", tool_use_id: "t1", decision_reason_type: "hook" };
  const told: string[] = [];
  const report = new RunReport({ notify: (text) => void told.push(text), stop: new StopDesk() });
  for (const message of [system({ ...denied, message: "no rm -rf here" }), success("done")]) report.onMessage(message);
  report.close({ engine: undefined, writer: { failure: undefined }, isDrained: true });
  expect(told).toEqual(["A hook refused Bash: no rm -rf here"]);
});

test.each([
  ["a command that succeeds after a failed turn", [broken, command(false)], 1],
  ["a command that fails after a turn", [success("done"), command(true)], 1],
  ["a command alone", [command(false)], 0],
  ["a turn that succeeds after a failed one and a command", [broken, command(false), success("done")], 0],
])("the exit code is that of the last turn or of a failed command: %s", (_, results, expected) => {
  const report = new RunReport({ notify: () => undefined, stop: new StopDesk() });
  for (const result of results) report.onMessage(result);
  expect(report.close({ engine: undefined, writer: { failure: undefined }, isDrained: true })).toBe(expected);
});
