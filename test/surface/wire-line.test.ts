// Programs that show nothing of a result but its text.
import { expect, test } from "vitest";
import { wireLine } from "../../src/surface/wire-line.ts";
import { failure, success } from "./support/messages.ts";

const sent = (message: Parameters<typeof wireLine>[0]): unknown => JSON.parse(wireLine(message));

test("an answer that failed has its reason as its text, and stays no success", () => {
  const failed = failure("error_during_execution", "model_error", ["no such model", "and no other"]);
  expect(sent(failed)).toEqual({ ...failed, result: "no such model\nand no other" });
  expect(sent(failed)).toMatchObject({ subtype: "error_during_execution", is_error: true });
});

test.each([
  failure("error_during_execution", "aborted_tools", ["Interrupted by user"]),
  failure("error_max_turns", "max_turns", ["Reached maximum number of turns (3)"]),
  success("4"),
])("others are as they are: $subtype", (message) => {
  expect(sent(message)).toEqual(message);
});
