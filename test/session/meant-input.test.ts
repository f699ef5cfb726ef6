// What models write that does not fit a tool's schema, and plainly means something that does.
import { Validator } from "@cfworker/json-schema";
import { describe, expect, test } from "vitest";
import type { Tool, ToolInputSchema } from "../../src/protocol/tool.ts";
import { createToolsPort } from "../../src/session/tools/tools-port.ts";

const inputSchema: ToolInputSchema = {
  type: "object",
  properties: {
    count: { type: "integer", minimum: 1 },
    share: { type: "number" },
    isAll: { type: "boolean" },
    text: { type: "string" },
    names: { type: "array", items: { type: "string" } },
    edits: { type: "array", items: { type: "object", properties: { line: { type: "integer" } }, required: ["line"] } },
    any: {},
  },
  required: ["text"],
};

const tool = { name: "Try", description: "", inputSchema } as unknown as Tool;

function read(input: Record<string, unknown>) {
  return createToolsPort([tool], () => "/", Validator).meant?.(inputSchema, input);
}

describe("the input of a tool call", () => {
  test("is refused for what is wrong with its intended meaning, and unknown fields are named", () => {
    const verdict = createToolsPort([tool], () => "/", Validator).validate(inputSchema, {
      edits: '[{"row":"3"}]',
      body: "a",
    });
    expect(verdict).toEqual({
      ok: false,
      message:
        'input: Instance does not have required property "text". edits/0: Instance does not have required property "line". There is no "body".',
    });
  });

  test("is refused in a few words however deep it is nested, with the place and the expected value", () => {
    const deep = (level: number): ToolInputSchema =>
      level === 0
        ? { type: "object", properties: { kind: { enum: ["one", "two", "x".repeat(5_000)] } }, required: ["kind"] }
        : { type: "object", properties: { [`level${level}`]: deep(level - 1) } };
    const filled = (level: number): Record<string, unknown> =>
      level === 0 ? { kind: "three" } : { [`level${level}`]: filled(level - 1) };
    const schema = deep(100);
    const odd = { ...tool, inputSchema: schema };
    const verdict = createToolsPort([odd], () => "/", Validator).validate(schema, filled(100));
    const text = verdict.ok ? "" : verdict.message;
    expect(text.length).toBeLessThan(1_000);
    expect(text).toMatch(/^level100\/.*level1\/kind: Instance does not match any of \["one","two"/u);
  });

  test.each([
    ["numbers in strings", { text: "a", count: "12", share: " -0.5 " }, { text: "a", count: 12, share: -0.5 }],
    ["a false boolean in a string", { text: "a", isAll: "False" }, { text: "a", isAll: false }],
    ["a true boolean in a string", { text: "a", isAll: "true " }, { text: "a", isAll: true }],
    ["a number instead of a text", { text: 5 }, { text: "5" }],
    ["null for omitted fields", { text: "a", count: null, isAll: null }, { text: "a" }],
    ["null in a field of any type", { text: "a", count: "1", any: null }, { text: "a", count: 1, any: null }],
    ["a list in a string", { text: "a", names: '["x", 2]' }, { text: "a", names: ["x", "2"] }],
    ["objects in strings", { text: "a", edits: '[{"line":"3"}]' }, { text: "a", edits: [{ line: 3 }] }],
    ["unknown keys", { text: "a", count: "1", more: "2" }, { text: "a", count: 1, more: "2" }],
  ])("is read as intended: %s", (_, given, meant) => {
    expect(read(given)).toEqual(meant);
  });

  test.each([
    ["a text that is not a number", { text: "a", count: "ten" }],
    ["a number below the minimum", { text: "a", count: "0" }],
    ["a half for a whole number", { text: "a", count: "1.5" }],
    ["a text that is not a boolean", { text: "a", isAll: "yes" }],
    ["null for a required field", { text: null }],
    ["an object for a text", { text: { a: 1 } }],
    ["a list in a string with an id that would lose digits", { text: "a", names: "[2512292042121000001]" }],
    ["a broken list", { text: "a", names: "[x" }],
    ["a list that is nested too deep", { text: "a", names: "[".repeat(9_000) + "]".repeat(9_000) }],
  ])("%s is not reinterpreted", (_, given) => {
    expect(read(given)).toBeUndefined();
  });

  test("that is valid is passed on unchanged", () => {
    const input = { text: "12", names: [], any: "1" };
    expect(read(input)).toBe(input);
  });

  test("is left to a tool that checks its own input", () => {
    const own: Tool = { ...tool, checksOwnInput: true };
    const input = { count: "1" };
    expect(createToolsPort([own], () => "/", Validator).meant?.(inputSchema, input)).toBe(input);
  });

  test("is passed unchanged to a tool that others have made", () => {
    const input = { text: 5 };
    const ofHost = createToolsPort([tool], () => "/", Validator, {}, ["Try"]);
    const ofServer = createToolsPort([], () => "/", Validator);
    ofServer.offer([tool]);
    for (const view of [ofHost, ofServer]) expect(view.meant?.(inputSchema, input)).toBe(input);
  });
});
