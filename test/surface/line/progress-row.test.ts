import { describe, expect, test } from "vitest";
import type { SDKMessage } from "../../../src/protocol/sdk.ts";
import { plainStyle } from "../../../src/surface/show/style.ts";
import type { TerminalKind } from "../../../src/surface/line/terminal-modes.ts";
import { ProgressRow } from "../../../src/surface/line/progress-row.ts";
import { assistant, blockEvent, delta, success, system, toolResult } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { Grid } from "./grid.ts";
import { bash, start } from "./talk.ts";

function working(columns = 60, given: { kind?: TerminalKind; isFree?: () => boolean; said?: number } = {}) {
  const grid = new Grid(columns, 10);
  const timers = new Set<() => void>();
  let now = 0;
  const output = {
    on: () => undefined,
    off: () => undefined,
    write: (text: string) => grid.write(text),
    columns: given.said ?? columns,
    rows: grid.rows,
  };
  const row = new ProgressRow({
    output,
    style: plainStyle,
    cwd: "/w",
    kind: given.kind ?? "rewraps",
    isFree: given.isFree ?? (() => true),
    endRow: () => undefined,
    isUnderPrompt: () => false,
    hasVim: false,
    onChange: () => undefined,
    waiting: () => [],
    now: () => now,
    after: (_milliseconds, then) => {
      timers.add(then);
      return () => timers.delete(then);
    },
  });
  const second = (count = 1): void => {
    for (let each = 0; each < count; each++) {
      now += 1_000;
      const due = [...timers];
      timers.clear();
      for (const then of due) then();
    }
  };
  return { row, grid, output, second, timers, last: () => grid.text.at(-1) };
}

/** What turns a terminal's modes on and off. */
const modes = new RegExp(String.raw`\x1b\[\?\d+[hl]`, "gu");

/** The rows of a screen on which that was written. */
function shownBy(raw: string): string[] {
  const grid = new Grid(80, 24);
  grid.write(raw.replaceAll(modes, ""));
  return grid.text;
}
const call = (id: string, name: string, input: Record<string, unknown>): SDKMessage =>
  assistant({ type: "tool_use", id, name, input });
const block = (content_block: Record<string, unknown>): SDKMessage =>
  blockEvent({ type: "content_block_start", index: 0, content_block });

const hook = (subtype: string, hook_id: string, status_message?: string): SDKMessage =>
  system({ subtype, hook_id, hook_name: "Stop", hook_event: "Stop", command: "npm test", status_message });

