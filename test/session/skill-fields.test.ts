// What a skill may carry besides its text: an agent to do it, the files it is for, hooks.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { Reply, RequestView } from "../../src/testing/index.ts";
import { tool } from "../../src/session/tools/custom-tool.ts";
import { put } from "../support/put.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn, type Ground } from "./support.ts";
import { isAgent } from "../support/is-agent.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

function skill(ground: Ground, frontMatter: string, body: string, home = ground.pawlHome): void {
  put(join(home, "skills/count/SKILL.md"), `---\ndescription: Counts things\n${frontMatter}---\n${body}`);
}

const begin: Reply = { content: [{ tool: "Skill", input: { skill: "count", args: "files" } }] };
const bash = (command: string): Reply => ({ content: [{ tool: "Bash", input: { command } }] });

async function run(
  ground: Ground,
  own: readonly Reply[],
  below: readonly Reply[] = [],
  options: EngineOptions = {},
  prompt = "Go.",
) {
  const notices: string[] = [];
  const reply = (request: RequestView): Reply | string =>
    isAgent(request) ? (below[request.turns] ?? "there are three") : (own[request.turns] ?? "Done.");
  const told: EngineOptions = { onNotice: (text) => void notices.push(text), ...options };
  const { engine, model } = await openSession({ rules: [{ when: {}, reply }] }, told, ground);
  const { messages, result } = await turn(engine, prompt);
  const all = calls(model);
  const agents = all.filter(({ body }) => JSON.stringify(body?.system).includes("another agent"));
  const texts = (list: typeof all) => list.map(({ body }) => JSON.stringify(body?.messages));
  const sessions = texts(all.filter((call) => !agents.includes(call)));
  return { engine, messages, result, notices, sessions, agents: texts(agents) };
}

