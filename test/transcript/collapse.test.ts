/** A collapsed span in a transcript: as it is folded, read, refused and copied; and the summaries that wait to be needed. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CollapseCommitMessage, Message } from "../../src/protocol/index.ts";
import { foldMessage, readSession } from "../../src/transcript/index.ts";
import { forkSession } from "../../src/transcript/fork.ts";
import { checkMessage } from "../../src/transcript/check-message.ts";
import { appendAll, boundary, clock, open, sampleConversation, user } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const timestamp = new Date(clock.now()).toISOString();
const conversation = [...sampleConversation(0), ...sampleConversation(1)];
const uuids = (messages: readonly Message[]) => messages.map(({ uuid }) => uuid);
const span = uuids(conversation.slice(1, 7));

function commit(uuid: string, targets: string[], more: Partial<CollapseCommitMessage> = {}): CollapseCommitMessage {
  const messages = [user(`${uuid}-summary`, "It was looked at.", { isMeta: true, origin: "compaction" })];
  const counted = { responseEnd: "t1-e2", tokens: 50 };
  return {
    type: "collapse_commit",
    uuid,
    timestamp,
    targets,
    messages,
    preTokens: 900,
    postTokens: 850,
    counted,
    ...more,
  };
}

test("folding a collapse puts the summary where the span stood, and the record last", () => {
  const folded = foldMessage(conversation, commit("c", span));
  expect(uuids(folded)).toEqual(["t0-prompt", "c-summary", ...uuids(conversation.slice(7)), "c"]);
  expect(conversation).toHaveLength(18);
});

test("folding a collapse removes the rest of a damaged span, and adds nothing for a span that is gone", () => {
  const damaged = conversation.filter(({ uuid }) => uuid !== span[0] && uuid !== span[3]);
  expect(uuids(foldMessage(damaged, commit("c", span)))).toEqual(uuids(foldMessage(conversation, commit("c", span))));
  const gone = conversation.filter(({ uuid }) => !span.includes(uuid));
  expect(uuids(foldMessage(gone, commit("c", span)))).toEqual([...uuids(gone), "c"]);
});

test("folding two collapses in either order gives the same conversation", () => {
  const part = fc.integer({ min: 1, max: conversation.length - 1 });
  fc.assert(
    fc.property(part, part, part, part, (...points) => {
      const [a, b, c, d] = points.toSorted((one, other) => one - other) as [number, number, number, number];
      fc.pre(a < b && c < d);
      const first = commit("x", uuids(conversation.slice(a, b)));
      const second = commit("y", uuids(conversation.slice(c, d)));
      const sent = (messages: readonly Message[]) => uuids(messages).filter((uuid) => uuid !== "x" && uuid !== "y");
      expect(sent(foldMessage(foldMessage(conversation, first), second))).toEqual(
        sent(foldMessage(foldMessage(conversation, second), first)),
      );
    }),
  );
});

test("reading a session folds a collapse, even after a boundary that contains the span", () => {
  const transcript = open(temporaryFolder());
  appendAll(transcript, [...conversation, commit("c", span)]);
  const read = readSession(transcript.path);
  expect(uuids(read.messages)).toEqual(uuids(foldMessage(conversation, commit("c", span))));
  expect([read.leafUuid, read.report.chainBreaks, read.report.bad]).toEqual(["c", 0, []]);
  appendAll(transcript, [boundary("b", conversation), commit("d", span)]);
  expect(uuids(readSession(transcript.path).messages)).toEqual(uuids(foldMessage(conversation, commit("d", span))));
});

test("staged collapses are read from the last fact, and from the boundary after it", () => {
  const transcript = open(temporaryFolder());
  appendAll(transcript, conversation);
  transcript.appendMeta("staged_collapses", [{ from: "t0-a1", to: "t0-r2", summary: "old" }]);
  transcript.appendMeta("staged_collapses", [{ from: "t0-a1", to: "t0-a3", summary: "new" }]);
  const waiting = [{ from: "t0-a1", to: "t0-a3", summary: "new" }];
  expect(readSession(transcript.path).stagedCollapses).toEqual(waiting);
  appendAll(transcript, [boundary("b", conversation)]);
  const read = readSession(transcript.path);
  expect([read.stagedCollapses, read.report.startOffset > 0]).toEqual([waiting, true]);
});

test("a copy of the session has its collapses refer to its own records", () => {
  const transcript = open(temporaryFolder());
  appendAll(transcript, conversation);
  transcript.appendMeta("staged_collapses", [{ from: "t1-a1", to: "t1-a3" }, "damaged"]);
  appendAll(transcript, [commit("c", span)]);
  const [one, two] = ["22222222-2222-4333-8444-555555555555", "33333333-2222-4333-8444-555555555555"];
  const copy = readSession(forkSession(transcript.path, one, { clock }).path);
  const old = readSession(transcript.path);
  expect(copy.messages.map(({ type }) => type)).toEqual(old.messages.map(({ type }) => type));
  const [named, damaged] = copy.stagedCollapses as [{ from: string; to: string }, unknown];
  const places = [named.from, named.to].map((uuid) => uuids(copy.messages).indexOf(uuid));
  expect(places).toEqual([uuids(old.messages).indexOf("t1-a1"), uuids(old.messages).indexOf("t1-a3")]);
  expect(damaged).toBe("damaged");
  const record = copy.messages.at(-1);
  const counted = copy.messages.findLast((message) => message.type === "response_end");
  expect(record).toMatchObject({ type: "collapse_commit", counted: { responseEnd: counted?.uuid } });
  appendAll(transcript, [boundary("b", old.messages.slice(0, -1))]);
  const again = readSession(forkSession(transcript.path, two, { clock }).path);
  const [waiting] = again.stagedCollapses as { from: string }[];
  expect(uuids(again.messages)).toContain(waiting!.from);
});

test.each<[string, object]>([
  ["no targets", commit("c", [])],
  ["targets that are not uuids", { ...commit("c", span), targets: [1] }],
  ["an unknown message", { ...commit("c", span), messages: [boundary("b", [])] }],
  ["an invalid message", { ...commit("c", span), messages: [{ ...user("u", "x"), content: "x" }] }],
  ["figures below zero", commit("c", span, { postTokens: -1 })],
  ["a count of zero", { ...commit("c", span), counted: undefined }],
])("a collapse record with %s is rejected", (_name, record) => {
  expect(checkMessage({ ...record })).toBeTypeOf("string");
});

test("a complete collapse record is accepted, with and without a count", () => {
  expect(checkMessage({ ...commit("c", span) })).toBeUndefined();
  expect(checkMessage({ ...commit("c", span, { counted: null, messages: [] }) })).toBeUndefined();
});
