// What a resumed session knows of the end of its last turn: whether it was cut off with its process, or had its own end.
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import type { Reply } from "../../src/testing/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn, type Ground } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const slow: Reply = { content: ["One.", "Two."], fault: { kind: "stall", at: "mid_last_block" } };
const calls: Reply = { content: [{ tool: "Nothing", input: {} }] };
type Steps = NonNullable<Parameters<typeof scripted>[0]>["steps"];

async function talkedIn(
  ground: Ground,
  steps: Steps,
  options: Partial<EngineOptions> = {},
  on?: (engine: QueryEngine) => void,
) {
  const engine = await openOn(ground, scripted({ steps }), options);
  for await (const message of engine.submitMessage("Go.")) if (message.type === "assistant") on?.(engine);
  return engine;
}

async function wasCutOff(ground: Ground, engine: QueryEngine): Promise<boolean | undefined> {
  await engine.dispose();
  const resumed = await openOn(ground, scripted({ fallback: "Done." }), { resume: engine.getSessionId() });
  return resumed.background.wasCutOff;
}

test.each<[string, Steps, Partial<EngineOptions>, ((engine: QueryEngine) => void) | undefined, boolean]>([
  ["terminated by a signal", [slow], {}, (engine) => void engine.interrupt("terminate"), true],
  ["stopped by its user", [slow], {}, (engine) => void engine.interrupt(), false],
  ["ended with an answer", ["Done."], {}, undefined, false],
  ["ended at the limit of its turns", [calls], { maxTurns: 1 }, undefined, false],
])("the last turn counts as cut off or not after it was %s", async (_, steps, options, on, expected) => {
  const ground = layGround();
  expect(await wasCutOff(ground, await talkedIn(ground, steps, options, on))).toBe(expected);
});

test("the last turn counts as cut off if the process was killed in the middle of an answer", async () => {
  const ground = layGround();
  const engine = await talkedIn(ground, [{ content: [{ thinking: "Hm." }, "One."] }]);
  const path = engine.getTranscriptPath()!;
  await engine.dispose();
  const lines = readFileSync(path, "utf8").split("\n");
  const thought = lines.findIndex((line) => line.includes('"type":"assistant"'));
  writeFileSync(path, `${lines.slice(0, thought + 1).join("\n")}\n`);
  expect(await wasCutOff(ground, engine)).toBe(true);
});

test("whether the last turn was cut off is unknown if something else was recorded after it", async () => {
  const ground = layGround();
  const engine = await talkedIn(ground, ["Done."]);
  engine.append("By the way.");
  expect(await wasCutOff(ground, engine)).toBeUndefined();
});

test("whether the last turn was cut off is unknown if the session was resumed at an earlier message", async () => {
  const ground = layGround();
  const engine = await talkedIn(ground, ["Done."]);
  const answer = engine.getMessages().findLast(({ type }) => type === "assistant")!;
  await turn(engine, "More.").catch(() => undefined);
  await engine.dispose();
  const options = { resume: engine.getSessionId(), resumeSessionAt: answer.uuid };
  const resumed = await openOn(ground, scripted({ fallback: "Done." }), options);
  expect(resumed.background.wasCutOff).toBeUndefined();
});
