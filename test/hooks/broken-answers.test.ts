// Answers of hooks that are broken, or that contradict themselves: nothing is permitted by them, and a guard refuses.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { readHookConfig } from "../../src/hooks/config.ts";
import { createRunners } from "../../src/hooks/configured-hooks.ts";
import { createFunctionRunners } from "../../src/hooks/function-hooks.ts";
import type { McpHandler } from "../../src/hooks/handler.ts";
import { runMcpHook } from "../../src/hooks/mcp-hook.ts";
import { createHooks, type Runners } from "../../src/hooks/run.ts";
import { hookEvents, type HookAnswer, type HookEvent, type HookInput } from "../../src/protocol/hook.ts";

const clock = {
  elapsed: () => performance.now(),
  timestamp: () => "2026-01-01T00:00:00.000Z",
  timer(ms: number, fire: () => void) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

const guarding = { type: "command", command: "exit 2", onFailure: "block" };
const bash = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "toolu_1" };

async function ran(runners: Runners, event: HookEvent): Promise<HookAnswer> {
  let count = 0;
  const dependencies = { clock, ids: { uuid: () => `id-${count++}` }, common: () => ({ cwd: "/" }) };
  const input: HookInput = { hook_event_name: event, ...(/^(?:Pre|Post)Tool|^Perm/u.test(event) ? bash : {}) };
  return await createHooks(runners, dependencies).run(input, new AbortController().signal);
}

function configured(event: HookEvent, handler: object, modelSays = '{"ok":false,"reason":"no"}'): Runners {
  const { hooks } = readHookConfig({ [event]: [{ hooks: [handler] }] }, "user", "settings.json");
  return createRunners(hooks, {
    command: { environment: () => ({ PATH: process.env["PATH"] ?? "" }), projectDir: "/", sessionId: "s-1" },
    http: { env: {} },
    askModel: async () => modelSays,
    matchesRule: () => true,
    clock,
  });
}

function says(event: HookEvent, text: string, more: object = {}): Promise<HookAnswer> {
  return ran(configured(event, { type: "command", command: "printf", args: ["%s", text], ...more }), event);
}

const exits = (event: HookEvent, answer: object, code: number): Promise<HookAnswer> =>
  ran(configured(event, { type: "command", command: `echo '${JSON.stringify(answer)}'; exit ${code}` }), event);

const specific = (hookEventName: HookEvent, more: object): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName, ...more } });

// Scripts that refuse so are about; they were ignored, and nothing said so.
describe("a refusal in fields that have no effect", () => {
  test.each([
    { block: true, reason: "x" },
    { approve: false },
    { result: "block", reason: "x" },
    { permission: "deny" },
    { hookSpecificOutput: { hookEventName: "PreToolUse", decision: "block" } },
  ])("is reported, and refuses the call if the hook is a guard: %j", async (answer) => {
    const { permission, notices } = await says("PreToolUse", JSON.stringify(answer));
    expect(permission).toBeUndefined();
    expect(notices[0]?.text).toContain('which refuses nothing; use {"decision": "block"');
    const guard = await says("PreToolUse", JSON.stringify(answer), { onFailure: "block" });
    expect(guard.permission?.behavior).toBe("deny");
  });

  test("refuses the call if a field is misspelt and the hook is a guard", async () => {
    const answer = specific("PreToolUse", { permission_decision: "deny" });
    expect((await says("PreToolUse", answer)).permission).toBeUndefined();
    expect((await says("PreToolUse", answer, { onFailure: "block" })).permission?.behavior).toBe("deny");
  });

  test.each([
    { block: true, decision: "block" },
    { allow: false, hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } },
    { blocked: true, continue: false },
    { block: false, approve: true, result: "continue" },
    // A hook that prints its input.
    { tool_name: "Bash", tool_input: { action: "block" }, permission_mode: "default" },
  ])("is not reported beside a decision that counts or if nothing is refused: %j", async (answer) => {
    expect((await says("PreToolUse", JSON.stringify(answer))).notices).toEqual([]);
    const code2 = await exits("PreToolUse", { block: true }, 2);
    expect([code2.permission?.behavior, code2.notices]).toEqual(["deny", []]);
  });

  test("is not reported on another event", async () => {
    expect((await says("PostToolUse", JSON.stringify({ result: "block" }))).notices).toEqual([]);
  });
});

