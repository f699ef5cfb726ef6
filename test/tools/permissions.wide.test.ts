// What the permissions of files say, for a user whom they bind.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { unprivilegedShellLine, fileLimitShellLine } from "../support/faults/system.ts";
import { findRg, openToolBox } from "./support.ts";

const script = fileURLToPath(new URL("./call-as.ts", import.meta.url));
const rg = findRg();
const line = unprivilegedShellLine();
const isReadable = line !== null && spawnSync("bash", ["-c", line, "bash", "test", "-r", script]).status === 0;

/** What a user whom permissions bind is told of calls. */
function toldOf(cwd: string, calls: readonly unknown[], program = rg): string[] {
  const words = [
    "-c",
    line ?? "",
    "bash",
    process.execPath,
    script,
    JSON.stringify(calls),
    ...(program === null ? [] : [program]),
  ];
  return JSON.parse(execFileSync("bash", words, { cwd, encoding: "utf8" })) as string[];
}

test.skipIf(!isReadable)(
  "a read-only file is not changed, and an unreadable file is reported instead of counting as no match",
  () => {
    const box = openToolBox();
    mkdirSync(join(box.root, "open"), { mode: 0o777 });
    for (const folder of [box.root, join(box.root, "open"), join(box.root, "..")]) chmodSync(folder, 0o777);
    const put = (name: string, mode: number): string => {
      const path = box.put(`open/${name}`, "word\n");
      chmodSync(path, mode);
      if (process.getuid?.() === 0) chownSync(path, mode === 0 ? 0 : 65_534, 0);
      return path;
    };
    const [guarded, free, secret] = [put("guarded", 0o444), put("free", 0o644), put("secret", 0)];
    const edit = (path: string) => ["Edit", { file_path: path, old_string: "word", new_string: "other" }];
    const calls = [
      ...[guarded, free].flatMap((path) => [["Read", { file_path: path }], edit(path)]),
      ["Grep", { pattern: "word", path: secret }],
      ["Grep", { pattern: "nothing" }],
    ];
    const told = toldOf(box.root, calls);
    expect(told[1]).toBe(
      "Cannot edit open/guarded: permission denied. Ask the user to change its permissions, or work elsewhere.",
    );
    expect(readFileSync(guarded, "utf8")).toBe("word\n");
    expect(told[3]).toBe("Edited open/free.");
    expect(told[4]).toMatch(/Cannot search open\/secret: permission denied/u);
    expect(told[5]).toBe("No matches found\n[Some files or folders could not be read, and were not searched.]");
  },
);

test.skipIf(!isReadable || process.getuid?.() !== 0)(
  "an edited file of another user keeps its group, or loses the permissions meant for the group",
  () => {
    const box = openToolBox();
    mkdirSync(join(box.root, "team"));
    for (const folder of [box.root, join(box.root, "..")]) chmodSync(folder, 0o777);
    const others = 12_345;
    const put = (name: string, gid: number, mode: number): string => {
      const path = box.put(`team/${name}`, "word\n");
      chownSync(path, others, gid);
      chmodSync(path, mode);
      return path;
    };
    // What is made there has the folder's group.
    const folder = join(box.root, "team");
    chownSync(folder, 65_534, others + 1);
    chmodSync(folder, 0o2777);
    const [shared, foreign] = [put("shared", 65_534, 0o664), put("foreign", others, 0o676)];
    const calls = [shared, foreign].flatMap((path) => [
      ["Read", { file_path: path }],
      ["Edit", { file_path: path, old_string: "word", new_string: "other" }],
    ]);
    expect(toldOf(box.root, calls).filter((_, index) => index % 2 === 1)).toEqual([
      "Edited team/shared.",
      "Edited team/foreign.",
    ]);
    const of = (path: string): [number, number] => [statSync(path).gid, statSync(path).mode & 0o7777];
    expect([of(shared), of(foreign)]).toEqual([
      [65_534, 0o664],
      [others + 1, 0o666],
    ]);
  },
);

test.skipIf(!isReadable || process.getuid?.() !== 0)(
  "an edit of a writable file in a read-only folder explains what to do",
  () => {
    const box = openToolBox();
    const path = box.put("shut/file", "word\n");
    chmodSync(path, 0o666);
    for (const folder of [box.root, join(box.root, "..")]) chmodSync(folder, 0o755);
    const [, told] = toldOf(box.root, [
      ["Read", { file_path: path }],
      ["Edit", { file_path: path, old_string: "word", new_string: "other" }],
    ]);
    expect(told).toBe(
      "shut/file may be written, but its folder does not let it be replaced. Write it through Bash (cat > file) if it must change.",
    );
    expect(readFileSync(path, "utf8")).toBe("word\n");
  },
);

test.skipIf(!isReadable).each([
  ["ripgrep", rg],
  ["no ripgrep", null],
] as const)("a search with %s reports that some folders could not be read", (_, program) => {
  const box = openToolBox();
  for (const folder of [box.root, join(box.root, "..")]) chmodSync(folder, 0o755);
  box.put("open/file", "word\n");
  box.put("shut/file", "word\n");
  const shut = join(box.root, "shut");
  chmodSync(shut, 0);
  const calls = [
    ["Glob", { pattern: "**/none" }],
    ["Glob", { pattern: "**/file" }],
    ["Grep", { pattern: "nothing" }],
  ];
  try {
    expect(toldOf(box.root, calls, program)).toEqual([
      "No files found\n[Some folders could not be read, and were not searched.]",
      "open/file\n[Some folders could not be read, and were not searched.]",
      "No matches found\n[Some files or folders could not be read, and were not searched.]",
    ]);
  } finally {
    chmodSync(shut, 0o755);
  }
});

test("a command prints nothing of the wrapper if few files may be open", () => {
  const { root } = openToolBox();
  const calls = JSON.stringify([["Bash", { command: "cd /; pwd" }]]);
  const words = ["-c", fileLimitShellLine(100), "bash", process.execPath, script, calls];
  const [told] = JSON.parse(execFileSync("bash", words, { cwd: root, encoding: "utf8" })) as string[];
  expect(told).toBe(`/\nShell cwd was reset to ${root}`);
});
