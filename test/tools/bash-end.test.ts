// Ends that are not the command's own: time, interruption, too much output; and what commands leave behind.
import { getEventListeners } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { afterMs } from "../../src/lib/after-ms.ts";
import { elapsedMs } from "../../src/lib/elapsed-ms.ts";
import type { ToolProgress } from "../../src/protocol/tool.ts";
import { createBackgroundTasks, type BackgroundTask } from "../../src/tools/shell/background.ts";
import { holdUp } from "../support/hold-up.ts";
import { HeldClock, hasCommand, isAlive, openToolBox, textOf, whenFile, type ToolBox } from "./support.ts";

const isLinux = process.platform === "linux";

/** Five kinds of descendants; each writes its pid, the last says that all are there. */
const family = [
  "ignore() { trap '' TERM; }",
  "sleep 1001 & echo $! >> pids",
  "(sleep 1002 & echo $! >> pids) &",
  "setsid bash -c 'echo $$ >> pids; exec sleep 1003' &",
  'bash -c \'bash -c "echo \\$\\$ >> pids; trap \\"\\" TERM; while :; do sleep 1004; done" & wait\' &',
  "(setsid bash -c '(setsid bash -c \"echo \\$\\$ >> pids; exec sleep 1005\" >/dev/null 2>&1 </dev/null &)' &)",
  "while [ $(wc -l < pids) -lt 5 ]; do sleep 0.01; done; echo all > ready",
].join("\n");

async function startFamily(
  box: ToolBox,
  last: string,
  signal?: AbortSignal,
): Promise<{ pids: number[]; result: Promise<unknown> }> {
  box.put("pids", "");
  const result = box.call("Bash", { command: `${family}\n${last}` }, signal === undefined ? {} : { signal });
  await whenFile(box.path("ready"));
  const pids = readFileSync(box.path("pids"), "utf8").trim().split("\n").map(Number);
  expect(pids).toHaveLength(5);
  expect(pids.map(isAlive)).toEqual([true, true, true, true, true]);
  return { pids, result };
}

