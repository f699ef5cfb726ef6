// Frames of a WebSocket, however they are cut.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FrameReader, encodeFrame } from "../../src/mcp/frames.ts";
import { frame } from "./socket-server.ts";

/** What is read of these chunks; a text at the end: what is wrong. */
function read(chunks: readonly Buffer[], maxBytes = 1024 * 1024): string[] {
  const heard: string[] = [];
  const reader = new FrameReader(maxBytes, (kind, payload) => void heard.push(`${kind} ${payload.toString()}`));
  for (const chunk of chunks) {
    const why = reader.push(chunk);
    if (why !== undefined) return [...heard, why];
  }
  return heard;
}

const wrong = "it sent something that is not a WebSocket frame";

describe("frames that are read", () => {
  test("are the same wherever the bytes are split", () => {
    const texts = fc.array(fc.integer({ min: 0, max: 70_000 }), { maxLength: 4 });
    const cuts = fc.array(fc.integer({ min: 0, max: 300_000 }), { maxLength: 6 });
    fc.assert(
      fc.property(texts, cuts, (lengths, at) => {
        const bytes = Buffer.concat(lengths.map((length) => frame(Buffer.alloc(length, 97))));
        const places = [0, ...at.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        expect(read(chunks)).toEqual(lengths.map((length) => `text ${"a".repeat(length)}`));
      }),
      { numRuns: 30 },
    );
  });

  test("are joined from fragments, with control frames in between", () => {
    const pieces = [frame(Buffer.from("go"), 1), frame(Buffer.from("?"), 0x89), frame(Buffer.from("od"), 0x80)];
    expect(read(pieces)).toEqual(["ping ?", "text good"]);
    expect(read([...pieces, ...pieces])).toHaveLength(4);
  });

  test.each([
    ["a continuation without a beginning", [frame(Buffer.from("x"), 0x80)]],
    ["a message inside another message", [frame(Buffer.from("x"), 1), frame(Buffer.from("x"))]],
    ["an unknown kind", [frame(Buffer.from("x"), 0x83)]],
    ["a mask", [encodeFrame("text", Buffer.from("x"))]],
    ["an extension that was not negotiated", [frame(Buffer.from("x"), 0xc1)]],
    ["a goodbye in pieces", [frame(Buffer.from("x"), 8)]],
    ["a few bytes of another protocol", [Buffer.from("HTTP")]],
    ["a long goodbye", [frame(Buffer.alloc(126), 0x88)]],
    ["more pieces than words", Array.from({ length: 10_001 }, (_, at) => frame(Buffer.alloc(0), at === 0 ? 1 : 0))],
  ])("are rejected: %s", (_what, chunks) => {
    expect(read(chunks)).toEqual([wrong]);
  });

  test("are rejected by their header if they are too long, alone or together", () => {
    const long = frame(Buffer.alloc(70_000)).subarray(0, 10);
    expect(read([long], 64 * 1024)).toEqual(["it sent a message of more than 0.0625 MiB"]);
    const half = Buffer.alloc(40_000);
    expect(read([frame(half, 1), frame(half, 0).subarray(0, 4)], 64 * 1024)).toEqual([
      "it sent a message of more than 0.0625 MiB",
    ]);
  });
});