describe("the progress row during silence", () => {
  test("names what is running and for how long, and is erased before other output", () => {
    const { row, grid, second, last } = working();
    row.begin();
    expect(last()).toBe("");
    second();
    expect(last()).toBe("  waiting for the model · 1 s · Esc interrupts");
    row.onMessage(block({ type: "thinking" }));
    second(12);
    expect(last()).toBe("  thinking · 12 s · Esc interrupts");
    row.output.write("I think so.\n");
    expect(grid.text).toEqual(["I think so.", ""]);
    row.onMessage(block({ type: "tool_use", name: "Bash" }));
    second();
    expect(last()).toBe("  preparing Bash · 1 s · Esc interrupts");
    row.end();
    expect(grid.text).toEqual(["I think so.", ""]);
  });

  test("names the first of several open calls", () => {
    const { row, second, last } = working();
    row.begin();
    row.onMessage(call("t1", "Bash", { command: "npm test\x1b[2J" }));
    row.onMessage(call("t2", "Read", { file_path: "/w/a.ts" }));
    second();
    expect(last()).toBe("  Bash npm test<U+001B>[2J · 1 s · Esc interrupts");
    row.onMessage(toolResult("done"));
    second();
    expect(last()).toBe("  Read a.ts · 1 s · Esc interrupts");
    row.onMessage(system({ subtype: "status", status: "compacting" }));
    second();
    expect(last()).toBe("  compacting the conversation · 1 s · Esc interrupts");
  });

  test("names the open call of a foreground agent, but not of a background agent", () => {
    const { row, second, last } = working();
    const below = (parent: string, each: SDKMessage): SDKMessage =>
      ({ ...each, parent_tool_use_id: parent }) as SDKMessage;
    row.begin();
    row.onMessage(below("t0", call("t9", "Grep", { pattern: "beside" })));
    second(2);
    expect(last()).toBe("  waiting for the model · 2 s · Esc interrupts");
    row.onMessage(call("t2", "Agent", { description: "look at a" }));
    row.onMessage(call("t3", "Agent", { description: "look at b" }));
    second();
    expect(last()).toBe("  Agent look at a · 1 s · Esc interrupts");
    row.onMessage(below("t3", call("t4", "Read", { file_path: "/w/b.ts" })));
    row.onMessage(below("t2", call("t1", "Bash", { command: "npm test" })));
    second();
    expect(last()).toBe("  Bash npm test · 1 s · Esc interrupts");
    row.onMessage(below("t2", toolResult("done")));
    second();
    expect(last()).toBe("  Agent look at a · 1 s · Esc interrupts");
  });

  test("names the streaming block when an earlier call ends", () => {
    const { row, second, last } = working();
    row.begin();
    row.onMessage(call("t1", "Read", { file_path: "/w/a.ts" }));
    row.onMessage(block({ type: "tool_use", name: "Write" }));
    row.onMessage(toolResult("done"));
    second(2);
    expect(last()).toBe("  preparing Write · 2 s · Esc interrupts");
    row.onMessage(hook("hook_started", "h1", "Checking"));
    row.onMessage(hook("hook_response", "h1"));
    second();
    expect(last()).toBe("  preparing Write · 1 s · Esc interrupts");
    row.onMessage(blockEvent({ type: "content_block_stop", index: 0 }));
    second();
    expect(last()).toBe("  waiting for the model · 1 s · Esc interrupts");
  });

  test("names nothing of an answer that broke off and is retried", () => {
    const { row, second, last } = working();
    row.begin();
    row.onMessage(block({ type: "tool_use", name: "Write" }));
    row.onMessage(system({ subtype: "api_retry", attempt: 1, max_retries: 10, retry_delay_ms: 40_000 }));
    second();
    expect(last()).toBe("  waiting for the model · 1 s · Esc interrupts");
  });

  test("names a hook until it has ended", () => {
    const { row, second, last } = working();
    row.begin();
    row.onMessage(call("t1", "Bash", { command: "ls" }));
    row.onMessage(hook("hook_started", "h1", "Checking"));
    second();
    expect(last()).toBe("  Checking · 1 s · Esc interrupts");
    row.onMessage(hook("hook_response", "h0"));
    second();
    expect(last()).toBe("  Checking · 2 s · Esc interrupts");
    row.onMessage(hook("hook_response", "h1"));
    second();
    expect(last()).toBe("  Bash ls · 1 s · Esc interrupts");
    row.onMessage(toolResult("done"));
    row.onMessage(hook("hook_started", "h2"));
    second();
    expect(last()).toBe("  Stop hook: npm test · 1 s · Esc interrupts");
    row.onMessage(block({ type: "thinking" }));
    row.onMessage(hook("hook_response", "h2"));
    second();
    expect(last()).toBe("  thinking · 1 s · Esc interrupts");
  });

  test("names a hook that a prompt waits for", () => {
    const { row, second, last } = working();
    row.begin();
    row.onMessage({ ...hook("hook_started", "h1"), hook_event: "UserPromptSubmit" } as SDKMessage);
    second(2);
    expect(last()).toBe("  UserPromptSubmit hook: npm test · 2 s · Esc interrupts");
    row.onMessage(hook("hook_response", "h1"));
    second();
    expect(last()).toBe("  waiting for the model · 1 s · Esc interrupts");
  });

  test("does not name an asynchronous hook", () => {
    const { row, second, last } = working();
    row.begin();
    row.onMessage({ ...hook("hook_started", "h1"), hook_event: "UserPromptSubmit", async: true } as SDKMessage);
    second(2);
    expect(last()).toBe("  waiting for the model · 2 s · Esc interrupts");
    row.onMessage(hook("hook_started", "h2"));
    row.onMessage({ ...hook("hook_progress", "h2"), async: true } as SDKMessage);
    second();
    expect(last()).toBe("  waiting for the model · 1 s · Esc interrupts");
  });

  test("names a parallel hook that has not ended yet", () => {
    const { row, second, last } = working();
    row.begin();
    row.onMessage(hook("hook_started", "h1", "Slow check"));
    row.onMessage(hook("hook_started", "h2", "Fast check"));
    second();
    expect(last()).toBe("  Fast check · 1 s · Esc interrupts");
    row.onMessage(hook("hook_response", "h2"));
    second();
    expect(last()).toBe("  Slow check · 2 s · Esc interrupts");
    row.onMessage(hook("hook_response", "h1"));
    second();
    expect(last()).toBe("  waiting for the model · 1 s · Esc interrupts");
  });

  test("says after an interrupt that Ctrl+C exits", () => {
    const { row, second, last } = working();
    row.begin();
    row.onMessage(call("t1", "Bash", { command: "ls" }));
    row.onInterrupt();
    second();
    expect(last()).toBe("  Bash ls · 1 s · Ctrl+C exits at once");
    row.end();
    row.begin();
    second();
    expect(last()).toBe("  waiting for the model · 1 s · Esc interrupts");
  });

  test("appears only after a second of silence, and if its row is free", () => {
    let isFree = true;
    const { row, grid, second } = working(60, { isFree: () => isFree });
    row.begin();
    isFree = false;
    second(3);
    expect(grid.text).toEqual([""]);
    isFree = true;
    second();
    expect(grid.text).not.toEqual([""]);
  });

  test("takes one row on a terminal of any width, and is erased completely", () => {
    for (const columns of [12, 30, 61]) {
      const { row, grid, second } = working(columns);
      row.begin();
      row.onMessage(call("t1", "Bash", { command: "echo 你好 ".repeat(20) }));
      second();
      expect(grid.text).toHaveLength(1);
      expect(grid.column).toBeLessThan(columns);
      row.end();
      expect(grid.text).toEqual([""]);
    }
  });

  test("leaves none of the rows below it on a terminal that is narrower than it has said yet", () => {
    const { row, grid, second } = working(60, { said: 80 });
    row.begin("make");
    row.onOwnOutput("printed ".repeat(20));
    second();
    expect(grid.text).toHaveLength(2);
    row.end();
    expect(grid.text).toEqual([""]);
  });

  // Seen while a window was resized by its edge: the line of the running call was erased.
  test("erases nothing above it on a terminal that is wider again than it has said yet", () => {
    const { row, grid, output, second } = working(60);
    row.begin();
    row.output.write("said\n");
    second();
    output.columns = 20;
    row.output.write("more\n");
    expect(grid.text).toEqual(["said", "more", ""]);
  });

  test("has the cursor at its beginning, so that a terminal that wraps it again leaves the cursor there", () => {
    const { row, grid, second } = working();
    row.begin("make");
    row.onOwnOutput("printed");
    second();
    expect([grid.text.length, grid.row, grid.column]).toEqual([2, 0, 0]);
    row.end();
    expect(grid.text).toEqual([""]);
  });

  test("is not shown on a dumb terminal, and leaves no timer behind", () => {
    const dumb = working(60, { kind: "dumb" });
    dumb.row.begin();
    dumb.second(3);
    expect(dumb.grid.text).toEqual([""]);
    const { row, timers } = working();
    row.begin();
    expect(timers.size).toBe(1);
    row.end();
    expect(timers.size).toBe(0);
  });
});

