// Finished work in a session that fills its window: summarised in the background, used when needed, replayed on a resume.
import { afterEach, describe, expect, test } from "vitest";
import { createSdkMcpServer, type EngineOptions, type QueryEngine } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import { startScriptedServer, type Part, type Reply, type RequestView, type Script } from "../../src/testing/index.ts";
import { createScriptedModel, type RequestRecord, type ScriptedModel } from "../../src/testing/index.ts";
import { readSession } from "../../src/transcript/index.ts";
import { put } from "../support/put.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  impatientClock,
  layGround,
  linesOf,
  openOn,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const spanRule = {
  name: "span",
  when: { lastUserText: "The work above is finished" },
  reply: "The files hold numbers.",
};
const ownSummary = {
  name: "summary",
  when: { lastUserText: "the conversation is about to be shortened" },
  reply: "All.",
};
const apiSummary = { name: "signed", when: { compacts: true }, reply: "All." };
const rules = [spanRule, ownSummary, apiSummary];

/** What the catalogue says of the window; of 40,000 tokens, 38,000 count: staging from 26,600, auto-compact at 34,200. */
function told(contextWindow: number, model = "claude-opus-5-5", more: object = {}): EngineOptions {
  const settings = JSON.stringify({
    models: { [model]: { contextWindow, maxOutputTokens: 2_000 } },
    microcompactEnabled: false,
    ...more,
  });
  return { model, settings, clock: impatientClock };
}

/** Reads two long files for each prompt, then answers. */
function reader(ground: Ground): (request: RequestView) => Reply {
  const text = "ten words or so, one line of a longer text\n".repeat(120);
  const paths = Array.from({ length: 60 }, (_, at) => ground.file(`file${at}.txt`, `This is file ${at}.\n${text}`));
  let next = 0;
  const read = (): Part => ({ tool: "Read", input: { file_path: paths[next++ % paths.length]! } });
  return (request) => {
    const last = JSON.stringify(request.messages.at(-1));
    if (last.includes("tool_result")) return { content: [{ thinking: `done at ${next}` }, `Read up to ${next}.`] };
    return { content: [{ thinking: `about to read ${next}` }, "Reading.", read(), read()] };
  };
}

function model(ground: Ground, script: Script = {}): ScriptedModel {
  const options = { sleep: async () => undefined, enforceBinding: true };
  return createScriptedModel({ window: 40_000, rules, fallback: reader(ground), ...script }, options);
}

const isSpanCall = ({ source }: RequestRecord) => source === 'rule "span"';
const spanCalls = (scripted: ScriptedModel) => scripted.requests.filter(isSpanCall);
const mainCalls = (scripted: ScriptedModel) => calls(scripted).filter((request) => !isSpanCall(request));
/** None before the first prompt has made the file. */
const recorded = (engine: QueryEngine, name: string) =>
  engine.getMessages().length === 0 ? [] : linesOf(engine).filter(({ type }) => type === name);
const stagedLines = (engine: QueryEngine) => recorded(engine, "staged_collapses");
const commitLines = (engine: QueryEngine) => recorded(engine, "collapse_commit");
const shownCommits = (messages: readonly SDKMessage[]) =>
  messages.filter((message) => message.type === "system").filter((message) => message.subtype === "collapse_commit");
const transitions = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === "system" && message.subtype === "transition" ? [message.transition] : [],
  );

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 100_000 && !isSo(); tries++) await new Promise((resolve) => setImmediate(resolve));
  if (!isSo()) throw new Error("It never came to be.");
}

/** Each turn leaves the session time for what it does in the background. */
async function turns(engine: QueryEngine, scripted: ScriptedModel, isOver: () => boolean): Promise<SDKMessage[]> {
  const shown: SDKMessage[] = [];
  const earlier = stagedLines(engine).length;
  for (let count = 1; count <= 20 && !isOver(); count++) {
    const { messages, result } = await turn(engine, `Prompt ${count}.`);
    expect(result.subtype).toBe("success");
    shown.push(...messages);
    await until(() => stagedLines(engine).length - earlier === spanCalls(scripted).length);
  }
  expect(isOver()).toBe(true);
  return shown;
}

const messagesOf = (record: RequestRecord) =>
  record.body!.messages.map((message) => JSON.stringify(message).replaceAll(/,"cache_control":\{[^}]*\}/g, ""));

/** Every message but the last, which a later request adds to. */
function expectPrefix(earlier: RequestRecord, later: RequestRecord): void {
  const before = messagesOf(earlier);
  expect(messagesOf(later).slice(0, before.length - 1)).toEqual(before.slice(0, -1));
  expect(messagesOf(later)[before.length - 1]!.startsWith(before.at(-1)!.slice(0, -2))).toBe(true);
  expect([later.body!.system, later.body!.tools]).toEqual([earlier.body!.system, earlier.body!.tools]);
}

