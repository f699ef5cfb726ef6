import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { stripControls } from "../../../src/lib/sanitize.ts";
import { patchLines } from "../../../src/surface/line/patch-lines.ts";
import type { PermissionQuestion } from "../../../src/protocol/permission.ts";
import {
  answerChoices,
  createPermissionQuestion,
  questionLines,
  readAnswer,
} from "../../../src/surface/line/question.ts";
import { todoLines } from "../../../src/surface/line/todo-lines.ts";
import { displayWidth } from "../../../src/surface/line/width.ts";
import { plainStyle, styleFor } from "../../../src/surface/show/style.ts";
import { assistant, delta, success, system, toolResult } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { bash, start } from "./talk.ts";

const hunk = {
  oldStart: 9,
  oldLines: 2,
  newStart: 9,
  newLines: 3,
  lines: [" a", "-b", "+B\tc", "+d", "\\ No newline"],
};

describe("the lines of a change", () => {
  test("have line numbers, signs and colours", () => {
    expect(patchLines({ structuredPatch: [hunk] }, plainStyle, 80)).toEqual([
      "       9   a",
      "      10 - b",
      "      10 + B    c",
      "      11 + d",
    ]);
    const coloured = patchLines({ structuredPatch: [hunk] }, styleFor(true, {}), 80);
    expect(coloured[1]).toBe("\x1b[31m      10 - b\x1b[39m");
    expect(coloured[2]).toBe("\x1b[32m      10 + B    c\x1b[39m");
  });

  test("have a separator between hunks", () => {
    const far = { ...hunk, oldStart: 98, newStart: 99, lines: [" y", "-z"] };
    const patch = { structuredPatch: [{ ...hunk, lines: [" a", "-b"] }, far] };
    expect(patchLines(patch, plainStyle, 80)).toEqual([
      "       9   a",
      "      10 - b",
      "       ⋮",
      "      99   y",
      "      99 - z",
    ]);
    expect(patchLines(patch, plainStyle, 80, 2).slice(1)).toEqual(["      10 - b", "      (2 more lines)"]);
    const spoken = patchLines(patch, styleFor(true, {}, true), 80);
    expect(spoken).toEqual(["line 9: a", "removed, line 10: b", "line 99: y", "removed, line 99: z"]);
  });

  test("start at the difference if two long lines differ only far behind their beginning", () => {
    const [from, to] = [`${"x".repeat(500)} 日本 = 1;`, `${"x".repeat(500)} 日本 = 2;`];
    const lines = [` ${from}`, `-${from}`, "-gone", `+${to}`, ` ${to}`, `-${to}`, `+${to}, y`];
    const shown = patchLines({ structuredPatch: [{ ...hunk, lines }] }, plainStyle, 40);
    expect(shown).toEqual([
      `       9   ${"x".repeat(27)}…`,
      "      10 - …x 日本 = 1;",
      "      11 - gone",
      "      10 + …x 日本 = 2;",
      `      11   ${"x".repeat(27)}…`,
      "      13 - …日本 = 2;",
      "      12 + …日本 = 2;, y",
    ]);
    // Also where another line in front of it goes, or comes.
    for (const uneven of [
      ["-gone", `-${from}`, `+${to}`],
      [`-${from}`, "+new", `+${to}`],
    ])
      expect(patchLines({ structuredPatch: [{ ...hunk, lines: uneven }] }, plainStyle, 40)).toEqual(
        expect.arrayContaining([expect.stringContaining("日本 = 1;"), expect.stringContaining("日本 = 2;")]),
      );
    const fits = ["-x = 1 + 2 + 3 + 4 + 5;", "+x = 1 + 2 + 3 + 4 + 6;"];
    expect(patchLines({ structuredPatch: [{ ...hunk, lines: fits }] }, plainStyle, 34)).toEqual([
      "      9 - x = 1 + 2 + 3 + 4 + 5;",
      "      9 + x = 1 + 2 + 3 + 4 + 6;",
    ]);
  });

  test("are computed quickly for lines of a megabyte", () => {
    const long = "var a=1;".repeat(250_000);
    const lines = ["-", "+"].flatMap((sign) => ["b", "c"].map((end) => `${sign}${long}${end}${sign}`));
    const shown = patchLines({ structuredPatch: [{ ...hunk, lines }] }, plainStyle, 40);
    expect(shown[0]).toBe("       9 - …r a=1;b-");
    expect(shown[2]).toBe("       9 + …r a=1;b+");
  }, 10_000);

  test("are limited in number and width, and contain no control sequences", () => {
    const lines = Array.from({ length: 30 }, (_, at) => `+你好\x1b[2J ${"x".repeat(at * 3)}`);
    const shown = patchLines({ structuredPatch: [{ ...hunk, lines }] }, plainStyle, 30);
    expect(shown).toHaveLength(25);
    expect(shown.at(-1)).toBe("      (6 more lines)");
    for (const line of shown) {
      expect(displayWidth(line)).toBeLessThan(30);
      expect(line).toBe(stripControls(line));
    }
  });

  test("show all lines of a new file", () => {
    const created = (content: string): string[] =>
      patchLines({ type: "create", filePath: "/w/a", content, structuredPatch: [] }, plainStyle, 80);
    expect(created("a\n\tb\r\n")).toEqual(["      1 + a", "      2 +     b"]);
    expect(created("a")).toEqual(["      1 + a"]);
    expect(created("")).toEqual([]);
    expect(created("x\n".repeat(30)).at(-1)).toBe("      (6 more lines)");
  });

  test.each([undefined, null, "text", {}, { structuredPatch: [] }, { structuredPatch: [null, { lines: [1] }, 5] }])(
    "are empty for a result without a patch: %j",
    (result) => {
      expect(patchLines(result, plainStyle, 80)).toEqual([]);
    },
  );

  test("appear below the call's result, but not for an agent's", async () => {
    const { type, text } = start(() => [
      assistant({ type: "tool_use", id: "t1", name: "Edit", input: { file_path: "/w/a.ts" } }),
      { ...toolResult("Edited a.ts."), tool_use_result: { structuredPatch: [hunk] } } as never,
      { ...toolResult("Edited b.ts."), tool_use_result: { structuredPatch: [hunk] }, parent_tool_use_id: "p" } as never,
      success("x"),
    ]);
    await type("go\r");
    expect(text()).toContain(
      "● Edit a.ts\n  └ Edited a.ts.\n       9   a\n      10 - b\n      10 + B    c\n      11 + d\n",
    );
    expect(text().match(/10 - b/gu)).toHaveLength(1);
  });
});

