// A call that a PreToolUse hook puts off: the run ends well, the conversation is whole, and the next prompt takes the call up once.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import { nodeFileSystem, openToolUses, readSession } from "../../src/transcript/index.ts";
import type { Part, Reply } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";
import { isAgent } from "../support/is-agent.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const touch = (name: string, id: string): Part => ({ tool: "Bash", input: { command: `touch ${name}` }, id });
const decide = (permissionDecision: string) => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason: "not now" },
});

/** Answers each call of the hook in turn; the last answer stands for all that follow. */
function hooked(...answers: string[]) {
  const asked: Record<string, unknown>[] = [];
  const batches: unknown[] = [];
  const callback = async (input: Record<string, unknown>) => {
    asked.push(input);
    return decide(answers[asked.length - 1] ?? answers.at(-1)!);
  };
  const PostToolBatch = [{ callback: async (input: Record<string, unknown>) => void batches.push(input) }];
  const hooks: EngineOptions["hooks"] = { PreToolUse: [{ callback }], PostToolBatch };
  return { asked, batches, hooks };
}

async function open(ground: Ground, steps: (Reply | string)[], options: EngineOptions = {}) {
  const model = scripted({ steps, fallback: "Done." });
  const engine = await openOn(ground, model, options);
  return { model, engine };
}

const put = { content: ["I make it.", touch("made", "toolu_put")] };
const isMade = ({ work }: Ground): boolean => existsSync(join(work, "made"));
const stored = (engine: QueryEngine) => readSession(engine.getTranscriptPath()!);

async function deferred(options: EngineOptions = {}) {
  const ground = layGround();
  const { hooks, asked, batches } = hooked("defer");
  const { engine, model } = await open(ground, [put], { hooks, ...options });
  const ran = await turn(engine, "Make it.");
  return { ground, engine, model, asked, batches, ...ran };
}

