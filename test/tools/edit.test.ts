import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { openToolBox, textOf, type ToolBox } from "./support.ts";

async function readThenEdit(
  box: ToolBox,
  name: string,
  oldString: string,
  newString: string,
  replaceAll = false,
): Promise<string> {
  await box.call("Read", { file_path: box.path(name) });
  const input = { file_path: box.path(name), old_string: oldString, new_string: newString, replace_all: replaceAll };
  return textOf(await box.call("Edit", input));
}

describe("Edit", () => {
  test("refuses a file that was not read", async () => {
    const box = openToolBox();
    const path = box.put("a.txt", "one\n");
    const result = await box.call("Edit", { file_path: path, old_string: "one", new_string: "two" });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe("a.txt has not been read yet. Read it first, then try again.");
    expect(box.read("a.txt")).toBe("one\n");
  });

  test("refuses a file that changed since it was read, even if its size and time are the same", async () => {
    const box = openToolBox();
    const path = box.put("a.txt", "one\n");
    await box.call("Read", { file_path: path });
    const { atime, mtime } = statSync(path);
    writeFileSync(path, "0ne\n");
    utimesSync(path, atime, mtime);
    const result = await box.call("Edit", { file_path: path, old_string: "ne", new_string: "two" });
    expect(textOf(result)).toMatch(/has changed since it was read/);
    expect(box.read("a.txt")).toBe("0ne\n");
  });

  test("accepts a file of which only the time changed", async () => {
    const box = openToolBox();
    const path = box.put("a.txt", "one\n");
    await box.call("Read", { file_path: path });
    utimesSync(path, new Date(1e9), new Date(1e9));
    expect(textOf(await box.call("Edit", { file_path: path, old_string: "one", new_string: "two" }))).toBe(
      "Edited a.txt.",
    );
  });

  test("accepts a file that was read under any of its names", async () => {
    const box = openToolBox();
    const path = box.put("a.txt", "one\n");
    symlinkSync("a.txt", box.path("link"));
    await box.call("Read", { file_path: box.path("link") });
    writeFileSync(path, "two\nthree\n");
    await box.call("Read", { file_path: path });
    const edit = (old_string: string, new_string: string) =>
      box.call("Edit", { file_path: box.path("link"), old_string, new_string });
    expect(textOf(await edit("two", "one"))).toBe("Edited link.");
    expect((await box.call("Write", { file_path: box.path("link"), content: "one\ntwo\n" })).isError).not.toBe(true);
    await box.call("Bash", { command: "echo three >> a.txt" });
    await box.call("Read", { file_path: box.path("link"), limit: 1 });
    await box.call("Read", { file_path: path });
    expect(textOf(await edit("two", "2"))).toBe("Edited link.");
    expect((await box.call("Write", { file_path: path, content: "all\n" })).isError).not.toBe(true);
    expect(box.read("a.txt")).toBe("all\n");
  });

  test("accepts the result of an earlier edit as known content", async () => {
    const box = openToolBox();
    box.put("a.txt", "one\n");
    await readThenEdit(box, "a.txt", "one", "two");
    const again = { file_path: box.path("a.txt"), old_string: "two", new_string: "three" };
    expect((await box.call("Edit", again)).isError).not.toBe(true);
    expect(box.read("a.txt")).toBe("three\n");
  });

  test("accepts a file that a Bash command showed whole", async () => {
    const box = openToolBox();
    box.put("a.txt", "one\n");
    await box.call("Bash", { command: "cat a.txt" });
    const result = await box.call("Edit", { file_path: box.path("a.txt"), old_string: "one", new_string: "two" });
    expect(textOf(result)).toBe("Edited a.txt.");
  });

  test("remembers how much of a file was read after a command showed a part of it", async () => {
    const box = openToolBox();
    const path = box.put("long.txt", "line\n".repeat(3000));
    await box.call("Read", { file_path: path });
    await box.call("Bash", { command: "grep -c line long.txt" });
    await box.call("Read", { file_path: path, offset: 2001 });
    expect(textOf(await box.call("Write", { file_path: path, content: "new\n" }))).toMatch(/^Replaced/);
  });

  test("does not accept a file that a background command shows", async () => {
    const box = openToolBox();
    box.put("a.txt", "one\n");
    await box.call("Bash", { command: "cat a.txt", run_in_background: true });
    expect(textOf(await box.call("Write", { file_path: box.path("a.txt"), content: "two\n" }))).toMatch(
      /has not been read yet/,
    );
    expect(box.read("a.txt")).toBe("one\n");
  });

  test("loses nothing when two edits of a file run at once", async () => {
    const box = openToolBox({ beforeChange: async () => await new Promise((resolve) => setImmediate(resolve)) });
    const path = box.put("a.txt", "top = 0\nmiddle = keep\nbottom = 0\n");
    await box.call("Read", { file_path: path });
    const results = await Promise.all([
      box.call("Edit", { file_path: path, old_string: "top = 0", new_string: "top = 1" }),
      box.call("Edit", { file_path: path, old_string: "bottom = 0", new_string: "bottom = 2" }),
    ]);
    expect(results.map((result) => result.isError === true)).toEqual([false, false]);
    expect(box.read("a.txt")).toBe("top = 1\nmiddle = keep\nbottom = 2\n");
  });

  test.each<[string, string, (path: string) => void]>([
    ["with another length and the same time", "theirs, longer\n", (path) => writeFileSync(path, "theirs, longer\n")],
    ["with the same length and another time", "them\n", (path) => writeFileSync(path, "them\n")],
    [
      "by a new file with the same length and time",
      "them\n",
      (path) => {
        writeFileSync(`${path}.new`, "them\n");
        renameSync(`${path}.new`, path);
      },
    ],
  ])("does not overwrite a change that someone else makes during the edit: %s", async (what, theirs, change) => {
    const beforeChange = async (path: string): Promise<void> => {
      change(path);
      utimesSync(path, 1, what.includes("another time") ? 2 : 1);
    };
    const box = openToolBox({ beforeChange });
    utimesSync(box.put("a.txt", "ours\n"), 1, 1);
    expect(await readThenEdit(box, "a.txt", "ours", "new")).toMatch(/changed by someone else at this very moment/);
    expect(box.read("a.txt")).toBe(theirs);
    expect(readdirSync(box.root)).toEqual(["a.txt"]);
  });

  test("and Write do not overwrite a file that someone else creates meanwhile", async () => {
    const box = openToolBox({ beforeChange: async (path) => writeFileSync(path, "theirs\n") });
    const input = { file_path: box.path("a.txt"), content: "ours\n" };
    expect(textOf(await box.call("Write", input))).toMatch(/changed by someone else at this very moment/);
    expect(box.read("a.txt")).toBe("theirs\n");
  });

  test("is refused if the checkpoint fails, which gets the real path", async () => {
    const seen: string[] = [];
    const box = openToolBox({
      beforeChange: async (path) => {
        seen.push(path);
        throw Object.assign(new Error("ENOSPC: no space"), { code: "ENOSPC" });
      },
    });
    box.put("real.txt", "one\n");
    symlinkSync("real.txt", box.path("link.txt"));
    expect(await readThenEdit(box, "link.txt", "one", "two")).toMatch(/Cannot edit link.txt: the disk is full/);
    expect(seen).toEqual([box.path("real.txt")]);
    expect(box.read("real.txt")).toBe("one\n");
  });
});

