// Commands that look harmless: which run unasked, and what makes them be asked about.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { gitDoubt, runningKey } from "../../src/permissions/git/git-look.ts";
import { parseShell } from "../../src/permissions/shell/parse.ts";
import { withoutBraces } from "../../src/permissions/shell/fill.ts";
import { readCommand } from "../../src/permissions/shell/words.ts";
import { describeVectors } from "../support/vectors.ts";
import { bash, make, makePlace, type Place, type Setup } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "src"));
  writeFileSync(join(place.cwd, "src/x.ts"), "x\n");
  symlinkSync(place.root, join(place.cwd, "up"));
  writeFileSync(join(place.cwd, "a.txt"), "a\n");
});
afterAll(() => place.remove());

const run = (command: string, setup: Setup = {}) => bash(make(place, setup), place.cwd, command);

describe("commands that do more than read are asked about:", () => {
  test.each([
    "sort -o a.txt a.txt",
    "sort --output=a.txt b",
    "sort --compress-program=./x b",
    "sort *",
    "uniq a.txt b.txt",
    "xxd a.txt b.bin",
    "xxd -r a",
    "find . -exec cat {} +",
    "find . -delete",
    "find . -fprintf x %p",
    "find . -ok rm {} ;",
    "find *",
    "find . -name x -fls y",
    "find a*/../../x -name y",
    "find . -newermt x -name",
    "sed -i s/a/b/ a.txt",
    "sed s/a/b/e a.txt",
    "sed -n 1w/tmp/x a.txt",
    "sed -n '1e id' a.txt",
    "sed -n 's/a/b/w x' a.txt",
    "sed -f x a.txt",
    "sed -i.bak s/a/b/ a.txt",
    "sed s/a/b/ a.txt -i",
    "sed s/a/b/ *",
    "sed * a.txt",
    "sed -e s/a/b/ -e 'w x' a.txt",
    "sed -e s/a/b/ --in-place a.txt",
    "sed 's/a/b/;r /etc/x' a.txt",
    "sed 's/[/]/e/' a.txt",
    "sed 's:[[:space:]]:x:w out' a.txt",
    "sed 's/a/b/' /etc/hostname",
    "sed p .env",
    'sed "s/a/$B/" a.txt',
    "cd /etc && rg x",
    "echo HEAD:.env | git cat-file --batch",
    "git config edit",
    "git config unset",
    "find src -newer /etc/hostname",
    "node -v a.js",
    "go version",
    "awk 'BEGIN{system(\"id\")}'",
    "awk '{print > \"x\"}' a.txt",
    "awk '{print | \"sh\"}' a.txt",
    "awk -f x.awk",
    "awk -v x=1 1 a.txt",
    "jq env",
    "jq '$ENV.PATH'",
    "jq -f x.jq a",
    "jq 'import \"a\" as a; .' b",
    "jq -L . . a",
    "jq --slurpfile a /etc/x . b",
    "jq --indent * . a",
    "jq --arg * y . a",
    "jq --arg x * . a",
    "jq --arg x y env a",
    "jq --indent 2 env a",
    "rg --pre ./x a",
    "rg -z a",
    "rg --hostname-bin=./x a",
    "grep -f /etc/shadow a.txt",
    "grep -e x /etc/passwd",
    "rg -e x /etc",
    "tree -o x",
    "tree -R -H . -L 1",
    "file -C -m x",
    "date -s 2020-01-01",
    "date 01010000",
    "date -f x",
    "hostname evil",
    "env",
    "printenv",
    "ps e",
    "ps auxe",
    "ps -o environ",
    "set",
    "export",
    "git push",
    "git -c core.pager=./x log",
    "git --exec-path=. log",
    "git log --output=x",
    "git diff --ext-diff",
    "git show --textconv",
    "git grep -O./x a",
    "git branch new",
    "git branch -D x",
    "git tag v1",
    "git remote add x y",
    "git remote show origin",
    "git reflog expire --all",
    "git stash",
    "git stash drop",
    "git config user.name x",
    "git config --global --get user.name x",
    "git config --default x --unset user.name",
    "git config --get-regexp x",
    "git fetch",
    "git ls-remote",
    "git diff --no-index /etc/passwd x",
    "git -C /tmp status",
    "git log --format=%GK",
    "git status; rm x",
    "git log | sh",
    "cd src && git status",
    "git blame --contents /etc/passwd x",
    "git symbolic-ref HEAD refs/heads/x",
    "git for-each-ref --format='%(signature)'",
    "git for-each-ref --format '%(signature)'",
    "ls >& out",
    "yarn --version",
    "cargo --version",
    "go version",
    "npx --version",
    "make",
    "npm test",
    "./ls",
    "/tmp/ls",
    "node -e 1",
    "node --version -e 1",
    "echo $X",
    "echo a$API_KEY",
    "echo $i$API_KEY",
    'echo $i"$API_KEY"',
    "echo ${i:-$API_KEY}",
    "echo $@ $(id)x",
    "echo $i* $(./x)",
    "printf '%s' $i",
    "cat $i",
    'echo "$API_KEY"',
    "echo $\\\nAPI_KEY",
    'echo "$\\\nAPI_KEY"',
    'echo "${X:=y}"',
    'echo "${!X}"',
    'echo "${X@P}"',
    "echo $((a[$(id)]))",
    "printf -v PATH x",
    "printf 'abc%n' PATH; ls",
    "time printf %5n PATH",
    'printf "$X"',
    "cat $X",
    "ls $(id)",
    "test -v 'a[$(id)]'",
    "[[ -v a[$(id)] ]]",
    "[[ a -eq 1 ]]",
    "[[ a =~ b ]]",
    "[[ -f $X ]]",
    "((1))",
    "[ 'x[$(id)]' -eq 1 ]",
    "f() { ls; }; f",
    "coproc ls",
    "case a in a) ls;; esac",
    "select x in a; do ls; done",
    "PATH=. ls",
    "LD_PRELOAD=./x.so ls",
    "LC_ALL=C.UTF-8 LANGUAGE=../../../tmp/x ls y",
    "X=1",
    "GIT_PAGER=./x git log",
    "BASH_ENV=x ls",
    "for PATH in .; do ls; done",
    "alias ls=rm",
    "ls > out",
    "ls >> out",
    "ls &> out",
    "ls >| out",
    "ls <> out",
    "cat < /etc/passwd",
    "cat .env",
    "cat src/../.env",
    "head id_rsa",
    "grep KEY .env.production",
    "cat server.key",
    "cat credentials.json",
    "cat .npmrc",
    "cat .e*",
    "cat < .env",
    "cat /etc/passwd",
    "ls ..",
    "ls up",
    "cat up/x",
    "head ~/x",
    "ls -la /",
    "cat src/*/../../../x",
    "cd .. && ls",
    "cd src/../.. && ls",
    "cd - && ls",
    "cd -P src && ls",
    "TZ=$X date",
    'LC_ALL="$X" ls',
    "LANG=$(id) ls",
    "diff a.txt /etc/passwd",
    "cat '' /etc/passwd",
    "ls\u0000",
    "ls \u202e",
    "ls 'a",
    "ls `",
    "ls $(",
    `ls ${"a ".repeat(6_000)}`,
    "ls; ".repeat(101),
    "ls !(a)",
    "cat <<E\n$(id; rm x)\nE",
    "cat <<< $X",
    "ls <(rm x)",
    "ls >(rm x)",
    "ping x",
    "nslookup x",
    "curl x",
    "wget x",
    "nc x 1",
    "ssh x",
    "xargs cat",
    "tee x",
    "dd of=x",
    "less x",
    "man x",
    "vim x",
    "tail -f x",
    "watch ls",
    "sudo ls",
    "env ls",
    "nohup rm x",
  ])("%j", async (command) => {
    expect(await run(command)).toBe("ask");
  });
});

