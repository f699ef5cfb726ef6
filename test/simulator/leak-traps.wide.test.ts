// What reaches the real world in a simulated run is stopped and named. In a process of its own, whose globals it may change.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const leaks = pathToFileURL(join(import.meta.dirname, "leak-traps.ts")).href;

function caughtIn(work: string): string {
  const program = `
    import { readFileSync } from "node:fs";
    import { randomFillSync, randomUUID } from "node:crypto";
    import { spawn } from "node:child_process";
    import { LeakTraps } from ${JSON.stringify(leaks)};
    const leaks = new LeakTraps();
    await leaks.runTrapped(async () => { ${work} }).catch(() => undefined);
    process.stdout.write(leaks.found.join());`;
  const given = ["--input-type=module", "-e", program];
  const { stdout, stderr } = spawnSync(process.execPath, given, { encoding: "utf8" });
  return stdout + stderr;
}

test.each([
  ["Date.now()", "Date"],
  ["new Date()", "Date"],
  ["Math.random()", "Math random"],
  ["performance.now()", "performance now"],
  ["process.hrtime()", "process hrtime"],
  ["setTimeout(() => {}, 1)", "globalThis setTimeout"],
  ["setImmediate(() => {})", "globalThis setImmediate"],
  ["readFileSync('/etc/hosts')", "node:fs readFileSync"],
  ["randomUUID()", "node:crypto randomUUID"],
  ["randomFillSync(new Uint8Array(1))", "node:crypto randomFillSync"],
  ["spawn('true')", "node:child_process spawn"],
])("%s is caught as a leak", (work, name) => {
  expect(caughtIn(work)).toBe(name);
});

test("code that needs nothing from the real world passes", () => {
  expect(
    caughtIn("new Date(5).toISOString(); await Promise.resolve(); structuredClone({}); JSON.stringify([1]);"),
  ).toBe("");
});
