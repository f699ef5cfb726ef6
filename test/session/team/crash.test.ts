// Letters over the death of a process, at some of the moments; test/long has all of them.
import { expect, test } from "vitest";
import { clearGroundsAfterwards } from "../support.ts";
import { diesAndGoesOn } from "./dying.ts";

clearGroundsAfterwards();

test("delivers a sent message exactly once to a teammate that knows its task, whenever the process dies", async () => {
  const whole = await diesAndGoesOn(Infinity);
  expect(whole).toBeGreaterThan(40);
  // Ada has a transcript by then, and nothing that she was told.
  await diesAndGoesOn(29);
  for (let most = 5; most < whole; most += Math.ceil(whole / 10)) await diesAndGoesOn(most);
});
