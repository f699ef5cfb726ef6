// A response's bytes as they come: what a reader hears that waits when the body is over.
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { IncomingBody } from "../../../src/model/anthropic/incoming-body.ts";

const over = { done: true, value: undefined };

test.each<[string, (incoming: PassThrough) => unknown, object | string]>([
  ["ends", (incoming) => incoming.end(), over],
  ["breaks", (incoming) => incoming.destroy(new Error("reset")), "reset"],
  ["is closed before it is complete", (incoming) => incoming.destroy(), "closed before the answer was whole"],
])("a waiting reader is told once when the body %s", async (_how, happens, heard) => {
  const incoming = new PassThrough();
  let ends = 0;
  const body = new IncomingBody(incoming as unknown as IncomingMessage, () => ends++);
  const waits = body.next();
  happens(incoming);
  if (typeof heard === "string") await expect(waits).rejects.toThrow(heard);
  else expect(await waits).toEqual(heard);
  await body.return();
  expect(ends).toBe(1);
});

test("bytes that came before the reader asked are read in order, then the end", async () => {
  const incoming = new PassThrough();
  const body = new IncomingBody(incoming as unknown as IncomingMessage, () => undefined);
  for (const text of ["a", "b"]) incoming.write(text);
  incoming.end();
  const read: string[] = [];
  for await (const bytes of body) read.push(Buffer.from(bytes).toString());
  expect(read.join("")).toBe("ab");
  expect(body.isRead).toBe(true);
});
