// Commands that show what a session is and what governs it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { put } from "../support/put.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

async function session(settings: object | undefined, options: EngineOptions = {}) {
  const ground = layGround();
  if (settings !== undefined) {
    mkdirSync(ground.pawlHome, { recursive: true });
    writeFileSync(join(ground.pawlHome, "settings.json"), JSON.stringify(settings));
  }
  const model = scripted({ steps: [] });
  const engine = await openOn(ground, model, { settingSources: ["user"], ...options });
  const ask = async (prompt: string) => {
    const { result } = await turn(engine, prompt);
    expect(calls(model)).toHaveLength(0);
    const output = result.local_command_output as { data?: unknown } | undefined;
    return { text: "result" in result ? result.result : result.errors.join("\n"), isError: result.is_error, output };
  };
  return { ground, engine, ask };
}

test("/status describes the session for people and for programs", async () => {
  const { ground, engine, ask } = await session({ outputStyle: "concise" });
  const { text, output } = await ask("/status");
  expect(text).toContain(`session     ${engine.getSessionId()}\n`);
  expect(text).toContain(`folder      ${ground.work}\n`);
  expect(text).toContain(`settings    ${join(ground.pawlHome, "settings.json")}\n`);
  expect(text).toContain("mode        default\n");
  expect(text).toContain("MCP servers 0 of 0 connected\n");
  expect(output?.data).toMatchObject({ sessionId: engine.getSessionId(), permissionMode: "default", totalCostUsd: 0 });
});

test("/permissions lists the mode, each rule with its source, deny first, and the folders", async () => {
  const permissions = { allow: ["Bash(npm \x1b]test\x07)"], deny: ["Read(./secret)"] };
  const { ground, ask } = await session({ permissions }, { allowedTools: ["WebFetch"], permissionMode: "plan" });
  const { text, output } = await ask("/permissions");
  const lines = text.split("\n");
  expect(lines[0]).toBe("The permission mode is plan.");
  expect(lines.slice(2)).toEqual([
    "  deny   Read(./secret)  (your settings)",
    "  allow  Bash(npm <U+001B>]test<U+0007>)  (your settings)",
    "  allow  WebFetch  (a flag)",
    "Folders:",
    `  ${ground.work}`,
  ]);
  expect(output?.data).toMatchObject({ mode: "plan", originalCwd: ground.work });
  expect((await (await session(undefined)).ask("/permissions")).text).toContain(
    'There are no rules. The answer "always" to a question adds one, and so does "permissions" in settings.\n',
  );
});

test("/permissions lists the added folders with their source", async () => {
  const more = layGround().work;
  const { ground, ask } = await session(undefined, { addDirs: [more] });
  const { text } = await ask("/permissions");
  expect(text).toMatch(new RegExp(`\\nFolders:\\n  ${ground.work}\\n  ${more}  \\(a flag\\)$`, "u"));
});

test("/permissions does not call rules from skills, a --settings file or a host flags", async () => {
  const ground = layGround();
  const skill = join(ground.pawlHome, "skills", "touch", "SKILL.md");
  mkdirSync(join(skill, ".."), { recursive: true });
  writeFileSync(skill, "---\ndescription: Touches\nallowed-tools: Bash(touch *)\n---\nTouch.");
  const settings = join(ground.work, "more.json");
  writeFileSync(settings, JSON.stringify({ permissions: { allow: ["Bash(ls /)"] } }));
  const managedSettings = { permissions: { deny: ["Read(./secret)"] } };
  const options = { settingSources: ["user" as const], settings, managedSettings };
  const engine = await openOn(ground, scripted({ steps: ["Touched."] }), options);
  await turn(engine, "/touch");
  expect((await engine.desk.permissionRules()).rules).toEqual([
    { behavior: "allow", rule: "Bash(ls /)", source: "flagSettings", editability: "readonly" },
    { behavior: "allow", rule: "Bash(touch *)", source: "session", editability: "session" },
    { behavior: "deny", rule: "Read(./secret)", source: "policySettings", editability: "readonly" },
  ]);
});

test("/permissions shows what a changed file denies now, and says that the rest waits", async () => {
  const { ground, engine, ask } = await session({ permissions: { allow: ["Bash(a)", "Bash(b)"] } });
  const changed = { permissions: { allow: ["Bash(b)", "Bash(c)"], deny: ["Bash(d)"] } };
  writeFileSync(join(ground.pawlHome, "settings.json"), JSON.stringify(changed));
  const { rules } = await engine.desk.permissionRules();
  expect(rules.map(({ behavior, rule }) => `${behavior} ${rule}`).toSorted()).toEqual([
    "allow Bash(b)",
    "deny Bash(d)",
  ]);
  const { text } = await ask("/permissions");
  expect(text.split("\n").slice(2)).toEqual([
    "  deny   Bash(d)  (your settings)",
    "  allow  Bash(b)  (your settings)",
    "Settings have changed: what they permit takes effect with the next prompt.",
    "Folders:",
    `  ${ground.work}`,
  ]);
});