describe("an updatedInput that is not an object", () => {
  const answer = (permissionDecision: string): string =>
    specific("PreToolUse", { permissionDecision, updatedInput: "rm" });

  test("cancels the permission that was given for it", async () => {
    const given = await says("PreToolUse", answer("allow"));
    expect(given.permission).toBeUndefined();
    expect(given.notices[0]?.text).toContain("updatedInput that is not an object");
  });

  test.each(["deny", "ask"])("leaves the decision %s in force", async (behavior) => {
    expect((await says("PreToolUse", answer(behavior))).permission).toMatchObject({ behavior });
  });

  test("cancels a permission in the older form, too", async () => {
    const old = JSON.stringify({
      decision: "approve",
      hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: [] },
    });
    expect((await says("PreToolUse", old)).permission).toBeUndefined();
  });
});

describe.each(["", "\n  "])("output that begins like JSON but is not valid, after %j", (blanks) => {
  const broken = `${blanks}{"decision": "block", "reason": "no"`;

  test("is reported, and refuses the call if the hook is a guard", async () => {
    const given = await says("PreToolUse", broken);
    expect(given.permission).toBeUndefined();
    expect(given.notices[0]?.text).toContain("begins like JSON but is not valid");
    expect((await says("PreToolUse", broken, { onFailure: "block" })).permission?.behavior).toBe("deny");
  });

  test("is context for the model on events that take plain text, unless the hook is a guard", async () => {
    const given = await says("UserPromptSubmit", broken);
    expect(given).toMatchObject({ additionalContext: [broken.trim()], notices: [], blocking: [] });
    expect((await says("UserPromptSubmit", broken, { onFailure: "block" })).blocking).toHaveLength(1);
  });
});

// Seen: a reviewer said what it had read, in which there were braces, and its refusal was ignored.
test.each([
  'The file has `export { a }`. {"ok": false, "reason": "no"}',
  '{"ok": false, "reason": "no"}\n\nIt calls `f({})`.',
  'The call says {"ok": true}, but I say {"ok": false, "reason": "no"}',
  '{"ok": false, "reason": "no"} Fixed it would be {"ok": true}',
  'With ${HOME}:\n```json\n{\n  "ok": false,\n  "reason": "no"\n}\n```',
])("a model's refusal counts even among other braces: %s", async (said) => {
  const handler = { type: "prompt", prompt: "Is it fine?", continueOnBlock: true };
  const given = await ran(configured("PreToolUse", handler, said), "PreToolUse");
  expect(given).toMatchObject({ permission: { behavior: "deny", reason: "no" }, notices: [] });
});

test("a model's consent among other braces does not count", async () => {
  const handler = { type: "prompt", prompt: "Is it fine?", onFailure: "block" };
  const said = 'The call has {} and says {"ok": true}, {"ok": "false"}';
  expect((await ran(configured("PreToolUse", handler, said), "PreToolUse")).permission?.behavior).toBe("deny");
});

describe("JSON with other text before it", () => {
  const answer = 'Welcome to the shell\n{\n  "decision": "block",\n  "reason": "no"\n}\n';

  test("is ignored and reported, and refuses the call if the hook is a guard", async () => {
    const given = await says("PreToolUse", answer);
    expect(given.permission).toBeUndefined();
    expect(given.notices[0]?.text).toContain("other text before its JSON");
    expect((await says("PreToolUse", answer, { onFailure: "block" })).permission?.behavior).toBe("deny");
  });

  // Seen of a hook that hands on what a model printed: its refusal was a pass, without a word.
  test.each(['```json\n{"decision": "block", "reason": "no"}\n```\n', 'checking\n{"continue": false}\n1 finding'])(
    "is ignored and reported if other text follows it, too: %j",
    async (printed) => {
      expect((await says("PreToolUse", printed)).notices[0]?.text).toContain("other text before its JSON");
      expect((await says("PreToolUse", printed, { onFailure: "block" })).permission?.behavior).toBe("deny");
    },
  );

  test.each(['[{"decision": "block", "reason": "no"}]', ' [\n 1, {"continue": false}]\n'])(
    "is ignored and reported if it is a list of answers: %j",
    async (printed) => {
      expect((await says("PreToolUse", printed)).notices[0]?.text).toContain(
        "printed a list where an object is expected",
      );
      expect((await says("PreToolUse", printed, { onFailure: "block" })).permission?.behavior).toBe("deny");
    },
  );

  test("is context for the model on events that take plain text, unless the hook is a guard", async () => {
    const given = await says("UserPromptSubmit", answer);
    expect(given).toMatchObject({ additionalContext: [answer.trim()], notices: [], blocking: [] });
    expect((await says("UserPromptSubmit", answer, { onFailure: "block" })).blocking).toHaveLength(1);
  });

  test.each([
    'read\n{"tool_name": "Bash"}',
    "plain\n{",
    'a {"decision": "block"}',
    "x\n[1]",
    "[1]",
    '[{"tool_name": "Bash"}]',
  ])("is not taken for an answer if it is only log output: %j", async (text) => {
    expect(await says("PreToolUse", text, { onFailure: "block" })).toMatchObject({ notices: [] });
  });
});

