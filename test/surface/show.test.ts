import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModelUsage } from "../../src/protocol/usage.ts";
import type { Engine } from "../../src/surface/engine-port.ts";
import { farewellLines } from "../../src/surface/show/farewell.ts";
import {
  formatCost,
  formatDollars,
  formatCount,
  formatPercent,
  formatDuration,
  formatTokens,
} from "../../src/lib/format-figures.ts";
import type { ContextUsage } from "../../src/protocol/context-usage.ts";
import { wrapHanging } from "../../src/surface/show/wrap-hanging.ts";
import { commandOutput } from "../../src/surface/show/command-output.ts";
import { contextGrid } from "../../src/surface/show/context-grid.ts";
import { usageLine } from "../../src/surface/headless/progress.ts";
import { noticeOf } from "../../src/surface/show/notice.ts";
import { shortPath } from "../../src/surface/show/short-path.ts";
import { plainStyle, styleFor } from "../../src/surface/show/style.ts";
import { indentOf, toolResultLine, toolUseLine } from "../../src/surface/show/tool-line.ts";
import { assistant, fakeEngine, success, system } from "./support/messages.ts";

describe("figures", () => {
  test("a count of one thing has its word in the singular", () => {
    const counts = [0, 1, 2].map((count) => formatCount(count, "session is", "sessions are"));
    expect(counts).toEqual(["0 sessions are", "1 session is", "2 sessions are"]);
    expect([formatCount(1, "tool"), formatCount(2, "tool")]).toEqual(["1 tool", "2 tools"]);
  });

  test("percent never shows a share above zero as 0 %", () => {
    expect([
      formatPercent(0, 10),
      formatPercent(1, 1e6),
      formatPercent(4, 1e3),
      formatPercent(12, 100),
      formatPercent(1, 0),
    ]).toEqual(["0 %", "< 0.1 %", "0.4 %", "12 %", "0 %"]);
  });

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
    expect(formatTokens(count)).toBe(want);
  });

  test.each([
    [0, "$0.00"],
    [0.00012, "$0.0001"],
    [0.0312, "$0.0312"],
    [1.239, "$1.24"],
  ])("%d dollars", (amount, want) => {
    expect(formatDollars(amount)).toBe(want);
  });

  test.each([
    [-5, "0.0 s"],
    [440, "0.4 s"],
    [8000, "8 s"],
    [59_400, "59 s"],
    [60_000, "1 min"],
    [125_000, "2 min 5 s"],
    [7_199_000, "119 min 59 s"],
    [7_200_000, "2 h"],
    [86_460_000, "24 h 1 min"],
  ])("%i ms", (milliseconds, want) => {
    expect(formatDuration(milliseconds)).toBe(want);
  });

  test("usageLine adds up all models and names the cached share", () => {
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
    const unknown = { costBasis: "unknown" };
    expect([formatCost(0, {}), formatCost(0.5, { a: {}, b: unknown }), formatCost(0, { unknown })]).toEqual([
      "$0.00",
      "at least $0.50",
      "cost unknown",
    ]);
  });
});

