// What a copy of a session needs of the one that it is a copy of.
import { afterEach, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn, type Ground } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

test("long results of a session can be read in its fork, in a fork of that, and after a resume", async () => {
  const ground = layGround();
  let spilled = "";
  const counting = scripted({
    steps: [
      { content: [{ tool: "Bash", input: { command: "seq 1 60000" } }] },
      (request) => {
        spilled = /\/\S+tool-results\/[\w.-]+\w/.exec(request.lastToolResults[0]!.text)?.[0] ?? "";
        return "Counted.";
      },
    ],
  });
  const first = await openOn(ground, counting, { allowedTools: ["Bash"] });
  await turn(first, "Count.");
  await first.dispose();
  const copy = await reading(ground, spilled, { resume: first.getSessionId(), forkSession: true });
  const again = await reading(ground, spilled, { resume: copy.getSessionId() });
  expect(again.getSessionId()).toBe(copy.getSessionId());
  await reading(ground, spilled, { resume: copy.getSessionId(), forkSession: true });
  const elsewhere = layGround();
  const folders = { ...elsewhere, home: ground.home, pawlHome: ground.pawlHome };
  await reading(folders, spilled, { resume: first.getSessionId(), forkSession: true });
});

async function reading(ground: Ground, path: string, options: EngineOptions): Promise<QueryEngine> {
  const model = scripted({
    steps: [
      { content: [{ tool: "Read", input: { file_path: path, offset: 30_000, limit: 1 } }] },
      (request) => request.lastToolResults[0]!.text,
    ],
  });
  const engine = await openOn(ground, model, options);
  const { result } = await turn(engine, "Read it.");
  expect(result).toMatchObject({ result: expect.stringContaining("30000") });
  await engine.dispose();
  return engine;
}
