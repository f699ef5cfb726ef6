// Sessions as they were at one of their messages: read so, and copied so.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message, RunNote } from "../../src/protocol/index.ts";
import { openToolUses, readSession, repairOrphans, subagentPath } from "../../src/transcript/index.ts";
import { forkSession } from "../../src/transcript/fork.ts";
import {
  appendAll,
  assistant,
  boundary,
  breakable,
  clock,
  createIds,
  idOf,
  open,
  pairProblems,
  responseEnd,
  result,
  sampleConversation,
  use,
  user,
} from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const uuids = (messages: readonly Message[]) => messages.map(({ uuid }) => uuid);
const bare = (messages: readonly Message[]) => messages.map((message) => ({ ...message, uuid: "", targets: [] }));

const begin = { at: "begin", model: "m", agentId: null, limits: {}, fallbackModels: [], thinking: { type: "auto" } };

/** Several turns, of which some are taken back in part and some summed up, with what was kept of them. */
const histories = fc
  .array(fc.record({ isRetried: fc.boolean(), kept: fc.option(fc.nat(12)) }), { minLength: 1, maxLength: 4 })
  .map((turns) => {
    const written: Message[] = [];
    turns.forEach(({ isRetried, kept }, turn) => {
      const said = sampleConversation(turn);
      const lost = assistant(`t${turn}-lost`, `t${turn}-m0`, [use(`t${turn}-call0`)]);
      const targets = [lost.uuid];
      if (isRetried) said.splice(1, 0, lost, notice(`t${turn}-note`), { ...tombstone(`t${turn}-stone`), targets });
      written.push(...said);
      if (kept === null) return;
      const words = written.filter(({ type, uuid }) => /^(?:user|assistant)$/.test(type) && !uuid.endsWith("-lost"));
      const tail = words.slice(-kept);
      const first = tail.findIndex((message) => message.type === "user" && message.content[0]?.type === "text");
      written.push(boundary(`b${turn}`, [user(`s${turn}`, "summary"), ...(first < 0 ? [] : tail.slice(first))]));
    });
    return written;
  });

/** What is told between an answer and its being taken back. */
function notice(uuid: string): Message {
  return { type: "notice", uuid, timestamp: "", level: "info", name: "retry", text: "again" };
}

function tombstone(uuid: string) {
  return { type: "tombstone" as const, uuid, timestamp: "", targets: [] as string[], reason: "retry" as const };
}

test("a session can be read as of any message, with every call answered, and a copy has the same messages", () => {
  fc.assert(
    fc.property(histories, fc.nat(), (written, pick) => {
      const folder = temporaryFolder();
      const transcript = open(folder);
      appendAll(transcript, written);
      transcript.close();
      const inner = written.flatMap((message) => (message.type === "compact_boundary" ? message.messages : []));
      const all = [...new Set(uuids([...written, ...inner]))].filter((uuid) => !uuid.endsWith("-lost"));
      const at = all[pick % all.length]!;
      const then = readSession(transcript.path, undefined, undefined, at);
      const own = written.findIndex(({ uuid }) => uuid === at);
      if (own >= 0) {
        const before = open(folder, { path: join(folder, `${idOf(7)}.jsonl`) });
        appendAll(before, written.slice(0, own + 1));
        before.close();
        const lost = new Set(written.some(({ uuid }, n) => n > own && uuid.endsWith("-stone")) ? ["lost"] : []);
        const expected = readSession(before.path).messages.filter(
          ({ uuid }) => lost.size === 0 || !uuid.endsWith("-lost") || own < written.findIndex((m) => m.uuid === uuid),
        );
        expect(uuids(then.messages).slice(0, expected.length)).toEqual(uuids(expected));
        expect(then.messages.slice(expected.length).every(({ type }) => type === "user")).toBe(true);
      }
      if (written[own]?.type !== "tombstone" && written[own]?.type !== "compact_boundary")
        expect(uuids(then.messages)).toContain(at);
      expect(openToolUses(then.messages)).toEqual([]);
      expect(pairProblems(then.messages)).toEqual([]);
      const forked = forkSession(transcript.path, idOf(1), { clock, upTo: at });
      const copy = readSession(forked.path);
      expect(bare(copy.messages)).toEqual(bare(then.messages));
      expect(copy.facts?.forkedFrom).toEqual({ sessionId: transcript.sessionId, uuid: at });
      expect(copy.report).toMatchObject({ badLines: 0, gaps: [], chainBreaks: 0, repaired: [] });
      const goOn = open(folder, { path: forked.path, sessionId: idOf(1), resume: copy.resumePoint });
      appendAll(goOn, [user("more", "go on")]);
      goOn.close();
      expect(readSession(forked.path).messages).toHaveLength(copy.messages.length + 1);
    }),
    { numRuns: 40 },
  );
});