test("the end of a foreground agent appears among the agent's own calls", async () => {
  const ended = (id: string) =>
    system({
      subtype: "task_notification",
      task_id: id,
      tool_use_id: id,
      status: "completed",
      exit_code: null,
      output_file: "",
      summary: id,
      usage: { tool_uses: 1, total_tokens: 10, duration_ms: 1_000 },
    });
  const { type, text } = start(() => [
    assistant({ type: "tool_use", id: "t1", name: "Agent", input: { description: "look" } }),
    ended("other"),
    ended("t1"),
    toolResult("fine"),
    success("x"),
  ]);
  await type("go\r");
  expect(text()).toMatch(/^● Agent look\nagent done: other .*\n {4}agent done: t1 .*\n {2}└ fine$/mu);
});

test("a change that was approved at its question is not shown again, but a different one is", async () => {
  const asked = (id: string, content: string): PermissionQuestion => ({
    ...bash,
    toolName: "Write",
    toolUseId: id,
    key: id,
    input: { file_path: "/none/a.ts", content },
    subjects: [{ kind: "write", path: "/none/a.ts" } as never],
  });
  const written = (id: string, content: string) =>
    ({
      ...toolResult("Wrote a.ts.", false, id),
      tool_use_result: { type: "create", content, structuredPatch: [] },
    }) as never;
  const { type, text, talk, whenAsked } = start(async function* () {
    for (const [id, content] of [
      ["t1", "same\n"],
      ["t2", "other\n"],
      ["t3", "long\n".repeat(41)],
    ] as const) {
      yield assistant({ type: "tool_use", id, name: "Write", input: { file_path: "/none/a.ts" } });
      await talk.ask(asked(id, id === "t2" ? "one" : content), new AbortController().signal);
      yield written(id, content);
    }
    yield success("x");
  });
  await type("go\r");
  for (let at = 0; at < 3; at += 1) {
    await whenAsked(/\? $/u);
    await type("y\r");
  }
  expect(text()).toMatch(/\? y\n {2}└ Wrote a\.ts\.\n\n● Write/u);
  expect(text()).not.toContain("1 + same");
  expect(text()).toContain("      1 + other\n");
  expect(text()).toContain("      1 + long\n".slice(0, -1));
});

