// Guarded files, and commands that reach them without naming them. Uses the real programs, so that each case is real; since these take
// long, `npm test` runs only some of the lines, and the wide tests run all.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { byTestDepth } from "../support/test-depth.ts";
import { bash, call, make, makePlace, type Place, type Setup } from "./support.ts";

let place: Place;
let seed: string;
const name = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@x", GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@x" };

function run(command: string, cwd: string): string {
  const env = { PATH: process.env["PATH"], HOME: place.home, GIT_CONFIG_NOSYSTEM: "1", ...name };
  return execFileSync("bash", ["-c", `{ ${command}\n} 2>&1 </dev/null || true`], { cwd, encoding: "utf8", env });
}

/** In a folder of its own, as some of them leave little behind. */
function shown(command: string): string {
  rmSync(place.cwd, { recursive: true, force: true });
  cpSync(seed, place.cwd, { recursive: true });
  return run(command, place.cwd);
}

beforeAll(() => {
  place = makePlace();
  seed = join(place.root, "seed");
  for (const folder of ["src", "keep", "secrets", "lib"]) mkdirSync(join(seed, folder), { recursive: true });
  for (const file of [".env", "secrets/a"]) writeFileSync(join(seed, file), "TOP-SECRET\n");
  for (const file of ["keep/a", "keep/b"]) writeFileSync(join(seed, file), "keep\n");
  for (const file of ["src/a.ts", "lib/c.ts"]) writeFileSync(join(seed, file), "code\n");
  writeFileSync(join(seed, "list"), ".env\nsecrets/a\n");
  writeFileSync(join(seed, "change"), "--- a/keep/a\n+++ b/keep/a\n@@ -1 +1 @@\n-keep\n+gone\n");
  writeFileSync(join(seed, "other"), "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-code\n+gone\n");
  // In few files, as it is copied for every command.
  run("git init -q --template= -b main; git add -A; git commit -qm first; git repack -adq", seed);
  cpSync(seed, place.cwd, { recursive: true });
});
afterAll(() => place.remove());

const reading: Setup = { deny: ["Read(.env)", "Read(secrets/**)"], allow: ["Bash"] };
const bypass = "bypassPermissions" as const;

