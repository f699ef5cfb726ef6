// What git creates or shows because of its words alone. Uses the real git.
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
const run = (command: string, cwd = place.cwd) =>
  execFileSync("bash", ["-c", `${command} 2>&1 </dev/null || true`], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: place.home, GIT_CONFIG_NOSYSTEM: "1", GIT_CEILING_DIRECTORIES: place.root },
  });
beforeAll(() => {
  place = makePlace();
  writeFileSync(join(place.home, ".gitconfig"), "[user]\n\tname = A\n\temail = a@example.com\n");
  for (const name of ["a.txt", ".env"]) writeFileSync(join(place.cwd, name), `SECRET of ${name}\n`);
  run("git init -q -b main; git add -A; git commit -qm first");
});
afterAll(() => place.remove());

test.each(["git tag --format=list made", "git branch --format=contains made"])(
  "%s is asked about, because an option's value is no option that lists",
  async (command) => {
    expect(await bash(make(place), place.cwd, command)).toBe("ask");
    run(command);
    expect(run("git for-each-ref")).toContain("made");
  },
);

test("files that may be secret or that a rule guards are also guarded in a revision", async () => {
  for (const command of ["git show HEAD:.env", "git show :0:.env", "git cat-file -p HEAD:.env"]) {
    expect(await bash(make(place), place.cwd, command), command).toBe("ask");
    expect(await bash(make(place, { deny: ["Read(.env)"] }), place.cwd, command), command).toBe("deny");
    expect(run(command)).toContain("SECRET");
  }
  const search = "git grep --untracked --no-exclude-standard SECRET";
  mkdirSync(join(place.cwd, "sub"));
  for (const command of [search, "cd sub && git grep SECRET :/"]) {
    expect(await bash(make(place, { deny: ["Read(.env)"], allow: ["Bash"] }), place.cwd, command)).toBe("ask");
    expect(run(command)).toContain(".env");
  }
});

test.each([
  "git grep SECRET .env",
  "git grep SECRET -- .env",
  "git grep -e SECRET .env",
  "git grep -n -e SECRET -- ':(top).env'",
  "git grep SECRET HEAD -- .env",
  "git grep SECRET HEAD:.env",
  "git diff-tree -p HEAD -- .env",
  "git diff-index -p HEAD -- .env",
  "git diff-files -p .env",
  "git stash list -p -- .env",
  "git diff -- ':(attr:exclude).env'",
  "git grep SECRET -- ':(top,attr:noexclude).env'",
])("a command like git grep or git diff that reaches a secret file unnamed is asked about: %s", async (command) => {
  expect(await bash(make(place), place.cwd, command)).toBe("ask");
  expect(await bash(make(place, { allow: ["Read(.env)"] }), place.cwd, command)).toBe("allow");
});

test.each([
  "git grep .env",
  "git grep -n '.env' -- src",
  "git grep -e .env a.txt",
  "git ls-files .env",
  "git status .env",
  "git grep x -- ':!.env'",
  "git diff -- ':(exclude).env'",
  "git diff -- ':(icase,exclude).env' ':(exclude,top).env'",
  "git diff -- :/",
])("a name that is only searched for or left out is not asked about: %s", async (command) => {
  expect(await bash(make(place), place.cwd, command)).toBe("allow");
});

test("whether a denied file is ignored or tracked may be asked, but its content may not be read", async () => {
  const decided = (command: string) => bash(make(place, { allow: ["Bash"], deny: ["Read(.env)"] }), place.cwd, command);
  for (const command of ["git check-ignore -v .env", "git ls-files --error-unmatch -- .env", "git ls-files .env; ls"])
    expect(await decided(command), command).toBe("allow");
  for (const command of ["git ls-files .env | xargs cat", "cat $(git ls-files .env)", "git ls-files -c -o -X .env"])
    expect(await decided(command), command).toBe("deny");
});

test("git difftool counts like git diff", async () => {
  const rules = { allow: ["Bash"], deny: ["Read(.env)"] };
  expect(await bash(make(place, rules), place.cwd, "git difftool -y HEAD")).toBe("ask");
  expect(await bash(make(place, rules), place.cwd, "git difftool -y -- a.txt")).toBe("allow");
});

