// The model asks the person: who is offered the tool, who may answer, and what the model, the host and the record get of it.
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { permissionModes, type PermissionAnswer, type PermissionQuestion } from "../../src/protocol/permission.ts";
import { composeHistory } from "../../src/session/context/history.ts";
import { tool } from "../../src/session/tools/custom-tool.ts";
import { createAskUserQuestionTool } from "../../src/tools/ask-user-question.ts";
import type { Tool } from "../../src/protocol/tool.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import type { Part, Reply, Script } from "../../src/testing/index.ts";
import { put } from "../support/put.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  impatientClock,
  layGround,
  linesOf,
  openOn,
  openSession,
  scripted,
  turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const database = {
  question: "Which database?",
  header: "Database",
  options: [
    { label: "Postgres", description: "a server" },
    { label: "SQLite", description: "a file" },
  ],
  multiSelect: false,
};
const questions = [database];
const answers = { "Which database?": "SQLite" };
const call = (input: JsonObject = { questions }, id = "toolu_q"): Part => ({
  tool: "AskUserQuestion",
  input,
  id,
});
const asks: Reply = { content: [call()] };
const told = 'The user answered "Which database?": "SQLite"';

interface Asked {
  questions: PermissionQuestion[];
  ask: NonNullable<EngineOptions["ask"]>;
}

function host(answer: PermissionAnswer | "never"): Asked {
  const asked: PermissionQuestion[] = [];
  return {
    questions: asked,
    ask: (question) => {
      asked.push(question);
      return answer === "never" ? new Promise(() => undefined) : Promise.resolve(answer);
    },
  };
}

async function run(given: EngineOptions & Partial<Asked>, steps: Script["steps"] = [asks]) {
  const options = { ...given };
  delete options.questions;
  const model = scripted({ steps, fallback: "Done." });
  const engine = await openOn(layGround(), model, { headless: false, ...options });
  const ran = await turn(engine, "Go.");
  expect(model.violations).toEqual([]);
  const users = ran.messages.filter((message) => message.type === "user");
  const [result] = users.flatMap(({ message: { content } }) => (typeof content === "string" ? [] : content));
  return { ...ran, engine, model, text: String(result?.["content"]), output: users[0]?.tool_use_result };
}

const names = async (options: EngineOptions): Promise<string[]> => {
  const { messages } = await run(options, []);
  const [init] = messages;
  return init?.type === "system" && init.subtype === "init" ? init.tools : [];
};

