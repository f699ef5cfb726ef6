/** Records that change the past without standing for it: snips and cleared results, as they are folded, read, refused and copied. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Message, ResultsClearedMessage, SnipBoundaryMessage, SnipReplay } from "../../src/protocol/index.ts";
import { foldMessage, readSession } from "../../src/transcript/index.ts";
import { forkSession } from "../../src/transcript/fork.ts";
import { checkMessage } from "../../src/transcript/check-message.ts";
import { assistant, clock, open, responseEnd, result, use, user } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const timestamp = new Date(clock.now()).toISOString();

function cleared(uuid: string, ids: readonly string[], more: Partial<ResultsClearedMessage> = {}): Message {
  return {
    type: "results_cleared",
    uuid,
    timestamp,
    why: "money",
    cleared: ids.map((toolUseId) => ({ toolUseId, marker: `[${toolUseId} was here]` })),
    savedTokens: 100,
    counted: { responseEnd: "e", tokens: 90 },
    expectedRequests: 7,
    netUsd: 0.01,
    ...more,
  };
}

function snip(uuid: string, fromUuid: string, toUuid: string, more: Partial<SnipBoundaryMessage> = {}): Message {
  const counted = { responseEnd: "e", tokens: 12 };
  return { type: "snip_boundary", uuid, timestamp, fromUuid, toUuid, by: "host", savedTokens: 12, counted, ...more };
}

const replay: SnipReplay = ({ fromUuid, toUuid }, messages) => {
  const from = messages.findIndex(({ uuid }) => uuid === fromUuid);
  const to = messages.findIndex(({ uuid }) => uuid === toUuid);
  return from < 0 || to < from ? undefined : [...messages.slice(0, from), ...messages.slice(to + 1)];
};

const conversation = [
  user("p", "read two files"),
  assistant("a", "m", [use("c1"), use("c2")]),
  responseEnd("e", "m"),
  { ...result("r1", "c1", "one ".repeat(500)), toolUseResult: { file: "one" } },
  result("r2", "c2", [{ type: "text", text: "two ".repeat(500) }]),
  assistant("b", "n", [{ type: "text", text: "done" }]),
];

test("folding cleared results replaces their content with markers, and drops the output for clients", () => {
  const record = cleared("k", ["c1", "c2", "unknown"]);
  const folded = foldMessage(conversation, record);
  expect(folded.map(({ uuid }) => uuid)).toEqual(["p", "a", "e", "r1", "r2", "b", "k"]);
  expect(folded[3]).toEqual(result("r1", "c1", "[c1 was here]"));
  expect(folded[4]).toEqual(result("r2", "c2", "[c2 was here]"));
  expect([folded[0], folded[1], folded[5]]).toEqual([conversation[0], conversation[1], conversation[5]]);
  expect(conversation[3]).toHaveProperty("toolUseResult");
});

test("folding a snip removes its span if it is replayed, and otherwise changes nothing", () => {
  const record = snip("s", "a", "r2");
  expect(foldMessage(conversation, record, replay).map(({ uuid }) => uuid)).toEqual(["p", "b", "s"]);
  expect(foldMessage(conversation, record)).toEqual(conversation);
  expect(foldMessage(conversation, record, () => undefined)).toEqual(conversation);
});

test("reading a session folds cleared results and snips, and counts the snips that were not replayed", () => {
  const transcript = open(temporaryFolder());
  for (const message of [...conversation, cleared("k", ["c1"]), snip("s", "b", "b")]) transcript.append(message);
  const without = readSession(transcript.path);
  expect(without.messages.map(({ uuid }) => uuid)).toEqual(["p", "a", "e", "r1", "r2", "b", "k"]);
  expect(without.messages[3]).toEqual(result("r1", "c1", "[c1 was here]"));
  expect([without.unappliedSnips, without.leafUuid, without.report.chainBreaks]).toEqual([1, "s", 0]);
  const withReplay = readSession(transcript.path, undefined, replay);
  expect(withReplay.messages.map(({ uuid }) => uuid)).toEqual(["p", "a", "e", "r1", "r2", "k", "s"]);
  expect(withReplay.unappliedSnips).toBe(0);
});

test("a snip that was requested after a loss is replayed on the repaired conversation", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  for (const message of conversation) transcript.append(message);
  transcript.close();
  const lines = readFileSync(transcript.path, "utf8").split("\n");
  writeFileSync(transcript.path, lines.filter((line) => !line.includes('"tool_use_id":"c2"')).join("\n"));
  const { resumePoint } = readSession(transcript.path);
  const again = open(folder, { resume: resumePoint });
  again.append(snip("s", "b", "b"));
  const seen: string[][] = [];
  readSession(again.path, undefined, (boundary, messages) => {
    seen.push(messages.map(({ uuid }) => uuid));
    return replay(boundary, messages);
  });
  expect(seen).toEqual([["p", "a", "a-lost", "e", "r1", "b"]]);
});

test("a copy of the session has its rewrites refer to its own records", () => {
  const transcript = open(temporaryFolder());
  for (const message of [...conversation, cleared("k", ["c1"]), snip("s", "b", "b")]) transcript.append(message);
  const copyId = "22222222-2222-4333-8444-555555555555";
  const { path } = forkSession(transcript.path, copyId, { clock });
  const [old, copy] = [readSession(transcript.path, undefined, replay), readSession(path, undefined, replay)];
  expect(copy.unappliedSnips).toBe(0);
  expect(copy.messages.map(({ type }) => type)).toEqual(old.messages.map(({ type }) => type));
  const end = copy.messages.find((message) => message.type === "response_end")!;
  for (const message of copy.messages)
    if (message.type === "results_cleared" || message.type === "snip_boundary")
      expect(message.counted?.responseEnd).toBe(end.uuid);
});

test.each<[string, object]>([
  ["no list of cleared results", { ...cleared("k", []), cleared: "all" }],
  ["a blank marker", cleared("k", ["c"], { cleared: [{ toolUseId: "c", marker: " " }] })],
  ["an unknown reason", { ...cleared("k", []), why: "spite" }],
  ["a count of tokens below zero", cleared("k", [], { counted: { responseEnd: "e", tokens: -1 } })],
  ["an invalid price", { ...cleared("k", []), netUsd: "much" }],
  ["a snip without an end", { ...snip("s", "a", "b"), toUuid: undefined }],
  ["a snip by an unknown author", { ...snip("s", "a", "b"), by: "ghost" }],
])("a rewrite record with %s is rejected", (_name, record) => {
  expect(checkMessage(JSON.parse(JSON.stringify(record)) as Record<string, unknown>)).toBeTypeOf("string");
});

test("complete rewrite records are accepted, with and without optional values", () => {
  for (const record of [
    cleared("k", ["c"], { netUsd: null, counted: null }),
    cleared("k", ["c"], { netUsd: -0.5 }),
    snip("s", "a", "b", { counted: null }),
    snip("s", "a", "b", { reason: "off topic", by: "model" }),
  ])
    expect(checkMessage({ ...record })).toBeUndefined();
});
