// `pawl doctor`: what a session here would find, and which parts would not count.
import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { runDoctor } from "../../src/cli/doctor-command.ts";
import type { DoctorReport } from "../../src/session/desk/doctor.ts";
import { put as putFile } from "../support/put.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let home: string;
let cwd: string;
beforeEach(() => {
  more = {};
  home = temporaryFolder();
  cwd = join(home, "work");
  mkdirSync(join(cwd, ".git"), { recursive: true });
});

const put = (file: string, text: string): string => putFile(join(home, file), text);

let more: Record<string, string> = {};
async function doctor(...words: string[]): Promise<{ text: string; code: number }> {
  const parsed = parseArguments(["doctor", ...words]);
  if (parsed.kind !== "doctor") throw new Error(`parsed as ${parsed.kind}`);
  let text = "";
  const env = {
    HOME: home,
    ANTHROPIC_API_KEY: "sk-secret",
    ANTHROPIC_BASE_URL: "https://me:pass@example.com",
    ...more,
  };
  const code = await runDoctor(
    parsed.doctor,
    { cwd, home, env, version: "1.2.3" },
    async (piece) => void (text += piece),
  );
  return { text, code };
}

const firstExample = (page: string, language: string): string => {
  const text = readFileSync(join(import.meta.dirname, "../../docs", page), "utf8");
  return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "msu").exec(text)?.[1] ?? "";
};

test("finds the skill, the agent and the plugin that the documentation shows", async () => {
  put("work/.claude/skills/release-notes/SKILL.md", firstExample("knowledge.md", "markdown"));
  put("work/.claude/agents/reviewer.md", firstExample("agents.md", "markdown"));
  put("market/.claude-plugin/marketplace.json", firstExample("knowledge.md", "json"));
  put("market/lint/skills/lint/SKILL.md", skill());
  const source = { source: "directory", path: join(home, "market") };
  const settings = { extraKnownMarketplaces: { mine: { source } }, enabledPlugins: { "lint@mine": true } };
  put(".pawl/settings.json", JSON.stringify(settings));
  const { text, code } = await doctor();
  expect([code, text.match(/^ {2}(?:release-notes|reviewer|lint\S*) .*/gmu)]).toEqual([
    0,
    [
      `  release-notes (project) ${join(cwd, ".claude/skills/release-notes/SKILL.md")}`,
      `  lint:lint (plugin) ${join(home, "market/lint/skills/lint/SKILL.md")}`,
      `  reviewer (project) ${join(cwd, ".claude/agents/reviewer.md")}`,
      `  lint ${join(home, "market/lint")}`,
    ],
  ]);
});

const skill = (more = "") => `---\ndescription: Does it\n${more}---\nDo.\n`;

test("lists what a session would find, with its source and the reason if it does not count", async () => {
  put(".pawl/settings.json", '{"model":"opus","skillOverrides":{"off":"off"},"effortLevel":"very"}');
  put(".pawl/skills/mine/SKILL.md", skill());
  put(".pawl/skills/off/SKILL.md", skill());
  put(".pawl/commands/help.md", skill());
  put(".pawl/commands/go.md", skill());
  put(".pawl/skills/goal/SKILL.md", skill());
  put("work/.claude/skills/mine/SKILL.md", skill("allowed-tools: Bash\n"));
  put("work/.claude/agents/odd.md", "no front matter");
  put("work/.claude/agents/fine.md", "---\nname: fine\ndescription: Fine\nhooks:\n  Stop: []\n---\nYou are.");
  put(
    ".pawl/agents/own.md",
    "---\nname: own\ndescription: Own\nisolation: worktree\nskills: mine, gone\nmcpServers: there\n---\nYou are.",
  );
  put("work/.mcp.json", '{"mcpServers": {"near": {"command": "x"}}}');
  put("work/.claude/rules/ts.md", "---\npaths: '*.ts'\n---\nrule");
  put(
    "work/.claude/settings.json",
    '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"lint \\u001b]; x\\u0007"}]}]}}',
  );
  put("work/CLAUDE.md", "See @notes.md");
  put("work/notes.md", "Notes");
  put(".pawl/output-styles/poet.md", "---\nkeep-coding-instructions: perhaps\n---\nAnswer in verse.");
  const { text, code } = await doctor();
  expect(code).toBe(0);
  for (const line of [
    "pawl 1.2.3",
    "key       from ANTHROPIC_API_KEY",
    "model     opus at https://***@example.com",
    "1 MCP server, rights in 1 skill, rights in 1 agent; not trusted: pawl trust add",
    "note: ",
    `${cwd}/notes.md (project, 5 characters, imported by ${cwd}/CLAUDE.md)`,
    `${cwd}/.claude/rules/ts.md (waits for *.ts)`,
    `mine (user) ${home}/.pawl/skills/mine/SKILL.md\n`,
    `mine (project) ${cwd}/.claude/skills/mine/SKILL.md does not count: another one of this name takes precedence; allowed-tools left out`,
    `off (user) ${home}/.pawl/skills/off/SKILL.md does not count: settings turn it off`,
    "/help is a built-in command",
    `/go (user) ${home}/.pawl/commands/go.md\n`,
    `goal (user) ${home}/.pawl/skills/goal/SKILL.md\n`,
    `fine (project) ${cwd}/.claude/agents/fine.md: hooks left out`,
    "own.md: has a work tree of its own, the servers there; there is no skill gone",
    `near (project) ${cwd}/.mcp.json does not start: the folder is not trusted as it is now`,
    `Stop: command lint <U+001B>]; x<U+0007> (${cwd}/.claude/settings.json); does not run:`,
    `${cwd}/.claude/agents/odd.md:1: it has no name`,
    `poet (user) ${home}/.pawl/output-styles/poet.md\n`,
    'poet.md:2: "keep-coding-instructions" should be true or false',
  ])
    expect(text).toContain(line);
  expect(text).not.toMatch(/sk-secret|me:pass/u);
});

