// The tools as a model meets them: odd inputs, odd files, floods. Each call has one answer, and the request after it is valid.
import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atWire, calls, resultsIn, says } from "./support/ask.ts";
import type { Place } from "./support/place.ts";
import type { Answer } from "./support/wire.ts";

type Call = [name: string, input: unknown, told: RegExp];

const everyTool = "Bash,Edit,Glob,Grep,NotebookEdit,Read,TaskStop,TodoWrite,Write";
const invalid = /^E:<tool_use_error>InputValidationError/;
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function lay(place: Place): void {
  const { folder } = place;
  const write = (name: string, content: string | Buffer): void => void place.write(name, content);
  write("a.txt", "line one\nline two\nline three\n");
  write("other.txt", "foo\n");
  write("sub/x.txt", "sub");
  write("bin.dat", Buffer.from([0, 1, 2, 255, 254, 97, 0]));
  write("empty.txt", "");
  write("big.txt", "line of text here\n".repeat(30_000));
  write("longline.txt", "x".repeat(5_000_000));
  write("crlf.txt", "a\r\nb\r\nc\r\n");
  write("bom.txt", "\ufeffbom file\n");
  write("ünï 😀\n.txt", "odd name\n");
  write("latin1.txt", Buffer.from("caf\xe9\n", "latin1"));
  write("bad.png", Buffer.from("\x89PNG\r\n\x1a\nbroken", "latin1"));
  write("bad.ipynb", "{oops");
  write("img.png", Buffer.from(png, "base64"));
  write("book.ipynb", JSON.stringify({ cells: [cell("one")], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
  spawnSync("truncate", ["-s", "1G", join(folder, "huge.txt")]);
  spawnSync("mkfifo", [join(folder, "fifo")]);
  symlinkSync("a.txt", join(folder, "link.txt"));
  symlinkSync("loop", join(folder, "loop"));
  symlinkSync("nowhere.txt", join(folder, "dangling"));
  symlinkSync("/etc/hostname", join(folder, "out"));
}

function cell(source: string): object {
  return { cell_type: "code", id: "c1", source, metadata: {}, outputs: [], execution_count: null };
}

const reads: Call[] = [
  ["Read", {}, invalid],
  ["Read", { file_path: 7 }, /^E:File not found: 7/],
  ["Read", { file_path: null }, invalid],
  ["Read", { path: "a.txt" }, invalid],
  ["Read", { file_path: "a.txt", offset: "2", limit: "1", pages: null }, /^2\tline two$/],
  ["Read", { file_path: "a.txt", offset: "two" }, invalid],
  ["Read", { file_path: "a.txt", limit: 0 }, invalid],
  ["Read", { file_path: "" }, /^E:.*file_path is empty\./],
  ["Read", { file_path: "a\u0000b" }, /^E:.*NUL/],
  ["Read", { file_path: "." }, /^E:.*is a directory/],
  ["Read", { file_path: "none.txt" }, /^E:File not found/],
  ["Read", { file_path: "a.txt", bogus: 1 }, /^1\tline one\n2\tline two\n3\tline three/],
  ["Read", { file_path: "a.txt", offset: 999 }, /^E:.*past its end/],
  ["Read", { file_path: "a.txt", limit: 1e12 }, /line three|unchanged/],
  ["Read", { file_path: "./sub/../a.txt" }, /line three|unchanged/],
  ["Read", { file_path: "a.txt/b" }, /^E:.*is a file/],
  ["Read", { file_path: "bin.dat" }, /^E:.*binary/],
  ["Read", { file_path: "empty.txt" }, /exists but is empty/],
  ["Read", { file_path: "big.txt" }, /^1\tline of text here\n/],
  ["Read", { file_path: "huge.txt" }, /^E:.*binary data \(1\.1 GB\)/],
  ["Read", { file_path: "longline.txt" }, /^1\tx{2000}/],
  ["Read", { file_path: "crlf.txt" }, /^1\ta\n2\tb\n3\tc/],
  ["Read", { file_path: "bom.txt" }, /^1\tbom file/],
  ["Read", { file_path: "ünï 😀\n.txt" }, /odd name/],
  ["Read", { file_path: "loop" }, /^E:.*cannot be told where its path leads: its links go round in a circle/],
  ["Read", { file_path: "dangling" }, /^E:.*symbolic link to a file that is not there/],
  ["Read", { file_path: "out" }, /^E:.*outside the working directories/],
  ["Read", { file_path: "fifo" }, /^E:.*named pipe/],
  ["Read", { file_path: "/dev/zero" }, /^E:.*Permission denied/],
  ["Read", { file_path: "latin1.txt" }, /not.*valid UTF-8/i],
  ["Read", { file_path: "bad.png" }, /^E:.*damaged/],
  ["Read", { file_path: "bad.ipynb" }, /^E:.*not a notebook/],
  ["Read", { file_path: "img.png" }, /^\[\{"type":"image"/],
  ["Read", { file_path: "book.ipynb" }, /one/],
];

const changes: Call[] = [
  ["Write", {}, invalid],
  ["Write", { file_path: "w.txt", content: { a: 1 } }, invalid],
  ["Write", { file_path: "w2.txt", content: "" }, /^Created/],
  ["Write", { file_path: "deep/er/w3.txt", content: "x" }, /^Created/],
  ["Write", { file_path: "a.txt/w", content: "x" }, /^E:.*is a file/],
  ["Write", { file_path: ".", content: "x" }, /^E:.*is a directory/],
  ["Write", { file_path: "dangling", content: "x" }, /^E:.*symbolic link/],
  ["Write", { file_path: "other.txt", content: "x" }, /^E:.*not been read/],
  ["Write", { file_path: "fifo", content: "x" }, /^E:.*named pipe/],
  ["Write", { file_path: "half.txt", content: "\ud800" }, /^E:.*half of a surrogate pair/],
  ["Write", { file_path: "x".repeat(300), content: "x" }, /^E:/],
  ["Edit", {}, invalid],
  ["Edit", { file_path: "a.txt", old_string: "one", new_string: "one" }, /^E:.*identical/],
  ["Edit", { file_path: "a.txt", old_string: "line", new_string: "L" }, /^E:.*3 times/],
  ["Edit", { file_path: "a.txt", old_string: "nope", new_string: "x" }, /^E:.*not found/],
  ["Edit", { file_path: "a.txt", old_string: "line", new_string: "L", replace_all: "yes" }, invalid],
  ["Edit", { file_path: "a.txt", old_string: "line", new_string: "LINE", replace_all: true }, /3 places/],
  ["Edit", { file_path: "link.txt", old_string: "LINE", new_string: "x" }, /^E:/],
  ["Edit", { file_path: "crlf.txt", old_string: "b\nc", new_string: "B\nC" }, /^Edited/],
  ["Edit", { file_path: "bom.txt", old_string: "bom", new_string: "BOM" }, /^Edited/],
  ["Edit", { file_path: "latin1.txt", old_string: "caf", new_string: "CAF" }, /^Edited/],
  ["Edit", { file_path: "bin.dat", old_string: "a", new_string: "b" }, /^E:/],
  ["NotebookEdit", {}, invalid],
  ["NotebookEdit", { notebook_path: "book.ipynb", cell_id: "c1", new_source: "two" }, /^(?!E:)/],
  ["TodoWrite", { todos: "x" }, invalid],
  ["TodoWrite", { todos: '[{"content":"a","status":"pending","activeForm":"b"}]' }, /updated/],
  ["TodoWrite", { todos: [{ content: "a", status: "done", activeForm: "b" }] }, invalid],
  ["TodoWrite", { todos: [{ content: "a", status: "pending", activeForm: "b", id: "1" }] }, /updated/],
];

const commands: Call[] = [
  ["Bash", {}, invalid],
  ["Bash", { command: " " }, /^E:.*empty/],
  ["Bash", { command: "echo \u0000" }, /^E:.*NUL/],
  [
    "Bash",
    { command: "sleep 60", timeout: "100", description: null, run_in_background: "false" },
    /^E:Command timed out/,
  ],
  ["Bash", { command: "x", timeout: "soon" }, invalid],
  ["Bash", { command: "echo $((" }, /^E:Exit code/],
  ["Bash", { command: "kill -9 $$" }, /^E:Exit code 137/],
  ["Bash", { command: "printf '\\033[31mred\\033[0m'" }, /^red$/],
  ["Bash", { command: "cat; read x; echo got" }, /^got/],
  ["Bash", { command: "echo err >&2; echo out" }, /out/],
  ["Bash", { command: "cd sub && pwd" }, /work\/sub$/],
  ["Bash", { command: "pwd" }, /work\/sub$/],
  ["Bash", { command: "cd /tmp" }, /Shell cwd was reset/],
  ["Bash", { command: "sleep 60", timeout: 100 }, /^E:Command timed out/],
  ["Bash", { command: "yes 0123456789 | head -c 60000000" }, /^(?:.|\n){1000,40000}$/],
  ["Bash", { command: "head -c 300000 /dev/urandom" }, /binary output/],
  ["Bash", { command: "grep nothing a.txt" }, /^\[Exit code 1: no matches/],
  ["Bash", { command: "exec 1>&- 2>&-; echo x" }, /^E:Exit code 1/],
  ["bash", { command: "ls" }, /^E:.*No such tool/],
  ["TaskStop", { task_id: "nope" }, /^E:.*no background task/],
];

const searches: Call[] = [
  ["Glob", {}, invalid],
  ["Glob", { pattern: "" }, /^E:.*pattern is empty\./],
  ["Glob", { pattern: "[" }, /^E:/],
  ["Glob", { pattern: "x.txt", path: "" }, /^sub\/x\.txt$/],
  ["Grep", { pattern: "odd", path: "", glob: null, "-n": "false", output_mode: "content" }, /:odd name$/],
  ["Glob", { pattern: "**/x.txt" }, /^sub\/x\.txt$/],
  ["Glob", { pattern: "*", path: "none" }, /^E:.*not found/],
  ["Glob", { pattern: "a".repeat(70_000) }, /No files found|^E:/],
  ["Grep", { pattern: "(" }, /^E:.*regular expression/],
  ["Grep", { pattern: "x", output_mode: "bogus" }, invalid],
  ["Grep", { pattern: "-e" }, /No matches/],
  ["Grep", { pattern: "odd", output_mode: "content" }, /odd name/],
  ["Grep", { pattern: "x", path: "longline.txt", output_mode: "content" }, /^.{1,2000}$/],
  ["Grep", { pattern: "x", path: "fifo" }, /^E:.*neither a file nor a folder/],
  ["Grep", { pattern: "line", type: "nope" }, /^E:.*file type/],
  ["Grep", { pattern: "text", head_limit: 1, offset: 1, output_mode: "content" }, /^big\.txt:2:/],
];

test.concurrent.each([
  ["files read", reads],
  ["files changed", [...reads.filter(([, , told]) => !told.source.startsWith("^E")), ...changes]],
  ["commands", commands],
  ["searches", searches],
] as [string, Call[]][])("odd inputs are answered one by one: %s", { timeout: 60_000 }, (_, list) => {
  const answer = (_asked: unknown, at: number): Answer => {
    const next = list[at];
    return next === undefined ? says("done") : calls([next[0], next[1]]);
  };
  return atWire(answer, async (place, server) => {
    lay(place);
    const flags = ["--permission-mode", "acceptEdits", "--allowed-tools", "Bash", "--tools", everyTool, "--", "x"];
    const { code } = await place.run(["-p", ...flags]);
    expect([code, server.requests.length]).toEqual([0, list.length + 1]);
    for (const [at, [name, input, told]] of list.entries()) {
      const [result, ...more] = resultsIn(server.requests[at + 1]);
      expect(result, `${name} ${JSON.stringify(input).slice(0, 200)}`).toMatch(told);
      expect(more).toEqual([]);
    }
    expect(place.leftovers()).toEqual([]);
    if (!list.includes(changes[0]!)) return;
    const bytes = (name: string): string => readFileSync(join(place.folder, name), "latin1");
    expect(["crlf.txt", "bom.txt", "latin1.txt", "other.txt"].map(bytes)).toEqual([
      "a\r\nB\r\nC\r\n",
      "\xef\xbb\xbfBOM file\n",
      "CAF\xe9\n",
      "foo\n",
    ]);
    expect(JSON.parse(readFileSync(join(place.folder, "book.ipynb"), "utf8"))).toMatchObject({
      cells: [{ source: ["two"] }],
    });
  });
});

test("the output of twelve commands in one message is cut to the limit of a message", () => {
  const floods = Array.from({ length: 12 }, (_, at) => ["Bash", { command: `seq ${at} 9000` }] as const);
  return atWire([calls(...floods), says("done")], async (place, server) => {
    const { code } = await place.run(["-p", "--allowed-tools", "Bash", "--", "x"]);
    expect(code).toBe(0);
    const results = resultsIn(server.requests[1]);
    expect(results).toHaveLength(12);
    expect(results.reduce((sum, result) => sum + result.length, 0)).toBeLessThan(220_000);
    expect(results.at(-1)).toMatch(/All of it is in/);
  });
});

test("a stored result can be read but not overwritten", () => {
  const spilled = (text: string): string => /\/\S+tool-results\/[\w.-]+\w/.exec(text)?.[0] ?? "";
  return atWire(
    (asked, at) => {
      const file_path = spilled(resultsIn(asked)[0] ?? "");
      if (at === 0) return calls(["Bash", { command: "seq 1 200000" }]);
      if (at > 1) return says("done");
      return calls(["Read", { file_path, offset: 150_000, limit: 1 }], ["Write", { file_path, content: "x" }]);
    },
    async (place, server) => {
      await place.run(["-p", "--allowed-tools", "Bash", "--permission-mode", "acceptEdits", "--", "x"]);
      expect(resultsIn(server.requests[2])).toEqual([
        expect.stringMatching(/^150000\t150000/),
        expect.stringMatching(/^E:.*Permission denied/),
      ]);
    },
  );
});

test("a file whose content mostly did not fit counts as only partly read", () => {
  const names = Array.from({ length: 8 }, (_, at) => `f${at}.txt`);
  const writes = ["f0.txt", "f7.txt"].map((file_path) => ["Write", { file_path, content: "new" }] as const);
  const reads = names.map((file_path) => ["Read", { file_path }] as const);
  return atWire([calls(...reads), calls(...writes), says("done")], async (place, server) => {
    for (const name of names) place.write(name, `${"words of a line ".repeat(4)}\n`.repeat(1_300));
    const flags = ["--model", "claude-haiku-4-5", "--permission-mode", "acceptEdits"];
    expect((await place.run(["-p", ...flags, "--", "x"])).code).toBe(0);
    const shown = resultsIn(server.requests[1]);
    expect([shown[0], shown[7]]).toEqual([
      expect.stringMatching(/^1\twords/),
      expect.stringMatching(/^\[This result of/),
    ]);
    expect(resultsIn(server.requests[2])).toEqual([
      "Replaced the content of f0.txt.",
      expect.stringMatching(/^E:Only a part of f7\.txt has been read/),
    ]);
  });
});

test("several edits of one file in one message are all made, in order", () => {
  const edits = Array.from({ length: 8 }, (_, at) => {
    return ["Edit", { file_path: "f.txt", old_string: `line${at}.`, new_string: `LINE${at}.` }] as const;
  });
  return atWire([calls(["Read", { file_path: "f.txt" }]), calls(...edits), says("done")], async (place) => {
    place.write("f.txt", Array.from({ length: 8 }, (_, at) => `line${at}.\n`).join(""));
    expect((await place.run(["-p", "--permission-mode", "acceptEdits", "x"])).code).toBe(0);
    expect(readFileSync(join(place.folder, "f.txt"), "utf8")).toBe(
      Array.from({ length: 8 }, (_, at) => `LINE${at}.\n`).join(""),
    );
  });
});