describe("the tool AskUserQuestion is offered", () => {
  const { ask } = host({ behavior: "deny" });

  test("if somebody can be asked, or if it is named", async () => {
    expect(await names({})).not.toContain("AskUserQuestion");
    expect(await names({ ask })).toContain("AskUserQuestion");
    expect(await names({ permissionPromptToolName: "mcp__a__b" })).toContain("AskUserQuestion");
    expect(await names({ tools: ["AskUserQuestion", "Read"] })).toEqual(["AskUserQuestion", "Read"]);
    expect(await names({ ask, tools: ["Read"] })).toEqual(["Read"]);
    expect(await names({ ask, disallowedTools: ["AskUserQuestion"] })).not.toContain("AskUserQuestion");
  });

  test("if a hook that can answer names it", async () => {
    const settings = (event: string, matcher: string): EngineOptions => ({
      settings: JSON.stringify({ hooks: { [event]: [{ matcher, hooks: [{ type: "command", command: "exit 0" }] }] } }),
    });
    expect(await names(settings("PreToolUse", "AskUserQuestion"))).toContain("AskUserQuestion");
    expect(await names(settings("PermissionRequest", "Bash|AskUserQuestion"))).toContain("AskUserQuestion");
    expect(await names(settings("PreToolUse", "*"))).not.toContain("AskUserQuestion");
    expect(await names(settings("PostToolUse", "AskUserQuestion"))).not.toContain("AskUserQuestion");
    const off = { hooks: { PreToolUse: [{ matcher: "AskUserQuestion", hooks: [] }] }, disableAllHooks: true };
    expect(await names({ settings: JSON.stringify(off) })).not.toContain("AskUserQuestion");
    const callback = async () => undefined;
    expect(await names({ hooks: { PreToolUse: [{ matcher: "^AskUserQuestion$", callback }] } })).toContain(
      "AskUserQuestion",
    );
  });

  test("if a plugin's hook names it", async () => {
    const folder = join(layGround().home, "p");
    put(join(folder, ".claude-plugin/plugin.json"), { name: "p" });
    const command = { type: "command", command: "exit 0" };
    put(join(folder, "hooks/hooks.json"), {
      hooks: { PreToolUse: [{ matcher: "AskUserQuestion", hooks: [command] }] },
    });
    expect(await names({ pluginDirs: [folder] })).toContain("AskUserQuestion");
    const off = { pluginDirs: [folder], settings: '{"disableAllHooks": true}' };
    expect(await names(off)).not.toContain("AskUserQuestion");
  });

  test("to no agent, and to no session that works for another one", async () => {
    const subagent = { agentId: "a1", agentType: "other" };
    expect(await names({ ask, subagent })).not.toContain("AskUserQuestion");
    const agent = { tool: "Agent", input: { description: "look", prompt: "Look.", run_in_background: false } };
    const { model } = await run({ ask }, [{ content: [agent] }, "Looked.", "Done."]);
    const offered = calls(model).map(({ body }) => (body?.tools ?? []).some(({ name }) => name === "AskUserQuestion"));
    expect(offered).toEqual([true, false, true]);
  });

  test("unless the host has a tool of that name", async () => {
    const own = tool("AskUserQuestion", "The host's own.", { type: "object" }, async () => "mine");
    const { text } = await run({ ask, customTools: [own], allowedTools: ["AskUserQuestion"] });
    expect(text).toBe("mine");
  });

  test("with previews in the host's format", async () => {
    const sent = async (options: EngineOptions) =>
      JSON.stringify(calls((await run({ ask, ...options }, [])).model)[0]?.body?.tools);
    expect(await sent({})).not.toContain("preview");
    expect(await sent({ toolConfig: { askUserQuestion: { previewFormat: "html" } } })).toContain("an HTML fragment");
    const wrong = { toolConfig: { askUserQuestion: { previewFormat: "pdf" as "html" } } };
    await expect(run(wrong)).rejects.toThrow("toolConfig.askUserQuestion.previewFormat must be markdown or html.");
  });
});

