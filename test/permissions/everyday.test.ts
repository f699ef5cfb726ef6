// Safety must not become nagging: everyday commands that only read are not asked about.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  for (const folder of [".git/objects", ".git/refs", "src", "test"])
    mkdirSync(join(place.cwd, folder), { recursive: true });
  writeFileSync(join(place.cwd, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(
    join(place.cwd, ".git/config"),
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[remote "origin"]\n\turl = https://example.com/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin\n',
  );
});
afterAll(() => place.remove());

const commands = readFileSync(join(import.meta.dirname, "everyday-commands.txt"), "utf8")
  .trim()
  .split("\n");

test("at least 95 of 100 everyday reading commands run unasked, in plan mode as well", async () => {
  expect(commands.length).toBeGreaterThan(300);
  for (const mode of ["default", "acceptEdits", "dontAsk", "plan"] as const) {
    const permissions = make(place, { mode });
    const asked: string[] = [];
    for (const command of commands) {
      if ((await bash(permissions, place.cwd, command)) !== "allow") asked.push(command);
    }
    expect(asked.length / commands.length, asked.join("\n")).toBeLessThan(0.05);
  }
});

// On systems where options end at the first operand, such a value is a file; these programs accept later options everywhere.
test.each([
  "grep -rn src -e '/api/users'",
  "grep -rn foo src --exclude .env",
  "rg foo src -g '/docs/**'",
  "tree src -I .env",
  "diff a.txt b.txt --label /a",
])("the value of an option after an operand is not taken for a file: %s", async (command) => {
  expect(await bash(make(place), place.cwd, command)).toBe("allow");
});

test("df runs unasked for any place on the disk", async () => {
  for (const command of ["df -h /", "df -h ~ /tmp", "df ."])
    expect(await bash(make(place), place.cwd, command), command).toBe("allow");
});
