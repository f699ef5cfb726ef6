// Ends of a response that have a name of their own, what passes through while it streams, and ids that are not what they
// should be.
import { describe, expect, test } from "vitest";
import type { ContextInput, ShrinkResult } from "../../src/protocol/context.ts";
import { expectSound } from "./support/after.ts";
import { callsOf, fold } from "./support/checks.ts";
import { createHarness, errorsShown, noticeNames, ofType, reasons, resultsOf, runWith } from "./support/harness.ts";
import { readyFit } from "./support/ports.ts";
import { call, fail, reply, say, textBlock, thinkingBlock, toolUse, truncated } from "./support/script.ts";

function shrunk(input: ContextInput): ShrinkResult {
  return { kind: "shrunk", messages: input.messages, records: [], beforeTokens: 9, afterTokens: 1, committed: 1 };
}

describe("the end of a response", () => {
  const search = {
    type: "opaque",
    wire: { type: "server_tool_use", id: "s1", name: "web_search", input: { q: "x" } },
  } as const;
  const found = { type: "opaque", wire: { type: "web_search_tool_result", tool_use_id: "s1", content: [] } } as const;

  test("a paused answer is sent back unchanged up to ten times, without a Continue", async () => {
    const paused = Array.from({ length: 11 }, (_, at) => say(`part ${at}`, { stopReason: "pause_turn" }));
    const ran = await runWith({ model: paused });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expect(ran.model.requests).toHaveLength(11);
    expect(reasons(ran.events)).toEqual([]);
    expect(ran.model.requests[10]?.messages.map((message) => message.role)).toEqual(["user", "assistant"]);
    expect(ran.model.requests[10]?.messages[1]?.content).toHaveLength(10);
    expectSound(ran);
  });

  test("an answer that is still paused after the last resend is reported as unfinished", async () => {
    const paused = say("part", { stopReason: "pause_turn" });
    const ran = await runWith({ model: [paused, paused], limits: { pausedTurns: 1 } });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expect(noticeNames(ran.events)).toEqual(["answer_unfinished"]);
    const silent = reply([thinkingBlock("search")], { stopReason: "pause_turn" });
    const unsaid = await runWith({ model: Array.from({ length: 11 }, () => silent) });
    expect(noticeNames(unsaid.events)).toEqual(["answer_unfinished"]);
    const went = await runWith({ model: [paused, say(" and the rest")], limits: { pausedTurns: 1 } });
    expect(noticeNames(went.events)).toEqual([]);
    expectSound(ran);
  });

  // Seen: a gateway lost a call, and the run was reported as completed without an answer.
  test("an answer with stop reason tool_use but no call is reported as unfinished", async () => {
    for (const blocks of [[textBlock("I write the file now.")], []]) {
      const ran = await runWith({ model: [reply(blocks, { stopReason: "tool_use" })] });
      expect(ran.terminal).toEqual({ reason: "completed" });
      expect(noticeNames(ran.events)).toEqual(["answer_unfinished"]);
    }
  });

  test("a provider's call and its result after a pause stay one message in later requests", async () => {
    const ran = await runWith({
      model: [
        reply([thinkingBlock("search"), search], { stopReason: "pause_turn" }),
        reply([found, thinkingBlock("more"), { ...search, wire: { ...search.wire, id: "s2" } }], {
          stopReason: "pause_turn",
        }),
        reply([{ ...found, wire: { ...found.wire, tool_use_id: "s2" } }, textBlock("Here."), toolUse("Read")]),
        say("Done."),
      ],
    });
    expect(ran.model.requests[1]?.messages[1]?.content).toEqual([thinkingBlock("search"), search]);
    const types = ran.model.requests[3]?.messages[1]?.content.map((block) =>
      block.type === "opaque" ? block.wire["type"] : block.type,
    );
    expect(types).toEqual([
      "thinking",
      "server_tool_use",
      "web_search_tool_result",
      "thinking",
      "server_tool_use",
      "web_search_tool_result",
      "text",
      "tool_use",
    ]);
    expectSound(ran);
  });

  test("a fallback model answers after a paused answer, not inside it", async () => {
    const ran = await runWith({
      model: [
        reply([thinkingBlock("of a"), textBlock("I search."), search], { stopReason: "pause_turn" }),
        fail("model_not_found"),
        reply([thinkingBlock("of b"), textBlock("Here."), toolUse("Read")]),
        say("Done."),
      ],
      config: { fallbackModels: ["model-b"] },
    });
    const goOn = [textBlock("Continue from where you left off.")];
    expect(ran.model.requests[2]?.messages.slice(1)).toEqual([
      { role: "assistant", content: [textBlock("I search.")] },
      { role: "user", content: goOn },
    ]);
    expect(ran.model.requests[3]?.messages.slice(0, 3)).toEqual(ran.model.requests[2]?.messages);
    expect(ran.model.requests[3]?.messages[3]?.content.slice(0, 2)).toEqual([
      thinkingBlock("of b"),
      textBlock("Here."),
    ]);
    expectSound(ran);
  });

  test("a fallback model gets only the prompt if a paused answer holds nothing but an open call of the provider", async () => {
    const ran = await runWith({
      model: [reply([search], { stopReason: "pause_turn" }), fail("model_not_found"), say("Done.")],
      config: { fallbackModels: ["model-b"] },
    });
    expect(ran.model.requests[2]?.messages).toEqual(ran.model.requests[0]?.messages);
    expectSound(ran);
  });

  test("a pause that ends in thinking is not sent back, and the next answer stands alone", async () => {
    const ran = await runWith({
      model: [
        reply([thinkingBlock("first")], { stopReason: "pause_turn" }),
        reply([thinkingBlock("second"), toolUse("Read")]),
        say("Done."),
      ],
    });
    expect(JSON.stringify(ran.model.requests[1]?.messages)).not.toContain("first");
    expect(JSON.stringify(ran.model.requests[2]?.messages)).toContain("second");
    expect(JSON.stringify(ran.model.requests[2]?.messages)).not.toContain("first");
    expectSound(ran);
  });

  test("a pause that ends in thinking after a text is followed by a request that ends with a user message", async () => {
    const ran = await runWith({
      model: [
        reply([textBlock("I search."), thinkingBlock("first")], { stopReason: "pause_turn" }),
        reply([thinkingBlock("second"), toolUse("Read")]),
        say("Done."),
      ],
    });
    const [, answered] = ran.model.requests;
    expect(answered?.messages.slice(1)).toEqual([
      { role: "assistant", content: [textBlock("I search.")] },
      { role: "user", content: [textBlock("Continue from where you left off.")] },
    ]);
    expect(ran.model.requests[2]?.messages.slice(0, 3)).toEqual(answered?.messages);
    expectSound(ran);
  });

  test("trailing whitespace of a paused answer is not sent, but stays on record", async () => {
    const ran = await runWith({
      model: [
        reply([textBlock("I search. \n"), textBlock(" ")], { stopReason: "pause_turn" }),
        reply([thinkingBlock("more"), textBlock("Found. "), toolUse("Read")]),
        say("Done."),
      ],
    });
    expect(ran.model.requests[1]?.messages[1]?.content).toEqual([textBlock("I search.")]);
    const [first, ...rest] = ran.model.requests[2]?.messages[1]?.content ?? [];
    expect(first).toEqual(textBlock("I search."));
    expect(rest).toContainEqual(textBlock("Found. "));
    expect(ofType(ran.events, "assistant")[0]?.content).toEqual([textBlock("I search. \n")]);
    expectSound(ran);
  });

  test("an empty pause leaves the earlier answer as it was sent", async () => {
    const ran = await runWith({
      model: [
        reply([toolUse("Read"), textBlock("I look. ")]),
        reply([], { stopReason: "pause_turn" }),
        call(toolUse("Read")),
        say("Done."),
      ],
    });
    const sent = ran.model.requests.map(({ messages }) => messages[1]?.content.at(-1));
    expect(sent).toEqual([undefined, ...Array.from({ length: 3 }, () => textBlock("I look. "))]);
    expectSound(ran);
  });

  test("a truncation after a pause takes back the whole response", async () => {
    const ran = await runWith({
      model: [
        say("part one", { stopReason: "pause_turn" }),
        say("part two", { stopReason: "max_tokens" }),
        say("Whole."),
      ],
    });
    expect(reasons(ran.events)).toEqual(["max_output_tokens_escalate"]);
    expect(ran.model.requests[2]?.messages).toEqual(ran.model.requests[0]?.messages);
    expectSound(ran);
  });

  test("a refusal takes back what was shown and names the category", async () => {
    const ran = await runWith({
      model: [reply([textBlock("Well,")], { stopReason: "refusal", stopDetails: { category: "cyber" } })],
    });
    expect(ran.terminal).toMatchObject({ reason: "model_error", error: { kind: "refusal" } });
    expect(ran.terminal).toHaveProperty("error.message", expect.stringContaining("cyber"));
    expect(ofType(ran.events, "tombstone")).toMatchObject([{ reason: "refusal" }]);
    expect(errorsShown(ran.events)).toEqual(["refusal"]);
    expectSound(ran);
  });

  test("a refusal after a call settles the call", async () => {
    const ran = await runWith({ model: [reply([toolUse("Hang", {}, "h")], { stopReason: "refusal" })] });
    expect(ran.terminal).toMatchObject({ reason: "model_error", error: { kind: "refusal" } });
    expect(resultsOf(ran.events)).toMatchObject([{ id: "h", isError: true }]);
    expect(ran.tools.records[0]?.abortedBy).toBe("failed");
    expect(ran.clock.now()).toBe(Date.UTC(2026, 0, 1));
    expectSound(ran);
  });

  test("a refusal after calls starts none of the waiting calls", async () => {
    const calls = [toolUse("Hang", {}, "h"), toolUse("Write", {}, "w"), toolUse("Read", {}, "r")];
    const ran = await runWith({ model: [reply(calls, { stopReason: "refusal" })] });
    expect(ran.tools.records.map(({ name }) => name)).toEqual(["Hang"]);
    const unbegun = { isError: true, text: expect.stringContaining("before the tool ran. It had no effect.") };
    expect(resultsOf(ran.events)).toMatchObject([{ id: "h", isError: true }, unbegun, unbegun]);
    expectSound(ran);
  });

  test("a full context window keeps the complete blocks and leads to a compaction", async () => {
    const ran = await runWith({
      model: [say("as far as it got", { stopReason: "model_context_window_exceeded" }), say("and the rest.")],
      context: { compact: (input) => shrunk(input) },
    });
    expect(ran.context.inputs.map((entry) => entry.kind)).toEqual(["fit", "compact", "fit"]);
    expect(ran.context.inputs[1]?.input).toMatchObject({ actualTokens: 120, media: false });
    expect(JSON.stringify(ran.model.requests[1]?.messages)).toContain("as far as it got");
    expect(ran.model.requests[1]?.messages.at(-1)?.role).toBe("user");
    expect(noticeNames(ran.events)).toEqual([]);
    expectSound(ran);
  });

  describe("an answer cut because the window had no more room", () => {
    /** Tokens, request by request. */
    const left = (...room: number[]) => ({
      fit: (input: ContextInput, at: number) =>
        readyFit({ ...input, maxTokens: Math.min(input.maxTokens, room[at] ?? 0) }),
    });
    const compact = (input: ContextInput) => shrunk(input);
    const pieces = ["one", "two", "three", "four"].map((piece) => truncated(piece));

    test("leads to a compaction", async () => {
      const context = { ...left(1_100, 1_900, 64_000), compact };
      const ran = await runWith({ model: [...pieces.slice(0, 2), say("and the rest.")], context });
      expect(ran.model.requests.map((request) => request.maxTokens)).toEqual([1_100, 1_900, 64_000]);
      expect(reasons(ran.events)).toEqual(["max_output_tokens_escalate", "reactive_compact_retry"]);
      expect(JSON.stringify(ran.model.requests[2]?.messages)).toContain("two");
      expect(ran.context.windows).toEqual([]);
      expectSound(ran);
      const own = await runWith({
        model: [truncated("one"), say("Done.")],
        context,
        config: { maxOutputTokens: 2_500 },
      });
      expect(reasons(own.events)).toEqual(["reactive_compact_retry"]);
    });

    test.each([
      [
        "until reactive compaction is used up",
        left(1_100, 1_900, 64_000, 1_100, 64_000),
        4,
        ["reactive_compact_retry", "", ""],
      ],
      ["when nothing can shrink the window", left(1_100, 1_900, 64_000), 2, [""]],
      ["when room for a quarter of the usual answer is left", left(1_100, 2_000, 64_000), 2, [""]],
    ])("is resumed in pieces %s", async (name, context, cuts, expected) => {
      const helps = name !== "when nothing can shrink the window" ? { compact } : {};
      const ran = await runWith({ model: [...pieces.slice(0, cuts), say("end")], context: { ...context, ...helps } });
      const after = expected.map((reason) => (reason === "" ? "max_output_tokens_recovery" : reason));
      expect(reasons(ran.events)).toEqual(["max_output_tokens_escalate", ...after]);
      expect(ran.terminal).toEqual({ reason: "completed" });
      expectSound(ran);
    });
  });

  test.each([
    ["no block", []],
    ["blank text", [textBlock("  ")]],
    ["thinking alone", [thinkingBlock("hm")]],
  ])("an end of turn with %s completes with a warning", async (_name, blocks) => {
    const ran = await runWith({ model: [call(toolUse("Read")), reply(blocks)] });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expect(noticeNames(ran.events)).toEqual(["empty_answer"]);
    expectSound(ran);
  });

  test("an unknown stop reason, or null, ends the turn", async () => {
    for (const stopReason of ["something_new", null]) {
      const ran = await runWith({ model: [say("Done.", { stopReason })] });
      expect(ran.terminal).toEqual({ reason: "completed" });
      expectSound(ran);
    }
  });

  test("responses that share an id stay separate messages", async () => {
    const same = { do: "start", messageId: "chatcmpl-1" } as const;
    const ran = await runWith({
      model: [
        reply([same, toolUse("Read", {}, "a")]),
        reply([same, toolUse("Read", {}, "b")]),
        reply([same, textBlock("x")]),
      ],
    });
    expect(ran.model.requests[2]?.messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect(callsOf(fold(ran.transcript.records)).map((block) => block.id)).toEqual(["a", "b"]);
    expectSound(ran);
  });
});

describe("raw events", () => {
  const raw = (n: number) => ({ do: "raw", event: { type: "content_block_delta", n } }) as const;
  const model = [reply([raw(1), raw(2), textBlock("ab"), raw(3)])];

  test("pass through in order when requested, and are not recorded", async () => {
    const ran = await runWith({ model, config: { includeRawEvents: true } });
    expect(ran.events.map((event) => event.type)).toEqual([
      "stream_request_start",
      "stream_event",
      "stream_event",
      "assistant",
      "stream_event",
      "response_end",
    ]);
    expect(ofType(ran.events, "stream_event").map(({ event }) => event["n"])).toEqual([1, 2, 3]);
    expect(JSON.stringify(ran.transcript.records)).not.toContain("content_block_delta");
  });

  test("report a call's start under the id that its message has", async () => {
    const called = (id: string) => {
      const content_block = { type: "tool_use", id, name: "Read", input: {} };
      const start = { do: "raw", event: { type: "content_block_start", index: 0, content_block } } as const;
      const delta = { do: "raw", event: { type: "content_block_delta", index: 0 } } as const;
      return reply([start, delta, start, toolUse("Read", {}, id)]);
    };
    const ids = ["toolu_1", "functions.Read:0", "functions.Read:0", "toolu_1"];
    const ran = await runWith({ model: [...ids.map(called), say("Done.")], config: { includeRawEvents: true } });
    const starts = ofType(ran.events, "stream_event").flatMap(
      ({ event }) => (event["content_block"] ?? []) as { id: string },
    );
    const calls = callsOf(fold(ran.transcript.records)).map((block) => block.id);
    expect(new Set(calls).size).toBe(4);
    expect(starts.map(({ id }) => id)).toEqual(calls.flatMap((id) => [id, id]));
    expect(starts[0]?.id).toBe("toolu_1");
    expectSound(ran);
  });

  test("report that id also when the server sent none, or the same one twice", async () => {
    const start = (id?: string) => {
      const content_block = { type: "tool_use", ...(id === undefined ? {} : { id }) };
      return { do: "raw", event: { type: "content_block_start", index: 0, content_block } } as const;
    };
    const stop = { do: "raw", event: { type: "content_block_stop", index: 0 } } as const;
    const call = (id: string) => toolUse("Read", {}, id);
    const model = [
      reply([start(), call("toolu_msg_0"), start(""), call("toolu_msg_1")]),
      reply([start("c"), call("c"), start("c"), call("c")]),
      reply([start(), call("toolu_msg_0"), start(), call("toolu_msg_0")]),
      // The first is known to be whole only once the second begins.
      reply([start(), stop, start(), call("toolu_msg_0"), call("toolu_msg_0")]),
      reply([start(), start(), call("toolu_msg_0"), call("toolu_msg_0")]),
      reply([start("d"), stop, start("d"), call("d"), call("d")]),
      say("Done."),
    ];
    const ran = await runWith({ model, config: { includeRawEvents: true } });
    const starts = ofType(ran.events, "stream_event").flatMap(
      ({ event }) => (event["content_block"] ?? []) as { id: string },
    );
    const calls = callsOf(fold(ran.transcript.records)).map((block) => block.id);
    expect(new Set(calls).size).toBe(12);
    expect(starts.map(({ id }) => id)).toEqual(calls);
    expectSound(ran);
  });

  test("are left out when not requested", async () => {
    expect(ofType((await runWith({ model })).events, "stream_event")).toEqual([]);
  });

  test("are not read ahead of a slow consumer", async () => {
    const many = Array.from({ length: 50 }, (_, n) => raw(n));
    const harness = createHarness({ model: [reply(many)], config: { includeRawEvents: true } });
    const generator = harness.open();
    for (let taken = 0; taken < 20; taken++) await harness.clock.until(generator.next());
    const asked = harness.world.calls.filter((entry) => entry.name === "model.next").length;
    expect(asked).toBeLessThanOrEqual(21);
    await harness.clock.until(generator.return(undefined as never));
  });
});
