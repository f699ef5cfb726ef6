// Forty agents in the background, each with a work tree and a command of its own, interrupted in the middle.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sweepWorktrees } from "../../src/session/worktrees/sweep.ts";
import { nodeProcesses } from "../../src/transcript/process-table.ts";
import type { Reply, RequestView } from "../../src/testing/index.ts";
import { clearGrounds, disposeAll, openSession, turn } from "../session/support.ts";
import { agent, git, repository, treesOf } from "../session/worktree-support.ts";
import { isAlive } from "../tools/support.ts";

afterAll(clearGrounds);

const count = 40;
const isAgent = ({ systemText }: RequestView): boolean => systemText.includes("another agent has given a task");

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
  await disposeAll();
  const started = readdirSync(pids).map((name) => Number(readFileSync(join(pids, name), "utf8")));
  expect(started.filter(isAlive)).toEqual([]);
  expect(treesOf(ground)).toEqual([]);
  expect(git(ground.work, "worktree", "list").split("\n")).toHaveLength(1);
  expect(git(ground.work, "branch", "--list").split("\n")).toEqual(["* main"]);
  expect(existsSync(join(ground.work, ".git/worktrees"))).toBe(false);
}, 240_000);

test("a process that is killed leaves trees, which the next one removes", async () => {
  const ground = repository();
  const script = `
    import { addWorktree, planWorktree } from ${JSON.stringify(join(import.meta.dirname, "../../src/session/worktrees/worktree.ts"))};
    import { mark } from ${JSON.stringify(join(import.meta.dirname, "../../src/session/worktrees/marker.ts"))};
    import { nodeProcesses } from ${JSON.stringify(join(import.meta.dirname, "../../src/transcript/process-table.ts"))};
    const places = { cwd: ${JSON.stringify(ground.work)}, env: process.env, pawlHome: ${JSON.stringify(ground.pawlHome)} };
    const { signal } = new AbortController();
    const whole = await planWorktree("agent-1", places, signal);
    mark(whole, nodeProcesses);
    mark(await addWorktree(whole, places, signal), nodeProcesses);
    const half = await planWorktree("agent-2", places, signal);
    mark(half, nodeProcesses);
    process.kill(process.pid, "SIGKILL");
  `;
  expect(() =>
    execFileSync(process.execPath, ["--input-type=module-typescript", "-e", script], { stdio: "pipe" }),
  ).toThrow();
  expect(treesOf(ground)).toHaveLength(3);
  const told: string[] = [];
  const notice = (text: string): void => void told.push(text);
  await sweepWorktrees({ pawlHome: ground.pawlHome, env: process.env, processes: nodeProcesses, notice });
  expect(treesOf(ground)).toEqual([]);
  expect(git(ground.work, "branch", "--list").split("\n")).toEqual(["* main"]);
  expect(told).toEqual([]);
});
