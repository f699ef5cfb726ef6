import { createServer } from "node:net";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openToolBox, textOf, type ToolBox } from "./support.ts";

async function readText(box: ToolBox, name: string, range: { offset?: number; limit?: number } = {}): Promise<string> {
  return textOf(await box.call("Read", { file_path: box.path(name), ...range }));
}

const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\tline ${from + index}`).join("\n");
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe("Read of a text file", () => {
  test("returns numbered lines, and the lines without numbers in the output", async () => {
    const box = openToolBox();
    const path = box.put("a.txt", "one\ntwo\n");
    const result = await box.call("Read", { file_path: path });
    expect(result.content).toBe("1\tone\n2\ttwo");
    expect(result.output).toEqual({
      type: "text",
      file: { filePath: path, content: "one\ntwo", numLines: 2, startLine: 1, totalLines: 2 },
    });
  });

  test.each([
    ["no last line end", "a\nb", "1\ta\n2\tb"],
    ["only a line end", "\n", "1\t"],
    ["CRLF", "a\r\nb\r\n", "1\ta\n2\tb"],
    ["a byte order mark", "\ufeffa\n", "1\ta"],
    ["CR alone", "a\rb\r", "1\ta\n2\tb"],
    ["blank lines", "a\n\n\nb\n", "1\ta\n2\t\n3\t\n4\tb"],
  ])("handles %s", async (_, content, shown) => {
    const box = openToolBox();
    box.put("a.txt", content);
    expect(await readText(box, "a.txt")).toBe(shown);
  });

  test("returns a range, and refuses one past the end", async () => {
    const box = openToolBox();
    box.put("a.txt", lines(10));
    expect(await readText(box, "a.txt", { offset: 4, limit: 2 })).toBe(numbers(4, 5));
    expect(await readText(box, "a.txt", { offset: 9, limit: 5 })).toBe(numbers(9, 10));
    expect(await readText(box, "a.txt", { offset: 0, limit: 1 })).toBe(numbers(1, 1));
    expect(await readText(box, "a.txt", { offset: 11 })).toBe("a.txt has 10 lines: offset 11 is past its end.");
    box.put("one.txt", "x\n");
    expect(await readText(box, "one.txt", { offset: 2 })).toBe("one.txt has 1 line: offset 2 is past its end.");
  });

  test("returns the first 2000 lines with a notice", async () => {
    const box = openToolBox();
    box.put("a.txt", lines(3000));
    const text = await readText(box, "a.txt");
    expect(text).toContain(numbers(1, 2000));
    expect(text).toMatch(/\[PARTIAL view: lines 1 to 2000 of 3000\. Read on with offset 2001/);
  });

  test("returns no more than the token limit, with a notice", async () => {
    const box = openToolBox();
    box.put("a.txt", `${"x".repeat(999)}\n`.repeat(500));
    const result = await box.call("Read", { file_path: box.path("a.txt") });
    expect(textOf(result)).toMatch(/\[PARTIAL view: lines 1 to 99 of 500 \(a read returns at most 25000 tokens\)/);
    expect(result.output).toMatchObject({ file: { numLines: 99, totalLines: 500, truncatedByTokenCap: true } });
    expect(textOf(result).length).toBeLessThan(101_000);
  });

  test("refuses a requested range that is too long, and says how much fits", async () => {
    const box = openToolBox();
    box.put("a.txt", `${"x".repeat(999)}\n`.repeat(500));
    const result = await box.call("Read", { file_path: box.path("a.txt"), offset: 2, limit: 400 });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(
      /Lines 2 to 401 are more than the 25000 tokens a read may return; about 99 of them fit/,
    );
  });

  test("says how to see the last state of a line that a progress bar overwrites", async () => {
    const box = openToolBox();
    box.put("train.log", `epoch 1\n${Array.from({ length: 400 }, (_, step) => `\rstep ${step}`).join("")}`);
    expect(await readText(box, "train.log")).toMatch(
      /\[line cut: \d+ characters in all; \\r overwrites it again and again: tail -c 300 in Bash shows its end\]$/,
    );
  });

  test("cuts a long line and names its length", async () => {
    const box = openToolBox();
    box.put("a.txt", `${"x".repeat(50_000)}\nshort\n`);
    expect(await readText(box, "a.txt")).toBe(`1\t${"x".repeat(2000)}… [line cut: 50000 characters in all]\n2\tshort`);
  });

  test("says that a file is empty, which may then be written", async () => {
    const box = openToolBox();
    box.put("a.txt", "");
    expect(await readText(box, "a.txt")).toBe("The file exists but is empty.");
    expect((await box.call("Write", { file_path: "a.txt", content: "x" })).isError).not.toBe(true);
  });

  test.each(["utf16le", "utf16be"])("decodes %s with a byte order mark", async (encoding) => {
    const box = openToolBox();
    const bytes = Buffer.from("\ufeffgrün\r\n𝒳\r\n", "utf16le");
    box.put("a.txt", encoding === "utf16be" ? bytes.swap16() : bytes);
    expect(await readText(box, "a.txt")).toBe("1\tgrün\n2\t𝒳");
  });

  test("refuses text in an unsupported encoding, and says how to convert it", async () => {
    const box = openToolBox();
    box.put("32.txt", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]));
    for (const [name, bytes] of [
      ["le", Buffer.from("key = Größe 世界一\r\n", "utf16le")],
      ["be", Buffer.from("key = Größe 世界一\r\n", "utf16le").swap16()],
      ["le", Buffer.from("Windows Registry Editor\r\n", "utf16le")],
      ["be", Buffer.from("Windows Registry Editor\r\n", "utf16le").swap16()],
    ] as const) {
      box.put(`16${name}.txt`, bytes);
      expect(await readText(box, `16${name}.txt`)).toMatch(
        new RegExp(
          `^16${name}.txt is UTF-16 text without a byte order mark, .*iconv -c -f utf-16${name} -t utf-8`,
          "u",
        ),
      );
    }
    for (const text of ["a.ts\0src/b.ts\0", "PATH=/bin\0HOME=/größe\0LANG=C\0"]) {
      box.put("list", text);
      expect(await readText(box, "list")).toContain("list is binary data");
    }
    box.put("ints.bin", Buffer.from(Uint16Array.from({ length: 200 }, (_, at) => at).buffer));
    expect(await readText(box, "ints.bin")).toMatch(/^ints\.bin is binary data/);
    expect(await readText(box, "32.txt")).toMatch(/^32\.txt is UTF-32 text, .*iconv -c -f utf-32 -t utf-8/);
    box.put("16.txt", Buffer.from("\ufeffabc", "utf16le").subarray(0, -1));
    expect(await readText(box, "16.txt")).toMatch(/half a character at its end, .*iconv -c -f utf-16/);
  });

  test("replaces bytes that are not UTF-8, with a notice", async () => {
    const box = openToolBox();
    box.put("a.txt", Buffer.from("caf\xe9\nok\n", "latin1"));
    expect(await readText(box, "a.txt")).toMatch(/^1\tcaf�\n2\tok\n\[The file is not all valid UTF-8.*iconv -f/);
  });

  test("recognises a Git LFS pointer, but not a text that quotes one", async () => {
    const box = openToolBox();
    const lines = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0a".repeat(32)}\nsize 12345\n`;
    box.put("model.bin", lines);
    expect(await readText(box, "model.bin")).toMatch(/\[This is a Git LFS pointer.*\(12345 bytes\) is not here/);
    box.put("notes.md", `# LFS\n${lines}`);
    expect(await readText(box, "notes.md")).not.toContain("Git LFS pointer");
  });
});

