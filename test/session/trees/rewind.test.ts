// What commands and agents change is covered by the prompt that asked for it, and put back by one rewind.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { EngineOptions, QueryEngine } from "../../../src/index.ts";
import type { ToolContext } from "../../../src/protocol/tool.ts";
import { tool } from "../../../src/session/tools/custom-tool.ts";
import { withStartRecord } from "../../../src/session/tools/tool-parts.ts";
import type { Reply } from "../../../src/testing/index.ts";
import { clearGrounds, disposeAll, layGround, linesOf, openOn, scripted, turn, type Ground } from "../support.ts";
import { undoesAgents } from "./fan-out.ts";
import { keepTrees, makePlace, pictureOf, run, type KeepOptions, type Kept, type Place } from "./support.ts";

const places: { place: Place; kept: Kept }[] = [];

afterEach(async () => {
  await disposeAll();
  clearGrounds();
  for (const { place, kept } of places.splice(0)) {
    kept.transcript.close();
    place.remove();
  }
});

const uuids = { a: "aaaaaaaa-0000-4000-8000-000000000001", b: "bbbbbbbb-0000-4000-8000-000000000002" };
const bash = (command: string, more: object = {}): Reply => ({
  content: [{ tool: "Bash", input: { command, ...more } }],
});
const done: Reply = { content: ["Done."] };
const all: EngineOptions = { permissionMode: "bypassPermissions", enableFileCheckpointing: true };

async function start(ground: Ground, steps: Reply[], extra: EngineOptions = {}): Promise<QueryEngine> {
  return await openOn(ground, scripted({ steps }), { ...all, ...extra });
}

function laid(): Ground {
  const ground = layGround();
  ground.file("a.txt", "one\ntwo\n");
  mkdirSync(join(ground.work, "src", "empty"), { recursive: true });
  ground.file("src/b.txt", "b\n");
  chmodSync(ground.file("run.sh", "#!/bin/sh\n"), 0o755);
  symlinkSync("a.txt", join(ground.work, "link"));
  const name1 = ground.file("name1", "names of one file\n");
  for (const name of ["name2", "name3"]) linkSync(name1, join(ground.work, name));
  return ground;
}

function placed(options: KeepOptions = {}, prepare: (place: Place) => void = () => undefined): Place & Kept {
  const place = makePlace();
  prepare(place);
  const kept = keepTrees(place, options);
  places.push({ place, kept });
  return { ...place, ...kept };
}

const failOnce =
  (left = 1) =>
  () => {
    if (left-- > 0) throw new Error("EMFILE: too many open files");
  };

const marksOf = (engine: QueryEngine) => linesOf(engine).filter((line) => line.type === "tree_snapshot");