test("/hooks lists the hooks from settings, and why one does not run", async () => {
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "echo a\nb \x1b]; c\x07" }] }] };
  const { ground, ask } = await session({ hooks });
  const { text, output } = await ask("/hooks");
  const file = join(ground.pawlHome, "settings.json");
  expect(text).toBe(`1 hook:\n  PreToolUse [Bash] echo a b <U+001B>]; c<U+0007>  (command, ${file})`);
  expect(output?.data).toMatchObject({ hooks: [{ event: "PreToolUse" }] });
  const off = await (await session({ hooks, disableAllHooks: true })).ask("/hooks");
  expect(off.text).toMatch(/settings\.json\): does not run, \S/u);
  expect((await (await session(undefined)).ask("/hooks")).text).toBe(
    'No hooks are configured. "hooks" in a settings file adds some.',
  );
});

test("/mcp lists the servers and reconnects to one", async () => {
  const none = await session(undefined);
  expect((await none.ask("/mcp")).text).toBe('No MCP servers are configured. "pawl mcp add" adds one.');
  expect(await none.ask("/mcp reconnect x")).toMatchObject({
    text: 'There is no MCP server x. No MCP servers are configured. "pawl mcp add" adds one.',
    isError: true,
  });
  const broken = { command: process.execPath, args: ["-e", "process.exit(3)"] };
  const first = await session(undefined, { mcpServers: { broken } });
  expect((await first.ask("/mcp")).text).toMatch(/^ {2}broken \[failed\]/u);
  const { ask } = await session(undefined, { mcpServers: { broken } });
  const again = await ask("/mcp reconnect broken");
  expect(again.isError).toBe(true);
  expect(again.text).toMatch(/^ {2}broken \[failed\] \(\w+\): \S/u);
  expect((await ask("/mcp")).text).toBe(again.text);
  expect((await ask("/mcp reconnect other")).text).toBe("There is no MCP server other. There are: broken.");
});

test.each([
  "/status x",
  "/permissions x",
  "/hooks x",
  "/memory x",
  "/skills x",
  "/agents x",
  "/mcp x",
  "/cost x",
  "/usage x",
])("%s is refused with a message that the command takes nothing", async (prompt) => {
  const { text, isError } = await (await session(undefined)).ask(prompt);
  expect(isError).toBe(true);
  expect(text).toContain("takes nothing");
});

test("/memory lists the loaded files in order with source and size, and the rules that wait", async () => {
  const ground = layGround();
  put(join(ground.pawlHome, "AGENTS.md"), "Mine.");
  put(join(ground.work, "CLAUDE.md"), `See @docs/style.md, and ${"x".repeat(2_000)}`);
  put(join(ground.work, "docs", "style.md"), "Style.");
  put(join(ground.work, ".claude", "rules", "ts.md"), "---\npaths: src/**/*.ts\n---\nStrict.");
  put(join(ground.work, "src", "CLAUDE.md"), "Of the sources.\n\n## /api/users\n\nLists them.");
  put(join(ground.work, "src", "a.ts"), "a");
  const read = { content: [{ tool: "Read", input: { file_path: join(ground.work, "src", "a.ts") } }] };
  const engine = await openOn(ground, scripted({ steps: [read, "Read."] }));
  const ask = async () => (await turn(engine, "/memory")).result;
  const before = await ask();
  expect("result" in before && before.result.replaceAll(ground.work, "W").replaceAll(ground.pawlHome, "H")).toBe(
    `3 memory files are loaded; the model gets them in this order:
  1  H/AGENTS.md  (yours, 5 characters)
  2  W/CLAUDE.md  (the project's, 2.0k characters)
  3  W/docs/style.md  (the project's, 6 characters, imported by W/CLAUDE.md)
Rules that are loaded once a file they apply to is read:
  W/.claude/rules/ts.md  (src/**/*.ts)`,
  );
  await turn(engine, "read it");
  const after = await ask();
  expect("result" in after && after.result.replaceAll(ground.work, "W")).toMatch(
    /style\.md[^\n]*\nLoaded since then, with files that were read:\n {2}W\/src\/CLAUDE\.md\n {2}W\/\.claude\/rules\/ts\.md$/u,
  );
  expect((after.local_command_output as { data?: unknown }).data).toMatchObject({ files: [{ scope: "user" }, {}, {}] });
});