/** What goes through a folder, and what a word becomes only in the shell. */
const printing = [
  "grep -r SECRET .",
  "grep -rn SECRET",
  "grep --rec SECRET .",
  "grep -r --exclude-from other SECRET",
  "grep -d recurse SECRET .",
  "grep -r --include='.*' SECRET .",
  "cd src && grep -r SECRET ..",
  'cd "$PWD" && grep -r SECRET .',
  "cd . && tar -cf - .",
  "cd src/.. && grep -r SECRET",
  'D=.; grep -r SECRET "$D"',
  "find . -type f -exec cat {} +",
  "find . -name '.e*' -exec head {} \\;",
  "find . -type f -name '*.ts' -o -name '*env' -exec cat {} \\;",
  "find . -type f -exec cat {} + -name x",
  "git ls-files '*nv' | xargs cat",
  "git ls-files 'sec*' | xargs cat",
  "find . -type f | xargs cat",
  "find . -name '*v' | sort | head -5 | xargs cat",
  "find . -name '*v' | sed s/x/y/ | xargs cat",
  "find . -type f -exec sh -c 'cat \"$1\"' _ {} \\;",
  "ls -A | xargs -I{} head {}",
  "git ls-files | xargs cat",
  "grep -rl SECRET . | xargs cat",
  "printf .e%s nv | xargs cat",
  "xargs cat < list",
  "xargs -a list cat",
  'while read -r f; do cat "$f"; done < list',
  "cat list | while read -r f; do cat $f; done",
  "for f in $(ls -A); do cat $f; done",
  'for f in .e*; do cat "$f"; done',
  "tar -cf - .",
  "tar -T list -cf -",
  "tar -C secrets -cf - a",
  "cp -r . ../copy; cat ../copy/.env; rm -r ../copy",
  "cp -r secrets x; cat x/a",
  "diff -rN . lib",
  "diff -N secrets src",
  "git grep SECRET",
  "git grep --no-index SECRET",
  "cd secrets && git grep SECRET",
  "git archive HEAD | tar -xO",
  "git format-patch --root --stdout",
  "git diff --no-index /dev/null .env",
  "ln -s secrets x; cat x/a",
  "ln -s . x; cat x/.env",
  "cd sec*; cat a",
  "pushd secrets; cat a",
  "D=.en; cat ${D}v",
  'X=.env; cat "$X"',
  "A=.e B=nv; cat $A$B",
  "X='.env x'; cat $X",
  'a=(.env x); cat "${a[@]}"',
  "cat {.env,x}",
  "cat .e{n,x}v",
  "cat .e${unset}nv",
  "false && z=x; cat .e${z}nv",
  "(z=x); cat .e${z}nv",
  "z=x & cat .e${z}nv",
  "cat .e${z}nv; z=x",
  "cat .en$(echo v)",
  "date() { echo .env; }; cat $(date)",
  'set -- .e nv; cat "$1$2"',
  'f() { cat "$1"; }; f .env',
  "printf -v x .env; cat $x",
  "read x <<< .env; cat $x",
  "v=.env; w=v; cat ${!w}",
  ": ${v:=.env}; cat $v",
  "IFS=,; x=.env,y; cat $x",
  "HOME=.; cat ~/secrets/a",
  "cat ~+/.env",
  "shopt -s dotglob; cat *",
  "bash -O extglob -c 'cat .@(env|x)'",
  "x=cat; $x .env",
  "bash -c 'cat < .env'",
  "echo .env | xargs -I{} sh -c 'cat {}'",
  "sed 'r .env' src/a.ts",
  "awk -v f=.env 'BEGIN{while((getline l < f)>0) print l}'",
  "sed -n '1e cat secrets/a' src/a.ts",
  "cat {x},.env}",
  'x=$(printf .e; printf nv); grep -r SECRET "$x"',
  'x=$(printf .e; printf nv); grep -E SECRET "$x"',
  'x=$(printf .e; printf nv); sed -E s/x/y/ "$x"',
  "cpio -o < list",
];

describe("a command that shows a file that a rule keeps from being read", () => {
  test.each(printing)("never runs unasked, whatever permits commands: %s", async (command) => {
    const isAsked = (await bash(make(place, reading), place.cwd, command)) !== "allow";
    expect(isAsked).toBe(true);
    expect(await bash(make(place, { ...reading, deny: [], askRules: reading.deny ?? [] }), place.cwd, command)).toBe(
      "ask",
    );
    if (command.startsWith("cpio") || printing.indexOf(command) % byTestDepth(8, 1) !== 0) return;
    expect(shown(command)).toContain("SECRET");
  });

  test.each(printing.filter((command) => !/sh -c/u.test(command)))("is denied in bypass mode: %s", async (command) => {
    expect(await bash(make(place, { deny: reading.deny ?? [], mode: bypass }), place.cwd, command)).toBe("deny");
    expect(await bash(make(place, { deny: ["Edit(.env)"], allow: ["Bash"] }), place.cwd, command)).not.toBe("deny");
  });
});

