// How commands are given their input, and commands that say in their first line that nobody is to wait for them.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { readHookConfig } from "../../src/hooks/config.ts";
import { createRunners } from "../../src/hooks/configured-hooks.ts";
import { createHooks } from "../../src/hooks/run.ts";
import type { HookRecord } from "../../src/hooks/runner.ts";
import { afterMs } from "../../src/lib/after-ms.ts";
import type { HookAnswer, HookEvent, HookInput } from "../../src/protocol/hook.ts";
import { holdUp } from "../support/hold-up.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
let records: HookRecord[];
/** Those that run, by their ms. */
let timers: Set<number>;
beforeEach(() => {
  folder = temporaryFolder();
  records = [];
  timers = new Set();
});

function portOf(hooks: object, projectDir = folder, path = process.env["PATH"] ?? "") {
  const timer = (ms: number, fire: () => void): (() => void) => {
    const stop = afterMs(ms, fire);
    timers.add(ms);
    return () => {
      timers.delete(ms);
      stop();
    };
  };
  const clock = { elapsed: () => performance.now(), timestamp: () => "2026-01-01T00:00:00.000Z", timer };
  const runners = createRunners(readHookConfig(hooks, "user", "settings.json").hooks, {
    command: { environment: () => ({ PATH: path }), projectDir, sessionId: "s-1" },
    http: { env: {} },
    matchesRule: () => true,
    clock,
  });
  return createHooks(runners, {
    clock,
    ids: { uuid: () => "id" },
    common: () => ({ session_id: "s-1", cwd: folder }),
    watch: (record) => void records.push(record),
  });
}

function make(event: HookEvent, script: string, more: object = {}, projectDir = folder) {
  const port = portOf({ [event]: [{ hooks: [{ type: "command", command: script, ...more }] }] }, projectDir);
  const run = (signal = new AbortController().signal) => port.run({ hook_event_name: event } as HookInput, signal);
  return { port, run };
}

test("runs only the hooks whose group's matcher matches", async () => {
  const [forBash, forRead, forAll] = ["Bash", "Read", "all"].map((name) => ({ type: "command", command: `: ${name}` }));
  const PreToolUse = [
    { matcher: "Bash", hooks: [forBash] },
    { matcher: "Read", hooks: [forRead] },
    { hooks: [forAll] },
  ];
  const input: HookInput = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {}, tool_use_id: "x" };
  await portOf({ PreToolUse }).run(input, new AbortController().signal);
  expect(records.map(({ name }) => name).toSorted()).toEqual([": Bash", ": all"]);
});

test.each([
  ["${CLAUDE_PROJECT_DIR}/check.sh", "blocked\n"],
  ["sh $CLAUDE_PROJECT_DIR/check.sh 'a $CLAUDE_PROJECT_DIR' && true", "blocked\n"],
  ['sh "${CLAUDE_PROJECT_DIR}"/check.sh', "blocked\n"],
  ["cd ${CLAUDE_PROJECT_DIR} && ./check.sh", "blocked\n"],
  ["X=a; sh -c 'exec \"$0\"/check.sh' $CLAUDE_PROJECT_DIR", "blocked\n"],
  ["printf '%s' '$CLAUDE_PROJECT_DIR' $'\\'$CLAUDE_PROJECT_DIR' \\$CLAUDE_PROJECT_DIR >&2; exit 2", undefined],
  ['echo "$(basename "$CLAUDE_PROJECT_DIR")" >&2; exit 2', "My P *\n"],
])("keeps a project folder with blanks in its name as one word, quoted or not: %s", async (script, stderr) => {
  const projectDir = join(folder, "My P *");
  mkdirSync(projectDir);
  writeFileSync(join(projectDir, "check.sh"), "#!/bin/sh\necho blocked >&2; exit 2\n", { mode: 0o755 });
  await make("PreToolUse", script, {}, projectDir).run();
  const texts = "$CLAUDE_PROJECT_DIR'$CLAUDE_PROJECT_DIR$CLAUDE_PROJECT_DIR";
  expect(records).toMatchObject([{ exitCode: 2, stderr: stderr ?? texts }]);
});