describe("a skill with context: fork", () => {
  test("is carried out by an agent with the skill's text and permissions, and the session gets its answer", async () => {
    const ground = layGround();
    skill(ground, "context: fork\nallowed-tools: Bash(touch *)\n", "Count the $ARGUMENTS now.");
    const { sessions, agents, messages } = await run(ground, [begin, bash("touch after")], [bash("touch during")]);
    expect(agents[0]).toContain("Count the files now.");
    expect(sessions.join()).not.toContain("Count the files now.");
    expect(sessions[1]).toContain("there are three");
    expect(existsSync(join(ground.work, "during"))).toBe(true);
    expect(existsSync(join(ground.work, "after"))).toBe(false);
    expect(JSON.stringify(messages)).toContain('"subtype":"task_started"');
  });

  test("runs in the agent type it names; an unknown one is an error", async () => {
    const ground = layGround();
    skill(ground, "context: fork\nagent: Wizard\n", "x");
    expect((await run(ground, [begin])).sessions[1]).toContain("needs the agent Wizard, which does not exist");
    put(
      join(ground.pawlHome, "agents/w.md"),
      "---\nname: wizard\ndescription: d\n---\nYou are one that another agent has given a task to: WIZARD",
    );
    const { agents, sessions } = await run(ground, [begin]);
    expect(agents).toHaveLength(1);
    expect(sessions[1]).toContain("there are three");
  });

  test("that a person starts is carried out by an agent first and then reported", async () => {
    const ground = layGround();
    skill(ground, "context: fork\n", "Count the $ARGUMENTS now.");
    const { agents, sessions } = await run(ground, [], [], {}, "/count files");
    expect(agents[0]).toContain("Count the files now.");
    expect(sessions).toHaveLength(1);
    expect(sessions[0]).toContain("The user started /count, which an agent carries out.");
    expect(sessions[0]).toContain("there are three");
  });

  test("that a person starts shows its agent's work as it happens", async () => {
    const ground = layGround();
    skill(ground, "context: fork\nallowed-tools: Bash(touch *)\n", "Count.");
    const { messages } = await run(ground, [], [bash("touch during")], {}, "/count files");
    const below = messages.filter((message) => "parent_tool_use_id" in message && message.parent_tool_use_id !== null);
    expect(below).toMatchObject([
      { type: "assistant", message: { content: [{ type: "tool_use", name: "Bash" }] } },
      { type: "user", message: { content: [{ type: "tool_result" }] } },
    ]);
    const order = messages.map((message) => JSON.stringify(message));
    const [started, called, reported] = ['"task_started"', '"touch during"', '"text":"Done."'].map((part) =>
      order.findIndex((text) => text.includes(part)),
    );
    expect(started).toBeGreaterThan(0);
    expect(called).toBeGreaterThan(started!);
    expect(reported).toBeGreaterThan(called!);
  });

  test("that a person starts in the background is reported as started", async () => {
    const ground = layGround();
    skill(ground, "context: fork\n", "Count.");
    const { messages, sessions } = await run(ground, [], [], { headless: false }, "/count files");
    expect(JSON.stringify(messages)).toContain('"subtype":"task_started"');
    expect(sessions[0]).toMatch(
      /The user started \/count, which an agent carries out\. The agent \w+ works in the background\./u,
    );
    expect(sessions[0]).toContain("Then report what it answered.");
  });

  test("runs in the background of a conversation unless it says otherwise", async () => {
    const ground = layGround();
    skill(ground, "context: fork\n", "x");
    expect((await run(ground, [begin], [], { headless: false })).sessions[1]).toContain("works in the background");
    const waits = layGround();
    skill(waits, "context: fork\nbackground: false\n", "x");
    expect((await run(waits, [begin], [], { headless: false })).sessions[1]).toContain("there are three");
  });

  test("is not started if a rule forbids its agent type", async () => {
    const ground = layGround();
    skill(ground, "context: fork\n", "x");
    const { agents, sessions } = await run(ground, [begin], [], { disallowedTools: ["Agent(general-purpose)"] });
    expect(agents).toEqual([]);
    expect(sessions[1]).toContain("Agent(general-purpose)");
  });

  // Seen: a skill started what the leader's own tools say that it may not.
  test.each<[string, Partial<NonNullable<EngineOptions["agents"]>[string]>, string]>([
    ["names other kinds alone", { tools: ["Skill", "Agent(worker)"] }, "only these agents may be started here: worker"],
    ["takes agents away", { disallowedTools: ["Agent"] }, "no agent may be started here"],
  ])("is not started if the session's main agent %s", async (_what, named, told) => {
    const ground = layGround();
    skill(ground, "context: fork\n", "x");
    const worker = { description: "d", prompt: "You are one that another agent has given a task to: WORKER" };
    const options = {
      agents: { worker, leader: { description: "d", prompt: "You lead.", ...named } },
      agent: "leader",
    };
    const { agents, sessions } = await run(ground, [begin], [], options);
    expect(agents).toEqual([]);
    expect(sessions[1]).toContain(told);
    skill(ground, "context: fork\nagent: worker\n", "x");
    const other = await run(ground, [begin], [], options);
    expect(other.agents).toHaveLength(named.tools === undefined ? 0 : 1);
    const bySkillsAlone = {
      ...options.agents,
      leader: { ...options.agents.leader, disallowedTools: [], tools: ["Skill"] },
    };
    expect((await run(ground, [begin], [], { ...options, agents: bySkillsAlone })).agents).toHaveLength(1);
    // What its own tools say does not bind the person.
    expect((await run(ground, [], [], options, "/count files")).agents).toHaveLength(1);
  });

  test("cannot be nested deeper than agents", async () => {
    const ground = layGround();
    skill(ground, "context: fork\n", "x");
    const { agents } = await run(ground, [begin], [begin], { agentLimits: { depth: 1 } });
    expect(agents.at(-1)).toContain("Agents may be nested 1 deep here");
  });
});