describe("what a command changed", () => {
  test.each([
    ["rm -rf src a.txt link"],
    ["sed -i s/one/1/ a.txt && chmod 600 run.sh"],
    ["mv src other && mv a.txt src"],
    ["mkdir -p gen/deep && for i in 1 2 3; do echo $i > gen/deep/$i; done; ln -sfn / link"],
    ["for name in name1 name2; do echo x >> $name; done; rm name3"],
    ["rm -rf src run.sh a.txt && mkdir a.txt && touch a.txt/x run.sh"],
  ])("is undone: %s", async (command) => {
    const ground = laid();
    const before = pictureOf(ground.work);
    const engine = await start(ground, [bash(command), done]);
    await turn(engine, "Go.", { uuid: uuids.a });
    const after = pictureOf(ground.work);
    expect(after).not.toEqual(before);
    const told = await engine.rewindFiles(uuids.a, { dryRun: true });
    expect(pictureOf(ground.work)).toEqual(after);
    expect(await engine.rewindFiles(uuids.a)).toEqual(told);
    expect(pictureOf(ground.work)).toEqual(before);
  });

  test("is undone in folders with an inherited group, whose mode stays the same", async () => {
    const ground = laid();
    const shared = join(ground.work, "shared");
    mkdirSync(join(shared, "deep"), { recursive: true });
    writeFileSync(join(shared, "deep", "c.txt"), "c\n");
    for (const folder of [shared, join(shared, "deep")]) chmodSync(folder, 0o2755);
    const modes = () => [shared, join(shared, "deep")].map((folder) => lstatSync(folder).mode & 0o7777);
    const engine = await start(ground, [bash("rm -r shared/deep && touch shared/x && chmod 2555 shared"), done]);
    await turn(engine, "Go.", { uuid: uuids.a });
    await engine.rewindFiles(uuids.a);
    expect(modes()).toEqual([0o2755, 0o2755]);
    const again = await engine.rewindFiles(uuids.a);
    expect([again.filesChanged, again.foldersChanged ?? []]).toEqual([[], []]);
  });

  test("is undone by a process that resumes the session, and by a fork of it", async () => {
    const ground = laid();
    const before = pictureOf(ground.work);
    const engine = await start(ground, [bash("rm -rf src"), done]);
    await turn(engine, "Go.", { uuid: uuids.a });
    const id = engine.getSessionId();
    await engine.dispose();
    const fork = await start(ground, [done], { resume: id, forkSession: true });
    const [prompt] = fork.getMessages().filter((message) => message.type === "user");
    expect(await fork.rewindFiles(prompt!.uuid, { dryRun: true })).toMatchObject({
      filesChanged: [join(ground.work, "src/b.txt")],
      foldersChanged: [join(ground.work, "src"), join(ground.work, "src/empty")],
    });
    const resumed = await start(ground, [done], { resume: id });
    await resumed.rewindFiles(uuids.a);
    expect(pictureOf(ground.work)).toEqual(before);
  });

  test("is undone for its own prompt and for earlier prompts, each to its own state", async () => {
    const ground = laid();
    const engine = await start(ground, [bash("echo 1 > n"), done, bash("echo 2 > n; rm a.txt"), done]);
    await turn(engine, "One.", { uuid: uuids.a });
    await turn(engine, "Two.", { uuid: uuids.b });
    await engine.rewindFiles(uuids.b);
    expect(readFileSync(join(ground.work, "n"), "utf8")).toBe("1\n");
    expect(existsSync(join(ground.work, "a.txt"))).toBe(true);
    await engine.rewindFiles(uuids.a);
    expect(existsSync(join(ground.work, "n"))).toBe(false);
  });

  test("comes back with a rewind to a later prompt, also to one that ran no command", async () => {
    const ground = laid();
    const engine = await start(ground, [bash("echo 1 > n; rm a.txt"), done, done, done]);
    const later = "cccccccc-0000-4000-8000-000000000003";
    await turn(engine, "One.", { uuid: uuids.a });
    const after = pictureOf(ground.work);
    await turn(engine, "Talk.", { uuid: uuids.b });
    await engine.rewindFiles(uuids.a);
    expect(existsSync(join(ground.work, "n"))).toBe(false);
    await turn(engine, "Talk on.", { uuid: later });
    const told = await engine.rewindFiles(uuids.b, { dryRun: true });
    expect(told.filesChanged).toHaveLength(2);
    expect(await engine.rewindFiles(uuids.b)).toEqual(told);
    expect(pictureOf(ground.work)).toEqual(after);
    await engine.rewindFiles(later);
    expect(existsSync(join(ground.work, "n"))).toBe(false);
  });

  test("in the background after a rewind is mentioned by it, and can be undone by another one", async () => {
    const ground = laid();
    const before = pictureOf(ground.work);
    const command = "touch one; until [ -e go ]; do sleep 0.02; done; touch two; rm go; touch ended";
    const engine = await start(ground, [bash(command, { run_in_background: true }), done]);
    await turn(engine, "Go.", { uuid: uuids.a });
    await expect.poll(() => existsSync(join(ground.work, "one"))).toBe(true);
    const first = await engine.rewindFiles(uuids.a);
    expect(first).toMatchObject({ filesChanged: [join(ground.work, "one")] });
    expect(first.error).toContain("continue in the background");
    writeFileSync(join(ground.work, "go"), "");
    await expect.poll(() => existsSync(join(ground.work, "ended"))).toBe(true);
    await engine.rewindFiles(uuids.a);
    expect(pictureOf(ground.work)).toEqual(before);
  });

  test("takes one snapshot per prompt, and none when commands only read", async () => {
    const ground = laid();
    const steps = [bash("cat a.txt"), done, bash("touch x"), bash("touch y"), done];
    const engine = await start(ground, steps);
    await turn(engine, "Read.", { uuid: uuids.a });
    expect(marksOf(engine)).toEqual([]);
    expect(existsSync(join(engine.getTranscriptPath()!, "..", "snapshots"))).toBe(false);
    await turn(engine, "Write.", { uuid: uuids.b });
    expect(marksOf(engine)).toHaveLength(1);
  });

  test.each<[string, EngineOptions]>([
    ["the library's default", { enableFileCheckpointing: undefined }],
    ["the option", { enableFileCheckpointing: false }],
    ["the setting", { settings: '{"fileCheckpointingEnabled":false}' }],
    ["the environment", { env: { CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING: "1" } }],
  ])("is not kept when %s says so", async (what, extra) => {
    const ground = laid();
    const engine = await start(ground, [bash("rm a.txt"), done], extra);
    await turn(engine, "Go.", { uuid: uuids.a });
    expect(marksOf(engine)).toEqual([]);
    const isOff = what !== "the library's default";
    expect(await engine.rewindFiles(uuids.a)).toMatchObject(
      isOff ? { canRewind: false, error: expect.stringContaining("switched off") } : { filesChanged: [] },
    );
  });
});

