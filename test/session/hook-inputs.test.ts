// What hooks are told, of each event: the fields of the convention, in the session and in its agents.
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { HookEvent } from "../../src/protocol/hook.ts";
import type { Part, Script } from "../../src/testing/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

type Input = Record<string, unknown>;

/** What readers of transcripts look for in a line. */
interface ReadLine {
  type: string;
  isMeta?: boolean;
  message?: { role?: string; content?: unknown; usage?: unknown };
}

function listening(...events: (HookEvent | [HookEvent, string])[]) {
  const inputs: Input[] = [];
  const callback = async (input: Input) => void inputs.push(input);
  const hooks = events.map((given) => {
    const [event, matcher] = typeof given === "string" ? [given] : given;
    return [event, [{ callback, ...(matcher === undefined ? {} : { matcher }) }]];
  });
  const of = (event: HookEvent): Input[] => inputs.filter(({ hook_event_name }) => hook_event_name === event);
  return { of, hooks: Object.fromEntries(hooks) as EngineOptions["hooks"] };
}

async function ran(script: Script, options: EngineOptions) {
  const engine = await openOn(layGround(), scripted({ fallback: "Done.", ...script }), options);
  const { result } = await turn(engine, "Go.");
  await engine.dispose();
  return { engine, result };
}

const call = (...content: Part[]) => ({ content });
const bash = (command: string): Part => ({ tool: "Bash", input: { command } });
const agent = call({ tool: "Agent", input: { description: "a task", prompt: "Look." } });

describe("inside an agent", () => {
  const both: HookEvent[] = ["SubagentStart", "SubagentStop"];

  test.each(both)("%s hooks are matched by the agent's type", async (event) => {
    const told = listening([event, "general-purpose"]);
    await ran({ steps: [agent, "Seen.", "Done."] }, { hooks: told.hooks });
    expect(told.of(event)).toMatchObject([{ agent_type: "general-purpose" }]);
    const other = listening([event, "reviewer"]);
    await ran({ steps: [agent, "Seen.", "Done."] }, { hooks: other.hooks });
    expect(other.of(event)).toEqual([]);
  });

  test("the transcript path is the session's, and the agent's own comes at its end", async () => {
    const told = listening("PreToolUse", ...both);
    const steps = [agent, call(bash("true")), "Seen.", "Done."];
    const { engine } = await ran({ steps }, { hooks: told.hooks });
    const path = engine.getTranscriptPath();
    for (const event of ["PreToolUse", ...both] as const)
      expect(told.of(event).map(({ transcript_path }) => transcript_path)).toEqual(told.of(event).map(() => path));
    const [end] = told.of("SubagentStop");
    expect(String(end?.["agent_transcript_path"])).toContain(`agent-${String(end?.["agent_id"])}.jsonl`);
  });
});

test("a Stop hook finds the messages, calls and usage of the turn in the transcript", async () => {
  const seen: { said: string[]; calls: string[]; usage: unknown[]; prompts: unknown[] }[] = [];
  const callback = async ({ transcript_path: path }: Input) => {
    const lines = readFileSync(String(path), "utf8").trim().split("\n");
    const entries = lines.map((line) => JSON.parse(line) as ReadLine);
    const answers = entries.filter(({ message }) => message?.role === "assistant");
    const blocks = answers.flatMap(({ message }) => message?.content as { type: string; text: string; name: string }[]);
    seen.push({
      said: blocks.flatMap(({ type, text }) => (type === "text" ? [text] : [])),
      calls: blocks.flatMap(({ type, name }) => (type === "tool_use" ? [name] : [])),
      usage: answers.map(({ message }) => message?.usage),
      prompts: entries
        .filter(({ type, isMeta }) => type === "user" && isMeta !== true)
        .flatMap(({ message }) => (typeof message?.content === "string" ? [message.content] : [])),
    });
  };
  const steps = [call("I look.", { tool: "Read", input: { file_path: "none.txt" } }), "Done."];
  await ran({ steps }, { hooks: { Stop: [{ callback }] } });
  const usage = { input_tokens: expect.any(Number), cache_read_input_tokens: expect.any(Number) };
  expect(seen).toEqual([
    {
      said: ["I look.", "Done."],
      calls: ["Read"],
      usage: Array.from({ length: 3 }, () => expect.objectContaining(usage)),
      prompts: ["Go."],
    },
  ]);
});

test("a main thread led by an agent has an agent type in hook inputs, but no agent id", async () => {
  const told = listening("SessionStart", "Stop");
  const agents = { reviewer: { description: "reviews", prompt: "You review." } };
  const { engine } = await ran({}, { hooks: told.hooks, agents, agent: "reviewer" });
  expect(told.of("SessionStart")).toMatchObject([{ agent_type: "reviewer", model: engine.getModel() }]);
  expect(told.of("Stop")[0]).not.toHaveProperty("agent_id");
});

test("SessionStart hooks get the model and the title after a compaction, as at the start", async () => {
  const told = listening("SessionStart");
  const summary = { when: { compacts: true }, reply: "They spoke." };
  const model = scripted({ rules: [summary], fallback: "many words ".repeat(4_000) });
  const engine = await openOn(layGround(), model, { hooks: told.hooks });
  for (const prompt of ["One.", "/rename Ports", "Two.", "Three.", "/compact"]) await turn(engine, prompt);
  expect(told.of("SessionStart")).toMatchObject([
    { source: "startup", model: engine.getModel() },
    { source: "compact", model: engine.getModel(), session_title: "Ports" },
  ]);
});

