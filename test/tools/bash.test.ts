import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createReadFileState } from "../../src/tools/read-state.ts";
import { shellCall } from "../../src/tools/shell/program.ts";
import { openToolBox, progressOf, textOf, type ToolBox } from "./support.ts";

async function run(box: ToolBox, command: string): Promise<string> {
  return textOf(await box.call("Bash", { command }));
}

describe("a command's result", () => {
  test("contains stdout and then stderr, and the output contains them separately", async () => {
    const box = openToolBox();
    const result = await box.call("Bash", { command: "echo out; echo err >&2; echo more" });
    expect(result).toMatchObject({
      content: "out\nmore\nerr",
      isError: false,
      output: { stdout: "out\nmore\n", stderr: "err\n", interrupted: false },
    });
  });

  test.each(["pkill -f vite", "kill $(pgrep -f vite)", "ps aux | grep vite", "grep -l vite /proc/[0-9]*/cmdline"])(
    "does not include the command's own shell when it looks for processes: %s",
    async (command) => {
      const folder = openToolBox().path("my vité/vite");
      mkdirSync(folder, { recursive: true });
      const box = openToolBox({ spillDirectory: () => folder });
      const shown = await run(box, `tr '\\0' ' ' < /proc/$$/cmdline; exit; ${command}`);
      expect(shown).toMatch(/^\/.*bash/u);
      expect(shown).not.toContain("vite");
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test("is complete for a command that looks for processes and ends with a line end", async () => {
    expect(await run(openToolBox(), "echo ps \\\n\n")).toBe("ps");
  });

  test.each([
    { path: "/bin/bash", isBash: true },
    { path: "/bin/sh", isBash: false },
  ])("is a failure if the file with the command cannot be read: $path", (shell) => {
    const { file, args } = shellCall(shell, "/nowhere/at/all", { hasEnvFile: false, fromFile: true });
    const { status, stderr } = spawnSync(file, args, { stdio: ["ignore", "ignore", "pipe", "pipe"] });
    expect([status, String(stderr)]).toEqual([126, expect.stringContaining("/nowhere/at/all")]);
  });

  test("is also available if the disk is full", async () => {
    const full = (): never => {
      throw new Error("ENOSPC: no space left on device");
    };
    for (const spillDirectory of [() => "/nowhere/at/all", full])
      expect(await run(openToolBox({ spillDirectory }), "echo ps")).toBe("ps");
  });

  test("of a failure begins with the exit code", async () => {
    const box = openToolBox();
    const result = await box.call("Bash", { command: "echo out; echo err >&2; exit 3" });
    expect(result).toMatchObject({ content: "Exit code 3\nout\nerr", isError: true });
  });

  test.each([
    ["echo a > /dev/stdout; echo b > /dev/stderr", "a\n", "b\n"],
    ["echo a | tee /dev/stderr", "a\n", "a\n"],
    ["echo b >> /proc/self/fd/2; cd / && echo a > /dev/fd/1", "a\n", "b\n"],
    ["(echo a > /dev/stdout) & wait; echo $? $- > /dev/null", "a\n", ""],
  ])("contains what the command writes to a stream opened by its path: %s", async (command, stdout, stderr) => {
    const box = openToolBox();
    expect(await box.call("Bash", { command })).toMatchObject({ isError: false, output: { stdout, stderr } });
  });

  test("contains what a script writes to /dev/stdout, also after the command itself has ended", async () => {
    const box = openToolBox();
    box.put("late.sh", "until [ -e go ]; do sleep 0.02; done; echo late | tee /dev/stderr > /dev/stdout");
    box.put("script.sh", "echo b | tee /dev/stderr; echo a > /dev/stdout; sh late.sh &");
    const { output } = await box.call("Bash", { command: "sh script.sh" });
    expect(output).toMatchObject({ stdout: "b\na\n", stderr: "b\n" });
    const { backgroundTaskId } = output as { backgroundTaskId: string };
    const { background } = box.dependencies;
    box.put("go", "");
    await background.drain(10_000);
    const path = background.get(backgroundTaskId)?.outputPath ?? "";
    expect(readFileSync(path, "utf8").split("\n").toSorted()).toEqual(["", "a", "b", "b", "late", "late"]);
  });

  test("has the right exit code and folder if an output stream was opened by its path", async () => {
    const box = openToolBox();
    const result = await box.call("Bash", { command: "echo gone > /dev/stderr; exit 7" });
    expect(result).toMatchObject({ content: "Exit code 7\ngone", isError: true });
    await run(box, "mkdir sub; cd sub; true > /dev/stdout");
    expect(await run(box, "pwd")).toMatch(/\/sub$/u);
  });

  test("names the signal that ended the command", async () => {
    const box = openToolBox();
    expect(await run(box, "kill -KILL $$")).toBe("Exit code 137 (ended by SIGKILL)");
  });

  test("says that the command printed nothing", async () => {
    const box = openToolBox();
    expect(await run(box, "true")).toBe("[The command finished and printed nothing.]");
  });

  test.each([
    ["grep nothing file", "no matches found"],
    ["cat file | grep nothing", "no matches found"],
    ["diff file other", "the files differ"],
    ["[ -e nowhere ]", "the condition is false"],
    ["test 1 = 2", "the condition is false"],
    ["cd . && grep nothing file", "no matches found"],
  ])("treats exit code 1 of %s as an answer", async (command, meaning) => {
    const box = openToolBox();
    box.put("file", "some\n");
    box.put("other", "thing\n");
    const result = await box.call("Bash", { command });
    expect(result.isError).toBe(false);
    expect(textOf(result)).toContain(`[Exit code 1: ${meaning}]`);
    expect(result.output).toMatchObject({ returnCodeInterpretation: meaning });
  });

  test.each([
    "grep nothing nowhere",
    "cd nowhere && grep x file",
    "false",
    "grep x file; false",
    "ls nowhere | grep x; exit 1",
  ])("is a failure for %s", async (command) => {
    const box = openToolBox();
    expect((await box.call("Bash", { command })).isError).toBe(true);
  });

  test("shows bash's own message for a syntax error, without the wrapper script", async () => {
    const box = openToolBox();
    const text = await run(box, "if then");
    expect(text).toMatch(/^Exit code 2\n.*syntax error near unexpected token `then'/);
    expect(text).not.toContain("_pawl");
    expect(await run(box, 'echo "never closed')).toMatch(/unexpected EOF/);
  });

  test("shows that there is no input to read and no terminal", async () => {
    const box = openToolBox();
    expect(await run(box, "cat; read line || echo none; (exec </dev/tty) 2>/dev/null || echo no tty; tty")).toMatch(
      /none\nno tty\nnot a tty/,
    );
  });

  test("is free of the wrapper's positional parameters and variables", async () => {
    const box = openToolBox();
    expect(await run(box, 'echo "$0 $# $*"; set -u; set -e; echo done')).toBe("bash 0 \ndone");
  });

  test("of a traced command shows nothing of the wrapper", async () => {
    const box = openToolBox();
    expect(await run(box, "set -x; cd /tmp")).not.toMatch(/printf|198|_pawl/);
  });

  test("counts the command's lines from its first, whether or not its shell made the pipes for its output", async () => {
    const box = openToolBox();
    for (let time = 0; time < 2; time += 1)
      expect(await run(box, "echo $LINENO\nnosuch")).toBe("Exit code 127\n1\nbash: line 2: nosuch: command not found");
  });

  test("shows nothing of the wrapper for a command that sets a trap before each command, or prints its lines", async () => {
    const box = openToolBox();
    const trap = "trap 'echo \"($BASH_COMMAND)\"' DEBUG; ";
    expect(await run(box, `${trap}cat /dev/null`)).toBe("(cat /dev/null)");
    expect(await run(box, `${trap}exit 3`)).toBe("Exit code 3\n(exit 3)");
    expect(await run(box, "set -v\ntrue")).toBe("true");
  });

  test("treats a command that starts with a dash as a command", async () => {
    const box = openToolBox();
    expect(await run(box, "-n echo hi")).toMatch(/^Exit code 127\n.*-n: command not found/);
  });

  test("is also available for a command longer than a single argument may be", async () => {
    const box = openToolBox();
    const text = "x".repeat(300_000);
    expect(await run(box, `echo start; echo '${text}' | wc -c`)).toBe("start\n300001");
    expect(readdirSync(box.dependencies.spillDirectory())).toEqual([]);
  });

  test("refuses an empty command, and one with a NUL byte", async () => {
    const box = openToolBox();
    expect(await run(box, "echo a\0b")).toMatch(/NUL byte/);
    expect(await run(box, " \n")).toBe("command is empty.");
  });

  test("is preceded by progress of limited length", async () => {
    const seen = await progressOf(openToolBox(), "head -c 100000 /dev/zero | tr '\\0' y; echo end");
    expect(seen[0]).toMatchObject({ toolName: "Bash", data: { totalBytes: expect.any(Number) as number } });
    expect(seen[0]?.text?.length).toBeLessThanOrEqual(2048);
  });
});

describe("the environment of a command", () => {
  test("keeps no variables from the command before", async () => {
    const box = openToolBox();
    await run(box, "export HELLO=1");
    expect(await run(box, "echo [$HELLO]")).toBe("[]");
  });

  test("contains no credentials, but marks and variables that keep git quiet", async () => {
    const box = openToolBox({
      environment: {
        PATH: process.env["PATH"],
        ANTHROPIC_API_KEY: "secret-1",
        GITHUB_TOKEN: "secret-2",
        DB_PASSWORD: "secret-3",
        LANG: "C.UTF-8",
        PASS_TOKEN: "secret-4",
      },
      passEnvironment: ["PASS_TOKEN"],
    });
    const text = await run(box, "env");
    expect(text).not.toMatch(/secret-[123]/);
    expect(text).toMatch(/^PASS_TOKEN=secret-4$/m);
    expect(text).toMatch(/^LANG=C\.UTF-8$/m);
    expect(text).toMatch(/^CLAUDECODE=1$/m);
    expect(text).toMatch(/^PAWL=1$/m);
    expect(text).toMatch(/^GIT_TERMINAL_PROMPT=0$/m);
  });

  test("makes bash run no profile, BASH_ENV or exported function", async () => {
    const box = openToolBox();
    const path = box.put("evil.sh", "touch evil-ran; echo evil");
    const other = openToolBox({
      environment: {
        PATH: process.env["PATH"],
        BASH_ENV: path,
        ENV: path,
        HOME: box.root,
        "BASH_FUNC_ls%%": "() { echo evil; }",
        SHELLOPTS: "xtrace",
        SHELL: path,
      },
    });
    box.put(".bashrc", "echo evil");
    box.put(".bash_profile", "echo evil");
    expect(await run(other, "ls")).not.toContain("evil");
    expect(await run(other, "echo [${BASH_VERSION:+bash}]; shopt expand_aliases | cut -f 2")).toBe("[bash]\noff");
    expect(readdirSync(other.root)).toEqual([]);
  });
});

describe("the tool's judgement of a command", () => {
  const box = (): ReturnType<typeof openToolBox> => openToolBox();

  test("passes the command unchanged to the permission check", async () => {
    const { createBashTool } = await import("../../src/tools/bash.ts");
    const tool = createBashTool(box().dependencies);
    expect(tool.permissionSubjects?.({ command: "rm -rf x" }, "/")).toEqual([{ kind: "command", command: "rm -rf x" }]);
    expect(tool.describe?.({ command: "echo \u001b[31m\n\trm" })).toBe("Bash echo <U+001B>[31m <U+0009>rm");
    expect(tool.failureCancelsSiblings).toBe(true);
    expect(tool.timeLimitMs?.({ command: "x" })).toBeGreaterThan(120_000);
    expect(tool.timeLimitMs?.({ command: "x", timeout: 9e9 })).toBe(630_000);
  });

  test.each([
    "ls",
    "ls -la src",
    "cat 'a b.txt'",
    "head -n 5 x",
    "grep -rn foo src",
    "wc -l a b",
    "pwd",
    "ls *",
    "cat src/{a,b}.ts",
    "cat \\\n a",
    "grep -rn 'a b' src 2>/dev/null | head -20",
    "ls missing 2>&1 |& wc -l",
    "wc -l < a",
    "ls &>/dev/null",
    "find . -name '*.ts' -not -path './x/*' -type f | sort | uniq -c | sort -rn | head",
    "rg -n --glob '*.ts' foo src",
    "sed -n '10,$p' a b",
  ])("allows %j to run beside other calls", async (command) => {
    const { createBashTool } = await import("../../src/tools/bash.ts");
    const tool = createBashTool(box().dependencies);
    expect([tool.isConcurrencySafe({ command }), tool.isReadOnly({ command })]).toEqual([true, true]);
    expect(tool.isReadOnly({ command, run_in_background: true })).toBe(false);
  });

  test.each(["pwd && ls -la; cat a || true", "ls missing 2>&1 |& wc -l\necho done >&2"])(
    "takes %j for read-only, but lets it run alone",
    async (command) => {
      const { createBashTool } = await import("../../src/tools/bash.ts");
      const tool = createBashTool(box().dependencies);
      expect([tool.isConcurrencySafe({ command }), tool.isReadOnly({ command })]).toEqual([false, true]);
    },
  );

  const compound = ["{ ls; }", "! ls", "(ls)", "time ls", "", "'", "find . -{delete,print}", "find *"];
  test.each([
    ...compound,
    "ls; rm x",
    "ls && rm x",
    "ls | tee x",
    "ls > x",
    "ls >x",
    "cat <(rm x)",
    "cat $(rm x)",
    "cat `rm x`",
    'cat "$(rm x)"',
    "ls $X",
    "echo ${X:=1}",
    "ls; > x",
    "> x; ls",
    "ls 2> x",
    "ls >& x",
    "ls &> x",
    "ls <> x",
    "ls > $X",
    "ls; X=1",
    "X=1; ls",
    "ls & ls",
    "ls | (ls)",
    "ls; { ls; }",
    "printf -v PATH /tmp; ls",
    "ls ; ; ls $(rm x)",
    "X=1 ls",
    "r\\m x",
    "ls\nrm x",
    "ls &",
    "find . -delete",
    "find . -exec rm {} +",
    "find . -fprint x",
    "find . -de\\\nlete",
    "rg --pre ./x foo",
    "sort -uo x y",
    "sort --output=x y",
    "ls | uniq - x",
    "sed -n 1w\\ x y",
    "sed -n 1p x -i",
    "sed -n",
    "constructor x",
    "git status",
    "sort -o x y",
    "cat <<E\nE",
  ])("lets %j run alone", async (command) => {
    const { createBashTool } = await import("../../src/tools/bash.ts");
    const tool = createBashTool(box().dependencies);
    expect([tool.isConcurrencySafe({ command }), tool.isReadOnly({ command })]).toEqual([false, false]);
  });
});

test("the folder and the files of spilled output are private", async () => {
  const box = openToolBox();
  const folder = box.dependencies.spillDirectory();
  expect(await run(box, `ls -l ${folder}; seq 1 100000; : ps`)).toContain("-rw------- ");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const [file = ""] = readdirSync(folder);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
});

test("a folder that grep searches does not count as a file that was read", async () => {
  const read: string[] = [];
  const box = openToolBox({ readState: createReadFileState(undefined, (path) => read.push(path)) });
  box.put("sub/a.txt", "one\n");
  await run(box, "grep -r one .");
  await run(box, "grep -r one sub");
  await run(box, "grep one sub/a.txt");
  expect(read).toEqual([box.path("sub/a.txt")]);
});

test("a file shown by sed counts as read in part", async () => {
  const box = openToolBox();
  const path = box.put("a.txt", "one\ntwo\n");
  await run(box, "sed -n 1p a.txt");
  expect(textOf(await box.call("Write", { file_path: path, content: "x" }))).toMatch(/Only a part/);
  expect(textOf(await box.call("Edit", { file_path: path, old_string: "one", new_string: "1" }))).toBe("Edited a.txt.");
});

// Seen: of "cat a.txt" and "sed -n 1p a.txt" in one message the latter was noted last, and a Write of the whole file was refused.
test("a file that another command showed whole at the same time stays recorded as whole", async () => {
  const known = createReadFileState();
  const besides = (path: string) => queueMicrotask(() => known.set(path, statSync(path)));
  const readState = { ...known, get: (path: string) => (besides(path), known.get(path)) };
  const box = openToolBox({ readState });
  const path = box.put("a.txt", "one\ntwo\n");
  await run(box, "sed -n 1p a.txt");
  expect(known.get(path)).toBeDefined();
  expect(known.get(path)?.partial).toBeUndefined();
});
