import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { PermissionQuestion } from "../../../src/protocol/permission.ts";
import {
  answerPrompt,
  createPermissionQuestion,
  questionLines,
  readAnswer,
} from "../../../src/surface/line/question.ts";
import { plainStyle, styleFor } from "../../../src/surface/show/style.ts";
import { success } from "../support/messages.ts";
import { hunk } from "./hunk.ts";
import { bash, start } from "./talk.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

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

  test("shows a new file with line numbers, and cuts off its end to fit the screen", () => {
    const created = (count: number, note: string[] = []) => {
      const lines = [...Array.from({ length: count }, (_, at) => `+row ${at}`), ...note];
      const hunks = [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: count, lines }];
      const question = { ...bash, toolName: "Write", input: { file_path: "/w/a", content: "…" } };
      return questionLines(question, plainStyle, { rows: 24, columns: 80 }, { hunks }).slice(1, -1);
    };
    const noEnd = "\\ No newline at end of file";
    expect(created(2)).toEqual(["  │ file_path: /w/a", "  │ 1 + row 0", "  │ 2 + row 1"]);
    expect(created(1, [noEnd]).at(-1)).toBe("  │     (no line end at the end of the file)");
    expect(created(17, [noEnd])).toHaveLength(19);
    for (const note of [[], [noEnd]])
      expect(created(60, note).slice(-2)).toEqual(["  │ 16 + row 15", "  │ <44 more lines of the file are not shown>"]);
  });

  test("reads the file that the call writes, even if the input has a relative path", async () => {
    const folder = temporaryFolder();
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
    expect(answerPrompt(edit)).toBe("yes, no, always (Edit(//w/none)), all edits (Shift+Tab)? ");
    for (const word of ["all", "All edits", "edits"]) expect(readAnswer(word, edit)).toEqual(accepting);
    const others: Partial<PermissionQuestion>[] = [
      { reason: { type: "safety", text: "it is guarded" } },
      { reason: { type: "mode", mode: "plan" } },
      { agentId: "a1" },
      { subjects: [...edit.subjects, { kind: "command", command: "ls" }] },
      { toolName: "Bash" },
    ];
    for (const other of others) {
      expect(answerPrompt({ ...edit, ...other })).not.toContain("all edits");
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
