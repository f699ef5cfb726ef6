// `--worktree`: a session in a git work tree of its own, from the command line to what remains of it.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { git } from "../session/worktree-support.ts";
import { atWire, calls, says } from "./support/ask.ts";
import type { Ended, Place } from "./support/place.ts";
import type { Answer } from "./support/wire.ts";

/** The place's folder as a repository with one commit, of `a.txt` and `src/b.txt`. */
function committed(place: Place): void {
  const { folder } = place;
  place.write("a.txt", "as it was\n");
  place.write("src/b.txt", "b\n");
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", ".");
  git(folder, "commit", "-q", "-m", "first");
}

const treeOf = ({ home, folder }: Place, name: string): string =>
  join(home, ".pawl/worktrees", folder.replaceAll(/[^A-Za-z0-9]/gu, "-"), name);
const branches = ({ folder }: Place): string[] =>
  git(folder, "branch", "--list", "--format=%(refname:short)").split("\n");

const writing = (_: unknown, at: number): Answer =>
  at === 0 ? calls(["Write", { file_path: "n.txt", content: "new\n" }]) : says(`answer ${at}`);
const looking = (_: unknown, at: number): Answer =>
  at === 0 ? calls(["Bash", { command: "ls -a" }]) : says(`answer ${at}`);
const talking = (_: unknown, at: number): Answer => says(`answer ${at}`);

const inTree = (place: Place, ...args: string[]): Promise<Ended> =>
  place.run(["-p", "--permission-mode", "acceptEdits", ...args, "--", "x"]);

