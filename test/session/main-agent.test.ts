// The main thread as an agent: its prompt and tools, how it is resumed, and that it gets no further rights.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn, type Ground } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const reviewer = {
  description: "reviews",
  prompt: "You review.",
  tools: ["Read", "Grep"],
  model: "haiku",
  effort: "low",
} as const;
const agents: EngineOptions["agents"] = { reviewer };

async function ask(ground: Ground, options: EngineOptions, prompt = "Go.") {
  const model = scripted({ fallback: "Done." });
  const notices: string[] = [];
  const engine = await openOn(ground, model, { model: undefined, onNotice: (text) => notices.push(text), ...options });
  const { result } = await turn(engine, prompt);
  const body = model.requests.at(-1)?.body as unknown as {
    model: string;
    tools: { name: string }[];
    system: { text: string }[];
    output_config?: { effort?: string };
  };
  const system = body.system.map(({ text }) => text).join("\n");
  const names = body.tools.map(({ name }) => name);
  return { engine, result, model: body.model, effort: body.output_config?.effort, names, system, notices };
}

test("the main agent sets prompt, tools, model and effort; explicit choices for the session take precedence", async () => {
  const led = await ask(layGround(), { agents, agent: "reviewer", systemPrompt: "" });
  expect(led.system).toMatch(/^You review\.\n\nFolder: /u);
  expect(led.system).not.toContain("You are pawl");
  expect(led.names.toSorted()).toEqual(["Grep", "Read"]);
  expect([led.model, led.effort]).toEqual([expect.stringContaining("haiku"), "low"]);
  const chosen = await ask(layGround(), { agents, agent: "reviewer", model: "claude-sonnet-5-5", effort: "high" });
  expect([chosen.model, chosen.effort]).toEqual(["claude-sonnet-5-5", "high"]);
});

test("the main agent answers in the required structured form, whatever tools it names", async () => {
  const outputFormat = { type: "json_schema" as const, schema: { type: "object" } };
  const led = await ask(layGround(), { agents, agent: "reviewer", outputFormat });
  expect(led.names.toSorted()).toEqual(["Grep", "Read", "StructuredOutput"]);
});

test("the main agent's permission mode can be stricter than the session's but never laxer", async () => {
  const lax = { worker: { description: "works", prompt: "You work.", permissionMode: "bypassPermissions" as const } };
  const free = await ask(layGround(), { agents: lax, agent: "worker" });
  expect(free.engine.getPermissionMode()).toBe("default");
  const strict = { worker: { ...lax.worker, permissionMode: "plan" as const } };
  const held = await ask(layGround(), { agents: strict, agent: "worker", permissionMode: "acceptEdits" });
  expect(held.engine.getPermissionMode()).toBe("plan");
});

test("a tool that the main agent does not have does not run, even if a rule allows it", async () => {
  const ground = layGround();
  const model = scripted({ steps: [{ content: [{ tool: "Bash", input: { command: "touch made" } }] }, "Done."] });
  const engine = await openOn(ground, model, { agents, agent: "reviewer", permissionMode: "bypassPermissions" });
  await turn(engine, "Go.");
  expect(model.requests.at(-1)?.body && JSON.stringify(model.requests.at(-1)?.body)).toContain("No such tool");
});

test("a resumed session keeps its main agent and sends the same bytes, also after /clear; a missing agent is reported", async () => {
  const ground = layGround();
  const first = await ask(ground, { agents, agent: "reviewer" });
  const resume = first.engine.getSessionId();
  await first.engine.dispose();
  const again = await ask(ground, { agents, resume, systemPrompt: undefined }, "And now?");
  expect([again.system, again.names, again.model]).toEqual([first.system, first.names, first.model]);
  await again.engine.clear();
  const { messages } = await turn(again.engine, "Anew.");
  expect(messages.find((message) => message.type === "system" && message.subtype === "init")).toMatchObject({
    tools: expect.arrayContaining(["Grep", "Read"]) as unknown,
  });
  await again.engine.dispose();
  const gone = await ask(ground, { resume }, "Still there?");
  expect(gone.names).toContain("Bash");
  expect(gone.notices.join("\n")).toContain("was led by the agent reviewer, which no longer exists");
});

// Seen: it continued with pawl's own prompt in place of the agent's.
test("an appended prompt stays behind the agent's prompt in a resumed session, also if it has changed", async () => {
  const ground = layGround();
  const added = { agents, agent: "reviewer", appendSystemPrompt: "Rhyme." };
  const first = await ask(ground, added);
  expect(first.system).toMatch(/^You review\.\n\n.*\n\nRhyme\.$/su);
  await first.engine.dispose();
  const resume = first.engine.getSessionId();
  const again = await ask(ground, { agents, appendSystemPrompt: "Rhyme.", resume });
  expect(again.system).toBe(first.system);
  await again.engine.dispose();
  const other = await ask(ground, { agents, appendSystemPrompt: "Do not rhyme.", resume });
  expect(other.system).toBe(first.system.replace("Rhyme.", "Do not rhyme."));
});

test("an unknown main agent is refused by name, and nothing is written", async () => {
  const ground = layGround();
  await expect(ask(ground, { agents, agent: "reviewr" })).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringMatching(
      /^There is no agent reviewr: did you mean reviewer\? The agents are general-purpose,/u,
    ) as string,
  });
  await expect(ask(ground, { agents, agent: "wizard" })).rejects.toThrow(/^There is no agent wizard\. The agents are/u);
});

