import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openToolBox, textOf, type ToolBox } from "./support.ts";
import { byTestDepth } from "../support/test-depth.ts";

test("Write creates a new file with its folders, and the output says create", async () => {
  const box = openToolBox();
  const result = await box.call("Write", { file_path: "a/b/c.txt", content: "hi\n" });
  expect(textOf(result)).toBe("Created a/b/c.txt.");
  expect(box.read("a/b/c.txt")).toBe("hi\n");
  expect(result.output).toEqual({
    type: "create",
    filePath: box.path("a/b/c.txt"),
    content: "hi\n",
    structuredPatch: [],
    originalFile: null,
  });
});

test("Write names a new file by its absolute path after commands changed the working directory", async () => {
  const box = openToolBox();
  box.put("sub/a.txt", "one\n");
  box.dependencies.cwd.set(box.path("sub"));
  const write = { file_path: "sub/b.txt", content: "hi\n" };
  expect(textOf(await box.call("Write", write))).toBe(`Created ${box.path("sub/sub/b.txt")}.`);
  const edit = { file_path: "c.txt", old_string: "", new_string: "hi\n" };
  expect(textOf(await box.call("Edit", edit))).toBe(`Created ${box.path("sub/c.txt")}.`);
});

test("Write reads `~` as the home folder", async () => {
  const box = openToolBox();
  await box.call("Write", { file_path: "~/notes.txt", content: "hi" });
  expect(readFileSync(join(box.dependencies.home, "notes.txt"), "utf8")).toBe("hi");
});

test("Write refuses an existing file that was not read, or only in part", async () => {
  const box = openToolBox();
  const path = box.put("a.txt", "1\n2\n3\n");
  expect(textOf(await box.call("Write", { file_path: path, content: "x" }))).toMatch(/has not been read yet/);
  await box.call("Read", { file_path: path, limit: 1 });
  expect(textOf(await box.call("Write", { file_path: path, content: "x" }))).toMatch(
    /Only a part of a.txt has been read/,
  );
  await box.call("Read", { file_path: path });
  const result = await box.call("Write", { file_path: path, content: "1\n2\nthree\n" });
  expect(textOf(result)).toBe("Replaced the content of a.txt.");
  expect(result.output).toMatchObject({
    type: "update",
    originalFile: "1\n2\n3\n",
    structuredPatch: [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [" 1", " 2", "-3", "+three"] }],
  });
});

test("Write accepts a file that was read to its end in several reads", async () => {
  const write = async (box: ToolBox, path: string): Promise<string> =>
    textOf(await box.call("Write", { file_path: path, content: "x" }));
  for (const size of [3000, byTestDepth(30_000, 200_000)]) {
    const box = openToolBox();
    const path = box.put("a.txt", Array.from({ length: size }, (_, index) => `line ${index}`).join("\n"));
    await box.call("Read", { file_path: path });
    await box.call("Read", { file_path: path, offset: 2200, limit: 5 });
    expect(await write(box, path)).toMatch(/Only a part of a\.txt has been read/);
    for (let offset = 2001; offset <= size; offset += 2000) await box.call("Read", { file_path: path, offset });
    expect(await write(box, path)).toBe("Replaced the content of a.txt.");
  }
});

test("Write does not count reads of two versions, or cut lines, as a whole read", async () => {
  const box = openToolBox();
  const path = box.put("a.txt", "1\n2\n3\n");
  await box.call("Read", { file_path: path, limit: 2 });
  writeFileSync(path, "one\ntwo\n3\n");
  await box.call("Read", { file_path: path, offset: 3 });
  expect(textOf(await box.call("Write", { file_path: path, content: "x" }))).toMatch(/Only a part/);
  const long = box.put("long.txt", `${"x".repeat(3000)}\ny\n`);
  await box.call("Read", { file_path: long, limit: 1 });
  await box.call("Read", { file_path: long, offset: 2 });
  expect(textOf(await box.call("Write", { file_path: long, content: "x" }))).toMatch(/lines that are cut count as not/);
});

test("a file that was written may be written again and edited without reading", async () => {
  const box = openToolBox();
  await box.call("Write", { file_path: "a.txt", content: "one" });
  await box.call("Write", { file_path: "a.txt", content: "two" });
  await box.call("Edit", { file_path: "a.txt", old_string: "two", new_string: "three" });
  expect(box.read("a.txt")).toBe("three");
});