describe("an edit keeps", () => {
  test("the mode of the file, also of a script", async () => {
    const box = openToolBox();
    chmodSync(box.put("run.sh", "echo one\n"), 0o751);
    await readThenEdit(box, "run.sh", "one", "two");
    expect(statSync(box.path("run.sh")).mode & 0o7777).toBe(0o751);
  });

  test("a symbolic link, and changes its target", async () => {
    const box = openToolBox();
    box.put("dir/real.txt", "one\n");
    symlinkSync("dir/real.txt", box.path("link.txt"));
    await readThenEdit(box, "link.txt", "one", "two");
    expect(lstatSync(box.path("link.txt")).isSymbolicLink()).toBe(true);
    expect(box.read("dir/real.txt")).toBe("two\n");
  });

  test.each([
    ["a byte order mark", "\ufeffone\ntwo\n", "two", "2", "\ufeffone\n2\n"],
    ["a letter whose last byte equals that of the mark", "\u5fff one\ntwo\n", "two", "2", "\u5fff one\n2\n"],
    ["CRLF, given LF", "a\r\nb\r\nc\r\n", "a\nb", "a\nx\ny", "a\r\nx\r\ny\r\nc\r\n"],
    ["CRLF at the start of the match", "a\r\nb\r\n", "\nb", "\nc\nd", "a\r\nc\r\nd\r\n"],
    ["LF, given CRLF", "a\nb\n", "a\r\nb", "a\r\nx", "a\nx\n"],
    ["mixed line ends of unchanged lines", "a\r\nb\nc\r\n", "a\nb\nc", "a\nB\nc", "a\r\nB\nc\r\n"],
    [
      "line ends when one of several equal lines is removed from a mixed file",
      "a\r\na\r\nb\n",
      "a\na\n",
      "a\n",
      "a\r\nb\n",
    ],
    ["the line ends of the new text in a file without any", "a", "a", "a\r\nb", "a\r\nb"],
    ["the line end of the place, in a mixed file", "a\nb\nc\r\nd\r\n", "c", "c1\nc2", "a\nb\nc1\r\nc2\r\nd\r\n"],
    ["the missing line end at the end", "a\nb", "b", "c\nd", "a\nc\nd"],
    ["lone CR", "a\rb\rc", "b", "x", "a\rx\rc"],
    ["lone CR, given LF", "a\rb\rc\r", "a\nb", "a\nx\ny", "a\rx\ry\rc\r"],
    ["a lone CR as given", "a\rb\rc\r", "a\rb", "x\r\ny", "x\ry\rc\r"],
  ])("%s", async (_, before, oldString, newString, after) => {
    const box = openToolBox();
    box.put("a.txt", before);
    expect(await readThenEdit(box, "a.txt", oldString, newString)).toBe("Edited a.txt.");
    expect(readFileSync(box.path("a.txt"), "utf8")).toBe(after);
  });

  test.each(["utf16le", "utf16be"] as const)("the encoding %s", async (encoding) => {
    const box = openToolBox();
    const encode = (text: string): Buffer => {
      const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
      return encoding === "utf16be" ? bytes.swap16() : bytes;
    };
    box.put("a.txt", encode("grün\r\nrot\r\n"));
    await readThenEdit(box, "a.txt", "grün", "blau\n𝒳");
    expect(readFileSync(box.path("a.txt")).equals(encode("blau\r\n𝒳\r\nrot\r\n"))).toBe(true);
  });

  test("bytes that are not UTF-8", async () => {
    const box = openToolBox();
    box.put("a.txt", Buffer.from("caf\xe9 = 1\nna\xefve = 2\n", "latin1"));
    expect(await readThenEdit(box, "a.txt", "= 2", "= 2")).toMatch(/identical/);
    expect(await readThenEdit(box, "a.txt", "= 2", "= 3")).toBe("Edited a.txt.");
    expect(await readThenEdit(box, "a.txt", "= 3", "= grün")).toMatch(
      /has bytes that are not UTF-8, but your new text/,
    );
    expect(readFileSync(box.path("a.txt")).equals(Buffer.from("caf\xe9 = 1\nna\xefve = gr\xc3\xbcn\n", "latin1"))).toBe(
      true,
    );
  });
});

