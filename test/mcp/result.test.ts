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
    ["a word of no letters", [{ type: "text", text: "" }], "(The tool answered nothing.)"],
    [
      "an image among no words",
      [
        { type: "text", text: "" },
        { type: "image", data: png, mimeType: "image/png" },
        { type: "text", text: "\n" },
      ],
      [{ type: "image", source: { type: "base64", media_type: "image/png", data: png } }],
    ],
    ["words in a list", ["a", { type: "text", text: "b" }], "a\nb"],
    ["a part and no list", { type: "text", text: "a" }, "a"],
    ["items that are not content parts", [7, null, { type: "text", text: 7 }, { type: "text", text: "a" }], "a"],
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
      "an image whose type is written differently",
      [{ type: "image", data: png, mimeType: "image/jpg" }],
      [{ type: "image", source: { type: "base64", media_type: "image/jpeg", data: png } }],
    ],
    [
      "an image of a kind no model takes",
      [{ type: "image", data: png, mimeType: "image/tiff" }],
      [{ type: "document", title: "image.tiff", source: { type: "base64", media_type: "application/pdf", data: png } }],
    ],
    [
      "sound",
      [{ type: "audio", data: "UklGRg==", mimeType: "audio/wav" }],
      [
        {
          type: "document",
          title: "audio.wav",
          source: { type: "base64", media_type: "application/pdf", data: "UklGRg==" },
        },
      ],
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
      "words as bytes",
      [
        { type: "resource", resource: { uri: "t:1", mimeType: "text/csv", blob: "YSxiCsOkLDI=" } },
        { type: "image", mimeType: "image/svg+xml", data: "PHN2Zy8+" },
      ],
      "[resource t:1, text/csv]\na,b\nä,2\n<svg/>",
    ],
    [
      "a file given by its address",
      [{ type: "resource", resource: { uri: "demo://x/a.tar.GZ?v=1", blob: png } }],
      [
        { type: "text", text: "[resource demo://x/a.tar.GZ?v=1]" },
        {
          type: "document",
          title: "a.tar.GZ",
          source: { type: "base64", media_type: "application/pdf", data: png },
        },
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

  test("has long integers with all digits from its text, or names digits that may be lost", () => {
    const structuredContent = JSON.parse('{"id":1915883588174806058}') as object;
    const shown = (...told: string[]) =>
      toToolResult({ content: told.map((text) => ({ type: "text", text })), structuredContent }).content;
    for (const words of ['{"id": 1915883588174806058}', "Made order-1915883588174806058."])
      expect(shown(words)).toBe(words);
    const note =
      '{"id":1915883588174806000}\n[The last digits of integers as long as 1915883588174806000 may be lost here.]';
    expect(shown()).toBe(note);
    expect(shown("Found 1915883588174000000.")).toBe(`Found 1915883588174000000.\n${note}`);
    const digits = {
      content: [{ type: "text", text: "1915883588174806058" }],
      structuredContent: { id: "1915883588174806000" },
    };
    expect(toToolResult(digits).content).toBe('1915883588174806058\n{"id":"1915883588174806000"}');
  });

  test("with null for its content or structure has none", () => {
    const nothing = { content: "(The tool answered nothing.)" };
    for (const content of [[], null]) expect(toToolResult({ content, structuredContent: null })).toEqual(nothing);
    expect(toToolResult({ content: null, structuredContent: { a: 1 } }).content).toBe('{"a":1}');
  });

  test("with structured content shows it if there is no text, and always gives it to programs", () => {
    const structuredContent = { answer: 42 };
    const silent = toToolResult({ content: [], structuredContent });
    expect(silent).toEqual({ content: '{"answer":42}', output: { content: [], structuredContent } });
    const said = toToolResult({ content: [{ type: "text", text: "42" }], structuredContent, isError: true });
    expect(said).toMatchObject({ content: "42", isError: true, output: { structuredContent } });
  });

  test("shows structured content that its text leaves out", () => {
    const words = (text: string) => ({ type: "text", text });
    const structuredContent = { items: [{ name: 'a "b"' }, { name: "c" }], total: 2 };
    const shown = (...content: object[]) => toToolResult({ content, structuredContent }).content;
    expect(shown(words("Found 2."))).toBe(`Found 2.\n${JSON.stringify(structuredContent)}`);
    for (const told of [JSON.stringify(structuredContent, null, 2), 'Found 2:\n- a "b"\n- c'])
      expect(shown(words(told))).toBe(told);
    const link = { type: "resource_link", uri: "note:1", name: "One" };
    const about = { content: [link], structuredContent: { uri: "note:1" } };
    expect(toToolResult(about).content).toBe("[resource note:1 (One)]");
  });

  test("shows a boolean that its text leaves out", () => {
    const shown = (text: string, structuredContent: object) =>
      toToolResult({ content: [{ type: "text", text }], structuredContent }).content;
    expect(shown("Looked at it.", { merged: false })).toBe('Looked at it.\n{"merged":false}');
    expect(shown("Pull request 7.", { number: 7, merged: true })).toBe('Pull request 7.\n{"number":7,"merged":true}');
    for (const told of ['{ "merged": false }', "merged=False", "It is merged: FALSE."])
      expect(shown(told, { merged: false })).toBe(told);
    const list = { issues: [{ number: 1, title: "A", locked: false }] };
    expect(shown("- #1 A (open)", list)).toBe("- #1 A (open)");
  });

  test("does not repeat the data of an image in its structured content", () => {
    const image = { type: "image", data: png, mimeType: "image/png" };
    const shown = [{ type: "image", source: { type: "base64", media_type: "image/png", data: png } }];
    const result = (structuredContent: unknown) => toToolResult({ content: [image], structuredContent }).content;
    expect(result({ content: [image] })).toEqual(shown);
    expect(result({ picture: png, width: 7 })).toEqual([
      ...shown,
      { type: "text", text: '{"picture":"[it is above]","width":7}' },
    ]);
  });

  test("of the first protocol version is shown", () => {
    expect(toToolResult({ toolResult: "said" }).content).toBe("said");
    expect(toToolResult({ toolResult: { a: 1 } }).content).toBe('{"a":1}');
  });

  test.each([600, 30_000])("nested %d levels deep is shown without its structure, and not recorded", (levels) => {
    let structuredContent: unknown = 1;
    for (let at = 0; at < levels; at++) structuredContent = { a: structuredContent };
    const result = toToolResult({ content: [{ type: "text", text: "42" }], structuredContent });
    expect(result).toEqual({ content: "42\n[Its structure is nested too deep to be shown]" });
    const meta = toToolResult({
      content: [{ type: "text", text: "42", _meta: structuredContent }],
      structuredContent: {},
    });
    expect(meta).toEqual({ content: "42" });
  });

  const words = { content: [{ type: "text", text: "said" }] };

  test.each(["true", "True", "1", "yes", 1, true, {}])("is an error if it marks itself as one by %j", (isError) => {
    const meta = { _meta: { "claude/endTurn": true } };
    expect(toToolResult({ ...words, isError, ...meta })).toEqual({ content: "said", isError: true });
    expect(toToolResult({ ...words, is_error: isError }).isError).toBe(true);
  });

  test.each(["false", "False", "0", "no", "", 0, null, false])("is no error if it denies that by %j", (isError) => {
    expect(toToolResult({ ...words, isError, is_error: isError })).toEqual({ content: "said" });
  });

  test("is shown as it came if nothing in it is in its place", () => {
    expect(toToolResult({ km: 42, isError: false, _meta: {} })).toEqual({ content: '{"km":42}' });
    expect(toToolResult({ content: 42 }).content).toBe('{"content":42}');
    const oddText = { content: [{ type: "text", text: 42 }] };
    expect(toToolResult(oddText).content).toBe(JSON.stringify(oddText));
    expect(toToolResult({ error: "disk is full" })).toEqual({ content: '{"error":"disk is full"}', isError: true });
    expect(toToolResult({ error: false, km: 1 })).toEqual({ content: '{"error":false,"km":1}' });
    for (const nothing of [{}, { content: [null, { type: "text" }], resultType: "complete" }])
      expect(toToolResult(nothing)).toEqual({ content: "(The tool answered nothing.)" });
  });

  test("with very many parts is cut, and says so", () => {
    const content = Array.from({ length: 700 }, (_, at) => ({ type: "text", text: `${at}` }));
    expect(toToolResult({ content }).content).toMatch(/499\n\[200 more parts were left out\]$/u);
  });
});

test("finds the file name in a resource's address in linear time", () => {
  const blob = Buffer.from([0xff, 0xfe, 0]).toString("base64");
  const nameOf = (uri: string): unknown => {
    const resource = { uri, mimeType: "application/zip", blob };
    const { content } = toToolResult({ content: [{ type: "resource", resource }] });
    return (content as { title?: string }[])[1]?.title;
  };
  expect(nameOf(`${"a.b?".repeat(500_000)}\n`)).toBe("a.b");
  expect(nameOf("file:///a/b.tar.gz")).toBe("b.tar.gz");
  expect(nameOf("https://x.test/dir/report.zip?v=1/2#top")).toBe("report.zip");
  expect(nameOf("https://x.test/dir/")).toBe("file.zip");
  expect(nameOf(`x:${"n".repeat(200)}.zip`)).toBe(`${"n".repeat(80)}.zip`);
});
