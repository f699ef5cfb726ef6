// Questions of the model at a terminal: how they are shown, what is typed at them, and what becomes of it.
import { describe, expect, test } from "vitest";
import type { PermissionAnswer, PermissionQuestion } from "../../../src/protocol/permission.ts";
import { choiceLines, readChoice } from "../../../src/surface/line/choices.ts";
import { displayWidth } from "../../../src/surface/line/width.ts";
import { plainStyle } from "../../../src/surface/show/style.ts";
import type { Question } from "../../../src/tools/questions.ts";
import { failure, success } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { start } from "./talk.ts";

const database: Question = {
  question: "Which database?",
  header: "Database",
  options: [
    { label: "Postgres", description: "a server" },
    { label: "SQLite", description: "a file", preview: "db:\n\tfile: a.db\n" },
    { label: "5", description: "the fifth" },
  ],
  multiSelect: false,
};
const extras: Question = {
  question: "Which extras?",
  header: "Extras",
  options: ["Cache", "Queue", "Mail"].map((label) => ({ label, description: label })),
  multiSelect: true,
};

const shown = (question: Question, columns = 80, at = 0, of = 1): string[] =>
  choiceLines(question, { at, of }, { style: plainStyle, size: { rows: 24, columns } });

describe("choiceLines", () => {
  test("shows the question with numbered options, each with its preview", () => {
    expect(shown(database)).toEqual([
      "[Database] Which database?",
      "  1  Postgres - a server",
      "  2  SQLite - a file",
      "     │ db:",
      "     │     file: a.db",
      "  3  5 - the fifth",
    ]);
    const option = { label: "5", description: "", preview: "|  a wide picture of it  |\n日本語日本語日本語" };
    expect(shown({ ...database, options: [option] }, 22).slice(-5)).toEqual([
      "  1  5",
      "     │ |  a wide pict",
      "     ┆ ure of it  |",
      "     │ 日本語日本語日",
      "     ┆ 本語",
    ]);
    expect(shown(extras, 80, 1, 2)).toEqual([
      "[Extras, 2 of 2] Which extras?",
      "  (several may be chosen)",
      "  1  Cache",
      "  2  Queue",
      "  3  Mail",
    ]);
    expect(shown(extras, 20, 1, 2)).toContain("  chosen)");
  });

  test("fits a narrow terminal, with descriptions wrapped below their start", () => {
    const long = "one two three four five six seven eight nine ten";
    const wide = "数据库 应该 用 哪 一个 来 保存 所有 的 用户 数据";
    const question = { ...database, question: long, options: [{ label: wide, description: long }] };
    const lines = shown(question, 30);
    for (const line of lines) expect(displayWidth(line)).toBeLessThan(30);
    expect(lines.filter((line) => line.startsWith("     ")).length).toBeGreaterThan(2);
    // A row may end within a word of Chinese.
    const said = `[Database] ${long} 1 ${wide} - ${long}`;
    expect(lines.join("").replaceAll(" ", "")).toBe(said.replaceAll(" ", ""));
  });

  test("removes control sequences, and limits long texts", () => {
    const evil = "a\x1b[2J\x1b]0;x\x07b\u202ec\rd";
    const option = { label: `${evil}\n  9  Fake`, description: evil, preview: `${evil}\n${"x\n".repeat(100)}` };
    const lines = shown({ ...database, question: evil, header: evil, options: [option] });
    const text = lines.join("\n");
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}|\u202e/u);
    expect(text).toContain("ab<U+202E>c");
    expect(lines.filter((line) => /^\s+9/u.test(line))).toEqual([]);
    expect(text).toContain("<62 more lines are not shown>");
    const previewed = [{ ...option, preview: `${"x\n".repeat(40)}last` }];
    expect(shown({ ...database, options: previewed })).toContain("     │ last");
    expect(shown({ ...database, question: "q".repeat(100_000), options: [] })[0]!.length).toBeLessThan(5_000);
  });
});

