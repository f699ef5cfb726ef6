// Everyday lines that only read, and for each kind lines that only look like it.
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

// Commands that the collection lists as asked about, because the parsers and guards of other tools stop there.
test.each([
  "(cd src && ls)",
  "ls || (pwd && echo hi)",
  "{ ls src; ls test; } | sort",
  "(touch x; rm y)",
  "(cd /etc; cat passwd)",
  "(cat) < .env",
  "(cat; sh) < a.txt",
  "echo `pwd`",
  "echo $HOME",
  "echo $(rm x)",
  "git -C . status",
  "git -C nested status",
  "npm -v",
  "pip --version",
])("%j is asked about", async (command) => {
  expect(await run(command)).toBe("ask");
  expect(await run(command, { mode: "acceptEdits" })).toBe("ask");
});

kind(
  "scripts of awk",
  [
    "awk 'END {print NR}' a.txt",
    "awk '{sum += $1} END {print sum}' a.txt",
    String.raw`awk '{printf "%s\n", $2}' a.txt`,
    `awk 'length($0) > 120 {print FILENAME": "FNR}' src/a.ts`,
    "awk '!seen[$0]++' a.txt",
    "awk -F: '/start/,/end/' a.txt",
    "awk '{n[$1]++} END {for (k in n) print n[k], k}' a.txt",
    "awk 'NR==FNR{a[$1];next} $1 in a' a.txt src/a.ts",
    "awk '/a/ || $3 > 100 {print $1}' a.txt",
  ],
  [
    "awk 'END {print NR}' .env",
    "awk '{print $1}' /etc/passwd",
    `awk '{print > "out"}' a.txt`,
    `awk '{print NR, $1 >> "out"}' a.txt`,
    `awk '{print NR, $1 | "sh"}' a.txt`,
    `awk '{printf("x") |& "sh"}' a.txt`,
    `awk 'NR > 1 {x = 1} {print NR,\n$1 > "out"}' a.txt`,
    `awk '{pri\\\nnt NR, "a" > "out"}' a.txt`,
    `awk 'BEGIN {system ("id")}'`,
    `awk 'BEGIN {"id" | getline x; print x + 1}'`,
    `awk 'BEGIN {while ((getline x < "/etc/passwd") > 0) print x}'`,
    `awk 'BEGIN {ARGV[1] = "/etc/passwd"; ARGC = 2} {print NR}'`,
    `awk 'BEGIN {SYMTAB["AR" "GC"] = 2}'`,
    `awk 'BEGIN {print ENVIRON["API_KEY"]}'`,
    `awk 'BEGIN {print PROCINFO["pid"]}'`,
    `awk 'BEGIN {f = "sys" "tem"; @f("id")}'`,
    `awk '@load "x"; 1' a.txt`,
    "awk -fx.awk a.txt",
    "awk -F : -f x.awk a.txt",
    "awk -i inplace '{print NR}' a.txt",
    "awk '{print NR}' RS=x a.txt",
    'awk "{print NR $X}" a.txt',
  ],
);

kind(
  "asking a program for its version",
  ["deno -V", "tsc --version", "gh --version", "node --version && python3 -V"],
  [
    "npm -v x",
    "npm --version --prefix x",
    "npm version",
    "pip -V x",
    "yarn -v",
    "pnpm --version",
    "rustc --version",
    "mvn --version",
  ],
);

kind(
  "a loop variable without quotes",
  [
    "for f in src/a.ts src/b.ts; do head -5 $f; done",
    'for d in src test; do echo "$d: $(ls $d | wc -l)"; done',
    "for i in 1 2; do git log --oneline -1 HEAD~$i; done",
    "for c in node npm; do command -v $c; done",
    "for f in a.txt b; do [ -f $f ] && cat ${f}; done",
    "for f in a.txt; do wc -l < $f; done",
  ],
  [
    "for f in .env; do cat $f; done",
    "for f in /etc/passwd; do cat $f; done",
    "for f in 'a /etc/passwd'; do cat $f; done",
    "for f in '/etc/*'; do cat $f; done",
    "for f in src/*.ts; do cat $f; done",
    "for f in ..; do cat $f/secret.txt; done",
    "for f in --output=x; do git log $f; done",
    "for f in -delete; do find . $f; done",
    "for f in rm ls; do $f x; done",
    "for f in root; do ls ~$f; done",
    "for f in ''; do cat $f.env; done",
    "for f in a; do f=/etc/passwd; cat $f; done",
    "for f in a; do read f; cat $f; done",
    "for f in xa/etc; do IFS=a; cat $f; done",
    "for f in a; do cat $f$API_KEY; done",
    "for f in a; do ls; done; cat $f",
    "for f in .git/x; do cat a.txt > $f; done",
  ],
);

kind(
  "git with substitutions that print a commit",
  [
    "git log --oneline $(git merge-base HEAD main)..HEAD",
    'git diff "$(git merge-base HEAD origin/main)"...HEAD --stat',
    "git show $(git rev-parse --short HEAD~1):src/a.ts",
  ],
  [
    "git diff $(git rev-parse --output=x)",
    "git diff $(git merge-base a --output=x)",
    "git diff $(git merge-base --all a b)",
    "git diff --output=$(git rev-parse HEAD)",
    "git diff $(git describe)",
    "git diff $(git merge-base HEAD main; rm x)",
    "git show $(git rev-parse HEAD):.env",
    "cat x$(git rev-parse HEAD)",
    "git show $(git rev-parse HEAD)$X",
    "git log $(git rev-parse HEAD)*",
  ],
);

test("guarding rules match inside braces and groups", async () => {
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