describe("a file that was read before", () => {
  test("is not shown again while the file and the range are the same", async () => {
    const box = openToolBox();
    box.put("a.txt", "one\n");
    await readText(box, "a.txt");
    expect(await readText(box, "a.txt")).toMatch(/^a\.txt is unchanged since you last read these lines/);
    expect(await readText(box, "a.txt", { offset: 1, limit: 1 })).toBe("1\tone");
  });

  test("is shown again after it changed, even within the same millisecond", async () => {
    const box = openToolBox();
    const path = box.put("a.txt", "one\n");
    await readText(box, "a.txt");
    writeFileSync(path, "two\n");
    expect(await readText(box, "a.txt")).toBe("1\ttwo");
  });

  test("is shown again after an edit by the model", async () => {
    const box = openToolBox();
    const path = box.put("a.txt", "one\n");
    await readText(box, "a.txt");
    await box.call("Edit", { file_path: path, old_string: "one", new_string: "two" });
    expect(await readText(box, "a.txt")).toBe("1\ttwo");
  });

  test("is shown again after the conversation lost it, but may be edited without reading", async () => {
    const box = openToolBox();
    const path = box.put("a.txt", "one\n");
    await readText(box, "a.txt");
    box.dependencies.readState.clear();
    expect((await box.call("Edit", { file_path: path, old_string: "one", new_string: "two" })).isError).not.toBe(true);
    box.dependencies.readState.clear();
    expect(await readText(box, "a.txt")).toBe("1\ttwo");
  });
});

