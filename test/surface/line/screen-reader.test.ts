import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../../src/surface/line/markdown/markdown.ts";
import { styleFor } from "../../../src/surface/show/style.ts";
import { assistant, blockEvent, delta, failure, success, system, toolResult } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { Grid } from "./grid.ts";
import { bash, echo, start } from "./talk.ts";

const screenReader = "flag";
/** Pastes are asked for, and the cursor is placed within its row: all else draws. */
const harmless = new RegExp(String.raw`\x1b\[(?:\?2004[hl]|\d+G|K|2K|J)`, "gu");
const drawn = new RegExp(String.raw`[\x1b│┆└●·›✓○▸→─┼■□]`, "u");

describe("a conversation for a screen reader", () => {
  test("announces itself, names the speakers, and draws nothing", async () => {
    const say = "# Plan\n\nI **read** `a.txt`.\n\n| Name | Age |\n| --- | --- |\n| Ada | 36 |\n";
    const todos = ["completed", "in_progress", "pending"].map((status) => ({ content: status, status }));
    const listed = toolResult("The list is updated.", false, "t2");
    const patch = [{ oldStart: 1, newStart: 1, oldLines: 2, newLines: 2, lines: [" one", "-two", "+2"] }];
    const edited = { ...toolResult("Edited a.txt."), tool_use_result: { structuredPatch: patch } } as typeof listed;
    const { type, text, raw } = start(
      () => [
        blockEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
        ...say.match(/[^]{1,3}/gu)!.map((piece) => delta(piece)),
        blockEvent({ type: "content_block_stop", index: 0 }),
        assistant({ type: "text", text: say }),
        assistant({ type: "tool_use", id: "t1", name: "Edit", input: { file_path: "/w/a.txt" } }),
        edited,
        assistant({ type: "tool_use", id: "t2", name: "TodoWrite", input: { todos } }),
        { ...listed, tool_use_result: { oldTodos: [], newTodos: todos } } as typeof listed,
        assistant({ type: "tool_use", id: "t3", name: "Bash", input: { command: "false" } }),
        toolResult("Exit code 1", true, "t3"),
        assistant({ type: "text", text: "Done." }),
        failure("error_max_turns", "max_turns", ["It stopped at 3 turns."]),
      ],
      { screenReader, env: {} },
    );
    await type("fix it\r");
    expect(text()).toBe(
      `[Screen Reader Mode: on via flag]
pawl 0.0.0, model-a, /w, /help
you: fix it
pawl: heading: Plan

I read a.txt.

Name: Ada; Age: 36
tool: Edit a.txt
result: Edited a.txt.
line 1: one
removed, line 2: two
added, line 2: 2
tool: TodoWrite 3 items
result: The list is updated.
done: completed
at work: in_progress
to do: pending
tool: Bash false
result, failed: Exit code 1
pawl: Done.
error: It stopped at 3 turns.
note: (1 turn, $0.0123 so far)

you: `,
    );
    expect(raw().replace(harmless, "")).not.toMatch(drawn);
  });

  test("labels a question, shows it completely, and marks each of its lines", async () => {
    const long = `npm test -- ${"word ".repeat(60)}end`;
    const { talk, text, pause, type } = start(echo, { screenReader });
    const asked = talk.ask({ ...bash, input: { command: `${long}\nsecond` } }, new AbortController().signal);
    await settled(4);
    await pause();
    expect(text()).toContain(`Permission required: Bash asks to run:\n| ${long}\n| second\n`);
    await type("yes\r");
    expect(await asked).toEqual({ behavior: "allow" });
  });

  test("labels notices of every level and what happens to a line that is sent during an answer", async () => {
    const { type, text } = start(
      async function* () {
        yield system({ subtype: "status", status: null, permissionMode: "plan" });
        yield system({ subtype: "informational", level: "warning", content: "A server is slow." });
        yield assistant({ type: "tool_use", id: "t1", name: "Agent", input: { description: "look" } });
        const usage = { total_tokens: 2_000, tool_uses: 1, duration_ms: 3_000 };
        const ended = { task_id: "a", tool_use_id: "t1", summary: "look", output_file: "", exit_code: null, usage };
        yield system({ subtype: "task_notification", status: "completed", ...ended });
        await new Promise(() => undefined);
      },
      { screenReader, env: {} },
    );
    await type("go\r");
    await type("and\r");
    await type("\x03");
    expect(text().split("you: go\n")[1]).toBe(
      `note: the permission mode is plan
note: A server is slow.
tool: Agent look
    note: agent done: look (1 call, 2.0k tokens, 3 s)
you, meanwhile: and
note: (joins at the next step)
note: (interrupting; Ctrl+C again exits at once)
`,
    );
  });

  test("labels removed and added lines of an edit", async () => {
    const { talk, text, pause, type } = start(echo, { screenReader });
    const input = { file_path: "/w/Makefile", old_string: "\tone", new_string: "\ttwo\n\tthree" };
    const asked = talk.ask({ ...bash, toolName: "Edit", input }, new AbortController().signal);
    await settled(4);
    await pause();
    expect(text()).toContain("| removed:     one\n| added:     two\n| added:     three\n");
    await type("no\r");
    expect(await asked).toEqual({ behavior: "deny" });
  });

  test("reads the header of a table without rows", () => {
    const shown = renderMarkdown("| Name | Age |\n| --- | --- |\n\nNobody yet.\n", styleFor(true, {}, true), 80);
    expect(shown).toBe("Name; Age\n\nNobody yet.\n");
  });

  test("reports long work from time to time, and erases nothing", async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const { type, text, raw, pause } = start(
      async function* () {
        yield assistant({ type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test" } });
        await gate;
        yield toolResult("ok");
        yield success("");
      },
      { screenReader },
    );
    await type("go\r");
    for (let second = 0; second < 45; second += 1) await pause();
    const said = text().match(/still working: Bash npm test, \d+ s\. Esc interrupts\.\n/gu);
    expect(said?.map((line) => /\d+/u.exec(line)?.[0])).toEqual(["10", "20", "40"]);
    go();
    await settled(8);
    expect(text()).toContain("\nresult: ok\n");
    expect(raw().replace(harmless, "")).not.toMatch(drawn);
  });

  test("writes typed text once, and changes only its row", async () => {
    const { press, output } = start(echo, { screenReader });
    await settled(4);
    const written = async (keys: string): Promise<string> => {
      const { length } = output.text;
      await press(keys);
      return output.text.slice(length);
    };
    expect(await written("ab")).toBe("ab");
    expect(await written("日")).toBe("日");
    expect(await written("\x1b[D")).toBe("\x1b[8G");
    expect(await written("c")).toBe("c日\x1b[9G");
    expect(await written("\x7f")).toBe("\x1b[8G日\x1b[K\x1b[8G");
    expect(await written("\x05")).toBe("\x1b[10G");
    expect(await written("\x7f")).toBe("\x1b[8G\x1b[K");
    await written("\nsecond\nthird");
    expect(await written("\x1b[A")).toBe("\x1b[1A");
    expect(await written("\x7f")).toBe("\x1b[7Gd\x1b[K\x1b[7G");
    expect(await written("\x1b[B\x05!")).toBe("\x1b[1B\x1b[8G!");
    expect(await written("\x7f")).toBe("\x1b[8G\x1b[K");
  });

  test("shows hints and completions above the prompt", async () => {
    const { type, raw } = start(echo, { screenReader });
    const rows = (): string[] => {
      const grid = new Grid(80, 24);
      grid.write(raw().replaceAll("\x1b[?2004h", ""));
      return grid.text.slice(2);
    };
    await type("word\x1b");
    expect(rows()).toEqual(["(press Esc again to clear the prompt)", "you: word"]);
    await type("\x1b");
    await type("/mo");
    expect(rows()).toEqual(["(press Esc again to clear the prompt)", "you: /mo"]);
    await type("\t");
    const mode = expect.stringMatching(/^ {2}\/mode /u) as string;
    await expect.poll(rows).toEqual(["(press Esc again to clear the prompt)", mode, "you: /mode"]);
  });

  test("does not interrupt an answer with the hint about Tab", async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const { type, text } = start(
      async function* () {
        yield blockEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
        yield delta("one ");
        yield delta("two ");
        await gate;
        yield delta("three\n");
        yield assistant({ type: "text", text: "one two three\n" });
        yield success("");
      },
      { screenReader },
    );
    await type("go\r");
    await type("\t");
    go();
    await settled(8);
    expect(text()).toContain("pawl: one two three\n");
  });
});
