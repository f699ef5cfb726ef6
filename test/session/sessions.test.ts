// The functions of the library for sessions that are not running, over what real sessions left.
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import {
  archiveSession,
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  listSessions,
  listSubagents,
  renameSession,
  tagSession,
  unarchiveSession,
  type EngineOptions,
  type QueryEngine,
} from "../../src/index.ts";
import type { Script } from "../../src/testing/index.ts";
import {
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  linesOf,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";
import { isAgent } from "../support/is-agent.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const nobody = "7d1f0a52-9c31-4f7e-8a55-0d2f6c1e9b11";

async function past(
  ground: Ground,
  prompt: string,
  options: EngineOptions = {},
  script: Script = { fallback: "Answer." },
) {
  const engine = await openOn(ground, scripted(script), options);
  await turn(engine, prompt);
  await engine.dispose();
  return engine.getSessionId();
}

const placeOf = (ground: Ground) => ({ dir: ground.work, home: ground.home, env: {} });

describe("a list of sessions", () => {
  test("is sorted by time, has titles, and includes other folders only if no folder is named", async () => {
    const [ground, other] = [layGround(), layGround()];
    const place = placeOf(ground);
    const one = await past(ground, "First\nprompt.");
    const two = await past(ground, "Second.", { title: "Called" });
    const there = await past({ ...other, home: ground.home }, "Elsewhere.", { headless: false });
    const list = await listSessions(place);
    expect(list.map(({ sessionId }) => sessionId)).toEqual([two, one]);
    expect(list[0]).toEqual({
      sessionId: two,
      summary: "Called",
      customTitle: "Called",
      firstPrompt: "Second.",
      cwd: ground.work,
      lastModified: expect.toSatisfy(Number.isInteger),
      createdAt: expect.any(Number),
      fileSize: expect.any(Number),
    });
    expect(list[1]).toMatchObject({ summary: "First prompt." });
    expect(await listSessions({ ...place, limit: 1, offset: 1 })).toMatchObject([{ sessionId: one }]);
    const all = { home: ground.home, env: {} };
    expect((await listSessions(all)).map(({ sessionId }) => sessionId)).toEqual([there, two, one]);
    expect(await listSessions({ ...all, includeProgrammatic: false })).toMatchObject([{ sessionId: there }]);
    expect(await listSessions({ ...all, search: "elsewhere" })).toMatchObject([{ sessionId: there }]);
    expect(await listSessions({ dir: "/nowhere", home: ground.home, env: {} })).toEqual([]);
    const nowhere = join(ground.home, "nowhere");
    expect(await listSessions({ home: nowhere, env: {} })).toEqual([]);
    expect(await listSessions({ home: nowhere, env: {}, search: "word" })).toEqual([]);
    expect(existsSync(nowhere)).toBe(false);
    await expect(listSessions({ ...place, limit: -1 })).rejects.toThrow("limit must be a number");
    expect(await getSessionInfo(two, place)).toEqual(list[0]);
    const [path] = readdirSync(join(ground.pawlHome, "projects"), { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(`${one}.jsonl`),
    );
    const later = Date.now() / 1_000 + 60;
    utimesSync(join(ground.pawlHome, "projects", path!), later, later);
    expect(await listSessions(place)).toEqual(list);
    expect(await getSessionInfo(nobody, place)).toBeUndefined();
    expect(await getSessionInfo("../../etc/passwd", place)).toBeUndefined();
  });

  test("of a repository includes its other work trees", async () => {
    const ground = layGround();
    const tree = join(dirname(ground.work), "tree");
    const own = join(ground.work, ".git", "worktrees", "tree");
    mkdirSync(own, { recursive: true });
    mkdirSync(tree);
    writeFileSync(join(own, "gitdir"), `${join(tree, ".git")}\n`);
    writeFileSync(join(own, "commondir"), "../..\n");
    writeFileSync(join(tree, ".git"), `gitdir: ${own}\n`);
    const id = await past({ ...ground, work: tree }, "There.");
    expect(await listSessions(placeOf(ground))).toMatchObject([{ sessionId: id }]);
    expect(await listSessions({ ...placeOf(ground), includeWorktrees: false })).toEqual([]);
  });
});

describe("a session's messages", () => {
  const script: Script = {
    steps: [
      { content: ["I look.", { tool: "Glob", input: { pattern: "*" } }] },
      "Nothing there.",
      "Summed up.",
      "Second answer.",
    ],
  };

  test("are the conversation in order, with ids that fork and resume accept", async () => {
    const ground = layGround();
    const place = placeOf(ground);
    const id = await past(ground, "Look.", {}, script);
    const messages = await getSessionMessages(id, place);
    expect(messages.map(({ type }) => type)).toEqual(["user", "assistant", "assistant", "user", "assistant"]);
    expect(messages[0]).toMatchObject({
      session_id: id,
      parent_tool_use_id: null,
      message: { role: "user", content: [{ type: "text", text: "Look." }] },
    });
    expect(messages[2]).toMatchObject({
      message: { role: "assistant", content: [{ type: "tool_use", name: "Glob" }] },
    });
    expect(await getSessionMessages(id, { ...place, limit: 2, offset: 1 })).toEqual(messages.slice(1, 3));
    const system = await getSessionMessages(id, { ...place, includeSystemMessages: true });
    expect(system.filter(({ type }) => type === "system")).toHaveLength(2);
    await expect(getSessionMessages(nobody, place)).rejects.toMatchObject({ name: "UsageError" });
    const { sessionId: copy } = await forkSession(id, { ...place, upToMessageId: messages[2]!.uuid });
    const copied = await getSessionMessages(copy, place);
    expect(copied.map(({ message }) => message)).toEqual(messages.slice(0, 4).map(({ message }) => message));
    const model = scripted({ fallback: "On." });
    const engine = await openOn(ground, model, { resume: copy });
    await turn(engine, "And?");
    expect(model.violations).toEqual([]);
  });

  test("begin at the last compaction, or optionally at the start", async () => {
    const ground = layGround();
    const place = placeOf(ground);
    const rules = [{ when: { compacts: true }, reply: "Summed up." }];
    const engine = await openOn(ground, scripted({ rules, fallback: { content: "Noted. ".repeat(400) } }));
    for (const prompt of ["Before.", "Then.", "Then again."]) await turn(engine, prompt);
    for await (const _ of engine.compact());
    await turn(engine, "Behind.");
    await engine.dispose();
    const texts = async (more: object): Promise<string> =>
      JSON.stringify(await getSessionMessages(engine.getSessionId(), { ...place, ...more }));
    expect(await texts({ includeCompacted: true })).toMatch(/Before.*Behind/);
    expect(await texts({ includeCompacted: true, includeSystemMessages: true })).toContain("compact_boundary");
    expect(await texts({})).toContain("Behind");
    expect(JSON.parse(await texts({})).length).toBeLessThan(JSON.parse(await texts({ includeCompacted: true })).length);
  });
});

test("lists the agents of a session and reads their messages", async () => {
  const ground = layGround();
  const place = placeOf(ground);
  const script: Script = {
    rules: [
      {
        when: {},
        reply: ({ systemText, turns }) =>
          isAgent({ systemText })
            ? "42."
            : turns === 0
              ? { content: [{ tool: "Agent", input: { description: "a task", prompt: "Find it." } }] }
              : "It is 42.",
      },
    ],
  };
  const id = await past(ground, "What is it?", {}, script);
  const agents = await listSubagents(id, place);
  expect(agents).toHaveLength(1);
  const said = await getSubagentMessages(id, agents[0]!, place);
  expect(JSON.stringify(said.map(({ message }) => message))).toMatch(/Find it\..*42\./);
  await expect(getSubagentMessages(id, "nobody", place)).rejects.toThrow("has no agent nobody");
  const { sessionId: copy } = await forkSession(id, place);
  expect(await listSubagents(copy, place)).toEqual(agents);
});

describe("a session can be", () => {
  test("renamed, tagged and archived, which its own transcript records", async () => {
    const ground = layGround();
    const place = placeOf(ground);
    const id = await past(ground, "First.");
    await renameSession(id, "  A \u001b[31mname\n", place);
    await tagSession(id, "urgent", place);
    await archiveSession(id, place);
    expect(await getSessionInfo(id, place)).toMatchObject({ customTitle: "A name", tag: "urgent", archived: true });
    await tagSession(id, null, place);
    await unarchiveSession(id, place);
    const info = await getSessionInfo(id, place);
    expect(info).not.toHaveProperty("tag");
    expect(info).not.toHaveProperty("archived");
    await expect(renameSession(id, " \n", place)).rejects.toThrow("visible character");
    const engine = await openOn(ground, scripted({ fallback: "." }), { resume: "A name" });
    expect(engine.getSessionId()).toBe(id);
    await turn(engine, "On.");
    const seqs = linesOf(engine).map((line) => (line as unknown as { seq: number }).seq);
    expect(seqs).toEqual(seqs.map((_, at) => at));
  });

  test("archived, and is then ignored by continue until it is unarchived", async () => {
    const ground = layGround();
    const place = placeOf(ground);
    const [wanted, other] = [await past(ground, "One."), await past(ground, "Two.")];
    const took = async (options: EngineOptions = {}): Promise<string> => {
      const engine = await openOn(ground, scripted({}), { continue: true, ...options });
      await engine.dispose();
      return engine.getSessionId();
    };
    // Its file is the newest by that.
    await archiveSession(other, place);
    expect([await took(), await took({ headless: true })]).toEqual([wanted, wanted]);
    await archiveSession(wanted, place);
    await expect(took()).rejects.toThrow("those of other folders and archived ones, which --resume takes by id");
    await unarchiveSession(other, place);
    expect(await took()).toBe(other);
  });

  test("renamed while this process has it open", async () => {
    const ground = layGround();
    const engine = await openOn(ground, scripted({ fallback: "." }));
    await turn(engine, "First.");
    await turn(engine, "/rename At first");
    await renameSession(engine.getSessionId(), "Outside", placeOf(ground));
    await turn(engine, "Second.");
    expect((await turn(engine, "/rename")).result).toMatchObject({ result: "This session is called Outside." });
    await turn(engine, "/rename At first");
    await renameSession(engine.getSessionId(), "Later", placeOf(ground));
    await turn(engine, "Third.");
    expect(await listSessions(placeOf(ground))).toMatchObject([{ customTitle: "Later" }]);
    await engine.dispose();
    const again = await openOn(ground, scripted({}), { resume: "Later" });
    expect(again.getMessages().length).toBeGreaterThan(2);
  });

  test("forked, and the copy gets a title that tells the two apart", async () => {
    const ground = layGround();
    const place = placeOf(ground);
    const id = await past(ground, "First.", { title: "Parser" });
    const names: (string | undefined)[] = [];
    for (let from = id, n = 0; n < 3; n++) {
      ({ sessionId: from } = await forkSession(from, place));
      names.push((await getSessionInfo(from, place))?.customTitle);
    }
    expect(names).toEqual(["Parser (fork)", "Parser (fork 2)", "Parser (fork 3)"]);
    const named = await forkSession(id, { ...place, title: "Other" });
    expect(await getSessionInfo(named.sessionId, place)).toMatchObject({ customTitle: "Other" });
    await expect(forkSession(id, { ...place, upToMessageId: nobody })).rejects.toThrow("has no message");
  });

  test("deleted with everything that belongs to it, but never while it is open", async () => {
    const ground = layGround();
    const place = placeOf(ground);
    const script: Script = { steps: [{ content: [{ tool: "Write", input: { file_path: "a.txt", content: "x" } }] }] };
    ground.file("a.txt", "before");
    const engine: QueryEngine = await openOn(ground, scripted({ ...script, fallback: "." }), {
      permissionMode: "acceptEdits",
    });
    await turn(engine, "First.");
    const id = engine.getSessionId();
    const folder = dirname(engine.getTranscriptPath()!);
    await expect(deleteSession(id, place)).rejects.toThrow("This session is open in this process");
    expect(existsSync(engine.getTranscriptPath()!)).toBe(true);
    await engine.dispose();
    const kept = await past(ground, "Other.");
    await listSessions(place);
    const index = join(ground.pawlHome, "projects", ".index", "sessions.sqlite");
    expect(readFileSync(index).includes("First.")).toBe(true);
    await deleteSession(id, place);
    expect(readFileSync(index).includes("First.")).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith(id))).toEqual([]);
    expect(await listSessions(place)).toMatchObject([{ sessionId: kept }]);
    await expect(deleteSession(id, place)).rejects.toThrow("No conversation found");
    expect(readFileSync(join(folder, `${kept}.jsonl`), "utf8")).toContain("Other.");
  });
});
