// Sessions whose agents work in copies of a repository.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { EngineOptions } from "../../src/index.ts";
import type { Reply, RequestView } from "../../src/testing/index.ts";
import { calls, layGround, openSession, turn, type Ground } from "./support.ts";
import { isAgent } from "../support/is-agent.ts";

export const agent = (more: Record<string, unknown> = {}) => ({
  tool: "Agent",
  input: { description: "a small task", prompt: "Do it.", isolation: "worktree", ...more },
});

export function git(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "core.hooksPath=/dev/null"];
  return execFileSync("git", [...who, ...args], { cwd, env, encoding: "utf8" }).trim();
}

/** A repository with one commit, of `a.txt` and `src/b.txt`. */
export function repository(): Ground {
  const ground = layGround();
  ground.file("a.txt", "as it was\n");
  mkdirSync(join(ground.work, "src"));
  ground.file("src/b.txt", "b\n");
  git(ground.work, "init", "-q", "-b", "main");
  git(ground.work, "add", ".");
  git(ground.work, "commit", "-q", "-m", "first");
  return ground;
}

export function treesOf({ pawlHome }: Ground): string[] {
  const folder = join(pawlHome, "worktrees");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => readdirSync(join(folder, name)).map((each) => join(folder, name, each)));
}

const folderIn = ({ systemText }: RequestView): string => /^Folder: (\S+)/mu.exec(systemText)?.[1] ?? "";

/** The session starts one agent, which does `steps`, each made with the folder it works in. */
export async function run(
  ground: Ground,
  steps: readonly ((folder: string) => Reply)[],
  options: EngineOptions = {},
  call = agent(),
) {
  let folder = "";
  let isAsked = false;
  const notices: string[] = [];
  const reply = (request: RequestView): Reply | string => {
    if (isAgent(request)) {
      folder = folderIn(request);
      return steps[request.turns]?.(folder) ?? "finished";
    }
    if (isAsked) return "Done.";
    isAsked = true;
    return { content: [call] };
  };
  const own: EngineOptions = { permissionMode: "acceptEdits", onNotice: (text) => void notices.push(text), ...options };
  const { engine, model } = await openSession({ rules: [{ when: {}, reply }] }, own, ground);
  const { messages, result } = await turn(engine, "Go.");
  const told = JSON.stringify(calls(model).at(-1)?.body?.messages.at(-1));
  const below = calls(model).filter(({ body }) => JSON.stringify(body?.system).includes("another agent"));
  return { engine, messages, result, told, folder, notices, below };
}

export const write = (name: string, content: string) => (folder: string) => ({
  content: [{ tool: "Write", input: { file_path: join(folder, name), content } }],
});
export const read = (name: string) => (folder: string) => ({
  content: [{ tool: "Read", input: { file_path: join(folder, name) } }],
});
export const bash = (command: string) => () => ({ content: [{ tool: "Bash", input: { command } }] });
