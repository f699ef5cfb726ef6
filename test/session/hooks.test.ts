// Hooks given as functions, from the first prompt to the end of the session.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions, HookCallbackMatcher } from "../../src/index.ts";
import type { HookEvent } from "../../src/protocol/hook.ts";
import type { Part, Script } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  impatientClock,
  lastUserTexts,
  layGround,
  linesOf,
  openOn,
  openSession,
  scripted,
  turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const glob: Part = { tool: "Glob", input: { pattern: "*" } };
const touch = (name: string): Part => ({ tool: "Bash", input: { command: `touch ${name}` } });

interface Seen {
  inputs: Record<string, unknown>[];
  hooks: EngineOptions["hooks"];
}

function hooking(event: HookEvent, answer: unknown, more: Partial<HookCallbackMatcher> = {}): Seen {
  const inputs: Record<string, unknown>[] = [];
  const callback: HookCallbackMatcher["callback"] = async (input) => {
    inputs.push(input);
    return (typeof answer === "function" ? await answer(input, inputs.length) : answer) as undefined;
  };
  return { inputs, hooks: { [event]: [{ ...more, callback }] } };
}

async function run(script: Script, options: EngineOptions, prompt = "Go.") {
  const ground = layGround();
  const model = scripted(script);
  const engine = await openOn(ground, model, { clock: impatientClock, ...options });
  const ran = await turn(engine, prompt);
  expect(model.violations).toEqual([]);
  const sent = JSON.stringify(calls(model).at(-1)?.body?.messages ?? []);
  return { ...ran, engine, model, ground, sent, shown: JSON.stringify(ran.messages) };
}

describe("a PreToolUse hook", () => {
  const steps = (part: Part): Script => ({ steps: [{ content: [part] }], fallback: "Done." });

  test("gets the call with facts about the session, and denies it with a reason for the model", async () => {
    const { inputs, hooks } = hooking("PreToolUse", {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "Not in this house.",
      },
    });
    const { ground, engine, sent, result } = await run(steps(touch("made")), { hooks, allowedTools: ["Bash"] });
    expect(existsSync(join(ground.work, "made"))).toBe(false);
    expect(sent).toContain("Not in this house.");
    expect(result).toMatchObject({
      subtype: "success",
      permission_denials: [{ tool_name: "Bash", tool_input: { command: "touch made" } }],
    });
    expect(inputs).toMatchObject([
      {
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "touch made" },
        session_id: engine.getSessionId(),
        transcript_path: engine.getTranscriptPath(),
        cwd: ground.work,
        permission_mode: "default",
      },
    ]);
  });

  test("changes the input that runs, while the conversation keeps the model's input", async () => {
    const { hooks } = hooking("PreToolUse", {
      hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "touch other" } },
    });
    const { ground, sent } = await run(steps(touch("made")), { hooks, allowedTools: ["Bash"] });
    expect([existsSync(join(ground.work, "made")), existsSync(join(ground.work, "other"))]).toEqual([false, true]);
    expect(sent).toContain("touch made");
    expect(sent).not.toContain("touch other");
  });

  test("that changes the input has it judged by the rules again", async () => {
    const { hooks } = hooking("PreToolUse", {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { command: "touch no" },
      },
    });
    const { ground, result } = await run(steps(touch("made")), { hooks, disallowedTools: ["Bash(touch no)"] });
    expect(existsSync(join(ground.work, "no"))).toBe(false);
    expect(result.permission_denials).toHaveLength(1);
  });

  test("allows what would be asked about, and asks about what would be allowed", async () => {
    const decide = (permissionDecision: string) =>
      hooking("PreToolUse", { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision } });
    const allowed = await run(steps(touch("made")), { hooks: decide("allow").hooks });
    expect(existsSync(join(allowed.ground.work, "made"))).toBe(true);
    const asked: string[] = [];
    await run(steps(glob), {
      hooks: decide("ask").hooks,
      ask: async ({ toolName }) => {
        asked.push(toolName);
        return { behavior: "deny" };
      },
    });
    expect(asked).toEqual(["Glob"]);
  });

  test("runs for the tools that its matcher names", async () => {
    const { inputs, hooks } = hooking("PreToolUse", {}, { matcher: "Bash|Write" });
    await run({ steps: [{ content: [glob, touch("made")] }], fallback: "." }, { hooks, allowedTools: ["Bash"] });
    expect(inputs.map((input) => input["tool_name"])).toEqual(["Bash"]);
  });

  test("that does not answer in time refuses the call", async () => {
    const { hooks } = hooking("PreToolUse", () => new Promise(() => undefined), { timeoutMs: 300 });
    const { ground, sent } = await run(steps(touch("made")), { hooks, allowedTools: ["Bash"] });
    expect(existsSync(join(ground.work, "made"))).toBe(false);
    expect(sent).toContain("did not answer");
  });

  test("that throws or answers nonsense lets the call pass, with a notice", async () => {
    const broken: [answer: unknown, notice: string][] = [
      [() => Promise.reject(new Error("no such thing")), "PreToolUse: function hook failed: no such thing;"],
      ["nonsense", "PreToolUse: function hook answered with a string where an object is expected;"],
      [{ decision: "perhaps" }, "PreToolUse: function hook gave the unknown decision"],
    ];
    for (const [answer, notice] of broken) {
      const { hooks } = hooking("PreToolUse", answer);
      const { result, shown } = await run(steps(glob), { hooks });
      expect(result).toMatchObject({ subtype: "success", result: "Done." });
      expect(shown).toContain(notice);
    }
  });

  test("is ended by an interrupt", async () => {
    const { hooks } = hooking("PreToolUse", () => {
      engine.interrupt();
      return new Promise(() => undefined);
    });
    const { engine } = await openSession({ steps: [{ content: [glob] }] }, { hooks });
    const { result } = await turn(engine, "Go.");
    expect(result.terminal_reason).toMatch(/^aborted_/);
  });
});

