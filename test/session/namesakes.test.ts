// Sessions of folders whose transcripts lie in one place, as their paths differ in punctuation alone.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

test("continues a copy in the folder where it was made, and its original where that was started", async () => {
  const ground = layGround();
  const [dashed, nested] = [join(ground.work, "web-api"), join(ground.work, "web", "api")];
  for (const folder of [dashed, nested]) mkdirSync(folder, { recursive: true });
  const ran = async (options: object): Promise<string> => {
    const engine = await openOn(ground, scripted({ fallback: "Noted." }), options);
    await turn(engine, "Hi.");
    await engine.dispose();
    return engine.getSessionId();
  };
  const first = await ran({ cwd: dashed });
  const copy = await ran({ cwd: nested, resume: first, forkSession: true });
  expect(copy).not.toBe(first);
  expect(await ran({ cwd: nested, continue: true })).toBe(copy);
  expect(await ran({ cwd: dashed, continue: true })).toBe(first);
});
