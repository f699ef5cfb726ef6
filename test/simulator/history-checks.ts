// What a rewriting of history may do: less than before, nothing but what it says, the head and the recent tail as they were.
import { isDeepStrictEqual } from "node:util";
import type { Watcher } from "./watcher.ts";
import type { Block, Entry, Transcript } from "./transcripts.ts";
import { expectedBlocks, type WireRequest } from "./wire-view.ts";

/** What a summary says that its limit cuts. */
export const cutSummary = "The first half of a summary";

/** Every boundary of the lines from `from` on, against the conversation it replaced. */
export function checkRewrites(seat: Watcher, from: number): void {
  seat.transcript.lines.slice(from).forEach(({ message }) => {
    if (message?.type !== "compact_boundary") return;
    const before = seat.transcript.replaced.get(message.uuid);
    if (before === undefined) return;
    const [old, now] = [estimatedSize(before), estimatedSize(message.messages ?? [])];
    if (now >= old + sizeTolerance && !before.some(hasMedia))
      seat.addProblem("law 5", `a compaction made ${old} bytes ${now}`);
    checkKeptEntries(seat, message, before);
    const summary = JSON.stringify(message.messages?.find(({ isCompactSummary }) => isCompactSummary === true) ?? "");
    // One of before, where there is no new one, is quoted with its middle left out.
    if (!summary.includes(cutSummary) || summary.includes("An earlier summary said")) return;
    seat.world.count("seen", "cut summary");
    if (!summary.includes("was cut here"))
      seat.addProblem("compaction", "a summary that was cut passes for a whole one");
  });
}

/** Bytes that the weighing may be off by. */
const sizeTolerance = 100;

/** What a block is wrapped in: a type, braces, for calls and results an id that goes with them. */
const wrappings: Record<string, number> = { text: 25, tool_use: 50, tool_result: 60 };

/** JSON has more tokens than words of the same length, about seven for five. */
const tokenDensity: Record<string, number> = { tool_use: 1.4 };

/** What the model is sent, in bytes of words, about: that is what tokens go by. Media are counted as a word. */
function estimatedSize(entries: readonly Entry[]): number {
  const blocks = expectedBlocks(entries, false);
  const said = blocks.reduce(
    (sum, { kind, text }) => sum + (wrappings[kind] ?? 0) + Buffer.byteLength(text) * (tokenDensity[kind] ?? 1),
    0,
  );
  const notes = entries.reduce((sum, { attachment }) => sum + bytesOf(attachment?.["text"] ?? ""), 0);
  const stripped = entries.findLastIndex(({ type }) => type === "thinking_stripped");
  const thoughts = entries.slice(stripped + 1).flatMap(({ content = [] }) => content.filter(isThinking));
  return said + notes + thoughts.reduce((sum, block) => sum + bytesOf(block), 0);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function isThinking({ type }: Block): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function checkKeptEntries(seat: Watcher, boundary: Entry, before: readonly Entry[]): void {
  const after = boundary.messages ?? [];
  const old = new Map(before.map((entry) => [entry.uuid, entry]));
  const stayed = after.filter(({ uuid }) => old.has(uuid));
  for (const entry of stayed)
    if (!hasMedia(old.get(entry.uuid)) && !isDeepStrictEqual(entry, old.get(entry.uuid)) && !isSpilledResult(entry))
      seat.addProblem("compaction", `${entry.type} ${entry.uuid} was kept, and changed`);
  const head = before.filter(({ origin }) => origin === "context");
  for (const { uuid } of head)
    if (!after.some((entry) => entry.uuid === uuid)) seat.addProblem("compaction", "the pinned head is gone");
  if (stayed.some(({ uuid }) => hasMedia(old.get(uuid)))) return;
  // In the order of a request: the results of a response may stand between its blocks where they were recorded.
  const all = expectedBlocks(
    before.filter(({ origin }) => origin !== "context"),
    false,
  ).map(({ text }) => text);
  const tail = expectedBlocks(
    stayed.filter(({ origin }) => origin !== "context"),
    false,
  ).map(({ text }) => text);
  const end = all.slice(all.length - tail.length);
  const at = tail.findIndex((text, index) => text !== end[index] && !isSpilledSince(text, end[index] ?? ""));
  if (at >= 0)
    seat.addProblem(
      "compaction",
      `of ${all.length} blocks the last ${tail.length} were kept, but for ${at}: ${tail[at]?.slice(0, 120)} instead of ${end[at]?.slice(0, 120)}`,
    );
}

const spillNote = /\[This result of \w+ has \d+ characters, more than fits here\. [^\n]*/;

/** A result that was refused before the model saw it goes to a file, in a window that was told only then. */
function isSpilledResult({ type, content = [] }: Entry): boolean {
  return (
    type === "user" && content.some((block) => block.type === "tool_result" && spillNote.test(JSON.stringify(block)))
  );
}

/** What was in a file before is in no other one now. */
function isSpilledSince(text: string, before: string): boolean {
  const [now, then] = [spillNote.exec(text)?.[0], spillNote.exec(before)?.[0]];
  return now !== undefined && (then === undefined || then === now) && text.length < before.length;
}

function hasMedia(entry: Entry | undefined): boolean {
  return JSON.stringify(entry ?? "").includes('"image"');
}

/** Thinking of the work in progress goes back with it, as it came. */
export function checkThinking(seat: Watcher, { conversation }: Transcript, request: WireRequest, body: string): void {
  if (request["thinking"] === undefined || (request["thinking"] as { type: string }).type === "disabled") return;
  const begin = Math.max(
    conversation.findLastIndex(({ type, origin }) => type === "user" && origin === "human"),
    conversation.findLastIndex(({ type }) => type === "thinking_stripped"),
    conversation.findLastIndex(({ isCompactSummary }) => isCompactSummary === true),
    0,
  );
  const work = conversation
    .slice(begin)
    .filter(({ type, apiError, model }) => type === "assistant" && apiError === undefined && model === request.model);
  const blocks = work.flatMap(({ content = [], messageId }) =>
    content.map((block): [Block, string] => [block, messageId ?? ""]),
  );
  blocks.forEach(([block, id], at) => {
    const goesOn = blocks.slice(at + 1).some(([other, otherId]) => otherId === id && !isThinking(other));
    const signature = block["signature"];
    if (block.type !== "thinking" || !goesOn || typeof signature !== "string" || signature === "") return;
    if (!body.includes(JSON.stringify(signature)))
      seat.addProblem("I3", "thinking of the work in progress was left out");
  });
}