test("restores a file that Edit and then somebody else changed, and names it as contested", async () => {
  const ground = layGround();
  const path = ground.file("a.txt", "one\n");
  const edit = { tool: "Edit", input: { file_path: path, old_string: "one", new_string: "two" } };
  const steps: Reply[] = [{ content: [{ tool: "Read", input: { file_path: path } }] }, { content: [edit] }, done];
  const engine = await start(ground, steps);
  await turn(engine, "Go.", { uuid: uuids.a });
  expect(await engine.rewindFiles(uuids.a, { dryRun: true })).not.toHaveProperty("contested");
  writeFileSync(path, "by hand\n");
  const told = await engine.rewindFiles(uuids.a, { dryRun: true });
  expect(told).toMatchObject({ filesChanged: [path], contested: [path] });
  expect(await engine.rewindFiles(uuids.a)).toEqual(told);
  expect(readFileSync(path, "utf8")).toBe("one\n");
  const history = join(engine.getTranscriptPath()!.slice(0, -".jsonl".length), "file-history");
  expect(readdirSync(history).map((name) => readFileSync(join(history, name), "utf8"))).toContain("by hand\n");
});

test("undoes what foreground and background agents wrote, with the prompt that started them", async () => {
  await undoesAgents(6);
});

describe("what somebody else changed", () => {
  test("stays when only they changed the path; otherwise it is restored and their version set aside", async () => {
    const { work: root, ...kept } = placed({}, ({ work }) => {
      for (const name of ["mine", "both", "theirs"]) writeFileSync(join(work, name), "old\n");
    });
    const uuid = await run(kept, () => {
      writeFileSync(join(root, "mine"), "new\n");
      writeFileSync(join(root, "both"), "new\n");
    });
    writeFileSync(join(root, "both"), "edited by hand\n");
    writeFileSync(join(root, "theirs"), "edited by hand\n");
    writeFileSync(join(root, "note"), "by hand\n");
    const told = await kept.checkpoints.rewind(uuid, { dryRun: true });
    expect(told).toMatchObject({
      filesChanged: [join(root, "both"), join(root, "mine")],
      contested: [join(root, "both")],
      foreign: [join(root, "theirs"), join(root, "note")],
    });
    expect(told.asideFolder).toBeUndefined();
    const back = await kept.checkpoints.rewind(uuid);
    expect(readFileSync(join(root, "both"), "utf8")).toBe("old\n");
    expect(readFileSync(join(root, "theirs"), "utf8")).toBe("edited by hand\n");
    expect(readFileSync(join(root, "note"), "utf8")).toBe("by hand\n");
    expect(readFileSync(join(back.asideFolder!, "both"), "utf8")).toBe("edited by hand\n");
  });

  test("into a link is set aside as a link; into a folder of their own stays and is not reported as restored", async () => {
    const { work: root, ...kept } = placed({}, ({ work }) => writeFileSync(join(work, "a"), "old\n"));
    const uuid = await run(kept, () => {
      writeFileSync(join(root, "a"), "new\n");
      writeFileSync(join(root, "b"), "new\n");
    });
    for (const name of ["a", "b"]) rmSync(join(root, name));
    mkdirSync(join(root, "a"));
    writeFileSync(join(root, "a", "mine"), "by hand\n");
    symlinkSync("elsewhere", join(root, "b"));
    const back = await kept.checkpoints.rewind(uuid);
    expect(back).toMatchObject({ filesChanged: [join(root, "b")], contested: [join(root, "b")] });
    expect(back.error).toContain(`${join(root, "a")} was left as it is`);
    expect(existsSync(join(root, "b"))).toBe(false);
    expect(readlinkSync(join(back.asideFolder!, "b"))).toBe("elsewhere");
    const again = await kept.checkpoints.rewind(uuid);
    expect(again).not.toHaveProperty("contested");
    expect(again).not.toHaveProperty("asideFolder");
  });

  test("between two prompts counts as the work of neither", async () => {
    const { work, ...kept } = placed({}, ({ work }) => writeFileSync(join(work, "a"), "1\n"));
    const first = await run(kept, () => writeFileSync(join(work, "b"), "1\n"));
    writeFileSync(join(work, "a"), "by hand\n");
    await run(kept, () => writeFileSync(join(work, "b"), "2\n"));
    expect(await kept.checkpoints.rewind(first)).toMatchObject({
      filesChanged: [join(work, "b")],
      foreign: [join(work, "a")],
    });
    expect(pictureOf(work)["/a"]).toBe(`file 644 ${Buffer.from("by hand\n").toString("base64")}`);
  });

  test("in a folder that the session created keeps that folder", async () => {
    const { work, ...kept } = placed();
    const uuid = await run(kept, () => {
      mkdirSync(join(work, "made"));
      writeFileSync(join(work, "made", "a"), "");
    });
    writeFileSync(join(work, "made", "theirs"), "");
    const told = await kept.checkpoints.rewind(uuid, { dryRun: true });
    expect(await kept.checkpoints.rewind(uuid)).toEqual(told);
    expect(told.skipped).toEqual([{ path: join(work, "made"), reason: "it contains something that is not put back" }]);
    expect(readdirSync(join(work, "made"))).toEqual(["theirs"]);
  });
});

