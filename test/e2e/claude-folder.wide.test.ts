// A project and a home as people have them from another agent: all that lies there works, through the real command.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Reply, RequestView } from "../../src/testing/index.ts";
import { createWorld, type World } from "./command.ts";

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const serverProgram = join(import.meta.dirname, "../mcp/server.ts");

const project: Record<string, string> = {
  "CLAUDE.md": `# Guide

@docs/architecture.md and @README, but not \`@code\` and not @nothing-there.

<!-- COMMENT-MARK -->
GUIDE-MARK
`,
  "docs/architecture.md": "ARCHITECTURE-MARK\n",
  README: "README-MARK\n",
  "CLAUDE.local.md": "LOCAL-MARK\n",
  ".claude/rules/api.md": '---\npaths:\n  - "src/**/*.{ts,tsx}"\n---\nSCOPED-MARK\n',
  ".claude/rules/general.md": "RULE-MARK\n",
  "src/a.ts": "export const a = 1;\n",
  ".env": "SECRET-MARK=1\n",
  "packages/web/CLAUDE.md": "NESTED-MARK\n",
  "packages/web/src/b.ts": "export const b = 2;\n",
  "packages/web/.claude/skills/web-deploy/SKILL.md": "---\nname: web-deploy\ndescription: deploys the web\n---\nweb\n",
  // A description as generators of agents write it: no YAML.
  ".claude/agents/review/code-reviewer.md": `---
name: code-reviewer
description: Use this agent to review code. Examples: <example>Context: x user: "review it" assistant: "I will"</example>
tools: Read, Grep, Glob
color: blue
---

REVIEWER-MARK
`,
  ".claude/skills/deploy/SKILL.md": `---
name: deploy
description: Deploys the app. Use it when the user says "ship it".
allowed-tools: Bash(echo:*), Read
argument-hint: [environment]
---

Deploy to $ARGUMENTS from !\`echo BRANCH-"MARK"\`, by \${CLAUDE_SKILL_DIR}/steps.md
`,
  ".claude/skills/pdf-fill/SKILL.md": `---
name: pdf-fill
description: >
  Fills forms
  with data.
metadata:
  version: "1.0"
---
PDF-MARK
`,
  ".claude/commands/fix-issue.md": `---
description: Fixes an issue
argument-hint: [number]
allowed-tools: Bash(echo:*)
---
Fix issue #$1 in @src/a.ts: !\`echo STATUS-"MARK"\`
`,
  ".claude/commands/db/migrate.md": "Migrate $ARGUMENTS.\n",
  ".claude/output-styles/terse.md": "---\nname: Terse\ndescription: few words\n---\nSTYLE-MARK\n",
  ".claude/hooks/format.sh":
    '#!/bin/sh\ncat > "$CLAUDE_PROJECT_DIR/hook.json"\necho "HOOK-MARK $FROM_SETTINGS" >&2\nexit 2\n',
  ".claude/settings.json": JSON.stringify({
    $schema: "https://json.schemastore.org/claude-code-settings.json",
    permissions: { allow: ["mcp__files", "Edit"], deny: ["Read(./.env)"] },
    hooks: {
      PostToolUse: [
        {
          matcher: "Edit|Write|MultiEdit",
          hooks: [{ type: "command", command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/format.sh' }],
        },
      ],
    },
    env: { FROM_SETTINGS: "given" },
    outputStyle: "Terse",
    enabledPlugins: { "fmt@tools": true },
    extraKnownMarketplaces: { tools: { source: { source: "directory", path: "./market" } } },
    statusLine: { type: "command", command: "~/.claude/statusline.sh" },
  }),
  ".mcp.json": JSON.stringify({
    mcpServers: { files: { command: process.execPath, args: [serverProgram], env: { LEVEL: "${LEVEL:-low}" } } },
  }),
  "market/.claude-plugin/marketplace.json": JSON.stringify({
    name: "tools",
    owner: { name: "Me" },
    plugins: [{ name: "fmt", source: "./fmt", description: "formats" }],
  }),
  "market/fmt/.claude-plugin/plugin.json": JSON.stringify({ name: "fmt", version: "1.0.0" }),
  "market/fmt/commands/go.md": "PLUGIN-COMMAND-MARK\n",
  "market/fmt/skills/lint/SKILL.md": "---\nname: lint\ndescription: LINT-MARK\n---\nlint\n",
  "market/fmt/agents/helper.md": "---\nname: helper\ndescription: HELPER-MARK\n---\nhelp\n",
};

const home: Record<string, string> = {
  ".claude/CLAUDE.md": "USER-MARK\n",
  ".claude/settings.json": JSON.stringify({ permissions: { allow: ["Read"] } }),
  ".claude/agents/mine.md": "---\nname: mine\ndescription: MY-AGENT-MARK\n---\nx\n",
  ".claude/skills/notes/SKILL.md": "---\nname: notes\ndescription: MY-SKILL-MARK\n---\nx\n",
  ".claude.json": JSON.stringify({
    numStartups: 3,
    mcpServers: { mine: { command: process.execPath, args: [serverProgram] } },
  }),
};

function lay(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    if (name.endsWith(".sh")) chmodSync(path, 0o755);
  }
}

/** What a run does, by the words that stand in its prompt. */
function reply({ toolResults, turns, body, systemText }: RequestView): Reply | string {
  const text = JSON.stringify(body.messages);
  if (systemText.includes("REVIEWER-MARK")) return "REVIEWED";
  if (!text.includes("Do it all")) return "Done.";
  const folder = /Do it all in ([^ "]+)/u.exec(text)?.[1] ?? "";
  const steps: { tool: string; input: Record<string, string> }[] = [
    { tool: "Read", input: { file_path: join(folder, "src/a.ts") } },
    { tool: "Read", input: { file_path: join(folder, "packages/web/src/b.ts") } },
    { tool: "Read", input: { file_path: join(folder, ".env") } },
    { tool: "Edit", input: { file_path: join(folder, "src/a.ts"), old_string: "1", new_string: "2" } },
    { tool: "Skill", input: { skill: "pdf-fill" } },
    { tool: "Agent", input: { description: "review", prompt: "Review it", subagent_type: "code-reviewer" } },
    { tool: "mcp__files__echo", input: { text: "PROJECT-SERVER-MARK" } },
  ];
  const step = steps[toolResults.length];
  return step === undefined || turns > steps.length ? "Done." : { content: [step] };
}

test("instructions, rules, agents, skills, commands, hooks, plugins and servers in .claude folders all work", async () => {
  world = await createWorld({ fallback: reply });
  const { run, folder, home: homeFolder, server } = world;
  lay(folder, project);
  lay(homeFolder, home);
  execFileSync("git", ["-c", "init.defaultBranch=main", "init", "-q"], { cwd: folder });

  const worked = await run(["-p", "--trust", "--", `Do it all in ${folder} now`]);
  expect([worked.code, worked.stdout]).toEqual([0, "Done.\n"]);
  const asked = server.requests.filter(({ endpoint }) => endpoint === "messages").map(({ body }) => body!);
  const mains = asked.filter((body) => !JSON.stringify(body.system).includes("REVIEWER-MARK"));
  const first = JSON.stringify(mains[0]);
  for (const mark of "GUIDE ARCHITECTURE README LOCAL RULE USER STYLE LINT HELPER MY-AGENT MY-SKILL".split(" "))
    expect(first).toContain(`${mark}-MARK`);
  for (const mark of "COMMENT SCOPED NESTED SECRET PDF".split(" ")) expect(first).not.toContain(`${mark}-MARK`);
  for (const name of [
    "deploy",
    "pdf-fill: Fills forms with data.",
    "fmt:lint",
    "code-reviewer",
    "mcp__files__echo",
    "mcp__mine__echo",
  ])
    expect(first).toContain(name);
  const last = JSON.stringify(mains.at(-1));
  for (const mark of "SCOPED NESTED PDF PROJECT-SERVER HOOK".split(" ")) expect(last).toContain(`${mark}-MARK`);
  expect(last).toContain("HOOK-MARK given");
  expect(last).toContain("web-deploy");
  expect(last).toContain("REVIEWED");
  expect(last).not.toContain("SECRET-MARK");
  expect(JSON.parse(readFileSync(join(folder, "hook.json"), "utf8"))).toMatchObject({ tool_name: "Edit" });
  const [agent] = asked.filter((body) => JSON.stringify(body.system).includes("REVIEWER-MARK"));
  expect(agent?.tools?.map(({ name }) => name)).toEqual(["Glob", "Grep", "Read"]);
  const prefix = JSON.stringify(mains[0]?.tools);
  for (const { tools } of mains) expect(JSON.stringify(tools).startsWith(prefix.slice(0, -1))).toBe(true);

  const typed = async (prompt: string): Promise<string> => {
    const before = server.requests.length;
    const { code, stderr } = await run(["-p", "--trust", "--", prompt]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return JSON.stringify(server.requests.slice(before).map(({ body }) => body?.messages));
  };
  const issue = await typed("/fix-issue 42");
  expect(issue).toContain("Fix issue #42");
  expect(issue).toContain("STATUS-MARK");
  expect(issue).toContain("export const a = 2;");
  const deploy = await typed("/deploy staging");
  expect(deploy).toContain("Deploy to staging from BRANCH-MARK");
  expect(deploy).toContain(join(folder, ".claude/skills/deploy/steps.md"));
  expect(await typed("/db:migrate up")).toContain("Migrate up.");
  expect(await typed("/fmt:go")).toContain("PLUGIN-COMMAND-MARK");
});

test("without trust, project instructions are read, but no project setting runs or permits anything", async () => {
  world = await createWorld({ fallback: reply });
  const { run, folder, home: homeFolder, server } = world;
  lay(folder, project);
  lay(homeFolder, home);
  const { code, stderr } = await run(["-p", "--", `Do it all in ${folder} now`]);
  expect(code).toBe(0);
  expect(stderr).toContain("not trusted");
  const first = JSON.stringify(server.requests[0]?.body);
  for (const mark of "GUIDE LOCAL RULE USER MY-AGENT MY-SKILL".split(" ")) expect(first).toContain(`${mark}-MARK`);
  for (const mark of "STYLE LINT HELPER".split(" ")) expect(first).not.toContain(`${mark}-MARK`);
  expect(first).toContain("mcp__mine__echo");
  expect(first).not.toContain("mcp__files__echo");
  const last = JSON.stringify(server.requests.at(-1)?.body);
  expect(last).not.toContain("SECRET-MARK");
  expect(existsSync(join(folder, "hook.json"))).toBe(false);
  expect(readFileSync(join(folder, "src/a.ts"), "utf8")).toContain("1");
});
