// Where no more files could be opened, starting ripgrep ended the whole process: its error came as an event nobody heard.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("a program that cannot be started for lack of file descriptors causes an error, and the process continues", () => {
  const program = join(import.meta.dirname, "program.ts");
  const args = ["-c", 'ulimit -n 64; exec "$@"', "bash", process.execPath, program];
  const { status, stdout, stderr } = spawnSync("bash", args, { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toEqual([
    "full",
    expect.stringContaining("EMFILE"),
    expect.stringContaining("EMFILE"),
    "gave undefined",
    expect.stringMatching(/^apiKeyHelper could not be started .*EMFILE/),
  ]);
});
