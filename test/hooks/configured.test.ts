// Hooks as settings files give them: real processes, a real web service, and a model that is asked.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { readHookConfig } from "../../src/hooks/config.ts";
import { createRunners, type HandlerWorld } from "../../src/hooks/configured-hooks.ts";
import type { HookOrigin } from "../../src/hooks/handler.ts";
import { createHooks } from "../../src/hooks/run.ts";
import type { HookRecord } from "../../src/hooks/runner.ts";
import type { HookAnswer, HookEvent, HookInput } from "../../src/protocol/hook.ts";
import { systemClock } from "../../src/lib/system-clock.ts";
import { hasCompleteLine, withGrowingLimit } from "../support/growing-limit.ts";
import { isAlive } from "../tools/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
let records: HookRecord[];
beforeEach(() => {
  folder = temporaryFolder();
  records = [];
});

const clock = { ...systemClock, timestamp: () => "2026-01-01T00:00:00.000Z" };

function make(hooks: unknown, more: Partial<HandlerWorld> = {}, origin: HookOrigin = "user") {
  const { hooks: configured, problems } = readHookConfig(hooks, origin, "settings.json");
  const world: HandlerWorld = {
    command: { environment: () => ({ PATH: process.env["PATH"] ?? "" }), projectDir: folder, sessionId: "s-1" },
    http: { env: { TOKEN: "t0ken", OTHER: "other" } },
    matchesRule: () => true,
    clock,
    ...more,
  };
  let count = 0;
  const port = createHooks(createRunners(configured, world), {
    clock,
    ids: { uuid: () => `id-${count++}` },
    common: () => ({ session_id: "s-1", cwd: folder }),
    watch: (record) => void records.push(record),
  });
  return { port, problems };
}

