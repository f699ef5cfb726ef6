// What is looked at below a folder for a command that goes through it: what the program itself leaves out, and up to which limit.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync, type Dirent } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { diskPaths } from "../../src/permissions/paths/path-forms.ts";
import { findFirstReached, maxWalked } from "../../src/permissions/files/tree-walk.ts";
import { findGuardHit, type PlacedTree } from "../../src/permissions/files/unnamed-files.ts";
import { parseRule } from "../../src/permissions/rules/rule.ts";
import { treeAt } from "../../src/permissions/files/tree.ts";
import { bash, make, makePlace, type Place, type Setup } from "./support.ts";

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.remove());

function put(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(place.cwd, path)), { recursive: true });
    writeFileSync(join(place.cwd, path), "text\n");
  }
}

const run = (command: string, setup: Setup = {}) => bash(make(place, setup), place.cwd, command);
const guarded: Setup = { deny: ["Read(secrets/**)"], allow: ["Bash"] };

describe("a file that may be secret", () => {
  test("is looked for in a folder that is searched or compared, even without a rule", async () => {
    put("src/a.ts", "lib/b.ts");
    const all = ["grep -r x .", "grep -rn x", "rg --hidden x", "rg -uu x", "diff -r . src", "grep -R x ."];
    for (const command of all) expect(await run(command), command).toBe("allow");
    put("lib/deep/.env");
    for (const command of [...all, "rg -t constructor x"]) expect(await run(command), command).toBe("ask");
    for (const command of [
      "grep -r x src",
      "rg x",
      "rg x lib",
      "grep -r '--include=*.ts' x .",
      "rg -g '*.ts' x",
      "rg -t ts x",
    ])
      expect(await run(command), command).toBe("allow");
    for (const command of all) expect(await run(command, { allow: ["Read(.env)"] }), command).toBe("allow");
  });

  test("is not looked for in packages of others or in git's own folder", async () => {
    put("node_modules/a/server.key", "venv/lib/site-packages/certifi/cacert.pem", ".git/x.pem", "a.ts");
    expect(await run("grep -r x .")).toBe("allow");
    expect(await run("grep -r x node_modules/a")).toBe("ask");
    expect(await run("grep -r x .", { deny: ["Read(**/*.key)"] })).toBe("ask");
  });
});

test("a file that git tracks is not taken for secret because of its name", async () => {
  put("test/server.key", "src/a.ts");
  const git = (...words: string[]) => execFileSync("git", words, { cwd: place.cwd });
  git("init", "-q");
  expect(await run("grep -r x .")).toBe("ask");
  git("add", "-A");
  for (const command of ["grep -r x .", "rg -uu x", "diff -r . src", "git grep x"])
    expect(await run(command), command).toBe("allow");
  expect(await run("grep -r x .", { deny: ["Read(**/*.key)"] })).toBe("ask");
  expect(await run("cat test/server.key")).toBe("ask");
  put(".env");
  expect(await run("grep -r x .")).toBe("ask");
  expect(await run("grep -r x test")).toBe("allow");
});

test("git grep reaches tracked files of the folders it is given, and others if an option says so", async () => {
  put("src/a.ts", "lib/.env");
  writeFileSync(join(place.cwd, ".gitignore"), "lib/\n");
  const git = (...words: string[]) => execFileSync("git", words, { cwd: place.cwd });
  git("init", "-q");
  git("add", "-A");
  for (const command of ["git grep x", "git grep x src", "git grep --untracked x"])
    expect(await run(command), command).toBe("allow");
  expect(await run("git grep --untracked --no-exclude-standard x")).toBe("ask");
  const denied: Setup = { deny: ["Read(**/.env)"], allow: ["Bash"] };
  for (const command of [
    "git grep --untracked --no-exclude-standard x",
    "git grep --untr --no-exc x",
    "git grep --no-ind x",
  ])
    expect(await run(command, denied), command).toBe("ask");
  git("add", "-f", "lib/.env");
  for (const command of ["git grep x", "git grep x -- ':/'", "git grep x -- '*env'", "git grep x lib"]) {
    expect(await run(command, denied), command).toBe("ask");
    expect(await run(command), command).toBe("allow");
  }
  expect(await run("git grep x src")).toBe("allow");
});

