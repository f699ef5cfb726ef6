// Folders in which git runs something while it only reads. Uses the real git, so that each trap is real.
import { execFile, execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
let repo = "";
beforeEach(() => {
  place = makePlace();
  repo = place.cwd;
  writeFileSync(join(place.home, ".gitconfig"), "[user]\n\tname = A\n\temail = a@example.com\n");
  makeRepository(repo);
  writeFileSync(join(place.root, "evil"), `#!/bin/sh\n: > "${join(place.root, "canary")}"\ncat "$@"\n`);
  chmodSync(join(place.root, "evil"), 0o755);
});
afterEach(() => place.remove());

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", args, {
    cwd,
    env: { PATH: process.env["PATH"], HOME: place.home, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: "ignore",
  });

function makeRepository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q");
  writeFileSync(join(folder, "a"), "one\n");
  git(folder, "add", "a");
  git(folder, "commit", "-q", "-m", "first");
}

const monitor = () =>
  `[core]\n\trepositoryFormatVersion = 0\n\tbare = false\n\tfsmonitor = ${join(place.root, "evil")}\n`;

test.each<[string, string[], () => string]>([
  [
    "a common folder that .git names",
    ["status"],
    () => {
      mkdirSync(join(repo, "store"));
      for (const name of ["objects", "refs"]) renameSync(join(repo, ".git", name), join(repo, "store", name));
      writeFileSync(join(repo, "store/config"), monitor());
      writeFileSync(join(repo, ".git/commondir"), "../store\n");
      return repo;
    },
  ],
  [
    "files outside .git that name their common folder",
    ["show"],
    () => {
      const text = `[core]\n\trepositoryFormatVersion = 0\n[diff "x"]\n\ttextconv = ${join(place.root, "evil")}\n`;
      cpSync(join(repo, ".git"), join(repo, "sub/store"), { recursive: true });
      cpSync(join(repo, ".git/HEAD"), join(repo, "sub/HEAD"));
      writeFileSync(join(repo, "sub/commondir"), "store\n");
      writeFileSync(join(repo, "sub/store/config"), text);
      writeFileSync(join(repo, "sub/store/info/attributes"), "* diff=x\n");
      return join(repo, "sub");
    },
  ],
  [
    "a repository in the index with a .git of its own",
    ["status"],
    () => {
      makeRepository(join(repo, "sub"));
      git(repo, "add", "sub");
      writeFileSync(join(repo, "sub/.git/config"), monitor());
      return repo;
    },
  ],
  [
    "the parent of a folder whose .git is not a repository",
    ["status"],
    () => {
      mkdirSync(join(repo, "sub/.git"), { recursive: true });
      writeFileSync(join(repo, ".git/config"), monitor());
      return join(repo, "sub");
    },
  ],
  [
    "a .git file that names its folder by .. after a link",
    ["status"],
    () => {
      mkdirSync(join(repo, "other/below"), { recursive: true });
      symlinkSync("other/below", join(repo, "link"));
      renameSync(join(repo, ".git"), join(repo, "plain"));
      cpSync(join(repo, "plain"), join(repo, "other/plain"), { recursive: true });
      writeFileSync(join(repo, "other/plain/config"), monitor());
      writeFileSync(join(repo, ".git"), "gitdir: link/../plain\n");
      return repo;
    },
  ],
  [
    "the repository that contains a link's target",
    ["status"],
    () => {
      makeRepository(join(repo, "vendor"));
      mkdirSync(join(repo, "vendor/x"));
      symlinkSync("vendor/x", join(repo, "link"));
      writeFileSync(join(repo, "vendor/.git/config"), monitor());
      return join(repo, "link");
    },
  ],
])("%s is detected before git runs what it configures", async (_, args, arrange) => {
  const cwd = arrange();
  expect(await bash(make(place), cwd, `git ${args.join(" ")}`)).toBe("ask");
  git(cwd, ...args);
  expect(existsSync(join(place.root, "canary")), "the trap works").toBe(true);
});

/** A folder that was a submodule until the last commit, with a configuration of its own. */
function forgottenSubmodule(): void {
  makeRepository(join(repo, "sub"));
  git(repo, "add", "sub");
  git(repo, "commit", "-q", "-m", "with it");
  git(join(repo, "sub"), "commit", "-q", "--allow-empty", "-m", "second");
  writeFileSync(join(repo, "sub/a"), "two\n");
  git(join(repo, "sub"), "commit", "-q", "-a", "-m", "third");
  git(repo, "commit", "-q", "-a", "-m", "with a newer one");
  git(repo, "rm", "-q", "--cached", "sub");
  git(repo, "commit", "-q", "-m", "without it");
  git(join(repo, "sub"), "config", "diff.external", join(place.root, "evil"));
}