test("long output of a hook is replaced by a path to a file with all of it, which the model may read", async () => {
  const text = `${`${"long ".repeat(20)}\n`.repeat(200)}and its end`;
  const { hooks } = hooking("UserPromptSubmit", {
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: text },
  });
  let path = "";
  const steps: Script["steps"] = [
    ({ body }) => {
      path = /all of it is in ([^\]]+)\]/u.exec(JSON.stringify(body))?.[1] ?? "";
      return { content: [{ tool: "Read", input: { file_path: path } }] };
    },
  ];
  const { engine, model } = await openSession({ steps, fallback: "Done." }, { hooks });
  const { result } = await turn(engine, "Go.");
  expect(readFileSync(path, "utf8")).toBe(text);
  expect(result).toMatchObject({ result: "Done.", permission_denials: [] });
  expect(JSON.stringify(calls(model)[0]?.body?.messages)).not.toContain("and its end");
  expect(JSON.stringify(calls(model)[1]?.body?.messages)).toContain("and its end");
});

describe("a PostToolUse hook", () => {
  test("adds context for the model after the result, and it is recorded", async () => {
    const { inputs, hooks } = hooking("PostToolUse", {
      hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "The linter is unhappy." },
    });
    const { model, engine } = await run({ steps: [{ content: [glob] }], fallback: "Done." }, { hooks });
    expect(lastUserTexts(calls(model)[1]!).join()).toContain("The linter is unhappy.");
    expect(inputs).toMatchObject([{ tool_name: "Glob", tool_response: expect.anything() }]);
    expect(JSON.stringify(linesOf(engine))).toContain("The linter is unhappy.");
  });

  test("replaces the result that the model gets", async () => {
    const { hooks } = hooking("PostToolUse", {
      hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: "nothing to see" },
    });
    const { sent } = await run({ steps: [{ content: [glob] }], fallback: "." }, { hooks });
    expect(sent).toContain("nothing to see");
    expect(sent).not.toContain("No files");
  });

  test.each<[string, unknown, string]>([
    ["an output in the tool's own form", { filenames: ["a", "b"], numFiles: 2 }, String.raw`"a\nb"`],
    ["a list of blocks", [{ type: "text", text: "one block" }], '[{"type":"text","text":"one block"}]'],
    ["an MCP answer", { content: [{ type: "text", text: "one block" }] }, '[{"type":"text","text":"one block"}]'],
    ["a picture", [{ type: "image", source: { type: "url", url: "https://a/b" } }], '"content":[{"type":"image"'],
  ])("replaces the result with %s too", async (_name, updatedToolOutput, told) => {
    const { hooks } = hooking("PostToolUse", {
      hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput },
    });
    const { sent } = await run({ steps: [{ content: [glob] }], fallback: "." }, { hooks });
    expect(sent).toContain(told);
    expect(sent).not.toContain("No files");
  });

  test.each<[string, unknown]>([
    ["an object that is not in the tool's form", { files: ["a"] }],
    ["what only looks like a picture", [{ type: "image", source: {} }]],
    ["a list of something else", [1, 2]],
    ["a number", 5],
  ])("does not replace the result with %s, and the problem is reported", async (_name, updatedToolOutput) => {
    const { hooks } = hooking("PostToolUse", {
      hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput },
    });
    const { sent, shown } = await run({ steps: [{ content: [glob] }], fallback: "." }, { hooks });
    expect(sent).toContain("No files");
    expect(shown).toContain("A PostToolUse hook replaced the output of Glob with a value it cannot have");
  });

  test("shows a message to people, which is recorded but not sent to the model", async () => {
    const { hooks } = hooking("PostToolUse", { systemMessage: "The linter ran." });
    const { engine, shown, sent } = await run({ steps: [{ content: [glob] }], fallback: "." }, { hooks });
    expect(shown).toContain("The linter ran.");
    expect(sent).not.toContain("The linter ran.");
    const notices = linesOf(engine).filter(({ message }) => message?.type === "notice");
    expect(notices).toMatchObject([{ message: { text: "The linter ran." } }]);
    expect(engine.getMessages().filter(({ type }) => type === "notice")).toHaveLength(1);
  });

  test("runs as PostToolUseFailure for a failed call", async () => {
    const { inputs, hooks } = hooking("PostToolUseFailure", {});
    const missing: Part = { tool: "Read", input: { file_path: "/none/such" } };
    await run({ steps: [{ content: [missing] }], fallback: "." }, { hooks, permissionMode: "bypassPermissions" });
    expect(inputs).toMatchObject([{ tool_name: "Read", error: expect.stringContaining("such") }]);
  });
});

