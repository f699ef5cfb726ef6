// Programs give their words with each resume: what is sent stays what it was.
import { execFileSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

test.each<[string, EngineOptions]>([
  ["an appended prompt", { appendSystemPrompt: "Rhyme." }],
  ["a prompt of its own", { systemPrompt: "You rhyme." }],
])("a resume with the same words sends the same bytes, thoughts with them: %s", async (_name, words) => {
  const ground = layGround();
  execFileSync("git", ["init", "-q"], { cwd: ground.work });
  const model = scripted({ fallback: { content: [{ thinking: "hm" }, "So."] } });
  const first = await openOn(ground, model, words);
  await turn(first, "1");
  await first.dispose();
  ground.file("new.txt", "What git tells of the folder is another by now.");
  // One between without them goes on in those of before.
  for (const given of [words, {}, words]) {
    const engine = await openOn(ground, model, { ...given, resume: first.getSessionId() });
    await turn(engine, "2");
    await engine.dispose();
  }
  const [before, ...later] = calls(model).map(({ body }) => body!);
  expect(later).toHaveLength(3);
  for (const { system, messages } of later) {
    expect(system).toEqual(before!.system);
    expect(JSON.stringify(messages)).toContain('"type":"thinking"');
  }
  expect(model.violations).toEqual([]);
});