test("/memory says if there are no files, or if they are disabled", async () => {
  const { ask } = await session(undefined);
  expect((await ask("/memory")).text).toMatch(/^No memory file is loaded: \/init /u);
  const off = await session(undefined, { env: { CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1" } });
  expect((await off.ask("/memory")).text).toBe("Memory files are switched off: none is loaded.");
});

test("/skills and /agents list each entry with its purpose, source and permissions", async () => {
  const ground = layGround();
  const skill = join(ground.work, ".claude", "skills", "deploy", "SKILL.md");
  put(skill, "---\ndescription: Ships it\n---\nShip.");
  const command = join(ground.pawlHome, "commands", "fix.md");
  put(command, "---\ndescription: Fixes\ndisable-model-invocation: true\n---\nFix.");
  const memory = join(ground.work, ".claude", "commands", "memory.md");
  put(memory, "---\ndescription: Of the project\n---\nRemember.");
  const agent = join(ground.work, ".claude", "agents", "reviewer.md");
  put(agent, "---\nname: reviewer\ndescription: Reviews\ntools: Read, Grep\nmodel: opus\n---\nReview.");
  const engine = await openOn(ground, scripted({ steps: [] }));
  const ask = async (prompt: string) => {
    const { result } = await turn(engine, prompt);
    return { text: "result" in result ? result.result : "", output: result.local_command_output as { data?: unknown } };
  };
  const skills = await ask("/skills");
  expect(skills.text).toBe(
    `3 skills and commands:
  deploy  Ships it
          skill, the project's, ${skill}; you and the model may start it
  fix     Fixes
          command, yours, ${command}; only you may start it
  memory  Of the project
          command, the project's, ${memory}; only the model may start it`,
  );
  expect(skills.output.data).toMatchObject({
    skills: [{ name: "deploy", isOfferedToModel: true }, { name: "fix" }, { name: "memory" }],
  });
  const { text, output } = await ask("/agents");
  expect(text).toContain("4 kinds of agent:\n  general-purpose  any task; the default\n");
  expect(text).toContain(
    "  Explore          finds things, changes nothing\n                   comes with pawl; the session's model; tools: Read, Glob, Grep, Bash\n",
  );
  expect(text).toContain(
    `  reviewer         Reviews\n                   the project's, ${agent}; model opus; tools: Read, Grep`,
  );
  expect(output.data).toMatchObject({ agents: expect.arrayContaining([expect.objectContaining({ model: "opus" })]) });
});

test("/model says if a name is not in the catalogue, because it may be mistyped", async () => {
  const { ask } = await session(undefined);
  expect(await ask("/model opsu")).toMatchObject({
    text: "From the next message on the model is opsu. It is not in the catalogue: it is used as it is.",
    isError: false,
  });
  expect((await ask("/model opsu[1m]")).text).toMatch(/the model is opsu\. It is not in the catalogue/u);
  expect((await ask("/model haiku")).text).toBe("From the next message on the model is claude-haiku-5-5.");
  // Somebody has set it on purpose.
  const mapped = await session(undefined, { env: { ANTHROPIC_DEFAULT_OPUS_MODEL: "gateway-large" } });
  expect((await mapped.ask("/model opus")).text).toBe("From the next message on the model is gateway-large.");
});

// Seen: /context showed memory files where there were none, and the skills as part of the last file.
test("/context counts the list of skills apart from the memory files, and the date with the system prompt", async () => {
  const usage = async (files: Record<string, string>) => {
    const ground = layGround();
    for (const [name, text] of Object.entries(files)) put(join(ground.work, name), text);
    const { categories, memoryFiles } = (await openOn(ground, scripted({ steps: [] }))).getContextUsage();
    return { memoryFiles, tokens: Object.fromEntries(categories.map(({ id, tokens }) => [id as string, tokens])) };
  };
  const memory = { "AGENTS.md": "Mind this.\n\n# Skills\nNone.\n\n# Date\nToday is a good day." };
  const skill = { ".claude/skills/deploy/SKILL.md": `---\ndescription: ${"ship it ".repeat(60)}\n---\n` };
  expect((await usage({})).tokens).not.toHaveProperty("memory_files");
  const [withMemory, withSkill, withBoth] = [
    await usage(memory),
    await usage(skill),
    await usage({ ...memory, ...skill }),
  ];
  expect(withMemory.tokens).not.toHaveProperty("skills");
  expect(withSkill.tokens).not.toHaveProperty("memory_files");
  expect(withSkill.tokens["skills"]).toBeGreaterThan(100);
  expect(withBoth.tokens["skills"]).toBeGreaterThan(100);
  // Without the skills, which come after the file.
  expect(withBoth.memoryFiles.map(({ tokens }) => tokens < 50)).toEqual([true]);
});