describe("the progress row in a conversation", () => {
  test("gives way to the answer and to a question, and is under the text that is being typed", async () => {
    let proceed = (): void => undefined;
    const gate = (): Promise<void> => new Promise((resolve) => (proceed = resolve));
    const { talk, type, press, pause, raw, done } = start(async function* () {
      yield call("t1", "Bash", { command: "npm test" });
      await gate();
      yield toolResult("fine");
      yield delta("All is well.\n");
      yield success("x");
    });
    const screen = (): string[] => shownBy(raw());
    await type("go\r");
    await pause();
    expect(screen().at(-1)).toMatch(/^ {2}Bash npm test · .* · Esc interrupts$/u);
    await press("wait");
    expect(screen().slice(-2)).toEqual(["+ wait", "  Bash npm test · 2 s · Esc interrupts"]);
    await pause(5_000);
    expect(screen().slice(-2)).toEqual(["+ wait", "  Bash npm test · 7 s · Esc interrupts"]);
    await press("\x15");
    await pause(5_000);
    expect(screen().at(-1)).toMatch(/^ {2}Bash npm test/u);
    const asked = talk.ask(bash, new AbortController().signal);
    await pause();
    await pause(5_000);
    expect(screen().at(-1)).toBe("yes, no?");
    await type("y\r");
    expect(await asked).toEqual({ behavior: "allow" });
    proceed();
    await settled(6);
    await pause();
    await type("\x04");
    await done;
    expect(screen().filter((line) => line.includes("Esc interrupts"))).toEqual([]);
    expect(screen()).toContain("All is well.");
  });

  test("has the last output lines of a running command below it", async () => {
    let proceed = (): void => undefined;
    const { type, pause, raw, output } = start(async function* () {
      yield call("t1", "Bash", { command: "npm test" });
      for (const text of ["one\ntwo\n", "\x1b[31mthree\x1b[0m\n\n10 %\r 20 %\r", " 30 %\r\nfo", "ur"]) {
        const own = { uuid: "u", session_id: "s", parent_tool_use_id: null, elapsed_time_seconds: 1 };
        yield { ...own, type: "tool_progress", tool_use_id: "t1", tool_name: "Bash", text };
      }
      await new Promise<void>((resolve) => (proceed = resolve));
      yield toolResult("fine");
      await new Promise<void>((resolve) => (proceed = resolve));
      yield success("x");
    });
    const screen = (): string[] => shownBy(raw());
    await type("go\r");
    await pause();
    expect(screen().slice(-4)).toEqual([
      expect.stringMatching(/^ {2}Bash npm test · .* · Esc interrupts$/u),
      "    three",
      "     30 %",
      "    four",
    ]);
    output.rows = 5;
    await pause();
    expect(screen().slice(-2)).toEqual([expect.stringMatching(/^ {2}Bash npm test/u), "    four"]);
    proceed();
    await settled(6);
    expect(screen().at(-2)).toBe("  └ fine");
    await pause();
    expect(screen().at(-1)).toMatch(/^ {2}waiting for the model/u);
    proceed();
    await settled(6);
    expect(screen().join("\n")).not.toMatch(/four|30 %|Esc interrupts/u);
  });

  test("appears below an answer that stalls within a row", async () => {
    let proceed = (): void => undefined;
    const { type, pause, raw } = start(async function* () {
      yield block({ type: "text" });
      yield delta("All is ");
      await new Promise<void>((resolve) => (proceed = resolve));
      yield delta("well again.\n");
      yield success("x");
    });
    const screen = (): string[] => shownBy(raw());
    await type("go\r");
    await pause(3_000);
    expect(screen().at(-1)).toBe("All is");
    await pause(3_000);
    expect(screen().at(-2)).toBe("All is");
    expect(screen().at(-1)).toMatch(/^ {2}answering · \d s · Esc interrupts$/u);
    proceed();
    await settled(6);
    expect(screen().slice(3, 6)).toEqual(["", "All is", "well again."]);
    expect(screen().join("\n")).not.toContain("answering");
  });

  test("says after Esc that Ctrl+C exits", async () => {
    let proceed = (): void => undefined;
    const { type, pause, raw } = start(async function* () {
      yield call("t1", "Bash", { command: "npm test" });
      await new Promise<void>((resolve) => (proceed = resolve));
      yield success("x");
    });
    await type("go\r");
    await type("\x1b");
    await pause();
    await pause();
    expect(shownBy(raw()).at(-1)).toMatch(/^ {2}Bash npm test · .* · Ctrl\+C exits at once$/u);
    proceed();
    await settled(6);
  });
});
