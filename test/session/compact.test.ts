// A compaction the user asks for: what is shown of it, what the model is sent, and when it is refused.
import { afterEach, expect, test } from "vitest";
import type { QueryEngine } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { CompactAnswer } from "../../src/session/context/compaction.ts";
import type { Part, Rule } from "../../src/testing/index.ts";
import { readSession } from "../../src/transcript/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const isSummaryRequest = "the conversation is about to be shortened";
const signed: Rule = { when: { compacts: true }, reply: "They read long files." };
const own: Rule = { when: { lastUserText: isSummaryRequest }, reply: "They read long files." };
const refusing: Rule = { when: { compacts: true }, reply: { fault: "bad_request" } };
const read = (path: string): Part => ({ tool: "Read", input: { file_path: path } });

interface Ran {
  shown: SDKMessage[];
  answer: CompactAnswer;
}

async function compact(engine: QueryEngine, instructions?: string): Promise<Ran> {
  const run = engine.compact(instructions);
  const shown: SDKMessage[] = [];
  for (;;) {
    const step = await run.next();
    if (step.done === true) return { shown, answer: step.value };
    shown.push(step.value);
  }
}

function longFiles(ground: Ground, count: number): string[] {
  const text = "ten words or so, one line of a longer text\n".repeat(300);
  return Array.from({ length: count }, (_, at) => ground.file(`file${at}.txt`, `${at}: ${text}`));
}

async function afterReading(rules: Rule[] = [signed], count = 5) {
  const ground = layGround();
  const paths = longFiles(ground, count);
  let made = 0;
  const model = scripted({
    rules,
    fallback: () => (made < paths.length ? { content: [read(paths[made++]!)] } : "Done."),
  });
  const engine = await openOn(ground, model);
  await turn(engine, "Read everything.");
  return { ground, model, engine, paths };
}

const subtypes = (shown: readonly SDKMessage[]) =>
  shown.map((message) => (message.type === "system" ? message.subtype : message.type));

test("compact() replaces the older part by a summary, with which the next valid request begins", async () => {
  const { engine, model } = await afterReading();
  const { shown, answer } = await compact(engine, "  Keep the file names.  ");
  expect(answer).toMatchObject({ compacted: true });
  const boundary = shown.find((message) => message.type === "system" && message.subtype === "compact_boundary");
  expect(boundary).toMatchObject({ compact_metadata: { trigger: "manual", pre_tokens: expect.any(Number) } });
  expect(shown[0]).toMatchObject({ type: "system", subtype: "status", status: "compacting" });
  expect(shown.at(-1)).toMatchObject({ subtype: "status", status: null, compact_result: "success" });
  const asked = calls(model).at(-1)!;
  expect(asked.body!["compaction"]).toMatchObject({ instructions: expect.stringContaining("Keep the file names.") });
  await turn(engine, "Go on.");
  const next = JSON.stringify(calls(model).at(-1)!.body!.messages);
  expect(next).toContain("They read long files.");
  expect(next).toContain("Read everything.");
  expect(next).not.toContain("Your last reply was cut short");
  expect(model.violations).toEqual([]);
  expect(readSession(engine.getTranscriptPath()!).messages).toEqual(JSON.parse(JSON.stringify(engine.getMessages())));
});

test("compact() leaves a short conversation alone without a model call, and says why", async () => {
  const model = scripted({ steps: ["Hello."] });
  const engine = await openOn(layGround(), model);
  await turn(engine, "Hi.");
  const { shown, answer } = await compact(engine);
  expect(answer).toMatchObject({ compacted: false, why: expect.stringContaining("too little to leave out") });
  expect(shown).toMatchObject([{ status: null, compact_result: "failed", compact_error: expect.any(String) }]);
  expect(calls(model)).toHaveLength(1);
});

test("compact() has nothing to do in a session without prompts", async () => {
  const engine = await openOn(layGround(), scripted({}));
  expect((await compact(engine)).answer).toMatchObject({ compacted: false });
});

test("compact() leaves the conversation alone if no model can be asked, and says why", async () => {
  const failing: Rule = { when: { lastUserText: isSummaryRequest }, reply: { fault: "bad_request" } };
  const { engine } = await afterReading([refusing, failing]);
  const before = structuredClone(engine.getMessages());
  const { shown, answer } = await compact(engine);
  expect(answer).toMatchObject({ compacted: false, why: expect.stringMatching(/\w/u) });
  expect(shown.at(-1)).toMatchObject({ status: null, compact_result: "failed", compact_error: expect.any(String) });
  expect(engine.getMessages()).toEqual(before);
});

