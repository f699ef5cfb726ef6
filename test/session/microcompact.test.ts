// Old results left out of real sessions, over real HTTP: what the server bills, what it is sent, what a resume sends.
import { afterAll, afterEach, expect, test } from "vitest";
import type { EngineOptions, Message, QueryEngine } from "../../src/index.ts";
import { requestTokens } from "../../src/context/measure.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import { startScriptedServer, type ScriptedServer, type ServerOptions } from "../../src/testing/index.ts";
import { readSession } from "../../src/transcript/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, turn, type Ground } from "./support.ts";
import { byTestDepth } from "../support/test-depth.ts";

clearGroundsAfterwards();
afterEach(disposeAll);
const servers: ScriptedServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

interface Job {
  ground: Ground;
  server: ScriptedServer;
  open: (extra?: EngineOptions) => Promise<QueryEngine>;
}

/** `count` files, read one a turn; each answer thinks a little where its model does. */
async function job(model: string, count: number, characters = 10_000, options: ServerOptions = {}): Promise<Job> {
  const ground = layGround();
  for (let file = 0; file < count; file++) {
    const line = `what line of file ${file} says, in words that are long enough\n`;
    ground.file(`f${file}.txt`, line.repeat(Math.ceil(characters / line.length)));
  }
  const script = {
    fallback({ turns }: { turns: number }) {
      if (turns >= count) return "Done.";
      const call = { tool: "Read", id: `toolu_${turns}`, input: { file_path: `${ground.work}/f${turns}.txt` } };
      return { content: [{ thinking: "Which file is next? ".repeat(5) }, { text: `File ${turns}.` }, call] };
    },
  };
  const server = await startScriptedServer(script, options);
  servers.push(server);
  const open = (extra: EngineOptions = {}) => {
    const env = { ANTHROPIC_BASE_URL: server.url, ...extra.env };
    return openOn(ground, server, { model, ...extra, transport: undefined, env });
  };
  return { ground, server, open };
}

const records = (messages: readonly Message[]) => messages.filter((message) => message.type === "results_cleared");
const shown = (messages: readonly SDKMessage[]) =>
  messages.filter((message) => message.type === "system" && message.subtype === "results_cleared");

interface Sent {
  promptTokens: number;
  body: string;
  results: Map<string, string>;
  responses: number;
}

function sent(server: ScriptedServer): Sent[] {
  return server.requests.flatMap((request) => {
    if (request.endpoint !== "messages" || request.body === undefined) return [];
    const { messages, tools, system } = request.body;
    const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    const results = blocks.filter(({ type }) => type === "tool_result");
    return [
      {
        promptTokens: request.cache?.promptTokens ?? 0,
        body: JSON.stringify({ messages, tools, system }),
        results: new Map(results.map((block) => [String(block["tool_use_id"]), String(block["content"])])),
        responses: messages.filter(({ role }) => role === "assistant").length,
      },
    ];
  });
}

const isMarker = (text: string | undefined): boolean =>
  text?.startsWith("[Old result left out to save room: ") === true;

test.each(["claude-sonnet-5-5", ...byTestDepth([], ["claude-sonnet-4-6", "claude-opus-5-5"])])(
  "sixty turns of reading cost less with microcompaction, according to the server's bill: %s",
  { timeout: 60_000 },
  async (model) => {
    const bills: number[] = [];
    for (const env of [{}, { DISABLE_MICROCOMPACT: "1" }]) {
      const { server, open } = await job(model, 60);
      const { result, messages } = await turn(await open({ env }), "Read every file.");
      expect(result).toMatchObject({ subtype: "success", result: "Done.", num_turns: 61 });
      expect(result.total_cost_usd).toBeCloseTo(server.bill.totalUsd, 8);
      expect(server.violations).toEqual([]);
      expect(shown(messages).length > 0).toBe(bills.length === 0);
      bills.push(server.bill.totalUsd);
    }
    expect(bills[0]).toBeLessThan(bills[1]! * 0.75);
  },
);

test("sends the last three results whole in every request, and results once cleared stay cleared", async () => {
  const { server, open } = await job("claude-sonnet-4-6", 30);
  await turn(await open(), "Read every file.");
  let gone = 0;
  for (const { results, responses } of sent(server)) {
    const ids = Array.from({ length: responses }, (_, at) => `toolu_${at}`);
    expect([...results.keys()]).toEqual(ids);
    const markers = ids.filter((id) => isMarker(results.get(id)));
    expect(markers).toEqual(ids.slice(0, markers.length));
    expect(markers.length).toBeGreaterThanOrEqual(gone);
    expect(markers.length).toBeLessThanOrEqual(Math.max(0, ids.length - 3));
    gone = markers.length;
  }
  expect(gone).toBeGreaterThan(15);
});

