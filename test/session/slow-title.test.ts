// A notice tells people who wait while thousands of sessions are searched for a title.
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { clearGroundsAfterwards, disposeAll, impatientClock, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

test.each<[ms: number, told: number]>([
  [1_500, 1],
  [1, 0],
])("a search for a title with %d ms per file is announced %d time(s)", async (ms, told) => {
  const ground = layGround();
  for (const title of ["One", "Two", "Three"]) {
    const engine = await openOn(ground, scripted({ fallback: "Answer." }), { title });
    await turn(engine, "First.");
    await engine.dispose();
  }
  let now = 0;
  const clock: EngineOptions["clock"] = { ...impatientClock, elapsed: () => (now += ms) };
  const notices: string[] = [];
  const onNotice = (text: string) => void notices.push(text);
  const engine = await openOn(ground, scripted({}), { resume: "Two", clock, onNotice });
  expect(engine.getMessages().length).toBeGreaterThan(0);
  expect(notices.filter((text) => text.includes("looking for that title"))).toHaveLength(told);
});
