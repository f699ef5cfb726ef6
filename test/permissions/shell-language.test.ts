// What of the shell's language runs within a command that looks harmless, and what only looks as if it did.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bash, call, make, makePlace, type Place, type Setup } from "./support.ts";

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

describe("what quotes keep", () => {
  test.each([
    "grep -n '$(foo)' a.txt",
    "grep -rn '`' src",
    "echo 'run `npm test`'",
    "awk '{print $(NF-1)}' a.txt",
    "sed 's/$(a)/`b`/' a.txt",
    "[ -f a.txt ] && echo 'read `x` first'",
    'git add . && git commit -m "test: read \\`x\\` first"',
  ])("is text: %s", async (command) => {
    expect(await run(command, { allow: ["Bash(git add:*)", "Bash(git commit:*)"] })).toBe("allow");
  });

  test.each([
    "let 'a[$(touch x)]'",
    "eval 'echo $(touch x)'",
    "bash -c 'echo `touch x`'",
    "echo '$(touch x)' | sh",
    "[[ 'a[$(touch x)]' -eq 1 ]]",
    "printf -v 'a[$(touch x)]' y",
    "read 'a[$(touch x)]' < a.txt && echo '`x`'",
  ])("is asked about where it may be expanded once more: %s", async (command) => {
    expect(await run(command)).toBe("ask");
  });

  test("is no reason that is given where the command itself is not covered", async () => {
    const { message } = (await call(make(place), place.cwd, "Bash", { command: "bash -c 'npm test'" })) as {
      message: string;
    };
    expect(message).toContain(`"bash -c 'npm test'" needs permission`);
  });
});

describe("what a pattern finds", () => {
  test.each([
    "echo /etc/*",
    "echo ../*",
    "echo up/*",
    "echo */*",
    "printf '%s ' /etc/*",
    "for f in /etc/*; do echo $f; done",
    "for f in ~/*; do echo $f; done",
  ])("is not told unasked of folders outside: %s", async (command) => {
    expect(await run(command)).toBe("ask");
  });

  test.each(["cat .*/x", "ls .?/repo", "wc -l src/.[.]/../x", "echo .*/*"])(
    "may be the folder above, in older shells: %s",
    async (command) => {
      expect(await run(command)).toBe("ask");
    },
  );

  test.each(["echo *", "echo .*", "echo src/*.ts", "printf '%s ' *.txt", "for f in src/*; do echo $f; done"])(
    "is told of within: %s",
    async (command) => {
      expect(await run(command)).toBe("allow");
      expect(await run(command, { mode: "plan" })).toBe("allow");
    },
  );

  test("takes a rule, or a folder that was added, elsewhere", async () => {
    expect(await run(`echo ${place.home}/*`, { additionalDirectories: [place.home] })).toBe("allow");
    expect(await run("echo /etc/*", { allow: ["Bash(echo:*)"] })).toBe("allow");
  });
});
