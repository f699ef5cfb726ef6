// A model that is chosen while the loop runs, as a host of the loop alone chooses one.
import { expect, test } from "vitest";
import type { ChosenModel } from "../../src/loop/ports.ts";
import { expectSound } from "./support/after.ts";
import { createHarness } from "./support/harness.ts";
import { call, say, toolUse } from "./support/script.ts";

test("a model that the port answers is asked as it says until another is chosen, also if the port then answers nothing", async () => {
  const b: ChosenModel = { model: "model-b", thinking: { type: "disabled" }, effort: "low" };
  const answers = [undefined, b, undefined, { model: "model-c", thinking: { type: "auto" as const } }];
  const model = [call(toolUse("Read")), call(toolUse("Read")), call(toolUse("Read")), say("Done.")];
  const harness = createHarness({ model, config: { thinking: { type: "adaptive" }, effort: "high" } });
  harness.ports.chosenModel = () => answers.shift();
  const driven = await harness.run();
  const asked = harness.model.requests.map((request) => [request.model, request.thinking.type, request.effort]);
  expect(asked).toEqual([
    ["model-a", "adaptive", "high"],
    ["model-b", "disabled", "low"],
    ["model-b", "disabled", "low"],
    ["model-c", "auto", undefined],
  ]);
  expectSound({ ...harness, ...driven, harness, transcriptFailed: false });
});
