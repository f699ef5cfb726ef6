// Shell syntax that runs something inside a harmless-looking command, and syntax that only looks as if it did.
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readAnsiQuoted } from "../../src/permissions/shell/text.ts";
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

describe("in the brackets of a glob", () => {
  test.each([
    "echo touch a[$(touch x)]",
    "echo touch a[`touch x`]",
    'ls touch a["$(touch x)"]',
    "echo rm a[${x:-$(rm x)}]",
    "echo touch a[$((b[$(touch x)]))]",
    "for f in touch a[$(touch x)]; do echo hi; done",
    "cat touch < a[$(touch x)]",
    "echo a[$x]",
  ])("a substitution that runs is asked about: %s", async (command) => {
    expect(await run(command)).toBe("ask");
    expect(await run(command, { allow: ["Bash(echo:*)", "Bash(ls:*)", "Bash(cat:*)"] })).toBe("ask");
  });

  test.each(["ls [ab].txt", "cat [!c].txt", "wc -l [[:lower:]].txt", "ls 'src/[id]'/*.ts", "ls src/[\\!x].ts"])(
    "plain characters are part of the pattern: %s",
    async (command) => {
      expect(await run(command)).toBe("allow");
    },
  );
});

describe("text in quotes", () => {
  test.each([
    "grep -n '$(foo)' a.txt",
    "grep -rn '`' src",
    "echo 'run `npm test`'",
    "awk '{print $(NF-1)}' a.txt",
    "sed 's/$(a)/`b`/' a.txt",
    "[ -f a.txt ] && echo 'read `x` first'",
    'git add . && git commit -m "test: read \\`x\\` first"',
  ])("is only text: %s", async (command) => {
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
  ])("is asked about if it may be expanded again: %s", async (command) => {
    expect(await run(command)).toBe("ask");
  });

  test("is not given as the reason if the command itself is not covered", async () => {
    const { message } = (await call(make(place), place.cwd, "Bash", { command: "bash -c 'npm test'" })) as {
      message: string;
    };
    expect(message).toContain(`"bash -c 'npm test'" needs permission`);
  });
});

describe("text in $'…'", () => {
  test.each([
    String.raw`cat $'\x2eenv'`,
    String.raw`cat $'\56env'`,
    String.raw`cat $'.\u0065nv'`,
    String.raw`cat $'.env\0x'`,
    String.raw`cat $'.env\x00x'`,
    String.raw`cat $'.env\c@x'`,
    String.raw`cat $'.e\0x'nv`,
    String.raw`cat $'.\x{65}nv'`,
    String.raw`cat $'.\x{1000065'nv`,
  ])("is the file name that bash reads: %s", async (command) => {
    expect(await run(command, { allow: ["Bash"], deny: ["Read(./.env)"] })).toBe("deny");
  });

  test.each([String.raw`cat $'\x{2f}tmp/other'`, String.raw`cat $'\x{2e}\x{2e}/other'`, String.raw`cat $'/tmp/a\0'b`])(
    "leads out of the folder as in bash: %s",
    async (command) => {
      expect(await run(command)).toBe("ask");
    },
  );

  test("is decoded as bash decodes it", () => {
    const escapes =
      "\\x \\x{ { } 6 5 0 f \\0 \\1 \\141 \\c @ a ? \\\\ \\' \\\" \\u \\U \\q \\n \\e g [ \\400 \\c\\\\ \\c?".split(
        " ",
      );
    const text = fc.array(fc.constantFrom(...escapes), { maxLength: 7 }).map((parts) => `$'${parts.join("")}'`);
    const texts = fc
      .sample(text, { numRuns: 1_000, seed: 1 })
      .filter((each) => readAnsiQuoted(each, 0)?.end === each.length);
    const script = texts.map((each) => String.raw`printf '%s\0' ${each}`).join("\n");
    const { stdout } = spawnSync("bash", ["--norc", "--noprofile", "-c", script], { encoding: "utf8" });
    const wrong = texts.map((each, at) => [each, readAnsiQuoted(each, 0)?.text, stdout.split("\0")[at]]);
    expect(wrong.filter(([, read, printed]) => read !== printed && !printed?.includes("\ufffd"))).toEqual([]);
  });
});

