// What of the shell's language runs within a command that looks harmless, and what only looks as if it did.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bash, make, makePlace, type Place, type Setup } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "src"));
  for (const name of ["a.txt", "b.txt", "src/x.ts", "src/y.ts"]) writeFileSync(join(place.cwd, name), "x\n");
  symlinkSync(place.root, join(place.cwd, "up"));
});
afterAll(() => place.remove());

const run = (command: string, setup: Setup = {}) => bash(make(place, setup), place.cwd, command);

describe("in a pattern's brackets", () => {
  test.each([
    "echo touch a[$(touch x)]",
    "echo touch a[`touch x`]",
    'ls touch a["$(touch x)"]',
    "echo rm a[${x:-$(rm x)}]",
    "echo touch a[$((b[$(touch x)]))]",
    "for f in touch a[$(touch x)]; do echo hi; done",
    "cat touch < a[$(touch x)]",
    "echo a[$x]",
  ])("what runs there is asked about: %s", async (command) => {
    expect(await run(command)).toBe("ask");
    expect(await run(command, { allow: ["Bash(echo:*)", "Bash(ls:*)", "Bash(cat:*)"] })).toBe("ask");
  });

  test.each(["ls [ab].txt", "cat [!c].txt", "wc -l [[:lower:]].txt", "ls 'src/[id]'/*.ts", "ls src/[\\!x].ts"])(
    "characters are a pattern: %s",
    async (command) => {
      expect(await run(command)).toBe("allow");
    },
  );
});
