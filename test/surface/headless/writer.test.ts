// What standard output gets, by who reads it.
import { expect, test } from "vitest";
import { OutputWriter } from "../../../src/surface/headless/writer.ts";
import { Collector } from "../support/sink.ts";

const line = JSON.stringify({ result: "a\x9b31m\x7fb\u00a0é" });

test("escapes control characters of JSON for a terminal without changing its meaning", async () => {
  const terminal = new Collector();
  terminal.isTTY = true;
  const writer = new OutputWriter(terminal);
  writer.write(line);
  await writer.finish(1_000);
  expect(terminal.text).toBe('{"result":"a\\u009b31m\\u007fb\u00a0é"}');
  expect(JSON.parse(terminal.text)).toEqual(JSON.parse(line));
});

test("writes JSON unchanged to a pipe", async () => {
  const pipe = new Collector();
  const writer = new OutputWriter(pipe);
  writer.write(line);
  await writer.finish(1_000);
  expect(pipe.text).toBe(line);
});
