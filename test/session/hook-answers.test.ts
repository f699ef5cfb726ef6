// What hooks may answer beside a decision: a title, the first message, an end before the beginning, a sign for the terminal.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { listSessions, type EngineOptions } from "../../src/index.ts";
import type { HookEvent } from "../../src/protocol/hook.ts";
import type { Part } from "../../src/testing/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const bash = (command: string): Part => ({ tool: "Bash", input: { command } });

function answering(event: HookEvent, answer: unknown, ...later: unknown[]) {
  const inputs: Record<string, unknown>[] = [];
  const answers = [answer, ...later];
  const callback = async (input: Record<string, unknown>) => {
    inputs.push(input);
    return (answers.length > 1 ? answers.shift() : answers[0]) as undefined;
  };
  return { inputs, hooks: { [event]: [{ callback }] } as EngineOptions["hooks"] };
}

const specific = (hookEventName: HookEvent, more: object) => ({ hookSpecificOutput: { hookEventName, ...more } });

async function opened(options: EngineOptions, steps: (string | { content: Part[] })[] = [], ground = layGround()) {
  const model = scripted({ steps, fallback: "Done." });
  const notices: string[] = [];
  const engine = await openOn(ground, model, { onNotice: (text) => notices.push(text), ...options });
  const sent = (): string => JSON.stringify(model.requests.map(({ body }) => body));
  return { ground, model, engine, notices, sent };
}

describe("a SessionStart hook", () => {
  test('that answers "continue: false" stops the session before its first request until it allows it', async () => {
    const { hooks, inputs } = answering("SessionStart", { continue: false, stopReason: "Use the other branch." }, {});
    const { engine, model, sent } = await opened({ hooks });
    const first = await turn(engine, "The first prompt.");
    expect(model.requests).toHaveLength(0);
    expect(first.result).toMatchObject({ terminal_reason: "stop_hook_prevented" });
    expect(JSON.stringify(first.messages)).toContain("Use the other branch.");
    const second = await turn(engine, "The second prompt.");
    expect(second.result).toMatchObject({ subtype: "success", result: "Done." });
    expect(inputs).toHaveLength(2);
    expect(sent()).toContain("The second prompt.");
    expect(sent()).not.toContain("The first prompt.");
  });

  test("sets the session's title, and gets the current one in its input", async () => {
    const { hooks, inputs } = answering(
      "SessionStart",
      specific("SessionStart", { sessionTitle: "The\u001b[2J parser" }),
    );
    const { ground, engine } = await opened({ hooks });
    await turn(engine, "Go.");
    const sessionId = engine.getSessionId();
    await engine.dispose();
    const known = { dir: ground.work, home: ground.home };
    expect(await listSessions(known)).toMatchObject([{ sessionId, customTitle: "The parser" }]);
    const again = await opened({ hooks, resume: sessionId }, [], ground);
    await turn(again.engine, "On.");
    expect(inputs).toMatchObject([{}, { source: "resume", session_title: "The parser" }]);
    expect(inputs[0]).not.toHaveProperty("session_title");
  });

  test("can have the skills rescanned before the first request", async () => {
    const ground = layGround();
    const folder = join(ground.work, ".pawl/skills/late");
    const callback = async () => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "SKILL.md"), "---\nname: late\ndescription: came late\n---\nDo it late.");
      return specific("SessionStart", { reloadSkills: true });
    };
    const { engine, sent } = await opened({ hooks: { SessionStart: [{ callback }] }, trust: true }, [], ground);
    await turn(engine, "Go.");
    expect(sent()).toMatch(/- late: came late \(read [^)]*late\/SKILL\.md\)/u);
  });

  test("starts a headless session with a message, but not an interactive one", async () => {
    const { hooks } = answering("SessionStart", specific("SessionStart", { initialUserMessage: "Read the ticket." }));
    const { engine, sent } = await opened({ hooks });
    await turn(engine, "Go.");
    expect(sent()).toContain("Read the ticket.");
    const typed = await opened({ hooks, headless: false });
    await turn(typed.engine, "Go.");
    expect(typed.sent()).not.toContain("Read the ticket.");
  });
});

