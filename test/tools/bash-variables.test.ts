// Variables of the user's that change how commands are run.
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createBashTool } from "../../src/tools/bash.ts";
import { createCwd } from "../../src/tools/cwd.ts";
import { scrubEnvironment } from "../../src/tools/shell/environment.ts";
import { configuredShell } from "../../src/tools/shell/configured-shell.ts";
import { timeoutOf } from "../../src/tools/shell/timeout.ts";
import { openToolBox, textOf, type ToolBox } from "./support.ts";

/** Each with a folder of its own. */
function boxWith(variables: Record<string, string>): ToolBox {
  const box = openToolBox();
  box.dependencies.environment = { ...box.dependencies.environment, ...variables };
  return box;
}

async function run(box: ToolBox, command: string, more: object = {}): Promise<string> {
  return textOf(await box.call("Bash", { command, ...more }));
}

describe("CLAUDE_CODE_SHELL_PREFIX", () => {
  const logger = '#!/bin/sh\nprintf "%s" "$1" > "$LOG"\nexec bash -c "$1"\n';

  function logged(): ToolBox {
    const box = boxWith({});
    const file = box.put("logger.sh", logger);
    chmodSync(file, 0o700);
    const own = { CLAUDE_CODE_SHELL_PREFIX: `'${file}'`, LOG: box.path("log") };
    box.dependencies.environment = { ...box.dependencies.environment, ...own };
    return box;
  }

  test("passes the command to its program as one argument, and shows the program's result", async () => {
    const box = logged();
    expect(await run(box, `echo "it's" $((1+1))`)).toBe("it's 2");
    expect(box.read("log")).toContain("echo ");
    expect(await run(box, "exit 3")).toBe("Exit code 3");
  });

  test("keeps the working directory for the next command", async () => {
    const box = logged();
    box.put("sub/file", "");
    await run(box, "cd sub");
    expect(box.dependencies.cwd.get()).toBe(box.path("sub"));
  });

  test("works for a command that is too long for an argument", async () => {
    const box = logged();
    expect(await run(box, `: '${"'\\''".repeat(30_000)}'; echo done`)).toBe("done");
  });

  test("runs no command if its program does not exist", async () => {
    const box = boxWith({ CLAUDE_CODE_SHELL_PREFIX: "/nowhere/logger" });
    expect(await run(box, "echo ran > ran")).toMatch(/^Exit code 127/u);
    expect(() => box.read("ran")).toThrow();
  });
});

describe("CLAUDE_ENV_FILE", () => {
  test("names a script that runs before each command, in the same shell", async () => {
    const box = boxWith({});
    const file = box.put("env.sh", "export FROM_FILE=here\ngreet() { echo hello; }\n");
    box.dependencies.environment = { ...box.dependencies.environment, CLAUDE_ENV_FILE: file };
    expect(await run(box, 'greet; echo "$FROM_FILE"')).toBe("hello\nhere");
    box.put("env.sh", "export FROM_FILE=there\n");
    expect(await run(box, 'echo "$FROM_FILE"; cd /nowhere || exit 4')).toMatch(/^Exit code 4\nthere/u);
  });

  // Seen: each command ended at once, without output and as a success.
  test.each([
    ["bash", "exit 0"],
    ["bash", "set -e\nfalse"],
    ["sh", "exit 0"],
  ])("is named by each command if it ends %s: %s", async (shell, ending) => {
    const box = boxWith({ CLAUDE_CODE_SHELL: `/bin/${shell}` });
    const file = box.put("env.sh", `export A=1\n${ending}\n`);
    box.dependencies.environment = { ...box.dependencies.environment, CLAUDE_ENV_FILE: file };
    const said = await run(box, "echo ran");
    expect(said).toContain(
      `Exit code 126\nThe command was not run: ${file}, which CLAUDE_ENV_FILE names, ends the shell`,
    );
    expect(said).not.toMatch(/^ran$/mu);
    box.put("env.sh", "return 0\n");
    expect(await run(box, "exit 3")).toMatch(/^Exit code 3/u);
    expect(await run(box, 'echo "${_pawl_env-none}"')).toContain("none");
  });

  test("is ignored if the file is missing or the path is relative", async () => {
    expect(await run(boxWith({ CLAUDE_ENV_FILE: "/nowhere/env.sh" }), "echo ran")).toBe("ran");
    const box = boxWith({ CLAUDE_ENV_FILE: "env.sh" });
    box.put("env.sh", "echo no\n");
    expect(await run(box, "echo ran")).toBe("ran");
  });

  test("cannot be set by a hook", async () => {
    const box = boxWith({});
    const file = box.put("env.sh", "echo hooked\n");
    box.dependencies.hookVariables = () => Promise.resolve({ CLAUDE_ENV_FILE: file, CLAUDE_CODE_SHELL_PREFIX: "echo" });
    expect(await run(box, "echo ran")).toBe("ran");
  });
});