// Seen: where a folder of the PATH may not be looked into, the system says EACCES of each name that no other one has.
test.runIf(process.platform !== "win32")(
  "treats a program that is not executable like a missing one, including bash",
  async () => {
    for (const name of ["bash", "check me"]) writeFileSync(join(folder, name), "", { mode: 0o644 });
    const hooks = [
      { type: "command", command: "echo from sh >&2; exit 2" },
      { type: "command", command: "check me", args: [] },
    ];
    const input = { hook_event_name: "PreToolUse" } as HookInput;
    const answer = await portOf({ PreToolUse: [{ hooks }] }, folder, folder).run(input, new AbortController().signal);
    expect(answer).toMatchObject({
      permission: { behavior: "deny", reason: "from sh" },
      notices: [{ text: expect.stringContaining('there is no program "check me" that may be run; with "args"') }],
    });
  },
);

test.runIf(process.platform === "linux")("explains why the system refused to start a hook", async () => {
  const hooks = [{ type: "command", command: "true" }];
  const port = portOf({ PreToolUse: [{ hooks }] }, folder, `${process.env["PATH"]}:/${"x".repeat(200_000)}`);
  const answer = await port.run({ hook_event_name: "PreToolUse" } as HookInput, new AbortController().signal);
  const told =
    "hook failed: it could not be started: its arguments and environment are longer than the system allows (E2BIG)";
  expect(answer.notices).toMatchObject([{ text: expect.stringContaining(told) }]);
});

// Seen: of a hook in Python people were told "Traceback (most recent call last):" alone, of one in Node the place of the line.
test.each([
  ["check: no such file\nusage: check FILE", "check: no such file"],
  [
    'Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 1\n\nDuring handling:\n  x\njson.JSONDecodeError: bad',
    "Traceback (most recent call last): … json.JSONDecodeError: bad",
  ],
  [
    "file:///a.ts:36\n  return Bun.stdin;\n  ^\n\nReferenceError: Bun is not defined\n    at a (b.ts:1)\n\nNode.js v24",
    "file:///a.ts:36 … ReferenceError: Bun is not defined",
  ],
  ["TypeError: x is no function\n    at a", "TypeError: x is no function"],
])("reports a failed hook with its first line of stderr and the error at its end (%#)", async (stderr, told) => {
  writeFileSync(join(folder, "said"), stderr);
  const { notices } = await make("PreToolUse", "cat said >&2; exit 1").run();
  expect(notices).toMatchObject([{ text: expect.stringContaining(`status code 1: ${told}; it counts`) }]);
});

// Seen: after "cd a && chmod 0 ." each guard of an ordinary user's was ignored, and after the end of its folder everybody's.
test.each<[string, () => void]>([
  ["that was deleted", () => rmSync(folder, { recursive: true })],
  ["that it has no permission to enter", () => chmodSync(folder, 0)],
])("a guard runs even if the session is in a folder %s", async (_, close) => {
  const { run } = make("PreToolUse", "echo guarded >&2; exit 2");
  close();
  const answer = await run();
  if (existsSync(folder)) chmodSync(folder, 0o700);
  expect(answer).toMatchObject({ permission: { behavior: "deny", reason: "guarded" } });
});

const marker = `echo '{"async": true, "asyncTimeout": 180000}'`;
/** Continues once the test has created the file: a caller that waited for it would wait for ever. */
const untilThere = "until [ -e go ]; do sleep 0.02; done";
const goOn = (): void => writeFileSync(join(folder, "go"), "");

test("does not wait for an async hook, and keeps its output for the model's next turn", async () => {
  const answer = `echo '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"late"}}'`;
  const { port, run } = make("SessionStart", `${marker}; echo installing; ${untilThere}; ${answer}`);
  expect(await run()).toMatchObject({ additionalContext: [], blocking: [], notices: [] });
  expect(records).toEqual([]);
  goOn();
  await port.drain(10_000);
  expect(port.takeLateOutput()).toEqual(["late"]);
  expect(records).toMatchObject([{ isAsync: true, outcome: "success", exitCode: 0 }]);
});

