// What git itself reads in a configuration file is what is read here: no comment, quote or line that goes on hides a setting.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readGitConfig } from "../../src/lib/git-config.ts";
import { sharedTemporaryFolder } from "../support/temporary-folder.ts";

const folder = sharedTemporaryFolder();

/** Keys and values as git lists them; undefined where it gives up. */
function asGit(text: string): [key: string, value: string | null][] | undefined {
  const path = join(folder, "config");
  writeFileSync(path, text);
  const env = { PATH: process.env["PATH"], HOME: folder, LC_ALL: "C" };
  const { status, stdout } = spawnSync("git", ["config", "--file", path, "--no-includes", "--list", "-z"], {
    cwd: folder,
    encoding: "utf8",
    env,
  });
  if (status !== 0) return undefined;
  return stdout
    .split("\0")
    .slice(0, -1)
    .map((entry) => {
      const [key = "", ...value] = entry.split("\n");
      return [key, value.length === 0 ? null : value.join("\n")];
    });
}

/** Versions of git differ in the room they keep. */
const plain = (value: string | null) => value?.replaceAll(/\s+/gu, " ").trim() ?? null;

const pieces = [
  ...'[core]|[user]|[filter "x"]|[a.B]|[A "b\\"c\\\\]d"]|[ core]|[core|]|#|;|\\|"|=|fsmonitor|clean = evil|name=x|k = v|k|1|é'.split(
    "|",
  ),
  ..."\n,\n,\r\n,\t, ,\\\n,\\\r\n,\\t,\ufeff,\n[core]\n\tfsmonitor = evil\n".split(","),
];
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 14, size: "max" }).map((pieces) => pieces.join(""));

test("reads every file that git can read as git reads it", () => {
  let read = 0;
  fc.assert(
    fc.property(text, (config) => {
      const expected = asGit(config);
      const { settings, invalidLine } = readGitConfig(config);
      if (expected === undefined) return;
      read += expected.length;
      if (invalidLine !== undefined) throw new Error(`git reads what is odd here: ${invalidLine}`);
      expect(settings.map(({ key, value }) => [key, plain(value)])).toEqual(
        expected.map(([key, value]) => [key, plain(value)]),
      );
    }),
    {
      numRuns: 250,
      examples: [
        ["[user]\n\tname = x # said \\\n[core]\n\tfsmonitor = evil\n"],
        ["[user]\n# said \\\n[core]\n\tfsmonitor = evil\n"],
        ['[user]\nname = "a # b" ; c \\\n[core]fsmonitor\n'],
        ["[core]\n abbrev = 7 \\\n[core]\n fsmonitor = x"],
        ['[filter "A\\"b\\\\c"] clean = "x;y" \\\n z # w'],
      ],
    },
  );
  expect(read).toBeGreaterThan(4);
});

test.each(["[core", "[core]\n???", '[core]\nk = "open\n', "[core]\nk = \\q", "[co re]", '[a "b]\nk'])(
  "reports that git would fail at %j",
  (broken) => {
    expect(asGit(broken)).toBeUndefined();
    expect(readGitConfig(broken).invalidLine).toBeDefined();
  },
);
