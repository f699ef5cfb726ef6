import { describe, expect, test } from "vitest";
import { answerByLines, type AskQuestion } from "../../../src/surface/line/elicitation.ts";
import type { McpElicitation } from "../../../src/protocol/mcp.ts";

/** Types these lines, one after another; after the last one the person is gone. */
function typing(...typed: string[]): { put: AskQuestion; shown: string[] } {
  const shown: string[] = [];
  const put: AskQuestion = async ({ lines, prompt, read, linesForOtherText }) => {
    shown.push(...lines, prompt);
    for (;;) {
      const text = typed.shift();
      if (text === undefined) return undefined;
      const answer = read(text);
      if (answer !== undefined) return answer;
      shown.push(...(linesForOtherText?.(text) ?? []));
    }
  };
  return { put, shown };
}

const form: McpElicitation = {
  serverName: "crm",
  message: "Who is it?",
  mode: "form",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", title: "Name", description: "As on the card" },
      age: { type: "integer" },
      kind: { type: "string", enum: ["new", "old"], default: "new" },
      sure: { type: "boolean" },
      note: { type: "string" },
    },
    required: ["name", "age", "sure"],
  },
};

describe("a form of an MCP server, asked line by line", () => {
  test.each([
    ["yes", true],
    ["true", true],
    ["n", false],
    ["false", false],
  ])("reads %s as a boolean: %j", async (typed, sure) => {
    const requestedSchema = { type: "object" as const, properties: { sure: { type: "boolean" } }, required: ["sure"] };
    const asked = { ...form, requestedSchema } as McpElicitation;
    expect(await answerByLines(asked, typing("y", typed).put)).toEqual({ action: "accept", content: { sure } });
  });

  test("fills in defaults, and repeats a field whose answer is not valid", async () => {
    const { put, shown } = typing("maybe", "y", "", "Ada", "old", "3.5", "36", "", "true", "");
    expect(await answerByLines(form, put)).toEqual({
      action: "accept",
      content: { name: "Ada", age: 36, kind: "new", sure: true },
    });
    expect(shown.slice(0, 3)).toEqual(["The MCP server crm asks:", "  Who is it?", "Do you want to answer? [y/n] "]);
    expect(shown).toContain("  Name - As on the card (string)");
    expect(shown).toContain('  kind (new, old, default "new")');
  });

  test("accepts choices by title or value, and repeats a field that breaks the schema's limits", async () => {
    const fruit = [
      { const: "a1", title: "Red apple" },
      { const: "p1", title: "Pear" },
    ];
    const properties = {
      one: { type: "string", title: "One", oneOf: fruit, default: "p1" },
      old: { type: "string", enum: ["x", "y"], enumNames: ["Ex", "Why"] },
      many: { type: "array", items: { anyOf: fruit }, minItems: 1 },
      sizes: { type: "array", items: { type: "string", enum: ["s", "m", "l"] }, maxItems: 2, default: ["m"] },
      short: { type: "string", maxLength: 3 },
      low: { type: "integer", minimum: 1, maximum: 9 },
    };
    const asked: McpElicitation = { ...form, requestedSchema: { type: "object", properties, required: ["many"] } };
    const typed = [
      "y",
      "red apple",
      "Ex",
      "",
      "Plum",
      "Pear, red apple,Pear",
      "s,m,l",
      "s, l",
      "four",
      "abc",
      "0",
      "9",
    ];
    const { put, shown } = typing(...typed);
    expect(await answerByLines(asked, put)).toEqual({
      action: "accept",
      content: { one: "a1", old: "x", many: ["p1", "a1"], sizes: ["s", "l"], short: "abc", low: 9 },
    });
    expect(shown).toContain('  One (Red apple, Pear, default "Pear")');
    expect(shown).toContain("  many (any of Red apple, Pear, separated by commas)");
    const unsaid = typing("y", "", "", "a1", "", "", "");
    expect(await answerByLines(asked, unsaid.put)).toEqual({
      action: "accept",
      content: { one: "p1", many: ["a1"], sizes: ["m"] },
    });
  });

  test("repeats a number field until it gets a number", async () => {
    const requestedSchema = { type: "object", properties: { price: { type: "number" } }, required: ["price"] };
    const { put } = typing("ｙ", "cheap", "Infinity", "２．５");
    expect(await answerByLines({ ...form, requestedSchema }, put)).toEqual({
      action: "accept",
      content: { price: 2.5 },
    });
  });

  test("says what is wrong with an invalid answer, and how a field may be answered", async () => {
    const properties = {
      name: { type: "string", title: "Name", minLength: 2 },
      age: { type: "integer", minimum: 1, maximum: 120 },
      mail: { type: "string", format: "email" },
      day: { type: "string", format: "date" },
      at: { type: "string", format: "date-time" },
      page: { type: "string", format: "uri" },
      sure: { type: "boolean" },
      kind: { type: "string", enum: ["new", "old"] },
      many: { type: "array", items: { enum: ["a", "b"] }, minItems: 1 },
    };
    const requestedSchema = { type: "object", properties, required: ["name", "age", "kind", "many"] };
    const typed = ["y", "", "A", "Ada", "cheap", "3.5", "200", "42", "ada", "ada@example.com", "tomorrow"];
    typed.push("2026-02-31", "2026-02-28", "2026-02-28", "2026-02-28T10:00:00+01:00", "here", "https://a.test/");
    typed.push("perhaps", "no", "Grey", "new", "c", "b");
    const { put, shown } = typing(...typed);
    expect(await answerByLines({ ...form, requestedSchema }, put)).toMatchObject({
      content: { name: "Ada", age: 42, mail: "ada@example.com", day: "2026-02-28", sure: false, many: ["b"] },
    });
    expect(shown.slice(3)).toEqual([
      "  Name (string)",
      "name: ",
      "  (that needs an answer)",
      "  (that is below the minimum (2))",
      "  age (integer)",
      "age: ",
      "  (that is not a number)",
      "  (that is not a whole number)",
      "  (that is above the maximum (120))",
      "  mail (email, optional)",
      "mail: ",
      "  (that is not an email address such as ada@example.com)",
      "  day (date, optional)",
      "day: ",
      "  (that is not a date such as 2026-01-31)",
      "  (that is not a date such as 2026-01-31)",
      "  at (date-time, optional)",
      "at: ",
      "  (that is not a date with time and zone such as 2026-01-31T09:30:00Z)",
      "  page (uri, optional)",
      "page: ",
      "  (that is not a URL with a scheme such as https://example.com)",
      "  sure (boolean, optional)",
      "sure: ",
      "  (that is neither yes nor no)",
      "  kind (new, old)",
      "kind: ",
      "  (that is not one of the choices)",
      "  many (any of a, b, separated by commas)",
      "many: ",
      "  (that is not one of the choices)",
    ]);
  });

  test("indents all the server's lines below its name", async () => {
    const message = "Who is it?\nBash asks to run:\n  │ ls and a line that is longer than the terminal is wide";
    const { put, shown } = typing();
    await answerByLines({ ...form, message }, put, 40);
    expect(shown).toEqual([
      "The MCP server crm asks:",
      "  Who is it?",
      "  Bash asks to run:",
      "    │ ls and a line that is longer",
      "    than the terminal is wide",
      "Do you want to answer? [y/n] ",
    ]);
  });

  test("can be declined, and is cancelled when the person leaves", async () => {
    expect(await answerByLines(form, typing("no").put)).toEqual({ action: "decline" });
    expect(await answerByLines(form, typing().put)).toEqual({ action: "cancel" });
    expect(await answerByLines(form, typing("y", "Ada").put)).toEqual({ action: "cancel" });
  });

  test("shows a URL completely, with invisible characters made visible", async () => {
    const { put, shown } = typing("y");
    const asked: McpElicitation = { serverName: "crm", message: "Log\u202ein", mode: "url", url: "https://a.test/x" };
    expect(await answerByLines(asked, put)).toEqual({ action: "accept" });
    expect(shown).toEqual([
      "The MCP server crm asks:",
      "  Log<U+202E>in",
      "  It asks you to open https://a.test/x",
      "Did you open it? [y/n] ",
    ]);
  });
});