test.each<[string, boolean]>([
  ["git log -p --submodule=diff", false],
  ["git show --submodule=diff HEAD~1", false],
  ["git diff HEAD~2 HEAD~1", true],
])("diffs of submodules, which git makes in their folders, are asked about: %s", async (line, isSet) => {
  forgottenSubmodule();
  expect(await bash(make(place), repo, "git diff --submodule=log HEAD~2 HEAD~1")).toBe("allow");
  git(repo, "config", "diff.submodule", isSet ? "diff" : "log");
  expect(await bash(make(place), repo, line)).toBe("ask");
  git(repo, ...line.split(" ").slice(1));
  expect(existsSync(join(place.root, "canary")), "the trap works").toBe(true);
});

test.each<[string, string, string]>([
  ["in a folder that an earlier command entered", "vendor/x", "git status"],
  ["behind -C", ".", "git -C vendor/x status"],
  ["behind --git-dir", ".", "git --git-dir=vendor/x --work-tree=. status"],
])("a rule for git does not cover a repository that the project contains: %s", async (_, folder, command) => {
  const store = join(repo, "vendor/x");
  cpSync(join(repo, ".git"), store, { recursive: true });
  writeFileSync(join(store, "config"), `${monitor()}\tworktree = .\n`);
  const rules = make(place, { allow: ["Bash(git:*)"] });
  expect(await bash(rules, join(repo, folder), command)).toBe("ask");
  expect(await bash(rules, repo, "git -C vendor status")).toBe("allow");
  expect(await bash(make(place, { allow: ["Bash"] }), join(repo, folder), command)).toBe("allow");
  git(join(repo, folder), ...command.split(" ").slice(1));
  expect(existsSync(join(place.root, "canary")), "the trap works").toBe(true);
});

test("a rule for git does not cover a repository in the home named with ~", async () => {
  cpSync(join(repo, ".git"), join(place.home, "x"), { recursive: true });
  const rules = make(place, { allow: ["Bash(git:*)"] });
  expect(await bash(rules, repo, "git -C ~/x status")).toBe("ask");
  expect(await bash(rules, repo, "git -C ~/y status")).toBe("allow");
});

test.each<[string, string]>([
  ["from where a later -C leads", "git --git-dir=x -C vendor status"],
  ["after a git option with a value", "git --shallow-file x --git-dir=vendor/x status"],
  ["the last of several", "git --git-dir=y --git-dir=vendor/x status"],
])("a rule for git does not cover a --git-dir inside the project: %s", async (_, command) => {
  const store = join(repo, "vendor/x");
  cpSync(join(repo, ".git"), store, { recursive: true });
  writeFileSync(join(store, "config"), `${monitor()}\tworktree = ${repo}\n`);
  expect(await bash(make(place, { allow: ["Bash(git *)"] }), repo, command)).toBe("ask");
  git(repo, ...command.split(" ").slice(1));
  expect(existsSync(join(place.root, "canary")), "the trap works").toBe(true);
});

test.each(["vendor/?", "vendor/{x..x}", 'vendor/"$X"', "~+/vendor/x"])(
  "a rule for git does not cover a folder that only the shell knows: -C %s",
  async (name) => {
    mkdirSync(join(repo, "vendor"));
    cpSync(join(repo, ".git"), join(repo, "vendor/x"), { recursive: true });
    writeFileSync(join(repo, "vendor/x/config"), `${monitor()}\tworktree = .\n`);
    const command = `git -C ${name} status`;
    expect(await bash(make(place, { allow: ["Bash(git *)"] }), repo, command)).toBe("ask");
    expect(await bash(make(place, { allow: [`Bash(${command})`] }), repo, command)).toBe("allow");
    execFileSync("bash", ["-c", command], { cwd: repo, env: { ...process.env, X: "x" }, stdio: "ignore" });
    expect(existsSync(join(place.root, "canary")), "the trap works").toBe(true);
  },
);

test.each([
  ["Bash(docker exec *)", 'docker exec app git -C "srv/$X" pull'],
  ["Bash(grep *)", "grep -rn git -C vendor/x"],
  ["Bash(git *)", 'git --git-dir="$PWD/.git" fetch'],
])("other programs, and folders whose settings lie in .git, are covered: %s covers %s", async (rule, command) => {
  git(repo, "clone", "-q", "--bare", ".", "vendor/x");
  expect(await bash(make(place, { allow: [rule] }), repo, command)).toBe("allow");
});

