// `pawl permissions explain`: the explanation of a call, for people and for programs.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { confined } from "../permissions/sandbox/support.ts";
import { print } from "../../src/cli/say.ts";
import { runExplain } from "../../src/cli/permissions-command.ts";

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-explain-")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function explain(words: string[], stdin = ""): Promise<{ lines: string[]; code: number; notices: string[] }> {
  const parsed = parseArguments(["permissions", "explain", ...words]);
  if (parsed.kind !== "explain") throw new Error(`parsed as ${parsed.kind}`);
  let text = "";
  const notices: string[] = [];
  const around = {
    cwd: folder,
    env: { HOME: folder, PATH: process.env["PATH"] },
    onNotice: (notice: string) => void notices.push(notice),
  };
  const code = await runExplain(parsed.explain, around, Readable.from([stdin]), async (piece) => void (text += piece));
  return { lines: text.split("\n").filter(Boolean), code, notices };
}

test("decides calls of rarely offered tools and of agents and skills by their rules", async () => {
  const { lines } = await explain([
    "--permission-mode",
    "acceptEdits",
    "--disallowed-tools",
    "Agent(Explore),Skill(deploy)",
    "--",
    "NotebookEdit(a.ipynb)",
    "Agent(Plan)",
    "Agent(Explore)",
    "Skill(review)",
    "Skill(deploy)",
    "WebFetch(https://example.com)",
  ]);
  expect(lines.map((line) => line.split(/[: ]/u)[0])).toEqual(["allow", "allow", "deny", "allow", "deny", "ask"]);
});

test("asks a person about plans in every mode", async () => {
  for (const mode of ["default", "plan", "bypassPermissions"]) {
    const { lines } = await explain(["--permission-mode", mode, "ExitPlanMode", "EnterPlanMode"]);
    expect(lines.map((line) => line.split(":")[0])).toEqual(["ask", "ask"]);
  }
});

test("prints help without a call", () => {
  expect(parseArguments(["permissions", "--help"])).toMatchObject({
    kind: "help",
    text: expect.stringContaining("pawl permissions explain"),
  });
});

test("names the file rule that allows a command to access a file", async () => {
  const rules = ["--allowed-tools", "Edit(out/**)", "Read(//etc/hosts)", "Bash(npm test)", "--"];
  const { lines } = await explain([...rules, "Bash(echo a > out/x)", "Bash(cat /etc/hosts)", "Bash(npm test > out/x)"]);
  expect(lines.map((line) => /by the rule (.*?): /u.exec(line)?.[1])).toEqual([
    "Edit(out/**)",
    "Read(//etc/hosts)",
    "Bash(npm test)",
  ]);
  const steering = ["--permission-mode", "acceptEdits", "--allowed-tools", "Edit(CLAUDE.md)", "--"];
  const told = await explain([...steering, "Bash(touch CLAUDE.md)", "Bash(touch a.md)"]);
  expect(told.lines.map((line) => line.split(":")[0])).toEqual(["allow by the rule Edit(CLAUDE.md)", "allow"]);
});

test("has a usage line in which the call comes before flags that take lists", async () => {
  const parsed = parseArguments(["permissions", "--help"]);
  const usage = /pawl permissions explain (.*)/u.exec(parsed.kind === "help" ? parsed.text : "")?.[1] ?? "";
  const words = usage.split(" ").flatMap((word) => (word === "[flags]" ? ["--allowed-tools", "Edit"] : [word]));
  const calls = words.map((word) => (word.startsWith("'") ? "Edit(a.txt)" : word)).filter((word) => word !== "…");
  expect((await explain(calls)).lines).toHaveLength(1);
});

test("asks for the input of a call whose tool name alone does not identify it", async () => {
  await expect(explain(["Bash"])).rejects.toThrow("'Bash(command)'");
  await expect(explain(["ls"])).rejects.toThrow(`"ls" is not a tool call such as 'Bash(git push)'.`);
  await expect(explain(["bash(ls)"])).rejects.toThrow("There is no tool bash; did you mean Bash?");
  expect((await explain(["mcp__docs__search", "lookup()"])).lines).toHaveLength(2);
  expect((await explain(["Grep", "TodoWrite", "__proto__"])).lines).toHaveLength(3);
});