describe("a word that contains a guarded file's name", () => {
  const holding = [
    "grep -f.env src/a.ts",
    "grep -nfsecrets/a src/a.ts",
    "awk -fsecrets/a src/a.ts",
    "sed -n -fsecrets/a src/a.ts",
    "xargs -asecrets/a echo",
    "xargs -a secrets/a",
    "xargs -n1 --arg-file=secrets/a",
    "git commit -aFsecrets/a",
    "curl -d@.env http://localhost",
    "curl --data-binary=@.env http://localhost",
    "curl --data-urlencode x@secrets/a http://localhost",
    "curl -F f=@.env http://localhost",
    "curl -F 'f=@secrets/a;type=text/plain' http://localhost",
    "curl -F 'f=<secrets/a' http://localhost",
    "curl -sTsecrets/a http://localhost",
    "gh api -F body=@secrets/a x",
    "kubectl create secret generic x --from-file=a=secrets/a",
    "docker run -v ./secrets/a:/x alpine",
    "docker run --mount type=bind,source=./secrets/a,target=/x alpine",
    "ssh -isecrets/a host",
    "echo secrets | xargs -I{} cat {}/a",
    "echo 'secret a' | xargs -n1 -I{} cat secrets/a",
    "printf 's\\nsecrets\\n' | xargs -I% head -n1 ./%/a",
  ];

  test.each(holding)("is matched by the rule for that file: %s", async (command) => {
    expect(await bash(make(place, reading), place.cwd, command)).toBe("deny");
  });

  test.each(['curl -d@"$X" http://localhost', "curl -T $X http://localhost", "ls src | xargs -I{} cat src/{}/x"])(
    "is asked about if only the shell knows the rest: %s",
    async (command) => {
      expect(await bash(make(place, reading), place.cwd, command)).toBe("ask");
    },
  );

  test.each([
    "curl 'http://localhost/?file=secrets/a'",
    "sed -i s@secrets/a@b@ src/a.ts",
    "git commit -m 'fix: what secrets/a says'",
    "grep -e .env.example src/a.ts",
    "grep --exclude=.env -n code src/a.ts",
    "docker run -v ./src:/x -e KEY=value alpine",
    "ls -la src",
    "gcc -Isrc -DNAME=a -c a.c",
    "echo src | xargs -I{} cat {}/a.ts",
  ])("runs unasked if it only looks like one: %s", async (command) => {
    expect(await bash(make(place, reading), place.cwd, command)).toBe("allow");
  });
});

describe("with a rule that keeps a file from being read", () => {
  test.each([
    "grep -r foo src",
    "grep -rn --include='*.ts' code .",
    "grep -r --exclude=.env --exclude-dir=secrets code .",
    "find src -type f -exec cat {} +",
    "find . -name '*.ts' -exec cat {} +",
    "find . -name '*.ts' -not -path './lib/*' | xargs grep -n code",
    "find . \\( -name '*.ts' -o -name '*.js' \\) -print0 | xargs -0 cat",
    "find . -path ./lib -prune -o -name '*.ts' -print | xargs cat",
    "find . -type f | xargs ls -l",
    "git ls-files '*.ts' | xargs cat",
    "ls src | xargs -I {} echo {}.bak",
    "git ls-files src | xargs cat",
    "git ls-files '*.ts'",
    "tar -cf x.tar src lib",
    "cp -r src lib/x",
    "diff -r src lib",
    "git grep code src",
    "git log --oneline",
    "git status -uno",
    "git status -su",
    "git status --untracked-files=all",
    "command -v rg >/dev/null && echo yes",
    "git diff -- src",
    "git show HEAD:src/a.ts",
    "git stash list",
    "D=src; cat $D/a.ts",
    'for f in src/*; do cat "$f"; done',
    "cat src/{a,b}.ts",
    'cat "$(git rev-parse --show-toplevel)/src/a.ts"',
    'T=$(mktemp); echo x > "$T"; cat "$T"',
    'echo "$UNKNOWN"',
    'grep "$UNKNOWN" src/a.ts',
    'head -n "$N" src/a.ts',
    'git commit -m "$(cat src/a.ts)"',
    "ls -R .",
    "npm test",
    "sh script.sh",
    "cat *",
    "cd src && grep -r code . | head -5",
    "grep -r code src; grep -r code lib",
  ])("a command that reaches other files runs unasked: %s", async (command) => {
    expect(await bash(make(place, reading), place.cwd, command)).toBe("allow");
    expect(await bash(make(place, { deny: reading.deny ?? [], mode: bypass }), place.cwd, command)).toBe("allow");
  });

  test("the question names the file that is read and the rule that guards it", async () => {
    const message = async (command: string, setup: Setup) => {
      const decision = await call(make(place, setup), place.cwd, "Bash", { command });
      return decision.behavior === "deny" ? decision.message : "";
    };
    expect(await message("grep -r SECRET .", reading)).toContain(
      '"grep -r SECRET ." reads .env, and the deny rule "Read(.env)"',
    );
    expect(await message("tar -cf - ../repo", reading)).toContain("reads ../repo/.env");
    expect(await message('cat "$X"', reading)).toContain("which file it reads is known only when it runs");
    run("git rm -q --cached .env", place.cwd);
    expect(await message("grep -r SECRET .", {})).toContain('"grep -r SECRET ." shows .env, which may be secret');
  });
});

