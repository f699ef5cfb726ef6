// Options as JavaScript gives them: whatever would be passed over is refused, with what was probably meant.
import { afterEach, expect, test } from "vitest";
import { createEngine, query, resolveSettings } from "../../src/index.ts";
import type { EngineOptions, HookCallbackMatcher, QueryOptions } from "../../src/index.ts";
import {
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  listed,
  openSession,
  optionsFor,
  scripted,
  turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const agent = { description: "Looks.", prompt: "Look." };

test.each<[object, RegExp]>([
  [{ maxturns: 3 }, /^There is no option maxturns: did you mean maxTurns\?$/],
  [{ max_turns: 3 }, /did you mean maxTurns\?$/],
  [{ allowedTool: ["Read"] }, /did you mean allowedTools\?$/],
  [{ somethingElse: 1 }, /^There is no option somethingElse\.$/],
  [{ sessionId: "x" }, /^sessionId is a UUID, which "x" is not\.$/],
  [{ ["__proto__x"]: 1 }, /^There is no option/],
  [{ setup: "once" }, /^setup knows init, maintenance, not once\.$/],
  [{ canUseTool: true }, /^The option canUseTool is a function\.$/],
  [{ additionalDirectories: "x" }, /^The option additionalDirectories is a list of texts\.$/],
  [{ projectConfigRoot: "/x" }, /^The option projectConfigRoot is not built yet: leave it out\.$/],
  [{ sandbox: true }, /The option sandbox is an object/],
  [{ allowedTools: "Read" }, /^The option allowedTools is a list of texts\.$/],
  [{ debug: "yes" }, /^The option debug is a function\.$/],
  [{ maxTurns: "3" }, /^The option maxTurns is a number\.$/],
  [{ systemPrompt: 3 }, /^systemPrompt is a text/],
  [{ abortController: {} }, /abortController is an AbortController/],
  [{ addDirs: ["none/there"] }, /^There is no folder \/.*\/work\/none\/there, which addDirs names\.$/],
  [{ additionalDirectories: ["/none/there"] }, /^There is no folder \/none\/there, which addDirs names\.$/],
  [{ addDirs: [`/${"n".repeat(300)}`] }, /^\/n+: its name is too long \(ENAMETOOLONG\)\.$/],
  [{ cwd: `/${"n".repeat(300)}` }, /^\/n+: its name is too long \(ENAMETOOLONG\)\.$/],
  [{ cwd: "/\0" }, /^The option cwd has no NUL byte in it\.$/],
  [{ hooks: null }, /^The option hooks is an object\.$/],
  [{ hooks: { PreToolUse: {} } }, /^hooks\.PreToolUse is a list\.$/],
  [{ hooks: { PreToolUse: [() => ({})] } }, /^hooks\.PreToolUse is a list of \{ matcher, callback \}/],
  [{ hooks: { PreToolUse: [null] } }, /^hooks\.PreToolUse is a list of/],
  [{ hooks: { PreToolUse: [{ matcher: "Bash" }] } }, /^hooks\.PreToolUse is a list of/],
  [{ hooks: { PreToolUse: [{ matcher: null, callback: () => ({}) }] } }, /^hooks\.PreToolUse: "matcher" is a text/],
  [{ hooks: { PreToolUse: [{ matcher: 5, hooks: [() => ({})] }] } }, /^hooks\.PreToolUse: "matcher" is a text/],
  [
    { hooks: { PreToolUse: [{ onFailure: "deny", callback: () => ({}) }] } },
    /^hooks\.PreToolUse: "onFailure" is continue or block\.$/,
  ],
  [{ hooks: { PreToolUse: [{ onFailure: "deny", hooks: [() => ({})] }] } }, /"onFailure" is continue or block\.$/],
  [
    { hooks: { PreToolUse: [{ matcher: "(", onFailure: "block", callback: () => ({}) }] } },
    /^hooks\.PreToolUse: the matcher "\(" matches nothing: it is not a valid regular expression\. With onFailure/,
  ],
  [
    { hooks: { PreToolUse: [{ matcher: "Bash|mcp__docs", onFailure: "block", hooks: [() => ({})] }] } },
    /^hooks\.PreToolUse: the matcher "Bash\|mcp__docs" has a part: "mcp__docs" matches nothing/,
  ],
  [{ env: { PORT: 5 } }, /^env\.PORT is a text, not a number\.$/],
  [{ env: { PORT: null } }, /^env\.PORT is a text, not null\.$/],
  [{ hooks: { Stop: [{ timeoutMs: "5s", callback: () => ({}) }] } }, /^hooks\.Stop: "timeoutMs" is a number of mill/],
  [{ hooks: { Stop: [{ timeout: "5s", hooks: [() => ({})] }] } }, /^hooks\.Stop: "timeoutMs" is a number of mill/],
  [
    { hooks: { PreToolUse: [{ macher: "Bash", callback: () => ({}) }] } },
    /^hooks\.PreToolUse: beside "callback" there is no "macher": there are matcher, callback, timeoutMs, onFailure\.$/,
  ],
  [
    { hooks: { Stop: [{ timeout: 5, callback: () => ({}) }] } },
    /^hooks\.Stop: beside "callback" there is no "timeout"/,
  ],
  [{ hooks: { Stop: [{ timeoutMs: 5, hooks: [() => ({})] }] } }, /beside "hooks" there is no "timeoutMs": there are/],
  [{ hooks: { Stop: [{ if: "Bash(git *)", hooks: [() => ({})] }] } }, /beside "hooks" there is no "if": there are/],
  [{ hooks: { Stop: [{ hooks: [() => ({})], callback: () => ({}) }] } }, /beside "hooks" there is no "callback"/],
  [{ agents: { a: { ...agent, model: 5 } } }, /^agents\.a: "model" is a text\.$/],
  [{ agent: "a", agents: { a: { ...agent, model: 5 } } }, /^agents\.a: "model" is a text\.$/],
  [{ agents: { a: { ...agent, memory: "mine" } } }, /^agents\.a: "memory" is user, project or local\.$/],
  [{ agents: { a: { ...agent, skills: [5] } } }, /^agents\.a: "skills" is a list of names\.$/],
  [
    { agents: { a: { ...agent, mcpServers: {} } } },
    /^agents\.a: "mcpServers" is a list of names, or of servers by name\.$/,
  ],
  [{ agents: { a: { ...agent, background: "no" } } }, /^agents\.a: "background" is true or false\.$/],
  [{ agentLimits: { counts: 5 } }, /^agentLimits has the numbers depth, concurrent, count, turns, each from 0 on\.$/],
  [{ title: " \n" }, /^title has something that can be seen\.$/],
  [{ agentLimits: { turns: -1 } }, /^agentLimits has the numbers/],
  [{ limits: { toolConcurrency: 0 } }, /^limits\.toolConcurrency is a number from 1 on\.$/],
  [{ limits: { hookMs: NaN } }, /^limits\.hookMs is a number from 0 on\.$/],
  [{ limits: { hookMS: 5 } }, /^limits has no hookMS; it has maxTurns, /],
  [{ agents: null }, /^The option agents is an object\.$/],
  [{ agents: { a: null, b: { omitClaudeMd: true } } }, /^agents\.a is an object, with a description and a prompt\.$/],
  [{ agents: { a: { description: "A." } } }, /^agents\.a has a description and a prompt, both texts\.$/],
  [
    { agents: { a: { description: "A.", prompt: "A.", tools: "Read" } } },
    /^agents\.a: its tools are a list of names\.$/,
  ],
  [{ customTools: [null] }, /^customTools is a list of tools/],
  [{ customTools: [{ name: "x" }] }, /^customTools is a list of tools/],
  [{ mcpServers: { a: null } }, /^mcpServers\.a is an object\.$/],
  [{ transcriptMirror: {} }, /^transcriptMirror is an object with the functions wrote, settled\.$/],
  [{ clock: { now: () => 0 } }, /^clock is an object with the functions now, elapsed, timestamp, timer\.$/],
  [{ ids: {} }, /^ids is an object with the functions uuid, random\.$/],
  [
    { managedSettings: Promise.resolve({ permissions: { deny: ["Bash"] } }) },
    /^The option managedSettings is a promise: await it\.$/,
  ],
  [{ settings: Promise.resolve({}) }, /^The option settings is a promise: await it\.$/],
  [{ mcpServers: new Map([["a", { command: "a" }]]) }, /^The option mcpServers is a plain object, not a Map\.$/],
  [{ agents: new Map() }, /^The option agents is a plain object, not a Map\.$/],
])("%j is refused before anything is written", async (given, message) => {
  const ground = layGround();
  await expect(openSession({}, given as EngineOptions, ground)).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringMatching(message),
  });
  expect(listed(ground.home)).toEqual([]);
});