describe("Read", () => {
  test("refuses a missing file, and suggests similar names", async () => {
    const box = openToolBox();
    box.put("src/index.ts", "");
    box.put("src/other.ts", "");
    expect(await readText(box, "src/index.js")).toBe("File not found: src/index.js. Did you mean src/index.ts?");
    expect(await readText(box, "src/Index.ts")).toBe("File not found: src/Index.ts. Did you mean src/index.ts?");
    expect(await readText(box, "nowhere/x.ts")).toMatch(/Its folder is not there either/);
    expect(await readText(box, "zzzzzzzzzzzzz")).toBe("File not found: zzzzzzzzzzzzz. Find it with Glob.");
  });

  test("refuses a path whose accents are spelled differently on disk, and shows the right spelling", async () => {
    const box = openToolBox();
    const path = box.put("한/café.txt".normalize("NFD"), "found\n");
    const told = await readText(box, "한/café.txt");
    expect(told).toContain(String.raw`\u1112\u1161\u11ab/cafe\u0301.txt"`);
    expect(JSON.parse(/"[^]*"/u.exec(told)?.[0] ?? "")).toBe(path);
    expect(await readText(box, "한/café.txt".normalize("NFD"))).toBe("1\tfound");
  });

  test("names the working directory for a missing file if commands changed that directory", async () => {
    const box = openToolBox();
    box.put("sub/a.ts", "");
    box.dependencies.cwd.set(box.path("sub"));
    const told = async (path: string): Promise<string> => textOf(await box.call("Read", { file_path: path }));
    const where = `The working directory is ${box.path("sub")}.`;
    expect(await told("sub/a.ts")).toContain(`Its folder is not there either (or cannot be read). ${where} Find`);
    expect(await told("zzzzzzz")).toBe(`File not found: zzzzzzz. ${where} Find it with Glob.`);
    expect(await told("b.ts")).toBe(`File not found: b.ts. ${where} Did you mean a.ts?`);
    expect(await told(box.path("zzzzzzz"))).not.toContain(where);
  });

  test("refuses a broken link, and says that it is one", async () => {
    const box = openToolBox();
    symlinkSync("nowhere.txt", box.path("dangling"));
    expect(await readText(box, "dangling")).toBe("dangling is a symbolic link to a file that is not there.");
  });

  test("refuses a name that is not UTF-8, and says so", async () => {
    const box = openToolBox();
    writeFileSync(Buffer.concat([Buffer.from(box.path("caf")), Buffer.from([0xe9]), Buffer.from(".txt")]), "x");
    expect(await readText(box, "caf\ufffd.txt")).toMatch(/^The name of .* is not UTF-8/u);
  });

  test("refuses folders, pipes, sockets, devices and link loops without hanging", async () => {
    const box = openToolBox();
    mkdirSync(box.path("dir"));
    await box.call("Bash", { command: "mkfifo pipe" });
    symlinkSync("loop", box.path("loop"));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(box.path("sock"), resolve));
    expect(await readText(box, "dir")).toMatch(/^dir is a directory/);
    expect(textOf(await box.call("Read", { file_path: "/" }, { cwd: "/" }))).toMatch(/^\/ is a directory/);
    expect(await readText(box, "pipe")).toBe("pipe is a named pipe: only regular files can be read.");
    expect(await readText(box, "sock")).toBe("sock is a socket: only regular files can be read.");
    expect(await readText(box, "loop")).toBe("Cannot read loop: its symbolic links form a loop.");
    expect(textOf(await box.call("Read", { file_path: "/dev/zero" }))).toMatch(/is a device/);
    expect(textOf(await box.call("Read", { file_path: "a\0" }))).toMatch(/NUL/);
    await new Promise((resolve) => server.close(resolve));
  });

  test.each([
    ["an ELF program", "\x7fELF\x02\x01\x01\0\0\0", /^a\.bin is a Linux program or library \(10 bytes\), not text/],
    ["a ZIP archive", "PK\x03\x04\0\0\0\0", /a ZIP archive/],
    ["a database", "SQLite format 3\0", /an SQLite database/],
    ["other bytes", "\x01\x02\x03\x04\x05\x06abc", /is binary data/],
  ])("refuses %s and names what it is", async (_, bytes, reason) => {
    const box = openToolBox();
    box.put("a.bin", Buffer.from(bytes, "latin1"));
    const result = await box.call("Read", { file_path: box.path("a.bin") });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(reason);
  });

  test("shows files of /proc, which report a size of 0", async () => {
    const box = openToolBox();
    expect(textOf(await box.call("Read", { file_path: "/proc/self/status" }))).toMatch(/^1\tName:/);
  });
});