test("git diff outside a repository is judged by the two files it compares", async () => {
  const lone = makePlace();
  mkdirSync(join(lone.root, "outside"));
  symlinkSync("../outside", join(lone.cwd, "link"));
  for (const path of ["repo/a.txt", "repo/.env", "outside/x"]) writeFileSync(join(lone.root, path), `SECRET ${path}\n`);
  for (const command of ["git diff a.txt .env", "git diff a.txt link/x"]) {
    expect(await bash(make(lone), lone.cwd, command), command).toBe("ask");
    expect(run(command, lone.cwd)).toContain("+SECRET");
  }
  lone.remove();
});

test("git commands that only list, compare and show run unasked", async () => {
  for (const command of [
    'git tag -l "v*"',
    "git branch --contains HEAD",
    "git branch --list --format=x y",
    "git diff main...HEAD -- src",
    "git diff -- ':!package-lock.json'",
    "git show HEAD:a.txt",
    "git show main~1:src/a.ts",
    "git grep -n x a.txt",
  ])
    expect(await bash(make(place), place.cwd, command), command).toBe("allow");
});

test("git shows changes only with a path if a rule guards files", async () => {
  const guarded = make(place, { deny: ["Read(.env)"] });
  run("echo 'SECRET two' > .env; echo two > a.txt");
  for (const command of [
    "git diff",
    "git diff HEAD",
    "git diff -- .",
    "git diff --stat -p",
    "git show",
    "git show HEAD",
    "git show HEAD HEAD:a.txt",
    "git log -p",
    "git log -1 --patch",
    "git log -U1 --oneline",
    "git log -Rp",
    "git diff-tree -p --root HEAD",
    "git status -v",
    'git diff -- ":!a.txt"',
    "git --no-pager diff",
    "git cat-file -p 0123abc",
    "cat a.txt; git diff",
    "git stash show -p",
    "git stash list -p",
    "git reflog show -p",
  ]) {
    expect(await bash(guarded, place.cwd, command), command).toBe("ask");
    expect(await bash(make(place), place.cwd, command), command).toBe("allow");
    expect(await bash(make(place, { askRules: ["Read(**/.env)"] }), place.cwd, command), command).toBe("ask");
    expect(await bash(make(place, { deny: ["Read(~/.ssh/**)", "Edit(.env)"] }), place.cwd, command)).toBe("allow");
    expect(await bash(make(place, { deny: ["Read(.env)"], allow: ["Bash"] }), place.cwd, command), command).toBe("ask");
    const mode = "bypassPermissions" as const;
    expect(await bash(make(place, { deny: ["Read(.env)"], mode }), place.cwd, command), command).toBe("allow");
  }
  expect(run("git diff")).toContain("SECRET two");
  for (const command of ["git show", "git log -p", "git stash show -p"])
    expect(await bash(make(place, { deny: ["Read(gone.txt)"] }), place.cwd, command), command).toBe("ask");
  for (const command of ["git cat-file --batch < a.txt", "git rev-list --objects --all | git cat-file --batch"])
    expect(await bash(make(place, { deny: ["Read(.env)"], allow: ["Bash"] }), place.cwd, command), command).toBe("ask");
  for (const command of [
    "git diff a.txt",
    "git diff HEAD -- a.txt",
    "git show HEAD:a.txt",
    "git show HEAD -- a.txt",
    "git log -p a.txt",
    "git log -L1,1:a.txt",
    "git diff --stat",
    "git diff --name-only HEAD",
    "git show -s HEAD",
    "git show --stat",
    "git log --oneline -5",
    "git status",
    "git cat-file -t HEAD",
  ])
    expect(await bash(guarded, place.cwd, command), command).toBe("allow");
  for (const command of ["git diff .env", "git diff -- a.txt .env", "git log -L1,1:.env", "git log -L 1,1:.env"])
    expect(await bash(guarded, place.cwd, command), command).toBe("deny");
  expect(await bash(make(place), place.cwd, "git log -L1,1:.env")).toBe("ask");
  expect(run("git log -L1,1:.env")).toContain("SECRET");
});