test("Stop hooks get the tasks that still run in the background", async () => {
  const told = listening("Stop");
  const background: Part = {
    tool: "Bash",
    input: { command: "sleep 60", description: "x".repeat(1_010), run_in_background: true },
  };
  const options = { hooks: told.hooks, allowedTools: ["Bash"], headless: false };
  await ran({ steps: [call(background), "One."] }, options);
  expect(told.of("Stop")).toMatchObject([
    {
      background_tasks: [
        {
          type: "shell",
          status: "running",
          command: "sleep 60",
          description: `${"x".repeat(1_000)}… [+10 chars]`,
          id: expect.any(String) as string,
        },
      ],
    },
  ]);
  const quiet = listening("Stop", "SubagentStop");
  const unwatched = call({
    tool: "Agent",
    input: { description: "a task", prompt: "Look.", run_in_background: true },
  });
  await ran(
    { rules: [{ when: { system: "another agent" }, reply: "Seen." }], steps: [unwatched] },
    { hooks: quiet.hooks },
  );
  expect(quiet.of("SubagentStop")).toMatchObject([{ background_tasks: [] }]);
  await ran({}, { hooks: quiet.hooks });
  expect(quiet.of("Stop").at(-1)).toMatchObject({ background_tasks: [] });
});

test("PostToolUse and PostToolUseFailure hooks get the duration of the call", async () => {
  const told = listening("PostToolUse", "PostToolUseFailure");
  const options = { hooks: told.hooks, allowedTools: ["Bash"] };
  await ran({ steps: [call(bash("sleep 0.2")), call(bash("false"))] }, options);
  const [done] = told.of("PostToolUse");
  expect(done?.["duration_ms"]).toBeGreaterThanOrEqual(200);
  expect(told.of("PostToolUseFailure")[0]?.["duration_ms"]).toBeTypeOf("number");
});

test.each([
  ["unauthenticated", "authentication_failed", "refused the credentials"],
  ["bad_request", "invalid_request", "refused the request as invalid"],
  ["prompt_too_long", "invalid_request", "the prompt is too long"],
] as const)(
  "an API failure (%s) is described to StopFailure hooks in the same words as to people",
  async (fault, error, said) => {
    const told = listening(["StopFailure", error], "Stop");
    await ran({ fallback: { fault } }, { hooks: told.hooks });
    expect(told.of("Stop")).toEqual([]);
    expect(told.of("StopFailure")).toMatchObject([
      { error, last_assistant_message: expect.stringContaining(said) as string },
    ]);
  },
);

describe("a PermissionRequest hook", () => {
  const answering = (answer: object) =>
    ({ PermissionRequest: [{ callback: async () => answer }] }) as EngineOptions["hooks"];
  const refusal = { hookEventName: "PermissionRequest", decision: { behavior: "deny", message: "Not now." } };

  test("may answer with a suggested rule, and is not asked about such calls again", async () => {
    const asked: Input[] = [];
    const callback = async (input: Input) => {
      asked.push(input);
      const decision = { behavior: "allow", updatedPermissions: input["permission_suggestions"] };
      return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
    };
    const hooks = { PermissionRequest: [{ callback }] } as EngineOptions["hooks"];
    await ran({ steps: [call(bash("touch made")), call(bash("touch made"))] }, { hooks });
    const rules = [{ toolName: "Bash", ruleContent: "touch made" }];
    expect(asked).toHaveLength(1);
    expect(asked[0]?.["permission_suggestions"]).toEqual([
      { type: "addRules", rules, behavior: "allow", destination: "session" },
    ]);
  });

  test("gets absolute file paths, as the other hooks of the call do", async () => {
    const told = listening("PreToolUse", "PermissionRequest");
    const write: Part = { tool: "Write", input: { file_path: "made", content: "x" } };
    await ran({ steps: [call(write)] }, { hooks: told.hooks });
    const paths = (["PreToolUse", "PermissionRequest"] as const).map((event) => told.of(event)[0]?.["tool_input"]);
    expect(paths[0]).toMatchObject({ file_path: expect.stringMatching(/^\/.*\/made$/u) as string });
    expect(paths[1]).toEqual(paths[0]);
  });

  test("is named as the one that denied, not the user", async () => {
    const { engine } = await ran(
      { steps: [call(bash("touch made"))] },
      { hooks: answering({ hookSpecificOutput: refusal }) },
    );
    const said = JSON.stringify(engine.getMessages());
    expect(said).toContain("A hook refused Bash");
    expect(said).toContain("Not now.");
    expect(said).not.toContain("The user refused");
  });

  test("that says to stop ends the run like any other hook", async () => {
    const hooks = answering({ continue: false, stopReason: "Enough." });
    const { engine, result } = await ran({ steps: [call(bash("touch made"))] }, { hooks });
    expect(result).toMatchObject({ subtype: "success", terminal_reason: "hook_stopped" });
    expect(JSON.stringify(engine.getMessages())).toContain("Enough.");
    expect(JSON.stringify(engine.getMessages())).not.toContain("interrupted by user");
  });
});