describe("a deferred call", () => {
  test("ends the run as a success that names the call, which has not run and has no result yet", async () => {
    const { result, ground, engine, messages, batches, model } = await deferred();
    expect(result).toMatchObject({
      subtype: "success",
      is_error: false,
      stop_reason: "tool_deferred",
      terminal_reason: "tool_deferred",
      deferred_tool_use: { id: "toolu_put", name: "Bash", input: { command: "touch made" } },
      permission_denials: [],
    });
    expect([isMade(ground), batches.length, calls(model).length]).toEqual([false, 0, 1]);
    expect(messages.filter(({ type }) => type === "user")).toEqual([]);
    expect(openToolUses(stored(engine).messages)).toEqual([]);
  });

  test("is judged by hooks again after a resume, then runs, and its result goes to the model", async () => {
    const { ground, engine } = await deferred();
    await engine.dispose();
    const { hooks, asked } = hooked("allow");
    const { engine: next, model } = await open(ground, [], { hooks, resume: engine.getSessionId() });
    const { result, messages } = await turn(next, "Go on.");
    expect(asked).toMatchObject([
      { tool_name: "Bash", tool_use_id: "toolu_put", tool_input: { command: "touch made" } },
    ]);
    expect(isMade(ground)).toBe(true);
    expect(result).toMatchObject({ subtype: "success", terminal_reason: "completed", result: "Done." });
    expect(result).not.toHaveProperty("deferred_tool_use");
    expect(model.violations).toEqual([]);
    const sent = JSON.stringify(calls(model)[0]?.body?.messages);
    expect(sent).toContain("printed nothing");
    expect(sent).not.toContain("has deferred this call");
    expect(JSON.stringify(messages.filter(({ type }) => type === "user"))).toContain("toolu_put");
    await turn(next, "And again.");
    expect(asked).toHaveLength(1);
    expect(model.violations).toEqual([]);
  });

  test("is taken up by the next prompt of the session, and may be deferred again or denied", async () => {
    const ground = layGround();
    const { hooks, asked } = hooked("defer", "defer", "deny");
    const { engine, model } = await open(ground, [put], { hooks });
    await turn(engine, "Make it.");
    const again = await turn(engine, "Now?");
    expect(again.result).toMatchObject({ terminal_reason: "tool_deferred", deferred_tool_use: { id: "toolu_put" } });
    expect(calls(model)).toHaveLength(1);
    const { result } = await turn(engine, "And now?");
    expect(result).toMatchObject({ terminal_reason: "completed", permission_denials: [{ tool_use_id: "toolu_put" }] });
    expect([asked.length, isMade(ground)]).toEqual([3, false]);
    expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).toContain("not now");
    expect(model.violations).toEqual([]);
    expect(openToolUses(stored(engine).messages)).toEqual([]);
  });

  test("that is interrupted while it runs ends the turn like any tool call", async () => {
    const { hooks } = hooked("defer", "allow");
    const steps = [{ content: [touch("made; sleep 100", "toolu_put")] }];
    const ground = layGround();
    const { engine, model } = await open(ground, steps, { hooks, maxTurns: 1 });
    await turn(engine, "Make it.");
    const running = turn(engine, "Now?");
    await vi.waitFor(() => expect(isMade(ground)).toBe(true), { timeout: 10_000 });
    engine.interrupt();
    const { result, messages } = await running;
    expect(result).toMatchObject({ terminal_reason: "aborted_tools", errors: ["Interrupted by user"] });
    // Seen: the limit of turns was said to be reached, by a call that is no turn of this prompt.
    expect(JSON.stringify([messages, stored(engine).messages])).not.toMatch(/max_turns_reached|number of turns/u);
    const done = await turn(engine, "Go on.");
    expect(done.result.terminal_reason).toBe("completed");
    expect(model.violations).toEqual([]);
  });

  test("is judged by the rules again when it is taken up", async () => {
    const { ground, engine } = await deferred();
    await engine.dispose();
    const options = { resume: engine.getSessionId(), disallowedTools: ["Bash(touch *)"], hooks: hooked("allow").hooks };
    const { engine: next } = await open(ground, [], options);
    expect((await turn(next, "Go on.")).result.permission_denials).toHaveLength(1);
    expect(isMade(ground)).toBe(false);
  });

  test("whose tool is gone makes the turn an error, and waits for a session that has the tool", async () => {
    const { ground, engine } = await deferred();
    await engine.dispose();
    const resume = engine.getSessionId();
    const without = await open(ground, [], { resume, tools: ["Read"] });
    const { result } = await turn(without.engine, "Go on.");
    expect(result).toMatchObject({
      subtype: "error_during_execution",
      is_error: true,
      stop_reason: "tool_deferred_unavailable",
      terminal_reason: "tool_deferred_unavailable",
      errors: [expect.stringContaining("there is no such tool now")],
    });
    expect(calls(without.model)).toEqual([]);
    await without.engine.dispose();
    const { engine: next, model } = await open(ground, [], { resume, hooks: hooked("allow").hooks });
    expect((await turn(next, "Again.")).result.terminal_reason).toBe("completed");
    expect(isMade(ground)).toBe(true);
    expect(model.violations).toEqual([]);
  });

  test("is taken up in a fork, and again in the original", async () => {
    const { ground, engine } = await deferred();
    await engine.dispose();
    const resume = engine.getSessionId();
    for (const forkSession of [true, false]) {
      const { hooks, asked } = hooked("allow");
      const { engine: next, model } = await open(ground, [], { resume, forkSession, hooks });
      await turn(next, "Go on.");
      expect([asked.length, model.violations]).toEqual([1, []]);
      await next.dispose();
    }
  });

  // Seen: hooks of the batch were asked neither when it was put off nor when it was taken up.
  test("is shown to PostToolBatch hooks once it has a result, and they may end the turn", async () => {
    const ground = layGround();
    const { hooks, batches } = hooked("defer", "allow");
    const enough = { callback: async () => ({ continue: false, stopReason: "Enough." }) };
    const { engine, model } = await open(ground, [put], {
      hooks: { ...hooks, PostToolBatch: [...(hooks?.PostToolBatch ?? []), enough] },
    });
    await turn(engine, "Make it.");
    expect(batches).toEqual([]);
    const { result, messages } = await turn(engine, "Go on.");
    expect(batches).toMatchObject([{ tool_calls: [{ tool_name: "Bash", tool_use_id: "toolu_put" }] }]);
    expect(JSON.stringify(batches)).toContain("printed nothing");
    expect([result.terminal_reason, isMade(ground), calls(model).length]).toEqual(["hook_stopped", true, 1]);
    const told = { content: "PostToolBatch hook stopped the run: Enough.", prevent_continuation: true };
    expect(messages).toContainEqual(expect.objectContaining(told));
  });

  test("is not shown to PostToolBatch hooks while deferred again, and what they add goes to the model", async () => {
    const { hooks, batches } = hooked("defer", "defer", "allow");
    const adds = { hookSpecificOutput: { hookEventName: "PostToolBatch", additionalContext: "Mind the gap." } };
    const PostToolBatch = [...(hooks?.PostToolBatch ?? []), { callback: async () => adds }];
    const { engine, model } = await open(layGround(), [put], { hooks: { ...hooks, PostToolBatch } });
    for (const prompt of ["Make it.", "Go on."]) await turn(engine, prompt);
    expect(batches).toEqual([]);
    await turn(engine, "Now.");
    expect(batches).toHaveLength(1);
    expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).toContain("Mind the gap.");
  });

  // Seen: the turn went on, and the model was asked again.
  test.each(["PreToolUse", "PostToolUse"] as const)(
    "ends the turn that takes it up if a %s hook says to stop",
    async (event) => {
      const ground = layGround();
      const { hooks, asked } = hooked("defer", "allow");
      const enough = async () => (asked.length > 1 ? { continue: false, stopReason: "Enough." } : {});
      const { engine, model } = await open(ground, [put], {
        hooks: { ...hooks, [event]: [...(hooks?.[event] ?? []), { callback: enough }] },
      });
      await turn(engine, "Make it.");
      const { result, messages } = await turn(engine, "Go on.");
      expect(result).toMatchObject({ subtype: "success", terminal_reason: "hook_stopped" });
      const told = { content: `${event} hook stopped the run: Enough.`, prevent_continuation: true };
      expect(messages).toContainEqual(expect.objectContaining(told));
      expect([calls(model).length, isMade(ground)]).toEqual([1, event === "PostToolUse"]);
      expect((await turn(engine, "And?")).result.terminal_reason).toBe("completed");
      expect(model.violations).toEqual([]);
    },
  );

  // Seen: the turn ended as interrupted, with nobody having interrupted it, and without a word of the disk.
  test("keeps waiting, and the turn fails, if a full disk keeps the turn from being recorded", async () => {
    const ground = layGround();
    const { hooks } = hooked("defer", "allow");
    const full = (): never => {
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    };
    const fill = async ({ prompt }: Record<string, unknown>) => {
      if (prompt === "Full.") vi.spyOn(nodeFileSystem, "write").mockImplementationOnce(full);
      return {};
    };
    const { engine } = await open(ground, [put], { hooks: { ...hooks, UserPromptSubmit: [{ callback: fill }] } });
    expect((await turn(engine, "Make it.")).result.terminal_reason).toBe("tool_deferred");
    const { result } = await turn(engine, "Full.");
    expect(result).toMatchObject({ terminal_reason: "model_error", errors: [expect.stringMatching(/disk is full/)] });
    expect(isMade(ground)).toBe(false);
    expect((await turn(engine, "And?")).result.subtype).toBe("success");
    expect(isMade(ground)).toBe(true);
  });

  test("leaves a valid conversation wherever the process dies afterwards", async () => {
    const { ground, engine } = await deferred();
    await engine.dispose();
    const resume = engine.getSessionId();
    const { engine: next } = await open(ground, [], { resume, hooks: hooked("allow").hooks });
    await turn(next, "Go on.");
    await next.dispose();
    const path = next.getTranscriptPath()!;
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const first = lines.findIndex((line) => line.includes('"deferred":true'));
    expect(first).toBeGreaterThan(0);
    for (let length = first; length <= lines.length; length++) {
      writeFileSync(path, `${lines.slice(0, length).join("\n")}\n`);
      const { hooks } = hooked("deny");
      const { engine: last, model } = await open(ground, [], { resume, hooks });
      expect((await turn(last, "What now?")).result.subtype, `${length} lines`).toBe("success");
      expect(model.violations, `${length} lines`).toEqual([]);
      expect(openToolUses(stored(last).messages)).toEqual([]);
      await last.dispose();
    }
  });
});

