// Letters over the death of a process, after each single change of the disk.
import { expect, test } from "vitest";
import { clearGrounds, clearGroundsAfterwards } from "../session/support.ts";
import { diesAndGoesOn } from "../session/team/dying.ts";

clearGroundsAfterwards();

test("a letter that was sent is read once, wherever the process dies", { timeout: 600_000 }, async () => {
  const whole = await diesAndGoesOn(Infinity);
  expect(whole).toBeGreaterThan(40);
  for (let most = 0; most < whole; most++) {
    await diesAndGoesOn(most);
    clearGrounds();
  }
});
