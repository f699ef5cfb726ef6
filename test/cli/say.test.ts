// What the command prints, by who reads it.
import { expect, test } from "vitest";
import { said, written } from "../../src/cli/say.ts";
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

test("a line of ours is one line, whose words stay whole on a terminal", () => {
  const text = "There is no file /tmp/settings.json,\nwhich --settings names.";
  const line = `pawl: ${text.replace("\n", " ")}`;
  expect(said(text, undefined)).toBe(line);
  expect(said(text, 0)).toBe(line);
  expect(said(text, 200)).toBe(line);
  expect(said(text, 40).split("\n")).toEqual([
    "pawl: There is no file",
    "/tmp/settings.json, which --settings",
    "names.",
  ]);
});