const input = (event: HookEvent, more: Partial<HookInput> = {}): HookInput => ({ hook_event_name: event, ...more });
const bash = input("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "toolu_1" });

function command(event: HookEvent, text: string, more: object = {}): object {
  return { [event]: [{ hooks: [{ type: "command", command: text, ...more }] }] };
}

function answerOf(event: HookInput, text: string, more: object = {}): Promise<HookAnswer> {
  return make(command(event.hook_event_name, text, more)).port.run(event, new AbortController().signal);
}

describe("a command", () => {
  test("gets the input on stdin, the documented variables, and no other variables of the user", async () => {
    const answer = await answerOf(bash, `cat > in.json; env > env.txt; pwd > pwd.txt`);
    expect(answer).toMatchObject({ blocking: [], notices: [] });
    expect(JSON.parse(readFileSync(join(folder, "in.json"), "utf8"))).toMatchObject({
      session_id: "s-1",
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "ls" },
    });
    const environment = readFileSync(join(folder, "env.txt"), "utf8");
    expect(environment).toContain(`CLAUDE_PROJECT_DIR=${folder}`);
    const told = ["CLAUDE_CODE_SESSION_ID=s-1", "AI_AGENT=pawl", "CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1"];
    for (const each of told) expect(environment).toContain(each);
    expect(environment).not.toContain("HOME=");
    expect(readFileSync(join(folder, "pwd.txt"), "utf8").trim()).toBe(folder);
    expect(records).toMatchObject([{ event: "PreToolUse", exitCode: 0, outcome: "success", decision: "none" }]);
  });

  test.each([
    [0, "", "", {}],
    [0, '{"decision":"block","reason":"no"}', "", { permission: { behavior: "deny", reason: "no" } }],
    [2, "", "not that", { permission: { behavior: "deny", reason: "not that" } }],
    [
      2,
      '{"hookSpecificOutput":{"permissionDecision":"allow"}}',
      "x",
      { permission: { behavior: "deny", reason: "x" } },
    ],
    [2, '{"decision":"block","reason":"json"}', "err", { permission: { behavior: "deny", reason: "json" } }],
    [
      2,
      "{ not json",
      "",
      { permission: { behavior: "deny", reason: expect.stringContaining("without a reason") as string } },
    ],
    [1, '{"decision":"block","reason":"no"}', "", { permission: { behavior: "deny", reason: "no" } }],
    [0, "[1]", "", {}],
    [0, '{"continue":false,"stopReason":"enough"}', "", { preventContinuation: "enough" }],
  ])("with exit code %d, stdout %j and stderr %j gives the expected answer", async (code, stdout, stderr, expected) => {
    const answer = await answerOf(bash, `printf '%s' '${stdout}'; printf '%s' '${stderr}' >&2; exit ${code}`);
    expect(answer).toMatchObject(expected);
    if (Object.keys(expected).length === 0) expect(answer.permission).toBeUndefined();
  });

  test.each([1, 3, 127, 255])(
    'that fails with status %d gives a notice and passes, or blocks with onFailure "block"',
    async (code) => {
      const passing = await answerOf(bash, `echo broken >&2; exit ${code}`);
      expect(passing.permission).toBeUndefined();
      expect(passing.notices[0]?.text).toMatch(new RegExp(`status code ${code}: broken; it counts as a pass`, "u"));
      const guarding = await answerOf(bash, `exit ${code}`, { onFailure: "block" });
      expect(guarding.permission?.behavior).toBe("deny");
    },
  );

  test("with exit code 2 blocks a prompt and a stop, and only gives a notice on events that cannot be blocked", async () => {
    expect((await answerOf(input("UserPromptSubmit", { prompt: "x" }), "echo no >&2; exit 2")).blocking).toEqual([
      "no",
    ]);
    expect((await answerOf(input("Stop"), "echo more >&2; exit 2")).blocking).toEqual(["more"]);
    const start = await answerOf(input("SessionStart", { source: "startup" }), "echo no >&2; exit 2");
    expect(start).toMatchObject({ blocking: [], additionalContext: [] });
    expect(start.notices[0]?.text).toContain("hook error: no");
  });

  test("may print a byte order mark before its JSON", async () => {
    const block = String.raw`printf '\357\273\277{"decision":"block","reason":"no"}\n'`;
    expect((await answerOf(bash, block)).permission).toEqual({ behavior: "deny", reason: "no" });
  });

  test("adds plain text to the context only on SessionStart and UserPromptSubmit", async () => {
    expect((await answerOf(input("SessionStart"), "echo hello")).additionalContext).toEqual(["hello"]);
    expect((await answerOf(input("UserPromptSubmit"), "echo hello")).additionalContext).toEqual(["hello"]);
    expect((await answerOf(bash, "echo hello")).additionalContext).toEqual([]);
  });

  test("has long plain text cut", async () => {
    const [told = ""] = (await answerOf(input("SessionStart"), "head -c 25000 /dev/zero | tr '\\0' x"))
      .additionalContext;
    expect(told).toBe(`${"x".repeat(10_000)}\n… [15000 characters cut]`);
  });

  test("with args runs without a shell, whatever shell it names, with placeholders filled", async () => {
    await answerOf(bash, "touch", { args: ["${CLAUDE_PROJECT_DIR}/a b;$(id)"], shell: "powershell" });
    expect(existsSync(join(folder, "a b;$(id)"))).toBe(true);
  });

  test("sets the event's time limit if its own is longer than the default", () => {
    expect(make(command("PreToolUse", "true", { timeout: 1_800 })).port.limitMs?.("PreToolUse")).toBe(1_800_000);
    expect(make(command("PreToolUse", "true", { timeout: 5 })).port.limitMs?.("PreToolUse")).toBeUndefined();
    expect(make(command("Stop", "true")).port.limitMs?.("Stop")).toBeUndefined();
  });

  test("runs in bash, falls back to sh without bash, and uses no shell but the one it names", async () => {
    const guard = 'if [[ "$(cat)" == *ls* ]]; then echo "no ls" >&2; exit 2; fi';
    expect(await answerOf(bash, guard)).toMatchObject({ permission: { behavior: "deny", reason: "no ls" } });
    const world = { command: { environment: () => ({ PATH: folder }), projectDir: folder, sessionId: "s-1" } };
    const plain = make(command("PreToolUse", "echo from sh >&2; exit 2"), world).port;
    expect(await plain.run(bash, new AbortController().signal)).toMatchObject({ permission: { reason: "from sh" } });
    const strict = make(command("PreToolUse", "exit 2", { shell: "bash" }), world).port;
    const { permission, notices } = await strict.run(bash, new AbortController().signal);
    expect([permission, notices[0]?.text]).toEqual([undefined, expect.stringContaining("ENOENT")]);
  });

  test("gets its whole input even if the user's .bashrc reads stdin", async () => {
    writeFileSync(join(folder, ".bashrc"), "echo from the file; cat > /dev/null");
    const environment = () => ({ PATH: process.env["PATH"] ?? "", HOME: folder });
    const world = { command: { environment, projectDir: folder, sessionId: "s-1" } };
    const { port } = make(command("UserPromptSubmit", "cat", { shell: "bash" }), world);
    const { additionalContext } = await port.run(input("UserPromptSubmit"), new AbortController().signal);
    expect(additionalContext).toEqual([]);
    expect(JSON.parse(records[0]?.stdout ?? "")).toMatchObject({ hook_event_name: "UserPromptSubmit" });
  });

  test('that cannot be started gives a notice, or blocks with onFailure "block"', async () => {
    expect((await answerOf(bash, "/nowhere/x", { args: [] })).notices[0]?.text).toContain("there is no program");
    expect((await answerOf(bash, "/nowhere/x", { args: [], onFailure: "block" })).permission?.behavior).toBe("deny");
  });

  test("that hangs is killed with its children at its time limit", async () => {
    const pid = join(folder, "pid");
    await withGrowingLimit(300, async (ms) => {
      const { port } = make(command("PreToolUse", "sleep 60 & echo $! > pid; wait", { timeout: ms / 1_000 }));
      expect((await port.run(bash, new AbortController().signal)).notices[0]?.text).toContain("did not answer within");
      await port.drain(5_000);
      expect(records.splice(0).map(({ outcome }) => outcome)).toEqual(["timeout"]);
      return hasCompleteLine(pid);
    });
    expect(isAlive(Number(readFileSync(pid, "utf8")))).toBe(false);
  });

  test("has ended when it exits, even if a child holds its pipe open", async () => {
    const answer = await answerOf(bash, 'sleep 60 & echo \'{"decision":"block","reason":"r"}\'');
    expect(answer.permission).toEqual({ behavior: "deny", reason: "r" });
  });

  test("that prints too much has its output cut, and is still waited for", async () => {
    const answer = await answerOf(bash, "head -c 5000000 /dev/zero | tr '\\0' x; exit 2");
    expect(answer.permission?.behavior).toBe("deny");
    expect(records[0]?.stdout?.length).toBeLessThan(1_100_000);
  });

  test("may ignore its input or close all its pipes", async () => {
    const big = { ...bash, tool_input: { content: "x".repeat(3_000_000) } };
    expect((await answerOf(big, "exec 0<&- 1>&- 2>&-; exit 0")).notices).toEqual([]);
  });

  test("that is async delivers its context at the next turn", async () => {
    const { port } = make(
      command(
        "PreToolUse",
        'echo \'{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"late"},"decision":"block"}\'',
        { async: true },
      ),
    );
    const answer = await port.run(bash, new AbortController().signal);
    expect(answer).toMatchObject({ blocking: [], additionalContext: [] });
    await port.drain(5_000);
    expect(port.takeLateOutput()).toEqual(["late"]);
    expect(port.takeLateOutput()).toEqual([]);
  });

  test("that is configured twice runs once, while two different commands both run", async () => {
    const twice = { hooks: [{ type: "command", command: "echo x >> count" }] };
    const { port } = make({ PreToolUse: [twice, twice, { hooks: [{ type: "command", command: "echo y >> count" }] }] });
    await port.run(bash, new AbortController().signal);
    expect(readFileSync(join(folder, "count"), "utf8").trim().split("\n").toSorted()).toEqual(["x", "y"]);
  });

  test('with an "if" runs only for the calls that match it, and on no other event', async () => {
    const asked: string[] = [];
    const world = { matchesRule: (rule: string) => asked.push(rule) > 1 };
    const { port } = make(
      {
        ...command("PreToolUse", "echo x >> count", { if: "Bash(git *)" }),
        ...command("Stop", "echo stop >> count", { if: "Bash" }),
      },
      world,
    );
    await port.run(bash, new AbortController().signal);
    expect(existsSync(join(folder, "count"))).toBe(false);
    await port.run(bash, new AbortController().signal);
    await port.run(input("Stop"), new AbortController().signal);
    expect(readFileSync(join(folder, "count"), "utf8")).toBe("x\n");
    expect(asked).toEqual(["Bash(git *)", "Bash(git *)"]);
  });
});

