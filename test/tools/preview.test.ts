// What a call of Edit or Write would change, for who is asked about it: the same as the call changes.
import { readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { applyPatch } from "diff";
import { beforeEach, describe, expect, test } from "vitest";
import { previewHunks } from "../../src/tools/preview.ts";
import { openToolBox } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder = "";
beforeEach(() => void (folder = temporaryFolder()));

function put(content: string | Buffer): string {
  const file = join(folder, "a.txt");
  writeFileSync(file, content);
  return file;
}

async function linesOf(tool: string, input: Record<string, unknown>): Promise<string[] | undefined> {
  return (await previewHunks(tool, input))?.flatMap(({ lines }) => lines);
}

const rows = (count: number): string => Array.from({ length: count }, (_, at) => `row ${at + 1}\n`).join("");

describe("the preview of an edit", () => {
  test("shows whole lines with their numbers and three lines of context", async () => {
    const file_path = put(rows(20));
    expect(await previewHunks("Edit", { file_path, old_string: "w 10", new_string: "w ten" })).toEqual([
      {
        oldStart: 7,
        oldLines: 7,
        newStart: 7,
        newLines: 7,
        lines: [" row 7", " row 8", " row 9", "-row 10", "+row ten", " row 11", " row 12", " row 13"],
      },
    ]);
  });

  test("has a hunk for each place if all are replaced", async () => {
    const file_path = put(`x\n${rows(20)}x\n`);
    const input = { file_path, old_string: "x", new_string: "y", replace_all: true };
    expect(await previewHunks("Edit", input)).toHaveLength(2);
  });

  test("hides the carriage returns that all lines of a file have, and shows one that a single line gets", async () => {
    const file_path = put("one\r\ntwo\r\n");
    expect(await linesOf("Edit", { file_path, old_string: "two", new_string: "2" })).toEqual([" one", "-two", "+2"]);
    expect(await linesOf("Edit", { file_path: put("one\ntwo\n"), old_string: "two", new_string: "2\r" })).toEqual([
      " one",
      "-two",
      "+2\r",
    ]);
  });

  test("hides the carriage returns of a CRLF file without a last line end, but shows one at its end", async () => {
    const noEnd = "\\ No newline at end of file";
    const file_path = put("one\r\ntwo");
    const ended = [" one", "-two", noEnd, "+2", noEnd];
    expect(await linesOf("Edit", { file_path, old_string: "two", new_string: "2" })).toEqual(ended);
    expect(await linesOf("Edit", { file_path, old_string: "two", new_string: "2\r" })).toEqual(ended.with(3, "+2\r"));
  });

  test.each<[string, Record<string, unknown>]>([
    ["is not there", { old_string: "none", new_string: "x" }],
    ["occurs twice", { old_string: "row", new_string: "x" }],
    ["changes nothing", { old_string: "row 1\n", new_string: "row 1\n" }],
    ["is malformed", { old_string: 1, new_string: "x" }],
  ])("is undefined if the edit will be refused because the text %s", async (_, input) => {
    expect(await previewHunks("Edit", { file_path: put(rows(3)), ...input })).toBeUndefined();
  });
});

test("the preview of a Write compares the file with its new content", async () => {
  const file_path = put(rows(3));
  expect(await linesOf("Write", { file_path, content: "row 1\nrow 2\nrow three\n" })).toEqual([
    " row 1",
    " row 2",
    "-row 3",
    "+row three",
  ]);
});

test.each([
  ["Write", { content: "a\r\n\nb\n" }, ["+a\r", "+", "+b"]],
  ["Write", { content: "a" }, ["+a", "\\ No newline at end of file"]],
  ["Edit", { old_string: "", new_string: "a\n" }, ["+a"]],
  ["Write", { content: "" }, undefined],
  ["Write", { content: 1 }, undefined],
])("the preview of a new file by %s %j shows all its lines as added", async (tool, input, lines) => {
  const hunks = await previewHunks(tool, { file_path: join(folder, "none", "new.txt"), ...input });
  const newLines = lines?.filter((line) => line.startsWith("+")).length;
  expect(hunks).toEqual(lines && [{ oldStart: 0, oldLines: 0, newStart: 1, newLines, lines }]);
});

test("the preview of a new file has no limit of lines", async () => {
  const [hunk] = (await previewHunks("Write", { file_path: join(folder, "new.txt"), content: rows(5000) })) ?? [];
  expect(hunk).toMatchObject({ newStart: 1, newLines: 5000 });
});

test("there is no preview for an edit of a missing file, a folder, a pipe, binary or too large data, or another tool", async () => {
  const edit = { old_string: "a", new_string: "b" };
  const pipe = join(folder, "pipe");
  expect(spawnSync("mkfifo", [pipe]).status).toBe(0);
  for (const file_path of [join(folder, "none"), folder, pipe, "a.txt"])
    expect(await previewHunks("Edit", { file_path, ...edit })).toBeUndefined();
  expect(await previewHunks("Write", { file_path: put(Buffer.from([0, 1, 97])), content: "b" })).toBeUndefined();
  expect(await previewHunks("Write", { file_path: put("a".repeat(1_000_001)), content: "b" })).toBeUndefined();
  expect(await previewHunks("Bash", { file_path: put("a"), ...edit })).toBeUndefined();
});

test("the previewed hunks describe exactly what the edit makes of the file", async () => {
  const box = openToolBox();
  const line = fc.constantFrom("a", "b", "ab", "  a", "", "ä", "a\r");
  const text = fc.array(line, { maxLength: 12, size: "max" }).map((lines) => lines.join("\n"));
  await fc.assert(
    fc.asyncProperty(text, line, line, fc.boolean(), async (before, old_string, new_string, replace_all) => {
      const file_path = box.path("a.txt");
      writeFileSync(file_path, before);
      const input = { file_path, old_string, new_string, replace_all };
      const hunks = await previewHunks("Edit", input);
      await box.call("Read", { file_path });
      const made = await box.call("Edit", input);
      fc.pre(hunks !== undefined);
      expect(made.isError).not.toBe(true);
      // Where lines end with CR alone, that is what is shown as a line's end; else carriage returns are left out, as they may be.
      const endsWithCr = before.includes("\r") && !before.includes("\n");
      const bare = (each: string): string => each.replaceAll("\r", "");
      const plain = (each: string): string => bare(endsWithCr ? each.replaceAll("\r", "\n") : each);
      const patch = { oldFileName: "", newFileName: "", oldHeader: "", newHeader: "", hunks };
      const shown = applyPatch(plain(before), {
        ...patch,
        hunks: hunks.map((each) => ({ ...each, lines: each.lines.map(bare) })),
      } as never);
      expect(shown).toBe(plain(readFileSync(file_path, "utf8")));
    }),
    { numRuns: 60, examples: [["a\r", "a\r", "a", false]] },
  );
});
