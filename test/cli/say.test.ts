// What the command prints, by who reads it.
import { expect, test } from "vitest";
import { formatLine, writeOutput } from "../../src/cli/say.ts";
import { Collector } from "../surface/support/sink.ts";

const json = JSON.stringify({ name: "a\x9b31m\x1b[2J" });

test("output escapes control characters of JSON for a terminal and leaves it unchanged for a pipe", async () => {
  const terminal = new Collector();
  terminal.isTTY = true;
  expect(await writeOutput(terminal, json)).toBe(true);
  expect(terminal.text).toBe('{"name":"a\\u009b31m\\u001b[2J"}');
  const pipe = new Collector();
  await writeOutput(pipe, json);
  expect(pipe.text).toBe(json);
});

test("a message is one line, wrapped between words on a terminal", () => {
  const text = "There is no file /tmp/settings.json,\nwhich --settings names.";
  const line = `pawl: ${text.replace("\n", " ")}`;
  expect(formatLine(text, undefined)).toBe(line);
  expect(formatLine(text, 0)).toBe(line);
  expect(formatLine(text, 200)).toBe(line);
  expect(formatLine(text, 40).split("\n")).toEqual([
    "pawl: There is no file",
    "/tmp/settings.json, which --settings",
    "names.",
  ]);
});
