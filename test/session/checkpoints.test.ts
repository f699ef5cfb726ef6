// Before a tool changes a file, what the file holds is kept; a rewind puts it back, in this process or in the next one.
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import { Checkpoints } from "../../src/session/files/checkpoints.ts";
import { tool } from "../../src/session/tools/custom-tool.ts";
import type { Reply } from "../../src/testing/index.ts";
import { openTranscript, transcriptPath, type Transcript } from "../../src/transcript/index.ts";
import { calls, clearGrounds, disposeAll, layGround, linesOf, openOn, scripted, turn, type Ground } from "./support.ts";

afterEach(async () => {
  await disposeAll();
  clearGrounds();
});

const prompts = {
  a: "aaaaaaaa-0000-4000-8000-000000000001",
  b: "bbbbbbbb-0000-4000-8000-000000000002",
  c: "cccccccc-0000-4000-8000-000000000003",
};

const read = (path: string): Reply => ({ content: [{ tool: "Read", input: { file_path: path } }] });
const write = (path: string, content: string): Reply => ({
  content: [{ tool: "Write", input: { file_path: path, content } }],
});
const edit = (path: string, from: string, to: string): Reply => ({
  content: [{ tool: "Edit", input: { file_path: path, old_string: from, new_string: to } }],
});

const done: Reply = { content: ["Done."] };

const free: EngineOptions = { permissionMode: "acceptEdits" };

async function start(ground: Ground, steps: Reply[], extra: EngineOptions = {}): Promise<QueryEngine> {
  return await openOn(ground, scripted({ steps }), { ...free, ...extra });
}

/** One user turn of these steps, in a session of its own. */
async function played(ground: Ground, steps: Reply[], extra: EngineOptions = {}): Promise<QueryEngine> {
  const engine = await start(ground, [...steps, done], extra);
  expect((await turn(engine, "Go.", { uuid: prompts.a })).result.subtype).toBe("success");
  return engine;
}

const text = (path: string): string => readFileSync(path, "utf8");
const changesOf = (engine: QueryEngine) => linesOf(engine).filter((line) => line.type === "file_change");
const historyOf = (engine: QueryEngine): string =>
  join(engine.getTranscriptPath()!.slice(0, -".jsonl".length), "file-history");

describe("before a change", () => {
  test("the content is kept under its hash, private to the user, and recorded before the tool's result", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "one\n");
    const engine = await played(ground, [read(path), edit(path, "one", "two")]);
    const [kept] = readdirSync(historyOf(engine));
    expect(kept).toMatch(/^[0-9a-f]{64}$/);
    expect(text(join(historyOf(engine), kept!))).toBe("one\n");
    expect(statSync(join(historyOf(engine), kept!)).mode & 0o777).toBe(0o600);
    expect(statSync(historyOf(engine)).mode & 0o777).toBe(0o700);
    const lines = linesOf(engine);
    const noted = lines.findIndex((line) => line.type === "file_change");
    expect(lines[noted]!.data).toEqual({ path, hash: kept, mode: 0o644, messageUuid: prompts.a });
    expect(lines.slice(0, noted).filter((line) => line.type === "tool_started")).toHaveLength(2);
    expect(JSON.stringify(lines.slice(noted))).toContain("Edited a.txt");
  });

  test("a file is recorded once per user turn, and equal content is kept once", async () => {
    const ground = layGround();
    const [one, two] = [ground.file("a.txt", "one\n"), ground.file("b.txt", "one\n")];
    const steps = [read(one), edit(one, "one", "two"), edit(one, "two", "three"), read(two), edit(two, "one", "1")];
    const engine = await played(ground, steps);
    expect(changesOf(engine)).toHaveLength(2);
    expect(readdirSync(historyOf(engine))).toHaveLength(1);
  });

  test("the change is refused if the content cannot be kept", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "one\n");
    const model = scripted({ steps: ["Hello.", read(path), edit(path, "one", "two"), "Done."] });
    const engine = await openOn(ground, model, free);
    await turn(engine, "Hi.");
    mkdirSync(join(historyOf(engine), ".."), { recursive: true });
    writeFileSync(historyOf(engine), "in the way");
    await turn(engine, "Go.");
    expect(text(path)).toBe("one\n");
    expect(changesOf(engine)).toEqual([]);
    expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).toMatch(
      /was not changed, because .* could not be kept/,
    );
  });

  test("nothing is kept if the session is not persisted, and a rewind is refused", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "one\n");
    const engine = await played(ground, [read(path), edit(path, "one", "two")], { persistSession: false });
    expect(text(path)).toBe("two\n");
    expect(existsSync(join(ground.pawlHome, "projects"))).toBe(false);
    expect(await engine.rewindFiles(prompts.a)).toMatchObject({
      canRewind: false,
      error: expect.stringMatching(/not persisted/),
    });
  });
});

