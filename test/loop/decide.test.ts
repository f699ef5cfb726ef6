// `decide` as a pure table: every kind of fact against the states that matter, the caps, and what each Continue keeps.
import { describe, expect, test } from "vitest";
import { decide, recoveriesLeft, type Verdict } from "../../src/loop/decide.ts";
import type { Fact, FactOf } from "../../src/loop/fact.ts";
import { continueCap } from "../../src/loop/ports.ts";
import { guardsAfter, type State } from "../../src/loop/state.ts";
import type { Continue, ContinueReason, Failure } from "../../src/protocol/stop.ts";
import { plainFaults } from "./support/checks.ts";
import { emitted, facts, limitsWith, more, prompt, says, stateWith, verdictOf } from "./support/facts.ts";

const said = (reason: string) => ({ event: "Stop", reason });

describe("each fact from a fresh state", () => {
  const expected: Record<Fact["kind"], [says: string, emitted: string[]]> = {
    opened: ["on", []],
    prepared: ["on", []],
    window_full: ["stop blocking_limit", ["error:prompt_too_long"]],
    admission_refused: ["stop max_budget_usd", []],
    answered: ["on", []],
    truncated: ["again max_output_tokens_escalate", ["tombstone:more", "transition:max_output_tokens_escalate"]],
    overflowed: ["on", []],
    stream_cut: ["on", ["answer_cut"]],
    failed: ["stop model_error", ["error:server_error"]],
    aborted: ["stop aborted_streaming", ["user:interruption"]],
    drained: ["again collapse_drain_retry", ["transition:collapse_drain_retry"]],
    compacted: ["again reactive_compact_retry", ["transition:reactive_compact_retry"]],
    unrecovered: ["stop prompt_too_long", ["error:prompt_too_long"]],
    batch_settled: ["again next_turn", ["transition:next_turn"]],
    turn_end: ["stop completed", []],
  };
  test.each(Object.keys(expected) as Fact["kind"][])("%s leads to the expected verdict and messages", (kind) => {
    const verdict = decide(stateWith(), facts[kind], limitsWith());
    expect([says(verdict), emitted(verdict)]).toEqual(expected[kind]);
  });

  test.each(Object.keys(expected) as Fact["kind"][])(
    "%s does not change the given state, and yields plain JSON",
    (kind) => {
      const state = Object.freeze(stateWith());
      const before = JSON.stringify(state);
      const verdict = decide(state, facts[kind], limitsWith());
      expect(JSON.stringify(state)).toBe(before);
      expect(plainFaults(verdict.state, "the state")).toEqual([]);
      expect(JSON.parse(JSON.stringify(verdict))).toStrictEqual(verdict);
      expect(decide(state, facts[kind], limitsWith())).toEqual(verdict);
    },
  );
});

