// Letters over the death of a process, at some of the moments; test/long has all of them.
import { expect, test } from "vitest";
import { clearGroundsAfterwards } from "../support.ts";
import { diesAndGoesOn } from "./dying.ts";

clearGroundsAfterwards();

test("a letter that was sent is read once, whenever the process dies", async () => {
  const whole = await diesAndGoesOn(Infinity);
  expect(whole).toBeGreaterThan(40);
  for (let most = 5; most < whole; most += Math.ceil(whole / 10)) await diesAndGoesOn(most);
});
