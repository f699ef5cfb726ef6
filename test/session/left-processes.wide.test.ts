// Of a session whose process was killed: commands that outlived it are told to the model, and never ended.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, openSession, scripted, turn } from "./support.ts";
import { cast, count, mine, on, teammate, untilQuiet } from "./team/cast.ts";

clearGroundsAfterwards();
const running: ChildProcess[] = [];
afterEach(async () => {
  await disposeAll();
  for (const child of running.splice(0)) {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
});

/** A process as a command of that session has it begun, which says when its environment is there. */
async function command(environment: Record<string, string>): Promise<number> {
  const script = `console.log("up"); setInterval(() => undefined, 60_000); // left behind`;
  const child = spawn(process.execPath, ["-e", script], { env: environment, stdio: ["ignore", "pipe", "ignore"] });
  running.push(child);
  await once(child.stdout, "data");
  return child.pid!;
}

/** A session that was killed in a call, resumed while `begun` of it still runs. */
async function resumed(
  begun: (sessionId: string) => Promise<unknown>,
  options: Pick<EngineOptions, "forkSession"> = {},
): Promise<string> {
  const ground = layGround();
  const bash = { content: [{ tool: "Bash", input: { command: "echo one" } }] };
  const before = await openOn(ground, scripted({ steps: [bash], fallback: "Done." }), {
    permissionMode: "bypassPermissions",
  });
  await turn(before, "Go.");
  await before.dispose();
  const [path, resume] = [before.getTranscriptPath()!, before.getSessionId()];
  const lines = readFileSync(path, "utf8").split("\n");
  const cut = lines.findLastIndex((line) => line.includes('"type":"tool_started"'));
  writeFileSync(path, `${lines.slice(0, cut + 1).join("\n")}\n`);
  await begun(resume);
  const model = scripted({ fallback: "Going on." });
  const after = await openOn(ground, model, { ...options, resume });
  await turn(after, "And?");
  const told = JSON.stringify(model.requests.at(-1)?.body?.messages);
  expect(told).toContain("outcome is unknown");
  return told;
}

const deadPid = (): string => String(spawnSync(process.execPath, ["-e", ""]).pid);
const tag = ":0123456789abcdef.1:";

// Seen: a server of a killed run held its port, and the model, told that the outcome was unknown, began it again.
test.runIf(process.platform === "linux")(
  "a command that outlived its run is named when the session is resumed",
  async () => {
    let pid = 0;
    const told = await resumed(async (sessionId) => {
      pid = await command({ PAWL_TASK: tag, CLAUDE_CODE_SESSION_ID: sessionId, CLAUDE_PID: deadPid() });
    });
    expect(told).toContain(`what its commands began still runs: ${pid} (`);
    expect(told).toContain("left behind");
    expect(running[0]?.exitCode).toBeNull();
  },
);

// Seen: after a kill, the copy of a session heard nothing of a command that still ran in its folder.
test.runIf(process.platform === "linux")(
  "a command that outlived its run is named when the session is continued in a copy",
  async () => {
    let pid = 0;
    const told = await resumed(
      async (sessionId) => {
        pid = await command({ PAWL_TASK: tag, CLAUDE_CODE_SESSION_ID: sessionId, CLAUDE_PID: deadPid() });
      },
      { forkSession: true },
    );
    expect(told).toContain(`what its commands began still runs: ${pid} (`);
  },
);

// Seen: the lead was told that its teammate was cut off, but not that the teammate's command still ran.
test.runIf(process.platform === "linux")(
  "a command of a teammate that was cut off is named once when the session is resumed",
  async () => {
    const ground = layGround();
    const script = cast({ lead: [[teammate("ada", "Rest.")], "Waiting."], ada: ["Resting."] });
    const { engine } = await openSession(script, on, ground);
    await untilQuiet(engine, "Go.");
    const [path, resume] = [engine.getTranscriptPath()!.replace(/\.jsonl$/u, "/team.json"), engine.getSessionId()];
    await engine.dispose();
    writeFileSync(path, readFileSync(path, "utf8").replace('"isWorking":false', '"isWorking":true'));
    const pid = await command({ PAWL_TASK: tag, CLAUDE_CODE_SESSION_ID: resume, CLAUDE_PID: deadPid() });
    for (const times of [1, 1]) {
      const again = await openSession(cast({ lead: [] }), { ...on, resume }, ground);
      await turn(again.engine, "And?");
      await again.engine.dispose();
      const said = mine(again.engine);
      expect(count(said, "cut off in the middle of its work")).toBe(1);
      expect(count(said, `what its commands began still runs: ${pid} (`)).toBe(times);
    }
  },
);

test.runIf(process.platform === "linux").each<[string, (sessionId: string) => Record<string, string>]>([
  ["of another session", () => ({ PAWL_TASK: tag, CLAUDE_CODE_SESSION_ID: "another", CLAUDE_PID: deadPid() })],
  ["of a run that lives", (id) => ({ PAWL_TASK: tag, CLAUDE_CODE_SESSION_ID: id, CLAUDE_PID: String(process.ppid) })],
  ["that no command began", (id) => ({ CLAUDE_CODE_SESSION_ID: id, CLAUDE_PID: deadPid() })],
  ["of which nobody knows whose it is", (id) => ({ PAWL_TASK: tag, CLAUDE_CODE_SESSION_ID: id })],
])("a process %s is not named when the session is resumed", async (_what, environment) => {
  expect(await resumed(async (id) => await command(environment(id)))).not.toContain("still runs");
});

// Seen: a host that resumes for each prompt had it told each time, and the machine's processes were looked through as often.
test.runIf(process.platform === "linux")("a leftover of a background command is reported once", async () => {
  const ground = layGround();
  const bash = { content: [{ tool: "Bash", input: { command: "sleep 60", run_in_background: true } }] };
  const options = { permissionMode: "bypassPermissions" } as const;
  const before = await openOn(ground, scripted({ steps: [bash], fallback: "Done." }), options);
  await turn(before, "Go.");
  await before.dispose();
  const resume = before.getSessionId();
  await command({ PAWL_TASK: tag, CLAUDE_CODE_SESSION_ID: resume, CLAUDE_PID: deadPid() });
  for (const times of [1, 1]) {
    const model = scripted({ fallback: "Going on." });
    const after = await openOn(ground, model, { resume });
    await turn(after, "And?");
    await after.dispose();
    expect(JSON.stringify(model.requests.at(-1)?.body?.messages).split("still runs").length - 1).toBe(times);
  }
});
