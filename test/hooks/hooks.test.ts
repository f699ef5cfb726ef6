import { describe, expect, test } from "vitest";
import type { FunctionHook } from "../../src/hooks/function-hooks.ts";
import { createFunctionHooks } from "./function-hooks.ts";
import type { OwnedHooks } from "../../src/hooks/run.ts";
import type { HookAnswer, HookEvent, HookInput } from "../../src/protocol/hook.ts";

/** Time that passes only when told to. */
function manualClock() {
  const timers = new Map<number, { at: number; fire: () => void }>();
  let now = 0;
  let next = 0;
  return {
    elapsed: () => now,
    timestamp: () => "2026-01-01T00:00:00.000Z",
    timer(ms: number, fire: () => void) {
      const id = next++;
      timers.set(id, { at: now + ms, fire });
      return () => {
        timers.delete(id);
      };
    },
    advance(ms: number) {
      now += ms;
      for (const [id, { at, fire }] of timers) {
        if (at > now) continue;
        timers.delete(id);
        fire();
      }
    },
    open: () => timers.size,
  };
}

function make(
  hooks: Partial<Record<HookEvent, readonly FunctionHook[]>>,
  common: () => Record<string, unknown> = () => ({ session_id: "s", cwd: "/x" }),
  defers = false,
) {
  const clock = manualClock();
  let count = 0;
  const port: OwnedHooks = createFunctionHooks(hooks, {
    clock,
    ids: { uuid: () => `id-${count++}` },
    common,
    canDefer: defers,
  });
  return { port, clock };
}

const answering = (answer: unknown, matcher?: string): FunctionHook => ({ matcher, callback: async () => answer });
const input = (event: HookEvent, more: Partial<HookInput> = {}): HookInput => ({ hook_event_name: event, ...more });
const bash = input("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "toolu_1" });
const live = (): AbortSignal => new AbortController().signal;

async function run(event: HookInput, ...answers: unknown[]): Promise<HookAnswer> {
  return make({ [event.hook_event_name]: answers.map((answer) => answering(answer)) }).port.run(event, live());
}

const texts = (answer: HookAnswer): string[] => answer.notices.map(({ text }) => text);
const decide = (permissionDecision: string | null, more = {}): object => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, ...more },
});

describe("hooks", () => {
  test("each get their own copy of the event with the common fields", async () => {
    const seen: unknown[] = [];
    const greedy: FunctionHook = {
      async callback(received, context) {
        seen.push(structuredClone({ ...received, toolUseId: context.toolUseId }));
        (received.tool_input as Record<string, unknown>)["command"] = "rm -rf /";
      },
    };
    const event = structuredClone(bash);
    await make({ PreToolUse: [greedy, greedy] }).port.run(event, live());
    expect(seen).toEqual([
      { ...bash, session_id: "s", cwd: "/x", toolUseId: "toolu_1" },
      { ...bash, session_id: "s", cwd: "/x", toolUseId: "toolu_1" },
    ]);
    expect(event).toEqual(bash);
  });

  test("exist only for the events they were given for", async () => {
    const { port } = make({ Stop: [answering({ decision: "block", reason: "more" })], PreCompact: [] });
    expect([port.has("Stop"), port.has("PreCompact"), port.has("SessionEnd")]).toEqual([true, false, false]);
    expect(await port.run(input("SessionEnd"), live())).toEqual({ blocking: [], additionalContext: [], notices: [] });
  });

  test("run in parallel", async () => {
    let arrived = 0;
    let meet = (): void => {};
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const waiting: FunctionHook = {
      callback: async () => {
        arrived += 1;
        if (arrived === 2) meet();
        await met;
        return {};
      },
    };
    await make({ Stop: [waiting, waiting] }).port.run(input("Stop"), live());
    expect(arrived).toBe(2);
  });
});

