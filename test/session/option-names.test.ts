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
  [{ maxBudget: 1 }, /did you mean maxBudgetUsd\?$/],
  [{ apiKey: "x" }, /^There is no option apiKey: the key comes from env, in ANTHROPIC_API_KEY\.$/],
  [{ signal: new AbortController().signal }, /^There is no option signal: pass an abortController\.$/],
  [{ resume: " " }, /^resume names a session by its id or title, and is empty\.$/],
  [{ sessionId: "x" }, /^sessionId must be a UUID, which "x" is not\.$/],
  [{ ["__proto__x"]: 1 }, /^There is no option/],
  [{ setup: "once" }, /^setup must be one of init, maintenance, not once\.$/],
  [{ canUseTool: true }, /^The option canUseTool must be a function\.$/],
  [{ additionalDirectories: "x" }, /^The option additionalDirectories must be a list of strings\.$/],
  [{ projectConfigRoot: "/x" }, /^The option projectConfigRoot is not built yet: leave it out\.$/],
  [{ sandbox: true }, /The option sandbox must be an object/],
  [{ allowedTools: "Read" }, /^The option allowedTools must be a list of strings\.$/],
  [{ debug: "yes" }, /^The option debug must be a function\.$/],
  [{ maxTurns: "3" }, /^The option maxTurns must be a number\.$/],
  [{ systemPrompt: 3 }, /^systemPrompt is a text/],
  [{ abortController: {} }, /abortController must be an AbortController/],
  [{ addDirs: ["none/there"] }, /^addDirs names the folder \/.*\/work\/none\/there, which does not exist\.$/],
  [{ additionalDirectories: ["/none/there"] }, /^addDirs names the folder \/none\/there, which does not exist\.$/],
  [{ addDirs: [`/${"n".repeat(300)}`] }, /^\/n+: its name is too long \(ENAMETOOLONG\)\.$/],
  [{ cwd: `/${"n".repeat(300)}` }, /^\/n+: its name is too long \(ENAMETOOLONG\)\.$/],
  [{ cwd: "/\0" }, /^The option cwd must not contain a NUL byte\.$/],
  [{ hooks: null }, /^The option hooks must be an object\.$/],
  [{ hooks: { PreToolUse: {} } }, /^hooks\.PreToolUse must be a list\.$/],
  [{ hooks: { PreToolUse: [() => ({})] } }, /^hooks\.PreToolUse must be a list of \{ matcher, callback \}/],
  [{ hooks: { PreToolUse: [null] } }, /^hooks\.PreToolUse must be a list of/],
  [{ hooks: { PreToolUse: [{ matcher: "Bash" }] } }, /^hooks\.PreToolUse must be a list of/],
  [
    { hooks: { PreToolUse: [{ matcher: null, callback: () => ({}) }] } },
    /^hooks\.PreToolUse: "matcher" must be a string/,
  ],
  [{ hooks: { PreToolUse: [{ matcher: 5, hooks: [() => ({})] }] } }, /^hooks\.PreToolUse: "matcher" must be a string/],
  [
    { hooks: { PreToolUse: [{ onFailure: "deny", callback: () => ({}) }] } },
    /^hooks\.PreToolUse: "onFailure" must be continue or block\.$/,
  ],
  [{ hooks: { PreToolUse: [{ onFailure: "deny", hooks: [() => ({})] }] } }, /"onFailure" must be continue or block\.$/],
  [
    { hooks: { PreToolUse: [{ matcher: "(", onFailure: "block", callback: () => ({}) }] } },
    /^hooks\.PreToolUse: the matcher "\(" matches nothing: it is not a valid regular expression\. With onFailure/,
  ],
  [
    { hooks: { PreToolUse: [{ matcher: "Bash|mcp__docs", onFailure: "block", hooks: [() => ({})] }] } },
    /^hooks\.PreToolUse: the matcher "Bash\|mcp__docs" has a part: "mcp__docs" matches nothing/,
  ],
  [{ env: { PORT: 5 } }, /^env\.PORT must be a string, not a number\.$/],
  [{ env: { PORT: null } }, /^env\.PORT must be a string, not null\.$/],
  [
    { hooks: { Stop: [{ timeoutMs: "5s", callback: () => ({}) }] } },
    /^hooks\.Stop: "timeoutMs" must be a number of mill/,
  ],
  [{ hooks: { Stop: [{ timeout: "5s", hooks: [() => ({})] }] } }, /^hooks\.Stop: "timeoutMs" must be a number of mill/],
  [
    { hooks: { PreToolUse: [{ macher: "Bash", callback: () => ({}) }] } },
    /^hooks\.PreToolUse: a matcher has no field "macher"; its fields are matcher, callback, timeoutMs, onFailure\.$/,
  ],
  [{ hooks: { Stop: [{ timeout: 5, callback: () => ({}) }] } }, /^hooks\.Stop: a matcher has no field "timeout"/],
  [{ hooks: { Stop: [{ timeoutMs: 5, hooks: [() => ({})] }] } }, /a matcher has no field "timeoutMs"; its fields are/],
  [{ hooks: { Stop: [{ if: "Bash(git *)", hooks: [() => ({})] }] } }, /a matcher has no field "if"; its fields are/],
  [{ hooks: { Stop: [{ hooks: [() => ({})], callback: () => ({}) }] } }, /a matcher has no field "callback"/],
  [{ agents: { a: { ...agent, model: 5 } } }, /^agents\.a: "model" must be a string\.$/],
  [{ agent: "a", agents: { a: { ...agent, model: 5 } } }, /^agents\.a: "model" must be a string\.$/],
  [{ agents: { a: { ...agent, memory: "mine" } } }, /^agents\.a: "memory" must be user, project or local\.$/],
  [{ agents: { a: { ...agent, skills: [5] } } }, /^agents\.a: "skills" must be a list of names\.$/],
  [
    { agents: { a: { ...agent, mcpServers: {} } } },
    /^agents\.a: "mcpServers" must be a list of names, or of servers by name\.$/,
  ],
  [{ agents: { a: { ...agent, background: "no" } } }, /^agents\.a: "background" must be true or false\.$/],
  [
    { agentLimits: { counts: 5 } },
    /^agentLimits takes the numbers depth, concurrent, count, turns, each at least 0\.$/,
  ],
  [{ title: " \n" }, /^title must have at least one visible character\.$/],
  [{ agentLimits: { turns: -1 } }, /^agentLimits takes the numbers/],
  [{ limits: { toolConcurrency: 0 } }, /^limits\.toolConcurrency must be a number of at least 1\.$/],
  [{ limits: { hookMs: NaN } }, /^limits\.hookMs must be a number of at least 0\.$/],
  [{ limits: { hookMS: 5 } }, /^limits has no hookMS; it has maxTurns, /],
  [{ agents: null }, /^The option agents must be an object\.$/],
  [
    { agents: { a: null, b: { omitClaudeMd: true } } },
    /^agents\.a must be an object with a description and a prompt\.$/,
  ],
  [{ agents: { a: { description: "A." } } }, /^agents\.a must have a description and a prompt, both strings\.$/],
  [
    { agents: { a: { description: "A.", prompt: "A.", tools: "Read" } } },
    /^agents\.a: its tools must be a list of names\.$/,
  ],
  [{ customTools: [null] }, /^customTools must be a list of tools/],
  [{ customTools: [{ name: "x" }] }, /^customTools must be a list of tools/],
  [{ mcpServers: { a: null } }, /^mcpServers\.a must be an object\.$/],
  [{ transcriptMirror: {} }, /^transcriptMirror must be an object with the functions wrote, settled\.$/],
  [{ clock: { now: () => 0 } }, /^clock must be an object with the functions now, elapsed, timestamp, timer\.$/],
  [{ ids: {} }, /^ids must be an object with the functions uuid, random\.$/],
  [
    { managedSettings: Promise.resolve({ permissions: { deny: ["Bash"] } }) },
    /^The option managedSettings is a promise: await it\.$/,
  ],
  [{ settings: Promise.resolve({}) }, /^The option settings is a promise: await it\.$/],
  [{ mcpServers: new Map([["a", { command: "a" }]]) }, /^The option mcpServers must be a plain object, not a Map\.$/],
  [{ agents: new Map() }, /^The option agents must be a plain object, not a Map\.$/],
])("%j is refused before anything is written", async (given, message) => {
  const ground = layGround();
  await expect(openSession({}, given as EngineOptions, ground)).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringMatching(message),
  });
  expect(listed(ground.home)).toEqual([]);
});