// Seen: a definition from a form, with null for each field that is empty, was refused once its fields were looked at.
test("null in an agent's definition is as a field that is not there, also where the agent begins", async () => {
  const fields = ["model", "memory", "skills", "mcpServers", "background", "initialPrompt", "bare", "maxTurns"];
  const a = { ...agent, ...Object.fromEntries(fields.map((name) => [name, null])) };
  const options = { agent: "a", agents: { a } } as object;
  const { engine } = await openSession({ steps: ["Done."] }, options, layGround());
  expect((await turn(engine, "Go.")).result).toMatchObject({ subtype: "success", result: "Done." });
});

test("options that were not awaited, or are a Map, are refused and not taken for none", async () => {
  const promised = Promise.resolve({ maxTurns: 3 }) as object;
  await expect(createEngine(promised)).rejects.toThrow(/^options is an object, not a promise\.$/);
  await expect(createEngine(new Map([["maxTurns", 3]]) as object)).rejects.toThrow(
    /^options is an object, not a Map\.$/,
  );
  await expect(resolveSettings({ managedSettings: promised })).rejects.toThrow(
    /managedSettings is a promise: await it\.$/,
  );
});

test("a store of sessions may be a Map that has learnt to be one", async () => {
  class Kept extends Map<string, unknown> {
    append = (): Promise<void> => Promise.resolve();
    load = (): Promise<null> => Promise.resolve(null);
  }
  await expect(openSession({}, { sessionStore: new Kept() })).resolves.toBeDefined();
});

