// What the permissions of files say, for a user whom they bind.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { asNobody } from "../support/faults/system.ts";
import { findRg, openToolBox } from "./support.ts";

const script = fileURLToPath(new URL("./call-as.ts", import.meta.url));
const rg = findRg();
const line = asNobody();
const isReadable = line !== null && spawnSync("bash", ["-c", line, "bash", "test", "-r", script]).status === 0;

test.skipIf(!isReadable)("a file that is protected is not changed, and one that cannot be read is no miss", () => {
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
  const command = [
    "-c",
    line ?? "",
    "bash",
    process.execPath,
    script,
    JSON.stringify(calls),
    ...(rg === null ? [] : [rg]),
  ];
  const told = JSON.parse(execFileSync("bash", command, { cwd: box.root, encoding: "utf8" })) as string[];
  expect(told[1]).toBe(
    "Cannot edit open/guarded: permission denied. Ask the user to change its permissions, or work elsewhere.",
  );
  expect(readFileSync(guarded, "utf8")).toBe("word\n");
  expect(told[3]).toBe("Edited open/free.");
  expect(told[4]).toMatch(/Cannot search open\/secret: permission denied/u);
  const unread = "\n[Some files or folders could not be read, and were not searched.]";
  expect(told[5]).toBe(`No matches found${rg === null ? "" : unread}`);
});
