/** Runs the real command for long against the wild model, and checks everything that must hold afterwards. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { makePlace, type Place } from "./place.ts";
import { blocksOf, type Json } from "./strict.ts";
import { Wild, type WildOptions } from "./wild.ts";
import { startWire, type ReceivedRequest } from "./wire.ts";

const prompts = 4;

export async function soak(options: WildOptions, more: readonly string[] = []): Promise<Record<string, number>> {
  const wild = new Wild(options);
  const server = await startWire((asked) => wild.answer(asked));
  const place = makePlace(server.url);
  try {
    lay(place);
    const input = Array.from({ length: prompts }, (_, at) => userLine(`task ${at + 1}`)).join("");
    const ended = await place.run(
      [
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--allowed-tools",
        "Bash(./mark *)",
        "Write",
        ...more,
      ],
      { input },
    );
    const where = `seed ${options.seed}: ${ended.stderr}`;
    expect(wild.violations, where).toEqual([]);
    const results = ended.lines.filter((line) => line["type"] === "result");
    expect(
      results.map((result) => [result["subtype"], result["terminal_reason"]]),
      where,
    ).toEqual(Array.from({ length: prompts }, () => ["success", "completed"]));
    expect(ended.code, where).toBe(0);
    for (const result of results) expect(Number.isFinite(result["total_cost_usd"])).toBe(true);
    checkMarks(place.folder, server.requests, wild);
    expect(place.leftovers()).toEqual([]);
    return wild.counts;
  } finally {
    await server.close();
    place.clear();
  }
}

export function userLine(text: unknown, more: Json = {}): string {
  return `${JSON.stringify({ type: "user", message: { role: "user", content: text }, parent_tool_use_id: null, session_id: "", ...more })}\n`;
}

export function lay(place: Place): void {
  place.write("notes.txt", "a note\nanother note\n");
  place.write("mark", '#!/bin/sh\necho "$1" >> marks\n', 0o755);
  place.write("marks", "");
}

/** Expects that each call of the conversation ran once, and nothing else ran. Whether a stopped call ran may be unknown. */
export function checkMarks(folder: string, requests: readonly ReceivedRequest[], wild: Wild, wasStopped = false): void {
  const marks = readFileSync(join(folder, "marks"), "utf8").split("\n").filter(Boolean);
  expect(new Set(marks).size, "a call ran twice").toBe(marks.length);
  const [succeeded, called] = [new Set<string>(), new Set<string>()];
  // All requests: after a shortening, only the earlier ones contain the past.
  for (const { body } of requests) {
    const blocks = body.messages.flatMap(blocksOf);
    const failed = new Set(blocks.flatMap((block) => (block["is_error"] === true ? [block["tool_use_id"]] : [])));
    for (const block of blocks) {
      const command = block["type"] === "tool_use" ? String((block["input"] as Json)["command"]) : "";
      const token = /^\.\/mark (\w+)$/.exec(command)?.[1];
      if (token === undefined) continue;
      expect(wild.tokens.has(token)).toBe(true);
      called.add(token);
      if (!failed.has(block["id"])) succeeded.add(token);
    }
  }
  if (!wasStopped) return expect(marks.toSorted()).toEqual([...succeeded].toSorted());
  expect(
    [...succeeded].filter((token) => !marks.includes(token)),
    "told as done, and not done",
  ).toEqual([]);
  expect(
    marks.filter((token) => !called.has(token)),
    "done, and not told",
  ).toEqual([]);
}