describe("an HTTP hook", () => {
  async function serving(
    reply: (request: IncomingMessage, body: string) => { status: number; body: string },
    work: (url: string) => Promise<void>,
  ): Promise<void> {
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        const answer = reply(request, body);
        response.writeHead(answer.status, { connection: "close", location: "http://127.0.0.1:1/" }).end(answer.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
    } finally {
      server.close();
    }
  }
  const http = (url: string, more: object = {}): object => ({
    PreToolUse: [{ hooks: [{ type: "http", url, ...more }] }],
  });

  test("gets the input by POST, with only the allowed variables filled into its headers", async () => {
    const seen: { headers: IncomingMessage["headers"]; body: string }[] = [];
    await serving(
      ({ headers }, body) => {
        seen.push({ headers, body });
        return { status: 200, body: '{"decision":"block","reason":"http"}' };
      },
      async (url) => {
        const headers = { authorization: "Bearer $TOKEN", "x-other": "<${OTHER}>" };
        const { port } = make(http(url, { headers, allowedEnvVars: ["TOKEN"] }));
        expect((await port.run(bash, new AbortController().signal)).permission).toEqual({
          behavior: "deny",
          reason: "http",
        });
        expect(seen[0]?.headers).toMatchObject({ authorization: "Bearer t0ken", "x-other": "<>" });
        expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ tool_name: "Bash" });
      },
    );
  });

  test.each([
    [204, "", undefined],
    [500, '{"decision":"block"}', "HTTP 500"],
    [302, "", "HTTP 302"],
    [200, "hello", "not JSON"],
    [200, "[1]", "not a JSON object"],
    [200, '"words"', "not a JSON object"],
    [200, "null", "not a JSON object"],
    [200, `"${"x".repeat(1024 * 1024)}"`, "more than 1 MiB"],
  ])("gives the right notice if it answers with status %d and %.20j", async (status, body, problem) => {
    await serving(
      () => ({ status, body }),
      async (url) => {
        const answer = await make(http(url)).port.run(bash, new AbortController().signal);
        expect(answer.permission).toBeUndefined();
        if (problem === undefined) expect(answer.notices).toEqual([]);
        else expect(answer.notices[0]?.text).toContain(problem);
        const guard = await make(http(url, { onFailure: "block" })).port.run(bash, new AbortController().signal);
        expect(guard.permission?.behavior).toBe(problem === undefined ? undefined : "deny");
      },
    );
  });

  test("is called only if its address is allowed", async () => {
    const world = { http: { env: {}, allowedUrls: ["https://example.com/*", "http://*.example.com/"] } };
    const answer = await make(http("http://127.0.0.1:9/"), world).port.run(bash, new AbortController().signal);
    expect(answer.notices[0]?.text).toContain("may not be called");
  });
});

