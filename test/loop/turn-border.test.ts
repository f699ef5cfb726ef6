// What joins the conversation between two turns, and what is told about a batch: queued input, changed files, summaries.
import { describe, expect, test } from "vitest";
import type { QueuePort } from "../../src/loop/ports.ts";
import { expectSound } from "./support/after.ts";
import { prefixFaults } from "./support/checks.ts";
import { cancelAfter, createHarness, noticeNames, ofType, resultsOf, runWith, userMessage } from "./support/harness.ts";
import { deny } from "./support/ports.ts";
import { call, fail, reply, say, textBlock, thinkingBlock, toolUse } from "./support/script.ts";
import { idle, never } from "./support/virtual-clock.ts";

const done = say("Done.");

describe("a queued prompt", () => {
  test("joins between two turns, once, and is settled when the run ends", async () => {
    const ran = await runWith({
      model: [call(toolUse("Read")), call(toolUse("Read")), done],
      queued: [{ uuid: "q1", prompt: [textBlock("Also this.")] }],
    });
    expect(ofType(ran.events, "attachment")).toMatchObject([
      { attachment: { kind: "queued_command", sourceUuid: "q1" } },
    ]);
    const [, second, third] = ran.model.requests.map((request) => JSON.stringify(request.messages));
    expect(second?.split("Also this.")).toHaveLength(2);
    expect(third?.split("Also this.")).toHaveLength(2);
    expect(ran.queue.settled).toEqual([{ uuids: ["q1"], outcome: "completed" }]);
    expectSound(ran);
  });

  test("is followed by the files it mentions, or joins without them if they cannot be read", async () => {
    const running = async (named: QueuePort["named"]) => {
      const queued = [{ uuid: "q1", prompt: [textBlock("Also this.")] }];
      const harness = createHarness({ model: [call(toolUse("Read")), done], queued });
      harness.ports.queue.named = named!;
      return { ...(await harness.run()), requests: harness.model.requests };
    };
    const told = await running(async () => [userMessage("The file.", "f1", { isMeta: true })]);
    const failed = await running(() => Promise.reject(new Error("no disk")));
    expect(JSON.stringify(told.requests[1]?.messages)).toMatch(/Also this[^]*The file/u);
    expect(JSON.stringify(failed.requests[1]?.messages)).toContain("Also this.");
    expect(noticeNames(failed.events)).toEqual(["mention_failed"]);
  });

  test("is left in the queue by a turn without tools", async () => {
    const ran = await runWith({ model: [done], queued: [{ uuid: "q1", prompt: [textBlock("Later.")] }] });
    expect(ran.queue.entries).toHaveLength(1);
    expect(ran.queue.settled).toEqual([]);
  });

  test("is left in the queue when no turn may follow", async () => {
    const queued = [{ uuid: "q1", prompt: [textBlock("Later.")] }];
    const ran = await runWith({ model: [call(toolUse("Read"))], queued, limits: { maxTurns: 1 } });
    expect(ran.terminal).toMatchObject({ reason: "max_turns" });
    expect(ran.queue.entries).toHaveLength(1);
    expect(ran.queue.settled).toEqual([]);
  });

  test("is left in the queue when a tool ends the turn", async () => {
    const ran = await runWith({
      model: [call(toolUse("Last"))],
      tools: { Last: { body: async () => ({ content: "Taken.", endsTurn: true }) } },
      queued: [{ uuid: "q1", prompt: [textBlock("Later.")] }],
    });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expect(ran.queue.entries).toHaveLength(1);
    expect(ran.queue.settled).toEqual([]);
  });

  test("is settled as cancelled if the run fails before the model has seen it", async () => {
    const queued = [{ uuid: "q1", prompt: [textBlock("Also this.")] }];
    const failed = await runWith({ model: [call(toolUse("Read")), fail("billing_error")], queued });
    expect(failed.queue.settled).toEqual([{ uuids: ["q1"], outcome: "cancelled" }]);
    const cut = await runWith({ model: [call(toolUse("Read")), call(toolUse("Hang"))], queued }, (harness) =>
      cancelAfter(harness, 200, "user"),
    );
    expect(cut.queue.settled).toEqual([{ uuids: ["q1"], outcome: "completed" }]);
  });

  test("is left in the queue by an abort", async () => {
    const ran = await runWith(
      { model: [call(toolUse("Hang"))], queued: [{ uuid: "q1", prompt: [textBlock("Later.")] }] },
      (harness) => cancelAfter(harness, 200, "user"),
    );
    expect(ran.queue.entries).toHaveLength(1);
  });
});

test("a tool ends the turn, and with it the run, even if no other turn may follow", async () => {
  const tools = { Last: { body: async () => ({ content: "Taken.", endsTurn: true as const }) } };
  const ran = await runWith({ model: [call(toolUse("Last"))], tools, limits: { maxTurns: 1 } });
  expect(ran.terminal).toEqual({ reason: "completed" });
  expectSound(ran);
});