test("reads an async hook's answer that spans several lines with objects on lines of their own", async () => {
  const hookSpecificOutput = { hookEventName: "SessionStart", additionalContext: "late", more: [{}, {}] };
  const answer = JSON.stringify({ hookSpecificOutput }, undefined, 2);
  const { port, run } = make("SessionStart", `${marker}; cat <<'END'\n${answer}\nEND\n`);
  await run();
  await port.drain(10_000);
  expect(port.takeLateOutput()).toEqual(["late"]);
});

test("heeds a hook that said no in time while pawl itself was held up", async () => {
  const hook = { type: "command", command: "echo begun > begun; sleep 0.3; echo no >&2; exit 2", timeout: 1 };
  const port = portOf({ PreToolUse: [{ hooks: [hook] }] });
  const input: HookInput = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {}, tool_use_id: "x" };
  const answer = port.run(input, new AbortController().signal);
  await expect.poll(() => existsSync(join(folder, "begun")), { interval: 5 }).toBe(true);
  holdUp(1500);
  expect(await answer).toMatchObject({ permission: { behavior: "deny" }, notices: [] });
});

test("removes colours from the output that the model gets", async () => {
  const { run } = make("SessionStart", `printf '\\033[36mBranch\\033[0m main'`);
  expect(await run()).toMatchObject({ additionalContext: ["Branch main"] });
});

test("does not give the model an async hook's log output", async () => {
  const { port, run } = make("SessionStart", `${marker}; echo added 12 packages`);
  expect(await run()).toMatchObject({ additionalContext: [] });
  await port.drain(10_000);
  expect(port.takeLateOutput()).toEqual([]);
});

test("an async hook outlives the turn that began it, and ends with the session", async () => {
  const turn = new AbortController();
  const { port, run } = make("PostToolUse", `${marker}; ${untilThere}; echo over > over`);
  await run(turn.signal);
  turn.abort("interrupted");
  goOn();
  await port.drain(10_000);
  expect(readFileSync(join(folder, "over"), "utf8")).toBe("over\n");
  rmSync(join(folder, "go"));
  await run();
  await port.drain(1);
  expect(records.map(({ outcome }) => outcome)).toEqual(["success", "cancelled"]);
});

test("asyncTimeout replaces the hook's own time limit", async () => {
  const { port, run } = make("PostToolUse", `${marker}; ${untilThere}`, { timeout: 77 });
  await run();
  expect([timers.has(77_000), timers.has(180_000)]).toEqual([false, true]);
  goOn();
  await port.drain(10_000);
  expect(timers.has(180_000)).toBe(false);
});

test("asyncTimeout may be longer than a day", async () => {
  const { port, run } = make("PostToolUse", `echo '{"async": true, "asyncTimeout": 345600000}'; ${untilThere}`);
  await run();
  expect(timers.has(345_600_000)).toBe(true);
  goOn();
  await port.drain(10_000);
});

test.each(["cat /dev/stdin", "cat < /dev/stdin", "cat", `node -p "require('fs').readFileSync('/dev/stdin', 'utf8')"`])(
  "%s reads the hook's input",
  async (reading) => {
    const { run } = make("PreToolUse", `input=$(${reading}); echo "$input" >&2; exit 2`);
    const { permission } = await run();
    expect(JSON.parse(permission?.reason ?? "")).toMatchObject({ hook_event_name: "PreToolUse", session_id: "s-1" });
  },
);

test("a script can write its reason to /dev/stderr", async () => {
  writeFileSync(join(folder, "guard.sh"), "echo 'not on a Friday' | tee /dev/stderr\nexit 2\n");
  const { run } = make("PreToolUse", "bash guard.sh");
  expect(await run()).toMatchObject({ permission: { behavior: "deny", reason: "not on a Friday" } });
});

