// What a run notes beside its messages.
import { expect, test } from "vitest";
import type { RunNote } from "../../src/protocol/record.ts";
import { lineText } from "../../src/transcript/line-bytes.ts";
import { parseRecord } from "../../src/transcript/parse.ts";
import { factLine } from "../../src/transcript/record.ts";

const id = { uuid: "u", timestamp: "2026-01-01T00:00:00.000Z" };
const common = { sessionId: "s", cwd: "/", version: "1" };

function reads(data: unknown): boolean {
  const line = factLine("run", data as RunNote, id, { seq: 0, parentUuid: null }, common);
  return parseRecord(Buffer.from(lineText(line))).ok;
}

const begin = { at: "begin", model: "m", agentId: null, limits: {}, fallbackModels: [], thinking: { type: "auto" } };
const failure = { kind: "overloaded", message: "busy", recovery: "retry" };

test.each([
  ["a beginning", begin],
  ["a limit of null, which means no limit", { ...begin, limits: { stopHookBlocks: null }, maxOutputTokens: 5 }],
  ["a failure", { at: "failure", failure }],
  ["a retry", { at: "retry", maxRetries: 10 }],
  ["a cut", { at: "cut", maxTokens: 8_000, modelMaxTokens: 64_000, isLowered: false }],
  ["an end", { at: "end", terminal: { reason: "completed" }, cause: null }],
  ["an end without a terminal", { at: "end", terminal: null, cause: "consumer" }],
])("%s is read back as a run note", (_, data) => {
  expect(reads(data)).toBe(true);
});

test.each([
  ["no place", { model: "m" }],
  ["a limit in words", { ...begin, limits: { maxTurns: "many" } }],
  ["a failure without a recovery", { at: "failure", failure: { kind: "overloaded", message: "busy" } }],
  ["an error without its failure", { at: "end", terminal: { reason: "model_error" }, cause: null }],
  ["no object", "begin"],
])("%s is rejected as a run note", (_, data) => {
  expect(reads(data)).toBe(false);
});