test("prints the decision, the rule and the reason, without needing a key", async () => {
  const { lines, code } = await explain([
    "--allowed-tools",
    "Bash(npm test *)",
    "--disallowed-tools",
    "Read(.env)",
    "--",
    "Bash(npm test x)",
    "Bash(ls && npm publish)",
    "Read(.env)",
    "Bash(ls -la)",
  ]);
  expect(code).toBe(0);
  expect(lines).toEqual([
    'allow by the rule Bash(npm test *): the allow rule "Bash(npm test *)" (--allowed-tools) covers it',
    'ask: "npm publish" needs permission (the rest of the line does not)',
    'deny by the rule Read(.env): the deny rule "Read(.env)" (--disallowed-tools) forbids it',
    "allow: it needs no permission in the mode default",
  ]);
});

test("answers each line of standard input, and reports lines that are not calls", async () => {
  const lines = [
    '{"tool":"Bash","input":{"command":"git status"}}',
    "",
    "nonsense",
    '{"tool":"Bash","input":7}',
    '{"tool":"Write","input":{"file_path":"a"}}',
  ];
  const told = await explain(["--json", "--stdin"], `${lines.join("\n")}\n`);
  expect(told.code).toBe(2);
  expect(told.lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { decision: "allow", rule: null, reason: expect.any(String) as string },
    { error: "line 3: it is not JSON" },
    { error: 'line 4: "input" should be an object' },
    { decision: "ask", rule: null, reason: "writing needs permission" },
  ]);
});

test("splits input at line feeds only, and answers each line on one line", async () => {
  const lines = [
    { tool: "Write", input: { file_path: "a\u2028b" } },
    { tool: "Read", input: { file_path: "a\u2029b" } },
  ];
  const input = lines.map((line) => JSON.stringify(line)).join("\r\n");
  const told = await explain(["--json", "--stdin", "--disallowed-tools", "Read(./a\u2029b)"], input);
  expect(told.lines.join()).not.toMatch(/[\u0085\u2028\u2029]/u);
  expect(told.lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { decision: "ask" },
    { decision: "deny", rule: "Read(./a\u2029b)" },
  ]);
});

test("applies settings and the permission mode, and refuses unreadable input", async () => {
  const settings = JSON.stringify({ permissions: { deny: ["Bash(curl *)"], allow: ["WebFetch(domain:a.org)"] } });
  const { lines } = await explain([
    "--settings",
    settings,
    "--permission-mode",
    "dontAsk",
    "Bash(env curl x)",
    "Bash(make)",
    "WebFetch(https://a.org/x)",
  ]);
  expect(lines.map((line) => line.split(/[ :]/u)[0])).toEqual(["deny", "deny", "allow"]);
  await expect(explain(["--settings", "{", "Bash(ls)"])).rejects.toThrow(/--settings/u);
  await expect(explain([])).rejects.toThrow(/needs a call/u);
  expect(() => parseArguments(["permissions", "list"])).toThrow(/explain/u);
});

confined("says whether a command would run in the sandbox", async () => {
  const settings = JSON.stringify({
    sandbox: { enabled: true, autoAllowBashIfSandboxed: true, excludedCommands: ["docker *"] },
  });
  const { lines } = await explain(["--settings", settings, "--", "Bash(npm test)", "Bash(docker ps)", "Read(a.txt)"]);
  expect(lines).toEqual([
    "allow: sandbox.autoAllowBashIfSandboxed allows confined commands (it would run in the sandbox)",
    'ask: "docker ps" needs permission (it would run outside the sandbox: sandbox.excludedCommands names it)',
    "allow: it needs no permission in the mode default",
  ]);
  const told = await explain(
    ["--json", "--stdin", "--settings", settings],
    '{"tool":"Bash","input":{"command":"ls","dangerouslyDisableSandbox":true}}\n',
  );
  expect(told.lines.map((line) => JSON.parse(line))).toMatchObject([{ decision: "ask", sandbox: "leaving" }]);
  const weak = JSON.stringify({ sandbox: { enabled: true, bwrapPath: "/nowhere/bwrap" } });
  const { notices, lines: plain } = await explain(["--settings", weak, "--", "Bash(npm test)"]);
  expect(notices.join()).toContain("COMMANDS RUN WITHOUT A SANDBOX");
  expect(plain).toEqual(['ask: "npm test" needs permission']);
});

test("leaves no error listeners on stdout after many prints", async () => {
  const before = process.stdout.listenerCount("error");
  for (let line = 0; line < 12; line += 1) expect(await print("")).toBe(0);
  expect(process.stdout.listenerCount("error")).toBe(before);
});
