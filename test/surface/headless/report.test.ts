// What is told of a run that nobody watches.
import { expect, test } from "vitest";
import type { SDKMessage } from "../../../src/protocol/sdk.ts";
import { RunReport } from "../../../src/surface/headless/report.ts";
import { StopDesk } from "../../../src/surface/stop.ts";
import { assistant, success, system } from "../support/messages.ts";

function toldOf(...messages: SDKMessage[]): string[] {
  const told: string[] = [];
  const report = new RunReport({ tell: (text) => void told.push(text), stop: new StopDesk() });
  for (const message of messages) report.note(message);
  return told;
}

test("that an answer is not whole is not said where a hook had the model go on, and it is", () => {
  const paused = system({ subtype: "informational", level: "warning", tag: "answer_unfinished", content: "Paused." });
  const whole = assistant({ type: "text", text: "done" });
  expect(toldOf(paused, whole, success("done"))).toEqual([]);
  expect(toldOf(paused, { ...whole, parent_tool_use_id: "t1" } as SDKMessage, success(""))).toEqual(["Paused."]);
});