describe("the state after a fact", () => {
  test("has the conversation and the tracking of a prepared request", () => {
    const { state } = verdictOf("prepared");
    expect(state.messages).toEqual([prompt, more]);
    expect(state.autoCompactTracking).toEqual({ lastCompactedTurn: 3, consecutiveFailures: 1 });
  });

  test.each(["answered", "stream_cut", "overflowed", "truncated"] as const)(
    "counts the output tokens of %s and takes over the new model",
    (kind) => {
      const { state } = verdictOf(kind, {}, { tokenBudget: { spent: 12, nudges: 1, spentAtNudge: 3 } });
      expect(state.tokenBudget).toEqual({ spent: 42, nudges: 1, spentAtNudge: 3 });
      expect(state.toolUseContext).toEqual({ model: "model-b", fallbacksUsed: 1, agentId: null });
    },
  );

  test("comes with a warning for a broken-off answer, unless another model takes over", () => {
    const cut = verdictOf("stream_cut", { isTakenOver: false });
    expect([says(cut), emitted(cut)]).toEqual(["on", ["answer_cut"]]);
    expect(emitted(verdictOf("stream_cut", { isTakenOver: true }))).toEqual([]);
  });

  test.each([
    ["max_tokens", 1, /^The answer was cut at the output token limit;/u],
    ["model_context_window_exceeded", 1, /^The answer was cut at the end of the context window;/u],
    ["max_tokens", 0, null],
    ["tool_use", 1, null],
  ])(
    "after stop reason %s with %i calls comes with a warning only if part of the answer is missing",
    (stopReason, calls, text) => {
      const { emit } = verdictOf("answered", { stopReason, calls });
      const told = { name: "answer_cut", text: expect.stringMatching(text ?? /./u) as string };
      expect(emit).toMatchObject(text === null ? [] : [told]);
      expect(emit).toHaveLength(text === null ? 0 : 1);
    },
  );

  test("comes with a short reason for an overload, because the retry reports the rest", () => {
    const textOf = (overloads: number): unknown => verdictOf("stream_cut", { overloads }).emit[0];
    expect(textOf(0)).toMatchObject({ text: expect.stringMatching(/It broke\.$/u) as string });
    expect(textOf(1)).toMatchObject({ text: expect.stringMatching(/ Its server is overloaded\.$/u) as string });
  });

  test("keeps an overload that broke off an answer until the next answer", () => {
    const { failure } = facts.stream_cut;
    const { state } = verdictOf("stream_cut", { overloads: 2 });
    expect(state.overload).toEqual({ inARow: 2, failure });
    const next = decide(state, facts.batch_settled, limitsWith());
    expect(next.state.overload).toEqual({ inARow: 2, failure });
    for (const kind of ["answered", "overflowed", "truncated"] as const)
      expect(decide(state, facts[kind], limitsWith()).state.overload).toBeNull();
    expect(decide(state, facts.stream_cut, limitsWith()).state.overload).toBeNull();
  });

  test("forgets that overload once the user has chosen another model", () => {
    const { state } = verdictOf("stream_cut", { overloads: 2 });
    expect(decide(state, { ...facts.prepared, chosenModel: "model-c" }, limitsWith()).state.overload).toBeNull();
    expect(decide(state, facts.prepared, limitsWith()).state.overload).not.toBeNull();
  });

  test("keeps the conversation as the stage left it after an error", () => {
    expect(verdictOf("failed").state.messages).toEqual([prompt, more]);
    expect(verdictOf("aborted").state.messages).toEqual([prompt, more]);
  });

  test("comes with an error message that has kind, status and request id", () => {
    const [draft] = verdictOf("failed").emit;
    expect(draft).toMatchObject({
      type: "assistant",
      apiError: { kind: "server_error", status: 500 },
      requestId: "req_1",
      content: [{ type: "text", text: "It broke." }],
    });
  });
});

describe("the recovery guards after each Continue", () => {
  const dirty: Partial<State> = {
    hasAttemptedReactiveCompact: true,
    maxOutputTokensRecoveryCount: 2,
    maxOutputTokensOverride: 64_000,
    pendingToolUseSummary: "t1.summary",
    stopHookActive: true,
    stopHookBlockCount: 3,
    turnCount: 4,
    continuesSinceTurn: 5,
    iteration: 9,
    tokenBudget: { spent: 100, nudges: 1, spentAtNudge: 50 },
  };
  const makes: Record<ContinueReason, () => Verdict> = {
    next_turn: () => verdictOf("batch_settled", { summaryKey: "t9.summary" }, dirty),
    collapse_drain_retry: () => verdictOf("drained", {}, dirty),
    reactive_compact_retry: () => verdictOf("compacted", {}, dirty),
    max_output_tokens_escalate: () =>
      verdictOf("truncated", { outputTokens: 0 }, { ...dirty, maxOutputTokensOverride: null }),
    max_output_tokens_recovery: () => verdictOf("truncated", { cap: "escalated", outputTokens: 0 }, dirty),
    stop_hook_blocking: () => verdictOf("turn_end", { blocking: [said("no")] }, dirty),
    token_budget_continuation: () => verdictOf("turn_end", {}, dirty, { tokenBudget: 10_000 }),
  };
  /** What the page says of each: all else is as it was. */
  const expected: Record<ContinueReason, Partial<State>> = {
    next_turn: {
      hasAttemptedReactiveCompact: false,
      maxOutputTokensRecoveryCount: 0,
      maxOutputTokensOverride: null,
      stopHookBlockCount: 0,
      pendingToolUseSummary: "t9.summary",
      turnCount: 5,
      continuesSinceTurn: 0,
    },
    collapse_drain_retry: { continuesSinceTurn: 6 },
    reactive_compact_retry: { continuesSinceTurn: 6, hasAttemptedReactiveCompact: true },
    max_output_tokens_escalate: { continuesSinceTurn: 6, maxOutputTokensOverride: 64_000 },
    max_output_tokens_recovery: { continuesSinceTurn: 6, maxOutputTokensRecoveryCount: 3 },
    stop_hook_blocking: {
      continuesSinceTurn: 6,
      maxOutputTokensRecoveryCount: 0,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: true,
      stopHookBlockCount: 4,
    },
    token_budget_continuation: {
      continuesSinceTurn: 6,
      stopHookBlockCount: 0,
      tokenBudget: { spent: 100, nudges: 2, spentAtNudge: 100 },
    },
  };
  test.each(Object.keys(expected) as ContinueReason[])("are set, reset or kept as documented: %s", (reason) => {
    const verdict = makes[reason]();
    expect(says(verdict)).toBe(`again ${reason}`);
    const {
      messages: _messages,
      toolUseContext: _context,
      transition,
      autoCompactTracking: _tracking,
      ...rest
    } = verdict.state;
    const { messages: _m, toolUseContext: _c, transition: _t, autoCompactTracking: _a, ...before } = stateWith(dirty);
    expect(transition?.reason).toBe(reason);
    expect(rest).toEqual({ ...before, ...expected[reason], iteration: 10 });
  });

  test("are listed for every Continue", () => {
    expect(Object.keys(guardsAfter).toSorted()).toEqual(Object.keys(expected).toSorted());
  });

  test("allow no second reactive compaction after a stop hook, but one in the next turn", () => {
    const compacted = verdictOf("compacted").state;
    expect(recoveriesLeft(compacted, facts.overflowed)).toEqual(["drain"]);
    const blocked = decide(compacted, { ...facts.turn_end, blocking: [said("no")] }, limitsWith()).state;
    expect(recoveriesLeft(blocked, facts.overflowed)).toEqual(["drain"]);
    const turned = decide(blocked, facts.batch_settled, limitsWith()).state;
    expect(recoveriesLeft(turned, facts.overflowed)).toEqual(["drain", "compact"]);
  });
});