describe("readChoice", () => {
  test.each<[string, unknown]>([
    ["1", { answer: "Postgres" }],
    [" 2. ", { answer: "SQLite" }],
    ["sqlite", { answer: "SQLite" }],
    ["3", { answer: "5" }],
    ["5", { answer: "5" }],
    ["4", undefined],
    ["0", undefined],
    ["", undefined],
    ["1,2", undefined],
    ["1 2", undefined],
    ["8080", { answer: "8080" }],
    ["2, but in memory", { answer: "SQLite", notes: "but in memory" }],
    ["2 of them", { answer: "2 of them" }],
    ["4, or so", { answer: "4, or so" }],
    ["the one we have", { answer: "the one we have" }],
    ["２", { answer: "SQLite" }],
    ["２．", { answer: "SQLite" }],
    ["１つ目（推奨）", { answer: "１つ目（推奨）" }],
  ])("reads %j for a question with one choice", (typed, choice) => expect(readChoice(typed, database)).toEqual(choice));

  test.each<[string, unknown]>([
    ["1,3", { answer: "Cache, Mail" }],
    ["3 1", { answer: "Cache, Mail" }],
    ["2;2", { answer: "Queue" }],
    ["3", { answer: "Mail" }],
    ["4", undefined],
    ["１、３", { answer: "Cache, Mail" }],
    ["1，3", { answer: "Cache, Mail" }],
    ["1,4", undefined],
    ["mail, cache", { answer: "Cache, Mail" }],
    ["1, and tea", { answer: "Cache, and tea" }],
    ["no, none at all", { answer: "no, none at all" }],
  ])("reads %j for a question with several choices", (typed, choice) =>
    expect(readChoice(typed, extras)).toEqual(choice),
  );
});

const input = { questions: [database, extras] };
const asked: PermissionQuestion = {
  toolName: "AskUserQuestion",
  toolUseId: "t1",
  input,
  isReadOnly: true,
  subjects: [],
  cwd: "/w",
  key: "t1.permission.0",
  reason: { type: "safety", text: "a person answers" },
  requiresUserInteraction: true,
};

function asking() {
  const answers: PermissionAnswer[] = [];
  const talk = start(async function* (engine) {
    answers.push(await talk.talk.ask(asked, new AbortController().signal));
    yield engine.causes.length > 0 ? failure("error_during_execution", "aborted_tools", []) : success("x");
  });
  return { ...talk, answers };
}

describe("the model's questions at the terminal", () => {
  test("are asked one after another and answered together", async () => {
    const { type, text, answers } = asking();
    await type("go\r");
    expect(text()).toContain("[Database, 1 of 2] Which database?\n  1  Postgres - a server\n");
    expect(text()).toMatch(/1-3, or your own words: $/u);
    await type("9\r");
    expect(answers).toEqual([]);
    await type("2, for now\r");
    expect(text()).toContain("own words: 2, for now\n\n[Extras, 2 of 2] Which extras?\n");
    expect(text()).toMatch(/1-3 \(as 1,3\), or your own words: $/u);
    await type("1,2\r");
    const annotations = { "Which database?": { preview: "db:\n\tfile: a.db\n", notes: "for now" } };
    const said = { "Which database?": "SQLite", "Which extras?": "Cache, Queue" };
    expect(answers).toEqual([{ behavior: "allow", updatedInput: { ...input, answers: said, annotations } }]);
  });

  test("are asked again after a number that is no option", async () => {
    const { type, text } = asking();
    await type("go\r");
    await type("9\r");
    expect(text()).toMatch(/own words: 9\n {2}\(that is not an answer\)\n1-3, or your own words: $/u);
    await type("\r");
    expect(text()).toMatch(/own words: \n1-3, or your own words: $/u);
  });

  test("are declined by Esc without an interrupt", async () => {
    const { type, text, answers, engine } = asking();
    await type("go\r");
    await type("1\r");
    await type("\x1b");
    await settled(8);
    expect(answers).toEqual([{ behavior: "deny" }]);
    expect(text()).toContain("your own words: declined (Esc)\n");
    expect(engine.causes).toEqual([]);
  });

  test("are declined by Ctrl+C, which also ends the turn", async () => {
    const { type, text, answers, engine, left } = asking();
    await type("go\r");
    await type("Post\x03");
    expect(answers).toEqual([{ behavior: "deny", interrupt: true }]);
    expect(text()).toContain("declined (Ctrl+C)\n(interrupting; Ctrl+C again exits at once)\n");
    expect(engine.causes).toEqual([]);
    expect(left).toEqual([]);
  });

  test("are not answered by keys typed before they were seen", async () => {
    const { type, press, pause, answers, engine } = asking();
    await press("go\r");
    await press("1\r");
    expect(answers).toEqual([]);
    await press("\x03");
    expect(engine.causes).toEqual(["user"]);
    await pause();
    expect(answers).toEqual([]);
    await type("\x03");
  });
});