describe("tool lines", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["Read", { file_path: "/w/src/a.ts", limit: 3 }, "Read src/a.ts"],
    ["Read", { file_path: "/etc/hosts" }, "Read /etc/hosts"],
    ["Bash", { command: "echo a\necho b", description: "say" }, "Bash echo a echo b"],
    ["Grep", { pattern: "TODO", path: "src" }, "Grep TODO in src"],
    ["TodoWrite", { todos: [1, 2] }, "TodoWrite 2 items"],
    ["TodoWrite", { todos: [1] }, "TodoWrite 1 item"],
    ["TaskCreate", { subject: "Parser", description: "All of it." }, "TaskCreate Parser"],
    ["TaskUpdate", { taskId: "#3", status: "completed" }, "TaskUpdate #3 completed"],
    ["SendMessage", { to: "ada", message: "Go on." }, "SendMessage ada: Go on."],
    ["ExitPlanMode", { plan: "\n## Two steps\n\n1. One" }, "ExitPlanMode Two steps"],
    ["mcp__x__y", { zzz: 1 }, "mcp__x__y"],
    ["mcp__x__y", { count: 2, where: "prod\n\x1b[2J", how: "fast" }, "mcp__x__y where: prod"],
    ["Skill", { skill: "team:review", args: "the last commit" }, "Skill team:review the last commit"],
    ["ReadMcpResource", { server: "s", uri: "file:///a" }, "ReadMcpResource file:///a"],
    ["Bash", { command: "ls \x1b[2J\u202e\t-l" }, "Bash ls <U+001B>[2J<U+202E> -l"],
    ["Bash", { command: "ls \x1b]; rm -r src #\x07" }, "Bash ls <U+001B>]; rm -r src #<U+0007>"],
  ])("%s %j", (name, input, want) => {
    expect(toolUseLine(name, input, 80, "/w")).toBe(want);
  });

  test("toolUseLine cuts a long line with a mark", () => {
    expect(toolUseLine("Bash", { command: "x".repeat(200) }, 20)).toBe(`Bash ${"x".repeat(14)}…`);
  });

  test.each<[unknown, boolean, string]>([
    ["", false, "done"],
    ["", true, "failed"],
    ["one", false, "one"],
    ["\n\n a\nb\n", false, "2 lines: a"],
    ["Error: no\nmore", true, "Error: no"],
    ["Exit code 3", true, "Exit code 3"],
    ["Exit code 127\nx: command not found", true, "Exit code 127: x: command not found"],
    ["Exit code 137 (ended by SIGKILL)\na\n\nb", true, "Exit code 137 (ended by SIGKILL), 2 lines: a"],
    ["1\tlet a;\n2\t\n3\tlet b;\n4\t", false, "3 lines: let a;"],
    ["   10\t\n   11\tonly\n", false, "2 lines: only"],
    ["1\t", false, "done"],
    ["[The command finished and printed nothing.]", false, "no output"],
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
    ['a.ts\n[Glob has no parameter "limit": ignored.]', false, "a.ts"],
    ['Exit code 3\n[Bash has no parameter "cwd": ignored.]', true, "Exit code 3"],
    [
      [
        { type: "text", text: "a\nb" },
        { type: "text", text: '[x has no parameter "y": ignored.]' },
      ],
      false,
      "2 lines: a",
    ],
  ])("toolResultLine summarises the result %j", (content, isError, want) => {
    expect(toolResultLine(content, isError, 80)).toBe(want);
  });
});

