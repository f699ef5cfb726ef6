// /add-dir and folders that a host registers: what the session may do there afterwards, and what hooks are told.
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { HookEvent } from "../../src/protocol/hook.ts";
import type { Part } from "../../src/testing/index.ts";
import { put } from "../support/put.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

type Inputs = Record<string, unknown>[];

function hearing(...events: HookEvent[]) {
  const inputs: Inputs = [];
  const callback = async (input: Record<string, unknown>) => void inputs.push(input);
  const hooks = Object.fromEntries(events.map((event) => [event, [{ callback }]])) as EngineOptions["hooks"];
  return { inputs, hooks };
}

function beside(name: string, ground: Ground): string {
  const folder = join(ground.home, name);
  mkdirSync(folder);
  return folder;
}

async function open(ground: Ground, parts: Part[], options: EngineOptions = {}) {
  const model = scripted({ steps: parts.map((part) => ({ content: [part] })), fallback: "Done." });
  return { model, engine: await openOn(ground, model, options) };
}

const answer = async (engine: Awaited<ReturnType<typeof openOn>>, prompt: string) => {
  const { result } = await turn(engine, prompt);
  return { text: "result" in result ? result.result : "", isError: result.is_error };
};

test("/add-dir adds a working folder, reports it to the model and to hooks, and keeps it after /clear", async () => {
  const ground = layGround();
  const folder = beside("library", ground);
  const { inputs, hooks } = hearing("DirectoryAdded", "CwdChanged");
  const write = (name: string): Part => ({
    tool: "Write",
    input: { file_path: join(folder, name), content: "x" },
  });
  const cd: Part = { tool: "Bash", input: { command: `cd ${folder} && echo y > shell` } };
  const options: EngineOptions = {
    hooks,
    permissionMode: "acceptEdits",
    allowedTools: ["Bash"],
    enableFileCheckpointing: true,
  };
  const { engine, model } = await open(ground, [write("before"), { text: "I may not." }, write("after"), cd], options);
  await turn(engine, "Go.");
  expect(existsSync(join(folder, "before"))).toBe(false);

  expect(await answer(engine, "/add-dir ~/library")).toEqual({
    text: `${folder} is a working folder of this session now.`,
    isError: false,
  });
  await turn(engine, "Go on.");
  expect(existsSync(join(folder, "after"))).toBe(true);
  expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).toContain(`working folder to this session: ${folder}`);
  expect(await engine.desk.permissionRules()).toMatchObject({
    workspaceDirectories: [{ path: folder, source: "session" }],
  });
  const prompt = engine.getMessages().findLast((message) => message.type === "user" && message.origin === "human");
  expect((await engine.rewindFiles(prompt?.uuid ?? "")).filesChanged?.toSorted()).toEqual([
    join(folder, "after"),
    join(folder, "shell"),
  ]);
  await engine.clear();
  expect((await answer(engine, "/add-dir ../home/library")).text).toContain("is a working folder already");
  await engine.dispose();
  expect(inputs).toMatchObject([
    { hook_event_name: "DirectoryAdded", directory: folder, source: "slash_command" },
    { hook_event_name: "CwdChanged", new_cwd: folder },
  ]);
});

test("/add-dir refuses a missing folder or one that is already a working folder, and adds nothing", async () => {
  const ground = layGround();
  const { inputs, hooks } = hearing("DirectoryAdded");
  const { engine, model } = await open(ground, [], { hooks });
  const file = ground.file("file", "x");
  mkdirSync(join(ground.work, "inner"));
  symlinkSync(ground.work, join(ground.home, "link"));
  for (const [folder, why] of [
    ["", "Say which folder: /add-dir <folder>."],
    ["gone", "There is no folder gone: nothing was added."],
    [file, `${file} is not a folder: nothing was added.`],
    [join(file, "x"), "cannot be accessed (ENOTDIR)"],
    [ground.work, "is a working folder already"],
    ["~/link", "is a working folder already"],
    ["inner", `inner is inside the working folder ${ground.work} already`],
    ["x\0", "cannot contain a NUL byte"],
  ] as const) {
    const { text, isError } = await answer(engine, `/add-dir ${folder}`);
    expect(isError).toBe(true);
    expect(text).toContain(why);
  }
  expect(await engine.desk.permissionRules()).toMatchObject({ workspaceDirectories: [] });
  await engine.dispose();
  expect(inputs).toEqual([]);
  expect(calls(model)).toEqual([]);
});

test("DirectoryAdded hooks run in the background for a registered folder and print only to the debug file", async () => {
  const ground = layGround();
  const inner = join(ground.work, "inner");
  mkdirSync(inner);
  const command = `cat > "$CLAUDE_PROJECT_DIR/input"; echo careful >&2; echo '{"continue":false}'`;
  const hooks = { DirectoryAdded: [{ matcher: "register_repo_root", hooks: [{ type: "command", command }] }] };
  const lines: string[] = [];
  const debug = (line: string): void => void lines.push(line);
  const { engine } = await open(ground, [], { settings: JSON.stringify({ hooks }), debug });
  await engine.desk.registerRepoRoot("inner", { instructions: false });
  expect((await turn(engine, "Go.")).result).toMatchObject({ subtype: "success", terminal_reason: "completed" });
  await engine.dispose();
  const input = JSON.parse(readFileSync(join(ground.work, "input"), "utf8")) as object;
  expect(input).toMatchObject({ directory: inner, source: "register_repo_root" });
  expect(lines.filter((line) => line.includes("hook DirectoryAdded")).join()).toContain(String.raw`stderr="careful\n"`);
});

