// Options and words of reading programs that only change how something is shown, and similar ones that do more.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bash, call, make, makePlace, type Place, type Setup } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "src"));
  for (const name of ["a.csv", "package.json"]) writeFileSync(join(place.cwd, name), "{}\n");
});
afterAll(() => place.remove());

const run = (command: string, setup: Setup = {}) => bash(make(place, setup), place.cwd, command);

describe("commands whose options only change how something is shown run unasked:", () => {
  test.each([
    "git log --oneline --simplify-merges -5",
    "git log -1 --patch-with-stat",
    "git log --decorate-refs=main --oneline",
    "git log -L 1,2:a.csv --decorate-refs main",
    "git log --grep --oneline",
    "git diff -D HEAD~1",
    "git diff -B50% --ws-error-highlight=all",
    "git --no-optional-locks status",
    "git remote show",
    "git submodule",
    "GIT_PAGER=cat git log -3",
    "PAGER= git diff",
    "ls -l --block-size=M --indicator-style=slash",
    "rg --line-buffered --one-file-system x",
    "grep --line-buffered x a.csv",
    "sha256sum *",
    "cut -d, -f1 *.csv",
    "ls --version",
    "grep --help",
    "find --version",
    "ps -eo pid,ppid,cmd --sort=-%mem",
    "ps -p 1 -o comm=",
    "ps -u root -o pid=,args=",
    "ps axo pid,command",
    "jq .env package.json",
    "jq '.env.NODE_ENV' package.json",
  ])("%s", async (command) => {
    expect(await run(command)).toBe("allow");
  });
});

describe("commands with words that do more than show are asked about:", () => {
  test.each([
    "git remote show origin",
    "git submodule foreach ls",
    "git log -p --textconv",
    "git diff -L --output=x",
    "git rev-list --decorate-refs --output=x HEAD",
    "git shortlog --committer --output=x",
    "git diff --skip-to --outpu=x",
    "PAGER=less git log",
    "GIT_PAGER=./cat git log",
    "sort *",
    "file *",
    "ls --version /etc",
    "git --help",
    "ps e",
    "ps axe",
    "ps user",
    "ps -ax e",
    "ps -o environ",
    "ps -eo pid e",
    "jq env package.json",
    "jq '.a[env.X]' package.json",
    "jq '. | env' package.json",
  ])("%s", async (command) => {
    expect(await run(command)).toBe("ask");
  });
});

describe("ps that may show the environment of other programs", () => {
  test.each(["ps -aux -e", "ps -ef -ax", "ps -axo pid -e", "ps -u -exec", "ps -t -axe", "ps -eT --forest", "ps -eHT"])(
    "is asked about: %s",
    async (command) => {
      expect(await run(command)).toBe("ask");
    },
  );

  test.each([
    "ps -axo pid,cmd --sort -%mem",
    "ps aux --sort=-rss",
    "ps -eo pid,etime --sort etime",
    "ps -ef",
    "ps -eT",
  ])("does not include %s", async (command) => {
    expect(await run(command)).toBe("allow");
  });
});

test("a denial names the variables in front of the command", async () => {
  const permissions = make(place, { allow: ["Bash(npm test:*)"] });
  const decision = await call(permissions, place.cwd, "Bash", { command: "FOO=bar npm test -- x | tail -3" });
  expect(decision).toMatchObject({ message: expect.stringContaining('"FOO=bar npm test -- x" needs permission') });
});

describe("a rule for sed -n", () => {
  const allow = ["Bash(sed -n:*)"];

  test.each([
    "sed -n 1,5p /etc/hosts",
    "sed -n '/a/{n;p}' /etc/hosts",
    "cat /etc/hosts | timeout 5 sed -n -E 's/(a)/\\1/p' x",
  ])("covers printing: %s", async (command) => {
    expect(await run(command, { allow: [...allow, "Bash(cat:*)"] })).toBe("allow");
  });

  test.each([
    "sed -n 'w out' a.csv",
    "sed -n '1e id' a.csv",
    "sed -n 's/a/b/e' a.csv",
    "sed -n -i p a.csv",
    "sed -n p a.csv --in-place",
    "sed -n -f x a.csv",
    "sed -n --expression='w out' a.csv",
    "ls | xargs sed -i p",
    "sed -n p *",
  ])("does not cover writing or running: %s", async (command) => {
    expect(await run(command, { allow })).toBe("ask");
    expect(await run(command, { allow: ["Bash(sed:*)"] })).toBe("allow");
  });

  test.each([
    ["sed -En *", "sed -En 'w out' a.csv"],
    ["sed -E -n:*", "sed -E -n 1p -i a.csv"],
    ["sed -n '1,5p' *", "sed -n '1,5p' -i a.csv"],
    ["sed -n 1,5p:*", "sed -n 1,5p a.csv -e 'w out'"],
    ["sed -n -e *", "sed -n -e 1p -e 'w out' a.csv"],
    ["sed -n * a.csv", "sed -n 'w out' a.csv"],
  ])("covers only printing, however it is written: %s", async (rule, command) => {
    expect(await run(command, { allow: [`Bash(${rule})`] })).toBe("ask");
    expect(await run(command, { allow: [`Bash(${command})`] })).toBe("allow");
  });

  test("covers a script that it names itself", async () => {
    expect(await run("sed -n 'w out' a.csv", { allow: ["Bash(sed -n 'w out' *)"] })).toBe("allow");
  });
});