describe("CLAUDE_CODE_SHELL", () => {
  test("names the shell that runs commands", async () => {
    const box = boxWith({});
    const shell = box.path("bash");
    symlinkSync("/bin/bash", shell);
    box.dependencies.environment = { ...box.dependencies.environment, CLAUDE_CODE_SHELL: shell };
    expect(await run(box, 'echo "$BASH"')).toBe(shell);
  });

  test("with a simpler shell adds a note to each result", async () => {
    const box = boxWith({ CLAUDE_CODE_SHELL: "/bin/sh" });
    expect(await run(box, "echo ran")).toBe("ran\n[This was run by /bin/sh.]");
  });

  test.each(["trap 'echo bye' EXIT; cd a; false", "set -e; cd a; false", "cd a; exit 1"])(
    "with sh still reports the folder in which a command ended: %s",
    async (command) => {
      const box = boxWith({ CLAUDE_CODE_SHELL: "/bin/sh" });
      mkdirSync(box.path("a"));
      expect(await run(box, command)).toContain("Exit code 1");
      expect(await run(box, "pwd")).toContain(box.path("a"));
    },
  );

  test.each([
    ["bash", "it is not an absolute path"],
    ["/bin/zsh", "commands run in bash, or in sh, dash or ash"],
    ["/nowhere/bash", "there is no such program"],
  ])("is ignored for %s, and the usual shell runs", async (path, why) => {
    expect(configuredShell({ CLAUDE_CODE_SHELL: path })).toEqual({ ok: false, why });
    expect(await run(boxWith({ CLAUDE_CODE_SHELL: path }), 'echo "${BASH##*/}"')).toBe("bash");
  });

  test("is ignored if it names a folder", () => {
    const folder = boxWith({}).path("bash");
    mkdirSync(folder);
    expect(configuredShell({ CLAUDE_CODE_SHELL: folder })).toEqual({ ok: false, why: "there is no such program" });
  });
});

test("each command starts in the project's folder if the working directory does not carry over", async () => {
  const box = openToolBox();
  box.put("sub/file", "");
  const [root = ""] = box.dependencies.cwd.roots();
  const fixed = openToolBox({ cwd: createCwd(root, () => [root], false) });
  expect(await run(fixed, "cd sub && pwd")).toBe(`${join(root, "sub")}\nShell cwd was reset to ${root}`);
  expect(await run(fixed, "pwd")).toBe(root);
});

describe("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", () => {
  const off = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" };

  test("ends a command at its timeout", async () => {
    const box = boxWith(off);
    const running = run(box, "while :; do :; done", { timeout: 1000 });
    await box.clock.pass(1000);
    expect(await running).toMatch(/timed out after 1s and was ended/u);
    expect(box.dependencies.background.list()).toEqual([]);
  });

  test("refuses to start a command in the background", async () => {
    expect(await run(boxWith(off), "echo ran", { run_in_background: true })).toMatch(
      /do not run in the background here/u,
    );
  });
});