describe("the host's answer", () => {
  test("reaches the model and is recorded", async () => {
    const asked = host({
      behavior: "allow",
      updatedInput: { questions, answers, annotations: { "Which database?": { notes: "now" } } },
    });
    const { text, output, engine } = await run(asked);
    expect(asked.questions).toMatchObject([
      {
        toolName: "AskUserQuestion",
        input: { questions },
        requiresUserInteraction: true,
        subjects: [{ kind: "tool" }],
      },
    ]);
    expect(text).toBe(`${told}, and noted: "now"`);
    const whole = { questions, answers, annotations: { "Which database?": { notes: "now" } } };
    expect(output).toEqual(whole);
    const record = linesOf(engine).find(({ toolUseResult }) => toolUseResult !== undefined);
    expect(record?.toolUseResult).toEqual(whole);
  });

  test("need not repeat the questions", async () => {
    const { text, output } = await run(host({ behavior: "allow", updatedInput: { answers } }));
    expect(text).toBe(told);
    expect(output).toEqual({ questions, answers });
  });

  test("that allows without answers counts as no answer", async () => {
    for (const updatedInput of [undefined, { questions }, { questions, answers: {} }]) {
      const { text, output } = await run(
        host({ behavior: "allow", ...(updatedInput === undefined ? {} : { updatedInput }) }),
      );
      expect(text).toMatch(/^The user gave no answer\. Do not treat any option as chosen/u);
      expect(output).toEqual({ questions, answers: {} });
    }
  });

  test("that is invalid is reported as invalid", async () => {
    const { text } = await run(host({ behavior: "allow", updatedInput: { answers: "SQLite" } }));
    expect(text).toContain("answers must be an object that maps the text of each question to its answer.");
  });

  test("that refuses counts as declined by the person", async () => {
    expect((await run(host({ behavior: "deny" }))).text).toContain(
      "The user declined to answer. Do not ask the same again",
    );
    const { text, result } = await run(host({ behavior: "deny", message: "later" }));
    expect(text).toContain("The user declined to answer, and said: later");
    expect(result.permission_denials).toHaveLength(1);
  });

  test("that throws counts as no answer", async () => {
    const { text } = await run({ ask: () => Promise.reject(new Error("the window is closed")) });
    expect(text).toContain("The user gave no answer: the question could not be put (the window is closed).");
  });

  test("that ends the turn is still in the call's result", async () => {
    const { result, engine } = await run(host({ behavior: "deny", interrupt: true }));
    expect(result.terminal_reason).toMatch(/^aborted_/u);
    expect(JSON.stringify(engine.getMessages())).toContain("The user declined to answer.");
  });

  test("can come from canUseTool and from a permission prompt tool", async () => {
    const seen: unknown[] = [];
    const canUseTool = async (name: string, input: Record<string, unknown>, about: object) => {
      seen.push(name, input, about);
      return { behavior: "allow" as const, updatedInput: { ...input, answers } };
    };
    expect((await run({ canUseTool } as EngineOptions)).text).toBe(told);
    expect(seen).toMatchObject(["AskUserQuestion", { questions }, { requiresUserInteraction: true }]);
    const judge = tool("judge", "Answers.", { type: "object" }, async ({ input }) =>
      JSON.stringify({ behavior: "allow", updatedInput: { ...(input as object), answers } }),
    );
    expect((await run({ customTools: [judge], permissionPromptToolName: "judge" })).text).toBe(told);
  });
});

describe("nothing answers in place of a person", () => {
  test.each(permissionModes)("in mode %s, not even a rule", async (permissionMode) => {
    const asked = host({ behavior: "allow", updatedInput: { questions, answers } });
    const { text } = await run({ ...asked, permissionMode, allowedTools: ["AskUserQuestion"] });
    const isRefused = permissionMode === "dontAsk";
    expect(asked.questions).toHaveLength(isRefused ? 0 : 1);
    if (isRefused)
      expect(text).toContain("Nobody was asked: the mode dontAsk denies instead of asking. Go on where that is safe");
    else expect(text).toBe(told);
  });

  test("not even answers in the model's own input", async () => {
    const asked = host({ behavior: "allow" });
    const fake = {
      questions,
      answers: { "Which database?": "Postgres" },
      response: "yes",
      annotations: {},
      afkTimeoutMs: 1,
    };
    const hook = async () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } });
    const hooks: EngineOptions["hooks"] = { PreToolUse: [{ callback: hook }] };
    const { text } = await run({ ...asked, hooks }, [{ content: [call(fake)] }]);
    expect(asked.questions.map(({ input }) => input)).toEqual([{ questions }]);
    expect(text).toMatch(/^The user gave no answer/u);
  });

  test("when nobody can be asked", async () => {
    const { text } = await run({ tools: ["AskUserQuestion"], headless: true });
    expect(text).toContain("Nobody was asked: nobody can be asked in a headless run. Go on where that is safe");
  });
});