test("prints JSON with --json, and reports as if the folder were trusted with --trust", async () => {
  put("work/.claude/skills/x/SKILL.md", skill("allowed-tools: Bash\n"));
  const report = JSON.parse((await doctor("--json")).text) as DoctorReport;
  expect(report.skills).toMatchObject([{ name: "x", source: "project", inForce: true, remarks: [expect.any(String)] }]);
  const trusted = JSON.parse((await doctor("--json", "--trust")).text) as DoctorReport;
  expect(trusted).toMatchObject({ trust: { trusted: true }, skills: [{ remarks: [] }] });
});

test("names settings that trust does not allow, a missing style and the line of a broken server", async () => {
  put(
    "work/.claude/agents/lax.md",
    "---\nname: lax\ndescription: Lax\npermissionMode: bypassPermissions\n---\nYou are.",
  );
  put("work/.mcp.json", '{"mcpServers": {\n"odd": {}}}');
  put(".pawl/settings.json", '{"outputStyle":"gone"}');
  const { text } = await doctor("--trust");
  expect(text).toContain("lax.md: permissionMode left out, since a folder may not set bypassPermissions");
  expect(text).toContain("there is no style called gone: the default is in force");
  expect(text).toContain('.mcp.json:2 does not start: it needs a "command" or a "url"');
});

test("says why an agent is not started", async () => {
  put(".pawl/agents/odd.md", "---\nname: odd\ndescription: Odd\nmaxTurns: many\n---\nYou are.");
  const why = `${home}/.pawl/agents/odd.md:4 says "many", and "maxTurns" should be a whole number above 0`;
  expect((await doctor()).text).toContain(`odd (user) ${home}/.pawl/agents/odd.md: is not started: ${why}\n`);
});

test("reports problems of settings", async () => {
  put(".pawl/settings.json", '{"permissions":3}');
  const { text } = await doctor();
  expect(text).toMatch(/note: .*settings\.json.*permissions/u);
});

test("prints a short report for an empty folder, and refuses other words", async () => {
  const { text } = await doctor();
  expect(text.split("\n").length).toBeLessThan(12);
  expect(() => parseArguments(["doctor", "all"])).toThrow("pawl doctor takes --json and --trust");
});

test("reports imports of memory files that do not exist, and ignores words that are no file names", async () => {
  put(
    "work/CLAUDE.md",
    "@docs/gone.md and @./setup, as @someone and @org/team of @types/node say.\n@~/Mobile Notes/x.md\n@here.md",
  );
  put("work/here.md", "Read @gone.md");
  const { text } = await doctor();
  const notes = text.split("\n").filter((line) => line.includes("does not exist"));
  expect(notes).toEqual([
    `  note: ${join(cwd, "CLAUDE.md")} imports ${join(cwd, "docs/gone.md")}, which does not exist.`,
    `  note: ${join(cwd, "CLAUDE.md")} imports ${join(cwd, "setup")}, which does not exist (a blank in a path needs a backslash before it).`,
    `  note: ${join(cwd, "CLAUDE.md")} imports ${join(home, "Mobile")}, which does not exist (a blank in a path needs a backslash before it).`,
    `  note: ${join(cwd, "here.md")} imports ${join(cwd, "gone.md")}, which does not exist.`,
  ]);
});

