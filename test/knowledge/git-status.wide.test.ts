// A repository is data: whatever its files say, a snapshot of it runs nothing of theirs.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { findGitFolder, readBranch } from "../../src/knowledge/git-folder.ts";
import { gitStatus } from "../../src/knowledge/git-status.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
let repo = "";
let canary = "";
let env: Record<string, string> = {};

beforeEach(() => {
  root = temporaryFolder();
  repo = join(root, "repo");
  canary = join(root, "canary");
  const home = join(root, "home");
  mkdirSync(repo);
  mkdirSync(home);
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\n\tname = A\n\temail = a@example.com\n[init]\n\tdefaultBranch = main\n",
  );
  env = { PATH: process.env["PATH"] ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
});
const makePipe = (path: string) => execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", path]);

function git(args: string[], cwd = repo): string {
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

function commitFile(name: string, content: string, subject: string): void {
  writeFileSync(join(repo, name), content);
  git(["add", "--", name]);
  git(["commit", "-q", "-m", subject]);
}

function start(): void {
  git(["init", "-q"]);
  commitFile("a.txt", "one\n", "first");
}

/** A program that leaves a mark. What a transport starts must not `cat`: it would wait for git, and git for it, for ever. */
function evil(name = "evil.sh", folder = repo, then = "cat"): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n: > "${canary}"\n${then}\n`);
  chmodSync(path, 0o755);
  return path;
}

const snapshot = (cwd = repo, more: Record<string, string> = {}): Promise<string | undefined> =>
  gitStatus({ cwd, env: { ...env, ...more } });

describe("a git snapshot", () => {
  test("contains the branch, the main branch, the status and the last five commits", async () => {
    start();
    for (const subject of ["two", "three", "four", "five", "six"]) commitFile("b.txt", subject, subject);
    git(["checkout", "-q", "-b", "topic"]);
    writeFileSync(join(repo, "a.txt"), "changed\n");
    writeFileSync(join(repo, "new.txt"), "");
    const text = (await snapshot()) ?? "";
    expect(text).toContain("Branch: topic\nMain branch: main\n");
    expect(text).toContain(" M a.txt\n?? new.txt\n");
    expect(text).toMatch(/six\n.*five\n.*four\n.*three\n.*two$/u);
    expect(text).not.toContain("first");
    mkdirSync(join(repo, "deep/er"), { recursive: true });
    expect(await snapshot(join(repo, "deep/er"))).toContain("Branch: topic");
  });

  test("shows a clean status, a detached HEAD, and a repository without commits", async () => {
    git(["init", "-q"]);
    expect(await snapshot()).toContain("Branch: main\nStatus: clean");
    commitFile("a.txt", "x", "first");
    git(["checkout", "-q", "--detach"]);
    expect(await snapshot()).toContain("Branch: detached\nMain branch: main");
  });

  test("names the operation in progress", async () => {
    start();
    git(["checkout", "-q", "-b", "topic"]);
    commitFile("a.txt", "topic\n", "of topic");
    git(["checkout", "-q", "main"]);
    commitFile("a.txt", "main\n", "of main");
    for (const command of ["merge", "rebase", "cherry-pick"]) {
      expect(() => git([command, "topic"])).toThrow();
      expect(await snapshot()).toContain(`\nIn progress: git ${command}\n`);
      git([command, "--abort"]);
    }
    expect(await snapshot()).not.toContain("In progress");
  });

  test("uses the remote's default branch as the main branch", async () => {
    start();
    git(["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
    git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    expect(await snapshot()).toContain("Main branch: trunk");
  });

  test.each<[string, () => string]>([
    ["packed", () => (git(["pack-refs", "--all"]), repo)],
    ["of a work tree", () => (git(["worktree", "add", "-q", "-b", "side", join(root, "side")]), join(root, "side"))],
    ["in a format that only git can read", () => (mkdirSync(join(repo, ".git/reftable")), repo)],
  ])("finds the main branch if the references are %s", async (_, given) => {
    start();
    git(["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
    git(["checkout", "-q", "-b", "topic"]);
    const cwd = given();
    expect(await snapshot(cwd)).toContain("\nMain branch: main\n");
    git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    expect(await snapshot(cwd)).toContain("\nMain branch: trunk\n");
    git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone"]);
    expect(await snapshot(cwd)).toContain("\nMain branch: main\n");
  });

  test("has no main branch if no branch has one of the usual names", async () => {
    start();
    git(["branch", "-m", "main", "topic"]);
    expect(await snapshot()).not.toContain("Main branch");
  });

  test("leaves out the status if a filter's name is too long for a command line", async () => {
    start();
    writeFileSync(join(repo, ".git/config"), `[filter "${"a".repeat(140_000)}"]\n\tclean = x\n`, { flag: "a" });
    expect(await snapshot()).toMatch(/Status: not taken \(its .* are longer than the system allows \(E2BIG\)\)\./u);
  });

  test("cuts a long status, and contains no control characters", async () => {
    start();
    for (let index = 0; index < 200; index += 1) writeFileSync(join(repo, `file-${index}-${"x".repeat(30)}`), "");
    commitFile("c.txt", "", "a\u001b[31mred\u202e\u{e0041}\u00ad\ufe01\u3164");
    const text = (await snapshot()) ?? "";
    expect(text.length).toBeLessThan(3_000);
    expect(text).toContain("… (cut)");
    for (const hidden of ["\u001b", "\u202e", "\u{e0041}", "\u00ad", "\ufe01", "\u3164"])
      expect(text).not.toContain(hidden);
  });

  test("contains the beginning of a very long status", async () => {
    start();
    for (let index = 0; index < 1_200; index += 1) writeFileSync(join(repo, `${index}-${"x".repeat(230)}`), "");
    expect(await snapshot()).toMatch(/^Status:\n\?\? 0-x+\n\?\? 1-x+\n/mu);
  });

  test("says why git gives no status", async () => {
    start();
    writeFileSync(join(repo, ".git/index"), "no index");
    const text = (await gitStatus({ cwd: repo, env })) ?? "";
    expect(text).toMatch(/^Status: not taken \(\.git\/index: index file smaller than expected\)\.$/mu);
    expect(text).toContain("first");
  });

  test("is undefined outside a repository and without git", async () => {
    expect(await snapshot()).toBeUndefined();
    start();
    expect(await snapshot(repo, { PATH: join(root, "nowhere") })).toBeUndefined();
    expect(await snapshot(repo, { PATH: "" })).toBeUndefined();
  });

  test("does not change the repository", async () => {
    start();
    const before = readFileSync(join(repo, ".git/index"));
    writeFileSync(join(repo, "a.txt"), "one\n");
    await snapshot();
    expect(readFileSync(join(repo, ".git/index")).equals(before)).toBe(true);
    expect(existsSync(join(repo, ".git/index.lock"))).toBe(false);
  });
});

describe("a snapshot runs no program that the repository names:", () => {
  /** Makes files that differ from the index only by their times, so that git looks into them. */
  const touch = (): void => writeFileSync(join(repo, "a.txt"), "two\n");
  const config = (...settings: [string, string][]): void => {
    for (const [name, value] of settings) git(["config", name, value]);
  };

  const traps: [string, () => void][] = [
    ["fsmonitor", () => config(["core.fsmonitor", evil()])],
    ["fsmonitor, old spelling", () => config(["core.fsmonitor", evil()], ["core.fsmonitorHookVersion", "1"])],
    [
      "hooks",
      () => {
        for (const hook of [
          "post-index-change",
          "pre-commit",
          "post-checkout",
          "reference-transaction",
          "fsmonitor-watchman",
        ]) {
          evil(hook, join(repo, ".git/hooks"));
        }
        // The same content at another time: git rewrites its index, and runs the hook.
        commitFile("same.txt", "same\n", "same");
        utimesSync(join(repo, "same.txt"), 1, 1);
        const other = join(root, "hooks");
        mkdirSync(other);
        evil("post-index-change", other);
        config(["core.hooksPath", other]);
      },
    ],
    [
      "clean filter",
      () => {
        writeFileSync(join(repo, ".gitattributes"), "* filter=evil\n");
        config(["filter.evil.clean", evil()], ["filter.evil.required", "true"]);
      },
    ],
    [
      "process filter",
      () => {
        writeFileSync(join(repo, ".git/info/attributes"), "* filter=evil\n");
        config(["filter.evil.process", evil()], ["filter.evil.smudge", evil()]);
      },
    ],
    [
      "filter with an odd name",
      () => {
        writeFileSync(join(repo, ".git/info/attributes"), "* filter=a.b=c\n");
        writeFileSync(
          join(repo, ".git/config"),
          `${readFileSync(join(repo, ".git/config"), "utf8")}\n[filter "a.b=c"]\n\tclean = ${evil()}\n`,
        );
      },
    ],
    [
      "filter whose name is not UTF-8",
      () => {
        writeFileSync(join(repo, ".git/info/attributes"), Buffer.from("* filter=\xff\n", "latin1"));
        const own = readFileSync(join(repo, ".git/config"), "latin1");
        writeFileSync(join(repo, ".git/config"), `${own}\n[filter "\xff"]\n\tclean = ${evil()}\n`, "latin1");
      },
    ],
    [
      "filter of the user's own",
      () => {
        writeFileSync(join(repo, ".gitattributes"), "* filter=evil\n");
        git(["config", "--global", "filter.evil.clean", evil()]);
      },
    ],
    [
      "filter after a comment that ends in a backslash",
      () => {
        writeFileSync(join(repo, ".gitattributes"), "* filter=evil\n");
        const own = readFileSync(join(repo, ".git/config"), "utf8");
        writeFileSync(join(repo, ".git/config"), `${own}# said \\\n[filter "evil"]\n\tclean = ${evil()}\n`);
      },
    ],
    [
      "filter from an included file",
      () => {
        writeFileSync(join(repo, ".gitattributes"), "* filter=evil\n");
        writeFileSync(join(repo, ".git/more"), `[filter "evil"]\n\tclean = ${evil()}\n`);
        config(["include.path", "more"]);
      },
    ],
    [
      "filter of the work tree's configuration",
      () => {
        writeFileSync(join(repo, ".gitattributes"), "* filter=evil\n");
        config(["extensions.worktreeConfig", "true"], ["core.repositoryFormatVersion", "1"]);
        writeFileSync(join(repo, ".git/config.worktree"), `[filter "evil"]\n\tclean = ${evil()}\n`);
      },
    ],
    [
      "pager",
      () => config(["core.pager", evil()], ["pager.status", evil()], ["pager.log", evil()], ["pager.config", evil()]),
    ],
    [
      "alias",
      () => config(["alias.status", `!${evil()}`], ["alias.log", `!${evil()}`], ["alias.config", `!${evil()}`]),
    ],
    [
      "signature checker",
      () => {
        config(
          ["log.showSignature", "true"],
          ["gpg.program", evil()],
          ["gpg.format", "openpgp"],
          ["format.pretty", "%G?"],
        );
        const tree = git(["rev-parse", "HEAD^{tree}"]).trim();
        const raw = `tree ${tree}\nauthor A <a@example.com> 1 +0000\ncommitter A <a@example.com> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n`;
        writeFileSync(join(root, "commit"), raw);
        const id = git(["hash-object", "-t", "commit", "-w", join(root, "commit")]).trim();
        git(["update-ref", "refs/heads/main", id]);
      },
    ],
    [
      "external diff and textconv",
      () => {
        writeFileSync(join(repo, ".gitattributes"), "* diff=evil\n");
        config(["diff.external", evil()], ["diff.evil.command", evil()], ["diff.evil.textconv", evil()]);
      },
    ],
    [
      "included configuration",
      () => {
        writeFileSync(join(repo, "more"), `[core]\n\tfsmonitor = ${evil()}\n[filter "evil"]\n\tclean = ${evil()}\n`);
        writeFileSync(join(repo, ".gitattributes"), "* filter=evil\n");
        config(["include.path", "../more"], ["includeIf.gitdir:/**.path", "../more"]);
      },
    ],
    [
      "worktree configuration",
      () => {
        config(["extensions.worktreeConfig", "true"], ["core.repositoryFormatVersion", "1"]);
        writeFileSync(join(repo, ".git/config.worktree"), `[core]\n\tfsmonitor = ${evil()}\n`);
      },
    ],
    [
      "the common folder of another repository",
      () => {
        const other = join(root, "other.git");
        git(["clone", "-q", "--bare", repo, other], root);
        git(["config", "core.fsmonitor", evil()], other);
        git(["config", "core.bare", "false"], other);
        writeFileSync(join(repo, ".git/commondir"), `${other}\n`);
      },
    ],
    [
      "a git file that points elsewhere",
      () => {
        const other = join(root, "moved.git");
        execFileSync("mv", [join(repo, ".git"), other]);
        writeFileSync(join(repo, ".git"), `gitdir: ${other}\n`);
        git(["config", "core.fsmonitor", evil()]);
      },
    ],
    [
      "missing objects, to be fetched",
      () => {
        const promise = evil("upload.sh", root, "exit 1");
        config(
          ["remote.origin.url", repo],
          ["remote.origin.promisor", "true"],
          ["remote.origin.uploadpack", promise],
          ["extensions.partialClone", "origin"],
          ["core.repositoryFormatVersion", "1"],
        );
        config(["protocol.allow", "always"], ["protocol.file.allow", "always"], ["protocol.ext.allow", "always"]);
        const tree = git(["rev-parse", "HEAD^{tree}"]).trim();
        const parent = git(["rev-parse", "HEAD"]).trim();
        rmSync(join(repo, ".git/objects", tree.slice(0, 2)), { recursive: true, force: true });
        rmSync(join(repo, ".git/objects", parent.slice(0, 2)), { recursive: true, force: true });
      },
    ],
    [
      "missing objects, to be fetched by an ext:: transport",
      () => {
        config(
          ["remote.origin.url", `ext::${evil("upload.sh", root, "exit 1")}`],
          ["remote.origin.promisor", "true"],
          ["extensions.partialClone", "origin"],
          ["core.repositoryFormatVersion", "1"],
          ["protocol.ext.allow", "always"],
        );
        const head = git(["rev-parse", "HEAD"]).trim();
        rmSync(join(repo, ".git/objects", head.slice(0, 2)), { recursive: true, force: true });
      },
    ],
    [
      "a submodule's configuration",
      () => {
        const inner = join(repo, "inner");
        mkdirSync(inner);
        git(["init", "-q"], inner);
        writeFileSync(join(inner, "f"), "1");
        git(["add", "f"], inner);
        git(["commit", "-q", "-m", "x"], inner);
        git(["add", "inner"]);
        git(["commit", "-q", "-m", "with inner"]);
        git(["config", "core.fsmonitor", evil()], inner);
        writeFileSync(join(inner, "f"), "2");
        config(
          ["diff.ignoreSubmodules", "none"],
          ["status.submoduleSummary", "true"],
          ["submodule.inner.ignore", "none"],
        );
      },
    ],
  ];

  test.each(traps)("%s", async (_name, set) => {
    start();
    set();
    if (existsSync(join(repo, "a.txt"))) touch();
    rmSync(canary, { force: true });
    await snapshot();
    expect(existsSync(canary)).toBe(false);
  });

  // Pagers want a terminal, aliases an unknown name, external differs a diff: nothing a plain status or log would run.
  const idle = new Set(["pager", "alias", "external diff and textconv"]);
  test.each(traps.filter(([name]) => !idle.has(name)))("a plain status or log would run it: %s", (_name, set) => {
    start();
    set();
    if (existsSync(join(repo, "a.txt"))) touch();
    for (const command of ["status", "log"]) {
      try {
        execFileSync("git", [command], { cwd: repo, env, stdio: "ignore", timeout: 2_000, killSignal: "SIGKILL" });
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
    expect(existsSync(canary)).toBe(true);
  });

  test("but still contains the status if a filter was disabled", async () => {
    start();
    writeFileSync(join(repo, ".git/info/attributes"), "* filter=lfs\n");
    config(["filter.lfs.clean", evil()], ["filter.lfs.process", evil()], ["filter.lfs.required", "true"]);
    touch();
    expect(await snapshot()).toContain(" M a.txt");
  });

  test("and ignores a bare repository committed as plain files", async () => {
    start();
    const bare = join(repo, "vendor/thing");
    mkdirSync(join(repo, "vendor"));
    git(["init", "-q", "--bare", bare], root);
    writeFileSync(join(bare, "config"), `[core]\n\tbare = false\n\tworktree = ${repo}\n\tfsmonitor = ${evil()}\n`);
    mkdirSync(join(bare, "sub"));
    expect(await snapshot(bare)).toBeUndefined();
    expect(await snapshot(join(bare, "sub"))).toBeUndefined();
    expect(existsSync(canary)).toBe(false);
  });

  test("and does not use a git program inside the repository", async () => {
    start();
    const own = join(repo, "node_modules/.bin");
    mkdirSync(own, { recursive: true });
    evil("git", own);
    evil("git", repo);
    const text = await snapshot(repo, { PATH: `${own}:.::${env["PATH"] ?? ""}` });
    expect(text).toContain("Branch: main");
    expect(existsSync(canary)).toBe(false);
  });

  test("and is not redirected by the environment", async () => {
    start();
    const other = join(root, "elsewhere");
    mkdirSync(other);
    git(["init", "-q", "-b", "wrong"], other);
    const more = {
      GIT_DIR: join(other, ".git"),
      GIT_EXTERNAL_DIFF: evil(),
      GIT_PAGER: evil(),
      PAGER: evil(),
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.fsmonitor",
      GIT_CONFIG_VALUE_0: evil(),
      GIT_TRACE: join(root, "trace"),
    };
    expect(await snapshot(repo, more)).toContain("Branch: main");
    expect(existsSync(canary)).toBe(false);
    expect(existsSync(join(root, "trace"))).toBe(false);
  });

  test("and does not list a work tree that is elsewhere", async () => {
    start();
    writeFileSync(join(root, "secret-name"), "");
    config(["core.worktree", root]);
    expect((await snapshot()) ?? "").not.toContain("secret-name");
  });
});

describe("a git folder with pipes", () => {
  test("makes the snapshot time out", async () => {
    start();
    rmSync(join(repo, ".git/config"));
    makePipe(join(repo, ".git/config"));
    expect(await gitStatus({ cwd: repo, env, timeoutMs: 200 })).toBeUndefined();
  });

  test("does not block the search for the git folder and the branch", () => {
    makePipe(join(repo, ".git"));
    expect(findGitFolder(repo)).toBeUndefined();
    rmSync(join(repo, ".git"));
    mkdirSync(join(repo, ".git"));
    makePipe(join(repo, ".git/HEAD"));
    expect(readBranch(repo)).toBeUndefined();
    rmSync(join(repo, ".git/HEAD"));
    symlinkSync("/dev/zero", join(repo, ".git/HEAD"));
    expect(readBranch(repo)).toBeUndefined();
  });
});
