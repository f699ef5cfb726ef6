// Agents with a work tree of their own: what they see and may do, what becomes of the tree, and what a repository cannot make it do.
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { systemClock } from "../../src/lib/system-clock.ts";
import type { Settings } from "../../src/settings/settings.ts";
import { put } from "../support/put.ts";
import { clearGroundsAfterwards, disposeAll, layGround, type Ground } from "./support.ts";
import { agent, bash, git, read, repository, run, treesOf, write } from "./worktree-support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

/** In place of what it has said before. */
const idle = () => ({ content: ["Said."] });

describe("an agent in a work tree of its own", () => {
  test("changes its copy instead of the user's files, and the copy is kept and named", async () => {
    const ground = repository();
    const steps = [read("a.txt"), write("a.txt", "changed\n"), bash("cat a.txt")];
    const { told, folder, below } = await run(ground, steps);
    expect(JSON.stringify(below.at(-1)?.body?.messages)).toContain("changed");
    expect(readFileSync(join(ground.work, "a.txt"), "utf8")).toBe("as it was\n");
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("changed\n");
    expect(told).toContain(`Its work tree was kept: ${folder} (branch worktree-agent-`);
    expect(told).toContain("1 changed file not committed");
    expect(treesOf(ground)).toEqual([folder]);
    expect(git(ground.work, "worktree", "list")).toContain(folder);
    const { createDoctorReport } = await import("../../src/session/desk/doctor.ts");
    const { worktrees } = await createDoctorReport({ cwd: ground.work, home: ground.home, env: {} });
    expect(worktrees).toEqual([folder]);
  });

  test("that changed nothing leaves no folder, no branch and nothing in the repository", async () => {
    const ground = repository();
    const { told, folder } = await run(ground, [bash("cat a.txt")]);
    expect(folder).toContain(join(ground.pawlHome, "worktrees"));
    expect(told).not.toContain("work tree");
    expect(treesOf(ground)).toEqual([]);
    expect(git(ground.work, "branch", "--list").split("\n")).toEqual(["* main"]);
    expect(existsSync(join(ground.work, ".git/worktrees"))).toBe(false);
  });

  test("keeps a tree with its own commits, even if nothing else is changed", async () => {
    const ground = repository();
    git(ground.work, "config", "user.name", "a");
    git(ground.work, "config", "user.email", "a@example.com");
    const commit = "git commit -q --allow-empty -m more";
    const { told, folder } = await run(ground, [bash(commit)], { allowedTools: ["Bash(git *)"] });
    expect(told).toContain("with commits of its own");
    expect(existsSync(folder)).toBe(true);
  });

  test("uses git there even if the session's environment names the repository, as in a git hook", async () => {
    const ground = repository();
    git(ground.work, "config", "user.name", "a");
    git(ground.work, "config", "user.email", "a@example.com");
    const own = join(ground.work, ".git");
    const env = { GIT_DIR: own, GIT_WORK_TREE: ground.work, GIT_INDEX_FILE: join(own, "index"), GIT_PREFIX: "src/" };
    const commit = "echo new > n.txt && git add -A && git commit -q -m more";
    const { folder } = await run(ground, [bash(commit)], { permissionMode: "bypassPermissions", env });
    expect(git(folder, "log", "-1", "--format=%s")).toBe("more");
    expect(git(ground.work, "log", "-1", "--format=%s")).toBe("first");
    expect(git(ground.work, "status", "--porcelain")).toBe("");
  });

  test("names its commit if it has left its branch", async () => {
    const ground = repository();
    git(ground.work, "config", "user.name", "a");
    git(ground.work, "config", "user.email", "a@example.com");
    const commit = "git checkout -q --detach && git commit -q --allow-empty -m more";
    const { told, folder } = await run(ground, [bash(commit)], { permissionMode: "bypassPermissions" });
    const at = git(folder, "rev-parse", "HEAD").slice(0, 12);
    expect(told).toMatch(new RegExp(`branch worktree-agent-\\w+, which it has left: it is at the commit ${at}`, "u"));
    expect(told).toContain("with commits of its own");
  });

  test("works in the corresponding folder of the tree, and knows where it is and the instructions above it", async () => {
    const ground = repository();
    ground.file("../CLAUDE.md", "Told above.");
    const { folder, below } = await run(ground, [bash("pwd")], { cwd: join(ground.work, "src") });
    expect(folder.endsWith("/src")).toBe(true);
    expect(JSON.stringify(below.at(-1)?.body?.messages)).toContain(folder);
    expect(JSON.stringify(below[0]?.body?.messages)).toContain("Told above.");
    expect(JSON.stringify(below[0]?.body?.system)).toContain("a git work tree, on the branch worktree-agent-");
  });

  test("cannot write to the original tree, whatever the session allows", async () => {
    const ground = repository();
    const outside = () => write("a.txt", "changed\n")(ground.work);
    const session = { allowedTools: [`Edit(/${ground.work}/**)`, "Edit(src/**)"], addDirs: [ground.work] };
    const { below } = await run(ground, [outside], { permissionMode: "default", ...session });
    expect(readFileSync(join(ground.work, "a.txt"), "utf8")).toBe("as it was\n");
    expect(JSON.stringify(below.at(-1)?.body?.messages)).toContain('"is_error":true');
    const free = await run(ground, [() => read("a.txt")(ground.work), outside], {
      permissionMode: "bypassPermissions",
    });
    expect(readFileSync(join(ground.work, "a.txt"), "utf8")).toBe("as it was\n");
    expect(JSON.stringify(free.below.at(-1)?.body?.messages)).toContain("the agent's own work tree");
  });

  test("obeys the session's deny rules in its copy as in the original", async () => {
    const ground = repository();
    mkdirSync(join(ground.work, ".claude"));
    writeFileSync(join(ground.work, ".claude/settings.json"), '{"permissions": {"deny": ["Read(/src/b.txt)"]}}');
    const forbidden = {
      disallowedTools: [`Edit(/${ground.work}/a.txt)`],
      permissionMode: "bypassPermissions" as const,
    };
    const there = () => read("src/b.txt")(ground.work);
    const steps = [read("a.txt"), write("a.txt", "changed\n"), read("src/b.txt"), there, write("c.txt", "free\n")];
    const { folder, below } = await run(ground, steps, forbidden);
    const said = JSON.stringify(below.at(-1)?.body?.messages);
    expect(said.match(/"is_error":true/gu)).toHaveLength(3);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("as it was\n");
    expect(readFileSync(join(folder, "c.txt"), "utf8")).toBe("free\n");
  });

  test.each([{ isolation: "worktree" }, { isolation: undefined }])(
    "continues in its kept tree, also in another process: %j",
    async (more) => {
      const ground = repository();
      const first = await run(ground, [write("n.txt", "1")]);
      const id = /agentId: ([0-9a-f]{16})/u.exec(first.told)?.[1];
      const resumed = { resume: first.engine.getSessionId(), cwd: ground.work };
      await disposeAll();
      const again = await run(ground, [idle, idle, write("m.txt", "2")], resumed, agent({ resume: id, ...more }));
      expect(readFileSync(join(first.folder, "m.txt"), "utf8")).toBe("2");
      expect(again.told).toContain(first.folder);
      expect(treesOf(ground)).toEqual([first.folder]);
      expect(readdirSync(ground.work)).not.toContain("m.txt");
    },
  );

  test("continues in a new tree if its old one was not kept", async () => {
    const ground = repository();
    const first = await run(ground, []);
    const id = /agentId: ([0-9a-f]{16})/u.exec(first.told)?.[1];
    expect(treesOf(ground)).toEqual([]);
    const resumed = { resume: first.engine.getSessionId(), cwd: ground.work };
    await disposeAll();
    const again = await run(ground, [idle, write("m.txt", "2")], resumed, agent({ resume: id, isolation: undefined }));
    expect(treesOf(ground)).toEqual([again.folder]);
    expect(readdirSync(ground.work)).not.toContain("m.txt");
  });
});

