// A task budget over compactions: the API counts what it is sent, so only the removed tokens are reported.
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { Part, Rule, ScriptedModel } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  impatientClock,
  layGround,
  openOn,
  scripted,
  turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const window = 20_000;
const total = 100_000;
const rules: Rule[] = [
  { when: { compacts: true }, reply: "They read." },
  { when: { lastUserText: "the conversation is about to be shortened" }, reply: "They read." },
];

interface Budget {
  total: number;
  remaining?: number;
}

/** Forty pages, with a budget; the budget of each request of the loop, in order, and whether it began with a summary. */
async function read(compaction: boolean, extra: EngineOptions = {}) {
  const ground = layGround();
  const path = ground.file("book.txt", "some words of a page, and some more\n".repeat(5_000));
  let made = 0;
  const model: ScriptedModel = scripted({
    window,
    rules,
    fallback: () => {
      const page: Part = { tool: "Read", input: { file_path: path, offset: made * 100 + 1, limit: 100 } };
      return ++made % 41 === 0 ? "Done." : { content: [page] };
    },
  });
  const known = { contextWindow: window, maxOutputTokens: 2_000, compaction };
  const engine = await openOn(ground, model, {
    model: "claude-opus-4-8",
    settings: JSON.stringify({ models: { "claude-opus-4-8": known } }),
    taskBudget: { total },
    clock: impatientClock,
    maxTurns: 100,
    env: { DISABLE_MICROCOMPACT: "1", DISABLE_CONTEXT_COLLAPSE: "1" },
    ...extra,
  });
  expect((await turn(engine, "Read.")).result.subtype).toBe("success");
  expect(model.violations).toEqual([]);
  const requests = calls(model).filter(({ source }) => source === "fallback");
  const budgets = requests.map(({ body }) => body!.output_config!["task_budget"] as Budget);
  return { engine, model, budgets };
}

test("sends no remaining budget before a compaction, and afterwards the rest, unchanged until the next one", async () => {
  const { budgets, engine, model } = await read(false);
  const told = budgets.map(({ remaining }) => remaining);
  expect(budgets.every((budget) => budget.total === total)).toBe(true);
  expect(told.slice(0, 5)).toEqual(Array(5).fill(undefined));
  const figures = [...new Set(told)];
  expect(figures[0]).toBeUndefined();
  const rest = figures.slice(1) as number[];
  expect(rest.length).toBeGreaterThan(1);
  expect(rest).toEqual(rest.toSorted((one, other) => other - one));
  expect(rest[0]).toBeLessThan(total - 5_000);
  expect(rest[0]).toBeGreaterThan(total - window);
  // Each prompt has a budget of its own.
  await turn(engine, "More.");
  const next = calls(model).findLast(({ source }) => source === "fallback")!;
  expect(next.body!.output_config!["task_budget"]).toMatchObject({ total });
});

test("sends no remaining budget with signed summaries, with which the API refuses it", async () => {
  const { budgets, model } = await read(true);
  expect(calls(model).filter(({ body }) => body!["compaction"] !== undefined).length).toBeGreaterThan(1);
  expect(budgets.map(({ remaining }) => remaining).filter((remaining) => remaining !== undefined)).toEqual([]);
});