describe("a rewind", () => {
  test("restores an edited file byte for byte, with its mode", async () => {
    const ground = layGround();
    const path = ground.file("a.sh", "");
    const before = Buffer.from("\u{feff}one\r\ntwo\r\nthr\u00e9e", "utf8");
    writeFileSync(path, before);
    chmodSync(path, 0o755);
    const engine = await played(ground, [read(path), edit(path, "two", "2\n2")]);
    chmodSync(path, 0o600);
    expect(await engine.rewindFiles(prompts.a)).toEqual({
      canRewind: true,
      filesChanged: [path],
      insertions: 1,
      deletions: 2,
      skippedLinks: 0,
      skipped: [],
    });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o755);
  });

  test("removes a created file and restores a file that was removed since", async () => {
    const ground = layGround();
    const [made, gone] = [join(ground.work, "new", "deep", "a.txt"), ground.file("b.txt", "b\n")];
    const engine = await played(ground, [write(made, "x\ny\n"), read(gone), edit(gone, "b", "c")]);
    rmSync(gone);
    const { filesChanged, insertions, deletions } = await engine.rewindFiles(prompts.a);
    expect({ filesChanged, insertions, deletions }).toEqual({
      filesChanged: [made, gone],
      insertions: 1,
      deletions: 2,
    });
    expect(existsSync(made)).toBe(false);
    expect(text(gone)).toBe("b\n");
  });

  test("restores notebooks", async () => {
    const ground = layGround();
    const before = JSON.stringify({
      cells: [{ cell_type: "code", source: "1", outputs: [], metadata: {} }],
      nbformat: 4,
    });
    const path = ground.file("a.ipynb", before);
    const change = { notebook_path: path, cell_id: "cell-0", new_source: "2" };
    const steps = [read(path), { content: [{ tool: "NotebookEdit", input: change }] }];
    const engine = await played(ground, steps, { tools: ["Read", "NotebookEdit"] });
    expect(text(path)).not.toBe(before);
    await engine.rewindFiles(prompts.a);
    expect(text(path)).toBe(before);
  });

  test("reports with dryRun what it would do, without doing it", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "1\n2\n3\n4\n");
    const engine = await played(ground, [read(path), edit(path, "2\n3\n", "two\n")]);
    const written = linesOf(engine).length;
    const told = await engine.rewindFiles(prompts.a, { dryRun: true });
    expect(told).toMatchObject({ canRewind: true, filesChanged: [path], insertions: 2, deletions: 1 });
    expect(text(path)).toBe("1\ntwo\n4\n");
    expect(linesOf(engine)).toHaveLength(written);
    expect(await engine.rewindFiles(prompts.a)).toEqual(told);
    expect(await engine.rewindFiles(prompts.a)).toMatchObject({ canRewind: true, filesChanged: [] });
  });

  test("restores the state before any of several prompts, back and forth", async () => {
    const ground = layGround();
    const [one, two] = [ground.file("a.txt", "0\n"), join(ground.work, "b.txt")];
    const engine = await start(ground, [
      read(one),
      edit(one, "0", "1"),
      done,
      edit(one, "1", "2"),
      write(two, "new\n"),
      done,
      edit(one, "2", "3"),
      edit(two, "new", "newer"),
      done,
    ]);
    for (const uuid of Object.values(prompts)) await turn(engine, "Go.", { uuid });
    expect([text(one), text(two)]).toEqual(["3\n", "newer\n"]);
    await engine.rewindFiles(prompts.c);
    expect([text(one), text(two)]).toEqual(["2\n", "new\n"]);
    await engine.rewindFiles(prompts.a);
    expect([text(one), existsSync(two)]).toEqual(["0\n", false]);
    await engine.rewindFiles(prompts.b);
    expect([text(one), existsSync(two)]).toEqual(["1\n", false]);
    await engine.rewindFiles(prompts.c);
    expect([text(one), text(two)]).toEqual(["2\n", "new\n"]);
  });

  test("keeps the content that it replaces", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "one\n");
    const engine = await played(ground, [read(path), edit(path, "one", "two")]);
    writeFileSync(path, "by hand\n");
    await engine.rewindFiles(prompts.a);
    const kept = readdirSync(historyOf(engine)).map((name) => text(join(historyOf(engine), name)));
    expect(kept.toSorted()).toEqual(["by hand\n", "one\n"]);
  });

  test("makes the next edit require a new read, and is reported to the model", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "one\n");
    const model = scripted({ steps: [read(path), edit(path, "one", "two"), "Done.", edit(path, "one", "1"), "Done."] });
    const engine = await openOn(ground, model, free);
    await turn(engine, "Go.", { uuid: prompts.a });
    await engine.rewindFiles(prompts.a);
    await turn(engine, "Again.");
    expect(text(path)).toBe("one\n");
    const sent = JSON.stringify(calls(model).at(-1)?.body?.messages);
    expect(sent).toContain("has not been read yet");
    expect(sent).toContain("The user put these files back");
    expect(model.violations).toEqual([]);
  });

  test("works after a resume, and after the process died between the note and the change", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "one\n");
    const first = await played(ground, [read(path), edit(path, "one", "two")]);
    const sessionId = first.getSessionId();
    await first.dispose();
    const second = await start(ground, [], { resume: sessionId });
    expect(await second.rewindFiles(prompts.a)).toMatchObject({ canRewind: true, filesChanged: [path] });
    expect(text(path)).toBe("one\n");
    // What is on disk now is what a death before the change leaves: the note, and the file as it was.
    await second.dispose();
    const third = await start(ground, [], { resume: sessionId });
    expect(await third.rewindFiles(prompts.a)).toMatchObject({ canRewind: true, filesChanged: [] });
    expect(text(path)).toBe("one\n");
  });

  test("works in a forked session, whose prompts have ids of their own", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "one\n");
    const first = await played(ground, [read(path), edit(path, "one", "two")]);
    await first.dispose();
    const fork = await start(ground, [], { resume: first.getSessionId(), forkSession: true });
    rmSync(historyOf(first), { recursive: true });
    expect(await fork.rewindFiles(prompts.a)).toMatchObject({ canRewind: false });
    const prompt = fork.getMessages().find((message) => message.type === "user" && message.origin === "human");
    expect(await fork.rewindFiles(prompt!.uuid)).toMatchObject({ canRewind: true, filesChanged: [path] });
    expect(changesOf(fork)[0]!.data).toMatchObject({ messageUuid: prompt!.uuid });
    expect(text(path)).toBe("one\n");
  });

  test("refuses ids that are not a prompt's", async () => {
    const ground = layGround();
    const engine = await start(
      ground,
      ["Hello."].map((said) => ({ content: [said] })),
    );
    expect(await engine.rewindFiles(prompts.a)).toMatchObject({
      canRewind: false,
      error: expect.stringMatching(/no prompt/),
    });
    await turn(engine, "Hi.", { uuid: prompts.a });
    expect(await engine.rewindFiles(prompts.b)).toMatchObject({
      canRewind: false,
      error: expect.stringMatching(/no prompt/),
    });
    const answer = engine.getMessages().find((message) => message.type === "assistant")!;
    expect(await engine.rewindFiles(answer.uuid)).toMatchObject({ canRewind: false });
    expect(await engine.rewindFiles(prompts.a)).toMatchObject({ canRewind: true, filesChanged: [] });
  });

  test("is refused while a turn runs, and blocks a turn while it runs", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "one\n");
    const asked: unknown[] = [];
    const rewind = tool(
      "Rewind",
      "Asks.",
      { type: "object" },
      async () => {
        asked.push(await engine.rewindFiles(prompts.a));
        return "asked";
      },
      { readOnlyHint: true },
    );
    const steps = [read(path), edit(path, "one", "two"), { content: [{ tool: "Rewind" }] }, { content: ["Done."] }];
    const engine = await start(ground, [...steps, { content: ["Next."] }], { customTools: [rewind] });
    await turn(engine, "Go.", { uuid: prompts.a });
    expect(asked).toEqual([{ canRewind: false, error: expect.stringContaining("running") }]);
    expect(text(path)).toBe("two\n");
    const rewinding = engine.rewindFiles(prompts.a);
    await expect(engine.submitMessage("Next.").next()).rejects.toThrow(/rewound/);
    expect(await rewinding).toMatchObject({ canRewind: true });
    expect((await turn(engine, "Next.")).result.subtype).toBe("success");
  });

  test("finishes before the session closes", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "one\n");
    const engine = await played(ground, [read(path), edit(path, "one", "two")]);
    const rewinding = engine.rewindFiles(prompts.a);
    await engine.dispose();
    expect(text(path)).toBe("one\n");
    expect(await rewinding).toMatchObject({ filesChanged: [path] });
    await expect(engine.rewindFiles(prompts.a)).rejects.toThrow(/closed/);
  });
});