describe("a hook that asks a model", () => {
  const prompt = (event: HookEvent, more: object = {}): object => ({
    [event]: [{ hooks: [{ type: "prompt", prompt: "Is $ARGUMENTS fine? \\$5", ...more }] }],
  });
  const asking = (answer: string, asked: string[] = []): Partial<HandlerWorld> => ({
    askModel: async (question) => {
      asked.push(question.prompt, question.model ?? "none of its own");
      return answer;
    },
  });

  test("gets the input in place of $ARGUMENTS, and may refuse", async () => {
    const asked: string[] = [];
    const says = 'Sure: {"ok": false, "reason": "tests fail"}';
    const { port } = make(prompt("Stop", { model: "haiku" }), asking(says, asked));
    expect((await port.run(input("Stop"), new AbortController().signal)).blocking).toEqual(["tests fail"]);
    expect(asked).toEqual([expect.stringMatching(/^Is \{"session_id":"s-1"[^$]*\} fine\? \$5/u), "haiku"]);
  });

  test.each([
    ["Stop", '{"ok":true}', {}, { blocking: [], notices: [] }],
    ["Stop", '{"ok":false,"reason":"r","impossible":true}', {}, { blocking: [], notices: [] }],
    ["TaskCompleted", '{"ok":false,"reason":"r","impossible":true}', {}, { blocking: ["r"] }],
    [
      "PreToolUse",
      '{"ok":false,"reason":"r"}',
      {},
      { permission: { behavior: "deny", reason: "r" }, preventContinuation: "r" },
    ],
    [
      "PreToolUse",
      '{"ok":false,"reason":"r"}',
      { continueOnBlock: true },
      { permission: { behavior: "deny", reason: "r" } },
    ],
    ["UserPromptSubmit", '{"ok":false,"reason":"r"}', {}, { preventContinuation: "r" }],
  ] as const)("handles the answer on %s: %s", async (event, answer, more, expected) => {
    const { port } = make(prompt(event, more), asking(answer));
    const given = await port.run(event === "PreToolUse" ? bash : input(event), new AbortController().signal);
    expect(given).toMatchObject(expected);
    expect(given.preventContinuation).toBe(
      "preventContinuation" in expected ? expected.preventContinuation : undefined,
    );
  });

  test.each(["I think so.", '{"ok":"no"}', '{"reason":"r"}', "[{}]", "{", "} {"])(
    "gives a notice and passes if the model does not answer with JSON, but refuses if it is a guard: %s",
    async (said) => {
      const { port } = make(prompt("Stop"), asking(said));
      const answer = await port.run(input("Stop"), new AbortController().signal);
      expect(answer.blocking).toEqual([]);
      expect(answer.notices[0]?.text).toContain("did not answer with the JSON");
      const guard = make(prompt("PreToolUse", { onFailure: "block" }), asking(said));
      expect((await guard.port.run(bash, new AbortController().signal)).permission?.behavior).toBe("deny");
    },
  );

  test("has the input appended if the prompt has no $ARGUMENTS", async () => {
    const asked: string[] = [];
    const { port } = make(prompt("Stop", { prompt: "Is it fine?" }), asking('{"ok":true}', asked));
    await port.run(input("Stop"), new AbortController().signal);
    expect(asked[0]).toMatch(/^Is it fine\?\n\n\{"session_id":"s-1"/u);
  });
});

test("runs a hook found in two settings files once, and identical hooks of a skill and a plugin as well", async () => {
  const given = command("PreToolUse", "echo ran >> log");
  const read = [
    readHookConfig(given, "user", "a"),
    readHookConfig(given, "project", "b"),
    readHookConfig(given, "user", "skill", { isSkill: true }),
    readHookConfig(given, "plugin", "plugin"),
  ];
  const world = {
    command: { environment: () => ({ PATH: process.env["PATH"] ?? "" }), projectDir: folder, sessionId: "s" },
  };
  const hooks = read.flatMap(({ hooks: some }) => some);
  const runners = createRunners(hooks, { ...world, http: { env: {} }, matchesRule: () => true, clock });
  const port = createHooks(runners, { clock, ids: { uuid: () => "id" }, common: () => ({ cwd: folder }) });
  await port.run(bash, new AbortController().signal);
  expect(readFileSync(join(folder, "log"), "utf8")).toBe("ran\n".repeat(3));
});

test.each([
  ["user", "Look.", "[User] Look."],
  ["project", "Look.", "[Project] Look."],
  ["local", undefined, "[Local] a PreToolUse hook wants a person to answer"],
  ["plugin", "Look.", "[Plugin] Look."],
] as const)("labels the question of a hook with its origin %s", async (origin, permissionDecisionReason, reason) => {
  const specific = { permissionDecision: "ask", permissionDecisionReason };
  const given = command("PreToolUse", `echo '${JSON.stringify({ hookSpecificOutput: specific })}'`);
  const answer = await make(given, {}, origin).port.run(bash, new AbortController().signal);
  expect(answer.permission).toEqual({ behavior: "ask", reason });
});

describe("invalid settings", () => {
  test.each([
    [[], "error", "should be an object"],
    [{ PreToolUse: {} }, "error", "should be a list"],
    [{ PreToolUse: [{ matcher: "Bash" }] }, "error", 'list of "hooks"'],
    [{ preToolUse: [] }, "notice", "is not an event"],
    [{ Stop: [{ hooks: [{ type: "command" }] }] }, "notice", 'needs a "command"'],
    [{ Stop: [{ hooks: [{ type: "command", onFailure: "block" }] }] }, "error", 'needs a "command"'],
    [{ Stop: [{ hooks: [{ type: "wat" }] }] }, "notice", "none of command"],
    [{ Stop: [{ hooks: [{ type: "http", url: "file:///x" }] }] }, "notice", "http or https"],
    [{ PreToolUse: [{ matcher: "(a+)+", hooks: [] }] }, "notice", "matches nothing"],
    [{ Stop: [{ hooks: [{ type: "command", command: "x", timeout: -1 }] }] }, "notice", "timeout"],
    [{ PreToolUse: [{ matcher: ["Bash"], hooks: [] }] }, "error", "matcher should be a text; its hooks do not run"],
    [{ Stop: [{ hooks: ["x"] }] }, "notice", 'should be an object with a "type"; it does not run'],
    [{ Stop: [{ hooks: [{ type: "command", command: "x", once: true }] }] }, "notice", "once works in skills only"],
  ])("report a problem for %j", (hooks, level, text) => {
    expect(make(hooks).problems).toMatchObject([{ level, text: expect.stringContaining(text) as string }]);
  });

  test("do not disable the valid hooks beside them", () => {
    const { hooks } = readHookConfig(
      { Stop: [{ hooks: [{ type: "wat" }, { type: "command", command: "x" }] }] },
      "user",
      "s",
    );
    expect(hooks).toHaveLength(1);
  });
});

describe("shell variables in the user's environment", () => {
  const environment = (more: Record<string, string>) => ({
    command: {
      environment: () => ({ PATH: process.env["PATH"] ?? "", ...more }),
      projectDir: folder,
      sessionId: "s-1",
    },
  });

  test("CLAUDE_CODE_SHELL_PREFIX gets a hook's command as one argument, unless the hook runs without a shell", async () => {
    const log = join(folder, "log");
    const prefix = `f() { printf '%s' "$1" >> '${log}'; sh -c "$1"; }; f`;
    const { port } = make(
      {
        PreToolUse: [
          {
            hooks: [
              { type: "command", command: `cat > '${folder}/seen'; echo "it's"` },
              { type: "command", command: "touch", args: [`${folder}/plain`] },
            ],
          },
        ],
      },
      environment({ CLAUDE_CODE_SHELL_PREFIX: prefix }),
    );
    await port.run(bash, new AbortController().signal);
    expect(readFileSync(join(folder, "seen"), "utf8")).toContain("PreToolUse");
    expect(readFileSync(log, "utf8")).toContain("echo");
    expect(readFileSync(log, "utf8")).not.toContain("plain");
    expect(existsSync(join(folder, "plain"))).toBe(true);
  });

  test("CLAUDE_ENV_FILE is not passed to hooks of events that set no variables", async () => {
    const { port } = make(
      command("PreToolUse", `echo "[$CLAUDE_ENV_FILE]" > '${folder}/seen'`),
      environment({ CLAUDE_ENV_FILE: "/home/me/env.sh" }),
    );
    await port.run(bash, new AbortController().signal);
    expect(readFileSync(join(folder, "seen"), "utf8")).toBe("[]\n");
  });
});

test.each([
  ["PreToolUse", { type: "command", command: "x" }, 600],
  ["Stop", { type: "http", url: "https://a.test/" }, 600],
  ["UserPromptSubmit", { type: "command", command: "x" }, 30],
  ["MessageDisplay", { type: "command", command: "x" }, 10],
  ["Stop", { type: "prompt", prompt: "x" }, 30],
  ["Stop", { type: "agent", prompt: "x" }, 60],
  ["Stop", { type: "agent", prompt: "x", timeout: 7 }, 7],
] as const)("on %s the hook %j has a time limit of %d s", (event, handler, seconds) => {
  const { hooks } = readHookConfig({ [event]: [{ hooks: [handler] }] }, "user", "settings.json");
  const command = { environment: () => ({}), projectDir: folder, sessionId: "s-1" };
  const runners = createRunners(hooks, { command, http: { env: {} }, matchesRule: () => true, clock });
  expect(runners[event]?.map(({ timeoutMs }) => timeoutMs)).toEqual([seconds * 1_000]);
});