const guarding: Setup = { deny: ["Edit(./keep/**)"], allow: ["Bash"] };
// With the mode of the folder: only root may go on below one that may not be read.
const state = (): string =>
  run("ls -ld . | cut -c1-10; chmod u+rwx .; chmod -R u+rwX keep; ls -l keep; cat keep/*", place.cwd);

const changing = [
  "D=keep; echo x > $D/a",
  "D=keep && rm $D/a",
  'for f in keep/*; do rm "$f"; done',
  "echo keep/a > l; while read -r f; do rm $f; done < l",
  "echo keep/a | xargs rm",
  "echo keep | xargs -I{} rm {}/a",
  "find . -name a -delete",
  "find . -delete -name nothing",
  "find . -type f -exec rm {} +",
  "find . -type f | xargs rm",
  "find . -name a | xargs -I{} sh -c 'rm {}'",
  "find . -type f -exec sed -i s/keep/x/ {} +",
  "grep -rl keep . | xargs sed -i s/keep/x/",
  "git ls-files keep | xargs rm",
  "rm keep/{a,b}",
  "rm -rf {keep,x}",
  "rm -rf k*",
  "mv k* x",
  "cd k*; rm a",
  "D=keep; cd $D; rm a",
  "ln -s keep x; rm x/a",
  "ln -s ../keep lib/x; echo y > lib/x/a",
  "ln keep/a x; echo y > x",
  "bash -c 'echo x > keep/a'",
  "bash -c 'f=keep; rm $f/a'",
  "env -C keep rm a",
  "cp -r lib/. keep",
  "mkdir y y/keep; echo z > y/keep/a; cp -r y/. .",
  "rsync -a --delete lib/ .",
  "git stash -q; git rm -rq keep; git stash drop -q",
  "rm -rf src; echo x > keep/a; git checkout .",
  "echo x >> keep/a; git reset -q --hard",
  "git apply change",
  "git $NONE apply change",
  "cat change | git apply",
  "patch -p1 < change",
  "timeout 9 patch -p1 < change",
  "env -i git -C . apply change",
  "git --git-dir .git --work-tree . apply change",
  "git apply <<'X'\n--- a/keep/a\n+++ b/keep/a\n@@ -1 +1 @@\n-keep\n+gone\nX",
  "chmod -R a-r .",
  "sed -n 'w keep/a' src/a.ts",
  "awk '{print > \"keep/a\"}' src/a.ts",
  "uniq src/a.ts keep/a",
  "split -b1 src/a.ts keep/",
  "curl -s file://$PWD/src/a.ts --output-dir keep -o a",
  'o=keep/a; cat src/a.ts > "$o"',
  'f() { rm "$1"; }; f keep/a',
  "printf -v D keep; rm $D/a",
  "x='rm keep/a'; $x",
  "r=r; ${r}m keep/a",
  "find lib -fprint keep/a",
  "find . -maxdepth 1 -name 'k*' -exec rm -rf {} \\;",
  "ls | xargs rm -rf",
  "sed --in-place -e s/keep/x/ -- keep/a",
  "ln -s keep x; find x/ -type f -delete",
  "cp -l keep/a x; echo y > x",
  'awk \'{print > "keep/" "a"}\' src/a.ts',
  "gzip -k keep/a",
  "mkdir keep/sub; touch keep/sub/x; ln -s keep/sub x; rm x/../a",
];