describe("notices", () => {
  test("shows nothing for unknown subtypes and ordinary messages", () => {
    expect(noticeOf(system({ subtype: "never_seen" }))).toBeUndefined();
    expect(noticeOf(assistant())).toBeUndefined();
    const told = (content: string, tag: string) =>
      noticeOf(system({ subtype: "informational", content, level: "info", tag }));
    expect(told("Waiting", "waiting:t1")).toBeUndefined();
    // Seen: two lines of the same words, one above the other.
    expect(told("Reached maximum number of turns (1)", "max_turns_reached")).toBeUndefined();
  });

  test("says in words why an answer was taken back", () => {
    const told = (reason: string) => noticeOf(system({ subtype: "tombstone", retracted_message_uuids: ["u"], reason }));
    for (const reason of ["retry", "fallback", "escalate"])
      expect(told(reason)).toEqual({ tone: "quiet", text: "the answer so far does not count" });
    expect(told("refusal")?.text).toBe("the refused messages are left out of the conversation");
    expect(told("deferred")).toBeUndefined();
  });

  // Seen: a run with --json-schema and no hook at all said four times that a Stop hook made the model continue.
  test("names everything that may keep a turn from ending", () => {
    const transition = { reason: "stop_hook_blocking" };
    const notice = noticeOf(system({ subtype: "transition", transition, turn_count: 1 }));
    expect(notice?.text).toBe("the model continues: a Stop hook, a goal or the form of the answer asks for more");
  });

  test("says that images were left out instead of that the conversation was summarised", () => {
    const told = (trigger: string, more: object = {}) =>
      noticeOf(system({ subtype: "compact_boundary", compact_metadata: { trigger, pre_tokens: 12_000, ...more } }))
        ?.text;
    expect(told("auto")).toBe("the conversation was summarised (it held 12k tokens)");
    expect(told("auto", { left_out: "media" })).toBe("images or documents were left out of the conversation");
    expect(told("manual")).toBeUndefined();
  });

  test("names the request id once", () => {
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
    const ofAgent = (delay: number) =>
      noticeOf({
        type: "tool_progress",
        uuid: "u",
        session_id: "s",
        tool_use_id: "t",
        tool_name: "Agent",
        parent_tool_use_id: null,
        elapsed_time_seconds: 1,
        subagent_type: "Explore",
        subagent_retry: {
          agent_id: "a",
          attempt: 2,
          max_retries: 10,
          retry_delay_ms: delay,
          error_status: 529,
          error_category: "overloaded",
        },
      })?.text;
    expect(ofAgent(30_000)).toBe(
      "agent Explore waits for the model (overloaded, 529; attempt 2 of 10); retrying in 30 s",
    );
    expect(ofAgent(400)).toBeUndefined();
    expect(retry("Overloaded.")).toBe("Overloaded (attempt 1 of 10, request req_7); retrying in 0.4 s");
    expect(retry("Overloaded. (request req_7)")).toBe(
      "Overloaded. (request req_7) (attempt 1 of 10); retrying in 0.4 s",
    );
  });

  test("removes control sequences of servers and models", () => {
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
  test("names the session, its transcript, and the command to resume it", () => {
    const engine = fakeEngine(() => []);
    expect(farewellLines(engine, false)).toEqual([
      "session s1, kept in /home/u/.pawl/projects/p/s1.jsonl",
      "resume with: pawl --resume s1",
    ]);
    expect(farewellLines(engine, true)[1]).toBe('resume with: pawl -p --resume s1 "…"');
    expect(
      farewellLines(
        fakeEngine(() => [], { getTranscriptPath: () => undefined }),
        true,
      ),
    ).toEqual(["session s1 was not kept"]);
  });

  // Seen: --max-turns, a budget or a Stop hook ended the run of a goal, and nothing was said of the goal.
  test("names a goal that is still set", () => {
    const goal = { condition: "All tests\npass.", iterations: 1, set_at: "", tokens_at_start: 0 };
    const desk = { goal: () => goal } as unknown as Engine["desk"];
    const engine = fakeEngine(() => [], { desk });
    expect(farewellLines(engine, false)).toEqual([
      "the goal stays set: All tests pass.",
      "session s1, kept in /home/u/.pawl/projects/p/s1.jsonl",
      "resume with: pawl --resume s1",
    ]);
  });
});

test("the farewell names the background tasks that end with a conversation", () => {
  const task = (type: string, description: string, status = "running"): object => ({
    task_type: type,
    description,
    status,
  });
  const all = [
    task("subagent", "look\naround"),
    task("shell", "npm test", "completed"),
    task("shell", "npm run dev"),
    task("shell", "a"),
    task("shell", "b"),
  ];
  const desk = { tasks: () => all } as unknown as Engine["desk"];
  const engine = fakeEngine(() => [], { desk });
  expect(farewellLines(engine, false)[0]).toBe(
    'ended with the session: agent "look around", command "npm run dev", command "a" and 1 more',
  );
  expect(farewellLines(engine, true)).toHaveLength(2);
});

describe("the drawing of /context", () => {
  const category = (id: string, tokens: number, kind = "used") => ({ id, name: id, tokens, color: "blue", kind });
  const usage = {
    model: "m",
    totalTokens: 30_100,
    maxTokens: 100_000,
    basis: "counted",
    tools: [{ name: "Ba\u202esh", tokens: 30_000 }],
    toolResults: [],
    memoryFiles: [],
    savings: [{ layer: "auto_compact", times: 2, tokens: 5_000 }],
    categories: [
      category("tools", 30_000),
      category("user", 100),
      category("free", 59_900, "free"),
      category("buffer", 10_000, "buffer"),
    ],
  } as unknown as ContextUsage;
  const result = (extra: object) =>
    success("words\u202e", { local_command: "context", local_command_output: { argument: "", data: usage }, ...extra });

  test("has a square per hundredth of the window, and rounds the used part up", () => {
    const lines = contextGrid(usage, plainStyle, 80);
    expect(lines).toHaveLength(10);
    const squares = lines.map((line) => line.slice(2, 21)).join(" ");
    const count = (mark: string): number => squares.split(" ").filter((each) => each === mark).length;
    expect([count("T"), count("Y"), count("·"), count("x")]).toEqual([31, 0, 59, 10]);
    expect(lines[0]).toMatch(/^ {2}(?:T ){9}T {3}T tools {3}30k \(30 %\)$/u);
    expect(contextGrid(usage, plainStyle, 120)[0]?.match(/T(?= )/gu)?.length).toBeGreaterThan(19);
  });

  test("puts the legend below the squares on a narrow terminal", () => {
    const lines = contextGrid(usage, plainStyle, 40);
    expect(lines.every((line) => line.length <= 40)).toBe(true);
    expect(lines).toHaveLength(15);
  });

  test("breaks the legend between a name and its share on a terminal too narrow for both", () => {
    const legend = contextGrid(usage, plainStyle, 19).slice(-8);
    expect(legend.slice(0, 4)).toEqual(["T tools", "    30k (30 %)", "Y user", "    100 (0.1 %)"]);
  });

  test("has colours only if they are wanted", () => {
    const shown = commandOutput(result({}), styleFor(true, {}), 80);
    expect(shown).toContain("\x1b[34m■\x1b[39m");
    expect(commandOutput(result({}), styleFor(true, { NO_COLOR: "1" }), 80)).not.toContain("\x1b");
    expect(shown?.split("\n").slice(-4)).toEqual([
      "    Ba<U+202E>sh: 30k",
      "Automatic compaction is off.",
      "Saved so far:",
      "  auto compact: about 5.0k tokens, 2 times",
    ]);
    expect(shown?.startsWith("m: 30k of 100k tokens (30 %), as the API counted the last response\n\n")).toBe(true);
  });

  test("wraps a command's output between words, except JSON", () => {
    const at = (text: string): string | undefined =>
      commandOutput(success(text, { local_command: "cost" }), plainStyle, 30);
    expect(at("one of them is so long that it is broken")).toBe("one of them is so long that\nit is broken");
    expect(at(`{"a": "one of them is so long that it is broken"}`)).toHaveLength(49);
    const shown = commandOutput(result({}), plainStyle, 40);
    expect(shown?.startsWith("m: 30k of 100k tokens (30 %), as the\nAPI counted the last response\n\n")).toBe(true);
    expect(commandOutput(result({}), plainStyle, 28)).toMatch(/\nAutomatic compaction is\noff\.\n/u);
  });

  test("is left out for JSON, an error or another command", () => {
    const json = result({ local_command: "context", local_command_output: { argument: "--json", data: usage } });
    expect(commandOutput(json, plainStyle, 80)).toBe("words<U+202E>");
    expect(commandOutput(result({ is_error: true }), plainStyle, 80)).toBe("words<U+202E>");
    expect(
      commandOutput(
        success("x", { local_command: "cost", local_command_output: { argument: "", data: {} } }),
        plainStyle,
        80,
      ),
    ).toBe("x");
    expect(commandOutput(success("x"), plainStyle, 80)).toBeUndefined();
  });
});

test("a notice shows the end of an agent with its calls, tokens and time", () => {
  const usage = { total_tokens: 2_100, tool_uses: 1, duration_ms: 3_000 };
  const about = { task_id: "a", status: "completed", exit_code: null, output_file: "", summary: "count files", usage };
  const told = noticeOf(system({ subtype: "task_notification", ...about }));
  expect(told).toEqual({ tone: "quiet", text: "agent done: count files (1 call, 2.1k tokens, 3 s)" });
});

test("a notice does not call a background agent a command", () => {
  const about = { task_id: "a", exit_code: null, output_file: "", summary: "count files" };
  const told = (status: string, more = {}) =>
    noticeOf(system({ subtype: "task_notification", ...about, status, ...more }))?.text;
  expect(told("completed")).toBe("background task ended: count files");
  expect(told("failed")).toBe("background task failed: count files");
  expect(told("stopped")).toBe("background task was stopped: count files");
  expect(told("failed", { exit_code: 3, output_file: "/o" })).toBe(
    "background command ended (exit code 3): count files, output in /o",
  );
});

test.each([
  ["a path outside", "/out/a.txt", "/out/a.txt"],
  ["the home folder", "/home/ada/.pawl/a.txt", "~/.pawl/a.txt"],
  ["the working folder", "/home/ada/work/src/a.txt", "src/a.txt"],
  ["a folder with the same beginning", "/home/adam/a.txt", "/home/adam/a.txt"],
  ["a long path", `/home/ada/.pawl/projects/-home-ada-work/${"0".repeat(36)}/results/a.txt`, "~/.pawl/…/results/a.txt"],
  ["a long name", `/home/ada/x/results/${"0".repeat(40)}.txt`, `…/results/${"0".repeat(40)}.txt`],
])("a path is shortened for a person: %s", (_what, path, want) => {
  expect(shortPath(path, { cwd: "/home/ada/work", home: "/home/ada" }, 30)).toBe(want);
});

test("the calls of an agent are indented", () => {
  expect([indentOf({ parent_tool_use_id: null }), indentOf({ parent_tool_use_id: "toolu_1" })]).toEqual(["", "    "]);
});

describe("a list that is wider than the terminal", () => {
  const list = "/btw <question>  ask something beside the work\n/cost            what it has cost\nprose that is long";

  test("continues in the description's column, or below the name if there is too little room", () => {
    const of = (columns: number) => commandOutput(success(list, { local_command: "help" }), plainStyle, columns);
    expect(of(80)).toBe(list);
    expect(of(42)).toBe(
      "/btw <question>  ask something beside the\n                 work\n/cost            what it has cost\nprose that is long",
    );
    expect(of(18)).toBe(
      "/btw <question>\n    ask something\n    beside the\n    work\n/cost\n    what it has\n    cost\nprose that is\nlong",
    );
  });

  test("loses no text", () => {
    const text = fc.string({ unit: fc.constantFrom("a", " ", "  ", "\n", "日", "/x  "), maxLength: 80, size: "max" });
    const words = (given: string): string => given.replaceAll(/\s+/gu, "");
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 40 }), (given, columns) => {
        expect(words(wrapHanging(given, columns))).toBe(words(given));
      }),
    );
  });
});

// Yellow and cyan could not be read on white.
test.each([
  ["0;15", 35, 34],
  ["0;default;15", 35, 34],
  ["0;7", 35, 34],
  ["15;0", 33, 36],
  ["7;default;0", 33, 36],
  ["15;default", 33, 36],
  ["0;1", 33, 36],
])("COLORFGBG=%s chooses colours that can be read on that background", (COLORFGBG, warning, code) => {
  const style = styleFor(true, { COLORFGBG });
  expect(style.yellow("w")).toBe(`\x1b[${warning}mw\x1b[39m`);
  expect(style.code("c")).toBe(`\x1b[${code}mc\x1b[39m`);
  expect(styleFor(true, { COLORFGBG, NO_COLOR: "1" }).yellow("w")).toBe("w");
});
