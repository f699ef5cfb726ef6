// A session that is replaced by another in the same process: an earlier one, or a copy of it.
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/session/options/options.ts";
import type { QueryEngine } from "../../src/session/engine.ts";
import { acquireLock } from "../../src/transcript/index.ts";
import type { Script, ScriptedModel } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  linesOf,
  openOn,
  openSession,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

/** A session of earlier, in which something was said, and which nobody holds. */
async function earlier(ground: Ground, prompt: string, change?: (engine: QueryEngine) => void): Promise<string> {
  const engine = await openOn(ground, scripted({ fallback: "Noted." }));
  await turn(engine, prompt);
  change?.(engine);
  await turn(engine, "Is it?");
  await engine.dispose();
  return engine.getSessionId();
}

function lastRequest(model: ScriptedModel): string {
  return JSON.stringify(calls(model).at(-1)?.body);
}

function told(log: string[]): NonNullable<EngineOptions["hooks"]> {
  return {
    SessionStart: [{ callback: async (input) => void log.push(`start ${input.source}`) }],
    SessionEnd: [{ callback: async (input) => void log.push(`end ${input.reason}`) }],
  };
}

describe("resume()", () => {
  test("opens an earlier session as it was left, and releases the current one", async () => {
    const ground = layGround();
    const other = await earlier(ground, "Remember the milk.", (engine) => engine.setModel("claude-haiku-5-5"));
    const model = scripted({ fallback: "Yes." });
    const engine = await openOn(ground, model, { model: undefined });
    await turn(engine, "Remember the bread.");
    const [id, path] = [engine.getSessionId(), engine.getTranscriptPath()!];
    await engine.resume(other.slice(0, 8));
    expect(engine.getSessionId()).toBe(other);
    expect([engine.getModel(), engine.getPermissionMode()]).toEqual(["claude-haiku-5-5", "default"]);
    await turn(engine, "What is to be remembered?");
    expect(lastRequest(model)).toContain("milk");
    expect(lastRequest(model)).not.toContain("bread");
    acquireLock(path).release();
    expect(() => acquireLock(engine.getTranscriptPath()!)).toThrow(/this process/);
    // And back again.
    await engine.resume(id);
    await turn(engine, "And here?");
    expect(lastRequest(model)).toContain("bread");
    expect(lastRequest(model)).not.toContain("milk");
  });

  test("keeps what the options say, but not what was chosen or allowed in the session it leaves", async () => {
    const ground = layGround();
    const other = await earlier(ground, "One.");
    const { engine, model } = await openSession({ fallback: "." }, { effort: "low" }, ground);
    await turn(engine, "Two.");
    engine.setModel("claude-haiku-5-5");
    engine.setEffort("high");
    engine.setPermissionMode("acceptEdits");
    await engine.resume(other);
    await turn(engine, "Three.");
    expect([engine.getModel(), engine.getPermissionMode()]).toEqual(["claude-sonnet-5-5", "default"]);
    expect(lastRequest(model)).toContain('"effort":"low"');
    await engine.clear();
    expect([engine.getSessionId() === other, engine.getMessages()]).toEqual([false, []]);
  });

  test.each([
    [{ thinking: { type: "enabled", budgetTokens: 2_000 } } as const],
    [{ maxThinkingTokens: 2_000 }],
    [{ env: { MAX_THINKING_TOKENS: "2000" } }],
  ])("keeps the thinking of %j, but not a budget that was set in the session it leaves", async (options) => {
    const ground = layGround();
    const other = await earlier(ground, "One.");
    const { engine, model } = await openSession({ fallback: "." }, { model: "claude-haiku-4-5", ...options }, ground);
    engine.desk.setMaxThinkingTokens(3_000);
    await turn(engine, "Two.");
    expect(lastRequest(model)).toContain('"budget_tokens":3000');
    await engine.resume(other);
    await turn(engine, "Three.");
    expect(lastRequest(model)).toContain('"budget_tokens":2000');
  });

  test("tells hooks that a session ends and another one starts", async () => {
    const ground = layGround();
    const other = await earlier(ground, "One.");
    const log: string[] = [];
    const engine = await openOn(ground, scripted({ fallback: "." }), { hooks: told(log) });
    await turn(engine, "Two.");
    await engine.resume(other);
    await turn(engine, "Three.");
    await engine.branch();
    await turn(engine, "Four.");
    await engine.dispose();
    expect(log).toEqual(["start startup", "end resume", "start resume", "end resume", "start fork", "end other"]);
  });

  test.each([
    ["no session has that name", async () => "none of that name", /No conversation found/],
    [
      "it is the current session",
      async (engine: QueryEngine) => engine.getSessionId(),
      /You are already in this session/,
    ],
    [
      "it is the current session, given by its title",
      async (engine: QueryEngine) => (engine.desk.setTitle("mine"), "mine"),
      /already/,
    ],
    [
      "another process has it open",
      async (_: QueryEngine, ground: Ground) => {
        const holder = await openOn(ground, scripted({ fallback: "." }));
        await turn(holder, "Mine.");
        return holder.getSessionId();
      },
      /is open in this process/,
    ],
  ])("fails if %s, and the current session goes on", async (_, wanted, refusal) => {
    const ground = layGround();
    const { engine, model } = await openSession({ fallback: "." }, {}, ground);
    await turn(engine, "Remember the milk.");
    const id = engine.getSessionId();
    await expect(engine.resume(await wanted(engine, ground))).rejects.toThrow(refusal);
    await turn(engine, "Go on.");
    expect(engine.getSessionId()).toBe(id);
    expect(lastRequest(model)).toContain("milk");
  });

  test("takes queued input along, and refuses a submit meanwhile", async () => {
    const ground = layGround();
    const other = await earlier(ground, "One.");
    const { engine } = await openSession({}, {}, ground);
    engine.enqueue("later", "0b2d5a0c-77a4-4f2a-8a43-2f9a6f2d3c11");
    const leaving = engine.resume(other);
    await expect(engine.submitMessage("Now.").next()).rejects.toThrow(/left for another/);
    await leaving;
    expect(engine.takeQueued()).toMatchObject({ uuid: "0b2d5a0c-77a4-4f2a-8a43-2f9a6f2d3c11" });
  });

  test("and dispose() at the same time leave nothing open", async () => {
    const ground = layGround();
    const other = await earlier(ground, "One.");
    const { engine } = await openSession({}, {}, ground);
    const path = engine.getTranscriptPath()!;
    await Promise.all([engine.resume(other), engine.dispose()]);
    acquireLock(path).release();
    acquireLock(path.replace(engine.getSessionId(), other)).release();
  });
});