test("reads from the cache what precedes the first cleared result, and then what precedes the next", async () => {
  const { server, open } = await job("claude-sonnet-4-6", 40);
  const { messages } = await turn(await open(), "Read every file.");
  const times = shown(messages).length;
  expect(times).toBeGreaterThan(2);
  let before = new Set<string>();
  const read: number[] = [];
  for (const request of server.requests.filter(({ endpoint }) => endpoint === "messages")) {
    const body = JSON.stringify(request.body);
    const markers = new Set(body.match(/Old result left out[^.]*?f\d+\.txt/g) ?? []);
    if (markers.size > before.size) read.push(request.usage?.cache_read_input_tokens ?? 0);
    before = markers;
  }
  expect(read).toHaveLength(times);
  expect(read[0]).toBeGreaterThan(0);
  for (const [at, tokens] of read.entries()) if (at > 0) expect(tokens).toBeGreaterThan(read[at - 1]! + 300);
});

test("sends the same bytes after a resume, and the transcript folds to the messages", async () => {
  const { server, open } = await job("claude-sonnet-5-5", 24);
  const engine = await open();
  await turn(engine, "Read every file.");
  expect(records(engine.getMessages()).length).toBeGreaterThan(0);
  const before = JSON.parse(JSON.stringify(engine.getMessages())) as unknown;
  expect(readSession(engine.getTranscriptPath()!).messages).toEqual(before);
  // What was left out is history by now, whatever is switched off.
  const copy = await open({ resume: engine.getSessionId(), forkSession: true, env: { DISABLE_MICROCOMPACT: "1" } });
  await turn(engine, "And now?");
  await turn(copy, "And now?");
  await engine.dispose();
  const resumed = await open({ resume: engine.getSessionId() });
  expect(resumed.getMessages()).toEqual(JSON.parse(JSON.stringify(engine.getMessages())));
  const [live, again] = sent(server).slice(-2);
  expect([...live!.results.values()].filter(isMarker).length).toBeGreaterThan(5);
  expect(again!.body).toBe(live!.body);
  expect(server.violations).toEqual([]);
});

test("a copy of the session sends what the original would have sent", async () => {
  const { server, open } = await job("claude-sonnet-4-6", 20);
  const engine = await open();
  await turn(engine, "Read every file.");
  await engine.dispose();
  const copy = await open({ resume: engine.getSessionId(), forkSession: true });
  const [last] = records(copy.getMessages()).slice(-1);
  const anchor = copy.getMessages().find(({ uuid }) => uuid === last?.counted?.responseEnd);
  expect(anchor?.type).toBe("response_end");
  await turn(copy, "And now?");
  const [original, again] = sent(server).slice(-2);
  expect([...again!.results]).toEqual([...original!.results]);
});

test("measures the context by the server's count, never too low and at most a seventh of the change too high", async () => {
  for (const model of ["claude-sonnet-4-6", "claude-sonnet-5-5"]) {
    const { server, open } = await job(model, 30, 14_000);
    const engine = await open();
    const measured: { tokens: number; saved: number }[] = [];
    await turn(engine, "Read every file.", {
      onMessage(message) {
        if (message.type !== "system" || message.subtype !== "results_cleared") return;
        const tokens = requestTokens(engine.getMessages(), 0, 1);
        measured.push({ tokens, saved: message.saved_tokens });
        expect(engine.getContextUsage().totalTokens).toBe(tokens);
      },
    });
    const after = sent(server).filter(({ results }, at, all) => {
      const markers = (map: Map<string, string> | undefined) => [...(map?.values() ?? [])].filter(isMarker).length;
      return markers(results) > markers(all[at - 1]?.results);
    });
    expect(after).toHaveLength(measured.length);
    const { savings } = engine.getContextUsage();
    expect(savings).toMatchObject([{ layer: "microcompact", times: measured.length }]);
    expect(measured.length).toBeGreaterThan(1);
    for (const [at, { tokens, saved }] of measured.entries()) {
      const real = after[at]!.promptTokens;
      expect(tokens).toBeGreaterThanOrEqual(real);
      const newest = 14_000 / 3.5;
      expect(tokens).toBeLessThan(real + (saved + newest) * 0.14 + 200);
    }
  }
});