test("a background command of an agent is ended after the agent's own limit", async () => {
  const box = openToolBox({ backgroundMs: 777_000 });
  await run(box, "read line < <(sleep 1000)", { run_in_background: true });
  await box.clock.pass(777_000);
  const [task] = box.dependencies.background.list();
  await new Promise<void>((resolve) => {
    box.dependencies.background.onSettled(() => resolve());
    if (box.dependencies.background.get(task?.id ?? "")?.status !== "running") resolve();
  });
  expect(box.dependencies.background.get(task?.id ?? "")?.status).toBe("killed");
});

describe("BASH_DEFAULT_TIMEOUT_MS and BASH_MAX_TIMEOUT_MS", () => {
  test.each([
    [{}, {}, 120_000],
    [{}, { timeout: 900_000 }, 600_000],
    [{ BASH_DEFAULT_TIMEOUT_MS: "900000" }, {}, 900_000],
    [{ BASH_DEFAULT_TIMEOUT_MS: "900000" }, { timeout: 1_800_000 }, 900_000],
    [{ BASH_MAX_TIMEOUT_MS: "1800000" }, { timeout: 1_700_000 }, 1_700_000],
    [{ BASH_MAX_TIMEOUT_MS: "1000" }, { timeout: 500_000 }, 120_000],
    [{ BASH_MAX_TIMEOUT_MS: "-5", BASH_DEFAULT_TIMEOUT_MS: "soon" }, {}, 120_000],
  ])("with %j and the input %j give the expected timeout", (environment, input, ms) => {
    expect(timeoutOf(input, environment)).toBe(ms);
  });
});

test("the description of the timeout field states the user's limits and those in the background", () => {
  const toldTo = (variables: Record<string, string>, backgroundMs?: number): unknown => {
    const { dependencies } = boxWith(variables);
    const own = backgroundMs === undefined ? dependencies : { ...dependencies, backgroundMs };
    return createBashTool(own).inputSchema.properties?.["timeout"];
  };
  const beyond = "; in the background 1800000 and";
  expect(toldTo({})).toMatchObject({ description: `ms; default 120000, at most 600000${beyond} 7200000` });
  expect(toldTo({}, 3_600_000)).toMatchObject({ description: expect.stringContaining(`${beyond} 3600000`) as string });
  const bounds = { BASH_DEFAULT_TIMEOUT_MS: "300000", BASH_MAX_TIMEOUT_MS: "1200000" };
  const alone = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1", ...bounds };
  expect(toldTo(alone)).toMatchObject({ description: "ms; default 300000, at most 1200000" });
});

test("variables of an enclosing session are not passed on to commands", () => {
  const outer = { CLAUDE_CODE_SESSION_ID: "s", CLAUDE_EFFORT: "max", CLAUDE_PID: "1", CLAUDE_CODE_CHILD_SESSION: "1" };
  expect(scrubEnvironment({ ...outer, CLAUDE_CODE_REMOTE: "true" })).toEqual({ CLAUDE_CODE_REMOTE: "true" });
});

describe("CLAUDE_CODE_SUBPROCESS_ENV_SCRUB", () => {
  const plain = {
    A_FILE: "/tmp/a",
    DATABASE_URL: "postgres://me:pw@db/x",
    GOOGLE_APPLICATION_CREDENTIALS: "/home/me/key.json",
    HTTPS_PROXY: "http://me:pw@proxy:1",
    MINE: "sk-ant-0123456789abcdefghij",
    SITE: "https://example.com/a:b@c",
  };

  test("also removes secrets recognised by their value, and paths to secrets", () => {
    expect(scrubEnvironment(plain)).toEqual(plain);
    const { A_FILE, HTTPS_PROXY, SITE } = plain;
    const strict = { CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "1" };
    expect(scrubEnvironment({ ...plain, ...strict })).toEqual({ A_FILE, HTTPS_PROXY, SITE, ...strict });
  });

  test("passes no variable by name, and with 0 those that were named", () => {
    const scrubbed = (value: string) =>
      scrubEnvironment({ MY_TOKEN: "1", OTHER_TOKEN: "2", CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: value }, ["MY_TOKEN"]);
    expect(Object.keys(scrubbed("1"))).toEqual(["CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"]);
    expect(Object.keys(scrubbed("0"))).toEqual(["MY_TOKEN", "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"]);
  });
});