test("a UserPromptSubmit hook sets the session's title", async () => {
  const { hooks } = answering("UserPromptSubmit", specific("UserPromptSubmit", { sessionTitle: "Named" }));
  const { ground, engine } = await opened({ hooks });
  await turn(engine, "Go.");
  await engine.dispose();
  const found = await listSessions({ dir: ground.work, home: ground.home });
  expect(found).toMatchObject([{ customTitle: "Named" }]);
});

test("an agent that a SubagentStart hook stops sends no request", async () => {
  const { hooks } = answering("SubagentStart", { continue: false, stopReason: "No agents today." });
  const call: Part = { tool: "Agent", input: { description: "d", prompt: "p", subagent_type: "general-purpose" } };
  const { engine, model } = await opened({ hooks }, [{ content: [call] }]);
  const { result } = await turn(engine, "Go.");
  expect(result).toMatchObject({ subtype: "success" });
  expect(model.requests).toHaveLength(2);
  expect(JSON.stringify(model.requests[1]?.body)).toContain("A hook stopped the agent before it gave an answer.");
});

describe("a terminal sequence from a hook", () => {
  const title = "\u001b]0;pawl\u0007";

  test.each<[HookEvent, unknown]>([
    ["SessionStart", {}],
    ["Stop", {}],
    ["PreToolUse", {}],
    ["SessionEnd", {}],
  ])("is written on %s if it is permitted", async (event) => {
    const signs: string[] = [];
    const { hooks } = answering(event, { terminalSequence: title });
    const { engine } = await opened({ hooks, onTerminalSequence: (sign) => signs.push(sign) }, [
      { content: [bash("ls")] },
    ]);
    await turn(engine, "Go.");
    await engine.dispose();
    expect(signs).toEqual([title]);
  });

  test("is reported and not written if it is anything else", async () => {
    const signs: string[] = [];
    const { hooks } = answering("SessionStart", { terminalSequence: "\u001b]52;c;aGk=\u0007" });
    const { engine } = await opened({ hooks, onTerminalSequence: (sign) => signs.push(sign) });
    const { messages } = await turn(engine, "Go.");
    expect(signs).toEqual([]);
    expect(JSON.stringify(messages)).toContain("terminalSequence that is not one of those permitted");
  });
});

test("a command's output that a hook replaced is sent to the model as the command's output", async () => {
  const callback = async ({ tool_response }: Record<string, unknown>) => {
    const output = tool_response as { stdout: string };
    return specific("PostToolUse", {
      updatedToolOutput: { ...output, stdout: output.stdout.replace("hunter2", "***") },
    });
  };
  const { engine, sent } = await opened({ hooks: { PostToolUse: [{ callback }] } }, [
    { content: [bash("echo password hunter2")] },
  ]);
  await turn(engine, "Go.");
  expect(sent()).toContain('"content":"password ***"');
  // Only the call itself still says it.
  expect(sent().split("password hunter2")).toHaveLength(2);
});

describe("a system message of a hook outside the conversation", () => {
  test.each<[HookEvent, Part]>([
    ["CwdChanged", bash("cd sub")],
    ["PermissionRequest", bash("touch made")],
  ])("is shown to people: %s", async (event, part) => {
    const { hooks } = answering(event, { systemMessage: "Look here." });
    const ground = layGround();
    mkdirSync(join(ground.work, "sub"));
    const { engine, notices } = await opened({ hooks }, [{ content: [part] }], ground);
    await turn(engine, "Go.");
    await engine.dispose();
    expect(notices).toContain("Look here.");
  });

  test("a PermissionRequest hook that says to stop ends the turn", async () => {
    const allow = specific("PermissionRequest", { decision: { behavior: "allow" } });
    const { hooks } = answering("PermissionRequest", { continue: false, stopReason: "Enough.", ...allow });
    const { ground, engine, model } = await opened({ hooks }, [{ content: [bash("touch made")] }]);
    await turn(engine, "Go.");
    expect(existsSync(join(ground.work, "made"))).toBe(false);
    expect(model.requests).toHaveLength(1);
    expect(readFileSync(engine.getTranscriptPath() ?? "", "utf8")).toContain("Enough.");
  });
});