describe("a work tree", () => {
  test("is refused with a reason outside a repository, before its first commit and through a link", async () => {
    const plain = await run(layGround(), []);
    expect(plain.told).toContain("is not in a git repository");
    const empty = layGround();
    git(empty.work, "init", "-q");
    expect((await run(empty, [])).told).toContain("has no commit that a work tree could begin with.");
    const newer = repository();
    git(newer.work, "config", "core.repositoryformatversion", "1");
    git(newer.work, "config", "extensions.oddity", "true");
    expect((await run(newer, [])).told).toMatch(
      /No work tree can be made of the repository .*: unknown repository extension found: oddity\./,
    );
    const linked = repository();
    mkdirSync(linked.pawlHome);
    mkdirSync(join(linked.home, "elsewhere"));
    symlinkSync(join(linked.home, "elsewhere"), join(linked.pawlHome, "worktrees"));
    expect((await run(linked, [])).told).toContain("reached through a link");
    expect(readdirSync(join(linked.home, "elsewhere"), { recursive: true })).toHaveLength(1);
  });

  test("runs none of the repository's hooks, filters and monitors", async () => {
    const ground = repository();
    const trap = join(ground.home, "trapped");
    ground.file(".gitattributes", "*.txt filter=trap\n");
    git(ground.work, "add", ".");
    git(ground.work, "commit", "-q", "-m", "more");
    const hook = join(ground.work, ".git/hooks");
    mkdirSync(hook, { recursive: true });
    for (const name of ["post-checkout", "reference-transaction", "post-index-change"])
      writeFileSync(join(hook, name), `#!/bin/sh\ntouch ${trap}\n`, { mode: 0o755 });
    for (const kind of ["smudge", "clean"])
      git(ground.work, "config", `filter.trap.${kind}`, `sh -c "touch ${trap}; cat"`);
    git(ground.work, "config", "core.fsmonitor", `touch ${trap}`);
    const { folder, told } = await run(ground, [write("n.txt", "x")]);
    expect(told).toContain(folder);
    expect(existsSync(trap)).toBe(false);
  });

  test("of a dead process is removed by the next session if it is unchanged, and reported otherwise", async () => {
    const ground = repository();
    const { folder } = await run(ground, [write("n.txt", "1")]);
    const [, name = ""] = /([^/]+)$/u.exec(folder) ?? [];
    const tree = { path: folder, top: ground.work, branch: `worktree-${name}`, base: git(folder, "rev-parse", "HEAD") };
    const gitFolder = join(ground.work, ".git/worktrees", name);
    const { sweepWorktrees } = await import("../../src/session/worktrees/sweep.ts");
    const { nodeProcesses: processes } = await import("../../src/transcript/process-table.ts");
    const { space } = processes;
    const leave = (host = processes.host, own = space): void => {
      const owner = { pid: 4_000_000, host, space: own };
      writeFileSync(`${folder}.json`, JSON.stringify({ owner, tree: { ...tree, gitFolder } }));
    };
    leave();
    const told: string[] = [];
    const sweep = () =>
      sweepWorktrees({
        pawlHome: ground.pawlHome,
        env: process.env,
        processes,
        now: Date.now(),
        notice: (text) => void told.push(text),
      });
    await sweep();
    expect(told.join()).toContain(`Its work tree was kept: ${folder}`);
    expect(treesOf(ground)).toEqual([folder]);
    git(folder, "clean", "-fdq");
    leave("elsewhere");
    await sweep();
    leave(processes.host, "pid:[1]");
    await sweep();
    expect(treesOf(ground)).toHaveLength(2);
    leave();
    await sweep();
    expect(treesOf(ground)).toEqual([]);
    expect(git(ground.work, "worktree", "list").split("\n")).toHaveLength(1);
  });

  test("is recognized as a dead process's whenever that died, since its marker is replaced atomically", async () => {
    const ground = repository();
    const { abandonedWorktrees, writeMarker, worktreesFolder } = await import("../../src/session/worktrees/marker.ts");
    const { sweepWorktrees } = await import("../../src/session/worktrees/sweep.ts");
    const { nodeProcesses } = await import("../../src/transcript/process-table.ts");
    const folder = worktreesFolder(ground.pawlHome, ground.work);
    mkdirSync(folder, { recursive: true });
    const tree = { path: join(folder, "agent-x"), top: ground.work, branch: "worktree-agent-x", base: "0" };
    writeMarker(tree, nodeProcesses);
    const first = readFileSync(`${tree.path}.json`, "utf8");
    linkSync(`${tree.path}.json`, join(ground.home, "first"));
    writeMarker({ ...tree, gitFolder: ground.work }, nodeProcesses);
    expect(readFileSync(join(ground.home, "first"), "utf8")).toBe(first);
    // As of a process that died between the two steps.
    const draft = ".pawl-4000000-0123456789abcdef01.tmp";
    writeFileSync(join(folder, draft), first.slice(0, 20));
    const processes = { ...nodeProcesses, isAlive: () => false };
    expect(abandonedWorktrees(ground.pawlHome, processes, Date.now())).toEqual([{ ...tree, gitFolder: ground.work }]);
    const { env } = process;
    const sweepAt = async (now: number) =>
      await sweepWorktrees({ pawlHome: ground.pawlHome, env, processes, now, notice: () => {} });
    await sweepAt(Date.now());
    // It may be of a process that lives in another container.
    expect(readdirSync(folder)).toEqual([draft]);
    await sweepAt(Date.now() + 2 * 60 * 60 * 1000);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("that cannot be made gives one sentence and leaves nothing", async () => {
    const { makeTree } = await import("../../src/session/worktrees/tree.ts");
    const { nodeProcesses } = await import("../../src/transcript/process-table.ts");
    const hooks = { has: () => false, run: () => Promise.reject(new Error("no hooks")) };
    const make = async ({ work: cwd, home, pawlHome }: Ground, processes = nodeProcesses) => {
      const more = { clock: systemClock, settings: {} as Settings, notice: () => {}, machine: { processes } };
      const around = { cwd, home, pawlHome, env: process.env, ...more };
      return await makeTree({ around, hooks }, "x", new AbortController().signal);
    };
    const blocked = repository();
    put(join(blocked.pawlHome, "worktrees"), "");
    await expect(make(blocked)).rejects.toThrow(/^No work tree can be made in .*: .*\(ENOTDIR\)\. Set PAWL_HOME/u);
    const ground = repository();
    let looks = 0;
    const failing = {
      ...nodeProcesses,
      startTimeOf: () => {
        // When git has made it, and its marker is written again.
        if (++looks > 1) throw Object.assign(new Error("full"), { code: "ENOSPC" });
        return undefined;
      },
    };
    await expect(make(ground, failing)).rejects.toThrow(/the disk is full \(ENOSPC\)/u);
    expect(treesOf(ground)).toEqual([]);
    expect(git(ground.work, "worktree", "list").split("\n")).toHaveLength(1);
    expect(git(ground.work, "branch", "--list")).toBe("* main");
  });

  test("is made and removed by hooks if there are any", async () => {
    const ground = repository();
    const place = join(ground.home, "trees");
    mkdirSync(place);
    const seen: unknown[] = [];
    const hooks: EngineOptions["hooks"] = {
      WorktreeCreate: [
        {
          callback: async ({ name }) => {
            git(ground.work, "worktree", "add", "-q", join(place, String(name)));
            return { hookSpecificOutput: { hookEventName: "WorktreeCreate", worktreePath: join(place, String(name)) } };
          },
        },
      ],
      WorktreeRemove: [{ callback: async ({ worktree_path: path }) => void seen.push(path) }],
    };
    const { folder } = await run(ground, [bash("ls")], { hooks });
    expect(folder.startsWith(place)).toBe(true);
    expect(seen).toEqual([folder]);
    // Other programs than git make copies, too.
    const plain = { hookSpecificOutput: { worktreePath: join(ground.home, "plain") } };
    mkdirSync(plain.hookSpecificOutput.worktreePath);
    const copy = await run(repository(), [bash("ls")], {
      hooks: { WorktreeCreate: [{ callback: async () => plain }] },
    });
    expect(JSON.stringify(copy.below[0]?.body?.system)).toContain("copy of the project of your own. The user's");
    const gone = { hookSpecificOutput: { worktreePath: join(ground.home, "nothing") } };
    const bad = await run(repository(), [], { hooks: { WorktreeCreate: [{ callback: async () => gone }] } });
    expect(bad.told).toContain("is not the full path of a folder");
    const wide: EngineOptions["hooks"] = {
      WorktreeCreate: [
        { callback: async ({ cwd }) => ({ hookSpecificOutput: { worktreePath: join(String(cwd), "..") } }) },
      ],
    };
    expect((await run(repository(), [], { hooks: wide })).told).toContain("holds more than a copy of the project");
  });
});

describe("a branch that existed before the work tree of its name", () => {
  test.each([
    ["with its own commits", true],
    ["at the same commit", false],
  ])("stays when the tree is removed: %s", async (_, hasCommit) => {
    const ground = repository();
    git(ground.work, "branch", "worktree-agent-x");
    if (hasCommit) {
      git(ground.work, "checkout", "-q", "worktree-agent-x");
      git(ground.work, "commit", "-q", "--allow-empty", "-m", "more");
      git(ground.work, "checkout", "-q", "main");
    }
    const tip = git(ground.work, "rev-parse", "worktree-agent-x");
    const { addWorktree, findChanges, dropWorktree, planWorktree } =
      await import("../../src/session/worktrees/worktree.ts");
    const places = { cwd: ground.work, env: process.env, pawlHome: ground.pawlHome };
    const { signal } = new AbortController();
    const tree = await addWorktree(await planWorktree("agent-x", places, signal), places, signal);
    expect(git(tree.path, "rev-parse", "HEAD")).toBe(tip);
    expect(await findChanges(tree, process.env)).toEqual({ kind: "none" });
    await dropWorktree(tree, process.env);
    expect(treesOf(ground)).toEqual([]);
    expect(git(ground.work, "rev-parse", "worktree-agent-x")).toBe(tip);
  });

  test("stays when the tree cannot be made because the branch is in use", async () => {
    const ground = repository();
    git(ground.work, "checkout", "-q", "-b", "worktree-agent-x");
    const { addWorktree, planWorktree } = await import("../../src/session/worktrees/worktree.ts");
    const places = { cwd: ground.work, env: process.env, pawlHome: ground.pawlHome };
    const { signal } = new AbortController();
    const plan = await planWorktree("agent-x", places, signal);
    await expect(addWorktree(plan, places, signal)).rejects.toThrow("worktree-agent-x");
    expect(git(ground.work, "rev-parse", "worktree-agent-x")).toBe(plan.base);
  });
});