describe("a Stop hook", () => {
  test("that blocks continues the turn with its reason, and learns of it the second time", async () => {
    const { inputs, hooks } = hooking("Stop", (_input: unknown, time: number) =>
      time === 1 ? { decision: "block", reason: "Run the tests first." } : {},
    );
    const { result, sent } = await run({ steps: ["Finished.", "Tests pass."] }, { hooks });
    expect(result).toMatchObject({ subtype: "success", result: "Tests pass.", num_turns: 1 });
    expect(sent).toContain("Run the tests first.");
    expect(inputs.map((input) => input["stop_hook_active"])).toEqual([false, true]);
    expect(inputs[0]).toMatchObject({ last_assistant_message: "Finished." });
  });

  test("that always blocks is ignored after eight times, with a warning", async () => {
    const { inputs, hooks } = hooking("Stop", { decision: "block", reason: "Again." });
    const { result, shown } = await run({ fallback: "Finished." }, { hooks });
    expect(result.subtype).toBe("success");
    expect(inputs).toHaveLength(9);
    expect(shown).toContain("stop_hook_cap");
  });

  test("does not run if the model never answered: a StopFailure hook runs instead", async () => {
    const stop = hooking("Stop", { decision: "block", reason: "Again." });
    const failure = hooking("StopFailure", {});
    const { result } = await run({ fallback: { fault: "billing" } }, { hooks: { ...stop.hooks, ...failure.hooks } });
    expect(result.subtype).toBe("error_during_execution");
    expect(stop.inputs).toEqual([]);
    expect(failure.inputs).toMatchObject([{ hook_event_name: "StopFailure", error: "billing_error" }]);
  });
});