describe("a rewind leaves alone", () => {
  async function changed(): Promise<{ ground: Ground; path: string; other: string; engine: QueryEngine }> {
    const ground = layGround();
    mkdirSync(join(ground.work, "in"));
    const [path, other] = [ground.file("in/a.txt", "one\n"), ground.file("other.txt", "two\n")];
    const engine = await played(ground, [read(path), edit(path, "one", "two")]);
    return { ground, path, other, engine };
  }

  test.each<[string, (path: string, other: string) => void]>([
    ["a symbolic link", (path, other) => (rmSync(path), symlinkSync(other, path))],
    ["a dangling link", (path) => (rmSync(path), symlinkSync("/nowhere/at/all", path))],
    ["a hard link", (path, other) => (rmSync(path), linkSync(other, path))],
    ["a folder", (path) => (rmSync(path), mkdirSync(path))],
    [
      "a folder that is a link now",
      (path, other) => {
        const elsewhere = join(other, "..", "elsewhere");
        mkdirSync(elsewhere);
        writeFileSync(join(elsewhere, "a.txt"), "two\n");
        renameSync(join(path, ".."), join(other, "..", "old"));
        symlinkSync(elsewhere, join(path, ".."));
      },
    ],
  ])("%s that replaced the file", async (_what, swap) => {
    const { path, other, engine } = await changed();
    swap(path, other);
    const kind = lstatSync(path).mode;
    const answer = await engine.rewindFiles(prompts.a);
    expect(answer).toMatchObject({ canRewind: true, filesChanged: [], skippedLinks: 1, skipped: [{ path }] });
    expect(answer.error).toContain(`${path} was left as it is`);
    expect(text(other)).toBe("two\n");
    expect(lstatSync(path).mode).toBe(kind);
  });

  test("a link that replaced a created file", async () => {
    const ground = layGround();
    const [made, other] = [join(ground.work, "new.txt"), ground.file("other.txt", "two\n")];
    const engine = await played(ground, [write(made, "new\n")]);
    rmSync(made);
    symlinkSync(other, made);
    expect(await engine.rewindFiles(prompts.a)).toMatchObject({ filesChanged: [], skippedLinks: 1 });
    expect(lstatSync(made).isSymbolicLink()).toBe(true);
    expect(text(other)).toBe("two\n");
  });

  test("a file that had hard links when it was changed, which is recorded", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "one\n");
    linkSync(path, join(ground.work, "b.txt"));
    const engine = await played(ground, [read(path), edit(path, "one", "two")]);
    expect(changesOf(engine)[0]!.data).toEqual({ path, hash: null, notKept: "hard_link", messageUuid: prompts.a });
    expect(await engine.rewindFiles(prompts.a)).toMatchObject({ filesChanged: [], skippedLinks: 1 });
    expect(text(path)).toBe("two\n");
  });

  test("a file whose kept content was damaged or removed", async () => {
    const { path, engine } = await changed();
    const [kept] = readdirSync(historyOf(engine));
    writeFileSync(join(historyOf(engine), kept!), "forged\n");
    expect(await engine.rewindFiles(prompts.a)).toMatchObject({
      filesChanged: [],
      error: expect.stringMatching(/gone or damaged/),
    });
    rmSync(historyOf(engine), { recursive: true });
    expect(await engine.rewindFiles(prompts.a)).toMatchObject({
      filesChanged: [],
      error: expect.stringMatching(/gone or damaged/),
    });
    expect(text(path)).toBe("two\n");
  });
});