describe("a refused edit", () => {
  test.each([
    ["indentation", "function a() {\n\treturn 1;\n}\n", "  return 1;", /Line 2 differs only in whitespace at its ends/],
    ["inner blanks", "const  a =  1;\n", "const a = 1;", /Line 1 differs only in whitespace:/],
    ["quotes", "say(‘hi’)\n", "say('hi')", /Line 1 differs only in quotes, dashes/],
    [
      "a no-break space within a longer line",
      "# T\n\nSee the task list in\u00a0current order. More.\n",
      "task list in current order",
      /Line 3 differs only in whitespace:\n {2}the file: {3}"task list in\\u00a0current order"\n {2}old_string: "task/,
    ],
    [
      "quotes within a longer line",
      "She said, “Hello there.” Then she left.\n",
      '"Hello there."',
      /Line 1 differs only in quotes.*\n {2}the file: {3}"\\u201cHello there\.\\u201d"\n/,
    ],
    ["low quotes", "Er sagte: „Hallo“.\n", 'Er sagte: "Hallo".', /"Er sagte: \\u201eHallo\\u201c\."/],
    ["guillemets and a non-breaking hyphen", "«Да» — из‑за\n", '"Да" - из-за', /\\u2011/],
    ["an accent written in two characters", "le cafe\u0301 du coin, ouvert\n", "café du coin", /"cafe\\u0301 du coin"/],
    ["case", "Hello There\n", "hello there", /Line 1 differs only in upper and lower case/],
    ["line numbers", "one\ntwo\n", "2\ttwo", /Leave out the line numbers/],
    ["blanks at the end of a line", "one  \ntwo\n", "one\ntwo", /Line 1 differs only in whitespace at its ends/],
    ["a later line", "one\n\ttwo\nthree\n", "one\n  two\nthree", /Line 2 differs only in whitespace at its ends/],
    ["composed characters", "cafe\u0301\n", "caf\u00e9", /"cafe\\u0301"\n {2}old_string: "caf\\u00e9"/],
    ["a text that resembles no part of the file", "one\n", "elsewhere", /as it was\. Read the place again\.$/],
    ["what follows", "one\ntwo\n", "one\nthree", /Its first line is there \(line 1\)/],
  ])("gives a hint about %s", async (_, content, oldString, hint) => {
    const box = openToolBox();
    box.put("a.txt", content);
    const text = await readThenEdit(box, "a.txt", oldString, "new");
    expect(text).toMatch(/not found in a\.txt; the file is as it was/);
    expect(text).toMatch(hint);
    expect(box.read("a.txt")).toBe(content);
  });

  test("explains that the place has bytes that are not UTF-8", async () => {
    const box = openToolBox();
    box.put("a.txt", Buffer.from("caf\xe9\r\nbar\r\n", "latin1"));
    for (const oldString of ["caf\ufffd\nbar", "café\nbar"])
      expect(await readThenEdit(box, "a.txt", oldString, "new")).toMatch(/bytes that are not UTF-8.*sed.*iconv/);
    expect(await readThenEdit(box, "a.txt", "cafe", "new")).not.toMatch(/UTF-8/);
  });

  test("explains that a string has half of a surrogate pair", async () => {
    const box = openToolBox();
    box.put("a.txt", "a😀b\n");
    expect(await readThenEdit(box, "a.txt", "\ud83d", "Q")).toMatch(/old_string contains half of a surrogate pair/);
    expect(await readThenEdit(box, "a.txt", "a", "\ude00")).toMatch(/new_string contains half/);
    const written = await box.call("Write", { file_path: box.path("a.txt"), content: "\ud83d" });
    expect(textOf(written)).toMatch(/content contains half/);
    expect(box.read("a.txt")).toBe("a😀b\n");
  });

  test("names the lines of an ambiguous place", async () => {
    const box = openToolBox();
    box.put("a.txt", "x\ny\nx\n");
    expect(await readThenEdit(box, "a.txt", "x", "z")).toMatch(/occurs 2 times in a\.txt \(lines 1, 3\)/);
    box.put("many.txt", "x\n".repeat(12));
    expect(await readThenEdit(box, "many.txt", "x", "z")).toMatch(
      /12 times .*\(lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …\)/,
    );
    expect(await readThenEdit(box, "a.txt", "x", "z", true)).toBe("Edited a.txt. 2 places replaced.");
    expect(await readThenEdit(box, "a.txt", "y", "z", true)).toBe("Edited a.txt. 1 place replaced.");
  });

  test("explains that only line ends would change", async () => {
    const box = openToolBox();
    box.put("a.txt", "x\ny\n");
    expect(await readThenEdit(box, "a.txt", "x\n", "x\r\n")).toMatch(/only line ends differ/);
  });

  test("names the reason for folders, missing files, NUL bytes and broken links", async () => {
    const box = openToolBox();
    mkdirSync(box.path("dir"));
    box.put("main.ts", "x");
    symlinkSync("nowhere", box.path("dangling"));
    const edit = async (path: string): Promise<string> =>
      textOf(await box.call("Edit", { file_path: path, old_string: "a", new_string: "b" }));
    expect(await edit(box.path("dir"))).toMatch(/is a directory/);
    expect(await edit(box.path("mian.ts"))).toBe("File not found: mian.ts. Did you mean main.ts?");
    expect(await edit("a\0b")).toMatch(/NUL byte/);
    expect(await edit(box.path("dangling"))).toMatch(/symbolic link to a file that is not there/);
  });
});

