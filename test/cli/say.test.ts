// What the command prints, by who reads it.
import { expect, test } from "vitest";
import { written } from "../../src/cli/say.ts";
import { Collector } from "../surface/support/sink.ts";

const json = JSON.stringify({ name: "a\x9b31m\x1b[2J" });

test("JSON of a command that a terminal shows holds nothing that it acts on, and to a program it is as it was", async () => {
  const terminal = new Collector();
  terminal.isTTY = true;
  expect(await written(terminal, json)).toBe(true);
  expect(terminal.text).toBe('{"name":"a\\u009b31m\\u001b[2J"}');
  const pipe = new Collector();
  await written(pipe, json);
  expect(pipe.text).toBe(json);
});