test.each([
  [{ permissionDecision: "deny" }, "outside of hookSpecificOutput"],
  // Seen: the call that the hook had made harmless ran as it was, without a word.
  [{ updatedInput: { command: "true" } }, 'gave "updatedInput" outside of hookSpecificOutput, which changes nothing'],
  [{ tool_input: { command: "true" }, additionalContext: "made safe" }, 'gave "tool_input" outside'],
  [{ hookSpecificOutput: "deny" }, "not an object"],
  [{ continue: "false" }, "true or false"],
  [{ hookSpecificOutput: { additionalContext: ["a"] } }, "not text"],
])("the answer %j is ignored and reported, and refuses the call if the hook is a guard", async (answer, said) => {
  const given = await says("PreToolUse", JSON.stringify(answer));
  expect(given.permission).toBeUndefined();
  expect(given.notices[0]?.text).toContain(said);
  const guard = await says("PreToolUse", JSON.stringify(answer), { onFailure: "block" });
  expect(guard.permission?.behavior).toBe("deny");
});

test.each([
  { session_id: "s", tool_name: "Bash", tool_input: { command: "true" } },
  { decision: "block", reason: "no", updatedInput: { command: "true" } },
  { tool_input: {}, hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "true" } } },
  { updatedInput: {}, hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } },
  { tool: "Bash", tool_input: { command: "true" } },
])("an input outside of hookSpecificOutput is not reported if nothing is lost by it: %j", async (answer) => {
  expect((await says("PreToolUse", JSON.stringify(answer))).notices).toEqual([]);
});

test("a hook that permits a call with a new input outside of hookSpecificOutput permits nothing", async () => {
  const permitting = { hookEventName: "PreToolUse", permissionDecision: "allow" };
  for (const answer of [{ decision: "approve" }, { hookSpecificOutput: permitting }])
    expect((await says("PreToolUse", JSON.stringify({ ...answer, updatedInput: {} }))).permission).toBeUndefined();
});

test("fields with null count as absent", async () => {
  const answer = { continue: null, hookSpecificOutput: null, permissionDecision: null, systemMessage: null };
  expect((await says("PreToolUse", JSON.stringify(answer))).notices).toEqual([]);
});

// Some languages write unset fields like this. Seen: a refusal next to such a field was lost.
test.each<[HookEvent, object, Partial<HookAnswer>]>([
  ["PreToolUse", { hookEventName: null, permissionDecision: "deny" }, { permission: { behavior: "deny" } }],
  [
    "PermissionRequest",
    { decision: { behavior: "allow", updatedInput: null, updatedPermissions: null } },
    { permissionAnswer: { behavior: "allow" } },
  ],
  [
    "PermissionRequest",
    { decision: { behavior: "deny", message: null, interrupt: null } },
    { permissionAnswer: { behavior: "deny" } },
  ],
  ["PermissionRequest", { decision: null }, {}],
  ["Elicitation", { action: "decline", content: null }, { elicitation: { action: "decline" } }],
  ["ElicitationResult", { action: "cancel", content: null }, { elicitation: { action: "cancel" } }],
  ["Elicitation", { action: null, content: null }, {}],
])("null beside a valid field does not invalidate the answer: %s %j", async (event, hookSpecificOutput, said) => {
  const runners = createFunctionRunners({ [event]: [{ callback: async () => ({ hookSpecificOutput }) }] });
  const { runs: _, ...answer } = await ran(runners, event);
  expect(answer).toEqual({ blocking: [], additionalContext: [], notices: [], ...said });
});