// Seen: a definition from a form, with null for each field that is empty, was refused once its fields were looked at.
test("null in an agent's definition counts as an absent field, also when the agent starts", async () => {
  const fields = ["model", "memory", "skills", "mcpServers", "background", "initialPrompt", "bare", "maxTurns"];
  const a = { ...agent, ...Object.fromEntries(fields.map((name) => [name, null])) };
  const options = { agent: "a", agents: { a } } as object;
  const { engine } = await openSession({ steps: ["Done."] }, options, layGround());
  expect((await turn(engine, "Go.")).result).toMatchObject({ subtype: "success", result: "Done." });
});

test("refuses a promise or a Map as options", async () => {
  const promised = Promise.resolve({ maxTurns: 3 }) as object;
  await expect(createEngine(promised)).rejects.toThrow(/^options must be an object, not a promise\.$/);
  await expect(createEngine(new Map([["maxTurns", 3]]) as object)).rejects.toThrow(
    /^options must be an object, not a Map\.$/,
  );
  await expect(resolveSettings({ managedSettings: promised })).rejects.toThrow(
    /managedSettings is a promise: await it\.$/,
  );
});

test("accepts a subclass of Map as a session store", async () => {
  class Kept extends Map<string, unknown> {
    append = (): Promise<void> => Promise.resolve();
    load = (): Promise<null> => Promise.resolve(null);
  }
  await expect(openSession({}, { sessionStore: new Kept() })).resolves.toBeDefined();
});

test("reports an option without meaning once, and ignores one that is undefined", async () => {
  const notices: string[] = [];
  const given = { executable: "bun", maxturns: undefined, onNotice: (text: string) => notices.push(text) };
  await openSession({}, given as EngineOptions);
  expect(notices).toEqual(["The option executable means nothing here and was ignored."]);
});

test("a query keeps its options even if the program changes the object before the first message", async () => {
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

test("reads options from getters and inherited properties of a class instance", async () => {
  class Limits {
    get maxTurns(): number {
      return 0;
    }
  }
  for (const given of [new Limits(), Object.create({ maxTurns: 0 }) as object])
    await expect(createEngine(given)).rejects.toThrow(/^maxTurns must be a whole number of at least 1\.$/);
  class Broken {
    get maxTurns(): number {
      throw new Error("not yet");
    }
  }
  await expect(createEngine(new Broken())).rejects.toThrow(/^options cannot be read: not yet\.$/);
});

test("binds methods to their object, and refuses a mistyped inherited option", async () => {
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
  await expect(createEngine(Object.create({ maxTurns: 0, helper: () => 1 }) as object)).rejects.toThrow(
    /^maxTurns must be/,
  );
  await expect(createEngine(Object.create({ maxTurn: 3 }) as object)).rejects.toThrow(
    /no option maxTurn: did you mean/,
  );
});