describe("a session in a work tree", () => {
  test("that changes something leaves the project unchanged, names the tree, and can be continued there", () =>
    atWire(writing, async (place, server) => {
      committed(place);
      const first = await inTree(place, "--worktree", "feat");
      const tree = treeOf(place, "feat");
      expect([first.code, first.stdout]).toEqual([0, "answer 1\n"]);
      expect(first.stderr).toContain(`working in the work tree ${tree}, on the branch worktree-feat`);
      expect(first.stderr).toContain("the work tree was kept");
      expect(first.stderr).toMatch(/resume with: pawl --worktree feat -p --resume [0-9a-f-]{36}/u);
      expect(readFileSync(join(tree, "n.txt"), "utf8")).toBe("new\n");
      expect(existsSync(join(place.folder, "n.txt"))).toBe(false);
      const again = await inTree(place, "-w", "feat", "--continue");
      expect(again.stderr).toContain(`going on in the work tree ${tree}`);
      expect(again.stderr).toContain(`the work tree ${tree} was kept: "pawl --worktree feat" goes on there.`);
      expect(server.requests.at(-1)?.body.messages).toHaveLength(5);
      expect(git(place.folder, "status", "--porcelain")).toBe("");
    }));

  // Seen: git add in a hook's session took what the tree held into the commit that was being made.
  test("runs git in the tree even if the environment names the repository", () =>
    atWire(
      (_, at) => (at === 0 ? calls(["Bash", { command: "echo new > n.txt && git add -A" }]) : says("added")),
      async (place) => {
        committed(place);
        const own = join(place.folder, ".git");
        const env = { GIT_DIR: own, GIT_WORK_TREE: place.folder, GIT_INDEX_FILE: join(own, "index") };
        await place.run(["-p", "-w", "feat", "--dangerously-skip-permissions", "--", "x"], { env });
        expect(git(treeOf(place, "feat"), "status", "--porcelain")).toBe("A  n.txt");
        expect(git(place.folder, "status", "--porcelain")).toBe("");
      },
    ));

  test("that changes nothing removes the folder and branch, and can still be continued", () =>
    atWire(talking, async (place, server) => {
      committed(place);
      const first = await inTree(place, "-w", "look");
      expect(first.stderr).toContain("the work tree look was removed: nothing was changed in it");
      expect(existsSync(treeOf(place, "look"))).toBe(false);
      expect(branches(place)).toEqual(["main"]);
      await inTree(place, "-w", "look", "--continue");
      expect(server.requests.at(-1)?.body.messages).toHaveLength(3);
      const unnamed = await inTree(place, "--worktree");
      expect(unnamed.stderr).toMatch(/the work tree work-[0-9a-f]{8} was removed/u);
    }));

  test("starts in the same subfolder, reads files of flags from the original folder, and keeps an existing branch", () =>
    atWire(looking, async (place, server) => {
      committed(place);
      git(place.folder, "branch", "worktree-feat");
      place.write("src/extra.json", JSON.stringify({ permissions: { allow: ["Bash(ls *)"] } }));
      const args = ["-p", "-w", "feat", "--settings", "extra.json", "--", "x"];
      const { code, stderr } = await place.run(args, { cwd: join(place.folder, "src") });
      expect([code, stderr]).toEqual([0, expect.stringContaining("the work tree feat was removed")]);
      const result = JSON.stringify(server.requests.at(-1)?.body.messages.at(-1));
      expect(result).toContain("b.txt");
      expect(result).not.toContain("extra.json");
      expect(branches(place)).toEqual(["main", "worktree-feat"]);
    }));

  test("reads shared folders from settings, and leaves them when the tree is removed", () =>
    atWire(
      (_, at) => (at === 0 ? calls(["Read", { file_path: "node_modules/m.js" }]) : says("read")),
      async (place, server) => {
        committed(place);
        place.write("node_modules/m.js", "shared text");
        mkdirSync(join(place.home, ".pawl"), { recursive: true });
        const worktree = { symlinkDirectories: ["node_modules"] };
        writeFileSync(join(place.home, ".pawl/settings.json"), JSON.stringify({ worktree }));
        const { code, stderr } = await inTree(place, "-w", "feat");
        expect([code, stderr]).toEqual([0, expect.stringContaining("the work tree feat was removed")]);
        expect(JSON.stringify(server.requests.at(-1)?.body.messages.at(-1))).toContain("shared text");
        expect(readFileSync(join(place.folder, "node_modules/m.js"), "utf8")).toBe("shared text");
      },
    ));

  test("leaves the tree in place if another session uses it", () =>
    atWire(talking, async (place) => {
      committed(place);
      const held = place.start(
        ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "-w", "feat"],
        {
          stdin: "open",
        },
      );
      await held.saw(/working in the work tree/u);
      const other = await inTree(place, "-w", "feat");
      expect(other.stderr).toContain("going on in the work tree");
      held.child.stdin.end();
      expect((await held.ended).stderr).toContain("was kept");
      expect(existsSync(join(treeOf(place, "feat"), "a.txt"))).toBe(true);
    }));

  test("that was killed leaves a tree that is replaced if unchanged and continued otherwise", () =>
    atWire(talking, async (place) => {
      committed(place);
      const killed = async (): Promise<void> => {
        const started = place.start(
          ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "-w", "feat"],
          {
            stdin: "open",
          },
        );
        await started.saw(/working in the work tree/u);
        started.child.kill("SIGKILL");
        await started.ended;
      };
      await killed();
      expect((await inTree(place, "-w", "feat")).stderr).toContain("was removed");
      await killed();
      writeFileSync(join(treeOf(place, "feat"), "mine.txt"), "x");
      expect((await inTree(place, "-w", "feat")).stderr).toContain("going on in the work tree");
      expect(readFileSync(join(treeOf(place, "feat"), "mine.txt"), "utf8")).toBe("x");
    }));

  test("uses the user's WorktreeCreate and WorktreeRemove hooks if there are any", () =>
    atWire(talking, async (place) => {
      committed(place);
      mkdirSync(join(place.home, ".pawl"), { recursive: true });
      mkdirSync(join(place.home, "made"));
      const hook = (event: string, command: string) => ({ [event]: [{ hooks: [{ type: "command", command }] }] });
      const hooks = {
        ...hook(
          "WorktreeCreate",
          `git clone -q "$CLAUDE_PROJECT_DIR" ${place.home}/made/x && echo ${place.home}/made/x`,
        ),
        ...hook("WorktreeRemove", `rm -rf ${place.home}/made/x`),
      };
      writeFileSync(join(place.home, ".pawl/settings.json"), JSON.stringify({ hooks }));
      const { code, stderr } = await inTree(place, "-w", "feat");
      expect([code, stderr]).toEqual([0, expect.stringContaining(`working in the work tree ${place.home}/made/x`)]);
      expect(stderr).toContain("the work tree feat was removed");
      expect(readdirSync(join(place.home, "made"))).toEqual([]);
    }));
});