describe("a StopFailure hook", () => {
  test("is not awaited by the turn, but by dispose()", async () => {
    const release = Promise.withResolvers<void>();
    let isDone = false;
    const { hooks } = hooking("StopFailure", async () => {
      await release.promise;
      isDone = true;
    });
    const { engine } = await run({ fallback: { fault: "billing" } }, { hooks });
    expect(isDone).toBe(false);
    const disposed = engine.dispose();
    release.resolve();
    await disposed;
    expect(isDone).toBe(true);
  });

  test("that never ends is ended by dispose() within its limit", async () => {
    let aborted = false;
    const fast: EngineOptions["clock"] = {
      ...impatientClock,
      timer(ms, onFire) {
        // What a drain may take passes at once.
        return impatientClock.timer(ms === 5_000 ? 300 : ms, onFire);
      },
    };
    const hooks: EngineOptions["hooks"] = {
      StopFailure: [
        {
          callback: (_input, { signal }) =>
            new Promise(() => signal.addEventListener("abort", () => (aborted = true), { once: true })),
        },
      ],
    };
    const { engine } = await run({ fallback: { fault: "billing" } }, { hooks, clock: fast });
    await engine.dispose();
    expect(aborted).toBe(true);
  });
});

describe("a UserPromptSubmit hook", () => {
  test("adds context for the model to the prompt", async () => {
    const { inputs, hooks } = hooking("UserPromptSubmit", {
      hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "It is Friday." },
    });
    const { model } = await run({ steps: ["Hi."] }, { hooks }, "Deploy?");
    const texts = lastUserTexts(calls(model)[0]!);
    expect(texts.slice(-2)).toEqual(["Deploy?", expect.stringContaining("It is Friday.")]);
    expect(inputs).toMatchObject([{ prompt: "Deploy?" }]);
  });

  test("that blocks ends the turn, and neither the prompt nor other hooks' context ever reaches the model", async () => {
    const hooks: EngineOptions["hooks"] = {
      UserPromptSubmit: [
        {
          callback: async (input) =>
            input.prompt === "My password is sesame."
              ? { decision: "block", reason: "No secrets." }
              : { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "Checked." } },
        },
        {
          callback: async () => ({
            hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "Seen by the second." },
          }),
        },
      ],
    };
    const { engine, model, ground, result, shown } = await run(
      { fallback: "Hello." },
      { hooks },
      "My password is sesame.",
    );
    expect(result).toMatchObject({ subtype: "success", terminal_reason: "stop_hook_prevented", result: "" });
    expect(shown).toContain("No secrets.");
    expect(calls(model)).toHaveLength(0);
    await turn(engine, "Hi.");
    const sent = JSON.stringify(calls(model)[0]!.body);
    expect(sent).not.toContain("sesame");
    expect(sent.match(/Seen by the second\./g)).toHaveLength(1);
    await engine.dispose();
    const again = scripted({ fallback: "." });
    const resumed = await openOn(ground, again, { resume: engine.getSessionId() });
    await turn(resumed, "And?");
    expect(JSON.stringify(calls(again)[0]!.body)).not.toContain("sesame");
  });

  test('that answers "continue: false" ends the turn as well', async () => {
    const { hooks } = hooking("UserPromptSubmit", { continue: false, stopReason: "Closed for today." });
    const { model, result, shown } = await run({ fallback: "." }, { hooks });
    expect(result.terminal_reason).toBe("stop_hook_prevented");
    expect(shown).toContain("Closed for today.");
    expect(calls(model)).toHaveLength(0);
  });

  test("and its turn are ended by an interrupt", async () => {
    const { hooks } = hooking("UserPromptSubmit", () => {
      engine.interrupt();
      return new Promise(() => undefined);
    });
    const { engine, model } = await openSession({ fallback: "." }, { hooks });
    const { result } = await turn(engine, "Go.");
    expect(result.terminal_reason).toBe("aborted_streaming");
    expect(calls(model)).toHaveLength(0);
  });

  test("that does not answer in time refuses the prompt", async () => {
    const { hooks } = hooking("UserPromptSubmit", () => new Promise(() => undefined), { timeoutMs: 300 });
    const { result, model, shown } = await run({ fallback: "Hi." }, { hooks });
    expect(result.terminal_reason).toBe("stop_hook_prevented");
    expect(shown).toContain("did not answer");
    expect(calls(model)).toHaveLength(0);
  });
});