describe("commands that only read run unasked:", () => {
  test.each([
    "lscpu -J",
    "ls --color=auto -la src",
    "cat a.txt | sort -u | head -3",
    "ls -la \\\n  src &&\\\nls \\\n| wc",
    "timeout 5 ls",
    "time ls",
    "! grep -q x a.txt",
    "cd src && ls && cat x.ts",
    "ls 2>/dev/null >/dev/null",
    "LC_ALL=C sort a.txt",
    "TZ=Europe/Berlin LANG=de_DE.UTF-8 LANGUAGE=de:en date",
    "cat <<E\nhi $HOME $(date)\nE",
    'echo "$(git status)"',
    "diff <(sort a.txt) <(sort a.txt)",
    "grep -e x -e y a.txt",
    "head -n5 a.txt",
    "ls 2>&1 | wc -l",
    "cat './-x'",
    'printf "%s: 100%% new\\n" a',
    'printf "50% new\\n"',
    "grep -- -x a.txt",
    "cat .env.example",
    "while true; do sleep 1; done",
    "if [ -d src ]; then ls src; else echo no; fi",
    "for i in 1 2 3; do echo $i; done",
    "for f in src/*.ts; do echo file=$f ${f}; done",
    "echo a$i $f/x $?",
    "git --no-pager log -3 | cat",
    "grep /etc/passwd a.txt",
    "find -L a* -type f -newermt 2020-01-01",
    "find src -newer a.txt",
    "sed s/a/b/ a.txt",
    "sed -E 's/(a+)\\s/\\1/g; /^#/d' a.txt src/*.txt",
    "sed -e s/a/b/ -e '$!N' a.txt",
    "sed -e 's/[[:space:]]*$//' -e '/^[^[:upper:]_]*#/d' a.txt",
    "git branch | sed 's/^..//'",
    "git blame -L '/foo/,+5' a.txt",
    "sed -n '/^[[:space:]]*x/p' a.txt",
    "git config user.email",
    "git config --global user.name",
    "node -v",
    "java -version 2>&1",
    "awk -F , '{print $1}' a.txt",
    "date -d yesterday +%F",
    "jq --indent 2 --arg a b .a a.txt",
    "jq . src/*.json",
    "timeout 5 stdbuf -oL -eL ls",
    '[ "$X" = y ] && test -n "$X"',
    "[ a != ~ ]",
  ])("%j", async (command) => {
    expect(await run(command)).toBe("allow");
  });
});