describe("recoveries left after an overflow", () => {
  const drained: Continue = { reason: "collapse_drain_retry", committed: 1 };
  test.each([
    ["fresh", {}, false, ["drain", "compact"]],
    ["right after a drain", { transition: drained }, false, ["compact"]],
    ["compacted before", { hasAttemptedReactiveCompact: true }, false, ["drain"]],
    ["both", { transition: drained, hasAttemptedReactiveCompact: true }, false, []],
    ["an image, which collapses cannot remove", {}, true, ["compact"]],
    ["an image, compacted before", { hasAttemptedReactiveCompact: true }, true, []],
  ] as [string, Partial<State>, boolean, string[]][])("are as expected: %s", (_name, state, media, left) => {
    expect(recoveriesLeft(stateWith(state), { ...facts.overflowed, media })).toEqual(left);
  });

  test("name the media when the request is repeated without an image", () => {
    const reason = "reactive_compact_retry";
    expect(verdictOf("compacted", { media: true })).toHaveProperty("transition", { reason, media: true });
    expect(verdictOf("compacted")).toHaveProperty("transition", { reason });
  });

  test("end in image_error when nothing could remove the image", () => {
    const media = { media: true, failure: { kind: "media", message: "photo.png is too large." } as Failure };
    const verdict = verdictOf("unrecovered", media);
    expect([says(verdict), emitted(verdict)]).toEqual(["stop image_error", ["error:media"]]);
  });
});