test("a file that changed on disk is reported between two turns", async () => {
  const harness = createHarness({ model: [call(toolUse("Read")), done] });
  harness.queue.changes = [{ path: "/a.ts", snippet: "+x" }];
  await harness.run();
  await idle();
  expect(JSON.stringify(harness.model.requests[1]?.messages.at(-1))).toContain("/a.ts was changed on disk");
});

describe("the summary of a tool batch", () => {
  const batch = call(toolUse("Read", {}, "a"), toolUse("Read", {}, "b"), toolUse("Read", {}, "c"));

  test("is made while the next call runs, for three calls or more", async () => {
    let madeAfterRequests = -1;
    const harness = createHarness({
      model: [batch, reply([textBlock("x"), { do: "sleep", ms: 1_000 }, toolUse("Read")]), done],
      summary: async () => {
        madeAfterRequests = harness.model.requested;
        await harness.clock.sleep(500);
        return "Read three files";
      },
    });
    const { events } = await harness.run();
    expect(madeAfterRequests).toBe(1);
    const told = events.findIndex((event) => event.type === "tool_use_summary");
    expect(events[told]).toEqual({
      type: "tool_use_summary",
      summary: "Read three files",
      precedingToolUseIds: ["a", "b", "c"],
    });
    expect(events.slice(0, told).filter((event) => event.type === "stream_request_start")).toHaveLength(2);
  });

  test("is also shown when the next answer ends the run", async () => {
    const ran = await runWith({ model: [batch, done], summary: async () => "Read three files" });
    expect(ofType(ran.events, "tool_use_summary")).toHaveLength(1);
    expectSound(ran);
  });

  test("is not made for two calls or for the last allowed turn, and not shown if there is none", async () => {
    const two = await runWith({ model: [call(toolUse("Read"), toolUse("Read")), done], summary: async () => "never" });
    expect(ofType(two.events, "tool_use_summary")).toEqual([]);
    const last = await runWith({ model: [batch], summary: async () => "never", limits: { maxTurns: 1 } });
    expect([last.terminal?.reason, ofType(last.events, "tool_use_summary")]).toEqual(["max_turns", []]);
    const none = await runWith({ model: [batch, done], summary: async () => null });
    expect(ofType(none.events, "tool_use_summary")).toEqual([]);
  });

  test.each([
    ["throws", () => Promise.reject(new Error("no"))],
    ["hangs", () => never<null>()],
  ])("that %s is left out", async (_name, summary) => {
    const ran = await runWith({ model: [batch, done], summary });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expectSound(ran);
  });
});

describe("the permission for a call", () => {
  test("is reported to the model and the host when denied, and the turn goes on", async () => {
    const ran = await runWith({
      model: [call(toolUse("Write", { path: "a" }, "x")), done],
      permission: () => deny("Not here. Use --allow."),
    });
    expect(ofType(ran.events, "permission_denied")).toEqual([
      {
        type: "permission_denied",
        toolName: "Write",
        toolUseId: "x",
        input: { path: "a" },
        message: "Not here. Use --allow.",
        reasonType: "user",
      },
    ]);
    expect(resultsOf(ran.events)[0]?.text).toContain("Not here.");
    expect(ran.terminal).toEqual({ reason: "completed" });
    expectSound(ran);
  });

  test("with a changed input has that input checked again", async () => {
    const allow = (updatedInput: Record<string, unknown>) => () => ({
      behavior: "allow" as const,
      updatedInput,
      reason: { type: "user" as const },
    });
    const fits = await runWith({
      model: [call(toolUse("Strict", { path: "a" }, "x")), done],
      permission: allow({ path: "b" }),
    });
    expect(fits.tools.records[0]?.input).toEqual({ path: "b" });
    const not = await runWith({ model: [call(toolUse("Strict", { path: "a" }, "x")), done], permission: allow({}) });
    expect(not.tools.records).toEqual([]);
    expect(resultsOf(not.events)[0]).toMatchObject({ isError: true });
  });

  test.each([
    ["no answer comes in time", () => never<never>()],
    ["the engine throws", () => Promise.reject(new Error("broken"))],
  ])("is denied when %s", async (_name, permission) => {
    const ran = await runWith({ model: [call(toolUse("Write", {}, "x")), done], permission });
    expect(ran.tools.records).toEqual([]);
    expect(ofType(ran.events, "permission_denied")).toMatchObject([{ reasonType: "unanswered" }]);
    expect(ran.terminal).toEqual({ reason: "completed" });
    expectSound(ran);
  });

  test("is announced with its name and limit", async () => {
    const ran = await runWith({ model: [call(toolUse("Write", {}, "x")), done], permission: () => never() });
    expect(ofType(ran.events, "waiting")).toEqual([
      { type: "waiting", key: "t1.tool.0.permission", on: "permission", name: "Write", limitMs: 86_460_000 },
    ]);
  });

  test("waits as long as PermissionRequest hooks may take, in addition to its own limit", async () => {
    const days = 4 * 86_400_000;
    const model = [call(toolUse("Write", {}, "x")), done];
    const ran = await runWith({ model, permission: () => never(), hookLimitMs: days });
    expect(ofType(ran.events, "waiting")).toMatchObject([{ on: "permission", limitMs: days + 86_460_000 }]);
  });
});

