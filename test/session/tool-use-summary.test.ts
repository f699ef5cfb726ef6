// One line about a batch of calls, by the small model: off by default, on the ledger, and never in the way.
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { Script } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const glob = (pattern: string) => ({ tool: "Glob", input: { pattern } });
const three = { content: [glob("a*"), glob("b*"), glob("c*")] };
const isSmall = (body: { model?: unknown } | null | undefined): boolean => String(body?.model).includes("haiku");

async function run(script: Script, options: EngineOptions) {
  const { engine, model } = await openSession(script, options);
  const ran = await turn(engine, "Look around.");
  const told = ran.messages.filter((message) => message.type === "tool_use_summary");
  const small = calls(model).filter(({ body }) => isSmall(body));
  expect(model.violations).toEqual([]);
  return { ...ran, engine, model, told, small };
}

const line = { when: { model: /haiku/ }, reply: "Looked for files\nin three ways" };

test("a tool use summary is made by the small model, sent once, and billed", async () => {
  const { told, small, engine, result } = await run(
    { rules: [line], steps: [three, "Done."] },
    { toolUseSummaries: true },
  );
  expect(told).toMatchObject([{ summary: "Looked for files in three ways" }]);
  expect(told[0]?.type === "tool_use_summary" && told[0].preceding_tool_use_ids).toHaveLength(3);
  expect(small).toHaveLength(1);
  expect(JSON.stringify(small[0]?.body?.messages)).toContain("a*");
  expect(small[0]?.body).not.toHaveProperty("tools");
  expect(Object.keys(engine.getCost().modelUsage).toSorted()).toEqual(["claude-haiku-5-5", "claude-sonnet-5-5"]);
  expect(result.num_turns).toBe(2);
});

test("no tool use summary is made by default, or for two calls", async () => {
  expect((await run({ rules: [line], steps: [three, "Done."] }, {})).small).toEqual([]);
  const two = { content: [glob("a*"), glob("b*")] };
  expect((await run({ rules: [line], steps: [two, "Done."] }, { toolUseSummaries: true })).small).toEqual([]);
});

test("no tool use summary is made if the server has no small model, which is asked once", async () => {
  const missing = { when: { model: /haiku/ }, reply: { fault: "not_found" as const } };
  const { told, small, result } = await run(
    { rules: [missing], steps: [three, three, three, "Done."] },
    { toolUseSummaries: true },
  );
  expect(told).toEqual([]);
  expect(small).toHaveLength(1);
  expect(result).toMatchObject({ subtype: "success", result: "Done." });
});

test("a tool use summary takes no money that a turn needs", async () => {
  const { small, result } = await run(
    { rules: [line], steps: [three, "Done."] },
    { toolUseSummaries: true, maxBudgetUsd: 0.12, maxOutputTokens: 2_000 },
  );
  expect(result.subtype).toBe("success");
  expect(small.length).toBeLessThanOrEqual(1);
});
