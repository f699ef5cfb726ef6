// What the reader of a turn is told of hooks: that they begin, what they print, how they end, and how often they may block.
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions, SDKMessage } from "../../src/index.ts";
import type { Part } from "../../src/testing/index.ts";
import { put } from "../support/put.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

type Named = { type: string; subtype?: string; [key: string]: unknown };

const command = (text: string, more: object = {}) => ({ hooks: [{ type: "command", command: text, ...more }] });
const glob: Part = { tool: "Glob", input: { pattern: "*" } };

async function run(hooks: object, options: EngineOptions = {}) {
  const model = scripted({ steps: [{ content: [glob] }], fallback: "Done." });
  const engine = await openOn(layGround(), model, { settings: JSON.stringify({ hooks }), ...options });
  const { messages, result } = await turn(engine, "Go.");
  return { messages, result, engine, told: ofHooks(messages) };
}

function ofHooks(messages: readonly SDKMessage[]): Named[] {
  return (messages as unknown as Named[]).filter(({ subtype }) => subtype?.startsWith("hook_") === true);
}

function tagged(messages: readonly SDKMessage[], tag: string): Named[] {
  return (messages as unknown as Named[]).filter((message) => message["tag"] === tag);
}

describe("hook messages", () => {
  test("are sent for the session's start only, unless all are requested", async () => {
    const hooks = { SessionStart: [command("echo hello")], PreToolUse: [command("exit 3")], Stop: [command("true")] };
    const { told, messages } = await run(hooks);
    expect(told).toMatchObject([
      { subtype: "hook_started", hook_name: "SessionStart:startup", hook_event: "SessionStart" },
      { subtype: "hook_response", stdout: "hello\n", output: "hello\n", exit_code: 0, outcome: "success" },
    ]);
    expect(told[0]?.["hook_id"]).toBe(told[1]?.["hook_id"]);
    expect(messages.at(-1)?.type).toBe("result");
    const all = (await run(hooks, { includeHookEvents: true })).told;
    expect(all.map(({ subtype, hook_name: name, outcome }) => [subtype, name, outcome].join(" ").trim())).toEqual([
      "hook_started SessionStart:startup",
      "hook_response SessionStart:startup success",
      "hook_started PreToolUse:Glob",
      "hook_response PreToolUse:Glob error",
      "hook_started Stop",
      "hook_response Stop success",
    ]);
  });

  test("mark background hooks as async", async () => {
    const hooks = { PreToolUse: [command("true", { async: true }), command("false")] };
    const { told } = await run(hooks, { includeHookEvents: true });
    const begun = told.filter(({ subtype }) => subtype === "hook_started");
    expect(begun.map(({ command: name, async }) => [name, async])).toEqual([
      ["true", true],
      ["false", undefined],
    ]);
  });

  test("are sent for hooks of agents too, and every started hook gets a response", async () => {
    const task: Part = { tool: "Agent", input: { description: "a task", prompt: "Look." } };
    const reply = ({ firstUserText, turns }: { firstUserText: string; turns: number }) =>
      firstUserText.includes("Go.") || turns > 0 ? "Done." : { content: [glob] };
    const model = scripted({ steps: [{ content: [task] }], rules: [{ when: { call: 2 }, reply }], fallback: reply });
    const hooks = { PreToolUse: [command("true", { matcher: "Glob" })], SubagentStop: [command("true")] };
    const settings = JSON.stringify({ hooks });
    const engine = await openOn(layGround(), model, { settings, includeHookEvents: true });
    const names = ofHooks((await turn(engine, "Go.")).messages).map(
      (told) => `${told.subtype} ${String(told["hook_event"])}`,
    );
    expect(names.filter((name) => name.endsWith("SubagentStop"))).toEqual([
      "hook_started SubagentStop",
      "hook_response SubagentStop",
    ]);
    expect(names.filter((name) => name.startsWith("hook_response PreToolUse")).length).toBeGreaterThan(1);
    const failing = scripted({ fallback: { fault: "forbidden" } });
    const other = JSON.stringify({ hooks: { StopFailure: [command("true")] } });
    const failed = await openOn(layGround(), failing, { settings: other, includeHookEvents: true });
    expect(ofHooks((await turn(failed, "Go.")).messages)).toEqual([]);
  });

  test.each([
    ["by its name", "/guard", []],
    ["by the model", "Go.", [{ tool: "Skill", input: { skill: "guard" } }]],
  ] as [string, string, Part[]][])(
    "are sent for hooks of a skill that the turn starts %s",
    async (_, prompt, begun) => {
      const ground = layGround();
      const hooks = JSON.stringify({ PreToolUse: [command("true", {})], Stop: [command("true")] });
      put(join(ground.pawlHome, "skills/guard/SKILL.md"), `---\ndescription: d\nhooks: ${hooks}\n---\nGuard.`);
      const model = scripted({
        steps: [...begun.map((part) => ({ content: [part] })), { content: [glob] }],
        fallback: "Done.",
      });
      const engine = await openOn(ground, model, { includeHookEvents: true });
      const told = ofHooks((await turn(engine, prompt)).messages);
      expect(told.map(({ subtype, hook_name: name }) => `${subtype} ${String(name)}`)).toEqual(
        ["PreToolUse:Glob", "Stop"].flatMap((name) => [`hook_started ${name}`, `hook_response ${name}`]),
      );
    },
  );

  test("follow the message with the call that the hook is about", async () => {
    const { messages } = await run({ PreToolUse: [command("true")] }, { includeHookEvents: true });
    const isCall = (message: SDKMessage): boolean =>
      message.type === "assistant" && message.message.content[0]?.type === "tool_use";
    const isStart = (message: SDKMessage): boolean => message.type === "system" && message.subtype === "hook_started";
    expect(messages.findIndex(isCall)).toBeGreaterThan(-1);
    expect(messages.findIndex(isStart)).toBeGreaterThan(messages.findIndex(isCall));
  });

  test("arrive while the hook runs, with its output so far", async () => {
    const slow = `echo first; while [ ! -e go ]; do sleep 0.02; done; echo second >&2`;
    const model = scripted({ steps: [], fallback: "Done." });
    const ground = layGround();
    const settings = JSON.stringify({ hooks: { Stop: [command(slow, { statusMessage: "Thinking it over" })] } });
    const engine = await openOn(ground, model, { settings, includeHookEvents: true });
    const seen: Named[] = [];
    for await (const message of engine.submitMessage("Go.")) {
      const named = message as unknown as Named;
      seen.push(...ofHooks([message]));
      if (named.subtype === "hook_progress") {
        const { writeFileSync } = await import("node:fs");
        writeFileSync(`${ground.work}/go`, "");
      }
    }
    expect(seen[0]).toMatchObject({ subtype: "hook_started", status_message: "Thinking it over" });
    expect(seen[1]).toMatchObject({ subtype: "hook_progress", stdout: "first\n", stderr: "", output: "first\n" });
    expect(seen.at(-1)).toMatchObject({ subtype: "hook_response", stdout: "first\n", stderr: "second\n" });
  });

  test("say that a hook is async if it says so only while it runs", async () => {
    const untilGo = "while [ ! -e go ]; do sleep 0.02; done";
    const model = scripted({ steps: [], fallback: "Done." });
    const ground = layGround();
    const hooks = { UserPromptSubmit: [command(`echo '{"async": true}'; ${untilGo}`)], Stop: [command(untilGo)] };
    const engine = await openOn(ground, model, { settings: JSON.stringify({ hooks }), includeHookEvents: true });
    const seen: Named[] = [];
    for await (const message of engine.submitMessage("Go.")) {
      seen.push(...ofHooks([message]));
      if (seen.at(-1)?.subtype === "hook_progress") put(join(ground.work, "go"), "");
    }
    const told = seen.map(({ subtype, hook_event: event, async }) => [event, subtype, async]);
    expect(told.slice(0, 3)).toEqual([
      ["UserPromptSubmit", "hook_started", undefined],
      ["Stop", "hook_started", undefined],
      ["UserPromptSubmit", "hook_progress", true],
    ]);
  });

  test("are sent for a manual compaction, or after the next init if nobody read them", async () => {
    const hooks = { SessionStart: [command("true")] };
    const summary = { when: { compacts: true }, reply: "They spoke." };
    const model = scripted({ rules: [summary], steps: [], fallback: "many words ".repeat(4_000) });
    const engine = await openOn(layGround(), model, { settings: JSON.stringify({ hooks }) });
    for (const prompt of ["One.", "Two.", "Three."]) await turn(engine, prompt);
    const shown: SDKMessage[] = [];
    for await (const message of engine.compact()) shown.push(message);
    expect(ofHooks(shown).map(({ hook_name: name }) => name)).toEqual(["SessionStart:compact", "SessionStart:compact"]);
    const { messages } = await turn(engine, "Go on.");
    expect(messages[0]).toMatchObject({ subtype: "init" });
  });

  test("of a finished hook may be the last a reader takes: no further hook starts then", async () => {
    const asked: string[] = [];
    const hooks: EngineOptions["hooks"] = {
      SessionStart: [{ callback: async () => void asked.push("SessionStart") }],
      UserPromptSubmit: [{ callback: async () => void asked.push("UserPromptSubmit") }],
    };
    const engine = await openOn(layGround(), scripted({ steps: [], fallback: "Done." }), { hooks });
    for await (const message of engine.submitMessage("Go."))
      if (message.type === "system" && message.subtype === "hook_response") break;
    expect(asked).toEqual(["SessionStart"]);
  });

  test("are cut to 10,000 characters, and mark a timed-out hook as cancelled", async () => {
    const { told } = await run(
      { Stop: [command("head -c 200000 /dev/zero | tr '\\0' x"), command("sleep 30", { timeout: 0.05 })] },
      { includeHookEvents: true },
    );
    const ends = told.filter(({ subtype }) => subtype === "hook_response");
    expect(ends.map(({ outcome }) => String(outcome)).toSorted((one, other) => one.localeCompare(other))).toEqual([
      "cancelled",
      "success",
    ]);
    for (const { stdout } of ends) expect(String(stdout).length).toBeLessThanOrEqual(10_000);
  });
});

