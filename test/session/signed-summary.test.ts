// Signed summaries in whole sessions, against the strict server: thinking that stays valid, costs, other models, other servers.
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { Part, Rule, ScriptedModel } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  expectSame,
  type Ground,
  impatientClock,
  layGround,
  openOn,
  scripted,
  turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const signed: Rule = { name: "signed", when: { compacts: true }, reply: "They read files." };
const own: Rule = {
  name: "own",
  when: { lastUserText: "the conversation is about to be shortened" },
  reply: "Own words.",
};
/** Windows of 20,000 tokens, which the catalogue knows and the server keeps to. */
const window = 20_000;
const models = Object.fromEntries(
  ["claude-sonnet-5-5", "claude-opus-4-5", "claude-opus-5"].map((id) => [
    id,
    { contextWindow: window, maxOutputTokens: 2_000 },
  ]),
);
const small = {
  settings: JSON.stringify({ models }),
  clock: impatientClock,
  maxTurns: 60,
  // What is measured here was measured without it.
  disallowedTools: ["Agent"],
  env: { DISABLE_MICROCOMPACT: "1" },
} satisfies EngineOptions;

function files(ground: Ground, count: number): string[] {
  const text = "ten words or so, one line of a longer text\n".repeat(100);
  return Array.from({ length: count }, (_, at) => ground.file(`file${at}.txt`, `${at}: ${text}`));
}

/** A job of `turns` calls, with thinking before each. */
function job(paths: readonly string[], rules: Rule[] = [signed]): ScriptedModel {
  let made = 0;
  return scripted({
    window,
    rules,
    fallback: () => {
      const path = paths[made++ % paths.length]!;
      const read: Part = { tool: "Read", input: { file_path: path } };
      return made % 21 === 0 ? "Done." : { content: [{ thinking: `thought ${made}` }, read] };
    },
  });
}

const boundaries = (messages: readonly SDKMessage[]) =>
  messages.filter((message) => message.type === "system" && message.subtype === "compact_boundary");
const tags = (messages: readonly SDKMessage[]) =>
  messages.map((message) =>
    message.type === "system" && message.subtype === "informational" ? message.tag : undefined,
  );
const asks = (model: ScriptedModel) => calls(model).filter(({ body }) => body!["compaction"] !== undefined);

test("a long task passes several signed summaries, keeps thinking, memory and first prompt, and every call is billed", async () => {
  const ground = layGround();
  ground.file("CLAUDE.md", "Always be exact.");
  const model = job(files(ground, 25));
  const engine = await openOn(ground, model, small);
  const { messages, result } = await turn(engine, "Read everything.");
  expect(result.subtype).toBe("success");
  expect(boundaries(messages).length).toBeGreaterThanOrEqual(2);
  expect(asks(model)).toHaveLength(boundaries(messages).length);
  expect(model.violations).toEqual([]);
  expect(tags(messages)).not.toContain("thinking_repaired");
  const last = JSON.stringify(calls(model).at(-1)!.body!.messages);
  for (const kept of ["They read files.", "Always be exact.", "Read everything.", '"type":"thinking"'])
    expect(last).toContain(kept);
  expect(engine.getCost().totalUsd).toBeCloseTo(model.bill.totalUsd, 10);
  expectSame(engine);
});

test("the request for a signed summary reads the conversation from the cache", async () => {
  const ground = layGround();
  const model = job(files(ground, 25));
  await turn(await openOn(ground, model, small), "Read everything.");
  for (const { cache } of asks(model)) expect(cache!.readTokens / cache!.promptTokens).toBeGreaterThan(0.8);
});

test("sends the same block after a resume, a fork and on other supporting models; others get its text", async () => {
  const ground = layGround();
  const model = job(files(ground, 25));
  const engine = await openOn(ground, model, small);
  await turn(engine, "Read everything.");
  const block = calls(model).at(-1)!.body!.messages[0]!.content;
  await engine.dispose();
  const said = scripted({ window, rules: [signed], fallback: "Yes." });
  const first = () => calls(said).at(-1)!.body!.messages[0]!;
  const resume = engine.getSessionId();
  for (const more of [{}, { forkSession: true }, { model: "claude-opus-5" }]) {
    const next = await openOn(ground, said, { ...small, ...more, resume });
    expect((await turn(next, "Go on.")).result.subtype).toBe("success");
    expect(first().content[0]).toEqual(block[0]);
    await next.dispose();
  }
  const older = await openOn(ground, said, { ...small, model: "claude-opus-4-5", resume });
  expect((await turn(older, "Go on.")).result.subtype).toBe("success");
  expect(first().role).toBe("user");
  expect(JSON.stringify(first())).toContain("They read files.");
  expect(said.violations).toEqual([]);
});

