// Programs give their words with each resume: what is sent stays what it was.
import { execFileSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { serverOf, toolNamed } from "../mcp/support.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

test.each<[string, EngineOptions]>([
  ["an appended prompt", { appendSystemPrompt: "Rhyme." }],
  ["its own system prompt", { systemPrompt: "You rhyme." }],
])("a resume with the same prompt sends the same bytes, including thinking: %s", async (_name, words) => {
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

const agent = { description: "looks", prompt: "You look." };
const server = serverOf({ tools: [toolNamed("say")] });

test.each<[string, (names: string[]) => EngineOptions]>([
  ["agents", (names) => ({ agents: Object.fromEntries(names.map((name) => [name, agent])) })],
  ["servers", (names) => ({ mcpServers: Object.fromEntries(names.map((name) => [name, server])) })],
])("a resume with the same %s in another order sends the same bytes", async (_name, optionsOf) => {
  const ground = layGround();
  const model = scripted({ fallback: { content: [{ thinking: "hm" }, "So."] } });
  let resume: string | undefined;
  for (const names of [
    ["two", "one", "three"],
    ["three", "two", "one"],
  ]) {
    const engine = await openOn(ground, model, { ...optionsOf(names), resume });
    await turn(engine, "Go on.");
    resume = engine.getSessionId();
    await engine.dispose();
  }
  const [before, after] = calls(model).map(({ body }) => body!);
  expect(after?.tools).toEqual(before?.tools);
  expect(JSON.stringify(after?.messages)).toContain('"type":"thinking"');
});