test("a call gets its result even if it was recorded later, and one without is left to the repair", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  const both = user("r", [
    { type: "tool_result", tool_use_id: "one", content: "1" },
    { type: "tool_result", tool_use_id: "two", content: "2" },
  ]);
  appendAll(transcript, [
    user("u", "go"),
    assistant("a1", "m", [use("one")]),
    assistant("a2", "m", [use("two")]),
    { ...both, toolUseResult: { any: "thing" } },
    assistant("a3", "m2", [use("three")]),
  ]);
  const first = readSession(transcript.path, undefined, undefined, "a1").messages;
  expect(first.at(-1)).toEqual({ ...both, content: [both.content[0]] });
  const last = readSession(transcript.path, undefined, undefined, "a3").messages;
  expect(openToolUses(last).map(({ use: { id } }) => id)).toEqual(["three"]);
  expect(pairProblems([...last, ...repairOrphans(last, createIds(), clock)])).toEqual([]);
});

test("a call that was started before the process died is known as started, in the session and in a copy", () => {
  const transcript = open(temporaryFolder(), { facts: { recordsToolStarts: true } });
  const [both, end] = [assistant("a", "m", [use("one"), use("two")]), responseEnd("e", "m")];
  appendAll(transcript, [user("u", "go"), both]);
  transcript.appendMeta("tool_started", { toolUseId: "one" });
  appendAll(transcript, [end]);
  const then = readSession(transcript.path, undefined, undefined, both.uuid);
  const copy = readSession(forkSession(transcript.path, idOf(1), { clock, upTo: both.uuid }).path);
  for (const { messages, startedToolUses, report } of [then, copy]) {
    expect(openToolUses(messages).map(({ use: { id } }) => [id, startedToolUses.has(id)])).toEqual([
      ["one", true],
      ["two", false],
    ]);
    expect(report).toMatchObject({ badLines: 0, gaps: [], chainBreaks: 0 });
  }
});

test("facts right after a message belong to the session as of it, but not those of the next turn", () => {
  const transcript = open(temporaryFolder());
  appendAll(transcript, [
    user("u", "go"),
    assistant("a", "m", [{ type: "text", text: "Done." }]),
    responseEnd("e", "m"),
  ]);
  transcript.appendMeta("run", { at: "end", terminal: { reason: "completed" }, cause: null });
  transcript.appendMeta("read_file_state", [{ path: "/a" }]);
  transcript.appendMeta("run", begin as RunNote);
  transcript.appendMeta("read_file_state", [{ path: "/b" }]);
  appendAll(transcript, [user("v", "on")]);
  expect(readSession(transcript.path, undefined, undefined, "a").readFileState).toBeUndefined();
  expect(readSession(transcript.path, undefined, undefined, "e").readFileState).toEqual([{ path: "/a" }]);
  const { path } = forkSession(transcript.path, idOf(1), { clock, upTo: "e" });
  expect(readSession(path).readFileState).toEqual([{ path: "/a" }]);
  expect(readFileSync(path, "utf8")).toMatch(/"at":"end"/u);
  expect(readFileSync(path, "utf8")).not.toMatch(/"at":"begin"/u);
});

test("a copy can be created in a new folder", () => {
  const transcript = open(temporaryFolder());
  appendAll(transcript, [user("u", "go")]);
  const folder = join(temporaryFolder(), "new", "one");
  const { path } = forkSession(transcript.path, idOf(1), { clock, folder });
  expect([dirname(path), readSession(path).messages.length]).toEqual([folder, 1]);
});