test.each([
  "zip x.zip . -x foo -r",
  "zip -x foo @ x.zip -r .",
  "zip x.zip -i '*' -r .",
  "zip --recurse-patterns x.zip '*'",
  "zip -r x.zip . -x '.e*' secrets",
  "zip -r x.zip . -x '*.env' '*secrets'",
  "zip -r x.zip . -P -x '*'",
  "zip -ws -r x.zip . -x '*'",
  "rsync -d ./ there/",
  "rsync --old-dirs ./ there/",
  "rsync -a --exclude '.env' --exclude secrets --exclude '!' . there",
  "rsync -F -a --exclude '.e*' --exclude secrets . there",
  "git ls-files --other | xargs cat",
  "git ls-files -co -- '.e*' | xargs cat",
])("a command that goes through a folder because of its options is asked about: %s", async (command) => {
  expect(await bash(make(place, reading), place.cwd, command)).toBe("ask");
});

test.each(["zip -r x.zip . -x '.e*' -x 'sec*' -q", "zip -rq x.zip . -x '*.git*' '*.env*' '*ecrets/*'"])(
  "a folder walk that leaves the guarded files out is allowed: %s",
  async (command) => {
    expect(await bash(make(place, reading), place.cwd, command)).toBe("allow");
  },
);

test("a line built to be slow is still judged, and is asked about beyond the limit", async () => {
  const lines = [
    `cat ${"{a,b}".repeat(1_900)}`,
    `cat ${"{a,".repeat(1_500)}${"}".repeat(1_500)}`,
    `${Array.from({ length: 500 }, (_, index) => `v${index + 1}=$v${index}$v${index}`).join(";")};cat $v500`,
    `for f in ${Array.from({ length: 1_000 }, (_, index) => `f${index}`).join(" ")}; do cat $f$f; done`,
    `find . ${Array.from({ length: 300 }, (_, index) => `-name x${index} -exec cat {} \\;`).join(" -o ")}`,
  ];
  for (const line of lines) {
    const before = process.cpuUsage();
    expect(await bash(make(place, reading), place.cwd, line)).toBe("ask");
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000);
  }
  const links = Array.from({ length: 30 }, (_, index) => `ln -s l${index} l${index + 1}`).join("; ");
  expect(await bash(make(place, reading), place.cwd, `${links}; ln -s secrets l0; cat l30/a`)).toBe("ask");
});

test("a guarded file is found however many folders, words and files a line names", async () => {
  const many = join(place.cwd, "many");
  const names = Array.from({ length: 250 }, (_, index) => `${100 + index}`);
  for (const each of names) mkdirSync(join(many, each), { recursive: true });
  const folders = names.map((each) => `many/${each}`);
  for (const each of names) writeFileSync(join(many, `${each}.txt`), "");
  symlinkSync("../secrets/a", join(many, "z.txt"));
  const asked = (command: string) => bash(make(place, reading), place.cwd, command);
  expect(await asked(`sometool ${folders.slice(0, 30).join(" ")} secrets a`)).toBe("deny");
  expect(await asked("sometool many/*/ secrets a")).toBe("deny");
  expect(await asked(`sometool secrets '${names.slice(0, 120).join(",")},a'`)).toBe("deny");
  expect(await asked("sometool many/*.txt")).toBe("deny");
  expect(await asked("sometool many/1*/ src a.ts")).toBe("allow");
  expect(await asked(`sometool ${folders.join(" ")}`)).toBe("ask");
  rmSync(many, { recursive: true });
});

