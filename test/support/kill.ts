/** Runs the command, kills it in the middle of a run, and resumes the session. */
import { spawn, type ChildProcess } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { existsSync, readdirSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSession } from "../../src/transcript/index.ts";
import type { ScriptedServer } from "../../src/testing/index.ts";
import type { EndedProcess } from "../e2e/support/watched-process.ts";

const root = join(import.meta.dirname, "../..");

export interface KillFixture {
  work: string;
  home: string;
  sessionId: string;
  server: ScriptedServer;
}

export async function createKillFixture(
  server: ScriptedServer,
  sample?: string,
): Promise<KillFixture & { clear(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "pawl-kill-"));
  const work = join(folder, "work");
  await cp(sample ?? join(root, "demo/sample"), work, { recursive: true });
  return {
    work,
    home: join(folder, "home"),
    sessionId: randomUUID(),
    server,
    clear: () => rm(folder, { recursive: true, force: true }),
  };
}

export function startCommand(
  fixture: KillFixture,
  args: readonly string[],
): { child: ChildProcess; ended: Promise<EndedProcess> } {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    ANTHROPIC_BASE_URL: fixture.server.url,
    ANTHROPIC_API_KEY: "scripted",
    PAWL_HOME: fixture.home,
  };
  const words = [join(root, "bin/pawl.js"), ...args, "--model", "claude-sonnet-5-5", "--allowed-tools", "Edit,Bash"];
  const child = spawn(process.execPath, words, { cwd: fixture.work, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<EndedProcess>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, ended };
}

/** Kills the run with SIGKILL after `afterMs`, unless it has ended before. */
export async function runAndKill(fixture: KillFixture, prompt: string, afterMs: number): Promise<EndedProcess> {
  const { child, ended } = startCommand(fixture, ["-p", prompt, "--session-id", fixture.sessionId]);
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  const outcome = await ended;
  clearTimeout(timer);
  return outcome;
}

export function findTranscript(fixture: KillFixture): string | undefined {
  const projects = join(fixture.home, "projects");
  if (!existsSync(projects)) return undefined;
  for (const project of readdirSync(projects)) {
    const path = join(projects, project, `${fixture.sessionId}.jsonl`);
    if (existsSync(path)) return path;
  }
  return undefined;
}

/** Resumes the session; if the process died before anything was recorded, there is none, and a new session is started. */
export async function resumeOrRestart(fixture: KillFixture, prompt: string): Promise<EndedProcess> {
  const path = findTranscript(fixture);
  const isThere = path !== undefined && readSession(path).messages.length > 0;
  const args = isThere ? ["-p", "go on", "--resume", fixture.sessionId] : ["-p", prompt, "--session-id", randomUUID()];
  return startCommand(fixture, args).ended;
}
