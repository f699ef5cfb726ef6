// Hooks around a call and at the end of a turn: what each answer does, and that a broken hook hurts nobody.
import { describe, expect, test } from "vitest";
import { expectSound } from "./support/after.ts";
import {
  noticeNames,
  ofType,
  reasons,
  resultsOf,
  runWith,
  type Consumer,
  type Harness,
  type HarnessOptions,
} from "./support/harness.ts";
import type { HookSpec } from "./support/ports.ts";
import { call, fail, say, toolUse } from "./support/script.ts";
import { never } from "./support/virtual-clock.ts";
import type { HookEvent } from "../../src/protocol/hook.ts";
import type { NoticeMessage } from "../../src/protocol/message.ts";

const notice: NoticeMessage = {
  type: "notice",
  uuid: "notice-1",
  timestamp: "2026-01-01T00:00:00.000Z",
  level: "warning",
  name: "from_a_hook",
  text: "Look here.",
};

function oneCall(
  hooks: Partial<Record<HookEvent, HookSpec>>,
  more: Partial<HarnessOptions> = {},
  consumer?: (harness: Harness) => Consumer,
) {
  return runWith({ model: [call(toolUse("Write", { path: "a" }, "x")), say("Done.")], hooks, ...more }, consumer);
}

describe("PreToolUse hooks", () => {
  test("deny: the call does not run, and the model sees that a hook refused it and why", async () => {
    const ran = await oneCall({ PreToolUse: () => ({ permission: { behavior: "deny", reason: "Not on Fridays." } }) });
    expect(ran.tools.records).toEqual([]);
    expect(ran.permission.requests).toEqual([]);
    expect(resultsOf(ran.events)).toEqual([
      { id: "x", text: "<tool_use_error>A hook refused this call: Not on Fridays.</tool_use_error>", isError: true },
    ]);
    expectSound(ran);
  });

  test.each(["PreToolUse", "PostToolUse", "PostToolBatch"] as const)(
    "notices of a %s hook are shown and recorded",
    async (event) => {
      const next: NoticeMessage = { ...notice, uuid: "notice-2", name: "from_the_next" };
      const ran = await oneCall({ [event]: () => ({ notices: [notice, next] }) });
      expect(noticeNames(ran.events)).toEqual(["from_a_hook", "from_the_next"]);
      expect(ran.transcript.records).toContainEqual(notice);
      expectSound(ran);
    },
  );

  test("block: the call does not run, and the model sees the first reason", async () => {
    const ran = await oneCall({ PreToolUse: () => ({ blocking: ["One.", "Two."] }) });
    expect(ran.tools.records).toEqual([]);
    expect(resultsOf(ran.events)[0]?.text).toContain("One.");
    expectSound(ran);
  });

  test.each(["allow", "ask"] as const)("%s is passed on to the permission engine, which decides", async (behavior) => {
    const ran = await oneCall({ PreToolUse: () => ({ permission: { behavior, reason: "because" } }) });
    expect(ran.permission.requests).toMatchObject([{ hookDecision: { behavior, reason: "because" } }]);
    expect(ran.tools.records).toHaveLength(1);
    expectSound(ran);
  });

  test("the permission engine receives the changed input together with the hook's decision", async () => {
    const permission = { behavior: "allow" as const, givesInput: true as const };
    const ran = await oneCall({ PreToolUse: () => ({ permission, updatedInput: { path: "b" } }) });
    expect(ran.permission.requests).toMatchObject([{ input: { path: "b" }, hookDecision: permission }]);
    expectSound(ran);
  });

  test("defer: the run ends with the call's result open, and nothing else is asked or run", async () => {
    const defer = { permission: { behavior: "defer" as const } };
    const hooks = { PreToolUse: () => defer, PostToolBatch: () => ({ blocking: ["never asked"] }) };
    const ran = await runWith({ model: [call(toolUse("Write", { path: "a" }, "x"))], hooks });
    expect([ran.tools.records, ran.permission.requests, ran.model.requests.length]).toEqual([[], [], 1]);
    expect(ran.terminal).toEqual({ reason: "hook_stopped" });
    expect(ran.events.filter((event) => event.type === "user" && event.deferred === true)).toHaveLength(1);
    expect(ran.events.filter(({ type }) => type === "attachment")).toEqual([]);
    expectSound(ran);
  });

  test("defer is ignored with a notice if the message has two calls", async () => {
    const ran = await runWith({
      model: [call(toolUse("Read", { path: "a" }, "a"), toolUse("Write", { path: "b" }, "b")), say("Done.")],
      hooks: { PreToolUse: () => ({ permission: { behavior: "defer" } }) },
    });
    expect(ran.permission.requests.map(({ hookDecision }) => hookDecision)).toEqual([undefined, undefined]);
    expect(ran.tools.records).toHaveLength(2);
    expect(ran.events.filter((event) => event.type === "notice" && event.name === "hook")).toHaveLength(2);
    expectSound(ran);
  });

  test("a changed input is judged and run, while the request keeps the model's input", async () => {
    const ran = await oneCall({ PreToolUse: () => ({ updatedInput: { path: "b" } }) });
    expect(ran.permission.requests[0]?.input).toEqual({ path: "b" });
    expect(ran.tools.records[0]?.input).toEqual({ path: "b" });
    expect(ran.model.requests[1]?.messages[1]?.content).toMatchObject([{ type: "tool_use", input: { path: "a" } }]);
    expectSound(ran);
  });

  test("a changed input that violates the schema is refused, and the hook's context is still sent", async () => {
    const ran = await runWith({
      model: [call(toolUse("Strict", { path: "a" }, "x")), say("Done.")],
      hooks: { PreToolUse: () => ({ updatedInput: { other: 1 }, additionalContext: ["mind the gap"] }) },
    });
    expect(ran.tools.records).toEqual([]);
    expect(resultsOf(ran.events)[0]?.text).toContain("hook changed the input");
    expect(JSON.stringify(ran.model.requests[1]?.messages.at(-1))).toContain("mind the gap");
    expectSound(ran);
  });

  test("an input that the hook changed in place is checked too", async () => {
    const spoil = (input: Record<string, unknown>) => {
      delete input["path"];
      return input;
    };
    const ran = await runWith({
      model: [call(toolUse("Strict", { path: "a" }, "x")), say("Done.")],
      hooks: { PreToolUse: ({ tool_input }) => ({ updatedInput: spoil(tool_input as Record<string, unknown>) }) },
    });
    expect(ran.tools.records).toEqual([]);
    expect(resultsOf(ran.events)[0]?.text).toContain("hook changed the input");
  });

  test("preventContinuation: the call does not run, the other calls do, and then the run stops", async () => {
    const ran = await runWith({
      model: [call(toolUse("Write", {}, "x"), toolUse("Read", {}, "y"))],
      hooks: { PreToolUse: (input) => (input.tool_name === "Write" ? { preventContinuation: "enough" } : {}) },
    });
    expect(ran.terminal).toEqual({ reason: "hook_stopped" });
    expect(resultsOf(ran.events)).toMatchObject([
      { id: "x", isError: true },
      { id: "y", isError: false },
    ]);
    // Nobody refused the call itself.
    expect(ofType(ran.events, "permission_denied")).toEqual([]);
    expectSound(ran);
  });

  test("their context follows the results, whether the call ran or not", async () => {
    for (const permission of [undefined, { behavior: "deny", reason: "no" } as const]) {
      const ran = await oneCall({
        PreToolUse: () => ({
          additionalContext: ["mind the gap"],
          ...(permission === undefined ? {} : { permission }),
        }),
      });
      expect(ofType(ran.events, "attachment")).toMatchObject([
        { attachment: { kind: "hook_context", event: "PreToolUse", toolUseId: "x" } },
      ]);
      expect(JSON.stringify(ran.model.requests[1]?.messages.at(-1))).toContain("mind the gap");
      expectSound(ran);
    }
  });

  test("their context names the call it is about if there are several calls", async () => {
    const ran = await runWith({
      model: [call(toolUse("Write", {}, "x"), toolUse("Fail", {}, "y"), toolUse("Write", {}, "z")), say("Done.")],
      hooks: {
        PreToolUse: ({ tool_use_id: id }) => (id === "z" ? { additionalContext: ["mind the gap"] } : {}),
        PostToolUseFailure: () => ({ additionalContext: ["try again"] }),
      },
    });
    const told = JSON.stringify(ran.model.requests[1]?.messages.at(-1));
    expect(told).toContain("PostToolUseFailure hook additional context (call 2 of 3, Fail): try again");
    expect(told).toContain("PreToolUse hook additional context (call 3 of 3, Write): mind the gap");
    expectSound(ran);
  });

  test("they see fields that the tool derives; the tool and the request do not", async () => {
    const ran = await oneCall(
      { PreToolUse: () => ({}), PostToolUse: () => ({}) },
      { tools: { Write: { observableInput: (input, cwd) => ({ ...input, absolute: `${cwd}/a` }) } } },
    );
    expect(ran.hooks.inputs.map((input) => input.tool_input)).toEqual([
      { path: "a", absolute: "/work-folder/a" },
      { path: "a", absolute: "/work-folder/a" },
    ]);
    expect(ran.tools.records[0]?.input).toEqual({ path: "a" });
    expect(JSON.stringify(ran.model.requests)).not.toContain("absolute");
  });

  test("they are not called for a call that cannot run", async () => {
    const ran = await runWith({
      model: [call(toolUse("Nope"), toolUse("Strict")), say("Done.")],
      hooks: { PreToolUse: () => ({}), PostToolUseFailure: () => ({}) },
    });
    expect(ran.hooks.inputs).toEqual([]);
  });
});