describe("a line of several commands", () => {
  test("is judged part by part, and is denied if one part is denied", async () => {
    const rules: Setup = { allow: ["Bash(npm test *)", "Bash(npm run build)"] };
    expect(await run("npm run build && npm test -- -t x 2>&1 | tail -20", rules)).toBe("allow");
    expect(await run("npm run build && npm publish", rules)).toBe("ask");
    expect(await run("npm test > out.txt", rules)).toBe("ask");
    expect(await run("npm test > out.txt", { ...rules, mode: "acceptEdits" })).toBe("allow");
    expect(await run("npm test > .git/hooks/pre-commit", { ...rules, mode: "acceptEdits" })).toBe("ask");
    expect(await run("X=1 npm test x", rules)).toBe("ask");
    expect(await run("npm test && curl x", { ...rules, deny: ["Bash(curl *)"] })).toBe("deny");
    expect(await run("cat src/x.ts && npm test", { ...rules, deny: ["Read(src/**)"] })).toBe("deny");
    expect(await run("cd src && cat x.ts", { deny: ["Read(src/**)"] })).toBe("deny");
    expect(await run("grep -r x .", { deny: ["Read(src/**)"] })).toBe("ask");
    expect(await run("cat */*", { deny: ["Read(src/**)"] })).toBe("deny");
    expect(await run("cat a*", { deny: ["Read(src/**)"] })).toBe("allow");
    expect(await run("rg x", { deny: ["Read(src/**)"] })).toBe("ask");
    expect(await run("diff . ../repo", { deny: ["Read(src/**)"] })).toBe("ask");
    expect(await run("ls | rg x", { deny: ["Read(src/**)"] })).toBe("allow");
    expect(await run("rg x a.txt", { deny: ["Read(src/**)"] })).toBe("allow");
  });

  test("is not covered by a rule for git if it changes folders first", async () => {
    const rules: Setup = { allow: ["Bash(git commit *)", "Bash(npm test *)"] };
    expect(await run("git commit -m x", rules)).toBe("allow");
    expect(await run("cd src && npm test x", rules)).toBe("allow");
    for (const command of [
      "cd src && git commit -m x",
      "cd src; npm test x; git commit -m x",
      "cd .. && git commit -m x",
    ])
      expect(await run(command, rules), command).toBe("ask");
  });

  test("presumes no harmless program if the allow rules list only such programs", async () => {
    expect(await run("false || ls", { allow: ["Bash(false *)"] })).toBe("ask");
    expect(await run("ls", { allow: ["Bash(false *)"] })).toBe("allow");
    expect(await run("git log | head", { allow: ["Bash(git *)"] })).toBe("allow");
    expect(await run("echo hi; ls", { allow: ["Bash(echo *)", "Bash(npm test *)"] })).toBe("allow");
  });

  test("may make, copy and move files in acceptEdits mode, as far as edits may", async () => {
    const mode = "acceptEdits" as const;
    for (const command of [
      "mkdir -p src/a/b",
      "touch x y",
      "cp a.txt b.txt",
      "mv a.txt src/",
      "cp a.txt src/ && mkdir z",
      "mv .env.local .env",
      "mv a.pem src/",
      "rm -f a.txt",
      "timeout 5 nohup nice -n 5 cp a.txt b.txt",
      "NO_COLOR=1 NODE_ENV=test mkdir y",
    ])
      expect(await run(command, { mode }), command).toBe("allow");
    for (const command of [
      "mkdir /tmp/x",
      "cp -r a b",
      "mv x .git",
      "mv .env notes.txt",
      "mv .env src",
      "mv .ssh/config src/",
      "cp evil/.mcp.json .",
      "mv a.txt ../b",
      "touch up/x",
      "cp /etc/passwd .",
      "mv -t .git x",
      "touch $X",
      "rm -rf src",
      "rm *.txt",
      "rm ../b",
      "rm up/x",
      "rm .git/config",
      "time nice mv evil/.mcp.json .",
      "PATH=. touch x",
      "ls | xargs touch x",
    ])
      expect(await run(command, { mode }), command).toBe("ask");
    expect(await run("mkdir x")).toBe("ask");
  });
});