test("a message that is missing or was retracted is refused by name, and nothing is written", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  appendAll(transcript, [
    user("u", "go"),
    assistant("a1", "m", [{ type: "text", text: "no" }]),
    { ...tombstone("stone"), targets: ["a1"] },
  ]);
  transcript.close();
  const text = readFileSync(transcript.path, "utf8");
  const older = text.replace('"type":"system","subtype":"tombstone"', '"type":"tombstone"');
  expect(older).not.toBe(text);
  for (const lines of [text, older]) {
    writeFileSync(transcript.path, lines);
    for (const [at, message] of [
      ["nobody", "The session has no message nobody."],
      ["a1", "The message a1 was taken back: name another one."],
    ] as const)
      expect(() => forkSession(transcript.path, idOf(1), { clock, upTo: at })).toThrow(
        expect.objectContaining({ code: "not_found", message }) as Error,
      );
  }
  expect(readdirSync(folder)).toEqual([`${transcript.sessionId}.jsonl`]);
});

test("a copy has the title that it is given, not the original's", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  appendAll(transcript, [user("u", "go")]);
  transcript.appendMeta("title", { title: "Parser" });
  const { path } = forkSession(transcript.path, idOf(1), { clock, title: "Parser (fork)" });
  expect(readSession(path)).toMatchObject({ title: "Parser (fork)", messages: [{ content: [{ text: "go" }] }] });
});

test("a copy is synced to the disk before it gets its final name", () => {
  const transcript = open(temporaryFolder());
  appendAll(transcript, sampleConversation());
  const calls: string[] = [];
  const fs = breakable((call) => void calls.push(call));
  forkSession(transcript.path, idOf(1), { clock, fs });
  const [written, synced, found] = ["write", "sync", "rename"].map((call) => calls.lastIndexOf(call)) as number[];
  expect(synced).toBeGreaterThan(written!);
  expect(found).toBeGreaterThan(synced!);
});

test("a copy includes its agents up to that time, and no agents that began later", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  const at = (minute: number) => `2026-11-20T12:0${minute}:00.000Z`;
  appendAll(transcript, [
    { ...user("u", "go"), timestamp: at(2) },
    { ...user("v", "on"), timestamp: at(5) },
  ]);
  const agent = (id: string, minute: number) => {
    const path = subagentPath(transcript.path, id);
    mkdirSync(dirname(path), { recursive: true });
    const lines = [minute, minute + 2].map((each) => ({
      ...JSON.parse(readFileSync(transcript.path, "utf8").split("\n")[1]!),
      uuid: `${id}-${each}`,
      timestamp: at(each),
      message: { ...user(`${id}-${each}`, `at ${each}`), timestamp: at(each) },
    }));
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  };
  agent("early", 1);
  agent("late", 4);
  const { path } = forkSession(transcript.path, idOf(1), { clock, upTo: "u" });
  expect(readSession(subagentPath(path, "early")).messages).toHaveLength(1);
  expect(readdirSync(dirname(subagentPath(path, "early")))).toEqual(["agent-early.jsonl"]);
  const whole = forkSession(transcript.path, idOf(2), { clock });
  const [early, late] = ["early", "late"].map((id) => readSession(subagentPath(whole.path, id)));
  expect([early!.messages, late!.messages].map(({ length }) => length)).toEqual([2, 2]);
  expect(early!.sessionId).toBe(idOf(2));
});

test("results of messages that a compaction kept are found if only the boundary contains them", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  const kept = [user("s", "summary"), assistant("k1", "m", [use("one")]), result("k2", "one"), user("k3", "later")];
  appendAll(transcript, [boundary("b", kept)]);
  transcript.close();
  expect(uuids(readSession(transcript.path, undefined, undefined, "k1").messages)).toEqual(["s", "k1", "k2"]);
});

test("a copy of a session whose first message is lost also has its thinking marked as unbound", () => {
  const transcript = open(temporaryFolder());
  const thinking = { type: "thinking" as const, thinking: "t", signature: "s" };
  appendAll(transcript, [
    user("u", "first"),
    assistant("a", "m", [thinking, { type: "text", text: "answer" }]),
    responseEnd("e", "m"),
    user("v", "second"),
  ]);
  transcript.close();
  const [facts, , ...rest] = readFileSync(transcript.path, "utf8").split("\n");
  writeFileSync(transcript.path, [facts, "damaged", ...rest].join("\n"));
  expect(readSession(transcript.path).hasUnboundThinking).toBe(true);
  const { path, skipped } = forkSession(transcript.path, idOf(1), { clock });
  expect([readSession(path).hasUnboundThinking, skipped]).toEqual([true, 1]);
});