test("an option without a meaning here is told once, and one that is undefined is none", async () => {
  const notices: string[] = [];
  const given = { executable: "bun", maxturns: undefined, onNotice: (text: string) => notices.push(text) };
  await openSession({}, given as EngineOptions);
  expect(notices).toEqual(["The option executable means nothing here and was passed over."]);
});

test("a query keeps the options it was given, whatever the program does with its object before the first message", async () => {
  const [ground, model] = [layGround(), scripted({ fallback: "ok" })];
  const asked: string[] = [];
  const hooks = { UserPromptSubmit: [] as HookCallbackMatcher[] };
  const options: QueryOptions = { ...optionsFor(ground, model, { persistSession: false, betas: [], hooks }) };
  // As that of process.env, which is what most programs give.
  Object.setPrototypeOf(options.env!, Object.create(Object.prototype) as object);
  const queries = ["opus", "haiku"].map((name) => {
    options.model = name;
    options.env!["ANTHROPIC_API_KEY"] = name;
    options.betas!.push(`as-${name}`);
    hooks.UserPromptSubmit.push({ callback: async () => void asked.push(name) });
    return query({ prompt: "hi", options });
  });
  options.maxTurns = 0;
  for (const each of queries) for await (const message of each) expect(message.type).toBeDefined();
  expect(model.requests.map(({ body }) => body?.model)).toEqual([
    expect.stringContaining("opus"),
    expect.stringContaining("haiku"),
  ]);
  const headers = model.requests.map((request) => request.headers);
  expect(headers.map((each) => each["x-api-key"])).toEqual(["opus", "haiku"]);
  expect(headers.map((each) => each["anthropic-beta"]?.includes("as-haiku"))).toEqual([false, true]);
  expect(asked).toEqual(["opus", "opus", "haiku"]);
});

test("limits that a class has for its objects, or an object from another one, are options too", async () => {
  class Limits {
    get maxTurns(): number {
      return 0;
    }
  }
  for (const given of [new Limits(), Object.create({ maxTurns: 0 }) as object])
    await expect(createEngine(given)).rejects.toThrow(/^maxTurns is a whole number from 1 on\.$/);
  class Broken {
    get maxTurns(): number {
      throw new Error("not yet");
    }
  }
  await expect(createEngine(new Broken())).rejects.toThrow(/^options cannot be read: not yet\.$/);
});

test("a method that answers for its own object does so, and a mistyped option that is inherited is refused as one of its own", async () => {
  const ground = layGround();
  const input = { file_path: `${ground.work}/a.txt`, content: "a" };
  const model = scripted({ steps: [{ content: [{ tool: "Write", input }] }], fallback: "ok" });
  class Host {
    readonly #asked: string[];
    constructor(asked: string[]) {
      this.#asked = asked;
    }
    async canUseTool(name: string, given: Record<string, unknown>) {
      this.#asked.push(name);
      return { behavior: "allow" as const, updatedInput: given };
    }
  }
  const asked: string[] = [];
  const options: QueryOptions = Object.assign(new Host(asked), optionsFor(ground, model, { persistSession: false }));
  for await (const message of query({ prompt: "hi", options })) expect(message.type).toBeDefined();
  expect(asked).toEqual(["Write"]);
  // What an object can do besides is no option.
  await expect(createEngine(Object.create({ maxTurns: 0, helper: () => 1 }) as object)).rejects.toThrow(/^maxTurns is/);
  await expect(createEngine(Object.create({ maxTurn: 3 }) as object)).rejects.toThrow(
    /no option maxTurn: did you mean/,
  );
});