test("sends the text if the API refuses its block, says so once, and requests no more signed summaries", async () => {
  const ground = layGround();
  const paths = files(ground, 25);
  const model = job(paths);
  const engine = await openOn(ground, model, small);
  await turn(engine, "Read everything.");
  await engine.dispose();
  // The same model at another endpoint, which has no such beta.
  const elsewhere = scripted({
    window,
    models: { "claude-sonnet-5-5": { compaction: false } },
    rules: [own],
    fallback: "Yes.",
  });
  const resumed = await openOn(ground, elsewhere, { ...small, resume: engine.getSessionId() });
  const { messages, result } = await turn(resumed, "Go on.");
  expect(result.subtype).toBe("success");
  expect(tags(messages).filter((tag) => tag === "summary_repaired")).toHaveLength(1);
  expect(elsewhere.violations).toHaveLength(1);
  expect(JSON.stringify(calls(elsewhere).at(-1)!.body!.messages[0])).toContain("They read files.");
  expect((await turn(resumed, "And on.")).result.subtype).toBe("success");
  expect(elsewhere.violations).toHaveLength(1);
  expectSame(resumed);
  await resumed.dispose();
  const again = await openOn(ground, elsewhere, { ...small, resume: engine.getSessionId() });
  await turn(again, "Once more.");
  expect(elsewhere.violations).toHaveLength(1);
});

test("makes its own summary if the API writes none, says so once, and requests no more signed summaries", async () => {
  const ground = layGround();
  let made = 0;
  const paths = files(ground, 25);
  const model = scripted({
    window,
    models: { "claude-sonnet-5-5": { compaction: false } },
    rules: [own],
    fallback: () => {
      const read: Part = { tool: "Read", input: { file_path: paths[made++]! } };
      return made === 21 ? "Done." : { content: [{ thinking: "hm" }, read] };
    },
  });
  const engine = await openOn(ground, model, small);
  const { messages, result } = await turn(engine, "Read everything.");
  expect(result.subtype).toBe("success");
  expect(boundaries(messages).length).toBeGreaterThanOrEqual(2);
  expect(tags(messages).filter((tag) => tag === "signed_summary_refused")).toHaveLength(1);
  expect(asks(model)).toHaveLength(1);
  expect(model.violations).toHaveLength(1);
  expect(engine.getCost().totalUsd).toBeCloseTo(model.bill.totalUsd, 10);
});

test("asks a server that ignores the parameter only once", async () => {
  const ground = layGround();
  let made = 0;
  const paths = files(ground, 25);
  const model = scripted(
    {
      window,
      rules: [own],
      fallback: () => {
        const read: Part = { tool: "Read", input: { file_path: paths[made++]! } };
        return made >= 21 ? "Done." : { content: ["Reading.", read] };
      },
    },
    { endpoint: "compatible" },
  );
  const engine = await openOn(ground, model, small);
  const { messages, result } = await turn(engine, "Read everything.");
  expect(result.subtype).toBe("success");
  expect(tags(messages).filter((tag) => tag === "signed_summary_refused")).toHaveLength(1);
  expect(asks(model)).toHaveLength(1);
});

test("requests no signed summary without betas, and sends an existing one as text", async () => {
  const ground = layGround();
  const paths = files(ground, 25);
  const plain = { ...small, env: { ...small.env, CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1" } };
  const model = job(paths, [own]);
  const { messages, result } = await turn(await openOn(ground, model, plain), "Read everything.");
  expect(result.subtype).toBe("success");
  expect(boundaries(messages).length).toBeGreaterThanOrEqual(1);
  expect(tags(messages)).not.toContain("signed_summary_refused");
  const signing = job(paths);
  const engine = await openOn(ground, signing, small);
  await turn(engine, "Read everything.");
  await engine.dispose();
  expect(calls(signing).some(({ headers }) => headers["anthropic-beta"]?.includes("compact-"))).toBe(true);
  const said = scripted({ window, fallback: "Yes." });
  const resumed = await openOn(ground, said, { ...plain, resume: engine.getSessionId() });
  const { messages: later } = await turn(resumed, "Go on.");
  expect(JSON.stringify(calls(said)[0]!.body!.messages[0])).toContain("They read files.");
  // What was thought after the signed block is bound to it.
  expect(tags(later).filter((tag) => tag === "thinking_repaired")).toHaveLength(1);
  expect(calls(said).map(({ outcome }) => outcome)).toEqual(["refused", "complete"]);
  for (const { headers } of [...calls(model), ...calls(said)]) expect(headers["anthropic-beta"]).toBeUndefined();
  expect(model.violations).toEqual([]);
});

test("a longer request timeout also applies to the request for a summary", async () => {
  const limits = async (env: Record<string, string>) => {
    const asked = new Set<number>();
    const clock: typeof impatientClock = {
      ...impatientClock,
      timer(ms, onFire) {
        asked.add(ms);
        return impatientClock.timer(ms, onFire);
      },
    };
    const ground = layGround();
    const model = job(files(ground, 25));
    await turn(await openOn(ground, model, { ...small, clock, env: { ...small.env, ...env } }), "Read everything.");
    expect(asks(model)).not.toHaveLength(0);
    return [...asked].filter((ms) => ms === 300_000 || ms === 3_000_000);
  };
  expect(await limits({})).toEqual([300_000]);
  expect(await limits({ API_TIMEOUT_MS: "3000000" })).toEqual([3_000_000]);
});