describe("a hook", () => {
  const before = (output: object): EngineOptions["hooks"] => ({
    PreToolUse: [
      {
        matcher: "AskUserQuestion",
        callback: async () => ({
          hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", ...output },
        }),
      },
    ],
  });
  const atRequest = (decision: object): EngineOptions["hooks"] => ({
    PermissionRequest: [
      {
        callback: async () => ({
          hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow", ...decision } },
        }),
      },
    ],
  });

  test.each([
    ["PreToolUse", before({ updatedInput: { questions, answers } })],
    ["PermissionRequest", atRequest({ updatedInput: { questions, answers } })],
  ])("of %s can give the answers, and then nobody is asked", async (_, hooks) => {
    const asked = host({ behavior: "deny" });
    const { text } = await run({ ...asked, hooks });
    expect(text).toBe(told);
    expect(asked.questions).toEqual([]);
    expect((await run({ hooks, tools: ["AskUserQuestion"], headless: true })).text).toBe(told);
  });

  test.each([
    ["without an input", before({})],
    ["with the same input", before({ updatedInput: { questions } })],
    ["with an input without answers", atRequest({ updatedInput: { questions, answers: {} } })],
    ["as a PermissionRequest without an input", atRequest({})],
  ])("that allows, %s, leaves the answer to the person", async (_, hooks) => {
    const asked = host({ behavior: "allow", updatedInput: { answers } });
    expect((await run({ ...asked, hooks })).text).toBe(told);
    expect(asked.questions).toHaveLength(1);
  });

  test("of Notification is told that a person is asked, and what", async () => {
    const messages: unknown[] = [];
    const callback = async (input: Record<string, unknown>) =>
      void messages.push([input["notification_type"], input["message"]]);
    await run({ ...host({ behavior: "deny" }), hooks: { Notification: [{ callback }] } });
    expect(messages).toEqual([["permission_prompt", "pawl asks you: Which database?"]]);
  });
});

describe("an invalid question", () => {
  test.each([
    ["no options", { questions: [{ ...database, options: [] }] }],
    ["one option", { questions: [{ ...database, options: database.options.slice(1) }] }],
    ["five questions", { questions: [1, 2, 3, 4, 5].map((at) => ({ ...database, question: `${at}?` })) }],
    ["no questions", { questions: [] }],
    ["two equal questions", { questions: [database, database] }],
  ])("with %s is refused with the reason, and nobody is asked", async (_, input) => {
    const asked = host({ behavior: "allow" });
    const { text } = await run(asked, [{ content: [call(input)] }]);
    expect(text).toMatch(/<tool_use_error>.*(?:questions|same)/su);
    expect(asked.questions).toEqual([]);
  });
});

test("asks all questions of one message, and each gets its answer", async () => {
  const model = scripted({
    steps: [
      {
        content: [
          call({ questions }, "toolu_1"),
          call({ questions: [{ ...database, question: "Which other?" }] }, "toolu_2"),
        ],
      },
    ],
    fallback: "Done.",
  });
  const ask: EngineOptions["ask"] = async ({ input }) => {
    const [{ question }] = input["questions"] as [{ question: string }];
    return { behavior: "allow", updatedInput: { ...input, answers: { [question]: "SQLite" } } };
  };
  const engine = await openOn(layGround(), model, { headless: false, ask });
  const { messages } = await turn(engine, "Go.");
  const results = JSON.stringify(messages.filter(({ type }) => type === "user"));
  expect(results).toContain("Which database?");
  expect(results).toContain("Which other?");
});

test("an interrupt ends the wait, withdraws the host's question, and the conversation goes on", async () => {
  const isOpen = Promise.withResolvers<AbortSignal>();
  const ask: EngineOptions["ask"] = (_, signal) => {
    isOpen.resolve(signal);
    return new Promise(() => undefined);
  };
  const { engine, model } = await openSession({ steps: [asks, "Go on."] }, { headless: false, ask });
  const running = turn(engine, "Go.");
  const signal = await isOpen.promise;
  engine.interrupt();
  expect((await running).result.terminal_reason).toMatch(/^aborted_/u);
  expect(signal.aborted).toBe(true);
  expect((await turn(engine, "And now?")).result).toMatchObject({ subtype: "success", result: "Go on." });
  expect(model.violations).toEqual([]);
});

test("never clears an answer from the conversation, however old it is", () => {
  const asking = createAskUserQuestionTool({} as never);
  const rerun = (tool: Tool) =>
    composeHistory({ ports: { tools: { find: () => tool } }, models: {} } as never).rerun(tool.name, { questions });
  expect(rerun(asking)).toBeUndefined();
  expect(rerun({ ...asking, name: "Look", requiresUserInteraction: undefined } as never)).toBeDefined();
});

