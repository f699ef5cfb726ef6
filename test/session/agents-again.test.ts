// Agents that are ended by the model, and those that go on.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { tool } from "../../src/session/tools/custom-tool.ts";
import type { Reply, RequestView } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const agent = (more: object): Reply => ({
  content: [{ tool: "Agent", input: { description: "a task", prompt: "Do it.", ...more } }],
});
const isBelow = ({ systemText }: RequestView): boolean => systemText.includes("You are an agent");
const idIn = ({ lastToolResults }: RequestView): string =>
  /agent(?:Id:)? ([0-9a-f]{16})/u.exec(lastToolResults[0]?.text ?? "")?.[1] ?? "";

// Seen: a call that named another kind, as models do, made an agent that only looked around one that could write.
test("a resumed agent keeps its agent type, whatever type the call names", async () => {
  const reply = (request: RequestView): Reply | string => {
    if (isBelow(request)) return "said";
    if (request.turns === 0) return agent({ subagent_type: "Explore" });
    return request.turns === 1 ? agent({ subagent_type: "general-purpose", resume: idIn(request) }) : "done";
  };
  const { engine, model } = await openSession({ rules: [{ when: {}, reply }] });
  const { messages } = await turn(engine, "Go.");
  const below = calls(model).filter(({ body }) => JSON.stringify(body?.system).includes("You are an agent"));
  const [first, second] = below.map(({ body }) => body?.tools?.map(({ name }) => name));
  expect(second).toEqual(first);
  expect(first).not.toContain("Write");
  const kinds = messages.flatMap((each) => (each.type === "system" && each.subtype === "task_started" ? [each] : []));
  expect(kinds.map(({ subagent_type: kind }) => kind)).toEqual(["Explore", "Explore"]);
});

// Seen: an agent with the small model continued with the session's large one, which nobody had requested.
test("a resumed agent keeps the model of its first call until another call names one", async () => {
  const reply = (request: RequestView): Reply | string => {
    if (isBelow(request)) return "said";
    const resume = { resume: idIn(request) };
    const each = [{ model: "haiku" }, resume, { ...resume, model: "sonnet" }][request.turns];
    return each === undefined ? "done" : agent(each);
  };
  const { engine, model } = await openSession({ rules: [{ when: {}, reply }] }, { model: "opus" });
  await turn(engine, "Go.");
  const below = calls(model).filter(({ body }) => JSON.stringify(body?.system).includes("You are an agent"));
  expect(below.map(({ body }) => body?.model)).toEqual([
    expect.stringContaining("haiku"),
    expect.stringContaining("haiku"),
    expect.stringContaining("sonnet"),
  ]);
});

test.each(["Inherit", "INHERIT"])('the model "%s" means the parent\'s model', async (model) => {
  const agents = { looker: { description: "looks", prompt: "You are an agent that looks.", model } };
  const reply = (request: RequestView): Reply | string => {
    if (isBelow(request)) return "said";
    return request.turns === 0 ? agent({ subagent_type: "looker" }) : "done";
  };
  const opened = await openSession({ rules: [{ when: {}, reply }] }, { agents, model: "opus" });
  await turn(opened.engine, "Go.");
  expect(new Set(calls(opened.model).map(({ body }) => body?.model)).size).toBe(1);
});

test("the text appended to agents' system prompts is sent to every agent and to nobody else", async () => {
  const agents = { looker: { description: "looks", prompt: "You are an agent that looks." } };
  const reply = (request: RequestView): Reply | string => {
    if (isBelow(request)) return "said";
    return request.turns === 0 ? agent({ subagent_type: "looker" }) : "done";
  };
  const added = { agents, appendSubagentSystemPrompt: "Name your sources." };
  const { engine, model } = await openSession({ rules: [{ when: {}, reply }] }, added);
  await turn(engine, "Go.");
  const systems = calls(model).map(({ body }) =>
    (body!.system as unknown as { text: string }[]).map(({ text }) => text).join(),
  );
  expect(systems.map((text) => text.endsWith("\n\nName your sources."))).toEqual([false, true, false]);
});

// Seen: it continued with the session's system prompt in place of its own, and its cache and thinking were lost.
test.each([{ systemPrompt: "The session's own." }, { appendSystemPrompt: "Say little." }])(
  "a resumed agent gets the same system prompt as before, also with %j",
  async (prompt) => {
    const agents = { looker: { description: "looks", prompt: "You are an agent that looks." } };
    const reply = (request: RequestView): Reply | string => {
      if (request.firstUserText.includes("Do it.")) return "said";
      if (request.turns === 0) return agent({ subagent_type: "looker" });
      return request.turns === 1 ? agent({ resume: idIn(request) }) : "done";
    };
    const { engine, model } = await openSession({ rules: [{ when: {}, reply }] }, { agents, ...prompt });
    await turn(engine, "Go.");
    const systems = calls(model).map(({ body }) => JSON.stringify(body?.system));
    expect(systems[1]).toContain("You are an agent that looks.");
    expect(systems[3]).toBe(systems[1]);
  },
);

