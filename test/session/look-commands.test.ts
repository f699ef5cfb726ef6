// Commands that show what a session is and what governs it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
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

test("/status says what the session is, for people and for programs", async () => {
  const { ground, engine, ask } = await session({ outputStyle: "concise" });
  const { text, output } = await ask("/status");
  expect(text).toContain(`session     ${engine.getSessionId()}\n`);
  expect(text).toContain(`folder      ${ground.work}\n`);
  expect(text).toContain(`settings    ${join(ground.pawlHome, "settings.json")}\n`);
  expect(text).toContain("mode        default\n");
  expect(text).toContain("MCP servers 0 of 0 connected\n");
  expect(output?.data).toMatchObject({ sessionId: engine.getSessionId(), permissionMode: "default", totalCostUsd: 0 });
});

test("/permissions names the mode, each rule with its place, deny first, and the folders", async () => {
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
  expect((await (await session(undefined)).ask("/permissions")).text).toContain("There is no rule.");
});

test("/permissions calls no rule a flag's that a skill, a file of --settings or a host has brought", async () => {
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

test("/permissions shows what a file forbids by now, and says that the rest waits", async () => {
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
    "Settings have changed: what they permit counts from the next prompt on.",
    "Folders:",
    `  ${ground.work}`,
  ]);
});

test("/hooks lists those of settings, and why one does not run", async () => {
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "echo a\nb \x1b]; c\x07" }] }] };
  const { ground, ask } = await session({ hooks });
  const { text, output } = await ask("/hooks");
  const file = join(ground.pawlHome, "settings.json");
  expect(text).toBe(`1 hook:\n  PreToolUse [Bash] echo a b <U+001B>]; c<U+0007>  (command, ${file})`);
  expect(output?.data).toMatchObject({ hooks: [{ event: "PreToolUse" }] });
  const off = await (await session({ hooks, disableAllHooks: true })).ask("/hooks");
  expect(off.text).toMatch(/settings\.json\): does not run, \S/u);
  expect((await (await session(undefined)).ask("/hooks")).text).toBe("No settings have hooks.");
});

test("/mcp lists servers and connects to one anew", async () => {
  const none = await session(undefined);
  expect((await none.ask("/mcp")).text).toBe("There is no MCP server.");
  expect(await none.ask("/mcp reconnect x")).toMatchObject({
    text: "There is no MCP server x. There is none at all.",
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

test.each(["/status x", "/permissions x", "/hooks x", "/mcp x", "/cost x", "/usage x"])(
  "%s is refused, and says what it takes",
  async (prompt) => {
    const { text, isError } = await (await session(undefined)).ask(prompt);
    expect(isError).toBe(true);
    expect(text).toContain("takes nothing");
  },
);
