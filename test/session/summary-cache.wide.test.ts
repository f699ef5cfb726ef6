// A summary's request begins with the bytes of the conversation's own: the server finds them in its cache, whatever was set.
import { afterEach, expect, test } from "vitest";
import { tool, type EngineOptions } from "../../src/index.ts";
import type { Part, RequestRecord, Rule } from "../../src/testing/index.ts";
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

const window = 24_000;
const own: Rule = {
  name: "summary",
  when: { lastUserText: "the conversation is about to be shortened" },
  reply: "They read.",
};
const signed: Rule = { name: "summary", when: { compacts: true }, reply: "They read." };
const weather = tool("Weather", "Tells the weather.", { type: "object", properties: {} }, async () => ({
  content: "sunny",
}));

/** Forty pages; the summaries' requests and the one before each. */
async function summaries(model: string, compaction: boolean, extra: EngineOptions) {
  const ground = layGround();
  const path = ground.file("book.txt", "some words of a page, and some more\n".repeat(5_000));
  let made = 0;
  const server = scripted({
    window,
    rules: [signed, own],
    fallback: () => {
      const page: Part = { tool: "Read", input: { file_path: path, offset: made * 60 + 1, limit: 60 } };
      // Where the API forgets the thinking of a turn once the next begins, that alone makes another prefix.
      const thought: Part[] = model === "claude-sonnet-4-5" ? [] : [{ thinking: "hm" }];
      return ++made % 41 === 0 ? "Done." : { content: [...thought, page] };
    },
  });
  const engine = await openOn(ground, server, {
    model,
    settings: JSON.stringify({ models: { [model]: { contextWindow: window, compaction } } }),
    clock: impatientClock,
    maxTurns: 100,
    env: { DISABLE_MICROCOMPACT: "1", DISABLE_CONTEXT_COLLAPSE: "1" },
    maxOutputTokens: 4_000,
    ...extra,
  });
  expect((await turn(engine, "Read.")).result.subtype).toBe("success");
  expect(server.violations).toEqual([]);
  const requests = calls(server);
  return requests.flatMap((request, at): [RequestRecord, RequestRecord][] =>
    request.source === 'rule "summary"' ? [[requests[at - 1]!, request]] : [],
  );
}

/** All but what differs in a summary: the messages, and how long it may be. */
function parameters({ body }: RequestRecord): Record<string, unknown> {
  return { ...body, messages: undefined, max_tokens: undefined, compaction: undefined };
}

test.each<[string, string, boolean, EngineOptions]>([
  ["our own", "claude-opus-5", false, {}],
  ["our own, with an effort", "claude-opus-5", false, { effort: "low" }],
  [
    "our own, with thinking of a fixed budget longer than an answer",
    "claude-sonnet-4-5",
    false,
    { thinking: { type: "enabled", budgetTokens: 10_000 } },
  ],
  ["our own, with thinking off", "claude-opus-4-8", false, { thinking: { type: "disabled" } }],
  ["our own, with tools of somebody else's", "claude-opus-5", false, { customTools: [weather], tools: ["Read"] }],
  ["our own, with a task budget", "claude-opus-5", false, { taskBudget: { total: 90_000 } }],
  ["the API's", "claude-opus-5-5", true, {}],
  ["the API's, with an effort", "claude-opus-5-5", true, { effort: "high" }],
])("the request for a summary reads the conversation from the cache: %s", async (_name, model, compaction, extra) => {
  const made = await summaries(model, compaction, extra);
  expect(made.length).toBeGreaterThan(0);
  for (const [before, { body, cache }] of made) {
    expect(body!["compaction"] !== undefined).toBe(compaction);
    expect(cache!.readTokens / cache!.promptTokens).toBeGreaterThan(0.8);
    const [{ output_config: one, ...main }, { output_config: other, ...rest }] = [
      before,
      { body } as RequestRecord,
    ].map(parameters) as [Record<string, unknown>, Record<string, unknown>];
    expect(rest).toEqual(main);
    expect((other as { effort?: string } | undefined)?.effort).toBe((one as { effort?: string } | undefined)?.effort);
  }
});
