import { describe, expect, test } from "vitest";
import type { ModelUsage } from "../../src/protocol/usage.ts";
import { farewell } from "../../src/surface/show/farewell.ts";
import { dollars, seconds, tokens } from "../../src/lib/figures.ts";
import { usageLine } from "../../src/surface/show/figures.ts";
import { noticeOf } from "../../src/surface/show/notice.ts";
import { toolResultLine, toolUseLine } from "../../src/surface/show/tool-line.ts";
import { assistant, fakeEngine, system } from "./support/messages.ts";

describe("figures", () => {
  test.each([
    [0, "0"],
    [999, "999"],
    [1000, "1.0k"],
    [9949, "9.9k"],
    [9960, "10k"],
    [33_100, "33k"],
    [999_499, "999k"],
    [999_500, "1.0M"],
    [2_345_678, "2.3M"],
  ])("%i tokens", (count, want) => {
    expect(tokens(count)).toBe(want);
  });

  test.each([
    [0, "$0.00"],
    [0.00012, "$0.0001"],
    [0.0312, "$0.0312"],
    [1.239, "$1.24"],
  ])("%d dollars", (amount, want) => {
    expect(dollars(amount)).toBe(want);
  });

  test.each([
    [-5, "0.0 s"],
    [440, "0.4 s"],
    [8000, "8 s"],
    [59_400, "59 s"],
    [60_000, "1 min"],
    [125_000, "2 min 5 s"],
  ])("%i ms", (milliseconds, want) => {
    expect(seconds(milliseconds)).toBe(want);
  });

  test("usage adds up over models and says how much came from the cache", () => {
    const usage: ModelUsage = {
      inputTokens: 100,
      outputTokens: 50,
      cacheReadInputTokens: 9_800,
      cacheCreationInputTokens: 100,
      webSearchRequests: 0,
      costUSD: 0,
      contextWindow: 0,
      maxOutputTokens: 0,
    };
    expect(usageLine({ a: usage, b: usage })).toBe("20k in (98 % cached) · 100 out");
    expect(usageLine({})).toBe("0 in · 0 out");
  });
});

describe("tool lines", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["Read", { file_path: "/w/src/a.ts", limit: 3 }, "Read src/a.ts"],
    ["Read", { file_path: "/etc/hosts" }, "Read /etc/hosts"],
    ["Bash", { command: "echo a\necho b", description: "say" }, "Bash echo a echo b"],
    ["Grep", { pattern: "TODO", path: "src" }, "Grep TODO in src"],
    ["TodoWrite", { todos: [1, 2] }, "TodoWrite 2 items"],
    ["mcp__x__y", { zzz: 1 }, "mcp__x__y"],
    ["Bash", { command: "ls \x1b[2J\u202e" }, "Bash ls <U+202E>"],
  ])("%s %j", (name, input, want) => {
    expect(toolUseLine(name, input, 80, "/w")).toBe(want);
  });

  test("long ones are cut, with a mark", () => {
    expect(toolUseLine("Bash", { command: "x".repeat(200) }, 20)).toBe(`Bash ${"x".repeat(14)}…`);
  });

  test.each<[unknown, boolean, string]>([
    ["", false, "done"],
    ["", true, "failed"],
    ["one", false, "one"],
    ["\n\n a\nb\n", false, "2 lines: a"],
    ["Error: no\nmore", true, "Error: no"],
    ["<tool_use_error>No such tool available: X</tool_use_error>", true, "No such tool available: X"],
    [
      [
        { type: "text", text: "t" },
        { type: "image", source: {} },
      ],
      false,
      "2 lines: t",
    ],
    [{ odd: 1 }, false, "done"],
  ])("result %j", (content, isError, want) => {
    expect(toolResultLine(content, isError, 80)).toBe(want);
  });
});

describe("notices", () => {
  test("unknown subtypes and ordinary messages say nothing", () => {
    expect(noticeOf(system({ subtype: "never_seen" }))).toBeUndefined();
    expect(noticeOf(assistant())).toBeUndefined();
    expect(
      noticeOf(system({ subtype: "informational", content: "Waiting", level: "info", tag: "waiting:t1" })),
    ).toBeUndefined();
  });

  test("a request is named once, whoever named it", () => {
    const retry = (message: string) =>
      noticeOf(
        system({
          subtype: "api_retry",
          attempt: 1,
          max_retries: 10,
          retry_delay_ms: 400,
          error_status: 529,
          error: "overloaded",
          message,
          request_id: "req_7",
        }),
      )?.text;
    expect(retry("Overloaded.")).toBe("Overloaded. (attempt 1 of 10, request req_7); retrying in 0.4 s");
    expect(retry("Overloaded. (request req_7)")).toBe(
      "Overloaded. (request req_7) (attempt 1 of 10); retrying in 0.4 s",
    );
  });

  test("what a server or model wrote cannot reach the terminal raw", () => {
    const denied = system({
      subtype: "permission_denied",
      tool_name: "B\x1b[1m",
      tool_use_id: "t",
      decision_reason_type: "rule",
      message: "no\x1b]52;c;x\x07\nreally",
    });
    expect(noticeOf(denied)).toEqual({ tone: "warning", text: "no really" });
  });
});

describe("farewell", () => {
  test("names the session, its place, and the way back in the manner it was started", () => {
    const engine = fakeEngine(() => []);
    expect(farewell(engine, false)).toEqual([
      "session s1, kept in /home/u/.pawl/projects/p/s1.jsonl",
      "resume with: pawl --resume s1",
    ]);
    expect(farewell(engine, true)[1]).toBe('resume with: pawl -p --resume s1 "…"');
    expect(
      farewell(
        fakeEngine(() => [], { getTranscriptPath: () => undefined }),
        true,
      ),
    ).toEqual(["session s1 was not kept"]);
  });
});