describe("with a rule that keeps a file from being changed,", () => {
  test.each(changing)("a command that changes it never runs unasked: %s", async (command) => {
    expect(await bash(make(place, guarding), place.cwd, command)).not.toBe("allow");
    expect(await bash(make(place, { deny: guarding.deny ?? [], mode: bypass }), place.cwd, command)).toBe("deny");
    if (/^(?:git stash|rsync|curl|rm -rf src|echo x >>)/u.test(command)) return;
    if (changing.indexOf(command) % byTestDepth(8, 1) !== 0) return;
    shown("true");
    const before = state();
    run(command, place.cwd);
    expect(state()).not.toBe(before);
    shown("true");
  });

  test("git clean is asked about only if it would remove such a file", async () => {
    shown("true");
    for (const command of ["git clean -fd", "git clean -xf"]) {
      expect(await bash(make(place, guarding), place.cwd, command), command).toBe("allow");
      writeFileSync(join(place.cwd, "keep/new"), "");
      expect(await bash(make(place, guarding), place.cwd, command), command).toBe("ask");
      rmSync(join(place.cwd, "keep/new"));
    }
    shown("true");
  });

  test("git stash and a forced git add are asked about only if such an untracked file exists", async () => {
    const deny = ["Edit(keep/new)"];
    shown("echo keep/newest > .gitignore; touch keep/new keep/newest");
    for (const command of ["git stash -u", "git stash push --inc -m x"])
      expect(await bash(make(place, { ...guarding, deny }), place.cwd, command), command).toBe("ask");
    const ignored = { ...guarding, deny: ["Edit(keep/newest)"] };
    expect(await bash(make(place, ignored), place.cwd, "git stash -u")).toBe("allow");
    expect(await bash(make(place, ignored), place.cwd, "git stash -a")).toBe("ask");
    expect(await bash(make(place, ignored), place.cwd, "git stash")).toBe("allow");
    const read = { ...guarding, deny: ["Read(keep/newest)"] };
    for (const command of [
      "git add -f .",
      "git add --force keep",
      "git stage -Af",
      "git add -f '*est'",
      "git add -f :/",
    ])
      expect(await bash(make(place, read), place.cwd, command), command).toBe("ask");
    for (const command of ["git add -A", "git add -f '*.ts'", "git add -f src/*"])
      expect(await bash(make(place, read), place.cwd, command), command).toBe("allow");
    shown("true");
  });

  test.each([
    "git stash",
    "git reset --hard",
    "git reset --har",
    "git reset --ke HEAD",
    "git restore .",
    "git checkout HEAD -- .",
    "find . -delete",
  ])("%s is asked about, and denied in bypass mode", async (command) => {
    expect(await bash(make(place, guarding), place.cwd, command)).toBe("ask");
    expect(await bash(make(place, { deny: guarding.deny ?? [], mode: bypass }), place.cwd, command)).toBe("deny");
  });

  test.each(["git pull", "git merge x", "git rebase main", "git switch x", "git checkout x", "git cherry-pick x"])(
    "%s is asked about, but runs in bypass mode",
    async (command) => {
      expect(await bash(make(place, guarding), place.cwd, command)).toBe("ask");
      expect(await bash(make(place, { deny: guarding.deny ?? [], mode: bypass }), place.cwd, command)).toBe("allow");
    },
  );

  test.each([
    "D=lib; rm $D/c.ts",
    'for f in lib/*; do rm "$f"; done',
    "find lib -delete",
    "find . -name '*.ts' -delete",
    "find src -type f -exec sed -i s/a/b/ {} +",
    'sed -i "s/$OLD/$NEW/" src/a.ts',
    "rm -rf lib",
    "cp -r keep x",
    "cp -r lib/. .",
    "grep -r x keep",
    'cat "$UNKNOWN"',
    "ln -s keep x",
    "ln -s keep x; cat x/a",
    "git apply other",
    "patch -p1 < other",
    "npm version patch",
    "kubectl patch deploy a -p '{}'",
    "grep -rn patch src",
    "git commit -m apply",
    "git branch am",
    "git restore src/a.ts",
    "git reset --soft HEAD",
    "git switch -c x",
    "git checkout -b x",
    "git clean -n",
    "git stash list",
    "git diff",
    "git add -A",
    "npm install",
    'T=$(mktemp -d); cd "$T" && touch a',
  ])("a command that changes other files runs unasked: %s", async (command) => {
    shown("true");
    expect(await bash(make(place, guarding), place.cwd, command)).toBe("allow");
    expect(await bash(make(place, { deny: guarding.deny ?? [], mode: bypass }), place.cwd, command)).toBe("allow");
  });
});