test("the model cannot add a folder, neither through a skill nor through an agent's prompt", async () => {
  const ground = layGround();
  const folder = beside("library", ground);
  const { inputs, hooks } = hearing("DirectoryAdded");
  const asked: Part[] = [
    { tool: "Skill", input: { skill: "add-dir", args: folder } },
    { tool: "Agent", input: { description: "adds", prompt: `/add-dir ${folder}` } },
  ];
  const { engine } = await open(ground, asked, { hooks });
  await turn(engine, "Go.");
  expect(await engine.desk.permissionRules()).toMatchObject({ workspaceDirectories: [] });
  await engine.dispose();
  expect(inputs).toEqual([]);
});

test("prompt_id in hook inputs is the user's prompt: absent before the first, and shared with agents it starts", async () => {
  const { inputs, hooks } = hearing("SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStart", "SessionEnd");
  const glob: Part = { tool: "Glob", input: { pattern: "*" } };
  const agent: Part = { tool: "Agent", input: { description: "looks", prompt: "Look." } };
  const { engine } = await open(layGround(), [agent, glob], { hooks });
  const [first, second] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
  await turn(engine, "Go.", { uuid: first });
  await turn(engine, "On.", { uuid: second });
  await engine.dispose();
  const found = inputs.map((input) => [input["hook_event_name"], input["agent_id"] === undefined, input["prompt_id"]]);
  expect(found).toEqual([
    ["SessionStart", true, undefined],
    ["UserPromptSubmit", true, first],
    ["PreToolUse", true, first],
    ["SubagentStart", false, first],
    ["PreToolUse", false, first],
    ["UserPromptSubmit", true, second],
    ["SessionEnd", true, second],
  ]);
  expect(inputs[0]).not.toHaveProperty("prompt_id");
});

const skillAt = (folder: string, name: string, more = "") =>
  put(join(folder, "skills", name, "SKILL.md"), `---\ndescription: Does ${name}\n${more}---\nThe text of ${name}.`);

test("skills of added folders are offered after those of the project and without permissions of their own", async () => {
  const ground = layGround();
  const [shared, later] = [beside("shared", ground), beside("later", ground)];
  skillAt(join(ground.work, ".claude"), "deploy");
  for (const name of ["deploy", "release"]) skillAt(join(shared, ".claude"), name, "allowed-tools: Bash\n");
  skillAt(join(later, ".agents"), "measure");
  for (const kind of ["commands", "agents"])
    put(join(shared, ".claude", kind, `${kind}.md`), "---\nname: none\ndescription: d\n---\nx");
  const steps: Part[] = [
    { tool: "Skill", input: { skill: "release" } },
    { tool: "Bash", input: { command: "touch made" } },
    { tool: "Skill", input: { skill: "deploy" } },
    { text: "So." },
    { tool: "Skill", input: { skill: "measure" } },
  ];
  const { engine, model } = await open(ground, steps, { addDirs: [shared] });
  const { messages } = await turn(engine, "Go.");
  expect(messages[0]).toMatchObject({ skills: ["deploy", "release"] });
  expect(messages[0]).toMatchObject({ slash_commands: expect.not.arrayContaining(["commands"]) });
  expect(messages[0]).toMatchObject({ agents: expect.not.arrayContaining(["none"]) });
  const sent = (at: number) => JSON.stringify(calls(model).at(at)?.body?.messages);
  expect(sent(1)).toContain("The text of release.");
  expect(existsSync(join(ground.work, "made"))).toBe(false);
  expect(sent(3)).toContain(`Base folder of this skill: ${join(ground.work, ".claude/skills/deploy")}`);

  await answer(engine, `/add-dir ${later}`);
  await turn(engine, "Go on.");
  expect(sent(4)).toContain("- measure: Does measure");
  expect(sent(5)).toContain("The text of measure.");
});

test("an added folder contributes no skills when project settings are not loaded", async () => {
  const ground = layGround();
  const shared = beside("shared", ground);
  skillAt(join(shared, ".claude"), "release");
  const { engine } = await open(ground, [], { addDirs: [shared], settingSources: ["user"] });
  expect((await turn(engine, "Go.")).messages[0]).toMatchObject({ skills: [] });
});

test("an added link to the home folder contributes no skills when user settings are not loaded", async () => {
  const ground = layGround();
  skillAt(join(ground.home, ".claude"), "mine");
  const link = join(ground.work, "../link");
  symlinkSync(ground.home, link);
  const { engine } = await open(ground, [], { addDirs: [link], settingSources: ["project"] });
  expect((await turn(engine, "Go.")).messages[0]).toMatchObject({ skills: [] });
});

test("a skill of an added folder inside the project is offered once, also after a file beside it was read", async () => {
  const ground = layGround();
  const inner = join(ground.work, "inner");
  skillAt(join(inner, ".claude"), "release");
  const read: Part = { tool: "Read", input: { file_path: put(join(inner, "a.txt"), "x") } };
  const { engine, model } = await open(ground, [read, { text: "So." }], { addDirs: [inner] });
  await turn(engine, "Go.");
  await turn(engine, "Go on.");
  expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).not.toContain("Skills for the files you work with now");
  expect(engine.supportedCommands().filter(({ name }) => name.includes("release"))).toHaveLength(1);
});
