import { describe, expect, test } from "vitest";
import { toToolResult } from "../../src/mcp/result.ts";

const png = "iVBORw0KGgo=";

describe("an answer of a server", () => {
  test.each<[string, unknown, unknown]>([
    [
      "texts",
      [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      "a\nb",
    ],
    ["nothing", [], "(The tool answered nothing.)"],
    ["words alone", "text", "text"],
    ["no list", { type: "text", text: "a" }, "(The tool answered nothing.)"],
    ["what is no part", [7, null, { type: "text", text: 7 }, { type: "text", text: "a" }], "a"],
    [
      "an image among words",
      [
        { type: "text", text: "see" },
        { type: "image", data: png, mimeType: "image/png" },
      ],
      [
        { type: "text", text: "see" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
      ],
    ],
    [
      "an image whose kind is written otherwise",
      [{ type: "image", data: png, mimeType: "image/jpg" }],
      [{ type: "image", source: { type: "base64", media_type: "image/jpeg", data: png } }],
    ],
    [
      "an image of a kind no model takes",
      [{ type: "image", data: png, mimeType: "image/tiff" }],
      "[an image of type image/tiff, 9 bytes: it cannot be shown here]",
    ],
    [
      "sound",
      [{ type: "audio", data: png, mimeType: "audio/wav" }],
      "[audio of type audio/wav: it cannot be played here]",
    ],
    [
      "a resource in the answer",
      [{ type: "resource", resource: { uri: "note:1", mimeType: "text/plain", text: "words" } }],
      "[resource note:1, text/plain]\nwords",
    ],
    [
      "a document",
      [{ type: "resource", resource: { uri: "a.pdf", mimeType: "application/pdf", blob: "JVBERg==" } }],
      [
        { type: "text", text: "[resource a.pdf, application/pdf]" },
        { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERg==" } },
      ],
    ],
    [
      "where a resource is",
      [{ type: "resource_link", uri: "note:1", name: "One", description: "the first" }],
      "[resource note:1 (One): the first]",
    ],
    ["a part of a kind to come", [{ type: "hologram", size: 3 }], '{"type":"hologram","size":3}'],
  ])("with %s", (_, content, expected) => {
    expect(toToolResult({ content }).content).toEqual(expected);
  });

  test("with structure shows it where no words say it, and gives it to programs in any case", () => {
    const structuredContent = { answer: 42 };
    const silent = toToolResult({ content: [], structuredContent });
    expect(silent).toEqual({ content: '{"answer":42}', output: { content: [], structuredContent } });
    const said = toToolResult({ content: [{ type: "text", text: "42" }], structuredContent, isError: true });
    expect(said).toMatchObject({ content: "42", isError: true, output: { structuredContent } });
  });

  test("of very many parts is cut, and says so", () => {
    const content = Array.from({ length: 700 }, (_, at) => ({ type: "text", text: `${at}` }));
    expect(toToolResult({ content }).content).toMatch(/499\n\[200 more parts were left out\]$/u);
  });
});