// Seen: both continued in the same transcript at the same time, and neither knew the other's prompt.
test("of two calls in one message that resume the same agent, one runs and the other is refused", async () => {
  const reply = (request: RequestView): Reply | string => {
    if (isBelow(request)) return "said";
    if (request.turns === 0) return agent({});
    const input = { description: "a task", resume: idIn(request) };
    const both = ["Do this.", "Do that."].map((prompt) => ({ tool: "Agent", input: { ...input, prompt } }));
    return request.turns === 1 ? { content: both } : "done";
  };
  const met = Promise.withResolvers<void>();
  let asked = 0;
  const callback = async () => {
    asked += 1;
    if (asked === 3) met.resolve();
    if (asked > 1) await met.promise;
    return {};
  };
  const hooks = { PreToolUse: [{ matcher: "Agent", callback }] };
  const { engine, model } = await openSession({ rules: [{ when: {}, reply }] }, { hooks });
  await turn(engine, "Go.");
  const below = calls(model).filter(({ body }) => JSON.stringify(body?.system).includes("You are an agent"));
  expect(below).toHaveLength(2);
  const told = JSON.stringify(calls(model).at(-1)?.body?.messages.at(-1));
  expect(told.match(/The agent [0-9a-f]{16} is still running\./gu)).toHaveLength(1);
});

// Seen: the model, which had ended it itself, was told that the user had interrupted it.
test("a background agent stopped by the model is reported as stopped by TaskStop, with its last words", async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const waiting = tool("Wait", "Waits.", { type: "object" }, async (_input, { signal }) => {
    begin();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return "";
  });
  const meeting = tool("Meet", "Waits for the agent.", { type: "object" }, async () => {
    await begun;
    return "it works";
  });
  let id = "";
  const reply = (request: RequestView): Reply | string => {
    if (isBelow(request))
      return {
        content: [
          { type: "text", text: "half of it" },
          { tool: "Wait", input: {} },
        ],
      };
    if (request.turns === 0) return agent({ run_in_background: true });
    if (request.turns === 1) id = idIn(request);
    if (request.turns === 1) return { content: [{ tool: "Meet", input: {} }] };
    return request.turns === 2 ? { content: [{ tool: "TaskStop", input: { task_id: id } }] } : "done";
  };
  const options = { customTools: [waiting, meeting], allowedTools: ["Wait", "Meet"] };
  const { engine, model } = await openSession({ rules: [{ when: {}, reply }] }, options);
  await turn(engine, "Go.");
  const told = JSON.stringify(calls(model).at(-1)?.body?.messages);
  expect(told).toMatch(/has ended: stopped\. .*ended by TaskStop.*half of it/u);
  expect(told).not.toContain("by user");
});

/** What an agent goes on with that has thought and read a file, once its conversation on disk was changed. */
async function again(change: (lines: string[]) => string[]): Promise<string> {
  const ground = layGround();
  const path = ground.file("a.txt", "words");
  const reply = (request: RequestView): Reply | string => {
    if (isBelow(request)) {
      const read: Reply = { content: [{ thinking: "hm" }, { tool: "Read", input: { file_path: path } }] };
      return request.turns === 0 ? read : { content: [{ thinking: "then" }, "said"] };
    }
    if (request.turns === 0) return agent({});
    return request.turns === 2
      ? agent({ resume: /agentId: ([0-9a-f]{16})/u.exec(JSON.stringify(request.messages))?.[1] })
      : "done";
  };
  const first = await openSession({ rules: [{ when: {}, reply }] }, {}, ground);
  await turn(first.engine, "Go.");
  const folder = join(first.engine.getTranscriptPath()!.replace(/\.jsonl$/u, ""), "subagents");
  const file = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith(".jsonl"))!,
  );
  await first.engine.dispose();
  writeFileSync(file, change(readFileSync(file, "utf8").split("\n")).join("\n"));
  const next = await openSession({ rules: [{ when: {}, reply }] }, { resume: first.engine.getSessionId() }, ground);
  await turn(next.engine, "Again.");
  const below = calls(next.model).filter(({ body }) => JSON.stringify(body?.system).includes("You are an agent"));
  return JSON.stringify(below[0]?.body?.messages);
}

test("an agent resumed past a damaged line sends none of the thinking recorded after it", async () => {
  const isPrompt = (line: string): boolean => line.includes('"type":"user"') && line.includes("Do it.");
  expect(await again((lines) => lines)).toContain('"type":"thinking"');
  const sent = await again((lines) => lines.map((line) => (isPrompt(line) ? "damaged" : line)));
  expect(sent).toContain("said");
  expect(sent).not.toContain('"type":"thinking"');
});

test("an agent whose process died during a read-only call is told that it can repeat the call", async () => {
  const sent = await again((lines) => [
    ...lines.slice(0, lines.findIndex((line) => line.includes("tool_started")) + 1),
    "",
  ]);
  expect(sent).toContain("It changes nothing, so it can simply be called again.");
});

test("an agent of a session that keeps nothing is not offered for resuming", async () => {
  const reply = (request: RequestView): Reply | string =>
    isBelow(request) ? "said" : request.turns === 0 ? agent({}) : "done";
  const results: string[] = [];
  for (const persistSession of [true, false]) {
    const { engine, model } = await openSession({ rules: [{ when: {}, reply }] }, { persistSession });
    await turn(engine, "Go.");
    results.push(JSON.stringify(calls(model).at(-1)?.body?.messages.at(-1)));
  }
  expect(results[0]).toMatch(/agentId: [0-9a-f]{16} \(to go on with it: resume\)"/u);
  expect(results[1]).toMatch(/agentId: [0-9a-f]{16}"/u);
});