describe("matchers", () => {
  test.each([
    [undefined, "Bash", true],
    ["", "Bash", true],
    ["*", "Bash", true],
    ["Bash", "Bash", true],
    ["bash", "Bash", false],
    ["Edit|Write", "Write", true],
    ["Edit, Write", "Write", true],
    ["Edit", "NotebookEdit", false],
    ["Edit.*", "NotebookEdit", true],
    ["^Edit.*", "NotebookEdit", false],
    ["mcp__srv", "mcp__srv__tool", false],
    ["mcp__srv__.*", "mcp__srv__tool", true],
    ["mcp__.*__write.*", "mcp__a__write_file", true],
    ["Task", "Agent", true],
    ["Agent", "Agent", true],
    ["Task", "Bash", false],
    ["(", "Bash", false],
    ["(Edit|Write)$", "Write", true],
    ["^(?!Read$).*", "Bash", true],
    ["^(?!Read$).*", "Read", false],
    ["^(?!.*(Read|Glob)).*$", "Bash", true],
    ["mcp__.*__write.*|mcp__.*__create.*", "mcp__a__create_issue", true],
    ["^(mcp__.*__delete.*|mcp__.*__drop.*)$", "mcp__a__drop_table", true],
  ])("the matcher %s on the tool %s decides whether the hook runs: %s", async (matcher, tool, runs) => {
    const answer = await make({ PreToolUse: [answering(decide("deny"), matcher)] }).port.run(
      { ...bash, tool_name: tool },
      live(),
    );
    expect(answer.permission !== undefined).toBe(runs);
  });

  test("are compared with the event's own field, and ignored on events without one", async () => {
    const hook = (matcher: string) => answering({ systemMessage: "ran" }, matcher);
    const ran = async (event: HookInput, matcher: string) =>
      texts(await make({ [event.hook_event_name]: [hook(matcher)] }).port.run(event, live())).includes("ran");
    expect(await ran(input("SessionStart", { source: "resume" }), "startup|resume")).toBe(true);
    expect(await ran(input("SessionStart", { source: "clear" }), "startup|resume")).toBe(false);
    expect(await ran(input("UserPromptSubmit", { prompt: "x" }), "nothing")).toBe(true);
    expect(await ran(input("Stop"), "nothing")).toBe(true);
  });

  test.each(["(", "(a+)+$", "(a|a)*b", "(?:a*)*$", ".*.*.*.*x", "(a|b){20}c", "(?=.*.*.*.*a)b", "a".repeat(600) + "."])(
    "that cannot be used match nothing, quickly, and are reported once: %.30s",
    async (matcher) => {
      const { port } = make({ PreToolUse: [answering(decide("deny"), matcher)] });
      const first = await port.run({ ...bash, tool_name: "a".repeat(100_000) }, live());
      expect(first.permission).toBeUndefined();
      expect(texts(first)).toHaveLength(1);
      expect(texts(await port.run(bash, live()))).toEqual([]);
    },
  );
});