describe("an answer cut at the output limit", () => {
  test.each([
    ["default cap", { cap: "default" }, {}, "again max_output_tokens_escalate"],
    [
      "already escalated",
      { cap: "escalated" },
      { maxOutputTokensOverride: 64_000 },
      "again max_output_tokens_recovery",
    ],
    ["a custom cap goes straight to resume", { cap: "custom" }, {}, "again max_output_tokens_recovery"],
    ["a cap the ledger lowered", { cap: "ledger" }, {}, "stop max_budget_usd"],
    [
      "a model whose limit equals the default",
      { maxTokens: 8_000, modelMaxTokens: 8_000 },
      {},
      "again max_output_tokens_recovery",
    ],
    ["the third resume", { cap: "custom" }, { maxOutputTokensRecoveryCount: 2 }, "again max_output_tokens_recovery"],
    ["after three resumes", { cap: "custom" }, { maxOutputTokensRecoveryCount: 3 }, "stop model_error"],
  ] as [string, Partial<FactOf<"truncated">>, Partial<State>, string][])(
    "leads to the expected verdict: %s",
    (_name, fact, state, expected) => {
      expect(says(verdictOf("truncated", fact, state))).toBe(expected);
    },
  );

  test("escalates to the model's own limit, or to the caller's lower limit", () => {
    expect(verdictOf("truncated", { modelMaxTokens: 32_000 }).state.maxOutputTokensOverride).toBe(32_000);
    expect(verdictOf("truncated", { modelMaxTokens: 128_000 }).state.maxOutputTokensOverride).toBe(128_000);
    const own = { outputTokensEscalated: 64_000 };
    expect(verdictOf("truncated", { modelMaxTokens: 128_000 }, {}, own).state.maxOutputTokensOverride).toBe(64_000);
  });

  test("is resumed rather than escalated when it was cut at the model's own limit", () => {
    const cut = { maxTokens: 32_000, modelMaxTokens: 32_000 };
    expect(says(verdictOf("truncated", cut))).toBe("again max_output_tokens_recovery");
  });

  test("is dropped on escalation; on resuming it is kept and one meta message is added", () => {
    expect(verdictOf("truncated").state.messages).toEqual([prompt]);
    const resumed = verdictOf("truncated", { cap: "custom" });
    expect(resumed.state.messages).toEqual([prompt, more]);
    expect(emitted(resumed)).toEqual(["user:recovery", "transition:max_output_tokens_recovery"]);
    expect(resumed.go === "again" && resumed.transition).toEqual({ reason: "max_output_tokens_recovery", attempt: 1 });
  });

  test("leaves no tombstone if nothing of it was shown", () => {
    expect(emitted(verdictOf("truncated", { targets: [] }))).toEqual(["transition:max_output_tokens_escalate"]);
  });

  test("shows the withheld error after the last recovery", () => {
    const verdict = verdictOf("truncated", { cap: "custom" }, { maxOutputTokensRecoveryCount: 3 });
    expect(emitted(verdict)).toEqual(["error:max_output_tokens"]);
    expect(verdict.go === "stop" && verdict.terminal).toMatchObject({ error: { kind: "max_output_tokens" } });
  });
});

describe("an abort", () => {
  test.each([
    ["streaming", "user", "stop aborted_streaming", ["user:interruption"]],
    ["streaming", "terminate", "stop aborted_streaming", ["user:interruption"]],
    ["streaming", "interrupt", "stop aborted_streaming", []],
    ["tools", "user", "stop aborted_tools", ["user:interruption"]],
    ["tools", "interrupt", "stop aborted_tools", []],
  ] as const)("while %s, by %s, leads to the expected verdict and messages", (where, cause, expected, drafts) => {
    const verdict = verdictOf("aborted", { where, cause });
    expect([says(verdict), emitted(verdict)]).toEqual([expected, drafts]);
  });

  test("in tools at the turn limit also reports the limit", () => {
    expect(emitted(verdictOf("aborted", { where: "tools" }, { turnCount: 2 }, { maxTurns: 2 }))).toEqual([
      "user:interruption",
      "max_turns_reached",
    ]);
    expect(emitted(verdictOf("aborted", { where: "streaming" }, { turnCount: 2 }, { maxTurns: 2 }))).toEqual([
      "user:interruption",
    ]);
    expect(emitted(verdictOf("aborted", { where: "tools" }, { turnCount: 1 }, { maxTurns: 2 }))).toEqual([
      "user:interruption",
    ]);
  });

  test("has different interruption messages for streaming and for tools", () => {
    const [answering] = verdictOf("aborted", { where: "streaming" }).emit;
    const [using] = verdictOf("aborted", { where: "tools" }).emit;
    expect(answering).not.toEqual(using);
    expect(answering).toMatchObject({ type: "user", isMeta: true });
  });
});

describe("after a tool batch", () => {
  test("a hook that stops the run takes precedence over the turn limit", () => {
    const hookStopped = { event: "PostToolUse", message: "enough" };
    const verdict = verdictOf("batch_settled", { hookStopped }, { turnCount: 1 }, { maxTurns: 1 });
    expect([says(verdict), emitted(verdict)]).toEqual(["stop hook_stopped", ["hook_stopped_continuation"]]);
  });

  test.each([
    [1, undefined, "again next_turn"],
    [1, 2, "again next_turn"],
    [2, 2, "stop max_turns"],
    [3, 2, "stop max_turns"],
  ])("turn %s with maxTurns %s leads to the expected verdict", (turnCount, maxTurns, expected) => {
    const limits = maxTurns === undefined ? {} : { maxTurns };
    expect(says(verdictOf("batch_settled", {}, { turnCount }, limits))).toBe(expected);
  });

  test("the turn limit reports the count above it and keeps every result", () => {
    const verdict = verdictOf("batch_settled", {}, { turnCount: 2 }, { maxTurns: 2 });
    expect(verdict.go === "stop" && verdict.terminal).toEqual({ reason: "max_turns", turnCount: 3 });
    expect(verdict.emit).toEqual([
      { type: "attachment", attachment: { kind: "max_turns_reached", maxTurns: 2, turnCount: 3 } },
    ]);
    expect(verdict.state.messages).toEqual([prompt, more]);
  });
});

