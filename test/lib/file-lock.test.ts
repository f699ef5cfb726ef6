import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { withFileLock } from "../../src/lib/file-lock.ts";

const folder = mkdtempSync(join(tmpdir(), "pawl-lock-"));
const path = join(folder, "a.lock");
afterEach(() => rmSync(path, { force: true }));

test("work under one lock does not overlap, and work that fails releases the lock", async () => {
  const happened: string[] = [];
  const work = (name: string) => async () => {
    happened.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    happened.push(`${name} ends`);
    if (name === "a") throw new Error("a fails");
  };
  const all = await Promise.allSettled(["a", "b", "c"].map((name) => withFileLock(path, 60_000, work(name))));
  expect(all.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(happened.filter((_, index) => index % 2 === 0).every((each) => each.endsWith("begins"))).toBe(true);
  expect(existsSync(path)).toBe(false);
});

test("ignores a lock whose holder died or has held it for longer than the limit", async () => {
  const dead = execFileSync(process.execPath, ["-e", "console.log(process.pid)"], { encoding: "utf8" }).trim();
  for (const [holder, limitMs] of [
    [`${dead} ${hostname()} x`, 3_600_000],
    [`${process.pid} ${hostname()} x`, 0],
    [`${dead} another-machine x`, 0],
    ["", 0],
  ] as const) {
    writeFileSync(path, holder);
    expect(await withFileLock(path, limitMs, () => Promise.resolve("done"))).toBe("done");
    expect(existsSync(path)).toBe(false);
  }
});

test.runIf(process.platform === "linux")(
  "does not judge by its pid that a holder in another container has died",
  async () => {
    const dead = execFileSync(process.execPath, ["-e", "console.log(process.pid)"], { encoding: "utf8" }).trim();
    const held = `${dead} ${hostname()} x pid:[1]`;
    writeFileSync(path, held);
    let isDone = false;
    const work = withFileLock(path, 200, async () => void (isDone = true));
    expect(readFileSync(path, "utf8")).toBe(held);
    expect(isDone).toBe(false);
    await work;
    expect(existsSync(path)).toBe(false);
  },
);

// Seen: where the process died between the two, the renewal of a login waited for 30 s.
test("waits only briefly for an empty lock file, which names no holder", async () => {
  writeFileSync(path, "");
  expect(await withFileLock(path, 3_600_000, () => Promise.resolve("done"))).toBe("done");
  expect(existsSync(path)).toBe(false);
});

// Seen: with a full disk each change of settings waited for what the one before had left.
test.runIf(process.platform === "linux")("leaves no lock file behind if nothing can be written into it", () => {
  const source = JSON.stringify(new URL("../../src/lib/file-lock.ts", import.meta.url).href);
  const script = `
    const { withFileLock } = await import(${source});
    console.log(await withFileLock(${JSON.stringify(path)}, 60_000, async () => "done"));`;
  const args = [
    "-c",
    'trap "" XFSZ; ulimit -f 0; exec "$@"',
    "bash",
    process.execPath,
    "--input-type=module",
    "-e",
    script,
  ];
  const printed = execFileSync("bash", args, { encoding: "utf8" });
  expect([printed.trim(), existsSync(path)]).toEqual(["done", false]);
});

test("does not wait beyond the limit for a lock that can be neither read nor removed", async () => {
  mkdirSync(path);
  expect(await withFileLock(path, 0, () => Promise.resolve("done"))).toBe("done");
  rmdirSync(path);
});

test("runs the work without a lock if no lock file can be created", async () => {
  expect(await withFileLock(join(folder, "not", "there.lock"), 60_000, () => Promise.resolve("done"))).toBe("done");
  rmSync(folder, { recursive: true });
});