describe("a rewind never leaves the working folders", () => {
  test("through a link in place of a folder", async () => {
    const { work, home, ...kept } = placed({}, ({ work }) => {
      mkdirSync(join(work, "d"));
      writeFileSync(join(work, "d", "a"), "old\n");
    });
    const uuid = await run(kept, () => writeFileSync(join(work, "d", "a"), "new\n"));
    writeFileSync(join(home, "a"), "precious\n");
    rmSync(join(work, "d"), { recursive: true });
    symlinkSync(home, join(work, "d"));
    await kept.checkpoints.rewind(uuid);
    expect(readFileSync(join(home, "a"), "utf8")).toBe("precious\n");
    expect(readdirSync(home).toSorted()).toEqual([".pawl", "a"]);
  });

  test("through a hard link: the other name keeps its content", async () => {
    const { work, home, ...kept } = placed({}, ({ work }) => writeFileSync(join(work, "a"), "old\n"));
    writeFileSync(join(home, "other"), "precious\n");
    const uuid = await run(kept, () => {
      rmSync(join(work, "a"));
      linkSync(join(home, "other"), join(work, "a"));
    });
    await kept.checkpoints.rewind(uuid);
    expect(readFileSync(join(work, "a"), "utf8")).toBe("old\n");
    expect(readFileSync(join(home, "other"), "utf8")).toBe("precious\n");
  });
});

