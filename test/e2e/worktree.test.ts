// `--worktree`: a session in a git work tree of its own, from the command line to what is left of it.
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
  test("that changes something leaves the project as it was, is told where, and goes on there", () =>
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

  test("that changes nothing leaves neither folder nor branch, and can be gone on with all the same", () =>
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

  test("is in the same folder of it, reads files that flags name where they were named, and keeps a branch that was there", () =>
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

  test("that another one went on in is not taken from it", () =>
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

  test("that was killed leaves one that is made anew where nothing is in it, and gone on with where there is", () =>
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

  test("is made by the user's hooks, where they are there for it", () =>
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

test("is refused in a sentence where there can be none", () =>
  atWire(talking, async (place, server) => {
    const refused = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await inTree(place, ...args);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^pawl: [^\n]+\n$/u);
      return stderr;
    };
    expect(await refused("-w", "feat")).toContain("is in no git repository");
    git(place.folder, "init", "-q", "-b", "main");
    expect(await refused("-w", "feat")).toContain("has no commit");
    committed(place);
    for (const name of ["a b", "../x", "agent-1", ".x", "x.lock", "a..b", "x".repeat(65)])
      expect(await refused("-w", name)).toContain("is no name for a work tree");
    expect(await refused("-w", "#12")).toContain("pull requests are not built yet");
    mkdirSync(treeOf(place, "mine"), { recursive: true });
    expect(await refused("-w", "mine")).toContain("is no work tree of");
    git(place.folder, "checkout", "-q", "-b", "worktree-here");
    expect(await refused("-w", "here")).toContain("Git could not make the work tree");
    expect(branches(place)).toContain("worktree-here");
    expect(server.requests).toEqual([]);
  }));