test("an HTTP guard refuses the call if its decision is invalid", async () => {
  const server = createServer((_request, response) =>
    response.end(specific("PreToolUse", { permissionDecision: "no" })),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const runners = configured("PreToolUse", { type: "http", url, onFailure: "block" });
    expect((await ran(runners, "PreToolUse")).permission?.behavior).toBe("deny");
    expect((await ran(configured("PreToolUse", { type: "http", url }), "PreToolUse")).permission).toBeUndefined();
  } finally {
    server.close();
  }
});

test("reports why an HTTP hook could not be reached", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await new Promise((resolve) => server.close(resolve));
  const { notices } = await ran(configured("PreToolUse", { type: "http", url }), "PreToolUse");
  expect(notices[0]?.text).toContain("could not be reached (connect ECONNREFUSED");
});

test("does not call an address with a password in it, and shows the password to nobody", async () => {
  const url = "http://me:pa55%20@word@127.0.0.1:9/hook?a=b@c";
  const { notices, permission } = await ran(
    configured("PreToolUse", { type: "http", url, onFailure: "block" }),
    "PreToolUse",
  );
  expect(notices[0]?.text).toContain("http://***@127.0.0.1:9/hook?a=b@c hook");
  expect(notices[0]?.text).toContain("put them into its headers");
  expect(permission?.behavior).toBe("deny");
  expect(JSON.stringify([notices, permission])).not.toContain("pa55");
});

test("continue: false has no effect on TaskCreated, and does not undo a block", async () => {
  const given = await exits("TaskCreated", { continue: false, decision: "block", reason: "No such task." }, 0);
  expect(given).toMatchObject({ blocking: ["No such task."] });
  expect(given.preventContinuation).toBeUndefined();
  expect((await exits("TaskCreated", { continue: false }, 2)).blocking).toHaveLength(1);
});

test("exit code 2 does not undo a denial of a PermissionRequest, and turns an approval into no answer", async () => {
  const deciding = (behavior: string) => ({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior } },
  });
  expect((await exits("PermissionRequest", deciding("deny"), 2)).permissionAnswer).toEqual({ behavior: "deny" });
  expect((await exits("PermissionRequest", deciding("allow"), 2)).permissionAnswer).toBeUndefined();
});

const heedsModels =
  "PreToolUse PostToolUse PostToolUseFailure PostToolBatch UserPromptSubmit UserPromptExpansion Stop SubagentStop TaskCreated TaskCompleted TeammateIdle";

test.each(heedsModels.split(" "))("accepts a hook that asks a model on %s", (event) => {
  const { hooks, problems } = readHookConfig({ [event]: [{ hooks: [{ type: "agent", prompt: "?" }] }] }, "user", "s");
  expect([hooks.length, problems]).toEqual([1, []]);
});

test.each(hookEvents.filter((event) => !heedsModels.split(" ").includes(event)))(
  "rejects a hook that asks a model on %s",
  (event) => {
    const { hooks, problems } = readHookConfig(
      { [event]: [{ hooks: [{ type: "prompt", prompt: "?" }] }] },
      "user",
      "s",
    );
    expect(hooks).toEqual([]);
    expect(problems).toMatchObject([{ level: "notice", text: expect.stringContaining("decides nothing") as string }]);
  },
);

test("ignores the matcher on an event without matchers", async () => {
  const { hooks, problems } = readHookConfig({ Stop: [{ matcher: "(a+)+", hooks: [] }] }, "user", "s");
  expect({ hooks, problems }).toEqual({ hooks: [], problems: [] });
  const asked: string[] = [];
  const callback = async ({ hook_event_name: event }: HookInput) => void asked.push(event);
  const { notices } = await ran(createFunctionRunners({ Stop: [{ matcher: "(a+)+", callback }] }), "Stop");
  expect({ asked, notices }).toEqual({ asked: ["Stop"], notices: [] });
});

test("reports a time limit of less than a second exactly", async () => {
  const handler = { type: "command", command: "sleep", args: ["60"], timeout: 0.2 };
  const { notices } = await ran(configured("PreToolUse", handler), "PreToolUse");
  expect(notices[0]?.text).toContain("did not answer within 0.2 s");
});