describe("Read of a large file", () => {
  const count = 200_000;

  test("returns a range from the middle and the number of lines", async () => {
    const box = openToolBox();
    box.put("big.txt", lines(count));
    const result = await box.call("Read", { file_path: box.path("big.txt"), offset: 150_000, limit: 3 });
    expect(textOf(result)).toBe(numbers(150_000, 150_002));
    expect(result.output).toMatchObject({ file: { startLine: 150_000, totalLines: count } });
    expect(await readText(box, "big.txt", { offset: count + 1 })).toBe(
      `big.txt has ${count} lines: offset ${count + 1} is past its end.`,
    );
    expect(await readText(box, "big.txt")).toMatch(/PARTIAL view: lines 1 to 2000 of 200000/);
  });

  test("allows an edit afterwards, until the file changes", async () => {
    const box = openToolBox();
    const path = box.put("big.txt", lines(count));
    await readText(box, "big.txt", { offset: 5, limit: 1 });
    const edit = { file_path: path, old_string: "line 5\n", new_string: "five\n" };
    expect(textOf(await box.call("Edit", edit))).toBe("Edited big.txt.");
    writeFileSync(path, lines(count + 1));
    expect(textOf(await box.call("Edit", edit))).toMatch(/has changed since/);
  });

  test("cuts a line of 3 MB, and handles CRLF and a byte order mark", async () => {
    const box = openToolBox();
    box.put("big.txt", `\ufefffirst\r\n${"é".repeat(1_500_000)}\r\nlast`);
    const text = await readText(box, "big.txt");
    expect(text).toBe(`1\tfirst\n2\t${"é".repeat(2000)}… [line cut: 3000001 bytes in all]\n3\tlast`);
  });

  test("joins characters and line ends that were split between pieces", async () => {
    const box = openToolBox();
    const unit = "ä€𝒳\r\n";
    const repeats = Math.ceil(1_200_000 / Buffer.byteLength(unit));
    box.put("big.txt", unit.repeat(repeats));
    for (const offset of [1, 23_400, 47_660, repeats - 10]) {
      const text = await readText(box, "big.txt", { offset, limit: 10 });
      expect(text).toBe(Array.from({ length: 10 }, (_, index) => `${offset + index}\tä€𝒳`).join("\n"));
    }
  });

  test("refuses a requested range that is too long", async () => {
    const box = openToolBox();
    box.put("big.txt", lines(count));
    expect(await readText(box, "big.txt", { offset: 1, limit: 10_000_000 })).toMatch(/are more than the 25000 tokens/);
  });
});