describe("the end of a turn", () => {
  test("prevention comes before the last try, that before blocking, and blocking before the token budget", () => {
    const [prevented, asked] = [{ event: "Stop", message: "no more" }, { tokenBudget: 1_000 }];
    expect(says(verdictOf("turn_end", { prevented, blocking: [said("b")] }, {}, asked))).toBe(
      "stop stop_hook_prevented",
    );
    const lastOf = (more: object) => emitted(verdictOf("turn_end", { ...more, outOfTries: "Enough." }, {}, asked));
    expect(lastOf({ prevented })).toEqual(["hook_stopped_continuation"]);
    for (const more of [{ blocking: [said("b")] }, {}]) expect(lastOf(more)).toEqual(["out_of_tries"]);
    expect(says(verdictOf("turn_end", { blocking: [said("b")] }, {}, asked))).toBe("again stop_hook_blocking");
    expect(says(verdictOf("turn_end", {}, {}, asked))).toBe("again token_budget_continuation");
    expect(says(verdictOf("turn_end"))).toBe("stop completed");
  });

  test("each blocking reason becomes one meta message", () => {
    expect(emitted(verdictOf("turn_end", { blocking: [said("a"), said("b")] }))).toEqual([
      "user:stop_hook",
      "user:stop_hook",
      "transition:stop_hook_blocking",
    ]);
  });

  test("without a stop-hook cap, no other cap ends the conversation", () => {
    const many = { stopHookBlockCount: 90, continuesSinceTurn: 90, turnCount: 3 };
    const verdict = verdictOf("turn_end", { blocking: [said("b")] }, many, { stopHookBlocks: Infinity });
    expect(says(verdict)).toBe("again stop_hook_blocking");
    const messages = [prompt, more];
    expect(verdict.state).toMatchObject({ messages, stopHookBlockCount: 91, continuesSinceTurn: 1, turnCount: 3 });
  });

  test("after eight blocks in a row the run completes with a warning", () => {
    expect(says(verdictOf("turn_end", { blocking: [said("b")] }, { stopHookBlockCount: 7 }))).toBe(
      "again stop_hook_blocking",
    );
    const verdict = verdictOf("turn_end", { blocking: [said("b")] }, { stopHookBlockCount: 8 });
    expect([says(verdict), emitted(verdict)]).toEqual(["stop completed", ["stop_hook_cap"]]);
    const two = verdictOf("turn_end", { blocking: [said("b")] }, { stopHookBlockCount: 2 }, { stopHookBlocks: 2 });
    expect(says(two)).toBe("stop completed");
  });

  test("an empty answer completes with a warning", () => {
    expect(emitted(verdictOf("turn_end", { empty: true }))).toEqual(["empty_answer"]);
    const atCap = verdictOf("turn_end", { empty: true, blocking: [said("b")] }, { stopHookBlockCount: 8 });
    expect(emitted(atCap)).toEqual(["empty_answer", "stop_hook_cap"]);
  });

  test("the warning about a failed hook is shown whatever the verdict is", () => {
    const warnings = [{ type: "notice", level: "warning", name: "hook_failed", text: "It broke." } as const];
    expect(emitted(verdictOf("turn_end", { warnings }))).toEqual(["hook_failed"]);
    expect(emitted(verdictOf("turn_end", { warnings }, {}, { tokenBudget: 1_000 }))).toEqual([
      "hook_failed",
      "user:token_budget",
      "transition:token_budget_continuation",
    ]);
  });
});