test("a hook that times out counts as a pass, but a guard that times out refuses", async () => {
  const handler = { type: "command", command: "sleep", args: ["60"], timeout: 0.05 };
  const guard = { ...handler, onFailure: "block" };
  expect(await ran(configured("PreToolUse", handler), "PreToolUse")).not.toHaveProperty("permission");
  const { permission } = await ran(configured("PreToolUse", guard), "PreToolUse");
  expect(permission).toMatchObject({ behavior: "deny", reason: expect.stringContaining("did not answer within") });
  expect((await ran(configured("UserPromptSubmit", guard), "UserPromptSubmit")).blocking).toEqual([
    expect.stringContaining("did not answer within"),
  ]);
  // It would go on for ever.
  expect((await ran(configured("Stop", guard), "Stop")).blocking).toEqual([]);
});

const noDecision = "gave a decision that is neither allow nor deny";
test.each<[HookEvent, object, string]>([
  ["PermissionRequest", { decision: { behavior: "ask" } }, noDecision],
  ["PermissionRequest", { decision: "allow" }, noDecision],
  ["PermissionRequest", { decision: { behavior: "allow", updatedInput: "x" } }, noDecision],
  ["PermissionRequest", { decision: { behavior: "allow" }, updatedInput: {} }, "which changes nothing"],
  ["Elicitation", { action: "maybe" }, "neither accept, decline nor cancel, or whose content is not an object"],
  ["ElicitationResult", { action: "accept", content: "x" }, "or whose content is not an object"],
  ["CwdChanged", { watchPaths: "a" }, "gave watchPaths that are not a list of paths"],
  ["CwdChanged", { watchPaths: ["a", 5] }, "gave watchPaths that are not a list of paths"],
  ["MessageDisplay", { displayContent: 5 }, "gave a displayContent that is not text"],
])("ignores and reports an invalid value: %s %j", async (event, hookSpecificOutput, text) => {
  const { notices, ...answer } = await ran(
    createFunctionRunners({ [event]: [{ callback: async () => ({ hookSpecificOutput }) }] }),
    event,
  );
  expect(notices[0]?.text).toContain(`${text}; it counts as a pass`);
  expect(answer).toMatchObject({ blocking: [], additionalContext: [] });
  for (const said of ["permissionAnswer", "elicitation", "watchPaths", "displayContent"])
    expect(answer).not.toHaveProperty(said);
});

test("an MCP tool that is a guard refuses if its answer cannot be understood", async () => {
  const hook = { type: "mcp_tool", server: "guard", tool: "check" };
  const { hooks } = readHookConfig({ PreToolUse: [{ hooks: [hook, { ...hook, onFailure: "block" }] }] }, "user", "s");
  const input = { hook_event_name: "PreToolUse" as const };
  for (const [text, isRefused] of [
    ["", false],
    ["fine", true],
    [specific("PreToolUse", { permissionDecision: "no" }), true],
    [specific("PreToolUse", { permissionDecision: "allow" }), false],
  ] as const) {
    const said = await Promise.all(
      hooks.map(({ handler }) =>
        runMcpHook(handler as McpHandler, input, new AbortController().signal, async () => text),
      ),
    );
    expect(said.map(({ permission }) => permission?.behavior === "deny")).toEqual([false, isRefused]);
  }
});

test("keeps the updatedInput of a PermissionRequest answer", async () => {
  const decision = { behavior: "allow", updatedInput: { command: "pwd" } };
  const given = await says("PermissionRequest", specific("PermissionRequest", { decision }));
  expect(given.permissionAnswer).toEqual(decision);
  const plain = await says("PermissionRequest", specific("PermissionRequest", { decision: { behavior: "allow" } }));
  expect(plain.permissionAnswer).toEqual({ behavior: "allow" });
});

test("cuts the long message of a PermissionRequest denial", async () => {
  const decision = { behavior: "deny", message: "no ".repeat(20_000) };
  const given = await says("PermissionRequest", specific("PermissionRequest", { decision }));
  expect(JSON.stringify(given.permissionAnswer)).toMatch(/characters cut\]/u);
});

test("cuts the long reason of a PreToolUse denial", async () => {
  const decision = { permissionDecision: "deny", permissionDecisionReason: "no ".repeat(20_000) };
  const { permission } = await says("PreToolUse", specific("PreToolUse", decision));
  expect(permission).toMatchObject({ behavior: "deny", reason: expect.stringMatching(/characters cut\]/u) });
});