describe("the end of a turn", () => {
  test("sends one summary of all hooks that ran, and a notice for a failed one", async () => {
    const { messages } = await run({ Stop: [command("true"), command("echo oh >&2; exit 9")] });
    const [summary, ...more] = tagged(messages, "stop_hook_summary");
    expect(more).toEqual([]);
    expect(summary).toMatchObject({
      subtype: "informational",
      level: "info",
      content: expect.stringMatching(
        /^2 Stop hooks ran: true \([\d.]+ s\), echo oh >&2; exit 9 \([\d.]+ s, failed\)\.$/u,
      ) as string,
      data: {
        event: "Stop",
        hooks: [
          { command: "true", outcome: "success", duration_ms: expect.any(Number) as number },
          { outcome: "error", error: expect.stringContaining("oh") as string },
        ],
      },
    });
    expect(tagged(messages, "hook")).toMatchObject([{ level: "warning" }]);
  });

  test("without hooks sends no summary", async () => {
    const { messages } = await run({ Stop: [{ hooks: [] }], PreToolUse: [command("true")] });
    expect(tagged(messages, "stop_hook_summary")).toEqual([]);
  });

  test.each([
    ["2", 3],
    ["0", 20],
  ])("that a Stop hook blocks with the cap set to %s comes after %d runs", async (cap, runs) => {
    const seen: unknown[] = [];
    const callback = async ({ stop_hook_active: isActive }: { stop_hook_active?: boolean }) => {
      seen.push(isActive);
      return seen.length < 20 ? { decision: "block", reason: "more" } : {};
    };
    const model = scripted({ steps: [], fallback: "Done." });
    const engine = await openOn(layGround(), model, {
      hooks: { Stop: [{ callback }] },
      env: { ...process.env, CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: cap, ANTHROPIC_API_KEY: "k" },
    });
    const { messages, result } = await turn(engine, "Go.");
    expect(result).toMatchObject({ subtype: "success", terminal_reason: "completed" });
    expect(seen).toEqual([false, ...Array.from({ length: runs - 1 }, () => true)]);
    const told = tagged(messages, "stop_hook_cap");
    if (cap === "0") expect(told).toEqual([]);
    else
      expect(told).toMatchObject([{ content: expect.stringContaining("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP") as string }]);
  });
});
