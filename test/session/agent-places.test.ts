// Agents with all they may have at once: a work tree, hooks, skills and servers of their own, a sandbox, settings that change.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { serverOf } from "../mcp/support.ts";
import { confined } from "../permissions/sandbox/support.ts";
import { clearGroundsAfterwards, disposeAll, type Ground } from "./support.ts";
import { agent, bash, git, read, repository, run, treesOf, write } from "./worktree-support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function specialist({ pawlHome }: Ground, frontMatter: string): void {
  const body = "You are an agent that another agent has given a task to.";
  put(join(pawlHome, "agents/s.md"), `---\nname: s\ndescription: d\nisolation: worktree\n${frontMatter}---\n${body}\n`);
}

const call = agent({ subagent_type: "s", isolation: undefined });

test("hooks, a skill, notes and a server of an agent's own are there in its work tree", async () => {
  const ground = repository();
  put(join(ground.pawlHome, "skills/count/SKILL.md"), "---\ndescription: Counts\n---\nCount it.");
  const seen = join(ground.home, "seen");
  const hook = `- matcher: Bash\n      hooks:\n        - type: command\n          command: 'echo "$CLAUDE_PROJECT_DIR $PWD" >> ${seen}'\n`;
  const server = JSON.stringify({ own: serverOf() });
  specialist(ground, `skills: count\nmemory: project\nmcpServers:\n  - ${server}\nhooks:\n  PreToolUse:\n    ${hook}`);
  const notes = join(ground.work, ".pawl/agent-memory/s/MEMORY.md");
  const steps = [
    bash("ls"),
    () => ({ content: [{ tool: "mcp__own__echo", input: { text: "hello there" } }] }),
    () => ({ content: [{ tool: "Write", input: { file_path: notes, content: "Known." } }] }),
  ];
  const options = { allowedTools: ["mcp__own"], permissionMode: "default" as const };
  const { folder, below, told } = await run(ground, steps, options, call);
  expect(JSON.stringify(below[0]?.body?.messages)).toContain("Count it.");
  expect(JSON.stringify(below.at(-1)?.body?.messages)).toContain("hello there");
  expect(readFileSync(seen, "utf8")).toBe(`${ground.work} ${folder}\n`);
  expect(readFileSync(notes, "utf8")).toBe("Known.");
  expect(told).not.toContain("work tree");
  expect(treesOf(ground)).toEqual([]);
});

test("settings that forbid something meanwhile forbid it in the copy from the next call on", async () => {
  const ground = repository();
  const settings = join(ground.work, ".claude/settings.json");
  put(settings, "{}");
  const forbid = (folder: string) => {
    writeFileSync(settings, JSON.stringify({ permissions: { deny: ["Read(/src/b.txt)"] } }));
    return read("src/b.txt")(folder);
  };
  const { below } = await run(ground, [read("src/b.txt"), forbid, read("a.txt")]);
  const results = JSON.stringify(below.at(-1)?.body?.messages).match(/"is_error":true/gu);
  expect(results).toHaveLength(1);
});

confined("in a sandbox its commands write its work tree, and not the one it was made from", async () => {
  const ground = repository();
  const sandbox = { enabled: true, provider: "bubblewrap", autoAllowBashIfSandboxed: true };
  const steps = [bash(`touch ${ground.work}/theirs; touch mine; cat .git`)];
  const { folder, below } = await run(ground, steps, {
    settings: JSON.stringify({ sandbox, permissions: { deny: ["Edit(.git/config)"] } }),
  });
  expect(JSON.stringify(below.at(-1)?.body?.messages)).toContain("gitdir:");
  expect(existsSync(join(folder, "mine"))).toBe(true);
  expect(existsSync(join(ground.work, "theirs"))).toBe(false);
});

test("an agent below one in a work tree works there too, and one of its own is made from that", async () => {
  const ground = repository();
  const asked = (isolation: string | undefined) => () => ({ content: [agent({ isolation })] });
  let depth = 0;
  const deeper = (folder: string) => {
    depth += 1;
    return depth === 1 ? asked("worktree")() : write("deep.txt", "x")(folder);
  };
  const { folder } = await run(ground, [deeper]);
  const trees = treesOf(ground);
  expect(trees.length).toBeGreaterThan(0);
  expect(trees.some((tree) => existsSync(join(tree, "deep.txt")))).toBe(true);
  expect(existsSync(join(ground.work, "deep.txt"))).toBe(false);
  expect(folder).toContain(ground.pawlHome);
  expect(git(ground.work, "status", "--porcelain")).toBe("");
});
