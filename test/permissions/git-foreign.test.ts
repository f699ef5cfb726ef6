// Repositories whose files lead to files of another folder. Uses the real git, so that each trap is real.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
let repo = "";
let elsewhere = "";
beforeEach(() => {
  place = makePlace();
  repo = place.cwd;
  elsewhere = join(place.root, "elsewhere");
  const identity = "[user]\n\tname = A\n\temail = a@example.com\n[init]\n\tdefaultBranch = main\n";
  writeFileSync(join(place.home, ".gitconfig"), identity);
  writeFileSync(join(place.home, ".netrc"), "SECRET machine\n");
  writeFileSync(join(place.root, "evil"), `#!/bin/sh\n: > "${join(place.root, "canary")}"\n`);
  chmodSync(join(place.root, "evil"), 0o755);
  makeRepository(repo, "one");
  makeRepository(elsewhere, "SECRET");
});
afterEach(() => place.remove());

const environment = () => ({ PATH: process.env["PATH"], HOME: place.home, GIT_CONFIG_NOSYSTEM: "1" });

const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, env: environment(), stdio: "ignore" });

function makeRepository(folder: string, name: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q");
  writeFileSync(join(folder, "a"), `${name}\n`);
  writeFileSync(join(folder, name), "x\n");
  git(folder, "add", ".");
  git(folder, "commit", "-q", "-m", name);
}

/** A repository that runs a program at each look into it. */
function makeEvilRepository(folder: string): void {
  makeRepository(folder, "inner");
  git(folder, "config", "core.fsmonitor", join(place.root, "evil"));
}

/** What the command shows, and "canary" if it ran a program. */
function shownBy(command: string, cwd: string): string {
  rmSync(join(place.root, "canary"), { force: true });
  const { stdout, stderr } = spawnSync("bash", ["-c", command], { cwd, env: environment(), encoding: "utf8" });
  return `${stdout}${stderr}${existsSync(join(place.root, "canary")) ? "canary" : ""}`;
}

async function expectTrap(command: string, sign: "SECRET" | "canary"): Promise<void> {
  expect(await bash(make(place), repo, command)).toBe("ask");
  expect(shownBy(command, repo), "the trap works").toContain(sign);
}

function setWorkTree(...values: (string | Buffer)[]): void {
  const lines = values.map((value) => Buffer.concat([Buffer.from("\tworktree = "), Buffer.from(value), Buffer.of(10)]));
  writeFileSync(
    join(repo, ".git/config"),
    Buffer.concat([Buffer.from("[core]\n\trepositoryFormatVersion = 0\n"), ...lines]),
  );
}

function linkTo(target: string, path: string | Buffer): void {
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
}

test.each<[string, () => void]>([
  ["as it is", () => setWorkTree(elsewhere)],
  ["as the last of two", () => setWorkTree(repo, elsewhere)],
  ["quoted, before a comment", () => setWorkTree(`"${elsewhere}" ; ${repo}`)],
  [
    "by .. after a link",
    () => {
      mkdirSync(join(elsewhere, "below"));
      linkTo(join(elsewhere, "below"), join(repo, ".git/link"));
      setWorkTree("link/..");
    },
  ],
  [
    "by a link whose name is not text",
    () => {
      linkTo(elsewhere, Buffer.concat([Buffer.from(join(repo, "link")), Buffer.of(0xff)]));
      setWorkTree(Buffer.concat([Buffer.from("../link"), Buffer.of(0xff)]));
    },
  ],
  [
    "by a link, before a zero byte",
    () => {
      linkTo(elsewhere, join(repo, "link"));
      setWorkTree("../link\0/x");
    },
  ],
  [
    "by a link whose name ends in a quoted blank",
    () => {
      linkTo(elsewhere, join(repo, "link "));
      setWorkTree('"../link "');
    },
  ],
  [
    "by a link whose name ends in a blank that git does not take for one",
    () => {
      linkTo(elsewhere, join(repo, "link\u00a0"));
      setWorkTree("../link\u00a0");
    },
  ],
])("git is asked about where the settings name a work tree elsewhere: %s", async (_, arrange) => {
  arrange();
  await expectTrap("git diff", "SECRET");
});