test.each([
  ["CRLF stays where the content has LF", "a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"],
  ["CR alone stays where the content has LF", "a\rb\r", "x\ny\n", "x\ry\r"],
  ["CRLF given in place of CR is kept", "a\rb\r", "x\r\ny\r\n", "x\r\ny\r\n"],
  ["mixed line ends are replaced by those given", "a\r\nb\n", "x\ny\n", "x\ny\n"],
  ["given CRLF is kept", "a\r\n", "x\r\ny\n", "x\r\ny\n"],
  ["a byte order mark stays", "\ufeffa\n", "b\n", "\ufeffb\n"],
  ["a byte order mark is not doubled", "\ufeffa\n", "\ufeffb\n", "\ufeffb\n"],
])("Write: %s", async (_, before, content, after) => {
  const box = openToolBox();
  const path = box.put("a.txt", before);
  await box.call("Read", { file_path: path });
  await box.call("Write", { file_path: path, content });
  expect(box.read("a.txt")).toBe(after);
});

test("Write keeps the mode and symbolic links", async () => {
  const box = openToolBox();
  chmodSync(box.put("real.sh", "old"), 0o755);
  symlinkSync("real.sh", box.path("link.sh"));
  await box.call("Read", { file_path: box.path("link.sh") });
  await box.call("Write", { file_path: box.path("link.sh"), content: "new" });
  expect(box.read("real.sh")).toBe("new");
  expect(statSync(box.path("real.sh")).mode & 0o7777).toBe(0o755);
  expect(readdirSync(box.root).toSorted()).toEqual(["link.sh", "real.sh"]);
  const edit = { file_path: box.path("real.sh"), old_string: "new", new_string: "newer" };
  expect(textOf(await box.call("Edit", edit))).toBe("Edited real.sh.");
});

test("Write refuses folders, devices, NUL bytes, files in the path and broken links", async () => {
  const box = openToolBox();
  mkdirSync(box.path("dir"));
  box.put("file", "x");
  const write = async (path: string): Promise<string> =>
    textOf(await box.call("Write", { file_path: path, content: "x" }));
  expect(await write("dir")).toMatch(/dir is a directory/);
  expect(await write("/dev/null")).toMatch(/is a device: only regular files can be changed/);
  expect(await write("a\0.txt")).toMatch(/NUL byte/);
  expect(await write("file/below.txt")).toBe(
    "Cannot write file/below.txt: a part of the path is a file, not a directory.",
  );
  expect(await write("x".repeat(300))).toMatch(/the name is too long for the file system/);
  symlinkSync("nowhere", box.path("link"));
  expect(await write("link")).toMatch(/link is a symbolic link to a file that is not there\. Name that file itself/);
  expect(readdirSync(box.root).toSorted()).toEqual(["dir", "file", "link"]);
  expect(readlinkSync(box.path("link"))).toBe("nowhere");
});

test("Write accepts names with blanks, newlines and escapes, and shows them quoted", async () => {
  const box = openToolBox();
  expect(textOf(await box.call("Write", { file_path: "with blank.txt", content: "1" }))).toBe(
    "Created with blank.txt.",
  );
  expect(textOf(await box.call("Write", { file_path: "new\nline\u001b[31m.txt", content: "2" }))).toBe(
    "Created $'new\\nline\\x1b[31m.txt'.",
  );
  expect(box.read("new\nline\u001b[31m.txt")).toBe("2");
});

test("an aborted Write writes nothing", async () => {
  const box = openToolBox();
  const result = await box.call("Write", { file_path: "a.txt", content: "x" }, { signal: AbortSignal.abort("user") });
  expect(result.isError).toBe(true);
  expect(readdirSync(box.root)).toEqual([]);
});

test("a file that is too long to repeat is left out of the output", async () => {
  const box = openToolBox();
  const path = box.path("big.txt");
  writeFileSync(path, "line\n".repeat(100_000));
  await box.call("Bash", { command: "true" });
  box.dependencies.readState.set(path, { mtimeMs: statSync(path).mtimeMs, size: statSync(path).size });
  const result = await box.call("Write", { file_path: path, content: "short\n" });
  expect(result.output).toMatchObject({ type: "update", originalFile: null });
  expect(JSON.stringify(result.output).length).toBeLessThan(1_000_000);
});

test("Write reports that a file in another encoding is UTF-8 now", async () => {
  const box = openToolBox();
  const path = box.put("gbk.txt", Buffer.from([0xd6, 0xd0, 0xce, 0xc4, 0x0a]));
  await box.call("Read", { file_path: path });
  const told = textOf(await box.call("Write", { file_path: path, content: "中文\n" }));
  expect(told).toMatch(
    /^Replaced the content of gbk\.txt\. It had bytes that are not UTF-8, and is UTF-8 now:.*iconv/u,
  );
  expect(textOf(await box.call("Write", { file_path: path, content: "文\n" }))).toBe(
    "Replaced the content of gbk.txt.",
  );
});