describe("rg", () => {
  test("leaves out what ignore files name, unless they or an option keep it", async () => {
    put("secrets/a", "src/a.ts");
    writeFileSync(join(place.cwd, ".gitignore"), "/secrets/\n");
    expect(await run("rg x", guarded)).toBe("ask");
    mkdirSync(join(place.cwd, ".git"));
    expect(await run("rg x", guarded)).toBe("allow");
    for (const command of ["rg -u x", "rg --no-ignore-vcs x", "rg x secrets", "rg -g '*' x", "grep -r x ."])
      expect(await run(command, guarded), command).toBe("ask");
    for (const command of ["rg -g '*.ts' x", "rg -tjs x", "rg --no-ignore-dot x", "fd -x cat"])
      expect(await run(command, guarded), command).toBe("allow");
    put("below/.git/HEAD", "below/secrets/a");
    writeFileSync(join(place.cwd, ".gitignore"), "secrets/\n");
    expect(await run("rg x", guarded)).toBe("ask");
    writeFileSync(join(place.cwd, ".gitignore"), "below/\nsecrets/\n");
    expect(await run("rg x", guarded)).toBe("allow");
    writeFileSync(join(place.cwd, ".ignore"), "!secrets/\n");
    expect(await run("rg x", guarded)).toBe("ask");
  });

  test("searches a hidden file that an ignore file keeps", async () => {
    put(".env", "a.ts");
    const rules: Setup = { deny: ["Read(.env)"], allow: ["Bash"] };
    expect(await run("rg x", rules)).toBe("allow");
    writeFileSync(join(place.cwd, ".gitignore"), ".*\n!.env\n");
    expect(await run("rg x", rules)).toBe("ask");
    put("src/.env");
    for (const command of ["rg x src", "cd src && rg x", "rg --no-ignore-parent x", "fd . src -x cat", "fd -x cat"])
      expect(await run(command, rules), command).toBe("ask");
    expect(await run("rg --no-ignore x", rules)).toBe("allow");
  });

  test("follows .git/info/exclude", async () => {
    put(".env", "secrets/a", ".git/info/exclude");
    const rules: Setup = { deny: ["Read(.env)"], allow: ["Bash"] };
    for (const command of ["rg x", "fd -x cat", "git clean -fd"])
      expect(await run(command, guarded), command).toBe("ask");
    writeFileSync(join(place.cwd, ".git/info/exclude"), "secrets/ \n!.env\n");
    for (const command of ["rg x", "fd -x cat", "git clean -fd"]) {
      expect(await run(command, guarded), command).toBe("allow");
      expect(await run(command, rules), command).toBe("ask");
    }
    expect(await run("rg --no-ignore-exclude x", guarded)).toBe("ask");
    expect(await run("git clean -fdx", guarded)).toBe("ask");
    expect(await run("git clean -fdx build", guarded)).toBe("allow");
  });

  test.each(["./secrets", "[[:lower:]]*", "{secrets,lib}", "[s\\-t]ecrets", "secrets/."])(
    "may read %s in an ignore file differently, so that nothing counts as left out",
    async (line) => {
      put("secrets/a", ".env");
      writeFileSync(join(place.cwd, ".ignore"), `${line}\n`);
      expect(await run("rg x", guarded)).toBe("ask");
      expect(await run("rg x", { deny: ["Read(.env)"], allow: ["Bash"] })).toBe("allow");
      writeFileSync(join(place.cwd, ".ignore"), `secrets\n!${line}\n`);
      expect(await run("rg x", guarded)).toBe("ask");
    },
  );

  test("leaves out a folder under one name, but reaches it under another", async () => {
    put("secrets/sub/a", ".git/HEAD");
    symlinkSync("secrets", join(place.cwd, "zlink"));
    expect(await run("rg -L x -g '!/secrets/sub'", guarded)).toBe("ask");
    expect(await run("rg x -g '!/secrets/sub'", guarded)).toBe("allow");
    writeFileSync(join(place.cwd, ".gitignore"), "/secrets/sub\n");
    for (const command of ["rg -L x", "fd -L -X cat"]) expect(await run(command, guarded), command).toBe("ask");
  });

  test("reads its piped input instead of a folder", async () => {
    put("secrets/a");
    expect(await run("ls | rg x", guarded)).toBe("allow");
    expect(await run("rg x | head", guarded)).toBe("ask");
    expect(await run("rg -g '!secrets/**' x", guarded)).toBe("allow");
  });
});

