// What a hook puts in a tool's place reaches the model as the tool would have told it.
import { describe, expect, test } from "vitest";
import { commandContent, fileContent, hitsContent, pageContent } from "../../src/tools/output-content.ts";

const file = (more: object) => ({ type: "text", file: { filePath: "/a", content: "one\ntwo", numLines: 2, ...more } });

describe("an output that a hook puts in place of a tool's", () => {
  test.each<[string, string | undefined, string]>([
    ["a command", commandContent({ stdout: "\nkey=[gone]\n", stderr: "warning\n" }), "key=[gone]\nwarning"],
    ["a command whose output has colours", commandContent({ stdout: "\u001b[31mred\u001b[0m", stderr: "" }), "red"],
    ["a silent command", commandContent({ stdout: "" }), "[The command finished and printed nothing.]"],
    ["a file", fileContent(file({ startLine: 5, totalLines: 6 })), "5\tone\n6\ttwo"],
    [
      "a part of a file",
      fileContent(file({ startLine: 1, totalLines: 9 })),
      "1\tone\n2\ttwo\n[PARTIAL view: lines 1 to 2 of 9.]",
    ],
    ["lines", hitsContent({ mode: "content", content: "a:1", filenames: [] }), "a:1"],
    ["no files", hitsContent({ filenames: [] }), "No files found"],
    ["a page", pageContent({ code: 200, result: "short" }), "short"],
  ])("is shown to the model as the tool would show %s", (_name, told, expected) => {
    expect(told).toBe(expected);
  });

  test.each([null, 5, "text", [], {}, { stdout: 5 }, { type: "image", file: { base64: "x" } }, { filenames: [1] }])(
    "is not converted to text if it is %j",
    (output) => {
      for (const contentOf of [commandContent, fileContent, hitsContent, pageContent])
        expect(contentOf(output)).toBeUndefined();
    },
  );
});

test("a command's output loses its surrounding blanks in linear time", () => {
  const start = process.cpuUsage();
  const blanks = " ".repeat(400_000);
  expect(commandContent({ stdout: ` \n\t\n a${blanks}b\n\n \u00a0` })).toBe(` a${blanks}b`);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1_000).toBeLessThan(8_000);
});