describe("the request", () => {
  test("begins with the previous request, byte for byte, up to its breakpoints", async () => {
    const ran = await runWith({
      model: [
        reply([thinkingBlock("a"), textBlock("one"), toolUse("Read"), toolUse("Write")]),
        reply([textBlock("two"), toolUse("Fail")]),
        say("three"),
        say("four"),
      ],
      queued: [{ uuid: "q1", prompt: [textBlock("Also this.")] }],
      hooks: {
        PostToolUse: () => ({ additionalContext: ["x"] }),
        Stop: (_input, _signal, at) => (at === 0 ? { blocking: ["no"] } : {}),
      },
    });
    const { requests } = ran.model;
    expect(requests).toHaveLength(4);
    for (let at = 1; at < requests.length; at++) {
      expect(prefixFaults(requests[at - 1]!, requests[at]!)).toEqual([]);
      expect(requests[at]!.tools).toBe(requests[0]!.tools);
      expect(requests[at]!.system).toBe(requests[0]!.system);
    }
    // The past is the same objects, so that it need not be serialised again.
    expect(requests[3]!.messages[1]).toBe(requests[2]!.messages[1]);
    expectSound(ran);
  });

  test("carries the caller's settings and its key", async () => {
    const config = {
      effort: "high",
      taskBudget: { total: 50_000 },
      querySource: "subagent",
      maxOutputTokens: 3_000,
      thinking: { type: "enabled", budgetTokens: 2_000 },
    } as const;
    const ran = await runWith({ model: [done], config });
    expect(ran.model.requests[0]).toMatchObject({
      model: "model-a",
      effort: "high",
      taskBudget: { total: 50_000 },
      querySource: "subagent",
      maxTokens: 3_000,
      thinking: { type: "enabled", budgetTokens: 2_000 },
      sessionId: "session-1",
      key: "t1.model",
    });
  });

  test("asks for no more output than the context layers left room for", async () => {
    const ran = await runWith({
      model: [done],
      context: {
        fit: (input) => ({
          kind: "ready",
          messages: input.messages,
          records: [],
          estimatedTokens: 1,
          maxTokens: 512,
          tracking: input.tracking,
          applied: [],
        }),
      },
    });
    expect(ran.model.requests[0]?.maxTokens).toBe(512);
  });

  test("is made after the layers' records are written, and the layers get their tracking back", async () => {
    const record = userMessage("summary", "summary-1");
    const ran = await runWith({
      model: [call(toolUse("Read")), done],
      context: {
        fit: (input, at) => ({
          kind: "ready",
          messages: at === 0 ? [record] : input.messages,
          records: at === 0 ? [record] : [],
          estimatedTokens: 1,
          maxTokens: input.maxTokens,
          tracking: { lastCompactedTurn: input.turnCount, consecutiveFailures: at },
          applied: [],
        }),
      },
    });
    const names = ran.world.calls.map((entry) => entry.name);
    expect(names.indexOf("transcript.append")).toBeLessThan(names.indexOf("model.stream"));
    expect(ran.model.requests[0]?.messages).toEqual([{ role: "user", content: record.content }]);
    expect(ran.context.inputs[1]?.input.tracking).toEqual({ lastCompactedTurn: 1, consecutiveFailures: 0 });
  });

  test("is not made when the context layers hang or throw", async () => {
    for (const fit of [() => never<never>(), () => Promise.reject(new Error("broken"))]) {
      const ran = await runWith({ model: [], context: { fit } });
      expect(ran.terminal).toMatchObject({ reason: "model_error", error: { kind: "internal" } });
      expect(ran.clock.pending).toBe(0);
    }
  });

  test("is not made when the context layers only report progress until their limit", async () => {
    const harness = createHarness({ model: [] });
    harness.ports.context.fit = async function* () {
      for (;;) {
        await harness.clock.sleep(60_000);
        yield { type: "compacting", trigger: "auto" } as const;
      }
    };
    const { terminal, events } = await harness.run();
    expect(terminal).toMatchObject({ reason: "model_error", error: { kind: "internal" } });
    expect(ofType(events, "compacting").length).toBeLessThanOrEqual(10);
  });

  test("is preceded by one notice when the history had to be mended", async () => {
    const history = [
      userMessage("Old.", "o"),
      {
        type: "assistant" as const,
        uuid: "a",
        timestamp: "",
        messageId: "m",
        model: "model-a",
        content: [toolUse("Read", {}, "lost")],
      },
    ];
    const ran = await runWith({ model: [call(toolUse("Read")), done], history });
    expect(noticeNames(ran.events)).toEqual(["history_mended"]);
  });
});