describe("answers", () => {
  test("without a decision count as a pass", async () => {
    const nulls = { decision: null, reason: null, ...decide(null, { updatedInput: null }) };
    for (const answer of [undefined, null, {}, { async: true }, { suppressOutput: true, continue: true }, nulls]) {
      expect(await run(bash, answer)).toEqual({ blocking: [], additionalContext: [], notices: [] });
    }
    expect((await run(input("Stop"), { decision: "approve" })).notices).toEqual([]);
  });

  test("are merged so that deny beats ask and ask beats allow", async () => {
    const allow = decide("allow", { permissionDecisionReason: "fine" });
    expect((await run(bash, allow)).permission).toEqual({ behavior: "allow", reason: "fine" });
    expect((await run(bash, allow, decide("ask"))).permission).toEqual({ behavior: "ask" });
    expect(
      (await run(bash, decide("deny", { permissionDecisionReason: "no" }), decide("ask"), allow)).permission,
    ).toEqual({ behavior: "deny", reason: "no" });
    expect((await run(bash, { decision: "approve" })).permission).toEqual({ behavior: "allow" });
    const both = { decision: "block", reason: "no", ...decide("allow") };
    expect((await run(bash, both)).permission).toEqual({ behavior: "deny", reason: "no" });
    expect((await run(bash, { decision: "block", reason: "no" })).permission).toEqual({
      behavior: "deny",
      reason: "no",
    });
  });

  test("with a deferral beat ask and allow, drop updatedInput, and are ignored if the call cannot be deferred", async () => {
    const later = decide("defer", { updatedInput: { command: "x" }, permissionDecisionReason: "later" });
    const ignored = await run(bash, later);
    expect([ignored.permission, ignored.updatedInput]).toEqual([undefined, undefined]);
    expect(texts(ignored)[0]).toContain("the usual permissions decide");
    const merged = (...answers: unknown[]) =>
      make({ PreToolUse: answers.map((answer) => answering(answer)) }, undefined, true).port.run(bash, live());
    expect(await merged(decide("allow"), later, decide("ask"))).toMatchObject({
      permission: { behavior: "defer", reason: "later" },
      notices: [],
    });
    expect((await merged(later, decide("deny"))).permission?.behavior).toBe("deny");
    expect((await run(input("PreModelSwitch"), later)).permission).toBeUndefined();
  });

  test("may change the input and the output, and the last change counts", async () => {
    const changed = await run(bash, decide("allow", { updatedInput: { command: "a" } }), {
      hookSpecificOutput: { updatedInput: { command: "b" } },
    });
    expect(changed.updatedInput).toEqual({ command: "b" });
    const after = input("PostToolUse", { tool_name: "Bash" });
    expect(
      (
        await run(
          after,
          { hookSpecificOutput: { updatedToolOutput: null } },
          { hookSpecificOutput: { updatedToolOutput: [1] } },
        )
      ).updatedToolOutput,
    ).toEqual([1]);
    expect((await run(after, { hookSpecificOutput: { updatedMCPToolOutput: "x" } })).updatedToolOutput).toBe("x");
    expect((await run(bash, { hookSpecificOutput: { updatedToolOutput: "x" } })).updatedToolOutput).toBeUndefined();
  });

  test("block with a reason on events that can be blocked, and continue: false beats a block", async () => {
    const block = { decision: "block", reason: "tests fail" };
    for (const event of [
      "Stop",
      "SubagentStop",
      "PostToolUse",
      "PostToolUseFailure",
      "UserPromptSubmit",
      "PreCompact",
    ] as const) {
      expect((await run(input(event), block)).blocking).toEqual(["tests fail"]);
    }
    expect((await run(input("Stop"), { decision: "block" })).blocking).toHaveLength(1);
    expect((await run(input("SessionEnd"), block)).blocking).toEqual([]);
    const prevented = await run(input("Stop"), block, { continue: false, stopReason: "enough" }, { continue: false });
    expect(prevented).toMatchObject({ preventContinuation: "enough", blocking: [] });
    expect(
      (await run(input("PreCompact"), { continue: false, systemMessage: "x" })).preventContinuation,
    ).toBeUndefined();
  });

  test("may add context for the model and messages for people", async () => {
    const answer = await run(
      input("SessionStart", { source: "startup" }),
      { hookSpecificOutput: { additionalContext: "one" }, systemMessage: "hello" },
      { hookSpecificOutput: { additionalContext: "two" } },
    );
    expect(answer.additionalContext).toEqual(["one", "two"]);
    expect(answer.notices).toMatchObject([
      { type: "notice", level: "warning", name: "hook", text: "hello", timestamp: "2026-01-01T00:00:00.000Z" },
    ]);
    const long = await run(bash, { hookSpecificOutput: { additionalContext: "y".repeat(20_000) } });
    expect(long.additionalContext[0]?.length).toBeLessThan(10_100);
    expect(long.additionalContext[0]).toContain("10000 characters cut");
  });
});

