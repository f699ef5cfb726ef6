// What everyday lines look like that only read, and beside each kind what only looks like it.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bash, make, makePlace, type Place, type Setup } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  for (const folder of ["src", "test"]) mkdirSync(join(place.cwd, folder));
  for (const file of ["a.txt", ".env", "src/a.ts", "src/b.ts", "test/a.ts", "../secret.txt"])
    writeFileSync(join(place.cwd, file), "x\n");
  symlinkSync("../../secret.txt", join(place.cwd, "test/link.ts"));
});
afterAll(() => place.remove());

const run = (command: string, setup: Setup = {}) => bash(make(place, setup), place.cwd, command);

/** `are`: they run unasked, also while planning; `asks`: they do not. */
function kind(name: string, are: readonly string[], asks: readonly string[]): void {
  describe(name, () => {
    test.each(are)("%j only reads", async (command) => {
      expect(await run(command)).toBe("allow");
      expect(await run(command, { mode: "plan" })).toBe("allow");
    });
    test.each(asks)("%j is asked about", async (command) => {
      expect(await run(command)).toBe("ask");
      expect(await run(command, { mode: "acceptEdits" })).toBe("ask");
    });
  });
}

kind(
  "braces of plain words",
  [
    "ls {src,test}",
    "cat src/{a,b}.ts",
    "ls *.{json,md}",
    "wc -l {.,src}/*.ts",
    "grep -rn foo --include=*.{ts,tsx} src",
    "diff src/{a,b}.ts",
    "echo {a,b}{1..3}",
    "for i in {3..1}; do echo $i; done",
    'for f in src/{a,b}.ts; do cat "$f"; done',
  ],
  [
    "cat {.env,a.txt}",
    "cat .{env,x}",
    "cat {src,/etc}/passwd",
    "cat {..,src}/secret.txt",
    "cat {~,src}/x",
    "sort {-o,x} a.txt",
    "sort {a.txt,-ox}",
    "find . -name x {-delete,-print}",
    "git log {-1,--output=x}",
    "rg foo {--pre=cat,src}",
    "printf {-v,x}",
    "{ls,-la}",
    "ls {a,$X}",
    "ls {a,$(touch x)}",
    "ls {a,{b,c}}",
    "ls {,}",
    "ls {01..03}",
    "cat {1..3000}",
    "ls > {a,b}",
    "ls {a,b}=~/x",
    "cat {src,test}/*.ts",
  ],
);

kind(
  "groups of commands",
  [
    "(cd src && ls)",
    "(ls; pwd) | head",
    "{ ls src; ls test; } | sort",
    "{ ls; }",
    "((ls); (pwd))",
    "! (ls) > /dev/null",
  ],
  [
    "(touch x; rm y)",
    "{ ls; rm x; }",
    "(ls) > .git/x",
    "(cat) < .env",
    "(cat .env)",
    "(cd .. && ls)",
    "(cd /etc; cat passwd)",
    "(cd ..); cat secret.txt",
    "cd src && (cd .. && cd .. && ls)",
    "(cd src && git status)",
    "while true; do (cd ..); cat secret.txt; done",
    "(PATH=.; ls)",
    "(alias ls=rm; ls)",
    "f() (ls); f",
    "(cat; sh) < a.txt",
  ],
);

test("rules that guard hold in braces and groups", async () => {
  const deny = ["Read(src/**)", "Bash(git log *)"];
  for (const command of [
    "cat {src,test}/a.ts",
    "cat src/{a,b}.ts",
    "(cat src/a.ts)",
    "(cd src && cat a.ts)",
    "{ git log; }",
  ])
    expect(await run(command, { deny }), command).toBe("deny");
  expect(await run("cat {test,.}/a.txt", { deny })).toBe("allow");
  expect(await run("(ls)", { askRules: ["Bash(ls *)"] })).toBe("ask");
});