test.each(["timeout 9 git", "xargs git", "nice -n 5 git"])(
  "a rule for git behind a wrapper does not cover a repository that the project contains: %s",
  async (program) => {
    git(repo, "clone", "-q", "--bare", ".", "vendor/x");
    const rules = make(place, { allow: ["Bash(git *)", `Bash(${program.split(" ")[0]} *)`] });
    expect(await bash(rules, repo, `${program} -C vendor/x fetch`)).toBe("ask");
  },
);

test("a rule that names a bare repository covers git in it, and in no other", async () => {
  git(repo, "clone", "-q", "--bare", ".", "vendor/x");
  git(repo, "clone", "-q", "--bare", ".", "vendor/git");
  const run = async (rule: string, command: string, folder = repo): Promise<string> =>
    await bash(make(place, { allow: [rule] }), folder, command);
  expect(await run("Bash(git -C vendor/x fetch)", "git -C vendor/x fetch")).toBe("allow");
  expect(await run("Bash(git -C vendor/x fetch *)", "git -C vendor/x fetch origin")).toBe("allow");
  expect(await run("Bash(git -C vendor/x:*)", "git -C vendor/x fetch")).toBe("allow");
  expect(await run("Bash(git -C *)", "git -C vendor/x fetch")).toBe("ask");
  expect(await run("Bash(git *)", "git -C vendor/git fetch")).toBe("ask");
  expect(await run("Bash(git -C vendor *)", "git -C vendor -C x fetch")).toBe("ask");
  expect(await run("Bash(git -C x fetch)", "git -C x fetch", join(repo, "vendor"))).toBe("ask");
});

test("a rule for git covers the bare repository that the work tree belongs to", async () => {
  const store = join(place.root, "store.git");
  git(repo, "clone", "-q", "--bare", ".", store);
  rmSync(repo, { recursive: true });
  git(store, "worktree", "add", "-q", repo);
  for (const command of [`git -C ${store} fetch`, `git --git-dir=${store} fetch`, "git fetch"])
    expect(await bash(make(place, { allow: ["Bash(git *)"] }), repo, command), command).toBe("allow");
});

test("git runs unasked in work trees and in submodules that configure nothing", async () => {
  makeRepository(join(repo, "sub"));
  git(repo, "add", "sub");
  git(repo, "worktree", "add", "-q", join(repo, "tree"));
  for (const cwd of [repo, join(repo, "sub"), join(repo, "tree")])
    expect(await bash(make(place), cwd, "git status"), cwd).toBe("allow");
  // As after a clone without its submodules.
  rmSync(join(repo, "sub/.git"), { recursive: true });
  expect(await bash(make(place), repo, "git status")).toBe("allow");
  rmSync(join(repo, ".git/index"));
  expect(await bash(make(place), repo, "git status")).toBe("allow");
});

/** As `git submodule add` leaves it: its repository is in the one above, and names its folder. */
function addSubmodule(): string {
  makeRepository(join(place.root, "library"));
  git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", join(place.root, "library"), "vendor/lib");
  git(repo, "commit", "-q", "-m", "with a submodule");
  return join(repo, ".git/modules/vendor/lib");
}

test("git runs unasked in a repository with submodules, in them, and in its work trees", async () => {
  const store = addSubmodule();
  git(repo, "worktree", "add", "-q", join(place.root, "tree"));
  const folders = [repo, join(repo, "vendor/lib"), join(place.root, "tree")];
  for (const cwd of folders) expect(await bash(make(place), cwd, "git status"), cwd).toBe("allow");
  git(store, "config", "core.fsmonitor", join(place.root, "evil"));
  for (const cwd of folders) expect(await bash(make(place), cwd, "git status"), cwd).toBe("ask");
  git(store, "config", "--unset", "core.fsmonitor");
  // As in a commit without the submodule.
  rmSync(join(repo, "vendor"), { recursive: true });
  expect(await bash(make(place), repo, "git status")).toBe("allow");
});

test("git is asked about where a submodule's repository shows files of another folder", async () => {
  const store = addSubmodule();
  const elsewhere = join(place.root, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "a"), "private\n");
  git(store, "config", "core.worktree", elsewhere);
  for (const cwd of [repo, join(repo, "vendor/lib")]) expect(await bash(make(place), cwd, "git diff"), cwd).toBe("ask");
  const shown = execFileSync("git", ["diff"], { cwd: join(repo, "vendor/lib"), encoding: "utf8" });
  expect(shown, "the trap works").toContain("+private");
});

test("git is asked about in a folder that names a submodule of another repository as its own", async () => {
  const store = addSubmodule();
  const unpacked = join(place.root, "unpacked");
  mkdirSync(unpacked);
  writeFileSync(join(unpacked, ".git"), `gitdir: ${store}\n`);
  expect(await bash(make({ ...place, cwd: unpacked }), unpacked, "git show HEAD")).toBe("ask");
});