describe("the token budget", () => {
  const budget = { tokenBudget: 10_000 };
  function after(spent: number, nudges: number, spentAtNudge: number | null, more: Partial<State> = {}): Verdict {
    return verdictOf("turn_end", {}, { tokenBudget: { spent, nudges, spentAtNudge }, ...more }, budget);
  }

  test("is met at 90 %", () => {
    expect(says(after(8_999, 0, null))).toBe("again token_budget_continuation");
    expect(says(after(9_000, 0, null))).toBe("stop completed");
  });

  test("gives up with a warning after three nudges in a row that each brought under 500 tokens", () => {
    let state = stateWith({ tokenBudget: { spent: 100, nudges: 0, spentAtNudge: null } });
    for (let nudge = 1; nudge <= 3; nudge++) {
      const verdict = decide(state, facts.turn_end, limitsWith(budget));
      expect(says(verdict)).toBe("again token_budget_continuation");
      state = {
        ...verdict.state,
        tokenBudget: { ...verdict.state.tokenBudget, spent: verdict.state.tokenBudget.spent + 499 },
      };
    }
    const end = decide(state, facts.turn_end, limitsWith(budget));
    expect([says(end), emitted(end)]).toEqual(["stop completed", ["token_budget_unspent"]]);
  });

  test("restarts its nudge count and the recovery count after a nudge that brought 500 tokens", () => {
    const verdict = after(1_500, 2, 1_000, { continuesSinceTurn: 12 });
    expect(says(verdict)).toBe("again token_budget_continuation");
    expect(verdict.state.tokenBudget).toEqual({ spent: 1_500, nudges: 0, spentAtNudge: 1_500 });
    expect(verdict.state.continuesSinceTurn).toBe(1);
  });

  test("does not restart the counts after a nudge that brought less", () => {
    const verdict = after(1_100, 0, 1_000, { continuesSinceTurn: 12 });
    expect([says(verdict), emitted(verdict)]).toEqual(["stop completed", ["token_budget_unspent"]]);
  });
});

describe("the cap on all recoveries together", () => {
  test.each([
    [8, 12],
    [2, 12],
    [9, 13],
    [20, 24],
  ])("with %s stop-hook blocks is %s", (stopHookBlocks, cap) => {
    expect(continueCap(limitsWith({ stopHookBlocks }))).toBe(cap);
  });

  const atCap = { continuesSinceTurn: 12 };
  const cases: Record<Exclude<ContinueReason, "next_turn">, [Verdict, string, string[]]> = {
    collapse_drain_retry: [verdictOf("drained", {}, atCap), "stop prompt_too_long", ["error:prompt_too_long"]],
    reactive_compact_retry: [verdictOf("compacted", {}, atCap), "stop prompt_too_long", ["error:prompt_too_long"]],
    max_output_tokens_escalate: [verdictOf("truncated", {}, atCap), "stop model_error", ["error:max_output_tokens"]],
    max_output_tokens_recovery: [
      verdictOf("truncated", { cap: "custom" }, atCap),
      "stop model_error",
      ["error:max_output_tokens"],
    ],
    stop_hook_blocking: [verdictOf("turn_end", { blocking: [said("b")] }, atCap), "stop completed", ["stop_hook_cap"]],
    token_budget_continuation: [
      verdictOf("turn_end", {}, atCap, { tokenBudget: 10_000 }),
      "stop completed",
      ["token_budget_unspent"],
    ],
  };
  test.each(Object.entries(cases))(
    "ends %s with the error or warning it was working on",
    (_reason, [verdict, expected, drafts]) => {
      expect([says(verdict), emitted(verdict)]).toEqual([expected, drafts]);
    },
  );

  test("lets a recovery continue below the cap", () => {
    const below = { continuesSinceTurn: 11 };
    expect(says(verdictOf("truncated", { cap: "custom" }, below))).toBe("again max_output_tokens_recovery");
    expect(says(verdictOf("compacted", {}, below))).toBe("again reactive_compact_retry");
  });

  test("ends a refused image with image_error", () => {
    const media = { media: true, failure: { kind: "media", message: "photo.png" } as Failure };
    expect(says(verdictOf("compacted", media, atCap))).toBe("stop image_error");
  });

  test("leaves the conversation as the stage left it", () => {
    expect(cases.max_output_tokens_escalate[0].state.messages).toEqual([prompt, more]);
    expect(cases.collapse_drain_retry[0].state.messages).toEqual([more]);
  });

  test("never stops a next turn, which restarts the count", () => {
    const verdict = verdictOf("batch_settled", {}, atCap);
    expect(says(verdict)).toBe("again next_turn");
    expect(verdict.state.continuesSinceTurn).toBe(0);
  });
});