describe("a snapshot", () => {
  test("leaves out packages, repositories and other work trees, but not an ignored file", async () => {
    const { work, ...kept } = placed({}, ({ work }) => {
      const git = (...args: string[]) => execFileSync("git", ["-c", "init.defaultBranch=main", ...args], { cwd: work });
      git("init", "-q");
      writeFileSync(join(work, ".gitignore"), "dist/\n.env\n");
      for (const folder of ["dist", "node_modules", "src", "tree"]) mkdirSync(join(work, folder));
      writeFileSync(join(work, "tree", ".git"), `gitdir: ${work}/.git/worktrees/tree\n`);
      for (const file of ["dist/a", "node_modules/a", "src/a", "tree/a", ".env"])
        writeFileSync(join(work, file), "old\n");
    });
    const head = readFileSync(join(work, ".git", "HEAD"), "utf8");
    const uuid = await run(kept, () => {
      for (const file of ["dist/a", "node_modules/a", "src/a", "tree/a", ".env"])
        writeFileSync(join(work, file), "new\n");
      writeFileSync(join(work, ".gitignore"), "src/\n");
      writeFileSync(join(work, ".git", "HEAD"), "ref: refs/heads/other\n");
    });
    const { filesChanged } = await kept.checkpoints.rewind(uuid);
    expect(filesChanged).toEqual([".env", ".gitignore", "src/a"].map((file) => join(work, file)));
    expect(readFileSync(join(work, ".git", "HEAD"), "utf8")).not.toBe(head);
    expect(kept.notices).toEqual([]);
  });

  test("runs nothing that the repository configures, although a plain git status would", async () => {
    const { work, home, ...kept } = placed({}, ({ work, home }) => {
      const git = (...args: string[]) => execFileSync("git", ["-c", "init.defaultBranch=main", ...args], { cwd: work });
      const evil = join(home, "evil.sh");
      writeFileSync(evil, `#!/bin/sh\n: > "${home}/ran"\ncat\n`, { mode: 0o755 });
      git("init", "-q");
      writeFileSync(join(work, "a"), "old\n");
      git("add", "a");
      writeFileSync(join(work, ".gitattributes"), "* filter=evil diff=evil\n");
      for (const key of ["core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv"])
        git("config", key, evil);
      for (const hook of ["post-index-change", "post-checkout", "fsmonitor-watchman"])
        writeFileSync(join(work, ".git", "hooks", hook), `#!/bin/sh\n${evil}\n`, { mode: 0o755 });
    });
    const uuid = await run(kept, () => writeFileSync(join(work, "a"), "new\n"));
    await kept.checkpoints.rewind(uuid, { dryRun: true });
    await kept.checkpoints.rewind(uuid);
    expect(readFileSync(join(work, "a"), "utf8")).toBe("old\n");
    expect(existsSync(join(home, "ran"))).toBe(false);
    execFileSync("git", ["status"], { cwd: work, stdio: "ignore" });
    expect(existsSync(join(home, "ran"))).toBe(true);
  });

  test("reports once what it leaves out: too large, too many, and a home folder", async () => {
    const { work, ...kept } = placed({ limits: { fileBytes: 10 } }, ({ work }) =>
      writeFileSync(join(work, "big"), "more than ten bytes"),
    );
    const uuid = await run(kept, () => writeFileSync(join(work, "big"), "another dozen of bytes"));
    await run(kept, () => writeFileSync(join(work, "big"), "yet another dozen of bytes"));
    expect(kept.notices).toEqual([`What commands change here cannot be rewound: ${work}/big (too large to be kept).`]);
    expect(await kept.checkpoints.rewind(uuid)).toMatchObject({
      filesChanged: [],
      skipped: [{ path: join(work, "big"), reason: "it is too large to be kept" }],
    });
    const many = placed({ limits: { entries: 3 } }, ({ work }) => {
      for (const folder of ["a", "b", "c", "d"]) mkdirSync(join(work, folder));
    });
    await run(many, () => undefined);
    expect(many.notices[0]).toContain("more than a snapshot takes");
    const place = makePlace();
    const wide = keepTrees(place, { roots: [place.home] });
    places.push({ place, kept: wide });
    await run(wide, () => undefined);
    expect(wide.notices).toEqual([
      `What commands change in ${place.home} cannot be rewound: it holds your home folder.`,
    ]);
  });

  test("that cannot be stored is reported once and stops no command", async () => {
    const { work, ...kept } = placed({}, ({ pawlHome, work }) => {
      mkdirSync(join(pawlHome, "projects", "work"), { recursive: true });
      writeFileSync(join(pawlHome, "projects", "work", "snapshots"), "in the way");
      writeFileSync(join(work, "a"), "");
    });
    const uuid = await run(kept, () => writeFileSync(join(work, "a"), "new"));
    expect(kept.notices).toHaveLength(1);
    expect(kept.notices[0]).toContain("the working folders could not be kept");
    expect(await kept.checkpoints.rewind(uuid)).toMatchObject({ canRewind: true, filesChanged: [] });
  });
});

test("two snapshots at the same time get two marks, one after the other", async () => {
  const { work, trees } = placed({}, ({ work }) => writeFileSync(join(work, "a"), "old\n"));
  const both = await Promise.all([trees.takeSnapshot("before"), trees.takeSnapshot("after")]);
  expect(both.map(({ mark }) => mark)).toEqual([1, 2]);
  expect(trees.replayed(1).marks).toHaveLength(2);
  expect([...trees.replayed(1).target!.keys()]).toEqual([work, join(work, "a")]);
});