// Seen: of a host that closed its engine at once, the session to come still held its lock.
test.each<[string, (engine: QueryEngine, other: string) => Promise<void>]>([
  ["resume()", (engine, other) => engine.resume(other)],
  ["clear()", (engine) => engine.clear()],
  ["branch()", (engine) => engine.branch()],
])(
  "a session that is being left by %s is closed, as the next one is, once dispose() has settled",
  async (_name, leave) => {
    const ground = layGround();
    const other = await earlier(ground, "One.");
    const { engine } = await openSession({ fallback: "Noted." }, {}, ground);
    await turn(engine, "Two.");
    const folder = dirname(engine.getTranscriptPath()!);
    const leaving = leave(engine, other);
    await engine.dispose();
    expect(readdirSync(folder).filter((name) => name.endsWith(".lock"))).toEqual([]);
    await leaving;
  },
);

describe("branch()", () => {
  test("continues in a copy with all choices and permissions, and leaves the original unchanged", async () => {
    const ground = layGround();
    const asked: string[] = [];
    const model = scripted({
      steps: [
        "Noted.",
        { content: [{ tool: "Bash", input: { command: "touch one" } }] },
        "One.",
        { content: [{ tool: "Bash", input: { command: "touch two" } }] },
        "Two.",
      ],
    });
    const engine = await openOn(ground, model, {
      ask: async ({ toolUseId }) => {
        asked.push(toolUseId);
        return { behavior: "allow", rule: "Bash(touch *)" };
      },
    });
    await turn(engine, "Remember the milk.");
    engine.setEffort("high");
    await turn(engine, "Touch one.");
    const [id, lines] = [engine.getSessionId(), linesOf(engine).length];
    await engine.branch("another way");
    expect([engine.getSessionId() === id, engine.desk.title]).toEqual([false, "another way"]);
    await turn(engine, "Touch two.");
    expect(lastRequest(model)).toContain("milk");
    expect(lastRequest(model)).toContain('"effort":"high"');
    expect(asked).toHaveLength(1);
    await engine.resume(id);
    expect(linesOf(engine)).toHaveLength(lines);
    expect(engine.desk.title).toBeUndefined();
  });

  test("up to any message sends a valid request with nothing from later messages", async () => {
    const ground = layGround();
    const steps: Script["steps"] = [
      "Noted.",
      {
        content: [
          "I look.",
          { tool: "Bash", input: { command: "echo one" } },
          { tool: "Bash", input: { command: "echo two" } },
        ],
      },
      "Both.",
      "Last.",
    ];
    const model = scripted({ steps, fallback: "." });
    const engine = await openOn(ground, model, { permissionMode: "bypassPermissions" });
    for (const prompt of ["Remember the milk.", "Look.", "And the bread."]) await turn(engine, prompt);
    const [id, messages] = [engine.getSessionId(), engine.getMessages()];
    expect(messages.length).toBeGreaterThan(10);
    for (const [at, { uuid }] of messages.entries()) {
      await engine.branch(undefined, { upToMessageId: uuid });
      const later = messages.slice(at + 1).find((message) => message.type === "user" && message.origin === "human");
      const { result } = await turn(engine, "Go on.");
      expect(result.subtype).toBe("success");
      if (later?.type === "user")
        expect(lastRequest(model)).not.toContain(JSON.stringify(later.content[0]).slice(1, -1));
      await engine.resume(id);
      expect(engine.getMessages()).toHaveLength(messages.length);
    }
    await expect(engine.branch(undefined, { upToMessageId: "none" })).rejects.toThrow(/has no message none/);
    expect(engine.getSessionId()).toBe(id);
  });

  test("up to any message left by a compaction sends a valid request, too", async () => {
    const steps = Array.from({ length: 4 }, () => "It was long ago. ".repeat(2_000));
    const engine = await openOn(layGround(), scripted({ steps, fallback: "In short." }));
    for (const prompt of ["One.", "Two.", "Three.", "Four."]) await turn(engine, prompt);
    const before = engine.getMessages().map(({ uuid }) => uuid);
    for await (const _ of engine.compact()) continue;
    expect(engine.getMessages().filter(({ uuid }) => before.includes(uuid)).length).toBeLessThan(before.length);
    await turn(engine, "Five.");
    const [id, messages] = [engine.getSessionId(), engine.getMessages()];
    for (const { uuid } of messages) {
      await engine.branch(undefined, { upToMessageId: uuid });
      expect((await turn(engine, "Go on.")).result.subtype).toBe("success");
      await engine.resume(id);
    }
  });

  test("fails if the session is not persisted", async () => {
    for (const options of [{}, { persistSession: false }]) {
      const { engine } = await openSession({ fallback: "." }, options);
      if (options.persistSession === false) await turn(engine, "Hello.");
      await expect(engine.branch()).rejects.toThrow(/nothing of this session is kept/);
      expect((await turn(engine, "Go on.")).result.subtype).toBe("success");
    }
  });
});