describe("SessionStart and SessionEnd hooks", () => {
  const hooks = (told: string[]): EngineOptions["hooks"] => ({
    SessionStart: [
      {
        callback: async (input) => {
          told.push(`start ${input.source}`);
          return {
            hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: `Begun by ${input.source}.` },
          };
        },
      },
    ],
    SessionEnd: [{ callback: async (input) => void told.push(`end ${input.reason}`) }],
  });

  test("run once each with their source or reason over resume, fork and clear", async () => {
    const told: string[] = [];
    const { engine, ground, sent, model } = await run({ fallback: "Hi." }, { hooks: hooks(told) });
    expect(sent).toContain("Begun by startup.");
    await turn(engine, "Again.");
    expect(JSON.stringify(calls(model)[1]!.body).match(/Begun by startup\./g)).toHaveLength(1);
    await engine.dispose();
    for (const extra of [{}, { forkSession: true }]) {
      const options = { resume: engine.getSessionId(), hooks: hooks(told), ...extra };
      const next = await openOn(ground, scripted({ fallback: "." }), options);
      await turn(next, "Go on.");
      await next.clear();
      await turn(next, "Anew.");
      await next.dispose();
    }
    const cleared = ["end clear", "start clear", "end other"];
    expect(told).toEqual(["start startup", "end other", "start resume", ...cleared, "start fork", ...cleared]);
  });

  test("do not run for a session without a prompt", async () => {
    const told: string[] = [];
    const { engine } = await openSession({}, { hooks: hooks(told) });
    await engine.dispose();
    expect(told).toEqual([]);
  });

  test.each(["SessionStart", "UserPromptSubmit"] as const)(
    "are ended like any hook if a reader leaves while %s is awaited",
    async (event) => {
      let given: AbortSignal | undefined;
      const callback: HookCallbackMatcher["callback"] = (_input, { signal }) => {
        given = signal;
        return new Promise(() => undefined);
      };
      const running = new Set<unknown>();
      const clock: NonNullable<EngineOptions["clock"]> = {
        ...impatientClock,
        timer(ms, onFire) {
          const own = {};
          running.add(own);
          const stop = impatientClock.timer(ms === 100 ? 300 : ms, () => {
            running.delete(own);
            onFire();
          });
          return () => {
            running.delete(own);
            stop();
          };
        },
      };
      const { engine } = await openSession({ fallback: "." }, { hooks: { [event]: [{ callback }] }, clock });
      for await (const message of engine.submitMessage("Go."))
        if (message.type === "system" && message.subtype === "informational") break;
      expect(given?.aborted).toBe(true);
      await engine.dispose();
      expect(running.size).toBe(0);
    },
  );

  test.each([
    ["as long as a settings file says, at most a minute", 70, {}, 60_000],
    ["as long as the environment says", 70, { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: "123" }, 123],
    ["for 1.5 seconds by default", undefined, {}, 1_500],
  ])("of SessionEnd are awaited %s", async (_how, timeout, env, limitMs) => {
    const ground = layGround();
    const handler = { type: "command", command: "true", timeout };
    mkdirSync(ground.pawlHome);
    writeFileSync(
      join(ground.pawlHome, "settings.json"),
      JSON.stringify({ hooks: { SessionEnd: [{ hooks: [handler] }] } }),
    );
    const limits: number[] = [];
    const timer: typeof impatientClock.timer = (ms, onFire) => {
      limits.push(ms);
      const handle = setTimeout(onFire, ms);
      return () => clearTimeout(handle);
    };
    const engine = await openOn(ground, scripted({ fallback: "." }), { clock: { ...impatientClock, timer }, env });
    await turn(engine, "Go.");
    limits.splice(0);
    await engine.dispose();
    expect(limits).toContain(limitMs);
    for (const other of [60_000, 123, 1_500].filter((ms) => ms !== limitMs)) expect(limits).not.toContain(other);
  });

  test("of SessionEnd that never answer do not hold dispose() longer than their limit", async () => {
    const { engine } = await run(
      { fallback: "." },
      {
        hooks: { SessionEnd: [{ callback: () => new Promise(() => undefined) }] },
        clock: { ...impatientClock, timer: (ms, onFire) => impatientClock.timer(ms === 1_500 ? 30 : ms, onFire) },
      },
    );
    await engine.dispose();
  });
});