test("a call below an answered question has an empty row above it, and a result has none", async () => {
  const call = (id: string) => assistant({ type: "tool_use", id, name: "Bash", input: { command: `echo ${id}` } });
  const { type, text, talk } = start(async function* () {
    yield call("t1");
    await talk.ask(bash, new AbortController().signal);
    yield call("t2");
    yield toolResult("one");
    await talk.ask(bash, new AbortController().signal);
    yield toolResult("two", false, "t2");
    yield success("x");
  });
  await type("go\r");
  await type("y\r");
  await type("y\r");
  expect(text()).toMatch(/^yes, no\? y\n\n● Bash echo t2\n {2}└ [^\n]*one\n\n/mu);
  expect(text()).toMatch(/^yes, no\? y\n {2}└ [^\n]*two$/mu);
});

test("calls that arrive during a question have an empty row above the first of them", async () => {
  const call = (id: string) => assistant({ type: "tool_use", id, name: "Bash", input: { command: `echo ${id}` } });
  const { type, text, talk } = start(async function* () {
    yield call("t1");
    const answered = talk.ask(bash, new AbortController().signal);
    await settled(2);
    yield call("t2");
    yield call("t3");
    await answered;
    yield success("x");
  });
  await type("go\r");
  await type("y\r");
  expect(text()).toMatch(/^yes, no\? y\n\n● Bash echo t2\n● Bash echo t3\n/mu);
});

test("empty rows separate the prompt, text and calls, but not calls and results", async () => {
  const call = (id: string) => assistant({ type: "tool_use", id, name: "Read", input: { file_path: "/w/a.ts" } });
  const said = (text: string) => assistant({ type: "text", text });
  const edited = { ...toolResult("Edited a.ts."), tool_use_result: { structuredPatch: [hunk] } } as never;
  const messages = [
    call("t1"),
    toolResult("one"),
    call("t2"),
    edited,
    call("t3"),
    toolResult("one"),
    said("So."),
    said("Yes."),
    call("t4"),
  ];
  const shown = async (env: Record<string, string>, overrides = {}): Promise<string> => {
    const { type, text } = start(() => [...messages, success("x")], { env, ...overrides });
    await type("go\r");
    return text();
  };
  const rows = [
    "> go",
    "",
    "● Read a.ts",
    "  └ one",
    "● Read a.ts",
    "  └ Edited a.ts.",
    "       9   a",
    "      10 - b",
    "      10 + B    c",
    "      11 + d",
    "",
    "● Read a.ts",
    "  └ one",
    "",
    "So.",
    "Yes.",
    "",
    "● Read a.ts",
    "(1 turn",
  ];
  expect(await shown({})).toContain(rows.join("\n"));
  expect(await shown({}, { screenReader: "flag" })).not.toContain("\n\ntool: ");
});