describe("PostToolUse hooks", () => {
  test("success and failure have separate events, with the tool's output", async () => {
    const ran = await runWith({
      model: [call(toolUse("Write", {}, "x"), toolUse("Fail", {}, "y")), say("Done.")],
      hooks: { PostToolUse: () => ({}), PostToolUseFailure: () => ({}) },
    });
    expect(ran.hooks.inputs).toMatchObject([
      { hook_event_name: "PostToolUse", tool_name: "Write", tool_use_id: "x", tool_response: { done: true } },
      { hook_event_name: "PostToolUseFailure", tool_name: "Fail", tool_use_id: "y", error: "it failed" },
    ]);
  });

  test("blocking reasons and context reach the model beside the result, which an updated output replaces", async () => {
    const ran = await oneCall({
      PostToolUse: () => ({
        blocking: ["Run the linter."],
        additionalContext: ["It is slow."],
        updatedToolOutput: "filtered",
      }),
    });
    expect(resultsOf(ran.events)).toEqual([{ id: "x", text: "filtered", isError: false }]);
    const told = JSON.stringify(ran.model.requests[1]?.messages.at(-1));
    expect(told).toContain("Run the linter.");
    expect(told).toContain("It is slow.");
    expectSound(ran);
  });
});

describe("Stop hooks", () => {
  test("a subagent's hooks get SubagentStop instead of Stop", async () => {
    const ran = await runWith({
      model: [say("Done.")],
      agentId: "agent-1",
      hooks: { Stop: () => ({ blocking: ["no"] }), SubagentStop: () => ({}) },
    });
    expect(ran.hooks.inputs.map((input) => input.hook_event_name)).toEqual(["SubagentStop"]);
    expect(ran.terminal).toEqual({ reason: "completed" });
  });

  test("they do not run in the middle of a turn or after an error", async () => {
    const ran = await runWith({ model: [call(toolUse("Read")), fail("billing_error")], hooks: { Stop: () => ({}) } });
    expect(ran.hooks.inputs).toEqual([]);
    expect(ran.terminal).toMatchObject({ reason: "model_error" });
  });

  test("their notices are shown and recorded, but not sent to the model", async () => {
    const ran = await runWith({
      model: [say("Done."), say("Done.")],
      hooks: { Stop: (_input, _signal, at) => (at === 0 ? { notices: [notice], blocking: ["again"] } : {}) },
    });
    expect(noticeNames(ran.events)).toEqual(["from_a_hook"]);
    expect(ran.transcript.records).toContain(notice);
    expect(JSON.stringify(ran.model.requests[1]?.messages)).not.toContain("Look here.");
    expectSound(ran);
  });

  test("a hook that always blocks is stopped by the cap", async () => {
    const ran = await runWith({ model: () => say("Done."), hooks: { Stop: () => ({ blocking: ["again"] }) } });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expect(reasons(ran.events)).toEqual(Array(8).fill("stop_hook_blocking"));
    expect(noticeNames(ran.events)).toEqual(["stop_hook_cap"]);
    expectSound(ran);
  });

  test("a block does not allow a second reactive compaction in the same turn", async () => {
    const ran = await runWith({
      model: (_request, at) => (at % 2 === 0 ? fail("prompt_too_long") : say("Done.")),
      context: {
        compact: (input) => ({
          kind: "shrunk",
          messages: input.messages,
          records: [],
          beforeTokens: 9,
          afterTokens: 1,
          committed: 0,
        }),
      },
      hooks: { Stop: () => ({ blocking: ["again"] }) },
    });
    expect(reasons(ran.events)).toEqual(["reactive_compact_retry", "stop_hook_blocking"]);
    expect(ran.terminal).toEqual({ reason: "prompt_too_long" });
    expectSound(ran);
  });
});

