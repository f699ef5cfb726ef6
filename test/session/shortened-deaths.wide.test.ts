// A session that is collapsed, snipped, summed up and taken back, dead at any of its records, or in the middle of one: it can be resumed.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterEach, expect, test } from "vitest";
import { snipReplay, type EngineOptions, type Message, type QueryEngine } from "../../src/index.ts";
import type { Part, Reply, RequestView, ScriptedModel } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  impatientClock,
  layGround,
  linesOf,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const rules = [
  { when: { lastUserText: "The work above is finished" }, reply: "The files hold numbers." },
  { when: { lastUserText: "the conversation is about to be shortened" }, reply: "All." },
  { when: { compacts: true }, reply: "All." },
];

/** Reads two long files for each prompt, then answers. */
function reader(ground: Ground): (request: RequestView) => Reply {
  const text = "ten words or so, one line of a longer text\n".repeat(120);
  const paths = Array.from({ length: 40 }, (_, at) => ground.file(`file${at}.txt`, `This is file ${at}.\n${text}`));
  let next = 0;
  const read = (): Part => ({ tool: "Read", input: { file_path: paths[next++ % paths.length]! } });
  return ({ lastToolResults }) =>
    lastToolResults.length > 0
      ? { content: [{ thinking: `done at ${next}` }, `Read up to ${next}.`] }
      : { content: [{ thinking: `about to read ${next}` }, "Reading.", read(), read()] };
}

function told(model: string): EngineOptions {
  const models = { [model]: { contextWindow: 40_000, maxOutputTokens: 2_000 } };
  const settings = JSON.stringify({ models, microcompactEnabled: false });
  return { model, settings, clock: impatientClock, snipReplay };
}

/** What is done in the background is written between two turns. */
async function prompted(engine: QueryEngine, prompt: string): Promise<void> {
  expect((await turn(engine, prompt)).result.subtype).toBe("success");
  for (let round = 0; round < 200; round++) await new Promise((resolve) => setImmediate(resolve));
}

/** The turn before the last. */
function snipTurn(engine: QueryEngine): void {
  const messages = engine.getMessages();
  const isPrompt = (message: Message) =>
    message.type === "user" && message.isMeta !== true && message.content.some(({ type }) => type === "text");
  const [from, to] = messages.flatMap((message, at) => (isPrompt(message) ? [at] : [])).slice(-2) as [number, number];
  engine.snip({ fromUuid: messages[from]!.uuid, toUuid: messages[to - 1]!.uuid, reason: "aside" });
}

/** Its transcript. */
async function shortened(ground: Ground, model: ScriptedModel, options: EngineOptions): Promise<string> {
  const first = await openOn(ground, model, options);
  for (let count = 0; count < 18; count++) {
    await prompted(first, `Prompt ${count}.`);
    if (count === 3 || count === 9) snipTurn(first);
    if (count === 12) for await (const message of first.compact()) expect(message).toBeDefined();
  }
  const resumeSessionAt = first.getMessages().findLast(({ type }) => type === "user")!.uuid;
  await first.dispose();
  const back = await openOn(ground, model, { ...options, resume: first.getSessionId(), resumeSessionAt });
  for (const prompt of ["After going back.", "And more."]) await prompted(back, prompt);
  const kinds = linesOf(back).map(({ type }) => type);
  const all = ["collapse_commit", "snip_boundary", "compact_boundary", "staged_collapses"];
  expect(kinds).toEqual(expect.arrayContaining(all));
  await back.dispose();
  return back.getTranscriptPath()!;
}

test.each(["claude-opus-5-5", "claude-sonnet-4-5"])(
  "the API accepts the next request whichever record was the last before the death: %s",
  { timeout: 1_200_000 },
  async (name) => {
    const ground = layGround();
    const model = scripted({ window: 40_000, rules, fallback: reader(ground) });
    const path = await shortened(ground, model, told(name));
    const text = readFileSync(path);
    const ends = [...text.entries()].flatMap(([at, byte]) => (byte === 10 ? [at + 1] : []));
    const asked = calls(model).length;
    expect(model.violations).toEqual([]);
    // Before the first answer there is nothing to go on with.
    for (let at = 8; at < ends.length; at += 5)
      for (const missing of [0, 25]) {
        const later = { ...layGround(), work: ground.work };
        const filter = (file: string) => !file.endsWith(".lock");
        cpSync(ground.pawlHome, later.pawlHome, { recursive: true, filter });
        const copy = join(later.pawlHome, relative(ground.pawlHome, path));
        writeFileSync(copy, text.subarray(0, ends[at]! - missing));
        const resume = (JSON.parse(text.subarray(0, ends[0]).toString()) as { sessionId: string }).sessionId;
        const again = await openOn(later, model, { ...told(name), resume });
        const { messages, result } = await turn(again, "Go on.");
        expect(result.subtype, `record ${at}`).toBe("success");
        expect(JSON.stringify(messages), `record ${at}`).not.toMatch(
          /thinking_repaired|history_mended|summary_repaired/u,
        );
        await again.dispose();
      }
    expect(model.violations).toEqual([]);
    expect(
      new Set(
        calls(model)
          .slice(asked)
          .map(({ status }) => status),
      ),
    ).toEqual(new Set([200]));
  },
);