test("runs a command in the project folder if its working folder no longer exists", async () => {
  const { hooks } = readHookConfig(
    { PreToolUse: [{ hooks: [{ type: "command", command: "pwd >&2; exit 2" }] }] },
    "user",
    "s",
  );
  const command = { environment: () => ({ PATH: process.env["PATH"] ?? "" }), projectDir: "/usr", sessionId: "s-1" };
  const runners = createRunners(hooks, {
    command,
    http: { env: {} },
    askModel: async () => "",
    matchesRule: () => true,
    clock,
  });
  const dependencies = { clock, ids: { uuid: () => "id" }, common: () => ({ cwd: "/there/is/none" }) };
  const input: HookInput = { hook_event_name: "PreToolUse", ...bash };
  const { permission, blocking } = await createHooks(runners, dependencies).run(input, new AbortController().signal);
  expect(`${permission?.reason} ${blocking.join()}`).toContain("/usr");
});

test.each<[string, object, string]>([
  [
    "a JSON answer of more than 1 MiB",
    { command: `printf '{"a":"'; head -c 1100000 /dev/zero | tr '\\0' x; printf '"}'` },
    "printed more than 1 MiB, so its JSON is cut off",
  ],
  [
    "a program that does not exist",
    { command: "no-such-program-here", args: ["a"] },
    'failed: there is no program "no-such-program-here"',
  ],
  [
    "a program written together with its argument",
    { command: "node check.js", args: [] },
    '; with "args", the command must be the program alone',
  ],
])("reports %s with its cause", async (_name, handler, text) => {
  const { notices } = await ran(configured("PreToolUse", { type: "command", ...handler }), "PreToolUse");
  expect(notices[0]?.text).toContain(text);
});

test("reports misspelt and misplaced fields with the right name or place", () => {
  const handler = { type: "command", command: "exit 2", onfailure: "block", matcher: "Read", mine: 1 };
  const { hooks, problems } = readHookConfig({ PreToolUse: [{ matchers: "Read", hooks: [handler] }] }, "user", "s");
  expect(hooks).toHaveLength(1);
  expect(problems).toEqual([
    { level: "notice", text: 's: hooks.PreToolUse[0].matchers is ignored: the field is called "matcher".' },
    {
      level: "notice",
      text: 's: hooks.PreToolUse[0].hooks[0].matcher has no effect there: it belongs beside "hooks".',
    },
    {
      level: "notice",
      text: 's: hooks.PreToolUse[0].hooks[0].onfailure is ignored: the field is called "onFailure".',
    },
  ]);
});

test.each([
  [{ PreToolUse: [{ matcher: "Bash(", hooks: [guarding] }] }, "error", "matches nothing"],
  [{ PreToolUse: [{ matcher: "Bash(git *)", hooks: [guarding] }] }, "error", "matches nothing"],
  [{ PreTooluse: [{ hooks: [guarding] }] }, "error", 'is not an event; the event is called "PreToolUse"'],
  [{ EventOfTomorrow: [{ hooks: [guarding] }] }, "notice", "is not an event"],
])("reports a guard that can never run: %j", (hooks, level, text) => {
  const { problems } = readHookConfig(hooks, "user", "settings.json");
  expect(problems).toMatchObject([{ level, text: expect.stringContaining(text) as string }]);
});

test("invalid settings never weaken a guard: its failure blocks, and it runs for every call", async () => {
  const handler = { type: "command", command: "exit 3", onFailure: "blok", if: ["Bash(git *)"] };
  const { hooks, problems } = readHookConfig({ PreToolUse: [{ hooks: [handler] }] }, "user", "settings.json");
  expect(problems.map(({ text }) => text)).toEqual([
    expect.stringContaining('onFailure should be "continue" or "block"; its failure counts as a block'),
    expect.stringContaining("if should be one permission rule; the hook runs for every call"),
  ]);
  expect(hooks).toMatchObject([{ handler: { blocksOnFailure: true } }]);
  expect(hooks[0]?.handler).not.toHaveProperty("condition");
  expect((await ran(configured("PreToolUse", handler), "PreToolUse")).permission?.behavior).toBe("deny");
});
