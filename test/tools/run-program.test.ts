import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runProgram, type ProgramResult } from "../../src/tools/run-program.ts";
import { isAlive } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Runs a shell script that starts `sleep` and writes its pid to a file; `end` is called once that has happened. */
async function runScript(
  lastLine: string,
  end: (ends: { expire: () => void; abort: () => void }) => void,
  leavesGroup = false,
): Promise<{ result: ProgramResult; sleeper: number }> {
  const folder = temporaryFolder();
  const [file, pidFile] = [join(folder, "rg"), join(folder, "pid")];
  const tell = `> ${pidFile}.new; mv ${pidFile}.new ${pidFile}`;
  const start = leavesGroup ? `setsid sh -c 'echo $$ ${tell}; exec sleep 600' &` : `sleep 600 &\necho $! ${tell}`;
  writeFileSync(file, `#!/bin/sh\necho found\n${start}\n${lastLine}\n`);
  chmodSync(file, 0o755);
  const controller = new AbortController();
  let expire = (): void => {};
  const running = runProgram({
    file,
    args: [],
    signal: controller.signal,
    maxBytes: 1_000,
    limit: (onExpired) => {
      expire = onExpired;
      return () => {};
    },
  });
  while (!existsSync(pidFile)) await new Promise(setImmediate);
  const sleeper = Number(readFileSync(pidFile, "utf8"));
  if (leavesGroup) onTestFinished(() => void process.kill(sleeper, "SIGKILL"));
  end({ expire, abort: () => controller.abort() });
  const result = await running;
  return { result, sleeper };
}

describe.runIf(process.platform !== "win32")("a helper program", () => {
  // `rg` may be a script that starts the real program: if only the script were killed, the program would hold the pipes as long as it likes.
  test.each([
    ["its time is up", "wait", "timeout" as const],
    ["the call is aborted", "wait", "aborted" as const],
    ["its time is up after it has ended itself", "exit 0", "timeout" as const],
  ])("ends with all that it started when %s", async (_, lastLine, endReason) => {
    const { result, sleeper } = await runScript(lastLine, ({ expire, abort }) =>
      endReason === "timeout" ? expire() : abort(),
    );
    expect(result).toMatchObject({ endReason });
    while (isAlive(sleeper)) await new Promise(setImmediate);
  });

  test.runIf(process.platform === "linux")(
    "is not waited for when its time is up, although a process that left its group holds its output",
    async () => {
      const { result } = await runScript("wait", ({ expire }) => expire(), true);
      expect(result).toMatchObject({ endReason: "timeout" });
    },
  );
});
