// How often the disk is looked at for one command: in proportion to what it names, not to the number of rules or folders.
import { linkSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { visitedFolders } from "../../src/permissions/files/critical-remove.ts";
import { diskPaths, type PathReader } from "../../src/permissions/paths/path-forms.ts";
import { protectionOf } from "../../src/permissions/paths/protected-paths.ts";
import { bash, call, make, makePlace, verdict, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "d"));
  for (const name of ["a.txt", "secret0.txt"]) writeFileSync(join(place.cwd, name), "text\n");
  linkSync(join(place.cwd, "secret0.txt"), join(place.cwd, "other.txt"));
});
afterAll(() => place.remove());

function counting(): { reader: PathReader; looks: () => number } {
  let looks = 0;
  const reader: PathReader = {
    realpath: (path) => ((looks += 1), diskPaths.realpath(path)),
    readlink: (path) => ((looks += 1), diskPaths.readlink(path)),
    hardLinkId: (path) => ((looks += 1), diskPaths.hardLinkId?.(path)),
    list: (folder) => ((looks += 1), readdirSync(folder, { withFileTypes: true })),
  };
  return { reader, looks: () => looks };
}

test("nested folders are not each resolved from the root", async () => {
  const { reader, looks } = counting();
  const permissions = make(place, { reader, deny: ["Read(/secret/**)"] });
  const before = looks();
  expect(await bash(permissions, place.cwd, Array(300).fill("cd d").join(" && "))).toBe("ask");
  expect(looks() - before).toBeLessThan(300 * 10);
});

test("a rule's own file is looked up only if the call's file has hard links", async () => {
  const { reader, looks } = counting();
  const deny = Array.from({ length: 500 }, (_, index) => `Read(./secret${index}.txt)`);
  const permissions = make(place, { reader, deny });
  const before = looks();
  expect(await verdict(permissions, place.cwd, "Read", { file_path: join(place.cwd, "a.txt") })).toBe("allow");
  expect(await bash(permissions, place.cwd, "cat a.txt d/b.txt")).toBe("allow");
  expect(looks() - before).toBeLessThan(50);
  expect(await verdict(permissions, place.cwd, "Read", { file_path: join(place.cwd, "other.txt") })).toBe("deny");
});

// Seen: forty patterns in a folder of 4,500 files took seconds.
test("files that several globs match are looked up once each", async () => {
  const { reader, looks } = counting();
  for (let at = 0; at < 100; at += 1) writeFileSync(join(place.cwd, "d", `f${at}.ts`), "text\n");
  const permissions = make(place, { reader, allow: ["Bash"], deny: ["Read(./secret0.txt)"] });
  const patterns = Array.from({ length: 20 }, (_, at) => `d/f*${"[0-9]".repeat(at % 2)}.ts`).concat("d/*.ts");
  expect(await bash(permissions, place.cwd, `tool ${patterns.join(" ")}`)).toBe("allow");
  expect(looks()).toBeLessThan(100 * 10);
});

test("a padded name is normalised in linear time", () => {
  const start = process.cpuUsage();
  const blanks = " ".repeat(400_000);
  expect(protectionOf(`/repo/.git${blanks}x/config`)).toBeNull();
  expect(protectionOf(`/repo/.git${blanks}/config`)).toEqual({ level: "never", name: ".git" });
  expect(protectionOf(`/repo/.git${":".repeat(400_000)}\n/config`)).toBeNull();
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1_000).toBeLessThan(8_000);
});

test.each([
  [".git::$INDEX_ALLOCATION", true],
  [".git. . ", true],
  [".git:a\n:b", false],
  ["a:b\n.git:c", false],
  [".git\r:a", false],
])("%j is protected: %s", (name, expected) => {
  expect(protectionOf(`/repo/${name}/config`) !== null).toBe(expected);
});

test("a command that removes in many nested folders is denied before every file is compared", async () => {
  const { reader, looks } = counting();
  const permissions = make(place, { reader });
  const command = Array.from({ length: 60 }, (_, at) => `cd a; rm b${at}`).join("; ");
  expect(await call(permissions, place.cwd, "Bash", { command })).toMatchObject({
    behavior: "deny",
    message: expect.stringContaining("names too many files to check"),
  });
  expect(looks()).toBeLessThan(200);
});

test("a command that removes many files of one folder is allowed", async () => {
  const files = Array.from({ length: 2_500 }, (_, at) => `f${at}.ts`).join(" ");
  const permissions = make(place, { mode: "bypassPermissions" });
  for (const command of [`rm ${files}`, `cd d && rm -f ${files}`])
    expect(await bash(permissions, place.cwd, command)).toBe("allow");
  expect(await bash(permissions, place.cwd, `cd d; rm ${files} /usr`)).toBe("ask");
});

test("nested cd commands are followed no deeper than a path can be long", () => {
  const words = ["cd", "a"].map((text) => ({ text, known: text.length }));
  const moves = Array.from({ length: 10_000 }, () => ({ words, isIdle: false }));
  expect(() => visitedFolders(moves, place.cwd, place.home)).toThrow("names too many files to check");
});
