import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runProgram, type ProgramResult } from "../../src/tools/run-program.ts";
import { isAlive } from "./support.ts";

/** Runs a shell script that starts `sleep` and writes its pid to a file; `end` is called once that has happened. */
async function runScript(
  lastLine: string,
  end: (ends: { expire: () => void; abort: () => void }) => void,
): Promise<{ result: ProgramResult; sleeper: number }> {
  const folder = mkdtempSync(join(tmpdir(), "run-program-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [file, pidFile] = [join(folder, "rg"), join(folder, "pid")];
  writeFileSync(
    file,
    `#!/bin/sh\necho found\nsleep 600 &\necho $! > ${pidFile}.new; mv ${pidFile}.new ${pidFile}\n${lastLine}\n`,
  );
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
  end({ expire, abort: () => controller.abort() });
  const result = await running;
  return { result, sleeper: Number(readFileSync(pidFile, "utf8")) };
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
});