/** Where the place's `origin` is: with a pull request 12 of one commit, which adds `pulled.txt`. */
function withPullRequest(place: Place): string {
  committed(place);
  const origin = join(place.home, "origin.git");
  const other = join(place.home, "other");
  git(place.folder, "clone", "-q", "--bare", place.folder, origin);
  git(place.folder, "remote", "add", "origin", origin);
  git(place.folder, "clone", "-q", origin, other);
  writeFileSync(join(other, "pulled.txt"), "pulled\n");
  git(other, "add", ".");
  git(other, "commit", "-q", "-m", "pulled");
  git(other, "push", "-q", "origin", "HEAD:refs/pull/12/head");
  return origin;
}

describe("a session in the work tree of a pull request", () => {
  test("starts with its commits, can be continued, and leaves nothing else in the repository", () =>
    atWire(writing, async (place) => {
      withPullRequest(place);
      const before = git(place.folder, "for-each-ref");
      const first = await inTree(place, "--worktree", "#12");
      const tree = treeOf(place, "pr-12");
      expect([first.code, first.stdout]).toEqual([0, "answer 1\n"]);
      expect(first.stderr).toContain(`working in the work tree ${tree}, on the branch worktree-pr-12`);
      expect(first.stderr).toMatch(/resume with: pawl --worktree '#12' -p --resume [0-9a-f-]{36}/u);
      expect(readFileSync(join(tree, "pulled.txt"), "utf8")).toBe("pulled\n");
      expect(git(tree, "log", "-1", "--format=%s")).toBe("pulled");
      expect(git(place.folder, "for-each-ref")).toBe(
        `${before}\n${git(tree, "rev-parse", "HEAD")} commit\trefs/heads/worktree-pr-12`,
      );
      expect(existsSync(join(place.folder, ".git/FETCH_HEAD"))).toBe(false);
      const again = await inTree(place, "-w", "#12");
      expect(again.stderr).toContain(`the work tree ${tree} was kept: "pawl --worktree '#12'" goes on there.`);
    }));

  test("that changes nothing removes the folder and branch", () =>
    atWire(talking, async (place) => {
      withPullRequest(place);
      const { code, stderr } = await inTree(place, "-w", "#12");
      expect([code, stderr]).toEqual([0, expect.stringContaining("the work tree pr-12 was removed")]);
      expect(branches(place)).toEqual(["main"]);
    }));

  test("also works in a shallow clone, even for commits before its start", () =>
    atWire(talking, async (place) => {
      const origin = withPullRequest(place);
      git(join(place.home, "other"), "push", "-q", "origin", "HEAD:main");
      git(place.folder, "fetch", "-q", "--depth", "1", `file://${origin}`, "main");
      git(place.folder, "reset", "-q", "--hard", "FETCH_HEAD");
      git(place.folder, "reflog", "expire", "--expire=now", "--all");
      git(place.folder, "gc", "-q", "--prune=now");
      git(join(place.home, "other"), "commit", "-q", "--allow-empty", "-m", "later");
      git(join(place.home, "other"), "push", "-q", "origin", "HEAD:refs/pull/14/head");
      git(join(place.home, "other"), "checkout", "-q", "--detach", "HEAD~2");
      git(join(place.home, "other"), "commit", "-q", "--allow-empty", "-m", "from before");
      git(join(place.home, "other"), "push", "-q", "origin", "HEAD:refs/pull/15/head");
      expect(git(place.folder, "rev-list", "--count", "HEAD")).toBe("1");
      for (const number of ["14", "15"]) {
        const { code, stderr } = await inTree(place, "-w", `#${number}`);
        expect([code, stderr]).toEqual([0, expect.stringContaining(`the work tree pr-${number} was removed`)]);
      }
      expect(git(place.folder, "rev-parse", "--is-shallow-repository")).toBe("true");
    }));

  test("can be named by URL if one of the remotes is that repository", () =>
    atWire(talking, async (place, server) => {
      const origin = withPullRequest(place);
      const address = "https://example.com/Some/thing/pull/12/files";
      const refused = await inTree(place, "-w", address);
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining(`has no remote that is example.com/some/thing`),
      ]);
      expect(server.requests).toEqual([]);
      git(place.folder, "remote", "add", "up", "git@example.com:some/Thing.git");
      // The user's own configuration says where that is.
      writeFileSync(
        join(place.home, ".gitconfig"),
        `[url "${origin}"]\n\tinsteadOf = git@example.com:some/Thing.git\n`,
      );
      const { code, stderr } = await inTree(place, "-w", address);
      expect([code, stderr]).toEqual([0, expect.stringContaining("on the branch worktree-pr-12-up")]);
    }));

  test("runs no program that the repository's configuration names for a fetch", () =>
    atWire(talking, async (place) => {
      const origin = withPullRequest(place);
      const trap = join(place.home, "trap.sh");
      writeFileSync(trap, `#!/bin/sh\ntouch ${place.home}/sprung\nexit 1\n`, { mode: 0o755 });
      git(place.folder, "config", "remote.origin.uploadpack", trap);
      git(place.folder, "config", "core.sshCommand", trap);
      git(place.folder, "config", "core.alternateRefsCommand", trap);
      git(place.folder, "config", "credential.helper", `!${trap}`);
      git(place.folder, "config", `url.ext::${trap} .insteadOf`, origin);
      writeFileSync(join(place.folder, ".git/hooks/reference-transaction"), `#!/bin/sh\n${trap}\n`, { mode: 0o755 });
      const { code, stderr } = await inTree(place, "-w", "#12");
      expect([code, stderr]).toEqual([0, expect.stringContaining("on the branch worktree-pr-12")]);
      expect(existsSync(join(place.home, "sprung"))).toBe(false);
    }));

  test("is refused in one sentence without a password if it cannot be fetched", () =>
    atWire(talking, async (place, server) => {
      const origin = withPullRequest(place);
      const refused = async (said: string): Promise<string> => {
        const { code, stdout, stderr } = await inTree(place, "-w", said);
        expect([code, stdout]).toEqual([2, ""]);
        expect(stderr).toMatch(/^pawl: [^\n]+\n$/u);
        return stderr;
      };
      expect(await refused("#13")).toMatch(
        /Pull request 13 could not be fetched from .*origin\.git: .*refs\/pull\/13/u,
      );
      expect(await refused("https://example.com/some/thing")).toContain("is not the address of a pull request");
      git(place.folder, "remote", "set-url", "origin", `ext::sh -c "touch ${place.home}/sprung"`);
      expect(await refused("#12")).toContain("could not be fetched");
      git(place.folder, "remote", "set-url", "origin", "http://me:secret@127.0.0.1:1/some/thing.git");
      const unreached = await refused("#12");
      expect(unreached).toContain("could not be fetched from http://127.0.0.1:1/some/thing.git");
      expect(unreached).not.toContain("secret");
      git(place.folder, "remote", "rename", "origin", "mine");
      expect(await refused("#12")).toContain('has no remote "origin"');
      expect([existsSync(join(place.home, "sprung")), existsSync(origin)]).toEqual([false, true]);
      expect(branches(place)).toEqual(["main"]);
      expect(server.requests).toEqual([]);
    }));
});

test("a work tree that cannot be made is refused in one sentence", () =>
  atWire(talking, async (place, server) => {
    const refused = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await inTree(place, ...args);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^pawl: [^\n]+\n$/u);
      return stderr;
    };
    expect(await refused("-w", "feat")).toContain("is not in a git repository");
    git(place.folder, "init", "-q", "-b", "main");
    expect(await refused("-w", "feat")).toContain("has no commit");
    committed(place);
    for (const name of ["a b", "../x", "agent-1", ".x", "x.lock", "a..b", "x".repeat(65)])
      expect(await refused("-w", name)).toContain("is not a name for a work tree");
    mkdirSync(treeOf(place, "mine"), { recursive: true });
    expect(await refused("-w", "mine")).toContain("is not a work tree of");
    git(place.folder, "checkout", "-q", "-b", "worktree-here");
    expect(await refused("-w", "here")).toContain("Git could not make the work tree");
    expect(branches(place)).toContain("worktree-here");
    expect(server.requests).toEqual([]);
  }));