describe.each(["claude-opus-5-5", "claude-sonnet-4-5"])("%s", (name) => {
  test("replaces the oldest finished work with its summaries, and a resume sends the same bytes", async () => {
    const ground = layGround();
    const scripted = model(ground);
    const engine = await openOn(ground, scripted, told(40_000, name));
    const shown = await turns(engine, scripted, () => commitLines(engine).length > 0);
    const [commit] = shownCommits(shown);
    const { pre_tokens: before, post_tokens: after } = commit!.collapse_metadata;
    expect(before).toBeGreaterThan(after);
    const last = mainCalls(scripted).at(-1)!;
    const text = JSON.stringify(last.body!.messages);
    expect(text).toContain("<finished_work>\\nThe files hold numbers.\\n</finished_work>");
    expect(text).toContain("Prompt 1.");
    expect(text).toContain("Read up to 2.");
    expect(text).not.toContain("This is file 0.");
    expect(scripted.violations).toEqual([]);
    expect(scripted.requests.every(({ status }) => status === 200)).toBe(true);
    for (const { cache } of spanCalls(scripted)) {
      expect(cache!.readTokens).toBeGreaterThan(1_000);
      expect(cache!.write5mTokens).toBe(0);
    }
    expect(calls(scripted).some(({ source }) => source === 'rule "summary"' || source === 'rule "signed"')).toBe(false);
    const kept = engine.getMessages();
    await engine.dispose();

    const stored = readSession(engine.getTranscriptPath()!);
    expect(stored.messages).toEqual(JSON.parse(JSON.stringify(kept)));
    expect(stored.report).toMatchObject({ badLines: 0, chainBreaks: 0, repaired: [] });
    const again = model(ground);
    const resumed = await openOn(ground, again, { ...told(40_000, name), resume: engine.getSessionId() });
    expect((await turn(resumed, "And now?")).result.subtype).toBe("success");
    expectPrefix(last, mainCalls(again)[0]!);
    expect(again.violations).toEqual([]);
    await resumed.dispose();

    const copy = model(ground);
    const forked = await openOn(ground, copy, {
      ...told(40_000, name),
      resume: engine.getSessionId(),
      forkSession: true,
    });
    expect((await turn(forked, "And there?")).result.subtype).toBe("success");
    expectPrefix(last, mainCalls(copy)[0]!);
  });
});

test("within one long turn, everything before a completed todo item is collapsed", async () => {
  const ground = layGround();
  const items = ["Read the old files", "Read the new files", "Report"];
  const todo = (done: number): Part => ({
    tool: "TodoWrite",
    input: {
      todos: items.map((content, at) => ({
        content,
        status: at < done ? "completed" : at === done ? "in_progress" : "pending",
        activeForm: content,
      })),
    },
  });
  const text = "ten words or so, one line of a longer text\n".repeat(120);
  const paths = Array.from({ length: 24 }, (_, at) => ground.file(`file${at}.txt`, `This is file ${at}.\n${text}`));
  let made = 0;
  const reads = (count: number): Part[] =>
    paths.slice(made, (made += count)).map((path) => ({ tool: "Read", input: { file_path: path } }));
  const script: (() => Part[])[] = [() => [todo(0)], ...Array.from({ length: 5 }, () => () => reads(1))];
  script.push(() => [todo(1)], ...Array.from({ length: 15 }, () => () => reads(1)));
  const scripted = model(ground, {
    fallback: () => {
      const next = script.shift();
      return { content: next === undefined ? ["All read."] : [{ thinking: `${script.length} to go` }, ...next()] };
    },
  });
  const engine = await openOn(ground, scripted, told(40_000));
  const { result } = await turn(engine, "Read all files and report.");
  expect(result.subtype).toBe("success");
  expect(scripted.violations).toEqual([]);
  expect(commitLines(engine)).toHaveLength(1);
  const last = JSON.stringify(mainCalls(scripted).at(-1)!.body!.messages);
  expect(last).not.toContain("This is file 0.");
  expect(last).toContain("This is file 5.");
  expect(last).toContain("Read all files and report.");
});

