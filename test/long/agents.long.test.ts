// Agents with all they may have at once, and forty of them in the background, interrupted in the middle.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { serverOf } from "../mcp/support.ts";
import { sweepWorktrees } from "../../src/session/worktrees/sweep.ts";
import { nodeProcesses } from "../../src/transcript/process-table.ts";
import type { Reply, RequestView } from "../../src/testing/index.ts";
import { clearGrounds, disposeAll, openSession, turn, type Ground } from "../session/support.ts";
import { agent, bash, git, repository, run, treesOf, write } from "../session/worktree-support.ts";
import { put } from "../support/put.ts";
import { isAlive } from "../tools/support.ts";
import { isAgent } from "../support/is-agent.ts";

afterAll(clearGrounds);
afterEach(disposeAll);

const count = 40;

test(`${count} agents that are interrupted leave no process, no work tree and no branch`, async () => {
  const ground = repository();
  const pids = join(ground.home, "pids");
  mkdirSync(pids);
  const call = agent({ run_in_background: true });
  const command = `echo $$ > ${pids}/$$; sleep 1000`;
  const reply = (request: RequestView): Reply | string => {
    if (isAgent(request)) return { content: [{ tool: "Bash", input: { command, timeout: 600_000 } }] };
    return request.turns === 0 ? { content: Array.from({ length: count }, () => call) } : "They work.";
  };
  const options = { permissionMode: "bypassPermissions" as const, agentLimits: { concurrent: count, turns: 20_000 } };
  const { engine } = await openSession({ rules: [{ when: {}, reply }] }, options, ground);
  await turn(engine, "Go.");
  expect(engine.openAgents).toBe(count);
  // Some of them work, some are still having their tree made.
  await expect.poll(() => readdirSync(pids).length, { timeout: 120_000 }).toBeGreaterThan(count / 4);
  expect(treesOf(ground).length).toBeGreaterThan(count / 4);
  await disposeAll();
  const started = readdirSync(pids).map((name) => Number(readFileSync(join(pids, name), "utf8")));
  expect(started.filter(isAlive)).toEqual([]);
  expect(treesOf(ground)).toEqual([]);
  expect(git(ground.work, "worktree", "list").split("\n")).toHaveLength(1);
  expect(git(ground.work, "branch", "--list").split("\n")).toEqual(["* main"]);
  // A git that was ended before it had made an entry leaves the folder for them.
  const entries = join(ground.work, ".git/worktrees");
  expect(existsSync(entries) ? readdirSync(entries) : []).toEqual([]);
}, 240_000);

test("the next process removes the worktrees that a killed process left", async () => {
  const ground = repository();
  const script = `
    import { addWorktree, planWorktree } from ${JSON.stringify(join(import.meta.dirname, "../../src/session/worktrees/worktree.ts"))};
    import { writeMarker } from ${JSON.stringify(join(import.meta.dirname, "../../src/session/worktrees/marker.ts"))};
    import { nodeProcesses } from ${JSON.stringify(join(import.meta.dirname, "../../src/transcript/process-table.ts"))};
    const places = { cwd: ${JSON.stringify(ground.work)}, env: process.env, pawlHome: ${JSON.stringify(ground.pawlHome)} };
    const { signal } = new AbortController();
    const whole = await planWorktree("agent-1", places, signal);
    writeMarker(whole, nodeProcesses);
    writeMarker(await addWorktree(whole, places, signal), nodeProcesses);
    const half = await planWorktree("agent-2", places, signal);
    writeMarker(half, nodeProcesses);
    process.kill(process.pid, "SIGKILL");
  `;
  expect(() =>
    execFileSync(process.execPath, ["--input-type=module-typescript", "-e", script], { stdio: "pipe" }),
  ).toThrow();
  expect(treesOf(ground)).toHaveLength(3);
  const told: string[] = [];
  const notice = (text: string): void => void told.push(text);
  await sweepWorktrees({
    pawlHome: ground.pawlHome,
    env: process.env,
    processes: nodeProcesses,
    now: Date.now(),
    notice,
  });
  expect(treesOf(ground)).toEqual([]);
  expect(git(ground.work, "branch", "--list").split("\n")).toEqual(["* main"]);
  expect(told).toEqual([]);
});

function specialist({ pawlHome }: Ground, frontMatter: string): void {
  const body = "You are an agent that another agent has given a task to.";
  put(join(pawlHome, "agents/s.md"), `---\nname: s\ndescription: d\nisolation: worktree\n${frontMatter}---\n${body}\n`);
}

const call = agent({ subagent_type: "s", isolation: undefined });

test("an agent's own hooks, skill, memory and server work in its worktree", async () => {
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

test("an agent below an agent in a worktree works there, too, or in a worktree made from it", async () => {
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