test("links are followed if the program follows them", async () => {
  put("src/a.ts");
  mkdirSync(join(place.root, "far"));
  writeFileSync(join(place.root, "far/plain"), "text\n");
  symlinkSync(join(place.root, "far"), join(place.cwd, "src/link"));
  symlinkSync(join(place.root, "far/plain"), join(place.cwd, "src/file"));
  symlinkSync(place.cwd, join(place.cwd, "src/round"));
  const rules: Setup = { deny: [`Read(/${place.root}/far/**)`], allow: ["Bash"] };
  for (const command of [
    "grep -R x src",
    "rg -L x src",
    "diff -r src lib",
    "zip -r a.zip src",
    "find -L src -exec cat {} +",
  ])
    expect(await run(command, rules), command).toBe("ask");
  for (const command of ["grep -r x src", "rg x src", "tar -cf a.tar src", "find src -type f -exec cat {} +"])
    expect(await run(command, rules), command).toBe("allow");
  expect(await run("find src -exec cat {} +", rules)).toBe("ask");
});

test("a file found just below the limit is asked about, since tracked files have a limit of their own", async () => {
  put("many/1", "many/deep/.env");
  const list = (folder: string): Dirent[] => {
    const entries = readdirSync(folder, { withFileTypes: true });
    const isMany = folder.endsWith("/many");
    return isMany
      ? entries.flatMap((entry) => (entry.isFile() ? Array<Dirent>(maxWalked - 100).fill(entry) : [entry]))
      : entries;
  };
  expect(await run("grep -r x .", { reader: { ...diskPaths, list } })).toBe("ask");
});

test("beyond the limit, a rule that may match is asked about, and a name that may be secret is not", async () => {
  const bound = { left: 3 };
  put("a/1", "a/2", "b/1", "c");
  expect(findFirstReached(treeAt("."), place.cwd, () => () => undefined, diskPaths, bound)).toBe("too many");
  expect(findFirstReached(treeAt("."), place.cwd, () => () => undefined, diskPaths, { left: 6 })).toBeUndefined();
  put("many/1");
  const list = (folder: string): Dirent[] => {
    const entries = readdirSync(folder, { withFileTypes: true });
    return folder.endsWith("/many") ? entries.flatMap((entry) => Array<Dirent>(maxWalked + 1).fill(entry)) : entries;
  };
  const reader = { ...diskPaths, list };
  expect(await run("grep -r x .", { reader })).toBe("allow");
  expect(await run("grep -r x .", { reader, deny: ["Read(secrets/**)"] })).toBe("ask");
  expect(await run("grep -r x .", { reader, deny: ["Read(~/.ssh/**)"] })).toBe("allow");
  expect(await run("grep -r x a", { reader, deny: ["Read(secrets/**)"] })).toBe("allow");
});

test("the ignore files above a folder that does not exist are not looked for", () => {
  put("src/a.ts");
  let count = 0;
  const skips = {
    hidden: false,
    get ignoreFiles() {
      count += 1;
      return [".gitignore"];
    },
  };
  const walk = (folder: string) =>
    findFirstReached(treeAt(folder, { skips }), join(place.cwd, folder), () => (name) => name, diskPaths, {
      left: 100,
    });
  expect(walk("lib")).toBeUndefined();
  expect(count).toBe(0);
  expect(walk("src")).toBe("a.ts");
  expect(count).toBeGreaterThan(0);
});

test("a folder that a line goes through several times in the same way is searched once", () => {
  put("src/a.ts");
  const seen: string[] = [];
  const reaches = (name: string): boolean => seen.push(name) === 0;
  const treeOf = (git: "tracked" | "untracked"): PlacedTree => ({
    tree: treeAt("src", { reaches, access: "write", git }),
    path: join(place.cwd, "src"),
    shown: "git",
  });
  const places = { cwd: place.cwd, home: place.home, reader: diskPaths };
  const { rule } = parseRule({ rule: "Edit(a.ts)", source: "test" }, "deny", places);
  const trees = [treeOf("tracked"), treeOf("tracked"), treeOf("untracked"), treeOf("tracked")];
  expect(findGuardHit({ unknownPaths: [], trees }, rule === null ? [] : [rule], diskPaths, true)).toBeUndefined();
  expect(seen).toEqual(["a.ts", "a.ts"]);
});