test("shows a file whose result was cleared again after a resume, instead of calling it unchanged", async () => {
  const { ground, server, open } = await job("claude-sonnet-4-6", 20);
  const engine = await open();
  await turn(engine, "Read every file.");
  const again = { tool: "Read", input: { file_path: `${ground.work}/f0.txt` } };
  const asking = await startScriptedServer({ steps: [{ content: [again] }, "Seen."] });
  servers.push(asking);
  await engine.dispose();
  const resumed = await openOn(ground, asking, { resume: engine.getSessionId(), model: "claude-sonnet-4-6" });
  await turn(resumed, "What did the first say?");
  const { results } = sent(asking).at(-1)!;
  expect(isMarker(results.get("toolu_0"))).toBe(true);
  expect([...results.values()].at(-1)).toContain("what line of file 0 says");
  expect(server.violations).toEqual([]);
});

test("shows a file whose result was cleared again within one process, too", async () => {
  const ground = layGround();
  for (let file = 0; file < 20; file++) ground.file(`f${file}.txt`, `text of file ${file}, rather long\n`.repeat(400));
  const server = await startScriptedServer({
    fallback: ({ turns }) =>
      turns > 21
        ? "Done."
        : {
            content: [
              { tool: "Read", id: `toolu_${turns}`, input: { file_path: `${ground.work}/f${turns % 20}.txt` } },
            ],
          },
  });
  servers.push(server);
  const env = { ANTHROPIC_BASE_URL: server.url };
  const engine = await openOn(ground, server, { model: "claude-sonnet-4-6", transport: undefined, env });
  await turn(engine, "Read every file, and two again.");
  const { results } = sent(server).at(-1)!;
  expect(isMarker(results.get("toolu_0"))).toBe(true);
  expect(results.get("toolu_20")).toContain("text of file 0, rather long");
});

test("sends every result whole when it is switched off", async () => {
  for (const extra of [{ env: { DISABLE_MICROCOMPACT: "1" } }, { settings: '{"microcompactEnabled":false}' }]) {
    const { server, open } = await job("claude-sonnet-4-6", 25);
    const engine = await open(extra);
    const { messages } = await turn(engine, "Read every file.");
    expect([...shown(messages), ...records(engine.getMessages())]).toEqual([]);
    expect([...sent(server).at(-1)!.results.values()].filter(isMarker)).toEqual([]);
  }
});

test("clears results for a new prompt after a pause longer than the cache lifetime", async () => {
  let ms = Date.parse("2026-11-20T12:00:00.000Z");
  const clock: EngineOptions["clock"] = {
    now: () => ms,
    elapsed: () => ms,
    timestamp: () => new Date(ms).toISOString(),
    timer: (wait, onFire) => {
      const handle = setTimeout(onFire, Math.min(wait, 2_147_483_647));
      return () => clearTimeout(handle);
    },
  };
  const { server, open } = await job("claude-sonnet-4-6", 7, 14_000, { now: () => ms });
  const engine = await open({ clock });
  await turn(engine, "Read every file.");
  const soon = await turn(engine, "And?");
  expect(shown(soon.messages)).toEqual([]);
  ms += 6 * 60_000;
  const late = await turn(engine, "Are you there?");
  expect(shown(late.messages)).toMatchObject([{ reason: "cache_expired" }]);
  expect(server.requests.at(-1)?.usage?.cache_read_input_tokens).toBe(0);
  expect(server.violations).toEqual([]);
});

test("clears results of custom tools only if they are declared read-only", async () => {
  const { tool } = await import("../../src/index.ts");
  const schema = { type: "object" as const, properties: { n: { type: "number" } } };
  const text = async () => "much text of its own ".repeat(500);
  const customTools = [
    tool("look", "Looks.", schema, text, { readOnlyHint: true }),
    tool("act", "Acts.", schema, text),
  ];
  const server = await startScriptedServer({
    fallback: ({ turns }) =>
      turns > 29
        ? "Done."
        : { content: [{ tool: turns % 2 === 0 ? "look" : "act", id: `toolu_${turns}`, input: { n: turns } }] },
  });
  servers.push(server);
  const env = { ANTHROPIC_BASE_URL: server.url };
  const engine = await openOn(layGround(), server, {
    model: "claude-sonnet-4-6",
    customTools,
    allowedTools: ["look", "act"],
    transport: undefined,
    env,
  });
  await turn(engine, "Go.");
  const { results } = sent(server).at(-1)!;
  const gone = [...results].filter(([, result]) => isMarker(result)).map(([id]) => Number(id.slice("toolu_".length)));
  expect(gone.length).toBeGreaterThan(3);
  expect(gone.filter((turns) => turns % 2 === 1)).toEqual([]);
});
