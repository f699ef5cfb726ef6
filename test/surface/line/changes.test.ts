import { describe, expect, test, vi } from "vitest";
import { stripControls } from "../../../src/lib/sanitize.ts";
import { patchLines } from "../../../src/surface/line/patch-lines.ts";
import type { PermissionQuestion } from "../../../src/protocol/permission.ts";
import { todoLines } from "../../../src/surface/line/todo-lines.ts";
import { displayWidth } from "../../../src/surface/line/width.ts";
import { plainStyle, styleFor } from "../../../src/surface/show/style.ts";
import { assistant, delta, success, system, toolResult } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { hunk } from "./hunk.ts";
import { bash, start } from "./talk.ts";

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
      ["t4", "no end"],
    ] as const) {
      yield assistant({ type: "tool_use", id, name: "Write", input: { file_path: "/none/a.ts" } });
      await talk.ask(asked(id, id === "t2" ? "one" : content), new AbortController().signal);
      yield written(id, content);
    }
    yield success("x");
  });
  await type("go\r");
  for (let at = 1; at <= 4; at += 1) {
    // The look at the file takes no time of the test's clock.
    await vi.waitFor(() => expect(text().match(/asks to run/gu)).toHaveLength(at), { timeout: 10_000 });
    await whenAsked(/\? $/u);
    await type("y\r");
  }
  expect(text()).toMatch(/\? y\n {2}└ Wrote a\.ts\.\n\n● Write/u);
  expect(text()).not.toContain("      1 + same");
  expect(text().match(/ 1 \+ same$/gmu)).toHaveLength(1);
  expect(text()).toContain("      1 + other\n");
  expect(text()).toContain("      1 + long\n".slice(0, -1));
  expect(text().match(/ 1 \+ no end$/gmu)).toHaveLength(1);
});

// Seen: a long new file was shown a third time, although the person had read all of it at the question.
test.each([
  ["after show", 41, ["show\r", "y\r"]],
  ["because it is one line longer than what a question shows", 17, ["y\r"]],
])("a change that the question showed whole is not shown again: %s", async (_what, count, keys) => {
  const content = "long\n".repeat(count);
  const question: PermissionQuestion = {
    ...bash,
    toolName: "Write",
    input: { file_path: "/none/a.ts", content },
    subjects: [{ kind: "write", path: "/none/a.ts" } as never],
  };
  const { type, text, talk, whenAsked } = start(async function* () {
    yield assistant({ type: "tool_use", id: "t1", name: "Write", input: { file_path: "/none/a.ts" } });
    await talk.ask(question, new AbortController().signal);
    const result = { type: "create", content, structuredPatch: [] };
    yield { ...toolResult("Wrote a.ts.", false, "t1"), tool_use_result: result } as never;
    yield success("x");
  });
  await type("go\r");
  // The look at the file takes no time of the test's clock.
  await vi.waitFor(() => expect(text()).toContain("asks to run"), { timeout: 10_000 });
  await whenAsked(/\? $/u);
  for (const each of keys) await type(each);
  expect(text().match(new RegExp(`${count} \\+ long$`, "gmu"))).toHaveLength(1);
  expect(text()).toMatch(/\? y\n {2}└ Wrote a\.ts\.\n\(1 turn/u);
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