test("a call has an empty row above it even if a notice interrupted the text before it", async () => {
  const notice = system({ subtype: "informational", content: "Noted.", level: "warning" });
  const call = assistant({ type: "tool_use", id: "t1", name: "Read", input: { file_path: "/w/a.ts" } });
  const { type, text } = start(() => [delta("One\n"), notice, delta("two\n"), call, success("x")]);
  await type("go\r");
  expect(text()).toContain("One\n\nNoted.\ntwo\n\n● Read a.ts\n");
});

describe("a permission question about an edit", () => {
  const asked = (input: Record<string, unknown>): string[] =>
    questionLines({ ...bash, toolName: "Edit", input }, plainStyle, { rows: 24, columns: 80 });

  test("shows all removed and added text, with invisible characters made visible", () => {
    expect(asked({ file_path: "/w/a", old_string: "a\n\u202eb", new_string: "c\x1b[2J", replace_all: true })).toEqual([
      "Edit asks to run:",
      "  │ file_path: /w/a",
      "  │ - a",
      "  │ - <U+202E>b",
      "  │ + c<U+001B>[2J",
      "  │ replace_all: true",
      "  why it asks: default mode",
    ]);
    expect(asked({ old_string: "a", new_string: "" })).toContain("  │ new_string: ");
  });

  test("shows the change with line numbers and context if the file can be read", () => {
    const hunks = [hunk, { ...hunk, oldStart: 120, newStart: 120, lines: [" \ta", "-\u202eb", "+c\x1b[2J"] }];
    const input = { file_path: "/w/a", old_string: "b", new_string: "c", replace_all: true };
    const size = { rows: 40, columns: 80 };
    const question = { ...bash, toolName: "Edit", input };
    expect(questionLines(question, plainStyle, size, { hunks })).toEqual([
      "Edit asks to run:",
      "  │ file_path: /w/a",
      "  │ replace_all: true",
      "  │   9   a",
      "  │  10 - b",
      "  │  10 + B<U+0009>c",
      "  │  11 + d",
      "  │       (no line end at the end of the file)",
      "  │ ⋮",
      "  │ 120   →   a",
      "  │ 121 - <U+202E>b",
      "  │ 121 + c<U+001B>[2J",
      "  why it asks: default mode",
    ]);
    const ninth = [{ ...hunk, oldStart: 8, newStart: 8, lines: [" a", "-b"], newLines: 1 }];
    expect(questionLines(question, plainStyle, size, { hunks: ninth })).toContain("  │ 9 - b");
    const coloured = questionLines(question, styleFor(true, {}), size, { hunks });
    expect(coloured[4]).toContain("\x1b[31m 10 - b\x1b[39m");
    expect(coloured[5]).toContain("\x1b[32m 10 + B<U+0009>c\x1b[39m");
  });

  test("cuts a long change in the middle to fit the screen", () => {
    const gone = Array.from({ length: 60 }, (_, at) => `-row ${at}`);
    const hunks = [{ ...hunk, oldStart: 1, newStart: 1, oldLines: 60, newLines: 1, lines: [...gone, "+all of it"] }];
    const question = { ...bash, toolName: "Write", input: { file_path: "/w/a", content: "all of it" } };
    const shown = (rows: number) => questionLines(question, plainStyle, { rows, columns: 80 }, { hunks });
    for (const [rows, lines] of [
      [10, 12],
      [24, 16],
      [60, 40],
      [200, 40],
    ] as const) {
      expect(shown(rows)).toContain(`  │ <${61 - lines} more lines of the change are not shown>`);
      expect(shown(rows)).toContain("  │  1 - row 0");
      expect(shown(rows)).toContain("  │  1 + all of it");
      expect(shown(rows).filter((line) => line.includes(" - row"))).toHaveLength(lines - 1);
    }
    const { prompt } = createPermissionQuestion(question, plainStyle, { rows: 24, columns: 80 }, { hunks });
    expect(prompt).toContain("show (in full)");
  });

  test("reads the file that the call writes, even if the input has a relative path", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-edit-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "a.toml");
    writeFileSync(path, "port = 8080\n");
    const { press, talk, text } = start(async function* () {
      const input = { file_path: "a.toml", old_string: "8080", new_string: "9090" };
      const question = { ...bash, toolName: "Edit", input, subjects: [{ kind: "write" as const, path }] };
      await talk.ask(question, new AbortController().signal);
      yield success("x");
    });
    await press("go\r");
    await vi.waitFor(() => expect(text()).toContain("asks to run"));
    expect(text()).toContain("  │ 1 - port = 8080\n  │ 1 + port = 9090\n");
  });

  test(`accepts "all edits" or Shift+Tab if only the mode requires the question`, async () => {
    const edit: PermissionQuestion = {
      ...bash,
      toolName: "Edit",
      input: { file_path: "/w/none", old_string: "a", new_string: "b" },
      subjects: [{ kind: "write", path: "/w/none" }],
      suggestedRule: "Edit(//w/none)",
    };
    const accepting = {
      behavior: "allow",
      updates: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
    };
    expect(answerChoices(edit)).toBe("yes, no, always (Edit(//w/none)), all edits (Shift+Tab)? ");
    for (const word of ["all", "All edits", "edits"]) expect(readAnswer(word, edit)).toEqual(accepting);
    const others: Partial<PermissionQuestion>[] = [
      { reason: { type: "safety", text: "it is guarded" } },
      { reason: { type: "mode", mode: "plan" } },
      { agentId: "a1" },
      { subjects: [...edit.subjects, { kind: "command", command: "ls" }] },
      { toolName: "Bash" },
    ];
    for (const other of others) {
      expect(answerChoices({ ...edit, ...other })).not.toContain("all edits");
      expect(readAnswer("all", { ...edit, ...other })).toBeUndefined();
    }
    const answers: unknown[] = [];
    const { type, talk, text, whenAsked } = start(async function* () {
      const { signal } = new AbortController();
      for (const question of [bash, edit]) answers.push(await talk.ask(question, signal));
      yield success("x");
    });
    await type("go\r");
    // Nothing that Shift+Tab could mean.
    await type("\x1b[Z");
    expect(answers).toEqual([]);
    await type("y\r");
    await whenAsked(/all edits \(Shift\+Tab\)\? $/u);
    // What is half typed may be a refusal and its reason.
    await type("no, x\x1b[Z");
    expect(answers).toHaveLength(1);
    await type("\x15\x1b[Z");
    expect(answers).toEqual([{ behavior: "allow" }, accepting]);
    expect(text()).toContain("all edits (Shift+Tab)? all edits (Shift+Tab)\n");
  });

  test("shows leading tabs as arrows and other tabs as <U+0009>", () => {
    const shown = asked({ file_path: "/w/a.go", old_string: "\tif ok {\n\t\treturn\tx", new_string: "  \ty" });
    expect(shown).toContain("  │ - →   if ok {");
    expect(shown).toContain("  │ - →   →   return<U+0009>x");
    expect(shown).toContain("  │ +   <U+0009>y");
    const command = "cat > Makefile <<'E'\nall:\n\ttrue\nE";
    expect(asked({ command })).toContain("  │ →   true");
    expect(asked({ content: "a\n\tb" })).toContain("  │ →   b");
  });

  test("does not count a final line end as a line, except where only one side has it", () => {
    const written = (content: string): string[] =>
      questionLines({ ...bash, toolName: "Write", input: { content } }, plainStyle, { rows: 80, columns: 80 });
    expect(written("x\n".repeat(42))).toContain("  │ <2 more lines of content are not shown>");
    expect(written("a\nb\n").slice(1, 4)).toEqual(["  │ content:", "  │ a", "  │ b"]);
    expect(written("a\n")).toContain("  │ content: a");
    expect(written("a\n\n").slice(1, 5)).toEqual(["  │ content:", "  │ a", "  │ ", "  why it asks: default mode"]);
    expect(asked({ old_string: "a\n", new_string: "b\n" }).slice(1, 3)).toEqual(["  │ - a", "  │ + b"]);
    expect(asked({ old_string: "a\n", new_string: "a" }).slice(1, 4)).toEqual(["  │ - a", "  │ - ", "  │ + a"]);
  });

  test("never leaves out just a single line", () => {
    const written = (content: string): string[] =>
      questionLines({ ...bash, toolName: "Write", input: { content } }, plainStyle, { rows: 80, columns: 80 });
    expect(written(`${"x\n".repeat(40)}last\n`)).toContain("  │ last");
    expect(asked({ old_string: `${"x\n".repeat(16)}last`, new_string: "y" })).toContain("  │ - last");
  });

  test("says how many lines of a long text are not shown", () => {
    const shown = asked({ old_string: "x\n".repeat(50), new_string: "y" });
    expect(shown).toContain("  │ <35 more lines of old_string are not shown>");
    expect(shown).toContain("  │ + y");
  });
});