describe("a broken hook gives a notice and counts as a pass", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  const trap = Object.defineProperty({}, "decision", {
    enumerable: true,
    get() {
      throw new Error("boom");
    },
  });

  test.each([
    ["a text", "yes"],
    ["a list", [{ decision: "block" }]],
    ["a function", () => {}],
    ["a circle", cyclic],
    ["a trap", trap],
    ["an unknown decision", { decision: "maybe" }],
    ["an unknown permission", decide("perhaps")],
    ["an input that is not an object", decide("", { updatedInput: [] })],
    ["the answer of another event", { hookSpecificOutput: { hookEventName: "Stop", permissionDecision: "deny" } }],
    ["a big number", { decision: 10n }],
  ])("if it answers with %s", async (_name, answer) => {
    const found = await run(bash, answer, decide("deny"));
    expect(found.permission).toEqual({ behavior: "deny" });
    expect(texts(found)).toHaveLength(1);
  });

  test("if it throws or rejects", async () => {
    const { port } = make({
      PreToolUse: [
        {
          callback: () => {
            throw new Error("at once");
          },
        },
        { callback: () => Promise.reject(new Error("later")) },
        { callback: () => Promise.reject("a text") },
        answering(decide("ask")),
      ],
    });
    const answer = await port.run(bash, live());
    expect(answer.permission).toEqual({ behavior: "ask" });
    expect(texts(answer).map((text) => /at once|later|a text/u.exec(text)?.[0])).toEqual([
      "at once",
      "later",
      "a text",
    ]);
    expect(texts(answer)[0]).toContain("counts as a pass");
  });

  test("if it hangs until its time limit, while the other hooks' answers count", async () => {
    let signal: AbortSignal | undefined;
    const hanging: FunctionHook = {
      callback: (_input, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    };
    const { port, clock } = make({
      PreToolUse: [hanging, { ...hanging, timeoutMs: 5_000 }, answering(decide("deny"))],
    });
    const running = port.run(bash, live());
    await expect.poll(() => clock.open()).toBe(2);
    clock.advance(5_000);
    clock.advance(55_000);
    const answer = await running;
    expect(answer.permission).toMatchObject({ behavior: "deny" });
    expect(texts(answer).map((text) => /\d+ (?:s|min)/u.exec(text)?.[0])).toEqual(["1 min", "5 s"]);
    expect(signal?.aborted).toBe(true);
    expect(clock.open()).toBe(0);
  });

  test("unless only a part of its matcher matches nothing, which is reported once", async () => {
    const { port } = make({ PreToolUse: [{ ...answering(decide("deny")), matcher: "Edit(src/*)|Bash|Write(a b)" }] });
    const answer = await port.run(bash, live());
    expect(answer.permission).toMatchObject({ behavior: "deny" });
    expect(texts(answer)).toEqual([expect.stringContaining('has a part: "Edit(src/*)" matches nothing')]);
    expect(texts(await port.run(bash, live()))).toEqual([]);
  });

  test("and may have a time limit longer than the default", () => {
    const { port } = make({ PermissionRequest: [{ ...answering({}), timeoutMs: 3_600_000 }] });
    expect(port.limitMs?.("PermissionRequest")).toBe(3_600_000);
  });

  test("if the common fields cannot be read", async () => {
    const { port } = make({ PreToolUse: [answering(decide("deny"))] }, () => {
      throw new Error("no session");
    });
    const answer = await port.run(bash, live());
    expect(answer.permission).toBeUndefined();
    expect(texts(answer)[0]).toContain("no session");
  });
});

describe("the end of a run", () => {
  test("comes at once on an abort, and the hooks are told the reason", async () => {
    const controller = new AbortController();
    let told: unknown;
    const { port, clock } = make({
      Stop: [
        {
          callback: (_input, { signal }) => {
            signal.addEventListener("abort", () => {
              told = signal.reason;
            });
            return new Promise(() => {});
          },
        },
      ],
    });
    const running = port.run(input("Stop"), controller.signal);
    await expect.poll(() => clock.open()).toBe(1);
    controller.abort("user");
    expect(await running).toEqual({ blocking: [], additionalContext: [], notices: [] });
    expect(told).toBe("user");
    expect(clock.open()).toBe(0);
    let ran = false;
    const late = make({
      Stop: [
        {
          callback: async () => {
            ran = true;
          },
        },
      ],
    });
    await late.port.run(input("Stop"), controller.signal);
    expect(ran).toBe(false);
  });

  test("is awaited for detached runs, which are aborted at the limit", async () => {
    const done: string[] = [];
    let signal: AbortSignal | undefined;
    const { port, clock } = make({
      StopFailure: [
        {
          matcher: "rate_limit",
          callback: async () => {
            done.push("quick");
          },
        },
        {
          matcher: "overloaded",
          callback: (_input, context) => {
            signal = context.signal;
            return new Promise(() => {});
          },
        },
      ],
    });
    port.runDetached(input("StopFailure", { error: "rate_limit" }));
    await port.drain(1_000);
    expect(done).toEqual(["quick"]);
    expect(clock.open()).toBe(0);
    port.runDetached(input("StopFailure", { error: "overloaded" }));
    const drained = port.drain(1_000);
    await expect.poll(() => signal).toBeDefined();
    clock.advance(1_000);
    await drained;
    expect(signal?.aborted).toBe(true);
    expect(clock.open()).toBe(0);
  });
});