test.each<[string, () => void]>([
  ["a .git file", () => replaceByFile(join(place.root, "private/.git"))],
  ["a folder that names its common folder", () => writeFileSync(join(repo, ".git/commondir"), "../../private/.git\n")],
  [
    "another folder's work tree",
    () => {
      git(join(place.root, "private"), "worktree", "add", "-q", join(place.root, "tree"));
      replaceByFile(join(place.root, "private/.git/worktrees/tree"));
    },
  ],
  [
    "a .git file for a folder that names its common folder",
    () => {
      renameSync(join(repo, ".git"), join(repo, "store"));
      writeFileSync(join(repo, "store/commondir"), "../../private/.git\n");
      replaceByFile("store");
    },
  ],
  [
    "links in .git",
    () => {
      for (const name of ["objects", "refs"]) {
        rmSync(join(repo, ".git", name), { recursive: true });
        symlinkSync(join(place.root, "private/.git", name), join(repo, ".git", name));
      }
    },
  ],
])("git is asked about where it would show another repository of the user: %s", async (_, arrange) => {
  makeRepository(join(place.root, "private"));
  writeFileSync(join(place.root, "private/a"), "private\n");
  git(join(place.root, "private"), "commit", "-q", "-a", "-m", "private");
  arrange();
  expect(await bash(make(place), repo, "git show HEAD")).toBe("ask");
  const shown = execFileSync("git", ["show", "HEAD"], { cwd: repo, encoding: "utf8" });
  expect(shown, "the trap works").toContain("+private");
});

function replaceByFile(target: string): void {
  rmSync(join(repo, ".git"), { recursive: true, force: true });
  writeFileSync(join(repo, ".git"), `gitdir: ${target}\n`);
}

test("git is asked about where its settings would make it show the first line of a file elsewhere", async () => {
  const secret = join(place.home, ".netrc");
  writeFileSync(secret, "machine example.com password hunter2\n");
  for (const [path, decision] of [
    [".git-blame-ignore-revs", "allow"],
    ["etc/revs", "allow"],
    [secret, "ask"],
    ["~/.netrc", "ask"],
    ["etc/../../home/.netrc", "ask"],
  ] as const) {
    git(repo, "config", "blame.ignoreRevsFile", path);
    expect(await bash(make(place), repo, "git blame a"), path).toBe(decision);
  }
  git(repo, "config", "blame.ignoreRevsFile", secret);
  await expect(promisify(execFile)("git", ["blame", "a"], { cwd: repo })).rejects.toThrow("hunter2");
});

test("git runs unasked in a repository whose folder .git names below it", async () => {
  renameSync(join(repo, ".git"), join(repo, ".bare"));
  replaceByFile("./.bare");
  expect(await bash(make(place), repo, "git status")).toBe("allow");
});

test.each([
  ["1\n[extensions]\n\tpartialClone = origin\n", "promisor = true"],
  ["0\n", "partialCloneFilter = blob:none"],
])("git is asked about in a partial clone, where it would contact the server (%j)", async (version, filter) => {
  const blob = execFileSync("git", ["rev-parse", "HEAD:a"], { cwd: repo, encoding: "utf8" }).trim();
  rmSync(join(repo, ".git/objects", blob.slice(0, 2), blob.slice(2)));
  const settings = `[core]\n\trepositoryFormatVersion = ${version}`;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const remote = `[remote "origin"]\n\t${filter}\n\turl = http://127.0.0.1:${port}/x\n`;
  writeFileSync(join(repo, ".git/config"), settings + remote);
  expect(await bash(make(place), repo, "git show HEAD")).toBe("ask");
  await promisify(execFile)("git", ["show", "HEAD"], { cwd: repo }).catch(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  expect(requests).not.toEqual([]);
});

// Seen: models start each command with a cd to the current folder, and then no git command ran unasked.
test("git after a cd to the starting folder counts as run there, with that folder's settings", async () => {
  mkdirSync(join(repo, "src"));
  const judge = (command: string) => bash(make(place, { allow: ["Bash(git commit *)"] }), repo, command);
  const here = ["cd . && git commit -m x", `cd ${repo} && git status`, `cd "${repo}/src/.."; git log`];
  for (const command of [...here, "git commit -m x; cd src"]) expect(await judge(command), command).toBe("allow");
  const elsewhere = ["cd .; cd src && git status", "cd src && cd - && git status", "cd src; cd .; git status"];
  for (const command of elsewhere) expect(await judge(command), command).toBe("ask");
  appendFileSync(join(repo, ".git/config"), monitor());
  expect(await judge(`cd ${repo} && git status`)).toBe("ask");
});