describe("the to-do list", () => {
  const todo = (content: string, status: string): object => ({ content, status, activeForm: `${content}ing` });

  test("marks items as done, in progress or open", () => {
    const newTodos = [todo("read\x1b[2J", "completed"), todo("test", "in_progress"), todo("push", "pending")];
    expect(todoLines({ newTodos }, plainStyle, 80)).toEqual(["      ✓ read", "      ▸ testing", "      ○ push"]);
    expect(todoLines({ newTodos }, styleFor(true, {}), 80)[1]).toBe("\x1b[1m      ▸ testing\x1b[22m");
  });

  test("counts the items beyond the limit, and is empty for other results", () => {
    const newTodos = Array.from({ length: 32 }, () => todo("x".repeat(99), "pending"));
    const shown = todoLines({ newTodos }, plainStyle, 40);
    expect(shown.at(-1)).toBe("      (2 more)");
    const wide = ["completed", "in_progress", "pending"].map((status) => todo("漢字".repeat(30), status));
    for (const line of [...shown, ...todoLines({ newTodos: wide }, plainStyle, 40)])
      expect(displayWidth(line)).toBeLessThan(40);
    for (const result of [undefined, {}, { newTodos: "x" }, { newTodos: [null, {}] }])
      expect(todoLines(result, plainStyle, 80)).toEqual([]);
  });

  test("appears below the call that wrote it", async () => {
    const { type, text } = start(() => [
      assistant({ type: "tool_use", id: "t1", name: "TodoWrite", input: { todos: [todo("a", "pending")] } }),
      { ...toolResult("Noted."), tool_use_result: { oldTodos: [], newTodos: [todo("a", "pending")] } } as never,
      success("x"),
    ]);
    await type("go\r");
    expect(text()).toContain("● TodoWrite 1 item\n  └ Noted.\n      ○ a\n");
  });
});

