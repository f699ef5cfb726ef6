// Fit for a durable engine: the same run makes the same effects in the same order under the same keys, and a recorded run
// of a released version is still replayed as it was recorded.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runWith, type Ran } from "../loop/support/harness.ts";
import { reply, say, textBlock, toolUse, truncated, fail, call } from "../loop/support/script.ts";
import { lawRun, subjects, runAt } from "./support/law-run.ts";
import { scenarios } from "./support/scenario.ts";

function effectsOf(ran: Ran): string[] {
  return ran.world.calls.map((entry) =>
    [entry.name, entry.key, entry.about].filter((part) => part !== undefined).join(" "),
  );
}

test("repeating a run gives the same effects, events and records", async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const one = await lawRun(scenario);
      const other = await lawRun(scenario);
      expect(effectsOf(other)).toEqual(effectsOf(one));
      expect(JSON.stringify(other.events)).toBe(JSON.stringify(one.events));
      expect(JSON.stringify(other.transcript.records)).toBe(JSON.stringify(one.transcript.records));
    }),
    { numRuns: 60 },
  );
});

test("records, events and requests survive a round trip through JSON", async () => {
  await fc.assert(
    fc.asyncProperty(subjects, async (subject) => {
      const run = await runAt(subject);
      for (const value of [run.transcript.records, run.events, run.terminal, run.model.requests])
        expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value);
    }),
    { numRuns: 60 },
  );
});

interface Golden {
  /** The version whose order this is. */
  version: string;
  /** Effects with their keys, in the order in which they were begun. */
  effects: string[];
  /** The records in order, `use:ID` for a call. Results are not among them: when they come is the tools' affair. */
  records: string[];
}

/** The recorded run: two calls side by side, one alone, a retry, a truncation, a compaction, a stop hook that blocks once. */
function recordedRun(): Promise<Ran> {
  return runWith({
    model: [
      reply([
        textBlock("I look."),
        toolUse("Read", { path: "a" }, "a"),
        toolUse("Slow", { ms: 10 }, "b"),
        toolUse("Write", {}, "c"),
      ]),
      fail("server_error"),
      call(toolUse("Check", {}, "d")),
      truncated("half"),
      fail("prompt_too_long"),
      say("Done."),
      say("Really."),
    ],
    tools: { Check: { validateInput: async () => ({ ok: true }) } },
    hooks: {
      PreToolUse: () => ({}),
      PostToolUse: () => ({}),
      Stop: (_input, _signal, at) => (at === 0 ? { blocking: ["again"] } : {}),
    },
    context: {
      compact: (input) => ({
        kind: "shrunk",
        messages: input.messages,
        records: [],
        beforeTokens: 2,
        afterTokens: 1,
        committed: 0,
      }),
    },
    summary: async () => "three calls",
    queued: [{ uuid: "q1", prompt: [textBlock("More.")] }],
  });
}

function isResult(about: string | undefined): boolean {
  return about?.startsWith("result:") === true;
}

const goldens = join(import.meta.dirname, "golden");

test.each(readdirSync(goldens))("%s is replayed with the recorded effects, keys and records", async (file) => {
  const golden = JSON.parse(readFileSync(join(goldens, file), "utf8")) as Golden;
  const ran = await recordedRun();
  expect(ran.terminal).toEqual({ reason: "completed" });
  const keyed = ran.world.calls.flatMap(({ name, key }) => (key === undefined ? [] : [`${name} ${key}`]));
  const appended = ran.world.calls.flatMap(({ name, about }) =>
    name === "transcript.append" && !isResult(about) ? [about] : [],
  );
  expect(keyed).toEqual(golden.effects);
  expect(appended).toEqual(golden.records);
});
