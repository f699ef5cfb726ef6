// Unusual machines: odd homes, folders and limits, and what is reported about them.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commandWords } from "./command.ts";
import { atWire, says } from "./support/ask.ts";
import type { Place } from "./support/place.ts";

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(" ");

/** The command after `before`, in a shell. */
function inShell(place: Place, before: string, args: readonly string[], env: Record<string, string> = {}) {
  const command = quoted([process.execPath, ...commandWords(), ...args]);
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", `${before}\n${command}`], {
    cwd: place.folder,
    env: { ...place.env, ...env },
    encoding: "utf8",
    input: "",
  });
  return { code: status, stdout, stderr };
}

describe("a deleted current folder", () => {
  test.each([[["-p", "x"]], [["sessions"]], [["doctor"]], [["config", "list"]], [["trust"]], [["mcp", "list"]]])(
    "is reported by %j",
    (args) =>
      atWire([says("ok")], async (place) => {
        const { code, stderr } = inShell(place, "mkdir gone && cd gone && rmdir ../gone", args);
        expect([code, stderr]).toEqual([
          2,
          "pawl: The current folder is gone: change to one that exists and call pawl again.\n",
        ]);
      }),
  );
});

test.each([
  [
    "is longer than the system reports",
    "printf -v n %200s; for i in {1..21}; do mkdir ${n// /d} && cd ${n// /d}; done",
    /its path is too long\./,
  ],
  ["is not UTF-8", "mkdir $'\\xe9' && cd $'\\xe9'", /its path, .*, is not UTF-8\. Rename/],
])("a current folder whose path %s is not reported as deleted", (_, before, told) =>
  atWire([], async (place) => {
    const bash = `${before}; exec "$@"`;
    const args = ["-c", bash, "bash", process.execPath, ...commandWords(), "-p", "x"];
    const { status, stderr } = spawnSync("/bin/bash", args, { cwd: place.folder, env: place.env, encoding: "utf8" });
    expect(stderr).toMatch(told);
    expect(stderr).toMatch(/^pawl: The current folder cannot be worked in: .*\n$/u);
    expect(status).toBe(2);
  }),
);

describe("the home folder", () => {
  test("is not the current folder if HOME is empty", () =>
    atWire([], async (place) => {
      const { stdout } = await place.run(["doctor"], { env: { HOME: "" } });
      expect(stdout).toMatch(/^ {2}home +\/.*\.pawl$/mu);
      expect(stdout).not.toContain(`${place.folder}/.pawl`);
    }));

  test("is reported and used by its full path if HOME is relative", () =>
    atWire([says("ok")], async (place) => {
      const { code, stderr } = await place.run(["-p", "x"], { env: { HOME: "mine" } });
      expect(code).toBe(0);
      expect(stderr).toContain(`kept in ${place.folder}/mine/.pawl/projects/`);
      expect(readdirSync(place.folder)).toEqual(["mine"]);
    }));
});

describe("an output that cannot be written", () => {
  test.each([[["--help"]], [["config", "list"]], [["sessions"]], [["sessions", "--json"]], [["doctor"]]])(
    "is reported by %j with exit code 1",
    (args) =>
      atWire([says("ok")], async (place) => {
        expect((await place.run(["-p", "x"])).code).toBe(0);
        const { code, stderr } = inShell(place, "exec > /dev/full", args);
        expect([code, stderr]).toEqual([1, "pawl: the output could not be written: the disk is full (ENOSPC)\n"]);
      }),
  );
});

test("the exit code is the same when stderr cannot be written", () =>
  atWire([], async (place) => {
    const before = "head -c 1024 /dev/zero > log; exec 2>> log; ulimit -f 2";
    expect(inShell(place, before, ["sessions", "--nonsense"]).code).toBe(2);
    expect(inShell(place, before, ["-p", "x", "--add-dir", "/nowhere"]).code).toBe(2);
  }));

describe("a path with a name that is too long", () => {
  const long = `/${"n".repeat(300)}`;
  test.each([
    [["-p", "x", "--add-dir", long]],
    [["-p", "x", "--plugin-dir", long]],
    [["plugin", "validate", long]],
    [["trust", "add", long]],
  ])("is reported by %j", (args) =>
    atWire([says("ok")], async (place) => {
      const { code, stderr } = await place.run(args);
      expect([code, stderr]).toEqual([2, `pawl: ${long}: its name is too long (ENAMETOOLONG).\n`]);
    }),
  );
});
