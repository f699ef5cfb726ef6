import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCwd } from "../../src/tools/cwd.ts";
import { openToolBox, textOf, type ToolBox } from "./support.ts";

async function run(box: ToolBox, command: string): Promise<string> {
  return textOf(await box.call("Bash", { command }));
}

describe("the working directory", () => {
  test("carries over to the next command, also after a failure or an exit", async () => {
    const box = openToolBox();
    mkdirSync(box.path("a/b"), { recursive: true });
    await run(box, "cd a && exit 4");
    expect(await run(box, "pwd")).toBe(box.path("a"));
    await run(box, "cd b; false");
    expect(await run(box, "pwd")).toBe(box.path("a/b"));
  });

  test.each([
    ["a trap of the command's own", "trap 'echo bye' EXIT; cd a"],
    ["set -e", "set -e; cd a; false"],
    ["descriptor 3 in use", "exec 3> file; cd a; echo x >&3"],
    ["low descriptors closed", "exec 4>&- 5>&- 9>&-; cd a"],
    ["a function named printf", "printf() { echo fake; }; cd a"],
    ["PWD for something else", "cd a; PWD=/etc"],
    ["no PWD", "cd a; unset PWD"],
  ])("is reported although the command uses %s", async (_, command) => {
    const box = openToolBox();
    mkdirSync(box.path("a"));
    await run(box, command);
    expect(await run(box, "pwd")).toBe(box.path("a"));
  });

  // Seen: with a function named pwd, the next command began in the session's folder.
  test("is reported by sh too although the command has functions named pwd and printf", async () => {
    const { environment } = openToolBox().dependencies;
    const box = openToolBox({ environment: { ...environment, CLAUDE_CODE_SHELL: "/bin/sh" } });
    mkdirSync(box.path("a"));
    await run(box, "pwd() { echo fake; }; printf() { echo fake; }; cd a");
    expect(box.dependencies.cwd.get()).toBe(box.path("a"));
  });

  test("is reported together with the exit code although the command redefines exit", async () => {
    expect(await run(openToolBox(), "exit() { echo kept; }; false")).toContain("Exit code 1");
  });

  test("does not change through a subshell or exec", async () => {
    const box = openToolBox();
    mkdirSync(box.path("a"));
    await run(box, "(cd a)");
    await run(box, "cd a; exec true");
    expect(await run(box, "pwd")).toBe(box.root);
  });

  test("is reset, with a note, if the command ends outside the allowed folders", async () => {
    const box = openToolBox();
    expect(await run(box, "cd / && echo there")).toBe(`there\nShell cwd was reset to ${box.root}`);
    expect(box.dependencies.cwd.get()).toBe(box.root);
  });

  test.each(["cd a; trap 'echo bye' EXIT; exit 1", "cd a; exec true", "cd a && kill -KILL $$"])(
    "is said to be the old one if the shell could not report a new one: %s",
    async (command) => {
      const box = openToolBox();
      mkdirSync(box.path("a"));
      expect(await run(box, command)).toMatch(new RegExp(`\nShell cwd was reset to ${box.root}$`, "u"));
      expect(await run(box, "pwd")).toBe(box.root);
      expect(await run(box, `cd ${box.root} && (cd a); exec echo done`)).toBe("done");
    },
  );

  test("before it is not the folder where the user was before", async () => {
    const box = openToolBox({ environment: { PATH: process.env["PATH"], OLDPWD: "/" } });
    expect(await run(box, "cd -")).toBe("Exit code 1\nbash: line 1: cd: OLDPWD not set");
    mkdirSync(box.path("a"));
    expect(await run(box, "cd a && cd -")).toBe(box.root);
  });

  test("is judged by where a link leads", async () => {
    const box = openToolBox();
    mkdirSync(box.path("real"));
    symlinkSync("/", box.path("out"));
    symlinkSync("real", box.path("in"));
    expect(await run(box, "cd out")).toMatch(/^\[.*\]\nShell cwd was reset to/s);
    await run(box, "cd in");
    expect(box.dependencies.cwd.get()).toBe(box.path("in"));
  });

  test("may be in any root, compared by path segments", async () => {
    const box = openToolBox();
    const other = join(box.dependencies.home, "other");
    mkdirSync(other);
    mkdirSync(`${other}-evil`);
    const cwd = createCwd(box.root, () => [box.root, other]);
    const wide = openToolBox({ cwd });
    await run(wide, `cd ${other}`);
    expect(cwd.get()).toBe(other);
    expect(await run(wide, `cd ${other}-evil`)).toContain(`Shell cwd was reset to ${box.root}`);
  });

  test("of a subagent is the same for each command", async () => {
    const first = openToolBox();
    mkdirSync(first.path("a"));
    const box = openToolBox({ cwd: createCwd(first.root, () => [first.root], false) });
    expect(await run(box, "cd a")).toContain(`Shell cwd was reset to ${first.root}`);
    expect(await run(box, "pwd")).toBe(first.root);
  });

  test("may have blanks and newlines in its name, but must be valid UTF-8", async () => {
    const box = openToolBox();
    await run(box, "mkdir $'odd \\n name' && cd $'odd \\n name'");
    expect(box.dependencies.cwd.get()).toBe(box.path("odd \n name"));
    await run(box, "cd ..");
    expect(await run(box, "mkdir $'\\xff' && cd $'\\xff'")).toContain(`Shell cwd was reset to ${box.root}`);
  });

  test("is reset, with a note, if it no longer exists", async () => {
    const box = openToolBox();
    mkdirSync(box.path("a"));
    await run(box, "cd a");
    rmSync(box.path("a"), { recursive: true });
    expect(await run(box, "pwd")).toMatch(/is no longer there, so nothing was run\.\nShell cwd was reset to/);
    expect(await run(box, "pwd")).toBe(box.root);
  });

  // Root may enter any.
  test.skipIf(process.getuid?.() === 0)("is reset, with a note, if it may no longer be entered", async () => {
    const box = openToolBox();
    mkdirSync(box.path("a"));
    await run(box, "cd a && chmod 0 .");
    expect(await run(box, "pwd")).toMatch(/may no longer be entered, so nothing was run\.\nShell cwd was reset to/);
    expect(await run(box, "pwd; chmod 0 .")).toBe(box.root);
    expect(await run(box, "pwd")).toMatch(
      /so nothing was run\. No command can run until the user has changed its permissions\./,
    );
    chmodSync(box.root, 0o700);
    expect(await run(box, "chmod 700 a; pwd")).toBe(box.root);
  });

  test("falls back to the next root if the session's folder is gone, or the result says how to recreate it", async () => {
    const box = openToolBox();
    rmSync(box.root, { recursive: true });
    expect(await run(box, "pwd")).toMatch(
      /is no longer there, so nothing was run\. No command .*: Write creates the folders/,
    );
    await box.call("Write", { file_path: box.path("a"), content: "" });
    expect(await run(box, "pwd; ls")).toBe(`${box.root}\na`);
    const other = box.dependencies.home;
    const two = openToolBox({ cwd: createCwd(box.path("gone"), () => [box.path("gone"), other]) });
    expect(await run(two, "pwd")).toContain(`Shell cwd was reset to ${other}`);
  });
});