// Seen: through an agent, the model used tools that the skill had removed.
test("tools that a skill forbids are forbidden to agents, too, until the user turn ends", async () => {
  const ground = layGround();
  skill(ground, "disallowed-tools: Bash(touch *)\n", "Count.");
  const agent: Reply = { content: [{ tool: "Agent", input: { description: "d", prompt: "Touch." } }] };
  const own = [agent, begin, agent, bash("touch own"), { content: ["One."] }, agent];
  const touched: string[] = [];
  const below = (request: RequestView): Reply => {
    if (request.turns > 0) return { content: ["tried"] };
    touched.push(`agent ${touched.length}`);
    return bash(`touch "${touched.at(-1)}"`);
  };
  const reply = (request: RequestView): Reply =>
    isAgent(request) ? below(request) : (own[request.turns] ?? { content: ["Done."] });
  const { engine } = await openSession({ rules: [{ when: {}, reply }] }, { allowedTools: ["Bash(touch *)"] }, ground);
  const there = () => ["own", ...touched].filter((name) => existsSync(join(ground.work, name)));
  await turn(engine, "Go.");
  expect(there()).toEqual(["agent 0"]);
  await turn(engine, "Again.");
  expect(there()).toEqual(["agent 0", "agent 2"]);
});

// Seen: an agent in the background lost its tools in the middle of its work.
test("tools that a skill forbids stay available to agents that were started before", async () => {
  const ground = layGround();
  skill(ground, "disallowed-tools: Bash(touch *)\n", "Count.");
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const wait = tool("Wait", "Waits.", { type: "object" }, async () => await released.then(() => "waited"));
  const agent = (prompt: string, more: object = {}) => ({
    tool: "Agent",
    input: { description: "d", prompt, ...more },
  });
  const own: Reply[] = [
    { content: [agent("First.", { run_in_background: true }), { tool: "Skill", input: { skill: "count" } }] },
    { content: [agent("Second.")] },
  ];
  const below = ({ turns, firstUserText }: RequestView): Reply =>
    firstUserText.includes("First.")
      ? ([{ content: [{ tool: "Wait", input: {} }] }, bash("touch first")][turns] ?? { content: ["tried"] })
      : ([bash("touch second")][turns] ?? { content: ["tried"] });
  const reply = (request: RequestView): Reply =>
    isAgent(request) ? below(request) : (own[request.turns] ?? { content: ["Done."] });
  const options: EngineOptions = { allowedTools: ["Bash(touch *)", "Wait"], customTools: [wait] };
  const { engine } = await openSession({ rules: [{ when: {}, reply }] }, options, ground);
  await turn(engine, "Go.");
  release();
  await engine.whenAgentsEnd();
  expect(["first", "second"].filter((name) => existsSync(join(ground.work, name)))).toEqual(["first"]);
});

describe("a skill with paths", () => {
  const read = (path: string): Reply => ({ content: [{ tool: "Read", input: { file_path: path } }] });

  test("is offered once a matching file was read, and a person can start it before", async () => {
    const ground = layGround();
    skill(ground, 'paths: ["src/**/*.{ts,js}"]\n', "Count.", join(ground.work, ".claude"));
    ground.file("a.ts", "a");
    const path = put(join(ground.work, "src/deep/b.js"), "b");
    const steps = [begin, read(join(ground.work, "a.ts")), read(path), begin];
    const { sessions, engine } = await run(ground, steps);
    expect(sessions[0]).not.toContain("Counts things");
    expect(sessions[1]).toContain('There is no skill \\"count\\" that you may start');
    expect(sessions[2]).not.toContain("Counts things");
    expect(sessions[3]).toContain("Skills for the files you work with now");
    expect(sessions[4]).toContain("Count.");
    expect(engine.supportedCommands().map(({ name }) => name)).toContain("count");
  });

  // Seen: a mistyped command rescans the folders, and the model was told that the skill in use is gone.
  test("stays on offer after skills are reloaded, and a new match is announced once", async () => {
    const ground = layGround();
    skill(ground, 'paths: ["src/**"]\n', "Count.", join(ground.work, ".claude"));
    put(join(ground.work, ".claude/skills/later/SKILL.md"), '---\ndescription: Later\npaths: ["lib/**"]\n---\nx');
    const [path, other] = [put(join(ground.work, "src/b.js"), "b"), put(join(ground.work, "lib/c.js"), "c")];
    const { engine, model } = await openSession(
      { steps: [read(path), "Read.", begin, read(other), "Done."] },
      {},
      ground,
    );
    await turn(engine, "Go.");
    await turn(engine, "/conut");
    await turn(engine, "And now.");
    const sent = JSON.stringify(calls(model).at(-1)?.body?.messages);
    expect(sent).not.toContain("no longer exist");
    expect(sent).toContain("Count.");
    expect(sent.match(/later: Later/gu)).toHaveLength(1);
  });

  test("is still on offer after a resume, like one below the folder, without being announced again", async () => {
    const ground = layGround();
    skill(ground, 'paths: ["src/**"]\n', "Count.", join(ground.work, ".claude"));
    put(join(ground.work, "src/.claude/skills/near/SKILL.md"), "---\ndescription: Near by\n---\nNearer.");
    const path = put(join(ground.work, "src/b.js"), "b");
    const { engine } = await openSession({ steps: [read(path), read(path), "Read."] }, {}, ground);
    await turn(engine, "Go.");
    await engine.dispose();
    const near: Reply = { content: [{ tool: "Skill", input: { skill: "near" } }] };
    const again = await openSession({ steps: [begin, near, "Done."] }, { resume: engine.getSessionId() }, ground);
    await turn(again.engine, "And now.");
    const sent = JSON.stringify(calls(again.model).at(-1)?.body?.messages);
    expect(sent).toContain("Count.");
    expect(sent).toContain("Nearer.");
    expect(sent.match(/- near: Near by/gu)).toHaveLength(1);
  });
});