test("compact() is refused while a turn runs, and a turn is refused while it runs", async () => {
  const { engine } = await afterReading();
  const run = engine.submitMessage("More.");
  await run.next();
  await expect(engine.compact().next()).rejects.toThrow("A turn is running");
  for await (const message of run) expect(message).toBeDefined();
  const compaction = engine.compact();
  await compaction.next();
  await expect(engine.submitMessage("Now.").next()).rejects.toThrow("is running");
  await compaction.return({ compacted: false, why: "" });
  expect((await turn(engine, "Now.")).result.subtype).toBe("success");
});

test("compact() leaves the conversation alone if interrupted, but counts the cost of its call", async () => {
  const slow: Rule = { ...signed, reply: { content: "They read.", pace: { firstByteMs: 5 } } };
  const { engine } = await afterReading([slow]);
  const before = [...engine.getMessages()];
  const run = engine.compact();
  const first = await run.next();
  expect(first.value).toMatchObject({ status: "compacting" });
  engine.interrupt();
  let last = await run.next();
  for (; last.done !== true; last = await run.next());
  expect(last.value).toEqual({ compacted: false, why: "interrupted" });
  expect(engine.getMessages()).toEqual(before);
});

test("compact() runs PreCompact hooks, which may block it, and PostCompact hooks with the summary", async () => {
  const ground = layGround();
  const paths = longFiles(ground, 5);
  let made = 0;
  const model = scripted({
    rules: [refusing, own],
    fallback: () => (made < paths.length ? { content: [read(paths[made++]!)] } : "Done."),
  });
  const told: Record<string, unknown>[] = [];
  let isBlocked = true;
  const engine = await openOn(ground, model, {
    hooks: {
      PreCompact: [
        {
          callback: async (input) => {
            told.push(input);
            return isBlocked ? { decision: "block", reason: "not now" } : {};
          },
        },
      ],
      PostCompact: [
        {
          callback: async (input) => {
            told.push(input);
          },
        },
      ],
    },
  });
  await turn(engine, "Read everything.");
  expect((await compact(engine, "names")).answer).toMatchObject({
    compacted: false,
    why: expect.stringContaining("not now"),
  });
  isBlocked = false;
  expect((await compact(engine, "names")).answer).toMatchObject({ compacted: true });
  expect(told).toMatchObject([
    { hook_event_name: "PreCompact", trigger: "manual", custom_instructions: "names" },
    { hook_event_name: "PreCompact", trigger: "manual", custom_instructions: "names" },
    { hook_event_name: "PostCompact", trigger: "manual", compact_summary: "They read long files." },
  ]);
});

test("a resume continues from what compact() made", async () => {
  const { engine, ground, model } = await afterReading();
  await compact(engine);
  const messages = JSON.parse(JSON.stringify(engine.getMessages())) as unknown;
  await engine.dispose();
  const resumed = await openOn(ground, model, { resume: engine.getSessionId() });
  expect(resumed.getMessages()).toEqual(messages);
  expect(resumed.getCost().totalUsd).toBe(engine.getCost().totalUsd);
  expect(subtypes((await turn(resumed, "Go on.")).messages).at(0)).toBe("init");
});

test("a message answered before the summary is refused if sent again, also after a resume, but not in a fork", async () => {
  const uuid = "11111111-1111-4111-8111-111111111111";
  const ground = layGround();
  const paths = longFiles(ground, 5);
  const model = scripted({
    rules: [signed],
    fallback: () => (paths.length > 0 ? { content: [read(paths.pop()!)] } : "Done."),
  });
  const engine = await openOn(ground, model);
  const refused = { errors: [expect.stringMatching(/answered already/u)] };
  const again = async (session: QueryEngine) => (await turn(session, "Read everything.", { uuid })).result;
  await turn(engine, "Read everything.", { uuid });
  await compact(engine);
  expect(await again(engine)).toMatchObject(refused);
  await turn(engine, "And now?", {
    onMessage: ({ type }) => void (type === "system" && engine.enqueue("Read everything.", uuid)),
  });
  expect(engine.takeQueued()).toBeUndefined();
  await compact(engine);
  await engine.dispose();
  const asked = model.requests.length;
  const resume = engine.getSessionId();
  const resumed = await openOn(ground, model, { resume });
  expect(await again(resumed)).toMatchObject(refused);
  expect(model.requests).toHaveLength(asked);
  await resumed.dispose();
  const copy = await openOn(ground, model, { resume, forkSession: true });
  expect(await again(copy)).toMatchObject({ subtype: "success" });
});
