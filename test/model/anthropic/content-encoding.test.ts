// Servers and gateways that compress although they are asked not to.
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { decodedBody } from "../../../src/model/anthropic/content-encoding.ts";
import { createAnthropicModel } from "../../../src/model/index.ts";
import { serve } from "../support/servers.ts";
import { failureOf, hear, said, type Heard } from "../support/wire.ts";

async function answered(encoding: string, body: Uint8Array, status = 200): Promise<Heard> {
  const type = status === 200 ? "text/event-stream" : "application/json";
  const { url } = await serve((request, response) => {
    request.resume();
    response.writeHead(status, { "content-type": type, "content-encoding": encoding }).end(body);
  });
  const model = createAnthropicModel({ version: "1.0.0", baseUrl: url });
  onTestFinished(() => model.dispose());
  return await hear(model);
}

const plain = (text: string): Uint8Array => Buffer.from(text);

test.each([
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
  ["gzip, br", (text: string) => brotliCompressSync(gzipSync(text))],
  ["gzip, gzip", gzipSync],
  ["gzip", plain],
  ["br", plain],
  ["utf-8", plain],
  ["identity, identity", plain],
] as [string, (text: string) => Uint8Array][])(
  "an answer with content-encoding %s is decoded",
  async (encoding, compress) => {
    expect((await answered(encoding, compress(said("ok")))).outcome).toMatchObject({
      ok: true,
      stopReason: "end_turn",
    });
  },
);

// Seen: a gateway's own words were taken for a broken answer, and an answer whose first bytes came alone was lost.
test.each([
  ["gzip", "\n"],
  ["gzip", "e"],
  ["zstd", "\n"],
  ["zstd", "e"],
])("a plain answer labelled %s is read even if its first byte comes alone", async (encoding, first) => {
  const incoming = Object.assign(new PassThrough(), { headers: { "content-encoding": encoding } });
  const body = decodedBody(incoming as unknown as IncomingMessage, () => {})[Symbol.asyncIterator]();
  incoming.write(first);
  expect((await body.next()).value?.toString()).toBe(first);
  incoming.end("vent: ping");
  expect((await body.next()).value?.toString()).toBe("vent: ping");
});

// Seen: of frames that came together, all but the first were lost without a word.
test.each([1, 3, 20, 1_000_000])("zstd in many frames is decoded whole, read %s bytes at a time", async (size) => {
  const events = Array.from({ length: 30 }, (_, at) => `event ${at} (*P*M\n`);
  const skipped = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2]);
  const whole = Buffer.concat(events.flatMap((each) => [zstdCompressSync(each), skipped]));
  const incoming = Object.assign(new PassThrough(), { headers: { "content-encoding": "zstd" } });
  const body = decodedBody(incoming as unknown as IncomingMessage, () => {});
  for (let at = 0; at < whole.length; at += size) incoming.write(whole.subarray(at, at + size));
  incoming.end();
  const read: Uint8Array[] = [];
  for await (const bytes of body) read.push(bytes);
  expect(Buffer.concat(read).toString()).toBe(events.join(""));
});

test("a plain-text refusal that is labelled gzip is shown", async () => {
  const { outcome } = await answered("gzip", plain("no such model here"), 403);
  expect(failureOf(outcome)).toMatchObject({ message: expect.stringContaining("no such model here") });
});

test("a truncated zstd answer is read up to where it was cut", async () => {
  const whole = zstdCompressSync(said("ok".repeat(1000)));
  const cut = await answered("zstd", whole.subarray(0, whole.length / 2));
  expect(failureOf(cut.outcome)).toMatchObject({ kind: "truncated_stream", recovery: "retry" });
});

test("a compressed error is decoded", async () => {
  const body = gzipSync(JSON.stringify({ type: "error", error: { type: "permission_error", message: "not you" } }));
  expect(failureOf((await answered("gzip", body, 403)).outcome)).toMatchObject({
    kind: "permission_denied",
    message: expect.stringContaining("not you"),
  });
});

test("a truncated, broken or unknown encoding is a failure that may be retried", async () => {
  const whole = gzipSync(said("ok".repeat(1000)));
  const cut = await answered("gzip", whole.subarray(0, whole.length / 2));
  expect(failureOf(cut.outcome)).toMatchObject({ kind: "truncated_stream", recovery: "retry" });
  expect(failureOf((await answered("gzip", Buffer.from("nonsense"))).outcome)).toMatchObject({ recovery: "retry" });
  expect(failureOf((await answered("snappy", Buffer.from("x"))).outcome)).toMatchObject({
    recovery: "retry",
    message: expect.stringContaining("snappy"),
  });
});

test.each([
  ["in the same chunk", []],
  ["in a later chunk", [1]],
  ["after several members", [1, 2]],
])("bytes that a proxy adds after a gzip body are ignored: %s", async (_, cuts) => {
  const text = said("ok".repeat(1000));
  const half = Math.floor(text.length / 2);
  const members = [gzipSync(text.slice(0, half)), gzipSync(text.slice(half))];
  for (const junk of ["\r\n", "garbage", "\x1f\x8b\x01\x02", "\x1f\x8b\x08\x00and so on"]) {
    const parts = [...members, Buffer.from(junk, "latin1")];
    const { url } = await serve((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
      let at = 0;
      for (const cut of cuts) {
        response.write(Buffer.concat(parts.slice(at, cut)));
        at = cut;
      }
      response.end(Buffer.concat(parts.slice(at)));
    });
    const model = createAnthropicModel({ version: "1.0.0", baseUrl: url });
    onTestFinished(() => model.dispose());
    expect((await hear(model)).outcome).toMatchObject({ ok: true, stopReason: "end_turn" });
  }
});

test("a gzip body with a wrong checksum is a failure, whatever follows", async () => {
  const broken = gzipSync(said("ok".repeat(1000)));
  broken.writeUInt32LE(1, broken.length - 8);
  const outcome = (await answered("gzip", Buffer.concat([broken, Buffer.from("garbage")]))).outcome;
  expect(failureOf(outcome)).toMatchObject({ recovery: "retry" });
});

test("everything sent before the connection broke is read before the error is thrown", async () => {
  const headers = { "content-encoding": "gzip" };
  const incoming = Object.assign(new PassThrough(), { headers }) as unknown as IncomingMessage & PassThrough;
  // In the same moment, before any of it can be decoded.
  incoming.once("data", () => incoming.destroy(new Error("reset")));
  let over = 0;
  const body = decodedBody(incoming, () => over++);
  incoming.write(gzipSync("all of it"));
  let read = "";
  const reading = (async () => {
    for await (const bytes of body) read += Buffer.from(bytes).toString();
  })();
  await expect(reading).rejects.toThrow("reset");
  expect([read, over]).toEqual(["all of it", 1]);
});