describe("Edit with an empty old_string", () => {
  test("creates the file and its folders", async () => {
    const box = openToolBox();
    const result = await box.call("Edit", { file_path: "new/dir/a.txt", old_string: "", new_string: "hi\n" });
    expect(textOf(result)).toBe("Created new/dir/a.txt.");
    expect(box.read("new/dir/a.txt")).toBe("hi\n");
  });

  test("fills an empty file that was not read", async () => {
    const box = openToolBox();
    const path = box.put("a.txt", "");
    await box.call("Edit", { file_path: path, old_string: "", new_string: "hi" });
    expect(box.read("a.txt")).toBe("hi");
  });

  test("is refused if the file has content", async () => {
    const box = openToolBox();
    box.put("a.txt", "content");
    expect(await readThenEdit(box, "a.txt", "", "hi")).toMatch(/is not empty, but old_string is/);
  });
});

test("the structured output of an edit contains what clients need", async () => {
  const box = openToolBox();
  const path = box.put("a.txt", "a\nb\nc\n");
  await box.call("Read", { file_path: path });
  const result = await box.call("Edit", { file_path: "a.txt", old_string: "b", new_string: "B\nB2" });
  expect(result.output).toEqual({
    filePath: path,
    oldString: "b",
    newString: "B\nB2",
    originalFile: "a\nb\nc\n",
    structuredPatch: [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 4, lines: [" a", "-b", "+B", "+B2", " c"] }],
    userModified: false,
    replaceAll: false,
  });
});

test("editing a hard-linked file separates the names, and the other one keeps the old text", async () => {
  const box = openToolBox();
  linkSync(box.put("a.txt", "one"), box.path("b.txt"));
  await readThenEdit(box, "a.txt", "one", "two");
  expect([box.read("a.txt"), box.read("b.txt")]).toEqual(["two", "one"]);
});