test.each([
  ["a file", (path: string) => putFile(path, ""), "is not a folder"],
  ["a broken link", (path: string) => symlinkSync("gone", path), "is a link that leads nowhere"],
])("reports that no session can be saved if the sessions folder is %s", async (_what, lay, why) => {
  for (const name of ["projects", ""]) {
    rmSync(join(home, ".pawl"), { recursive: true, force: true });
    if (name !== "") mkdirSync(join(home, ".pawl"));
    lay(join(home, ".pawl", name).replace(/\/$/u, ""));
    const { text, code } = await doctor();
    expect(text).toContain(
      `${join(home, ".pawl", name).replace(/\/$/u, "")} ${why}, so no session can be saved: move it away,`,
    );
    expect(code).toBe(1);
  }
});

test.each([
  ["key", { ANTHROPIC_API_KEY: "" }, "{}", "No API key: set ANTHROPIC_API_KEY"],
  ["server", { ANTHROPIC_BASE_URL: "example.com" }, "{}", "ANTHROPIC_BASE_URL is not a URL"],
  ["provider", { ANTHROPIC_BASE_URL: "", CLAUDE_CODE_USE_BEDROCK: "1" }, "{}", "CLAUDE_CODE_USE_BEDROCK selects"],
  [
    "other account",
    { ANTHROPIC_BASE_URL: "", CLAUDE_CODE_USE_ANTHROPIC_AWS: "1" },
    "{}",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS selects",
  ],
  [
    "model",
    {},
    '{"model":"opus","deniedModels":["opus"]}',
    "is not available: the settings (deniedModels) rule it out",
  ],
  ["list of models", {}, '{"availableModels":[]}', "is not available: the settings (availableModels) allow no model"],
  ["limit", { PAWL_MAX_TURNS: "ten" }, "{}", 'PAWL_MAX_TURNS needs a whole number of 1 or more, not "ten"'],
])("says why no session can start with an unusable %s, and exits with 1", async (_what, env, settings, why) => {
  more = env;
  put(".pawl/settings.json", settings);
  const { text, code } = await doctor();
  expect(/^ {2}error {5}(.*)$/mu.exec(text)?.[1]).toContain(why);
  expect(code).toBe(1);
});

test("counts an apiKeyHelper as a key without running it", async () => {
  more = { ANTHROPIC_API_KEY: "" };
  put(".pawl/settings.json", '{"apiKeyHelper":"exit 1"}');
  const { text, code } = await doctor();
  expect(text).toContain("key       from apiKeyHelper");
  expect(code).toBe(0);
});

test("explains in words why a server file that is a circular link cannot be read", async () => {
  symlinkSync(".mcp.json", join(cwd, ".mcp.json"));
  const { text } = await doctor();
  expect(text).toContain(
    `${join(cwd, ".mcp.json")} cannot be read: a symbolic link is in its way (ELOOP). None of its servers is started.`,
  );
});

test("hides possible secrets of the server's address in text and in JSON", async () => {
  more = { ANTHROPIC_BASE_URL: "https://me:pass@example.com/models?key=secret#a" };
  put(".pawl/settings.json", '{"model":"opus"}');
  const shown = "https://***@example.com/models?***";
  expect((await doctor()).text).toContain(`model     opus at ${shown}\n`);
  expect((JSON.parse((await doctor("--json")).text) as DoctorReport).model.endpoint).toBe(shown);
});

test("reports a list of trusted folders that cannot be parsed", async () => {
  put(".pawl/trust.json", "{");
  expect((await doctor()).text).toContain(
    "trust.json is not valid JSON: no folder is trusted until it is fixed or removed.",
  );
});

test("reports a memory file that a deny rule leaves out", async () => {
  put("work/CLAUDE.md", "Words.");
  put("work/.claude/settings.json", '{"permissions":{"deny":["Read(./CLAUDE.md)"]}}');
  const { text } = await doctor();
  expect(text).toContain(`  note: ${cwd}/CLAUDE.md was left out: a rule forbids reading it.`);
  expect(text).not.toContain("CLAUDE.md (project");
});

test("reports an allow rule with a tool's name in the wrong case, as the start of a session does", async () => {
  put(".pawl/settings.json", '{"permissions":{"allow":["edit","Edit"]}}');
  const { text } = await doctor();
  expect(text.match(/note: The allow rule .*/gu)).toEqual([
    `note: The allow rule "edit" (${home}/.pawl/settings.json): the tool is called Edit.`,
  ]);
});
