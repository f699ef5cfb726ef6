/** The file is cut at any byte, as a crash or a power cut would: it can be read, resumed, repaired and continued. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../../src/protocol/index.ts";
import { readSession, repairOrphans, transcriptPath } from "../../src/transcript/index.ts";
import {
  appendAll,
  boundary,
  clock,
  createIds,
  open,
  pairProblems,
  sampleConversation,
  sessionId,
  user,
} from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { byTestDepth } from "../support/test-depth.ts";

interface Recorded {
  bytes: Buffer;
  /** Where each record's line ends, without its line feed. */
  ends: { uuid: string; end: number }[];
  messages: Message[];
}

function record(messages: Message[]): Recorded {
  const transcript = open(temporaryFolder());
  appendAll(transcript, messages);
  transcript.close();
  const bytes = readFileSync(transcript.path);
  const ends: Recorded["ends"] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at);
    ends.push({ uuid: (JSON.parse(bytes.toString("utf8", at, end)) as { uuid: string }).uuid, end });
    at = end + 1;
  }
  return { bytes, ends, messages };
}

/** Cuts, resumes, repairs, appends a prompt, and reads again. */
function cutAndResume({ bytes, ends }: Recorded, cut: number) {
  const folder = temporaryFolder();
  const path = transcriptPath(folder, sessionId);
  writeFileSync(path, bytes.subarray(0, cut));
  const recorded = ends.filter(({ end }) => end <= cut).map(({ uuid }) => uuid);
  const session = readSession(path);
  const repair = repairOrphans(session.messages, createIds("repair"), clock);
  const transcript = open(folder, { resume: session.resumePoint });
  appendAll(transcript, [...repair, user("after", "go on")]);
  const tail = transcript.tailRepair();
  transcript.close();
  return { path, folder, session, repair, recorded, tail, again: readSession(path) };
}

test("a transcript cut at any byte gives all recorded messages once, and every call its one result", () => {
  const recorded = record(sampleConversation());
  // A cut inside a line is like the next one; around its end none is like another.
  const isTold = (cut: number): boolean =>
    cut % byTestDepth(23, 1) === 0 || recorded.ends.some(({ end }) => Math.abs(cut - end) <= 2);
  for (let cut = 1; cut <= recorded.bytes.length; cut++) {
    if (!isTold(cut)) continue;
    const { session, again, recorded: uuids, tail, folder } = cutAndResume(recorded, cut);
    const expected = recorded.messages.filter((message) => uuids.includes(message.uuid));
    expect(session.messages, `cut at ${cut}`).toEqual(expected);
    expect(session.report.badLines).toBe(0);
    expect(again.messages.filter((message) => expected.some((each) => each.uuid === message.uuid))).toEqual(expected);
    expect(pairProblems(again.messages), `cut at ${cut}`).toEqual([]);
    expect(again.report).toMatchObject({ badLines: 0, gaps: [], chainBreaks: 0, tornTail: undefined });
    const wasTorn = session.report.tornTail !== undefined;
    expect(tail?.kind === "set_aside").toBe(wasTorn);
    if (tail?.kind === "set_aside")
      expect(readFileSync(tail.path)).toEqual(recorded.bytes.subarray(cut - tail.bytes, cut));
    else expect(existsSync(`${folder}/${sessionId}.torn-1`)).toBe(false);
  }
});

test("a torn line longer than one chunk is set aside whole", () => {
  const recorded = record([user("first", "hi"), user("long", "x".repeat(200_000))]);
  const [start, cut] = [recorded.ends.at(-2)!.end + 1, recorded.bytes.length - 10];
  const { tail, folder, again } = cutAndResume(recorded, cut);
  const path = `${folder}/${sessionId}.torn-1`;
  expect(tail).toEqual({ kind: "set_aside", path, bytes: cut - start });
  expect(readFileSync(path).equals(recorded.bytes.subarray(start, cut))).toBe(true);
  expect(again.messages.map(({ uuid }) => uuid)).toEqual(["first", "after"]);
  expect(again.report.badLines).toBe(0);
});

test("a cut anywhere around a boundary gives either all of the old conversation or all of the new one", () => {
  const old = sampleConversation(0);
  const recorded = record([...old, boundary("b", [user("s", "summary"), user("k", "kept")]), ...sampleConversation(1)]);
  const end = recorded.ends.find(({ uuid }) => uuid === "b")!.end;
  fc.assert(
    fc.property(fc.integer({ min: recorded.ends[0]!.end, max: recorded.bytes.length }), (cut) => {
      const { again } = cutAndResume(recorded, cut);
      const uuids = again.messages.map((message) => message.uuid);
      if (cut >= end) expect(uuids.slice(0, 2)).toEqual(["s", "k"]);
      else expect(uuids).not.toContain("s");
      expect(uuids.includes("t0-prompt")).toBe(cut < end && cut >= recorded.ends[1]!.end);
      expect(pairProblems(again.messages)).toEqual([]);
    }),
    { numRuns: byTestDepth(80, 300) },
  );
});

test("random damage never stops a resume, and the calls and results that are left are in pairs", () => {
  const recorded = record([...sampleConversation(0), ...sampleConversation(1), ...sampleConversation(2)]);
  const damage = fc.record({
    at: fc.nat(recorded.bytes.length - 1),
    length: fc.integer({ min: 1, max: 400 }),
    byte: fc.constantFrom(0, 10, 13, 34, 92, 123, 255),
  });
  fc.assert(
    fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), (damages) => {
      const bytes = Buffer.from(recorded.bytes);
      for (const { at, length, byte } of damages) bytes.fill(byte, at, Math.min(bytes.length, at + length));
      const folder = temporaryFolder();
      const path = transcriptPath(folder, sessionId);
      writeFileSync(path, bytes);
      const session = readSession(path);
      const repair = repairOrphans(session.messages, createIds("repair"), clock);
      const transcript = open(folder, { resume: session.resumePoint });
      appendAll(transcript, [...repair, user("after", "go on")]);
      transcript.close();
      const again = readSession(path);
      expect(pairProblems(again.messages)).toEqual([]);
      expect(again.messages.at(-1)?.uuid).toBe("after");
      expect(new Set(again.messages.map((message) => message.uuid)).size).toBe(again.messages.length);
    }),
    { numRuns: byTestDepth(80, 300) },
  );
});

test("a repair is recorded once, so a second resume has nothing to repair", () => {
  const recorded = record(sampleConversation());
  const cut = recorded.ends.find(({ uuid }) => uuid === "t0-a2")!.end;
  const { again, repair } = cutAndResume(recorded, cut);
  expect(repair).toHaveLength(1);
  expect(repairOrphans(again.messages, createIds("second"), clock)).toEqual([]);
});

test("torn tails are set aside under different names", () => {
  const folder = temporaryFolder();
  const path = transcriptPath(folder, sessionId);
  const first = open(folder);
  appendAll(first, [user("u0", "hi")]);
  first.close();
  for (let n = 1; n <= 3; n++) {
    appendFileSync(path, `{"torn":${n}`);
    const next = open(folder, { resume: readSession(path).resumePoint });
    appendAll(next, [user(`u${n}`, "hi")]);
    expect(next.tailRepair()).toMatchObject({ kind: "set_aside", path: `${folder}/${sessionId}.torn-${n}` });
    next.close();
  }
  expect(readSession(path).messages).toHaveLength(4);
});