describe("git in a folder that would run something", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(place.root, "git-"));
    repository(".git");
    mkdirSync(join(folder, "sub"));
  });
  const repository = (at: string) => {
    for (const name of ["objects", "refs"]) mkdirSync(join(folder, at, name), { recursive: true });
    writeFileSync(join(folder, at, "HEAD"), "ref: refs/heads/main\n");
  };
  const config = (text: string, at = ".git/config") => writeFileSync(join(folder, at), text);

  test("is asked about because of its configuration, a submodule's or a work tree's", () => {
    config("[core]\n\tbare = false\n\tfsmonitor = false\n[user]\n name = x\n[alias] \n");
    expect(gitDoubt(join(folder, "sub"))).toBeUndefined();
    config('[core]\n\tfsmonitor = "./evil"\n');
    expect(gitDoubt(join(folder, "sub"))).toMatch(/core\.fsmonitor/u);
    config("[core]\n");
    mkdirSync(join(folder, ".git/modules/a/b"), { recursive: true });
    writeFileSync(join(folder, ".git/modules/a/b/HEAD"), "");
    config('[filter "x"]\n\tclean = evil\n', ".git/modules/a/b/config");
    expect(gitDoubt(folder)).toMatch(/filter\.x\.clean/u);
    rmSync(join(folder, ".git"), { recursive: true });
    config("gitdir: ../elsewhere\n", ".git");
    repository("../elsewhere");
    writeFileSync(join(place.root, "elsewhere/config"), "[include]\n path = x\n");
    expect(gitDoubt(folder)).toMatch(/include\.path/u);
  });

  test("is asked about if plain files pose as a repository, or if .git is no repository", () => {
    for (const name of ["objects", "refs"]) mkdirSync(join(folder, "sub", name));
    writeFileSync(join(folder, "sub/HEAD"), "");
    expect(gitDoubt(join(folder, "sub"))).toMatch(/without a working tree/u);
    rmSync(join(folder, ".git"), { recursive: true });
    symlinkSync("/tmp", join(folder, ".git"));
    expect(gitDoubt(folder)).toMatch(/not a plain repository/u);
  });

  test("is asked about because of a hook that runs when git only reads", () => {
    mkdirSync(join(folder, ".git/hooks"));
    writeFileSync(join(folder, ".git/hooks/post-index-change"), "");
    expect(gitDoubt(folder)).toMatch(/would run/u);
  });

  test.each([
    ['[Diff "X"]\n TextConv = a', "diff.x.textconv"],
    ["[core]\n pager=less", "core.pager"],
    ['[remote "origin"]\n promisor', "remote.origin.promisor"],
    ['[remote "x"]\n partialCloneFilter = blob:none', "remote.x.partialclonefilter"],
    ['[hook "x"]\n event = post-index-change\n command = ./x', "hook.x.event"],
    ["[core] hooksPath = x", "core.hookspath"],
    ["[pager]\n log = x", "pager.log"],
    ["[core]\n abbrev = 7 \\\n[core]\n fsmonitor = x", "core.fsmonitor"],
    ["\ufeff[gpg]\nprogram = x", "gpg.program"],
    ['[gpg "ssh"]\nprogram = x', "gpg.ssh.program"],
    ['[includeIf "gitdir:/"]\npath=x', "includeif.gitdir:/.path"],
    ["[alias]\n log = !x", "alias.log"],
    ["???", '"???"'],
    // A backslash at the end of a comment continues nothing.
    ["[user]\n# said \\\n[core]\nfsmonitor = x", "core.fsmonitor"],
    ["[user]\nname = a ; said \\\n[core]\nfsmonitor = x", "core.fsmonitor"],
    ['[user]\nname = "a # b" \\\n c\n[core]fsmonitor', "core.fsmonitor"],
  ])("is detected: %j names %s", (text, key) => {
    expect(runningKey(text)).toContain(key);
  });

  test("is not asked about for a configured commit hook, although that makes a new repository harmful", () => {
    const text = '[hook "lint"]\n event = pre-commit\n command = ./lint';
    expect(runningKey(text)).toBeUndefined();
    expect(runningKey(text, "all")).toBe("hook.lint.event");
  });
});