test("a path does not limit what git shows with --full-diff", async () => {
  for (const command of [
    "git log --full-diff -p a.txt",
    "git log --full-d -p -- a.txt",
    "git show --full-diff -- a.txt",
  ]) {
    expect(await bash(make(place, { deny: ["Read(.env)"], allow: ["Bash"] }), place.cwd, command), command).toBe("ask");
    expect(await bash(make(place, { deny: ["Read(gone.txt)"], allow: ["Bash"] }), place.cwd, command)).toBe("allow");
  }
  expect(run("git log --full-diff -p a.txt")).toContain("SECRET");
});

// Seen: a rule that denied `git commit` let `git -C folder commit` pass.
test.each([
  "git -C . tag made",
  "/usr/bin/git --no-pager -c user.name=B tag made",
  "env git --git-dir=.git --work-tree . tag made",
  'git -C "$PWD" tag made',
])("a rule for git tag finds %s", async (command) => {
  for (const mode of ["default", "bypassPermissions"] as const)
    expect(await bash(make(place, { mode, allow: ["Bash"], deny: ["Bash(git tag *)"] }), place.cwd, command)).toBe(
      "deny",
    );
  expect(await bash(make(place, { allow: ["Bash"], askRules: ["Bash(git tag:*)"] }), place.cwd, command)).toBe("ask");
  run(`${command}; git tag`);
  expect(run("git tag")).toContain("made");
  run("git tag -d made");
});

test("git's own options hide no command, and a rule that names them matches", async () => {
  const rules = { allow: ["Bash"], deny: ["Bash(git tag *)", "Bash(git -C /*)"] };
  expect(await bash(make(place, rules), place.cwd, "git -C tag log")).toBe("allow");
  expect(await bash(make(place, rules), place.cwd, "git -C / log")).toBe("deny");
});

test.each(["git log --source -p", "git log -p --author a.txt", "git diff -l a.txt"])(
  "git's command decides whether an option takes the next word: %s",
  async (command) => {
    const guarded = { deny: ["Read(.env)"], allow: ["Bash"] };
    expect(await bash(make(place, guarded), place.cwd, command)).toBe("ask");
    expect(await bash(make(place, guarded), place.cwd, `${command} -- a.txt`)).toBe("allow");
  },
);

test.each(["git log -p -U src a.txt", "git diff --unified src a.txt", "git diff HEAD~1 -U src a.txt"])(
  "an optional value is only read from the option's own word: %s",
  async (command) => {
    mkdirSync(join(place.cwd, "src"), { recursive: true });
    writeFileSync(join(place.cwd, "src/b.txt"), "SECRET\n");
    run("git add src; git commit -qm more");
    const guarded = { deny: ["Read(src/**)"], allow: ["Bash"] };
    expect(await bash(make(place, guarded), place.cwd, command)).not.toBe("allow");
    expect(await bash(make(place, guarded), place.cwd, command.replace(" src", ""))).toBe("allow");
  },
);

test("a rule for git covers setting the branch that HEAD names", async () => {
  const allow = ["Bash(git:*)"];
  expect(await bash(make(place, { allow }), place.cwd, "git symbolic-ref HEAD refs/heads/x")).toBe("allow");
});

test("links among the names that git lists are followed", async () => {
  for (const folder of ["links", "plain"]) mkdirSync(join(place.cwd, folder));
  writeFileSync(join(place.home, "key"), "SECRET\n");
  symlinkSync("../../home/key", join(place.cwd, "links/one"));
  symlinkSync("../../home", join(place.cwd, "links/home"));
  writeFileSync(join(place.cwd, "plain/a"), "a\n");
  run("git add links/one plain; git commit -qm links");
  const decided = (command: string) =>
    bash(make(place, { deny: ["Read(~/key)"], allow: ["Bash"] }), place.cwd, command);
  for (const command of ["git ls-files links | xargs cat", "git ls-files | xargs cat"]) {
    expect(await decided(command), command).toBe("ask");
    expect(run(`{ ${command}; }`)).toContain("SECRET\n");
  }
  for (const command of ["git ls-files plain | xargs cat", "git ls-files links | xargs wc", "git ls-files | xargs ls"])
    expect(await decided(command), command).toBe("allow");
  expect(await decided("git ls-files links | xargs tool")).toBe("ask");
  run("git rm -q --cached links/one; git add links/home");
  expect(await decided("git ls-files links | xargs cat")).toBe("allow");
  expect(await decided("git ls-files links | xargs grep -r SECRET")).toBe("ask");
});