describe.runIf(isLinux && hasCommand("setsid"))("descendants of five kinds", () => {
  test("are gone when an interrupted call returns", async () => {
    const box = openToolBox();
    const abort = new AbortController();
    const { pids, result } = await startFamily(box, "wait", abort.signal);
    abort.abort("user");
    expect(await result).toMatchObject({ isError: true, output: { interrupted: true } });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test("outlive the call that started them, and end with the session", async () => {
    const box = openToolBox();
    const { pids, result } = await startFamily(box, "echo done");
    expect(await result).toMatchObject({ isError: false, output: { backgroundTaskId: expect.any(String) as string } });
    expect(pids.filter(isAlive)).toHaveLength(5);
    await box.dependencies.background.dispose(0);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test("that kept only their environment end with the session too", async () => {
    const box = openToolBox();
    const command =
      "setsid bash -c 'exec 198>&-; echo $$ > pid; exec sleep 1006' > /dev/null 2>&1 < /dev/null & while ! [ -s pid ]; do sleep 0.01; done";
    const result = await box.call("Bash", { command });
    expect(result.output).not.toHaveProperty("backgroundTaskId");
    const pid = Number(box.read("pid"));
    expect(isAlive(pid)).toBe(true);
    await box.dependencies.background.dispose(0);
    expect(isAlive(pid)).toBe(false);
  });

  const cleared = "env -i setsid bash -c 'echo $$ > pid; exec sleep 1009' > /dev/null 2>&1 < /dev/null &";

  test("that cleared their environment end with their task, with an interrupted call, and with the session", async () => {
    const stopped = openToolBox();
    const { output } = await stopped.call("Bash", { command: `${cleared} while ! [ -s pid ]; do sleep 0.01; done` });
    const { backgroundTaskId: id } = output as { backgroundTaskId: string };
    expect(isAlive(Number(stopped.read("pid")))).toBe(true);
    expect(await stopped.dependencies.background.stop(id)).toMatchObject({ status: "killed" });
    expect(isAlive(Number(stopped.read("pid")))).toBe(false);

    const cut = openToolBox();
    const abort = new AbortController();
    const result = cut.call("Bash", { command: `${cleared} wait` }, { signal: abort.signal });
    await whenFile(cut.path("pid"));
    abort.abort("user");
    expect(await result).toMatchObject({ output: { interrupted: true } });
    expect(isAlive(Number(cut.read("pid")))).toBe(false);

    const left = openToolBox();
    await left.call("Bash", { command: `${cleared} while ! [ -s pid ]; do sleep 0.01; done` });
    await left.dependencies.background.dispose(0);
    expect(isAlive(Number(left.read("pid")))).toBe(false);
  });

  test("of another session keep running", async () => {
    const [one, other] = [openToolBox(), openToolBox()];
    await one.call("Bash", { command: "sleep 1007 > /dev/null 2>&1 & echo $! > pid" });
    await other.call("Bash", { command: "sleep 1007 > /dev/null 2>&1 & echo $! > pid" });
    await one.dependencies.background.dispose(0);
    expect([isAlive(Number(one.read("pid"))), isAlive(Number(other.read("pid")))]).toEqual([false, true]);
  });
});

describe("an interruption", () => {
  test("keeps what was printed so far, and sends SIGTERM first", async () => {
    const box = openToolBox();
    const abort = new AbortController();
    const command =
      "trap 'echo cleaned > cleaned; exit' TERM; echo before; echo up > ready; while :; do sleep 0.01; done";
    const result = box.call("Bash", { command }, { signal: abort.signal });
    await whenFile(box.path("ready"));
    abort.abort("user");
    expect(textOf(await result)).toMatch(/^The command was interrupted before it finished\.\nbefore/);
    expect(box.read("cleaned")).toBe("cleaned\n");
  });

  test("before the start ends the command at once", async () => {
    const box = openToolBox();
    const result = await box.call("Bash", { command: "sleep 1011" }, { signal: AbortSignal.abort("user") });
    expect(result).toMatchObject({ isError: true, output: { interrupted: true } });
  });

  test("leaves no timer and no listener behind", async () => {
    const box = openToolBox();
    const abort = new AbortController();
    for (let round = 0; round < 5; round += 1) await box.call("Bash", { command: "true" }, { signal: abort.signal });
    expect(box.clock.heldCount).toBe(0);
    expect(getEventListeners(abort.signal, "abort")).toHaveLength(0);
  });
});

describe("a timeout", () => {
  test("moves the command to the background, where it continues", async () => {
    const box = openToolBox();
    await box.call("Bash", { command: "mkfifo go" });
    let text = "";
    const onProgress = (progress: ToolProgress): void => void (text += progress.text ?? "");
    const call = box.call("Bash", { command: "echo early; read x < go; echo late" }, { onProgress });
    while (text === "") await box.clock.pass(1000);
    await box.clock.pass(120_000);
    const result = await call;
    expect(textOf(result)).toMatch(
      /^Command did not complete within its 120s timeout and was moved to the background with ID: b\w+\. Read its output from .*\nearly$/,
    );
    const { backgroundTaskId: id } = result.output as { backgroundTaskId: string };
    expect(result).toMatchObject({ output: { timedOutAfterMs: 120_000, interrupted: false } });
    const settled = new Promise<BackgroundTask>((resolve) => void box.dependencies.background.onSettled(resolve));
    writeFileSync(box.path("go"), "\n");
    const task = await settled;
    expect(task).toMatchObject({ id, status: "completed", exitCode: 0 });
    expect(readFileSync(task.outputPath ?? "", "utf8")).toBe("early\nlate\n");
  });

  test.each(["sleep 1000", "cd . && sleep 1000", "cat <<X\nX\nsleep 1000"])("ends the command %j", async (command) => {
    const box = openToolBox();
    const call = box.call("Bash", { command, timeout: 5000 });
    await box.clock.pass(5000);
    const result = await call;
    expect(textOf(result)).toBe("Command timed out after 5s and was ended.");
    expect(result).toMatchObject({ isError: true, output: { timedOutAfterMs: 5000 } });
  });

  test("does not end a command that was done in time while pawl itself was held up", async () => {
    const clock = { now: () => Date.now(), elapsed: elapsedMs, timer: afterMs };
    const box = openToolBox({ clock, background: createBackgroundTasks({ clock, killGraceMs: 300 }) });
    const call = box.call("Bash", { command: "echo begun > begun; sleep 0.3; echo finished", timeout: 1000 });
    await whenFile(box.path("begun"));
    holdUp(1500);
    expect(await call).toMatchObject({ content: "finished", isError: false });
  });

  test("of less than a second is told in ms, the unit that a call sets it in", async () => {
    const box = openToolBox();
    const call = box.call("Bash", { command: "sleep 1000", timeout: 600 });
    await box.clock.pass(600);
    expect(textOf(await call)).toBe("Command timed out after 600 ms and was ended.");
  });

  test("says where the next command begins if the command went to another folder", async () => {
    const box = openToolBox();
    await box.call("Bash", { command: "mkdir a" });
    for (const command of ["cd a && sleep 1000", "cd a && tail -f /dev/null"]) {
      const call = box.call("Bash", { command, timeout: 5000 });
      await box.clock.pass(5000);
      expect(textOf(await call)).toMatch(new RegExp(`\\nShell cwd was reset to ${box.root}$`, "u"));
    }
  });

  test("comes from the environment, and never exceeds the maximum", async () => {
    const box = openToolBox({
      environment: { PATH: process.env["PATH"], BASH_DEFAULT_TIMEOUT_MS: "3000", BASH_MAX_TIMEOUT_MS: "4000" },
    });
    const first = box.call("Bash", { command: "sleep 1000" });
    await box.clock.pass(3000);
    expect(textOf(await first)).toContain("after 3s");
    const second = box.call("Bash", { command: "sleep 1000", timeout: 99_000 });
    await box.clock.pass(4000);
    expect(textOf(await second)).toContain("after 4s");
  });
});

describe("background commands", () => {
  test("keep running, can be read through their file, and are stopped by their id", async () => {
    const box = openToolBox();
    const command = "echo up; echo up > ready; exec sleep 1008";
    const result = await box.call("Bash", { command, description: "Wait", run_in_background: true });
    const { backgroundTaskId: id } = result.output as { backgroundTaskId: string };
    expect(textOf(result)).toMatch(
      new RegExp(`^Command running in background with ID: ${id}\\. Read its output from /`),
    );
    await whenFile(box.path("ready"));
    const [task] = box.dependencies.background.list();
    expect(task).toMatchObject({ id, command, description: "Wait", status: "running", exitCode: null });
    while (readFileSync(task?.outputPath ?? "", "utf8") === "") await new Promise((resolve) => setImmediate(resolve));
    expect(textOf(await box.call("Read", { file_path: task?.outputPath ?? "" }))).toBe("1\tup");
    const stopped = await box.call("KillShell", { shell_id: id });
    expect(stopped).toMatchObject({
      output: { message: `Stopped task ${id}.`, task_id: id, task_type: "local_bash", command },
    });
    expect(box.dependencies.background.get(id)).toMatchObject({ status: "killed", exitCode: null });
    expect(textOf(await box.call("TaskStop", { task_id: id }))).toMatch(/was already over \(killed/);
  });

  test("report their exit code when they end", async () => {
    const box = openToolBox();
    const settled = new Promise<BackgroundTask>((resolve) => void box.dependencies.background.onSettled(resolve));
    await box.call("Bash", { command: "echo no; exit 7", run_in_background: true });
    expect(await settled).toMatchObject({ status: "failed", exitCode: 7, outputBytes: 3 });
    await box.call("Bash", { command: "true", run_in_background: true });
    expect(box.dependencies.background.list()).toMatchObject([{ command: "echo no; exit 7" }, { command: "true" }]);
    await box.dependencies.background.drain(5000);
  });

  test("are ended after their lifetime", async () => {
    const box = openToolBox();
    const settled = new Promise<BackgroundTask>((resolve) => void box.dependencies.background.onSettled(resolve));
    await box.call("Bash", { command: "sleep 1009", run_in_background: true, timeout: 60_000 });
    await box.clock.pass(60_000);
    expect(await settled).toMatchObject({ status: "killed", overrun: "its time was up (60 s)" });
  });

  test("that are being stopped are not reported as over time if their lifetime ends meanwhile", async () => {
    const box = openToolBox();
    const { background } = box.dependencies;
    await box.call("Bash", { command: "sleep 1009", run_in_background: true, timeout: 60_000 });
    const stopped = background.stop(background.list()[0]!.id);
    await box.clock.pass(60_000);
    expect(await stopped).toMatchObject({ status: "killed" });
    expect((await stopped)!.overrun).toBeUndefined();
  });

  test("are listed by TaskStop if the id is unknown", async () => {
    const box = openToolBox();
    expect(textOf(await box.call("TaskStop", { task_id: "b9" }))).toBe(
      'There is no background task "b9". Nothing runs in the background.',
    );
    expect(textOf(await box.call("TaskStop", {}))).toBe("task_id is missing.");
  });

  test("are awaited by drain, but no longer than the grace period", async () => {
    const clock = new HeldClock();
    const box = openToolBox({ clock, background: createBackgroundTasks({ clock, killGraceMs: 300 }) });
    await box.call("Bash", { command: "mkfifo go" });
    await box.call("Bash", { command: "read x < go; echo end", run_in_background: true });
    const { background } = box.dependencies;
    const late = background.drain(5000);
    await clock.pass(5000);
    await late;
    expect(background.list()[0]).toMatchObject({ status: "running" });
    const drained = background.drain(5000);
    writeFileSync(box.path("go"), "\n");
    await drained;
    expect(clock.heldCount).toBe(0);
    await background.dispose(0);
    await expect(
      background.start({ file: "true", args: [], cwd: "/", output: undefined as never }, () => ({})),
    ).rejects.toThrow(/closing/);
  });

  test("include a server started with &, which keeps its output and does not hold up the call", async () => {
    const box = openToolBox();
    const command = "(echo up; while ! [ -e go ]; do sleep 0.01; done; echo served; echo x > served) & echo started";
    const result = await box.call("Bash", { command });
    expect(textOf(result)).toMatch(/started\nup|up\nstarted/);
    expect(textOf(result)).toMatch(
      /\[It left processes running, kept as background task b\w+\. Their output goes to \//,
    );
    box.put("go", "");
    await whenFile(box.path("served"));
    const [task] = box.dependencies.background.list();
    await box.dependencies.background.drain(5000);
    expect(readFileSync(task?.outputPath ?? "", "utf8")).toContain("served\n");
    expect(box.dependencies.background.list()[0]).toMatchObject({ status: "completed" });
  });

  test("do not include a finished command whose output was read late because the process was busy", async () => {
    const box = openToolBox();
    await box.call("Bash", { command: "true" });
    const result = box.call("Bash", { command: "seq 1 5000; echo end" });
    while (box.clock.heldCount === 0) await new Promise((resolve) => setImmediate(resolve));
    const until = performance.now() + 200;
    while (performance.now() < until);
    expect(textOf(await result)).toMatch(/^1\n2\n[\s\S]*\n5000\nend$/);
    expect(box.dependencies.background.list()).toEqual([]);
  });

  test("are killed by killNow without waiting", async () => {
    const box = openToolBox();
    const settled = new Promise<BackgroundTask>((resolve) => void box.dependencies.background.onSettled(resolve));
    await box.call("Bash", { command: "sleep 1010", run_in_background: true });
    box.dependencies.background.killNow();
    expect(await settled).toMatchObject({ status: "failed", exitCode: 137 });
  });
});
