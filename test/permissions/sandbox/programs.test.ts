import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { tryRun } from "../../../src/permissions/sandbox/programs.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe.runIf(process.platform === "linux")("the trial of a program", () => {
  test("ends at its time limit although a process that left its group holds its output", async () => {
    const folder = temporaryFolder();
    const pidFile = join(folder, "pid");
    let expire = (): void => {};
    const clock = { timer: (_ms: number, onFire: () => void) => ((expire = onFire), () => {}) };
    const inOwnGroup = `echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 600`;
    const trial = tryRun("/bin/sh", ["-c", `setsid sh -c '${inOwnGroup}' & wait`], clock);
    while (!existsSync(pidFile)) await new Promise(setImmediate);
    onTestFinished(() => void process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL"));
    expire();
    expect(await trial).toBe("it ended with code null");
  });
});
