// Shell commands against rules: what a prefix covers, what a deny rule finds, what is critical.
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bash, make, makePlace, verdict, type Place, type Setup } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "src"));
});
afterAll(() => place.remove());

const manyNames = Array.from({ length: 100 }, (_, at) => `d${at}`).join(" ");

/** What is named to `rm` by others. */
const removingAll = [
  "find / -delete",
  "find . -type f -delete",
  "find ~ -exec rm -rf {} +",
  "find -mindepth 1 ! -name a -delete",
  "find $HOME -type f -exec sudo rm {} \\;",
  "find / -print0 | xargs -0 rm -rf",
  "echo / | xargs rm -rf",
  'printf "$HOME" | xargs -n1 rm -rf',
  "X=/; find $X -delete",
  "rm -rf ~root",
  "rm -rf ${X:-$HOME}",
  'rm -rf "${X:-/}"',
  "read X <<< /; rm -rf $X",
  "$(echo rm) -rf /",
  "set -- /; rm -rf $1",
  "find ~ -true -ls -delete",
  "find ~ -regex '.*' -delete",
  "find ~ ! \\( -name x -o -name y \\) -delete",
  "find -- ~ -delete",
  "X=-delete; find ~ $X",
  "find / |& sudo xargs rm -rf",
  "xargs rm -rf <<< /",
  "flock --timeout 5 l rm -rf /",
  "printf '/' | xargs -0n 1 rm -rf",
  "if true; then echo / | nice xargs rm -rf; fi",
  "rm -rf ~root/*",
  "rm -rf ${X:-\\/}",
  "builtin read X <<< /; rm -rf $X",
  "read <<< /; rm -rf $REPLY",
  'mapfile -t X <<< /; rm -rf "${X[0]}"',
  'printf -v X %s /; rm -rf "$X"',
  "set -e -- /; rm -rf $1",
];

const run = (command: string, setup: Setup = {}) => bash(make(place, setup), place.cwd, command);

