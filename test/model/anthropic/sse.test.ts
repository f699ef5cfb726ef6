// Bytes to events, wherever the network cuts them.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createParser } from "eventsource-parser";
import { createEventReader, StreamFormatError } from "../../../src/model/anthropic/sse.ts";
import type { RawStreamEvent } from "../../../src/protocol/stream-event.ts";
import { describeVectors } from "../../support/vectors.ts";
import { said, sse } from "../support/wire.ts";

function readAll(bytes: Uint8Array, cuts: number[] = []): RawStreamEvent[] {
  const reader = createEventReader();
  const events: RawStreamEvent[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    events.push(...reader.read(bytes.subarray(from, cut)));
    from = cut;
  }
  return events;
}

const answer = Buffer.from(said('naïve 日本語 🧪 \u2028 end\r\n\\u0000 "quoted"'));
const whole = readAll(answer);

test("an answer gives the same events wherever it is cut once, even inside a character", () => {
  expect(whole).toHaveLength(6);
  for (let cut = 1; cut < answer.length; cut++) expect(readAll(answer, [cut])).toEqual(whole);
});

test("an answer gives the same events byte by byte", () => {
  expect(readAll(answer, [...answer.keys()])).toEqual(whole);
});

test("an answer gives the same events in any chunks", () => {
  const cutting = fc
    .uniqueArray(fc.nat(answer.length), { maxLength: 30, size: "max" })
    .map((cuts) => cuts.sort((a, b) => a - b));
  fc.assert(
    fc.property(cutting, (cuts) => {
      expect(readAll(answer, cuts)).toEqual(whole);
    }),
  );
});

test.each(["\n", "\r", "\r\n"])("lines may end with %j", (ending) => {
  const text = said("x").replaceAll("\n", ending);
  expect(readAll(Buffer.from(text))).toEqual(readAll(Buffer.from(said("x"))));
});

test("a byte-order mark, comments, ids and retries are ignored", () => {
  const text = `\uFEFF: hello\n\nretry: 10\n\nid: 7\nevent: ping\ndata: {"type":"ping"}\n\nbogus\n\n`;
  expect(readAll(Buffer.from(text))).toEqual([{ type: "ping" }]);
});

test("an unknown event may hold anything", () => {
  expect(
    readAll(
      Buffer.from(
        "event: mystery\ndata: {not json\n\nevent: odd\ndata: 5\n\ndata: [DONE]\n\ndata:\n\ndata: ping\n\ndata: :keepalive {\n\n",
      ),
    ),
  ).toEqual([]);
});

test.each(["content_block_delta", "message_delta", undefined])(
  "a protocol event that is not JSON breaks the stream: %s",
  (name) => {
    const text = `${name === undefined ? "" : `event: ${name}\n`}data: {"type":"content_bl\n\n`;
    expect(() => readAll(Buffer.from(text))).toThrow(StreamFormatError);
  },
);

test("an error event in plain text is still an error", () => {
  expect(readAll(Buffer.from("event: error\ndata: Overloaded\n\n"))).toEqual([
    { type: "error", error: { message: "Overloaded" } },
  ]);
});

test("events before a broken one are on the error, however the bytes were cut", () => {
  const reader = createEventReader();
  const events = [{ type: "ping" }, { type: "content_block_stop", index: 0 }];
  const broken = expect.objectContaining({ message: expect.stringContaining("not JSON"), events });
  expect(() => reader.read(Buffer.from(`${events.map((event) => sse(event)).join("")}data: {\n\n`))).toThrow(broken);
});

test.each([
  ["a line without end", "data: ", "x".repeat(1024 * 1024)],
  ["an event without end", "", `data: ${"x".repeat(1024 * 1024)}\n`],
])("%s is rejected at 64 MiB", (_, head, piece) => {
  const reader = createEventReader();
  const bytes = Buffer.from(piece);
  reader.read(Buffer.from(head));
  let taken = 0;
  expect(() => {
    for (; taken < 200; taken++) reader.read(bytes);
  }).toThrow(/64 MiB/);
  expect(taken).toBeGreaterThan(60);
  expect(taken).toBeLessThan(66);
});

test("a stream without fields takes no memory and is rejected at 512 MiB", () => {
  const reader = createEventReader();
  const bytes = Buffer.from("x".repeat(1024 * 1024));
  let taken = 0;
  expect(() => {
    for (; taken < 1000; taken++) reader.read(bytes);
  }).toThrow(/512 MiB/);
  expect(taken).toBeLessThan(600);
});

interface SseCase {
  id: string;
  chunks?: string[];
  bytes_pct?: string;
  out?: { type: string; event?: string; data?: string }[];
  events?: { event: string; data: string }[];
  options?: { maxBufferSize?: number };
}

interface SseCollection {
  eventsource_parser: SseCase[];
  wpt: SseCase[];
  whatwg: SseCase[];
}

/** The collection's cases hold no JSON, so they go through decoder and parser put together as `sse.ts` does. */
function parse(pieces: Uint8Array[], options: { maxBufferSize?: number } = {}): { event: string; data: string }[] {
  const events: { event: string; data: string }[] = [];
  const decoder = new TextDecoder("utf-8");
  const parser = createParser({
    ...options,
    onEvent: ({ event, data }) => events.push({ event: event ?? "message", data }),
  });
  try {
    for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }));
  } catch (error) {
    if (options.maxBufferSize === undefined) throw error;
  }
  return events;
}

describeVectors<SseCollection>("sse", (collection) => {
  const cases = [...collection.eventsource_parser, ...collection.wpt, ...collection.whatwg];
  const piecesOf = ({ chunks, bytes_pct: percent }: SseCase): Uint8Array[] =>
    chunks?.map((chunk) => Buffer.from(chunk)) ?? [percentDecoded(percent ?? "")];
  const wantedOf = ({ events, out = [] }: SseCase): unknown =>
    events ?? out.filter(({ type }) => type === "event").map(({ event = "message", data = "" }) => ({ event, data }));

  test.each(cases)("$id is parsed as the collection expects", (each) => {
    expect(parse(piecesOf(each), each.options)).toEqual(wantedOf(each));
  });

  // Where a buffer limit is set, what is buffered depends on the pieces.
  test.each(cases.filter(({ options }) => options?.maxBufferSize === undefined))(
    "$id is parsed the same in one piece and byte by byte",
    (each) => {
      const bytes = Buffer.concat(piecesOf(each));
      expect(parse([bytes])).toEqual(wantedOf(each));
      expect(parse([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(wantedOf(each));
    },
  );
});

function percentDecoded(text: string): Buffer {
  return Buffer.from(
    text.replace(/%([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1",
  );
}
