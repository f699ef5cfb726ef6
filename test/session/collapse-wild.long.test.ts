// Sessions of any shape in small windows, against the strict server: whatever is collapsed, when, and where it is resumed.
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import {
  createScriptedModel,
  type Part,
  type Reply,
  type RequestView,
  type ScriptedModel,
} from "../../src/testing/index.ts";
import {
  clearGrounds,
  disposeAll,
  expectSame,
  type Ground,
  impatientClock,
  layGround,
  linesOf,
  openOn,
  turn,
} from "./support.ts";

afterEach(async () => {
  await disposeAll();
  clearGrounds();
});

interface Wild {
  model: string;
  window: number;
  /** How much larger the catalogue says it is. */
  lie: number;
  /** Lines of each file, and how many are read for each prompt. */
  lines: number[];
  reads: number[];
  /** Whether the todo list is kept, too. */
  todos: boolean;
  /** What comes of the summaries of spans, in turn. */
  summaries: ("good" | "refused" | "failed" | "long" | "works on")[];
  /** After which prompts the session is closed and resumed. */
  resumes: boolean[];
  microcompact: boolean;
}

const wild: fc.Arbitrary<Wild> = fc.record({
  model: fc.constantFrom("claude-opus-5-5", "claude-sonnet-4-5", "claude-opus-4-8"),
  window: fc.integer({ min: 16_000, max: 40_000 }),
  lie: fc.constantFrom(1, 1, 1.3, 5),
  lines: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 3, maxLength: 8 }),
  reads: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 4, maxLength: 12 }),
  todos: fc.boolean(),
  summaries: fc.array(fc.constantFrom("good", "good", "good", "refused", "failed", "long", "works on"), {
    minLength: 1,
    maxLength: 5,
  }),
  resumes: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
  microcompact: fc.boolean(),
});

const nth = <T>(list: readonly T[], at: number): T => list[at % list.length]!;

function spanReply(kind: Wild["summaries"][number]): Reply {
  switch (kind) {
    case "good":
      return { content: "It was read: `a.ts` holds numbers." };
    case "refused":
      return { content: "", stopReason: "refusal" };
    case "failed":
      return { fault: "server_error" };
    case "long":
      return { content: "word ".repeat(6_000) };
    case "works on":
      return { content: ["Reading on.", { tool: "Glob", input: { pattern: "*.none" } }] };
    default:
      return kind satisfies never;
  }
}

function scripted(ground: Ground, { window, lines, reads, todos, summaries }: Wild): ScriptedModel {
  const paths = lines.map((count, at) =>
    ground.file(`f${at}.txt`, "ten words or so, one line of a longer text\n".repeat(count)),
  );
  let [file, span, prompt, left] = [0, 0, -1, 0];
  const list = (done: number): Part => {
    const todo = (at: number) => ({
      content: `item ${at}`,
      status: at < done ? "completed" : "pending",
      activeForm: "doing",
    });
    return { tool: "TodoWrite", input: { todos: [0, 1, 2, 3].map(todo) } };
  };
  const fallback = (request: RequestView): Reply => {
    if (request.lastUserText.includes("The work above is finished")) return spanReply(nth(summaries, span++));
    const isNew = !JSON.stringify(request.messages.at(-1)).includes("tool_result");
    if (isNew) left = nth(reads, ++prompt);
    if (left <= 0) return { content: [{ thinking: `at ${file}` }, `Read up to ${file}.`] };
    left--;
    const read: Part = { tool: "Read", input: { file_path: nth(paths, file++), offset: 1 + (file % 3) } };
    const note = todos && file % 2 === 0 ? [list(file % 5)] : [];
    return { content: [{ thinking: `on to ${file}` }, "Reading.", ...note, read] };
  };
  const rules = [
    { when: { compacts: true }, reply: "They read files." },
    { when: { lastUserText: "the conversation is about to be shortened" }, reply: "They read files." },
  ];
  return createScriptedModel({ window, rules, fallback }, { sleep: async () => undefined, enforceBinding: true });
}

function optionsOf({ model, window, lie, microcompact }: Wild): EngineOptions {
  const models = { [model]: { contextWindow: Math.floor(window * lie), maxOutputTokens: 2_000 } };
  return { model, settings: JSON.stringify({ models, microcompactEnabled: microcompact }), clock: impatientClock };
}

test("every request is valid, every turn succeeds, and the memory matches the transcript", async () => {
  let [committed, drained] = [0, 0];
  await fc.assert(
    fc.asyncProperty(wild, async (job) => {
      const ground = layGround();
      const model = scripted(ground, job);
      let engine = await openOn(ground, model, optionsOf(job));
      for (let prompt = 0; prompt < job.reads.length; prompt++) {
        const { result, messages } = await turn(engine, `Prompt ${prompt}: read on.`);
        expect([result.subtype, result.terminal_reason]).toEqual(["success", "completed"]);
        drained += messages.filter(
          (message) =>
            message.type === "system" &&
            message.subtype === "transition" &&
            message.transition.reason === "collapse_drain_retry",
        ).length;
        if (!nth(job.resumes, prompt)) continue;
        expectSame(engine);
        await engine.dispose();
        engine = await openOn(ground, model, { ...optionsOf(job), resume: engine.getSessionId() });
      }
      expectSame(engine);
      committed += linesOf(engine).filter(({ type }) => type === "collapse_commit").length;
      await engine.dispose();
      const problems = model.violations.map(({ message }) => message);
      expect(problems.filter((message) => !message.includes("prompt is too long"))).toEqual([]);
      expect(model.scriptProblems).toEqual([]);
    }),
    { numRuns: 100 },
  );
  expect(committed).toBeGreaterThan(0);
  expect(drained).toBeGreaterThan(0);
});