test("a rewind undoes an edit made through a link in the file behind it", async () => {
  const ground = layGround();
  const path = ground.file("a.txt", "one\n");
  const link = join(ground.work, "link.txt");
  symlinkSync(path, link);
  const engine = await played(ground, [read(link), edit(link, "one", "two")]);
  expect(text(path)).toBe("two\n");
  expect(await engine.rewindFiles(prompts.a)).toMatchObject({ filesChanged: [path], skippedLinks: 0 });
  expect(text(path)).toBe("one\n");
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

/** A transcript with one prompt. */
function bareTranscript(ground: Ground): Transcript {
  const sessionId = randomUUID();
  const transcript = openTranscript({
    path: transcriptPath(ground.home, sessionId),
    sessionId,
    cwd: ground.work,
    version: "0",
    clock: Date,
    ids: { uuid: randomUUID },
    durability: "process",
  });
  transcript.append({ type: "user", uuid: prompts.a, timestamp: "", content: [{ type: "text", text: "Go." }] });
  return transcript;
}

describe("a rewind that races with", () => {
  /** A rewind of one changed file, during which `meanwhile` happens: after it has been looked at, before it is replaced. */
  async function raced(existed: boolean, meanwhile: (path: string, other: string) => void) {
    const ground = layGround();
    const [path, other] = [join(ground.work, "a.txt"), ground.file("other.txt", "other\n")];
    if (existed) writeFileSync(path, "one\n");
    const transcript = bareTranscript(ground);
    let act: typeof meanwhile = () => undefined;
    const checkpoints = new Checkpoints({
      transcript: {
        ...transcript,
        appendMeta(kind, data) {
          act(path, other);
          return transcript.appendMeta(kind, data);
        },
      },
      flush: true,
      mostBytes: 100,
      onRestored: () => undefined,
    });
    checkpoints.beginTurn(prompts.a);
    await checkpoints.before(path);
    writeFileSync(path, "two\n");
    act = meanwhile;
    const answer = await checkpoints.rewind(prompts.a);
    transcript.close();
    return { answer, path, other };
  }

  const swaps: [string, (path: string, other: string) => void][] = [
    ["a link", (path, other) => (rmSync(path), symlinkSync(other, path))],
    ["another file", (path) => (rmSync(path), writeFileSync(path, "mine\n"))],
    ["a hard link", (path, other) => (rmSync(path), linkSync(other, path))],
    ["a second name", (path) => linkSync(path, `${path}.also`)],
    ["nothing", (path) => rmSync(path)],
  ];
  test.each(swaps.flatMap(([what, swap]) => [true, false].map((existed) => [what, existed, swap] as const)))(
    "%s loses nothing (the file existed before: %s)",
    async (_what, existed, swap) => {
      const { answer, path, other } = await raced(existed, swap);
      expect(answer).toMatchObject({ canRewind: true, filesChanged: [], skipped: [{ path }] });
      expect(answer.error).toMatch(/changed by someone else/);
      expect(text(other)).toBe("other\n");
      expect(readdirSync(join(path, "..")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    },
  );

  test("no other change restores the file", async () => {
    const { answer, path } = await raced(true, () => undefined);
    expect(answer).toMatchObject({ filesChanged: [path], insertions: 1, deletions: 1 });
    expect(text(path)).toBe("one\n");
  });
});

test("a file too large to keep can be changed, is recorded, and is reported by a rewind", async () => {
  const ground = layGround();
  const path = ground.file("big.txt", "");
  truncateSync(path, (64 << 20) + 1);
  const transcript = bareTranscript(ground);
  const checkpoints = new Checkpoints({ transcript, flush: false, onRestored: () => undefined });
  checkpoints.beginTurn(prompts.a);
  await checkpoints.before(path);
  const answer = await checkpoints.rewind(prompts.a);
  transcript.close();
  expect(answer).toMatchObject({ filesChanged: [], skippedLinks: 0, skipped: [{ path }] });
  expect(answer.error).toContain("too large to be kept when a tool changed it");
});
