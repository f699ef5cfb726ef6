// What comes back after a compaction, and what is only named.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import type { Part, RequestRecord, ScriptedModel } from "../../src/testing/index.ts";
import { runningAgentItems } from "../../src/session/late-work.ts";
import { AgentTree } from "../../src/session/agents/tree.ts";
import { systemClock, systemIds } from "../../src/lib/system-clock.ts";
import type { ReattachItem } from "../../src/context/reattach-item.ts";
import { Reattach } from "../../src/session/context/reattach.ts";
import { put } from "../support/put.ts";
import { startedSkillTexts } from "../../src/session/knowledge/started-skills.ts";
import { calls, clearGroundsAfterwards, compact, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const read = (path: string): Part => ({ tool: "Read", input: { file_path: path } });

/** Does all of `parts`, a turn each, and is compacted by hand: the request after that. */
async function afterwards(parts: Part[], extra: EngineOptions = {}, ground = layGround()) {
  let made = 0;
  const model = scripted({
    rules: [{ when: { compacts: true }, reply: "They worked." }],
    fallback: () => (made < parts.length ? { content: [parts[made++]!] } : { content: "Done. ".repeat(300) }),
  });
  const engine = await openOn(ground, model, { permissionMode: "bypassPermissions", ...extra });
  await turn(engine, `Work. ${"words ".repeat(2_000)}`);
  await compact(engine);
  return { engine, model, ground, after: await next(engine, model) };
}

async function next(engine: QueryEngine, model: ScriptedModel): Promise<string> {
  await turn(engine, "Go on.");
  return textOf(calls(model).at(-1)!);
}

function textOf({ body }: RequestRecord): string {
  return body!.messages
    .flatMap(({ content }) => (typeof content === "string" ? [content] : content.map((block) => String(block["text"]))))
    .join("\n");
}

test("names commands that still run after a compaction, with how to read and stop them", async () => {
  const { after, engine } = await afterwards([
    { tool: "Bash", input: { command: "sleep 300", run_in_background: true } },
    { tool: "Bash", input: { command: "true", run_in_background: true } },
    { tool: "Bash", input: { command: "sleep 0.2; echo over" } },
  ]);
  expect(after).toMatch(/Running in the background now[^]*- \S+: sleep 300; Read \/\S+ for its output/);
  expect(after).not.toContain(": true;");
  await engine.dispose();
});

test("names background agents that still work after a compaction, with how to stop them", async () => {
  const agent = (description: string, prompt: string, isBackground: boolean) => ({
    tool: "Agent",
    input: { description, prompt, run_in_background: isBackground },
  });
  const waiting = { content: [{ tool: "Bash", input: { command: "sleep 300" } }] };
  const model = scripted({
    rules: [
      { when: { compacts: true }, reply: "They worked." },
      { when: { test: ({ firstUserText }) => firstUserText.includes("Wait long.") }, reply: waiting },
      { when: { test: ({ firstUserText }) => firstUserText.includes("Be quick.") }, reply: "Over." },
    ],
    steps: [{ content: [agent("find callers", "Wait long.", true), agent("look once", "Be quick.", false)] }],
    fallback: "Done. ".repeat(300),
  });
  const engine = await openOn(layGround(), model, { permissionMode: "bypassPermissions" });
  await turn(engine, `Work. ${"words ".repeat(2_000)}`);
  await compact(engine);
  const after = await next(engine, model);
  expect(after).toMatch(/Agents that work in the background now[^]*\n- \S+: general-purpose: find callers\n/u);
  expect(after).not.toContain(": look once");
  await engine.dispose();
});

test("names working agents to their session, but not to themselves", () => {
  const ended = Promise.resolve();
  const running = { id: "a1", type: "general", description: "looks", isBackground: true, cancel: undefined!, ended };
  const agents = new AgentTree();
  agents.add(running);
  expect(runningAgentItems({ agents, options: {} })).toMatchObject([
    { text: expect.stringContaining("- a1: general: looks") },
  ]);
  expect(runningAgentItems({ agents, options: { subagent: { agentId: "a1", agentType: "general" } } })).toEqual([]);
});

test("names the folder that commands have changed to, unless it is the session's own", async () => {
  const ground = layGround();
  mkdirSync(`${ground.work}/sub`);
  const moved = await afterwards([{ tool: "Bash", input: { command: "cd sub" } }], {}, ground);
  expect(moved.after).toContain(`The working directory of commands and of relative paths is ${ground.work}/sub now.`);
  const { after } = await afterwards([{ tool: "Bash", input: { command: "cd /; true" } }]);
  expect(after).not.toContain("The working directory of commands");
});

test("brings back unfinished tasks and the teammates", async () => {
  const task = (subject: string): Part => ({ tool: "TaskCreate", input: { subject, description: "" } });
  const mate = { description: "waits", prompt: "Wait.", name: "ada", run_in_background: false };
  const parts: Part[] = [
    task("Parser"),
    task("Docs"),
    { tool: "TaskUpdate", input: { taskId: "2", status: "completed" } },
    { tool: "Agent", input: mate },
  ];
  const { after } = await afterwards(parts, { env: { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1" } });
  expect(after).toContain("Tasks that are not completed:\n#1 [pending] Parser\nTeammates: ada rests");
});

test("brings back the five files read last, newest first, and only names a large one", async () => {
  const ground = layGround();
  const paths = Array.from({ length: 6 }, (_, at) => ground.file(`f${at}.txt`, `content ${at}\n`));
  const large = ground.file("large.txt", "a longer line of text\n".repeat(4_000));
  const { after } = await afterwards([...paths, large].map(read), {}, ground);
  for (const at of [2, 3, 4, 5]) expect(after).toContain(`content ${at}`);
  for (const at of [0, 1]) expect(after).not.toContain(`content ${at}`);
  expect(after).toContain(`for want of room: ${large}.`);
  expect(after.indexOf("content 5")).toBeLessThan(after.indexOf("content 4"));
});

test.each([
  ["was read", (path: string): Part => read(path)],
  ["was written", (path: string): Part => ({ tool: "Write", input: { file_path: path, content: "seen once\n" } })],
])("does not repeat a file that %s in the kept part", async (how, part) => {
  const ground = layGround();
  const small = how === "was read" ? ground.file("small.txt", "seen once\n") : join(ground.work, "small.txt");
  const parts = [{ tool: "Bash", input: { command: `seq 4000` } }, part(small)];
  const { after, engine } = await afterwards(parts, {}, ground);
  const kept = JSON.stringify(engine.getMessages());
  expect(kept).toContain("seen once");
  expect(after).not.toContain("as it was read before");
});

test("does not repeat a file mentioned in the kept part, unless it has changed since", async () => {
  const ground = layGround();
  const same = ground.file("same.txt", "seen in same.txt\n");
  const other = ground.file("other.txt", "seen in other.txt\n");
  const edit = { file_path: other, old_string: "seen", new_string: "changed" };
  const parts: (Part | null)[] = [
    { tool: "Bash", input: { command: "seq 4000" } },
    null,
    { tool: "Edit", input: edit },
  ];
  const model = scripted({
    rules: [{ when: { compacts: true }, reply: "They worked." }],
    fallback: () => {
      const part = parts.shift() ?? null;
      return part === null ? { content: "Done. ".repeat(300) } : { content: [part] };
    },
  });
  const engine = await openOn(ground, model, { permissionMode: "bypassPermissions" });
  await turn(engine, `Work. ${"words ".repeat(2_000)}`);
  await turn(engine, "See @same.txt and @other.txt");
  await compact(engine);
  const after = await next(engine, model);
  expect(after).toContain(`${other}, as it was read before the conversation was compacted:\nchanged in other.txt`);
  expect(after).not.toContain(`${same}, as it was read before`);
});

test("orders the parts by rank, whoever adds them first", () => {
  const reattach = new Reattach({ clock: systemClock, ids: systemIds });
  const item = (name: string) => (): ReattachItem[] => [{ label: name, name, text: name }];
  reattach.add("files", item("a file"));
  reattach.add("skills", item("a skill"));
  reattach.add("plan", item("the plan"));
  reattach.add("skills", item("another skill"));
  expect(reattach.items([]).map(({ label }) => label)).toEqual(["the plan", "a skill", "another skill", "a file"]);
});

test("repeats added folders and discovered skills once each", async () => {
  const ground = layGround();
  const skill = '---\ndescription: Checks the parser\npaths: ["sub/**"]\n---\nLook.';
  put(`${ground.work}/.claude/skills/check/SKILL.md`, skill);
  const path = put(`${ground.work}/sub/a.txt`, "x");
  const extra = dirname(put(join(dirname(ground.work), "extra/b.txt"), "y"));
  const { after, engine, model } = await afterwards([read(path)], {}, ground);
  expect(times(after, "Checks the parser")).toBe(1);
  await turn(engine, `/add-dir ${extra}`);
  for (let at = 0; at < 2; at++) {
    await turn(engine, `Work. ${"words ".repeat(2_000)}`);
    await turn(engine, `More. ${"words ".repeat(2_000)}`);
    await compact(engine);
    const later = await next(engine, model);
    expect([times(later, "Checks the parser"), times(later, "has added a working folder")]).toEqual([1, 1]);
  }
});

// Seen: texts from the beginning came after the kept messages, and the model used the old version of a skill.
test("repeats skills that changed twice in the order of the changes", async () => {
  const { engine, model, ground } = await afterwards([]);
  const say = async (description: string, prompt: string): Promise<void> => {
    put(`${ground.work}/.claude/skills/check/SKILL.md`, `---\ndescription: ${description}\n---\nLook.`);
    await engine.desk.reloadSkills();
    await turn(engine, prompt);
  };
  await say("Checks the old", `Work. ${"words ".repeat(2_000)}`);
  await say("Checks the new", "And?");
  for (let at = 0; at < 2; at++) {
    await compact(engine);
    const later = await next(engine, model);
    expect(later.lastIndexOf("Checks the new")).toBeGreaterThan(later.lastIndexOf("Checks the old"));
    expect(times(later, "Checks the old")).toBe(1);
    await turn(engine, `Work. ${"words ".repeat(2_000)}`);
  }
});

test("does not repeat a folder that was removed", async () => {
  const ground = layGround();
  const extra = dirname(put(join(dirname(ground.work), "extra/b.txt"), "y"));
  const { engine } = await afterwards([], {}, ground);
  await turn(engine, `/add-dir ${extra}`);
  await turn(engine, `Work. ${"words ".repeat(2_000)}`);
  const resume = engine.getSessionId();
  await engine.dispose();
  const { after } = await afterwards([], { resume }, ground);
  expect(after).not.toContain("has added a working folder");
});

const skillText = (mark: string): string =>
  `---\ndescription: Checks\n---\n${mark} ${"Look at each line. ".repeat(20)}`;
const times = (text: string, part: string): number => text.split(part).length - 1;

test("repeats only the instructions that have changed, as they are now", async () => {
  const ground = layGround();
  ground.file("CLAUDE.md", "OLD RULES");
  ground.file("CLAUDE.local.md", "LOCAL RULES");
  const reasons: unknown[] = [];
  const hooks: EngineOptions["hooks"] = {
    InstructionsLoaded: [{ callback: async ({ load_reason: why }) => void reasons.push(why) }],
  };
  const change = {
    tool: "Write",
    input: { file_path: `${ground.work}/CLAUDE.md`, content: "NEW RULES </system-reminder>" },
  };
  const { after, engine, model } = await afterwards([read(`${ground.work}/CLAUDE.md`), change], { hooks }, ground);
  expect(after).toMatch(/count as they are here:\n\n## \S+\/CLAUDE\.md\n\nNEW RULES/u);
  expect(times(after, "LOCAL RULES")).toBe(1);
  expect(reasons).toEqual(["session_start", "session_start", "compact"]);
  await turn(engine, `Work. ${"words ".repeat(2_000)}`);
  await compact(engine);
  expect(times(await next(engine, model), "count as they are here:")).toBe(1);
});

test("brings back a skill, also after a resume and whoever started it, unless its text was kept", async () => {
  const ground = layGround();
  const skills = `${ground.pawlHome}/skills`;
  for (const name of ["called", "typed", "late"]) {
    mkdirSync(`${skills}/${name}`, { recursive: true });
    writeFileSync(`${skills}/${name}/SKILL.md`, skillText(name.toUpperCase()));
  }
  const begin = (skill: string) => ({ content: [{ tool: "Skill", input: { skill } }] });
  const compacting = { rules: [{ when: { compacts: true }, reply: "They worked." }], fallback: "Done." };
  const model = scripted({ ...compacting, steps: [begin("called")] });
  const engine = await openOn(ground, model);
  await turn(engine, `Work. ${"words ".repeat(2_000)}`);
  await turn(engine, "/typed");
  await engine.dispose();
  const again = scripted({ ...compacting, steps: [{ content: "Done. ".repeat(300) }, begin("late")] });
  const resumed = await openOn(ground, again, { resume: engine.getSessionId() });
  await turn(resumed, `More. ${"words ".repeat(2_000)}`);
  await turn(resumed, "Last.");
  await compact(resumed);
  await next(resumed, again);
  // What is kept stands in the result of its call.
  const after = JSON.stringify(calls(again).at(-1)?.body?.messages);
  for (const mark of ["CALLED", "TYPED", "LATE"]) expect([mark, times(after, mark)]).toEqual([mark, 1]);
});

test("only mentions a skill that is started again while its text is still there", async () => {
  const ground = layGround();
  mkdirSync(`${ground.pawlHome}/skills/check`, { recursive: true });
  writeFileSync(`${ground.pawlHome}/skills/check/SKILL.md`, skillText("CHECK $ARGUMENTS"));
  const begin = (args: string) => ({ content: [{ tool: "Skill", input: { skill: "check", args } }] });
  const model = scripted({ steps: [begin("a"), begin("a"), begin("b")], fallback: "Done." });
  const engine = await openOn(ground, model);
  await turn(engine, "Go.");
  await turn(engine, "/check b");
  const said = textOf(calls(model).at(-1)!) + JSON.stringify(calls(model).at(-1)?.body?.messages);
  expect(times(said, "CHECK a")).toBe(1);
  expect(times(said, "CHECK b")).toBe(1);
  expect(said).toContain("The skill check is started again: follow its text above");
});

test("does not take what a command or another prompt names for the skill's text", () => {
  const own = (at: number) => ({ uuid: `u${at}`, timestamp: "2026-01-01T00:00:00.000Z" });
  const text = (said: string) => [{ type: "text" as const, text: said }];
  const written = { isMeta: true as const, origin: "command" as const };
  const given = startedSkillTexts(
    [
      { type: "user", ...own(1), content: text("/look a.png") },
      { type: "user", ...own(2), ...written, content: text("Look well.") },
      { type: "user", ...own(3), ...written, content: text("The prompt names a.png. As Read shows it:") },
      { type: "user", ...own(4), content: text("and @b.png") },
      { type: "user", ...own(5), ...written, content: text("The prompt names b.png. As Read shows it:") },
    ],
    (said) => said,
  );
  expect([...given]).toEqual([["look", "Look well."]]);
});