describe("the matches of a glob", () => {
  test.each([
    "echo /etc/*",
    "echo ../*",
    "echo up/*",
    "echo */*",
    "printf '%s ' /etc/*",
    "for f in /etc/*; do echo $f; done",
    "for f in ~/*; do echo $f; done",
    "for f in '/etc/*'; do echo $f; done",
    "for f in /etc/\\*; do echo $f; done",
    "for f in '*'; do echo /etc/$f; done",
    "for d in /etc; do for f in '/*'; do echo $d$f; done; done",
    "for f in $(echo '/etc/*'); do echo \"$f\"; done",
    "for f in $(printf '/etc/%s' '*'); do echo x; done",
    "for f in \"`echo '/etc/*'`\"; do echo $f; done",
    "for f in $(printf '/etc/\\052'); do echo $f; done",
    'for f in "$(echo "/etc/*")"; do echo $f; done',
    "for f in $(dirname '/etc/*/x'); do echo $f; done",
    "for f in $(basename '*'); do echo /etc/$f; done",
    "for f in $(seq -f '/etc/*%g' 1); do echo $f; done",
    "for f in $(date '+/etc/*'); do echo $f; done",
    "for f in $(echo /etc/x | tr x '*'); do echo $f; done",
    "for f in $(git log --format='/etc/*' -1); do echo $f; done",
  ])("are asked about outside the working directories: %s", async (command) => {
    expect(await run(command)).toBe("ask");
  });

  test.each(["cat .*/x", "ls .?/repo", "wc -l src/.[.]/../x", "echo .*/*"])(
    "may include the parent folder in older shells, which is asked about: %s",
    async (command) => {
      expect(await run(command)).toBe("ask");
    },
  );

  test.each(["sort -t * a.txt", "sort a.txt -k *", "head -n [0-9]* a.txt", "cut -d * -f 1 a.txt", "head -n ~ a.txt"])(
    "may become an option in place of a value, which is asked about: %s",
    async (command) => {
      expect(await run(command)).toBe("ask");
    },
  );

  test.each([
    "echo *",
    "echo .*",
    "echo .[!.]*/*",
    "echo src/*.ts",
    "printf '%s ' *.txt",
    "for f in src/*; do echo $f; done",
    "for f in '*'; do echo \"$f\"; done",
    "for i in $(echo 1 2 3); do echo $i; done",
    "for f in $(grep -rl '[a-z]*' src); do echo $f; done",
    "for f in $(printf '%s\\n' src/*.ts); do echo $f; done",
    "for f in $(echo 'a' src/*.ts); do echo $f; done",
    "for f in $(grep -l 'echo' src/*.ts); do echo $f; done",
    "for f in $(echo A B | tr '[:upper:]' '[:lower:]'); do echo \"$f\"; done",
  ])("are shown unasked inside the working directories: %s", async (command) => {
    expect(await run(command)).toBe("allow");
    expect(await run(command, { mode: "plan" })).toBe("allow");
  });

  test("are shown elsewhere with a rule or in an added folder", async () => {
    expect(await run(`echo ${place.home}/*`, { additionalDirectories: [place.home] })).toBe("allow");
    expect(await run("echo /etc/*", { allow: ["Bash(echo:*)"] })).toBe("allow");
  });

  test("need no rule in a loop besides that of its command", async () => {
    expect(await run('for f in src/*; do echo "$f"; done', { allow: ["Bash(echo:*)"] })).toBe("allow");
  });
});

describe("a loop variable", () => {
  test.each([
    'for f in *.txt; do wc -l "$f"; done',
    'for f in src/*.ts; do echo "== $f"; head -5 "$f"; done',
    'for f in a.txt b.txt; do cat "$f"; done',
    'for f in a b; do grep -n x "${f}.txt"; done',
    'for f in *.txt; do [ -f "$f" ] && echo "$f"; done',
    'for i in 1 2; do sed -n "${i}p" a.txt; done',
    'for f in a b; do wc -l < "$f.txt"; done',
    'for d in src; do for f in x y; do cat "$d/$f.ts"; done; done',
    "for x in 'x /etc/passwd'; do cat \"$x\"; done",
  ])("stands for the words that the loop goes through: %s", async (command) => {
    expect(await run(command)).toBe("allow");
    expect(await run(command, { mode: "plan" })).toBe("allow");
  });

  test.each([
    'for f in a.txt /etc/passwd; do cat "$f"; done',
    'for f in up; do cat "$f/x"; done',
    "for f in a b; do rm $f; done",
    'for f in *; do cat "$f/x"; done',
    'for f in .env; do cat "$f"; done',
    "for f in *.txt; do cat $f; done",
    "for x in 'x /etc/passwd'; do cat $x; done",
    'for x in -o; do sort a.txt "$x" b.txt; done',
    'for x in --output=x; do git log "$x"; done',
    'for x in -delete; do find . "$x"; done',
    'for x in rm; do "$x" a.txt; done',
    'for f in $(ls); do cat "$f"; done',
    'for f in a.txt; do cat "$g"; done',
    'for f; do cat "$f"; done',
    'for f in a.txt; do cat "$f"; done; cat "$f"',
    'for f in a.txt; do for f in b.txt; do cat "$f"; done; done',
  ])("is asked about if its value is not readable unasked or unknown: %s", async (command) => {
    expect(await run(command)).toBe("ask");
  });

  test("is unknown if an allowed command may set it", async () => {
    const allow = ["Bash(read:*)", "Bash(source:*)"];
    for (const setter of ["read f", "command read f", "source x.sh"])
      expect(await run(`for f in a.txt; do ${setter} < b.txt; cat "$f"; done`, { allow })).toBe("ask");
  });

  test("is judged in each round if files are edited", async () => {
    const mode = "acceptEdits";
    expect(await run('for f in a b; do cp "$f.txt" "$f.bak"; done', { mode })).toBe("allow");
    expect(await run('for f in a b; do echo x > "$f.out"; done', { mode })).toBe("allow");
    expect(await run('for f in a .git/config; do touch "$f"; done', { mode })).toBe("ask");
    expect(await run('for f in up x; do mv "$f" y; done', { mode })).toBe("ask");
  });

  test("is matched against deny rules", async () => {
    expect(await run('for f in a.txt; do cat "$f"; done', { deny: ["Read(a.txt)"] })).toBe("deny");
    expect(await run('for f in *.txt; do cat "$f"; done', { deny: ["Read(a.txt)"] })).toBe("deny");
  });
});