describe("a hook that fails", () => {
  const broken: [string, HookSpec][] = [
    ["throws", () => Promise.reject(new Error("broken"))],
    ["hangs", () => never()],
  ];
  const around: HookEvent[] = ["PreToolUse", "PostToolUse", "PostToolBatch", "Stop"];
  const cases = around.flatMap((event) => broken.map(([how, hook]) => [event, how, hook] as const));
  test.each(cases)("%s hook that %s: a notice is shown and the turn goes on", async (event, _how, hook) => {
    const ran = await oneCall({ [event]: hook });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expect(ran.tools.records).toHaveLength(1);
    expect(noticeNames(ran.events)).toEqual(["hook_failed"]);
    expectSound(ran);
  });

  test("StopFailure hooks run only after an error", async () => {
    const StopFailure = () => ({});
    const runs = [
      { model: [say("Done.")] },
      { model: [call(toolUse("Read"))], limits: { maxTurns: 1 } },
      { model: [say("Done.")], hooks: { Stop: () => ({ preventContinuation: "enough" }) } },
    ];
    for (const options of runs) {
      const ran = await runWith({ ...options, hooks: { ...options.hooks, StopFailure } });
      expect(ran.terminal?.reason).not.toBe("model_error");
      expect(ran.hooks.detached).toEqual([]);
    }
  });

  test.each(["throws", "fails late"])("a StopFailure hook that %s does not change the end of the run", async (how) => {
    const counted = await runWith({ model: [fail("billing_error")], hooks: { StopFailure: () => ({}) } });
    const name = how === "throws" ? "hooks.runDetached" : "hooks.has";
    const at = counted.world.calls.findLast((entry) => entry.name === name)!.at;
    const ran = await runWith({
      model: [fail("billing_error")],
      hooks: { StopFailure: () => ({}) },
      fault: { at, kind: "throw" },
    });
    expect(ran.terminal).toMatchObject({ reason: "model_error", error: { kind: "billing_error" } });
    expect(noticeNames(ran.events)).toEqual(["hook_failed"]);
  });

  test.each([40, 90])("a hook with its own limit of %d minutes has that long", async (minutes) => {
    for (const event of around) {
      const ran = await oneCall({ [event]: () => never() }, { hookLimitMs: minutes * 60_000 });
      expect(ofType(ran.events, "waiting")).toMatchObject([{ name: event, limitMs: (minutes + 1) * 60_000 }]);
    }
  });

  test("a slow hook is announced while it runs, with its limit", async () => {
    for (const event of around) {
      const times: number[] = [];
      const ran = await oneCall({ [event]: () => never() }, { limits: { hookMs: 5_000 } }, ({ clock }) => {
        const began = clock.now();
        return (entry) => {
          if (entry.type === "waiting") times.push(clock.now() - began);
          return undefined;
        };
      });
      expect(times).toEqual([100]);
      const at = ran.events.findIndex((entry) => entry.type === "waiting");
      expect(ran.events[at]).toMatchObject({ on: "hook", name: event, limitMs: 5_000 });
      expect(ran.events.findIndex((entry) => entry.type === "notice")).toBeGreaterThan(at);
    }
  });

  test("a hook whose limit is as short as the announcement delay is not announced", async () => {
    for (const event of around) {
      const ran = await oneCall({ [event]: () => never() }, { limits: { hookMs: 100 } });
      expect(ran.events.map(({ type }) => type)).not.toContain("waiting");
      expect(noticeNames(ran.events)).toEqual(["hook_failed"]);
    }
  });
});