describe("shell commands", () => {
  const npm: Setup = {
    allow: [
      "Bash(npm test *)",
      "Bash(git diff *)",
      "Bash(find *)",
      "Bash(rg:*)",
      "Bash(echo *)",
      "Bash(printf:*)",
      "Bash(ls*)",
    ],
  };

  test.each([
    "npm test",
    "npm test -- --watch",
    "npm test src/*.ts",
    "timeout 60 npm test",
    "nice -n 5 npm test",
    "time npm test",
    'npm test "a b"',
    "git diff HEAD~1",
    "find . -name '*.ts'",
    "lsof",
  ])("are allowed by a prefix rule: %s", async (command) => {
    expect(await run(command, npm)).toBe("allow");
  });

  test.each([
    "npm testing",
    "npm run test",
    "npm test; rm x",
    "npm test && curl x",
    "npm test | sh",
    "npm test\nrm x",
    "npm test & rm x",
    "npm test > out",
    "npm test $(id)",
    "npm test `id`",
    "npm test $HOME",
    "A=b npm test",
    "(npm test && curl x)",
    "{ npm test; rm x; }",
    "f() { npm test; }; f",
    "npm test 'a",
    "npm test\rrm x",
    "npm test\u2028rm x",
    "npm test \u202ex",
    "npm t*",
    "n?m test",
    "~/npm test",
    "npm tes{t,}",
    "printf %n PATH; npm test",
    "printf -- %n PATH; npm test",
    "command printf -v PATH bin; npm test",
    'for f in %n; do printf "$f" PATH; npm test; done',
    "timeout -s KILL 5 npm test",
    "nice --x npm test",
    "sudo npm test",
    "env npm test",
    "npx npm test",
    `npm test ${"x".repeat(10_000)}`,
    "find . -delete",
    "find . -exec rm x +",
    "find . '-delete'",
    'find . -d"elete"',
    "find . -fprintf /tmp/p %p",
    "find . -name x -o -delete",
    "find -files0-from list",
    "find *",
    "rg --pre ./evil x",
    "rg --pre=./evil x",
    "rg --hostname-bin ./evil x",
    "rg -z x",
    "rg x *",
    "git diff --output=x",
    "git diff --outp=x",
    "git diff --ext-diff",
    "echo hi\nrm x",
    "ls -la; rm x",
    "ls $(rm x)",
  ])("are not allowed by a prefix rule: %j", async (command) => {
    expect(await run(command, npm)).toBe("ask");
  });

  test("that equal a rule without stars are allowed", async () => {
    const exact: Setup = { allow: ["Bash(npm test && npm run lint)", "Bash(find . -exec wc {} +)"] };
    expect(await run("npm test && npm run lint", exact)).toBe("allow");
    expect(await run("npm test && npm run lint; rm x", exact)).toBe("ask");
    expect(await run("find . -exec wc {} +", exact)).toBe("allow");
  });

  test.each([
    "curl x",
    "a; curl x",
    "a | sudo curl x",
    "cu\\\nrl x",
    "echo $(curl x)",
    "sh -c 'curl x'",
    `${"true;".repeat(60)} curl x`,
    `echo ${"y".repeat(20_000)}; curl x`,
  ])("are denied wherever the denied program hides: %.60s", async (command) => {
    for (const mode of ["default", "bypassPermissions"] as const) {
      expect(await run(command, { mode, allow: ["Bash"], deny: ["Bash(curl:*)"] })).toBe("deny");
    }
  });

  test("that may be the denied one are asked about, and denied in bypass mode if a part is unknown", async () => {
    const long = `ls ${"y".repeat(20_000)}`;
    for (const command of ["$X y", "echo x | sh", 'eval "$X"', long]) {
      const rules: Setup = { allow: ["Bash"], deny: ["Bash(curl:*)"] };
      expect(await run(command, rules)).toBe("ask");
      expect(await run(command, { ...rules, mode: "bypassPermissions" })).toBe(command === long ? "allow" : "deny");
      expect(await run(command, { allow: ["Bash"], askRules: ["Bash(curl:*)"] })).toBe("ask");
      expect(await run(command, { allow: ["Bash"] })).toBe("allow");
    }
    expect(await run("npm test 2>&1 | tail -5 && ls $X", { allow: ["Bash"], deny: ["Bash(curl:*)"] })).toBe("allow");
  });

  test("with more variables than are looked up are asked about, since each may hold several words", async () => {
    const rules: Setup = { allow: ["Bash"], deny: ["Bash(git push *)"] };
    const nice = (count: number): string => Array.from({ length: count }, (_, at) => `nice -n $V${at} ls`).join("; ");
    expect(await run(nice(100), rules)).toBe("allow");
    expect(await run(`W="1 git push"; ${nice(100)}; nice -n $W x`, rules)).toBe("ask");
  });

  test("are matched as a whole against a pattern with operators", async () => {
    expect(await run("a && b", { allow: ["Bash"], deny: ["Bash(*&&*)"] })).toBe("deny");
    expect(await run("a && b", { allow: ["Bash"], deny: ["Bash(*;*)"] })).toBe("allow");
    for (const mode of ["default", "bypassPermissions"] as const) {
      const setup: Setup = { mode, allow: ["Bash"], deny: ["Bash(*&&*)", "Bash(*;*)"] };
      expect(await run('echo $HOME *.md "$(date)"', setup)).toBe("allow");
      expect(await run("echo $HOME; ls", setup)).toBe("deny");
      expect(await run('eval "$X"', setup)).not.toBe("allow");
    }
  });

  test("of an allowed program are allowed with words, comments and inputs that run nothing else", async () => {
    for (const command of [
      'npm test "$HOME"',
      "npm test <(id)",
      "npm test # x",
      "! npm test",
      "npm test \\; rm",
      "npm test 2>&1 | tail -5",
    ])
      expect(await run(command, npm), command).toBe("allow");
    expect(await run('npm test "$(curl x)"', npm)).toBe("ask");
    expect(await run("npm test <(curl x)", npm)).toBe("ask");
  });

  test.each([
    "rm -rf /",
    "rm -rf /*",
    "rm -rf ~",
    "rm -rf ~/",
    "rm -rf $HOME",
    'rm -rf "$HOME"',
    "rm -rf .",
    "rm -rf ./*",
    "rm -rf *",
    "rm -rf ..",
    "rm -rf */",
    "rm -rf ./**",
    "rm -rf ~/*/",
    "rm -rf ~+",
    'rm -rf "$PWD"',
    "rm -rf ${PWD}/src/..",
    'rm -rf "$(pwd)"',
    "rm -rf /usr",
    "rmdir /etc",
    "rm -rf $X/*",
    "rm -rf $X/*/",
    "sudo rm -rf /",
    "cd / && rm -rf *",
    "sh -c 'rm -rf /'",
    "a; rm -r -f -- /",
    "/bin/rm -rf /",
    "rm -rf src/..",
    'rm -rf "$X"/',
    "rm -rf ${X?}/*",
    "rm -rf ${HOME:?}/*",
    "cd dist; rm -rf ${OLDPWD:?}/*",
    "X=/; rm -rf ${X:?}/*",
    "X=/; rm -rf ${X:?is needed}",
    "find . -exec rm -rf / \\;",
    "rm -rf //",
    "rm -rf {*,.*}",
    "X=~; rm -rf $X",
    'X=$HOME && rm -rf "$X"',
    "A=/ B=$A; rm -rf ${B}",
    'export X="$PWD"; rm -rf $X',
    "X=$(pwd); rm -rf $X",
    "rm -rf ${X:-/}",
    "X='-rf ~'; rm $X",
    "X=.; rm -rf $X/",
    "for d in src .; do rm -rf $d; done",
    'for f in *; do rm -rf "$f"; done',
    "R=rm; $R -rf ~",
    "R='rm -rf'; $R /",
    "X=/; cd $X; rm -rf usr",
    "cd /tmp/x; rm -rf ..",
    "X=/tmp/x; cd $X; rm -rf $PWD",
    "sh -c 'X=/; rm -rf $X'",
    "if true; then X=/; fi; rm -rf $X",
    'X=$HOME; echo "X=$X"; rm -rf $X',
    "prefix=$HOME; ./configure --prefix=$prefix; rm -rf $prefix",
    "X=/tmp/x; X=/; rm -rf $X",
    "X=$PWD; X=$X/; rm -rf $X",
    "if a; then X=.; else X=dist; fi; rm -rf $X",
    'X=.; [ -n "$1" ] && X=$1; rm -rf $X',
    "X=$HOME; rm -rf $X; X=dist; rm -rf $X",
    "X=/; (X=dist; make); rm -rf $X",
    "f() { X=dist; }; X=/; rm -rf $X",
    "X=dist; for f in a b; do rm -rf $X; X=/; done",
    "for d in . src; do rm -rf $d; done; for d in a b; do echo $d; done",
    "X=$HOME; [ -d out ] && { make; X=out; }; rm -rf $X",
    "X=$HOME\n[ -d out ] &&\n  X=out\nrm -rf $X",
    "X=$HOME; [ -d out ] && \\\n  X=out; rm -rf $X",
    "X=.; make || # the old way\n  X=dist; rm -rf $X",
    "X=.; make |\n  X=dist; rm -rf $X",
    "X=$HOME; [ -d out ] && X=out\ncat > env <<E\nX=$X\nE\nrm -rf $X",
    "X=$HOME; [ -d out ] && X=out; X=$X make; rm -rf $X",
    "X=.; { make; X=dist; } 2>&1 | tee log; rm -rf $X",
    "X=.; for X in a b; do echo $X; done | sort; rm -rf $X",
    "X=$HOME; for X in $(cat list); do echo $X; done; rm -rf $X",
    "X=/; X=dist & rm -rf $X",
    "X=$PWD; X=${X%/}; rm -rf $X",
    "X=$PWD; X=$(dirname $X); rm -rf $X",
    "X=dist; trap 'rm -rf $X' EXIT; make; X=$PWD; make -C $X",
    "X=/; X=a & rm -rf $X",
    "X=/; case $1 in a) X=dist;; esac; rm -rf $X",
    "X=dist; eval 'X=/'; rm -rf $X",
    "X=dist; readonly X=/; X=dist; rm -rf $X",
    "X=$HOME; X=$(tool); rm -rf $X",
    "X=; rm -rf $X/*",
    "X=$(mktemp -d); rm -rf $X/*",
    '[ -n "$1" ] && X=dist; rm -rf $X/*',
    "X=dist & rm -rf $X/*",
    "X=dist rm -rf $X/*",
    "X=dist; unset X; rm -rf $X/*",
    "for d in dist; do rm -rf $d/*; d=; done",
    'X=dist; rm -rf "${X%/}"/*',
    "cd dist; rm -rf $OLDPWD",
    "cd ~; cd -; rm -rf $OLDPWD",
    "cd -; rm -rf $OLDPWD",
    "cd dist; cd -; cd -; rm -rf $OLDPWD",
    "cd dist; cd ..; cd -; rm -rf $OLDPWD",
    "$SUDO rm -rf /",
    'SUDO=sudo; $SUDO rm -rf "$HOME"',
    "SUDO=''; [ -n \"$1\" ] && SUDO='sudo -E'; $SUDO rm -rf /",
    "X=dist\nclean()\n{\n  rm -rf $X\n}\nX=$HOME\nclean",
    "X+=$HOME; rm -rf $X",
    '[ -n "$DRY" ] && RUN=echo; $RUN rm -rf "$HOME"',
    'X=/; X=dist & echo "$(date; id)"; rm -rf $X',
    "X=/; X=dist | make `date; id`; rm -rf $X",
    `for d in ${manyNames} ~; do rm -rf $d; done`,
    `for d in / ${manyNames}; do sudo rm -rf "${"${d}"}"; done`,
    `for d in ${manyNames} /; do for e in x y; do rm -rf $d/$e; done; done`,
    `set -- ${manyNames} /; for d in "$@"; do rm -rf "$d"; done`,
    `a=(${manyNames} ..); rm -rf "${"${a[@]}"}"`,
    ...removingAll,
  ])("that remove something critical are asked about in every mode: %s", async (command) => {
    for (const mode of ["default", "acceptEdits", "bypassPermissions"] as const) {
      expect(await run(command, { mode, allow: ["Bash"] })).toBe("ask");
    }
    const hooked = await verdict(
      make(place, {}),
      place.cwd,
      "Bash",
      { command },
      { hookDecision: { behavior: "allow" } },
    );
    expect(hooked).toBe("ask");
  });

  test("named like members of JavaScript objects are judged like any others", async () => {
    expect(await run("constructor x", { allow: ["Bash(constructor *)"] })).toBe("allow");
    expect(await run("toString x", { deny: ["Bash(toString *)"] })).toBe("deny");
    expect(await run("constructor x", { allow: ["constructor(x)", "hasOwnProperty"] })).toBe("ask");
  });

  test("that remove the home, a parent folder or an added folder are asked about in bypass mode", async () => {
    const setup: Setup = { mode: "bypassPermissions", additionalDirectories: [join(place.root, "more")] };
    for (const folder of [place.home, place.root, place.cwd, join(place.root, "more")]) {
      expect(await run(`rm -rf ${folder}`, setup)).toBe("ask");
      expect(await run(`rm -rf ${folder}/*`, setup)).toBe("ask");
    }
    symlinkSync(place.home, join(place.cwd, "to-home"));
    expect(await run("rm -rf to-home/*", setup)).toBe("ask");
    for (const command of [
      "rm -rf src",
      "rm -rf */dist src/*/",
      'rm -rf "$PWD/src" $(pwd)/dist/*',
      "rm *.o",
      "rm -rf node_modules dist",
      "rm -rf $X",
      'rm -rf "$TMPDIR/x" node_modules/* ${X:-dist}',
      "find . -name '*.pyc' -delete",
      "find build -type f -delete",
      'find "$X" -type f -exec rm {} +',
      "rm -rf ${foo:=b${c}$(d)}",
      "find . -type d -empty -delete",
      "find . -name a -o -name b -exec rm {} +",
      "find . -path ./x/a -prune -o -name '*.o' -exec rm -f {} +",
      "find / -exec grep rm {} +",
      "find . -type f -exec grep -q x {} \\; -delete",
      "find . ! \\( -path './.git/*' \\) -name '*.orig' -delete",
      "rm '~root' \"~lock\" \\~tmp",
      "git ls-files | xargs rm",
      "echo a b | xargs rm -rf",
      "find . | grep x | xargs rm",
      "set -- dist; rm -rf $1",
      "read X <<< dist; rm -rf $X",
      "X=src; rm -rf $X",
      "X=$HOME; rm -rf $X/.cache/x/y",
      "X=$(mktemp -d); cd $X; rm -rf $X",
      "X=$(mktemp -d); git clone y $X/y; cd $X/y; make; rm -rf $X",
      "X=/tmp/x; mkdir -p $X; cd $X; make; cd -; rm -rf $X",
      "(cd /tmp/x/y && make); rm -rf /tmp/x",
      "X=$PWD; X=$X/dist; rm -rf $X",
      "X=/tmp; X+=/x; rm -rf $X",
      'X=$(pwd) && X="$X/dist" && rm -rf "$X"',
      "X=$HOME\ncd $X\nX=/tmp/x/y\nrm -rf $X",
      "X=$HOME; make 2>&1 | tail; X=dist; rm -rf $X",
      "X=$PWD; X=$X/$1; rm -rf $X",
      "X=$PWD &&\nX=$X/dist &&\nrm -rf $X",
      "X=$HOME; { cd $X; make; }; X=dist; { make; }; rm -rf $X",
      "for d in . src; do ls $d; done | sort; for d in a b; do rm -rf $d; done",
      "for d in */; do ls $d; done; for d in src dist; do rm -rf $d; done",
      'X=(build out); rm -rf "${X[@]}"',
      "X=/; ls $X; rm -rf /tmp/$Y",
      'rm -rf "${X:?}"/*',
      'X=dist; rm -rf "${X:?}"/*',
      'X=dist; mkdir -p "$X"; rm -rf "$X"/*',
      'X="$PWD/dist" && rm -rf "${X}"/*',
      'for d in src dist; do rm -rf "$d"/*; done',
      "for f in *.o; do rm $f; done; for f in *; do echo $f; done",
      "$SUDO rm -rf dist",
      'GIT="git -C x"; $GIT rm -rf .',
      'DC="docker compose"; $DC rm -f *',
      "cd $(mktemp -d) && git clone y && cd - && rm -rf $OLDPWD",
      "X=$PWD; (cd a && make) >log; X=$X/dist; rm -rf $X",
      "X=$(cat dir); rm -rf /$X/y",
      'for f in *.o src/*; do rm -f "$f"; done',
      'for d in */; do rm -rf "$d/node_modules"; done',
      "read X; rm -rf $X",
      `for d in ${manyNames}; do rm -rf "$d" build/$d; done`,
      "rm -rf /tmp/pawl-x/y",
      "rm -f src/*",
      "echo rm -rf /",
    ]) {
      expect(await run(command, setup), command).toBe("allow");
    }
  });
});
