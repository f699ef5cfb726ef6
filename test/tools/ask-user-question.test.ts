// What becomes of answers, in every form in which they may be given.
import { describe, expect, test } from "vitest";
import { createAskUserQuestionTool } from "../../src/tools/ask-user-question.ts";
import type { ToolContext, ToolInput } from "../../src/protocol/tool.ts";

const database = {
  question: "Which database?",
  header: "Database",
  options: [
    { label: "Postgres", description: "a server", preview: "db:\n  image: postgres" },
    { label: "SQLite", description: "a file" },
  ],
};
const extras = {
  question: "Which extras?",
  header: "Extras",
  options: ["Cache", "Queue, durable", "Queue"].map((label) => ({ label, description: label })),
  multiSelect: true,
};
const questions = [database, extras];

const tool = createAskUserQuestionTool({} as never);
const run = async (input: ToolInput) => await tool.call({ questions, ...input }, {} as ToolContext, () => undefined);
const told = async (input: ToolInput) => (await run(input)).content;

describe("answers", () => {
  test("are shown to the model with their questions, and so are the questions without an answer", async () => {
    const result = await run({ answers: { "Which database?": "SQLite" } });
    expect(result.content).toBe('The user answered "Which database?": "SQLite"\nNot answered: "Which extras?"');
    expect(result.isError).toBeUndefined();
    expect(result.output).toEqual({ questions, answers: { "Which database?": "SQLite" } });
  });

  test("to a multiple-choice question are accepted as a list or as joined text, and lists are joined", async () => {
    for (const extra of ["Cache, Queue, durable", ["Cache", "Queue, durable"]]) {
      const { content, output } = await run({ answers: { "Which database?": ["Postgres"], "Which extras?": extra } });
      expect(output).toMatchObject({
        answers: { "Which database?": "Postgres", "Which extras?": "Cache, Queue, durable" },
      });
      expect(content).toBe('The user answered "Which database?": "Postgres"\n"Which extras?": "Cache, Queue, durable"');
    }
  });

  test("that match no option are marked as the person's own words", async () => {
    const text = await told({ answers: { "Which database?": "the one we have", "Which extras?": "Cache, and tea" } });
    expect(text).toBe(
      'The user answered "Which database?": "the one we have" (their own words)\n"Which extras?": "Cache, and tea" (their own words)',
    );
  });

  test("are also matched by the question's header and by another spelling of the label", async () => {
    const { output } = await run({ answers: { database: " sqlite ", "which extras? ": true } });
    expect(output).toMatchObject({ answers: { "Which database?": "SQLite", "Which extras?": "true" } });
  });

  test("that belong to no question or cannot be read are left out, and the model is told so", async () => {
    const { content, output } = await run({
      answers: { "Which database?": "SQLite", "Which colour?": "red", "Which extras?": { a: 1 } },
    });
    expect(output).toMatchObject({ answers: { "Which database?": "SQLite" } });
    expect(content).toContain('An answer to "Which colour?" was left out');
    expect(content).toContain('An answer to "Which extras?" was left out');
  });

  test("can be accompanied by notes and by a reply to all questions together", async () => {
    const annotations = { "Which database?": { notes: "for now", preview: "db:" }, Other: { notes: "x" }, odd: 1 };
    const { content, output } = await run({
      answers: { "Which database?": "SQLite" },
      annotations,
      response: " ask ops ",
    });
    expect(content).toContain('"Which database?": "SQLite", and noted: "for now"\nThey said: "ask ops"');
    expect(output).toMatchObject({
      annotations: { "Which database?": { notes: "for now", preview: "db:" } },
      response: "ask ops",
    });
    expect(await told({ response: "none of them" })).toBe(
      'The user chose none of the options.\nThey said: "none of them"',
    );
  });

  test("that are missing are not taken for consent", async () => {
    for (const answers of [{}, { "Which database?": "  ", "Which extras?": [] }, undefined]) {
      const { content, output } = await run({ answers });
      expect(content).toMatch(/^The user gave no answer\. Do not treat any option as chosen/u);
      expect(output).toEqual({ questions, answers: {} });
    }
    expect(await told({ afkTimeoutMs: 60_000 })).toMatch(/^Nobody answered within 60 seconds/u);
  });

  test("are matched by the question's text even if it is the name of an object's property", async () => {
    const odd = { ...database, question: "__proto__" };
    const { content, output } = await run({ questions: [odd], answers: JSON.parse('{"__proto__": "SQLite"}') });
    expect(content).toBe('The user answered "__proto__": "SQLite"');
    expect(JSON.stringify(output)).toContain('"answers":{"__proto__":"SQLite"}');
    expect(await told({ questions: [{ ...database, question: "toString" }] })).toMatch(/^The user gave no answer/u);
  });

  test("that a hook replaced are shown to the model as if they came from the tool", () => {
    const output = { questions, answers: { "Which database?": "SQLite" } };
    expect(tool.contentOf?.(output)).toContain('"Which database?": "SQLite"');
    expect(tool.contentOf?.({ answers: {} })).toBeUndefined();
  });
});

describe("questions", () => {
  const verdict = (input: ToolInput, previewFormat?: "markdown" | "html") =>
    createAskUserQuestionTool({ questionPreviews: previewFormat } as never).validateInput?.(input, {} as ToolContext);

  test("are refused if two of them, or two options of one, are the same", () => {
    expect(verdict({ questions })).toEqual({ ok: true });
    expect(verdict({ questions: [database, { ...extras, question: "which database? " }] })).toMatchObject({
      ok: false,
      message: expect.stringContaining("ask each only once") as string,
    });
    const twin = { ...database, options: [database.options[0], { label: "postgres", description: "too" }] };
    expect(verdict({ questions: [twin] })).toMatchObject({
      ok: false,
      message: 'Two options of "Which database?" have the label "postgres": give each its own label.',
    });
  });

  test("have option previews only if the host shows them, and HTML previews must be fragments", () => {
    const schema = (format?: "markdown" | "html") =>
      JSON.stringify(createAskUserQuestionTool({ questionPreviews: format } as never).inputSchema);
    expect(schema()).not.toContain("preview");
    expect(schema("markdown")).toContain("in Markdown");
    const seen = (preview: string) => ({
      questions: [{ ...database, options: [{ ...database.options[0], preview }, database.options[1]] }],
    });
    for (const preview of ["<script>x</script>", "<STYLE>", "<!DOCTYPE html>"]) {
      expect(verdict(seen(preview), "html")).toMatchObject({ ok: false });
      expect(verdict(seen(preview), "markdown")).toEqual({ ok: true });
    }
    expect(verdict(seen("<div>x</div>"), "html")).toEqual({ ok: true });
  });

  test("cannot be answered with anything but an object of answers", () => {
    expect(verdict({ questions, answers: ["Postgres"] })).toMatchObject({
      ok: false,
      message: "answers must be an object that maps the text of each question to its answer.",
    });
  });
});
