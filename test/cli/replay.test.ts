// The words after `pawl replay`.
import { expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { replayHelp } from "../../src/cli/replay-arguments.ts";

test("pawl replay takes one session, or all sessions of a folder", () => {
  expect(parseArguments(["replay", "0f2a"])).toEqual({ kind: "replay", replay: { session: "0f2a", json: false } });
  expect(parseArguments(["replay", "--json", "./a.jsonl"])).toMatchObject({
    replay: { session: "./a.jsonl", json: true },
  });
  expect(parseArguments(["replay", "--all"])).toEqual({ kind: "replay", replay: { session: null, json: false } });
  expect(parseArguments(["replay", "--all", "kept"])).toMatchObject({ replay: { session: null, folder: "kept" } });
});

test("pawl replay refuses other words with a sentence", () => {
  expect(() => parseArguments(["replay"])).toThrow("pawl replay needs a session: its id, its title or its file.");
  expect(() => parseArguments(["replay", "one", "two"])).toThrow("pawl replay takes one session");
  expect(() => parseArguments(["replay", "one", "--fast"])).toThrow('not "--fast"');
});

test("the help of pawl replay fits into 80 columns", () => {
  expect(parseArguments(["replay", "--help"])).toEqual({ kind: "help", text: replayHelp });
  for (const line of replayHelp.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});