test("a call that a hook deferred is answered when the session is resumed", async () => {
  const ground = layGround();
  let decision: object = { permissionDecision: "defer" };
  const callback = async () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...decision } });
  const options: EngineOptions = { tools: ["AskUserQuestion"], hooks: { PreToolUse: [{ callback }] } };
  const first = await openOn(ground, scripted({ steps: [asks] }), options);
  const { result } = await turn(first, "Go.");
  expect(result).toMatchObject({ stop_reason: "tool_deferred", deferred_tool_use: { name: "AskUserQuestion" } });
  await first.dispose();
  decision = { permissionDecision: "allow", updatedInput: { questions, answers } };
  const model = scripted({ fallback: "Done." });
  const engine = await openOn(ground, model, { ...options, resume: first.getSessionId() });
  await turn(engine, "Go on.");
  expect(model.violations).toEqual([]);
  expect(JSON.stringify(calls(model)[0]?.body?.messages)).toContain(JSON.stringify(told).slice(1, -1));
});

describe("a question that nobody answers", () => {
  const ask: EngineOptions["ask"] = (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("withdrawn"))));
  const clock = {
    ...impatientClock,
    timer: (ms: number, onFire: () => void) => impatientClock.timer(ms === 300_000 ? 201 : ms, onFire),
  };

  test("waits as long as settings say, and then the model goes on without an answer", async () => {
    const settings = JSON.stringify({ askUserQuestionTimeout: "5m" });
    const { text, output, result } = await run({ ask, settings, clock });
    expect(text).toMatch(/^Nobody answered within 300 seconds: the user seems to be away\./u);
    expect(output).toEqual({ questions, answers: {}, afkTimeoutMs: 300_000 });
    expect(result.subtype).toBe("success");
  });
});

describe("a question that was open when the process died", () => {
  async function died() {
    const [before, after] = [layGround(), layGround()];
    const isOpen = Promise.withResolvers<void>();
    const ask: EngineOptions["ask"] = () => {
      isOpen.resolve();
      return new Promise(() => undefined);
    };
    const engine = await openOn(before, scripted({ steps: [asks] }), { headless: false, ask });
    const running = turn(engine, "Go.");
    await isOpen.promise;
    while (!JSON.stringify(linesOf(engine)).includes("toolu_q")) await new Promise((resolve) => setImmediate(resolve));
    const path = engine.getTranscriptPath()!;
    const copy = join(after.home, relative(before.home, path));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(path, copy);
    engine.interrupt();
    await running;
    await engine.dispose();
    return { ground: { ...after, work: before.work }, resume: engine.getSessionId() };
  }

  test("is reported as a call that did not run, and the conversation goes on", async () => {
    const { ground, resume } = await died();
    const model = scripted({ fallback: "Done." });
    const engine = await openOn(ground, model, { resume });
    expect((await turn(engine, "Go on.")).result.subtype).toBe("success");
    expect(model.violations).toEqual([]);
    const sent = JSON.stringify(calls(model)[0]?.body?.messages);
    expect(sent).toContain("toolu_q");
    expect(sent).not.toContain("The user answered");
  });

  test("gets the answer that a host has kept for it", async () => {
    const { ground, resume } = await died();
    const model = scripted({ fallback: "Done." });
    const { ask } = host({ behavior: "deny" });
    const orphanedPermission = {
      toolUseId: "toolu_q",
      answer: { behavior: "allow" as const, updatedInput: { answers } },
    };
    const engine = await openOn(ground, model, { resume, orphanedPermission, ask, headless: false });
    await turn(engine, "Go on.");
    expect(model.violations).toEqual([]);
    expect(JSON.stringify(calls(model)[0]?.body?.messages)).toContain(JSON.stringify(told).slice(1, -1));
  });
});