/** The catalogue tells a window that is larger than the server's: it refuses before auto-compact would act. */
describe("a request that is refused as too long", () => {
  const refusals: [string, Script, (request: RequestView) => Reply | undefined][] = [
    ["400, with its figures", { window: 36_000 }, () => undefined],
    [
      "413, without any",
      {},
      (request) => {
        const isLong = JSON.stringify(request.messages).length > 116_000;
        return isLong ? { fault: { kind: "too_large" } } : undefined;
      },
    ],
  ];

  test.each(refusals)("%s: commits the staged summaries, on the wire and over HTTP", async (_name, script, refuse) => {
    const ground = layGround();
    const answer = reader(ground);
    const fallback = (request: RequestView) => refuse(request) ?? answer(request);
    const server = await startScriptedServer(
      { window: 60_000, rules, fallback, ...script },
      { sleep: async () => undefined, enforceBinding: true },
    );
    try {
      const engine = await openOn(ground, server, {
        ...told(46_000),
        transport: undefined,
        env: { ANTHROPIC_BASE_URL: server.url },
      });
      const shown = await turns(engine, server, () => server.requests.some(({ status }) => status >= 400));
      const [transition, ...others] = transitions(shown).filter(({ reason }) => reason !== "next_turn");
      expect(others).toEqual([]);
      const committed = commitLines(engine).length;
      expect(committed).toBeGreaterThan(0);
      expect(transition).toEqual({ reason: "collapse_drain_retry", committed });
      expect(shownCommits(shown)).toHaveLength(committed);
      expect(shown.some((message) => message.type === "assistant" && message.error !== undefined)).toBe(false);
      expect(server.requests.filter(({ status }) => status >= 400)).toHaveLength(1);
      expect(server.requests.filter(({ violations }) => violations.length > 0 && !isRefused(violations))).toEqual([]);
    } finally {
      await disposeAll();
      await server.close();
    }
  });

  test("is compacted if the drain is disabled", async () => {
    const ground = layGround();
    const scripted = model(ground, { window: 32_000 });
    const options = told(46_000);
    const off = await openOn(ground, scripted, { ...options, env: { DISABLE_CONTEXT_COLLAPSE: "1" } });
    for (let count = 0; count < 20 && scripted.requests.every(({ status }) => status === 200); count++)
      expect((await turn(off, `Prompt ${count}.`)).result.subtype).toBe("success");
    expect([spanCalls(scripted), commitLines(off)]).toEqual([[], []]);
    expect(linesOf(off).some(({ type }) => type === "compact_boundary")).toBe(true);
  });
});

function isRefused(violations: readonly { message: string }[]): boolean {
  return violations.every(({ message }) => message.includes("prompt is too long"));
}

test("unused staged summaries are not paid for again after a resume", async () => {
  const ground = layGround();
  const scripted = model(ground);
  const engine = await openOn(ground, scripted, told(40_000));
  await turns(engine, scripted, () => stagedLines(engine).length >= 2);
  await engine.dispose();
  const [before, staged] = [spanCalls(scripted).length, stagedLines(engine).at(-1)!.data as { from: string }[]];
  const again = model(ground);
  const resumed = await openOn(ground, again, { ...told(40_000), resume: engine.getSessionId() });
  await turns(resumed, again, () => commitLines(resumed).length > 0);
  expect(before).toBe(staged.length);
  const first = commitLines(resumed)[0]!.message as unknown as { targets: string[] };
  expect(first.targets[0]).toBe(staged[0]!.from);
  for (const { body } of spanCalls(again)) expect(JSON.stringify(body!.messages)).not.toContain("This is file 0.");
});

test("closing the session ends a summary in progress without waiting, and records its cost", async () => {
  const ground = layGround();
  const started = Promise.withResolvers<void>();
  const stalling = { ...spanRule, reply: { fault: { kind: "stall", at: "mid_block" } } } as const;
  const scripted = model(ground, { rules: [stalling] });
  const engine = await openOn(ground, scripted, {
    ...told(40_000),
    clock: undefined,
    transport(exchange) {
      if (Buffer.from(exchange.body).toString().includes("The work above is finished")) started.resolve();
      return scripted.handle(exchange);
    },
  });
  for (let count = 0; spanCalls(scripted).length === 0 && count < 20; count++) await turn(engine, `Prompt ${count}.`);
  await started.promise;
  await engine.dispose();
  expect(spanCalls(scripted)).toHaveLength(1);
  expect(stagedLines(engine)).toEqual([]);
  const ledger = linesOf(engine).findLast(({ type }) => type === "ledger")!.data as { totalUsd: number };
  expect(ledger.totalUsd).toBe(engine.getCost().totalUsd);
  expect(linesOf(engine).findLastIndex(({ type }) => type === "ledger")).toBe(linesOf(engine).length - 1);
});

test("with no budget to spare, local digests replace summaries without a model call", async () => {
  const ground = layGround();
  const scripted = model(ground);
  // What may be spent on a summary is a tenth of what is left, and less than the most it could cost.
  const engine = await openOn(ground, scripted, { ...told(40_000), maxBudgetUsd: 1.05 });
  for (let count = 0; count < 12 && stagedLines(engine).length === 0; count++) {
    const { result } = await turn(engine, `Prompt ${count}.`);
    expect(result.subtype).toBe("success");
  }
  expect(spanCalls(scripted)).toEqual([]);
  const [staged] = stagedLines(engine).at(-1)!.data as { summary: string }[];
  expect(staged!.summary).toContain("No summary could be made.");
});