test("a main agent from a file is found by name, and its hooks count as the session's own", async () => {
  const ground = layGround();
  mkdirSync(join(ground.home, ".claude/agents"), { recursive: true });
  const hook = `hooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: touch ${join(ground.work, "stopped")}\n`;
  writeFileSync(
    join(ground.home, ".claude/agents/keeper.md"),
    `---\nname: keeper\ndescription: keeps\n${hook}---\nYou keep.`,
  );
  const led = await ask(ground, { agent: "keeper" });
  expect(led.system).toContain("You keep.");
  expect(existsSync(join(ground.work, "stopped"))).toBe(true);
});

test("the agent's initial prompt stands before the first prompt once, and in no subagent", async () => {
  const ground = layGround();
  const led = { lead: { ...reviewer, tools: ["Agent"], initialPrompt: "READ THE PLAN FIRST." } };
  const call = { tool: "Agent", input: { description: "d", prompt: "Below.", subagent_type: "lead" } };
  const model = scripted({ steps: [{ content: [call] }], fallback: "Done." });
  const engine = await openOn(ground, model, { agents: led, agent: "lead" });
  await turn(engine, "Go.");
  await turn(engine, "On.");
  const said = model.requests.map(({ body }) => JSON.stringify(body?.messages));
  expect(said[0]).toMatch(/<\/system-reminder>\\n\\nREAD THE PLAN FIRST\."\},\{"type":"text","text":"Go\./u);
  expect(said[1]).toContain("Below.");
  expect(said[1]).not.toContain("READ THE PLAN FIRST.");
  expect(said.at(-1)?.split("READ THE PLAN FIRST.").length).toBe(2);
});

test("settings name the agent of a new session; a flag takes precedence, and an unknown agent is reported", async () => {
  const settings = (agent: string) => ({ agents, settings: JSON.stringify({ agent }) });
  const led = await ask(layGround(), settings("reviewer"));
  expect(led.system).toContain("You review.");
  expect(led.names.toSorted()).toEqual(["Grep", "Read"]);
  const flagged = await ask(layGround(), { ...settings("reviewer"), agent: "Explore" });
  expect(flagged.system).not.toContain("You review.");
  const gone = await ask(layGround(), settings("reviewr"));
  expect(gone.system).toContain("You are pawl");
  expect(gone.notices.join()).toContain(
    'The setting "agent" is ignored: There is no agent reviewr: did you mean reviewer?',
  );
});

test("a session that began without an agent stays without one, whatever settings say later", async () => {
  const ground = layGround();
  const first = await ask(ground, {});
  const resume = first.engine.getSessionId();
  await disposeAll();
  const again = await ask(ground, { resume, agents, settings: JSON.stringify({ agent: "reviewer" }) });
  expect(again.names).toContain("Bash");
  expect(again.notices.join()).not.toContain("agent");
});

test("a folder can name the main agent only if it is trusted", async () => {
  const ground = layGround();
  mkdirSync(join(ground.work, ".claude"));
  writeFileSync(join(ground.work, ".claude/settings.json"), '{"agent":"reviewer"}');
  expect((await ask(ground, { agents })).system).toContain("You are pawl");
  expect((await ask(ground, { agents, trust: true })).system).toContain("You review.");
});

test("the main agent and its subagents start only the agent types that the agent's tools name", async () => {
  const kind = { description: "d", prompt: "You are BELOW." };
  const lead = { description: "leads", prompt: "You lead.", tools: ["Agent(worker, Deep)", "Read"] };
  const deep = { ...kind, tools: ["Read", "Task(worker)"] };
  const start = (type?: string) => ({
    content: [{ tool: "Agent", input: { description: "x", prompt: "y", ...(type && { subagent_type: type }) } }],
  });
  const model = scripted({
    rules: [{ when: { system: "BELOW" }, reply: ({ turns }) => (turns === 0 ? start("lead") : "Below.") }],
    steps: [start(), start("explore"), start("worker"), start("deep"), "Done."],
  });
  const engine = await openOn(layGround(), model, {
    agents: { lead, worker: { ...kind, tools: ["Read"] }, deep },
    agent: "lead",
  });
  await turn(engine, "Go.");
  const said = JSON.stringify(model.requests.at(-1)?.body);
  expect(said).toContain(String.raw`There is no agent type \"general-purpose\": there are deep, worker.`);
  expect(said).toContain(String.raw`There is no agent type \"explore\": there are deep, worker.`);
  expect(said.match(/Below\./gu)).toHaveLength(2);
  const told = model.requests.map(({ body }) => JSON.stringify(body));
  expect(told.some((text) => text.includes(String.raw`no agent type \"lead\": there are worker.`))).toBe(true);
});

test.each(["[Read, Agent(worker, deep)]", "Read, Agent(worker, deep", "\n  - Read\n  - Agent(worker, deep)"])(
  "an agent file can list the agent types in several forms: %j",
  async (tools) => {
    const ground = layGround();
    const folder = join(ground.home, ".claude/agents");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "lead.md"), `---\nname: lead\ndescription: leads\ntools: ${tools}\n---\nYou lead.\n`);
    const kind = { description: "d", prompt: "You are BELOW.", tools: ["Read"] };
    const input = { description: "x", prompt: "y", subagent_type: "explore" };
    const model = scripted({ steps: [{ content: [{ tool: "Agent", input }] }, "Done."] });
    const engine = await openOn(ground, model, { agents: { worker: kind, deep: kind }, agent: "lead" });
    await turn(engine, "Go.");
    const said = JSON.stringify(model.requests.at(-1)?.body);
    expect(said).toContain(String.raw`There is no agent type \"explore\": there are deep, worker.`);
  },
);