describe("a deferral is ignored, with a warning,", () => {
  const warned = (messages: readonly unknown[]): string[] =>
    (messages as { tag?: string; content?: string }[]).flatMap(({ tag, content }) =>
      tag === "hook" ? [content ?? ""] : [],
    );

  test("if its message has other calls: the usual permissions decide", async () => {
    const ground = layGround();
    const { engine, model } = await open(ground, [{ content: [touch("made", "toolu_a"), touch("more", "toolu_b")] }], {
      hooks: hooked("defer").hooks,
      allowedTools: ["Bash(touch made)"],
    });
    const { result, messages } = await turn(engine, "Make them.");
    expect(result).toMatchObject({ terminal_reason: "completed", permission_denials: [{ tool_use_id: "toolu_b" }] });
    expect([isMade(ground), existsSync(join(ground.work, "more"))]).toEqual([true, false]);
    expect(warned(messages)).toEqual([
      expect.stringContaining("not the only call of its message"),
      expect.stringContaining("not the only call of its message"),
    ]);
    expect(model.violations).toEqual([]);
  });

  test('and another hook\'s "ask" still applies to the calls, even if a rule allows them', async () => {
    const ground = layGround();
    const { hooks } = hooked("defer");
    const asks = { callback: async () => decide("ask") };
    const { engine } = await open(ground, [{ content: [touch("made", "toolu_a"), touch("more", "toolu_b")] }], {
      hooks: { PreToolUse: [...hooks!.PreToolUse!, asks] },
      allowedTools: ["Bash(touch *)"],
    });
    const { result } = await turn(engine, "Make them.");
    expect(result.permission_denials).toHaveLength(2);
    expect(isMade(ground)).toBe(false);
  });

  test("in an interactive session, where a person is asked", async () => {
    const asked: string[] = [];
    const { result, messages, ground } = await deferred({
      headless: false,
      ask: async ({ toolName }) => {
        asked.push(toolName);
        return { behavior: "allow" };
      },
    });
    expect([asked, isMade(ground)]).toEqual([["Bash"], true]);
    expect(result.terminal_reason).toBe("completed");
    expect(warned(messages)[0]).toContain("the usual permissions decide");
  });

  test("inside an agent", async () => {
    const agent = { tool: "Agent", input: { description: "d", prompt: "touch it" } };
    const model = scripted({
      rules: [
        {
          when: {},
          reply: ({ systemText, turns }) =>
            isAgent({ systemText })
              ? turns === 0
                ? { content: [touch("made", "toolu_below")] }
                : "tried"
              : turns === 0
                ? { content: [agent] }
                : "Done.",
        },
      ],
    });
    const callback = async ({ tool_name: name }: Record<string, unknown>) =>
      name === "Bash" ? decide("defer") : undefined;
    const ground = layGround();
    const engine = await openOn(ground, model, {
      hooks: { PreToolUse: [{ callback }] },
      allowedTools: ["Agent", "Bash"],
    });
    const { result } = await turn(engine, "Go.");
    expect(result).toMatchObject({ terminal_reason: "completed" });
    expect(isMade(ground)).toBe(true);
  });
});