test("a question wraps its reason between words and fills its rows with the command", () => {
  const command = `grep -rn ${"x".repeat(40)} .`;
  const question = { ...bash, input: { command }, why: '"grep -rn x ." shows .env, which may be secret' };
  expect(questionLines(question, plainStyle, { rows: 24, columns: 40 })).toEqual([
    "Bash asks to run:",
    `  │ grep -rn ${"x".repeat(26)}`,
    `  ┆ ${"x".repeat(14)} .`,
    '  why it asks: "grep -rn x ." shows',
    "  .env, which may be secret (default",
    "  mode)",
  ]);
});

test("a call and its result take one row each even with wide characters", async () => {
  const { type, text } = start(() => [
    assistant({ type: "tool_use", id: "t1", name: "Bash", input: { command: "echo 漢字 ".repeat(40) } }),
    toolResult("漢字 👍🏽 ".repeat(40)),
    success("x"),
  ]);
  await type("go\r");
  const rows = text()
    .split("\n")
    .filter((row) => /漢/u.test(row));
  expect(rows.map((row) => row.slice(0, 6))).toEqual(["● Bash", "  └ 漢字"]);
  for (const row of rows) {
    expect(row).toMatch(/…$/u);
    expect(displayWidth(row)).toBeLessThan(80);
  }
});