// Seen: the model was told that a linter, or a guard that says why with a plain "echo", had blocked "without a reason".
test.each([
  ["printf '\\033[31mapp.ts:3 no-eval\\033[0m\\n'; exit 2", "app.ts:3 no-eval"],
  ["echo checking; echo 'not on a Friday' >&2; exit 2", "not on a Friday"],
  [`echo '{"decision":"deny","reason":"not on a Friday"}'; exit 2`, "not on a Friday"],
  [`echo '{"tool_name":"Bash"}'; exit 2`, "without a reason"],
  [`echo '{"decision":"block"}'; echo 'not on a Friday' >&2; exit 2`, "not on a Friday"],
  [`echo '{"decision":"block"}'; exit 2`, "without a reason"],
])("takes the reason of a block from stdout if stderr has none: %s", async (script, reason) => {
  const expected = expect.stringMatching(new RegExp(`^${reason}$|${reason}\\.$`, "u")) as string;
  expect(await make("PreToolUse", script).run()).toMatchObject({ permission: { behavior: "deny", reason: expected } });
  expect(await make("PostToolUse", script).run()).toMatchObject({ blocking: [expected] });
});

// Seen: each turn ended with the warning that its hook had failed.
test.each(["Stop", "PostToolUse", "UserPromptSubmit"] as const)(
  'a hook on %s that answers "allow" has no effect and gives no notice',
  async (event) => {
    const { notices, blocking } = await make(event, `echo '{"decision":"allow"}'`, { onFailure: "block" }).run();
    expect({ notices, blocking }).toEqual({ notices: [], blocking: [] });
  },
);

// Seen: "hooks test" said of a hook that answers for a person that it had decided nothing.
test.each(["allow", "deny"])("records the behavior of a PermissionRequest answer: %s", async (behavior) => {
  const answer = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior } } };
  await make("PermissionRequest", `echo '${JSON.stringify(answer)}'`).run();
  expect(records).toMatchObject([{ event: "PermissionRequest", decision: behavior, outcome: "success" }]);
});

test("waits for a guard that declares itself async, and uses its answer", async () => {
  const deny = `echo '{"decision":"block","reason":"no"}'`;
  const { run } = make("PreToolUse", `${marker}; ${deny}`, { onFailure: "block" });
  expect(await run()).toMatchObject({ permission: { behavior: "deny", reason: "no" } });
});

test.each([`echo '{"async": false}'`, `echo '{"async": "true"}'`, `printf '{"async": true'`, "echo async"])(
  "does not treat output that begins with %s as a declaration of async",
  async (first) => {
    const { run } = make("Stop", `${first}; echo done > done`);
    await run();
    expect(readFileSync(join(folder, "done"), "utf8")).toBe("done\n");
    expect(records).toMatchObject([{ isAsync: false }]);
  },
);

test("puts rewakeMessage before the output that wakes the session", async () => {
  const more = { asyncRewake: true, rewakeMessage: "A review found something:" };
  const { port, run } = make("Stop", "echo 'line 3: eval' >&2; exit 2", more);
  await run();
  await port.drain(10_000);
  expect(port.takeLateOutput()).toEqual(["A review found something:\nline 3: eval"]);
});

const specificPath = JSON.stringify({ hookSpecificOutput: { worktreePath: "/trees/a" } });

// No failure may pass for a folder, whatever was printed before it.
test.each<[string, Partial<HookAnswer>]>([
  ["echo building; printf '\\033[32m /trees/a\\033[0m\\r\\n\\n'", { worktreePath: "/trees/a" }],
  [`echo '${specificPath}'`, { worktreePath: "/trees/a" }],
  ["echo /trees/a; echo why >&2; exit 1", { blocking: [expect.stringContaining("status code 1: why")] }],
  [`echo '${specificPath}'; exit 3`, { blocking: [expect.stringContaining("status code 3")] }],
  ["echo /trees/a; kill -9 $$", { blocking: [expect.stringContaining("signal SIGKILL")] }],
])(
  "takes the last printed line as the worktree's folder, but only if the hook succeeds: %s",
  async (script, answer) => {
    const { worktreePath, blocking } = await make("WorktreeCreate", script).run();
    expect({ worktreePath, blocking }).toEqual({ worktreePath: undefined, blocking: [], ...answer });
  },
);

test("a WorktreeCreate hook that prints nothing does not replace another hook's folder", async () => {
  const hooks = ["echo /trees/a", "true"].map((command) => ({ type: "command", command }));
  const port = portOf({ WorktreeCreate: [{ hooks }] });
  const input = { hook_event_name: "WorktreeCreate" } as HookInput;
  expect((await port.run(input, new AbortController().signal)).worktreePath).toBe("/trees/a");
});