describe("the hooks of a skill", () => {
  const hooks = ({ home }: Ground, more = "") =>
    `hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: echo $CLAUDE_SKILL_DIR >> ${join(home, "seen")}\n${more}`;
  const seen = ({ home }: Ground) =>
    existsSync(join(home, "seen")) ? readFileSync(join(home, "seen"), "utf8").trim().split("\n") : [];

  test("run from its start to the end of the session, however often it is started", async () => {
    const ground = layGround();
    skill(ground, hooks(ground), "x");
    await run(ground, [bash("ls"), begin, begin, bash("ls -a"), bash("ls -l")]);
    const folder = join(ground.pawlHome, "skills/count");
    expect(seen(ground)).toEqual([folder, folder]);
  });

  test("with once run only once", async () => {
    const ground = layGround();
    skill(ground, hooks(ground, "          once: true\n"), "x");
    await run(ground, [begin, bash("ls -a"), begin, bash("ls -l")]);
    expect(seen(ground)).toHaveLength(1);
  });

  test.each([
    ["run again in a resumed session", "", 1],
    ["with `once` do not run again in a resumed session", "          once: true\n", 0],
  ])("%s", async (_, more, times) => {
    const ground = layGround();
    skill(ground, hooks(ground, more), "x");
    const own: Reply[] = [begin, { content: ["One."] }, bash("ls -a"), { content: ["Two."] }];
    const { engine } = await run(ground, own);
    await engine.dispose();
    expect(seen(ground)).toEqual([]);
    await run(ground, own, [], { resume: engine.getSessionId() });
    expect(seen(ground)).toHaveLength(times);
    await run(ground, [bash("ls -a")]);
    expect(seen(ground)).toHaveLength(times);
  });

  const agent = (prompt: string): Reply => ({ content: [{ tool: "Agent", input: { description: "d", prompt } }] });

  // Seen: what such a hook guards was done by an agent.
  test("also run for calls of agents and of their agents", async () => {
    const ground = layGround();
    skill(ground, hooks(ground), "x");
    const reply = ({ lastUserText, turns }: RequestView): Reply => {
      if (lastUserText.includes("Deep.")) return turns === 0 ? bash("ls -l") : { content: ["deep"] };
      if (lastUserText.includes("Look.")) return [bash("ls -a"), agent("Deep.")][turns] ?? { content: ["looked"] };
      return [agent("Look."), begin, agent("Look.")][turns] ?? { content: ["Done."] };
    };
    const { engine } = await openSession({ rules: [{ when: {}, reply }] }, {}, ground);
    await turn(engine, "Go.");
    expect(seen(ground)).toHaveLength(2);
  });

  const noting = ({ home }: Ground, event: string, more = "") =>
    `  ${event}:\n    - matcher: "*"\n      hooks:\n        - type: command\n          command: cat >> ${join(home, "seen")}${more}\n`;
  const events = (ground: Ground) => seen(ground).map((line) => JSON.parse(line) as Record<string, unknown>);

  test("also run after calls of agents, as all hooks of the session do", async () => {
    const ground = layGround();
    skill(ground, `hooks:\n${noting(ground, "PostToolUse")}`, "x");
    await run(ground, [begin, agent("Look.")], [bash("ls -a")]);
    expect(events(ground).map(({ tool_name: tool, agent_type: type }) => [tool, type])).toEqual([
      ["Skill", undefined],
      ["Bash", "general-purpose"],
      ["Agent", undefined],
    ]);
  });

  // Seen: such a hook never ran, since no Stop fires within an agent.
  test.each([
    ["its context is forked", "context: fork\n", begin],
    ["an agent starts it", "", agent("Look.")],
  ])("at Stop run at the end of the agent, and of no other, if %s", async (_, more, first) => {
    const ground = layGround();
    const once = `; test -e ${join(ground.home, "told")} || { touch ${join(ground.home, "told")}; echo Recount. >&2; exit 2; }`;
    skill(ground, `${more}hooks:\n${noting(ground, "Stop", once)}`, "x");
    const below = more === "" ? [begin, agent("Deep.")] : [agent("Deep.")];
    const reply = (request: RequestView): Reply | string => {
      if (request.firstUserText.includes("Deep.")) return "deep";
      return isAgent(request) ? (below[request.turns] ?? "there are three") : ([first][request.turns] ?? "Done.");
    };
    const { engine, model } = await openSession({ rules: [{ when: {}, reply }] }, {}, ground);
    await turn(engine, "Go.");
    expect(events(ground).map(({ hook_event_name: name, stop_hook_active: active }) => [name, active])).toEqual([
      ["SubagentStop", false],
      ["SubagentStop", true],
    ]);
    expect(calls(model).some(({ body }) => JSON.stringify(body?.messages).includes("Recount."))).toBe(true);
  });

  // Seen: the agent went on without the guard, and with the tools that the skill had taken away.
  test("and what it forbids hold when the agent that carries it out is resumed, its permissions do not", async () => {
    const ground = layGround();
    skill(
      ground,
      `context: fork\nallowed-tools: Bash(touch *)\ndisallowed-tools: Bash(mkdir *)\n${hooks(ground)}`,
      "x",
    );
    const resume = ({ lastToolResults }: RequestView): Reply => {
      const [, id = ""] = /agentId: ([0-9a-f]{16})/u.exec(lastToolResults[0]?.text ?? "") ?? [];
      return { content: [{ tool: "Agent", input: { description: "d", prompt: "Again.", resume: id } }] };
    };
    const below = [bash("touch first"), "one", bash("mkdir later"), bash("touch later"), "two"];
    const reply = (request: RequestView): Reply | string =>
      isAgent(request) ? (below[request.turns] ?? "x") : ([begin, resume(request)][request.turns] ?? "Done.");
    const options: EngineOptions = { allowedTools: ["Bash(mkdir *)"] };
    const { engine } = await openSession({ rules: [{ when: {}, reply }] }, options, ground);
    await turn(engine, "Go.");
    expect(["first", "later"].filter((name) => existsSync(join(ground.work, name)))).toEqual(["first"]);
    expect(seen(ground)).toHaveLength(3);
  });

  // Seen: only the session knew the skill, so its agent got back the tool that it forbids.
  test.each([
    ["in a folder below", false, 'Permission denied: Bash "touch later"'],
    ["gone", true, "carries out the skill count, which is not known here now"],
  ])("and what it forbids are not lost on that resume if the skill is %s", async (_, isGone, said) => {
    const ground = layGround();
    const folder = join(ground.work, "sub/.claude");
    put(join(ground.work, "sub/a.txt"), "a");
    put(join(ground.pawlHome, "skills/other/SKILL.md"), "---\ndescription: d\n---\nx");
    skill(ground, "context: fork\ndisallowed-tools: Bash(touch *)\n", "x", folder);
    const read: Reply = { content: [{ tool: "Read", input: { file_path: join(ground.work, "sub/a.txt") } }] };
    const resume = (id: string): Reply => ({
      content: [{ tool: "Agent", input: { description: "d", prompt: "Again.", resume: id } }],
    });
    const told: string[] = [];
    const reply = (request: RequestView): Reply | string => {
      const { turns, lastToolResults } = request;
      told.push(...lastToolResults.map(({ text }) => text));
      if (isAgent(request)) return [bash("touch first"), "one", bash("touch later"), "two"][turns] ?? "x";
      const [, id = ""] = /agentId: ([0-9a-f]{16})/u.exec(told.join()) ?? [];
      return [read, "Looked.", begin, "Begun.", resume(id)][turns] ?? "Done.";
    };
    const script = { rules: [{ when: {}, reply }] };
    const options: EngineOptions = { allowedTools: ["Bash(touch *)"] };
    const { engine } = await openSession(script, options, ground);
    await turn(engine, "Look.");
    await turn(engine, "Begin.");
    await engine.dispose();
    if (isGone) rmSync(folder, { recursive: true });
    const later = await openSession(script, { ...options, resume: engine.getSessionId() }, ground);
    await turn(later.engine, "Go on.");
    expect(told.join()).toContain(said);
    expect(["first", "later"].filter((name) => existsSync(join(ground.work, name)))).toEqual([]);
  });

  test("at Stop are the session's if no agent carries it out", async () => {
    const ground = layGround();
    skill(ground, `hooks:\n${noting(ground, "Stop")}`, "x");
    await run(ground, [begin, agent("Look.")]);
    expect(events(ground).map(({ hook_event_name: name }) => name)).toEqual(["Stop"]);
  });

  test("grant no permission to agents", async () => {
    const ground = layGround();
    const allow = { hookEventName: "PreToolUse", permissionDecision: "allow" };
    put(join(ground.home, "allow.json"), JSON.stringify({ hookSpecificOutput: allow }));
    const line = `- type: command\n          command: cat ${join(ground.home, "allow.json")}`;
    skill(ground, `hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        ${line}\n`, "x");
    await run(ground, [begin, bash("touch own"), agent("Touch.")], [bash("touch below")]);
    expect(["own", "below"].filter((name) => existsSync(join(ground.work, name)))).toEqual(["own"]);
    // It has begun the skill itself.
    await run(ground, [begin, agent("Touch.")], [begin, bash("touch below")]);
    expect(existsSync(join(ground.work, "below"))).toBe(true);
  });

  test("do not run if the folder is not trusted or hooks are switched off", async () => {
    const ground = layGround();
    skill(ground, hooks(ground), "x", join(ground.work, ".claude"));
    await run(ground, [begin, bash("ls")]);
    expect(seen(ground)).toEqual([]);
    await run(ground, [begin, bash("ls")], [], { trust: true, settings: '{"disableAllHooks": true}' });
    expect(seen(ground)).toEqual([]);
    await run(ground, [begin, bash("ls")], [], { trust: true });
    expect(seen(ground)).toHaveLength(1);
  });
});

// Seen: the guard that it lacked kept the skill from beginning, and what it was to guard was permitted.
test.each([
  ["has hooks that cannot be read", 'hooks: "none"\n', "Count."],
  ["has a shell line that fails", "", "!`false`"],
])("a skill that fails to start because it %s grants no permission", async (_, more, body) => {
  const ground = layGround();
  skill(ground, `allowed-tools: Bash(touch *) Bash(false)\n${more}`, body);
  const { sessions } = await run(ground, [begin, bash("touch made")]);
  expect(sessions[1]).toContain('"is_error":true');
  expect(sessions[2]).toContain("Permission denied: Bash");
  expect(existsSync(join(ground.work, "made"))).toBe(false);
});

test("permissions of a skill stay when starting it a second time fails", async () => {
  const ground = layGround();
  skill(ground, "allowed-tools: Bash(touch *) Bash(mkdir *)\n", "!`mkdir once`");
  const { sessions } = await run(ground, [begin, bash("touch made"), begin, bash("touch again")]);
  expect(sessions[3]).toContain("Shell command failed");
  expect(existsSync(join(ground.work, "again"))).toBe(true);
});