test("git is asked about where the settings name another folder of the repository, whose submodules git would enter", async () => {
  makeRepository(join(repo, "x"), "inner");
  git(repo, "add", "x");
  rmSync(join(repo, "x"), { recursive: true });
  makeEvilRepository(join(repo, "sub/x"));
  setWorkTree("../sub");
  await expectTrap("git status", "canary");
});

test("git runs unasked where the settings name the repository's own folder", async () => {
  for (const value of ["..", repo, "../.git/../"]) {
    setWorkTree(value);
    expect(await bash(make(place), repo, "git status"), value).toBe("allow");
  }
});

test("git runs unasked in a linked work tree while a submodule's folder in the main one is empty", async () => {
  makeRepository(join(place.root, "library"), "inner");
  git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", join(place.root, "library"), "lib");
  git(repo, "commit", "-q", "-m", "with a submodule");
  const tree = join(place.root, "tree");
  git(repo, "worktree", "add", "-q", tree);
  rmSync(join(repo, "lib"), { recursive: true });
  expect(await bash(make(place), tree, "git status")).toBe("allow");
  mkdirSync(join(repo, "lib"));
  expect(await bash(make(place), tree, "git status")).toBe("allow");
});

const netrc = () => join(place.home, ".netrc");
const ofElsewhere = (path: string) => join(elsewhere, ".git", path);
test.each<[string, string, () => string]>([
  ["index", "git ls-files", () => ofElsewhere("index")],
  ["refs/heads/main", "git show HEAD", () => ofElsewhere("refs/heads/main")],
  ["refs/heads", "git log", () => ofElsewhere("refs/heads")],
  ["config", "git remote -v", () => ofElsewhere("config")],
  ["shallow", "git log", netrc],
  ["info/grafts", "git log", netrc],
  ["objects/info/alternates", "git status", netrc],
  ["rebase-merge/done", "git status", netrc],
  ["worktrees/x/gitdir", "git worktree list", netrc],
  ["hooks/x", "git show hooks/x", () => ofElsewhere("refs/heads/main")],
  ["info/exclude", "git show info/exclude", () => ofElsewhere("refs/heads/main")],
  ["objects/ab/x", "git show objects/ab/x", () => ofElsewhere("refs/heads/main")],
])("git is asked about where a link in .git leads out, from %s", async (path, command, target) => {
  git(elsewhere, "remote", "add", "origin", "https://SECRET@example.com/");
  writeFileSync(join(repo, ".git/objects/info/alternates"), `${ofElsewhere("objects")}\n`);
  mkdirSync(dirname(join(repo, ".git", path)), { recursive: true });
  if (path.startsWith("rebase"))
    for (const name of ["interactive", "onto", "head-name"])
      writeFileSync(join(repo, ".git/rebase-merge", name), "x\n");
  if (path.startsWith("worktrees")) {
    writeFileSync(join(repo, ".git/worktrees/x/HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(repo, ".git/worktrees/x/commondir"), "../..\n");
  }
  linkTo(target(), join(repo, ".git", path));
  await expectTrap(command, "SECRET");
});

test("git is asked about where links in .git lead to the objects of another repository", async () => {
  for (const name of readdirSync(ofElsewhere("objects")))
    if (name.length === 2) linkTo(ofElsewhere(join("objects", name)), join(repo, ".git/objects", name));
  linkTo(ofElsewhere("refs/heads/main"), join(repo, ".git/hooks/x"));
  await expectTrap("git show hooks/x", "SECRET");
});

test("git runs unasked where links in .git stay in the folder, or lead to hooks and ignored names that a user shares", async () => {
  mkdirSync(join(place.home, "hooks"));
  linkTo(join(place.home, "hooks"), join(repo, ".git/hooks"));
  linkTo(netrc(), join(repo, ".git/info/exclude"));
  renameSync(join(repo, ".git/index"), join(repo, "index"));
  linkTo("../index", join(repo, ".git/index"));
  expect(await bash(make(place), repo, "git status")).toBe("allow");
});

test("git is asked about where a link among the settings names a file elsewhere whose first line git would show", async () => {
  linkTo(netrc(), join(repo, "revisions"));
  git(repo, "config", "blame.ignoreRevsFile", "revisions");
  await expectTrap("git blame a", "SECRET");
});

test.each([
  ["a submodule's folder is a link", "sub", "sub", "elsewhere"],
  ["a submodule lies behind a link", "d/elsewhere", "d", "."],
  ["a submodule's repository is a link", "sub", ".git/modules/s", "elsewhere/.git"],
])("git is asked about where %s that leads out", async (_, name, link, target) => {
  const command = "git ls-files --recurse-submodules";
  makeRepository(join(repo, name), "inner");
  git(repo, "add", name);
  rmSync(join(repo, name), { recursive: true });
  writeFileSync(join(repo, ".gitmodules"), `[submodule "s"]\n\tpath = ${name}\n\turl = ./x\n`);
  git(repo, "add", ".gitmodules");
  git(repo, "config", "submodule.active", ".");
  expect(await bash(make(place), repo, command)).toBe("allow");
  if (link.startsWith(".git")) mkdirSync(join(repo, "sub"));
  mkdirSync(join(repo, ".git/modules"));
  linkTo(join(place.root, target), join(repo, link));
  await expectTrap(command, "SECRET");
});

test("git is asked about in a folder inside a bare repository that takes this repository for its own", async () => {
  git(place.root, "clone", "-q", "--bare", elsewhere, "bare");
  repo = join(place.root, "bare/unpacked");
  mkdirSync(join(repo, ".git"), { recursive: true });
  writeFileSync(join(repo, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(repo, ".git/commondir"), "../..\n");
  writeFileSync(join(repo, ".git/gitdir"), "../.git\n");
  await expectTrap("git log", "SECRET");
});

/** Writes an index with git's checksum. */
function writeIndex(bytes: Buffer): void {
  writeFileSync(join(repo, ".git/index"), Buffer.concat([bytes, createHash("sha1").update(bytes).digest()]));
}

/** Of mode 160000. */
const gitlink = Buffer.of(0, 0, 0xe0, 0);

test.each([
  [1, 1],
  [3, 1],
])("git is asked about a submodule whose mode in the index has odd bits in byte %i", async (byte, value) => {
  makeEvilRepository(join(repo, "sub"));
  git(repo, "add", "sub");
  const index = readFileSync(join(repo, ".git/index"));
  index[index.indexOf(gitlink) + byte] = value;
  writeIndex(index.subarray(0, -20));
  await expectTrap("git status", "canary");
});

test("git is asked about an index that has git read a part of the entries from another place", async () => {
  makeEvilRepository(join(repo, "z"));
  for (const name of ["b", "c", "d"]) writeFileSync(join(repo, name), "x\n");
  git(repo, "config", "index.threads", "3");
  git(repo, "add", ".");
  const index = readFileSync(join(repo, ".git/index"));
  const [table, end] = [index.indexOf("IEOT"), index.indexOf("EOIE")];
  const tableEnd = table + 8 + index.readUInt32BE(table + 4);
  expect(await bash(make(place), repo, "git status")).toBe("ask");
  git(join(repo, "z"), "config", "--unset", "core.fsmonitor");
  expect(await bash(make(place), repo, "git status"), "an index in parts is read").toBe("allow");
  git(join(repo, "z"), "config", "core.fsmonitor", join(place.root, "evil"));
  // The last part is copied to an extension that git ignores, and the entry that git no longer reads becomes a file.
  const part = Buffer.from(index.subarray(index.readUInt32BE(tableEnd - 8), table));
  index.writeUInt32BE(table + 8, tableEnd - 8);
  Buffer.of(0, 0, 0x81, 0xa4).copy(index, index.indexOf(gitlink));
  const head = Buffer.from("ZZZZ\0\0\0\0");
  head.writeUInt32BE(part.length, 4);
  const moved = Buffer.concat([index.subarray(0, table), head, part, index.subarray(table, end)]);
  const headers = createHash("sha1");
  for (let at = table; at < moved.length; at += 8 + moved.readUInt32BE(at + 4))
    headers.update(moved.subarray(at, at + 8));
  writeIndex(Buffer.concat([moved, index.subarray(end, end + 12), headers.digest()]));
  await expectTrap("git status", "canary");
});