test("an interrupt ends a summary in progress without counting as a failure: another starts later", async () => {
  const ground = layGround();
  const stalling = { ...spanRule, reply: { fault: { kind: "stall", at: "mid_block" } }, times: 1 } as const;
  const scripted = model(ground, { rules: [stalling, ...rules] });
  const engine = await openOn(ground, scripted, { ...told(40_000), clock: undefined });
  for (let count = 0; spanCalls(scripted).length === 0 && count < 20; count++) await turn(engine, `Prompt ${count}.`);
  await until(() => spanCalls(scripted).length === 1);
  engine.interrupt();
  await until(() => spanCalls(scripted)[0]!.outcome !== "pending");
  expect(stagedLines(engine)).toEqual([]);
  for (let count = 0; stagedLines(engine).length === 0 && count < 20; count++) {
    await turn(engine, `More ${count}.`);
    await until(() => spanCalls(scripted).every(({ outcome }) => outcome !== "pending"));
  }
  expect(stagedLines(engine).length).toBeGreaterThan(0);
});

test("instructions of a folder or server sent during collapsed work stay in the conversation", async () => {
  const ground = layGround();
  put(`${ground.work}/sub/CLAUDE.md`, "Indent with tabs.");
  const path = put(`${ground.work}/sub/a.txt`, "ten words or so, one line of a longer text\n".repeat(240));
  const steps: Reply[] = [{ content: [{ tool: "Read", input: { file_path: path } }] }];
  const scripted = model(ground, { steps });
  const late = createSdkMcpServer({ name: "late", instructions: "Ask me about birds." });
  const arrive = async () => {
    if (calls(scripted).length === 1) await engine.desk.setMcpServers({ late });
    return {};
  };
  const engine: QueryEngine = await openOn(ground, scripted, {
    ...told(40_000),
    hooks: { PreToolUse: [{ callback: arrive }] },
  });
  await turns(engine, scripted, () => commitLines(engine).length > 0);
  const text = JSON.stringify(mainCalls(scripted).at(-1)!.body!.messages);
  expect(text).toContain("<finished_work>");
  expect(text).not.toContain('"file_path":"' + path);
  expect(text.split("Indent with tabs.")).toHaveLength(2);
  expect(text.split("Ask me about birds.")).toHaveLength(2);
  expect(scripted.violations).toEqual([]);
});

// Seen: that it is on stands before the first response, which no span has, and that it is off in the work: the model was to change nothing.
test("the notice that plan mode is off stays in the conversation after a collapse", async () => {
  const ground = layGround();
  const path = ground.file("a.txt", "ten words or so, one line of a longer text\n".repeat(240));
  const steps: Reply[] = [
    { content: [{ tool: "ExitPlanMode", input: { plan: "# Read it" } }] },
    { content: [{ tool: "Read", input: { file_path: path } }] },
    { content: ["Read."] },
  ];
  const scripted = model(ground, { steps });
  const ask = async () => ({ behavior: "allow" as const });
  const planning: EngineOptions = { permissionMode: "plan", headless: false, ask };
  const engine = await openOn(ground, scripted, { ...told(40_000), ...planning });
  await turns(engine, scripted, () => commitLines(engine).length > 0);
  const text = JSON.stringify(mainCalls(scripted).at(-1)!.body!.messages);
  expect(text).not.toContain('"file_path":"' + path);
  expect(text).toMatch(/Plan mode is on: [^]*Plan mode is off: /u);
});

// Seen: the command that had gone there was summed up, and the model took relative paths for those of the session's folder.
test("the current folder of commands is repeated once after a collapse", async () => {
  const ground = layGround();
  const path = ground.file("a.txt", "ten words or so, one line of a longer text\n".repeat(240));
  const steps: Reply[] = [
    { content: [{ tool: "Bash", input: { command: "mkdir sub && cd sub" } }] },
    { content: [{ tool: "Read", input: { file_path: path } }] },
    { content: ["Read."] },
  ];
  const scripted = model(ground, { steps });
  const engine = await openOn(ground, scripted, { ...told(40_000), allowedTools: ["Bash"] });
  await turns(engine, scripted, () => commitLines(engine).length > 0);
  for (const prompt of ["And?", "And then?"]) await turn(engine, prompt);
  const text = JSON.stringify(mainCalls(scripted).at(-1)!.body!.messages);
  expect(text).not.toContain("cd sub");
  expect(text.split(`The working directory of commands and of relative paths is ${ground.work}/sub now.`)).toHaveLength(
    2,
  );
});