test("a host's tool named Bash waits for the snapshot like any other tool", async () => {
  const ground = laid();
  const before = pictureOf(ground.work);
  const own = tool("Bash", "Acts.", { type: "object" }, async () => {
    rmSync(join(ground.work, "a.txt"));
    return "acted";
  });
  const engine = await start(ground, [bash("anything"), done], { tools: ["Read"], customTools: [own] });
  await turn(engine, "Go.", { uuid: uuids.a });
  expect(existsSync(join(ground.work, "a.txt"))).toBe(false);
  await engine.rewindFiles(uuids.a);
  expect(pictureOf(ground.work)).toEqual(before);
});

test("an interrupt during the snapshot ends the wait, and the command does not run", async () => {
  const { promise: looked, resolve } = Promise.withResolvers<void>();
  const call = vi.fn(async () => ({ content: "ran" }));
  const record = vi.fn(() => ({ ok: true }) as const);
  const slow = withStartRecord(
    { ...tool("Act", "Acts.", { type: "object" }, async () => ""), call },
    record,
    () => looked,
  );
  const stop = new AbortController();
  const result = slow.call({}, { signal: stop.signal, toolUseId: "t" } as ToolContext, () => undefined);
  stop.abort();
  expect(await result).toMatchObject({ isError: true, content: expect.stringContaining("stopped before it began") });
  resolve();
  expect([call.mock.calls, record.mock.calls]).toEqual([[], []]);
});

describe("the stored content", () => {
  test("is stored once for all sessions of a folder", async () => {
    const place = makePlace();
    for (let at = 0; at < 100; at++) writeFileSync(join(place.work, `f${at}`), `content ${at}\n`.repeat(50));
    // Sessions that look too soon after the files were made may each store a tree of their own.
    let [before, files]: [string[] | undefined, string[]] = [undefined, []];
    for (let session = 0; session < 100 && files.length !== before?.length; session++) {
      const kept = keepTrees(place);
      await run(kept, () => undefined);
      kept.transcript.close();
      [before, files] = [files, readdirSync(join(place.pawlHome, "projects", "work", "snapshots"))];
    }
    place.remove();
    expect(files).toEqual(before);
    expect(files.filter((file) => file.endsWith(".pack"))).toHaveLength(1);
  });

  test("is reported as gone when it no longer exists, and nothing is restored from it", async () => {
    const { pawlHome, work, ...kept } = placed({}, ({ work }) => writeFileSync(join(work, "a"), "old\n"));
    const uuid = await run(kept, () => writeFileSync(join(work, "a"), "new\n"));
    const store = join(pawlHome, "projects", "work", "snapshots");
    for (const name of readdirSync(store)) if (name.endsWith(".pack")) truncateSync(join(store, name), 1);
    const told = await kept.checkpoints.rewind(uuid, { dryRun: true });
    expect(told).toMatchObject({ filesChanged: [], skipped: [{ reason: "what was kept of it is gone or damaged" }] });
    expect(readFileSync(join(work, "a"), "utf8")).toBe("new\n");
  });

  test("is stored from the second command on when the code could not be loaded for the first", async () => {
    const { work, ...kept } = placed({ loading: failOnce() }, ({ work }) => writeFileSync(join(work, "a"), "old\n"));
    const uuid = kept.prompt();
    await expect(kept.checkpoints.beforeAnything()).rejects.toThrow("EMFILE");
    await kept.checkpoints.beforeAnything();
    writeFileSync(join(work, "a"), "new\n");
    kept.checkpoints.endTurn(false);
    await kept.checkpoints.rewind(uuid);
    expect(readFileSync(join(work, "a"), "utf8")).toBe("old\n");
  });

  test("whose code cannot be loaded delays neither the end of the turn nor the next turn", async () => {
    const kept = placed({ loading: failOnce() });
    kept.prompt();
    await expect(kept.checkpoints.beforeAnything()).rejects.toThrow("EMFILE");
    kept.checkpoints.endTurn(false);
    await kept.checkpoints.settled();
    kept.prompt();
    await kept.checkpoints.beforeAnything();
    expect(kept.trees.replayed(1).marks).toHaveLength(1);
  });
});
