// What is on standard error if a program reads the output: some show each line there as an error.
import { expect, test } from "vitest";
import { runHeadless } from "../../../src/surface/headless/run.ts";
import { StopDesk } from "../../../src/surface/stop-desk.ts";
import { assistant, failure, fakeEngine, success, system, type Turn } from "../support/messages.ts";
import { Collector } from "../support/sink.ts";

const answer: Turn = () => [
  system({ subtype: "init", model: "m", permissionMode: "default" }),
  assistant({ type: "text", text: "4" }),
  success("4"),
];

async function stderrOf(turn: Turn, outputFormat: "text" | "json" | "stream-json", isTerminal = false) {
  const stderr = new Collector();
  stderr.isTTY = isTerminal;
  const places = { stdout: new Collector(), stderr, stop: new StopDesk(), env: {}, cwd: "/w" };
  const code = await runHeadless({ engine: fakeEngine(turn), prompt: "hello", outputFormat, verbose: true, ...places });
  return { code, text: stderr.text };
}

// Seen: a desktop client showed "claude-sonnet-5-5 · default mode" as the error of each run, since it passes --verbose.
test.each(["json", "stream-json"] as const)(
  "a run with %s shows no progress to a program, even with --verbose",
  async (format) => {
    const { code, text } = await stderrOf(answer, format);
    expect(code).toBe(0);
    expect(text).toMatch(/^pawl: session s1, .*\npawl: resume with: .*\n$/u);
  },
);

test.each(["json", "stream-json"] as const)(
  "a run with %s that fails says why, and how to resume it",
  async (format) => {
    const { code, text } = await stderrOf(() => [failure("error_max_turns", "max_turns", ["the limit"])], format);
    expect(code).toBe(3);
    expect(text).toMatch(/^pawl: the limit\npawl: session s1, .*\npawl: resume with: .*\n$/u);
  },
);

test("a person at a terminal sees progress and the session in each format", async () => {
  for (const format of ["text", "json", "stream-json"] as const) {
    const { text } = await stderrOf(answer, format, true);
    expect(text).toContain("m · default mode");
    expect(text).toContain("resume with");
  }
});
