/** Kills the command in the middle of a run, again and again, and resumes it: what must hold whenever that happened. */
import { spawn, type ChildProcess } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { existsSync, readdirSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSession } from "../../src/transcript/index.ts";
import type { ScriptedServer } from "../../src/testing/index.ts";

const root = join(import.meta.dirname, "../..");

export interface KillFixture {
  work: string;
  home: string;
  sessionId: string;
  server: ScriptedServer;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
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
): { child: ChildProcess; ended: Promise<Ended> } {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    ANTHROPIC_BASE_URL: fixture.server.url,
    ANTHROPIC_API_KEY: "scripted",
    PAWL_HOME: fixture.home,
  };
  const all = [join(root, "bin/pawl.js"), ...args, "--model", "claude-sonnet-5-5", "--allowed-tools", "Edit,Bash"];
  const child = spawn(process.execPath, all, { cwd: fixture.work, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, ended };
}

/** Runs until `afterMs`, then ends it with SIGKILL; a run that was quicker has simply ended. */
export async function runAndKill(fixture: KillFixture, prompt: string, afterMs: number): Promise<Ended> {
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

/** Every call of the whole transcript with its results, as recorded. */
export async function recordedCalls(
  path: string,
): Promise<Map<string, { input: Record<string, unknown>; results: { isError: boolean; text: string }[] }>> {
  const calls = new Map<string, { input: Record<string, unknown>; results: { isError: boolean; text: string }[] }>();
  for (const line of (await readFile(path, "utf8")).split("\n")) {
    const message = line === "" ? undefined : (JSON.parse(line) as { message?: { content?: unknown } }).message;
    if (!Array.isArray(message?.content)) continue;
    for (const block of message.content as Record<string, unknown>[]) {
      if (block["type"] === "tool_use")
        calls.set(String(block["id"]), { input: block["input"] as Record<string, unknown>, results: [] });
      if (block["type"] === "tool_result") {
        calls
          .get(String(block["tool_use_id"]))
          ?.results.push({ isError: block["is_error"] === true, text: JSON.stringify(block["content"]) });
      }
    }
  }
  return calls;
}

/** Resumes the session; if the process died before anything was recorded, there is none, and a new session is started. */
export async function resumeOrRestart(fixture: KillFixture, prompt: string): Promise<Ended> {
  const path = findTranscript(fixture);
  const isThere = path !== undefined && readSession(path).messages.length > 0;
  const args = isThere ? ["-p", "go on", "--resume", fixture.sessionId] : ["-p", prompt, "--session-id", randomUUID()];
  return startCommand(fixture, args).ended;
}