describeVectors<{ vectors: { text: string }[] }>("bash_syntax", ({ vectors }) => {
  test("every test text is read to its end, and a growing text takes no more than linear time", () => {
    for (const { text } of vectors) {
      parseShell(text);
      readCommand(text);
    }
    expect(vectors.length).toBeGreaterThan(400);
    const opening = ["$(", "`", "((", "{", "<(", "'", '"$(', "${x:-", "<<E\n", "$((", "[[ ", "a=(", "{a,"];
    const units = [...opening, "a|", "if x; then ", "case x in (", "a b "];
    for (const unit of units) {
      const short = shortest(unit.repeat(Math.floor(1_250 / unit.length)));
      const long = shortest(unit.repeat(Math.floor(10_000 / unit.length)));
      // Eight times as long: far from 64 times as slow.
      expect(long, unit).toBeLessThan(30 * short + 30);
    }
  });

  test("expanding nested braces takes no longer than reading the word", () => {
    const nested = "{a,".repeat(20_000) + "}".repeat(20_000);
    const taken = shortest(nested, (text) => void withoutBraces(text));
    expect(taken).toBeLessThan(shortest(`cp ${nested}`) + 30);
  });

  function shortest(
    text: string,
    read = (each: string): void => {
      parseShell(each);
      readCommand(each);
    },
  ): number {
    return Math.min(
      ...[1, 2, 3].map(() => {
        const start = process.cpuUsage();
        read(text);
        return process.cpuUsage(start).user / 1_000;
      }),
    );
  }
});
