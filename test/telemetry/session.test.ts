// What a session tells collectors, over real HTTP.
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { Part, Script } from "../../src/testing/index.ts";
import {
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "../session/support.ts";
import { closeCollectors, startCollector, type Collector } from "./collector.ts";

clearGroundsAfterwards();
afterEach(disposeAll);
afterEach(closeCollectors);

interface Watched extends Collector {
  sessionId: string;
  notices: string[];
}

async function watched(
  script: Script,
  { env = {}, ...options }: EngineOptions = {},
  ground: Ground = layGround(),
  prompt = "A secret prompt.",
): Promise<Watched> {
  const collector = await startCollector();
  const notices: string[] = [];
  const onNotice = (text: string): void => void notices.push(text);
  const given = { ...options, env: { ...collector.env, ...env }, onNotice };
  const engine = await openOn(ground, scripted(script), given);
  await turn(engine, prompt);
  const sessionId = engine.getSessionId();
  await engine.dispose();
  return { ...collector, sessionId, notices };
}

const bash = (command: string): Part => ({ tool: "Bash", input: { command, description: "run" } });
const allowed: EngineOptions = { permissionMode: "bypassPermissions" };

describe("metrics", () => {
  test("count sessions, tokens, money, lines, commits and the time at work", async () => {
    const ground = layGround();
    const file = ground.file("a.py", "one\ntwo\n");
    const edit = { tool: "Edit", input: { file_path: file, old_string: "two", new_string: "2\n2b" } };
    const script: Script = {
      steps: [
        { content: [{ tool: "Read", input: { file_path: file } }] },
        { content: [edit, bash("git() { :; }; git commit -m x && true")] },
        "Done.",
      ],
    };
    const { points, sessionId, notices } = await watched(script, allowed, ground);
    expect(notices).toEqual([]);
    const own = { "session.id": sessionId };
    expect(points("claude_code.session.count")).toMatchObject([
      { value: 1, attributes: { ...own, start_type: "fresh" } },
    ]);
    const tokens = points("claude_code.token.usage");
    const model = { model: "claude-sonnet-5-5", query_source: "main" };
    for (const type of ["cacheCreation", "output"]) {
      expect(tokens.find(({ attributes }) => attributes["type"] === type)).toMatchObject({
        attributes: { ...own, ...model },
      });
    }
    expect(points("claude_code.cost.usage")[0]?.value).toBeGreaterThan(0);
    const lines = points("claude_code.lines_of_code.count").map(({ value, attributes }) => [attributes["type"], value]);
    expect(lines).toEqual([
      ["added", 2],
      ["removed", 1],
    ]);
    expect(points("claude_code.commit.count")).toMatchObject([{ value: 1 }]);
    expect(points("claude_code.pull_request.count")).toEqual([]);
    const [decision] = points("claude_code.code_edit_tool.decision");
    expect(decision?.attributes).toMatchObject({
      tool_name: "Edit",
      decision: "accept",
      source: "config",
      language: "Python",
    });
    expect(points("claude_code.active_time.total")[0]?.value).toBeGreaterThan(0);
    for (const { attributes } of [...tokens, ...points("claude_code.session.count")])
      expect(attributes).not.toHaveProperty("prompt.id");
  });

  test("add up to the cost that the session reports", async () => {
    const collector = await startCollector();
    const engine = await openOn(layGround(), scripted({ steps: [{ content: [bash("true")] }, "Done."] }), {
      ...allowed,
      env: collector.env,
    });
    await turn(engine, "Go.");
    const { totalUsd } = engine.getCost();
    await engine.dispose();
    const told = collector.points("claude_code.cost.usage").reduce((sum, { value }) => sum + value, 0);
    expect(told).toBeCloseTo(totalUsd, 10);
  });

  test("have the attributes that their switches ask for", async () => {
    const { points, taken } = await watched(
      { fallback: "Done." },
      {
        env: {
          OTEL_METRICS_INCLUDE_SESSION_ID: "false",
          OTEL_METRICS_INCLUDE_VERSION: "true",
          OTEL_METRICS_INCLUDE_ENTRYPOINT: "1",
          OTEL_RESOURCE_ATTRIBUTES: "team=red%20one,service.name=mine",
        },
        version: "9.9.9",
      },
    );
    const [session] = points("claude_code.session.count");
    expect(session?.attributes).toMatchObject({ "app.version": "9.9.9", "app.entrypoint": "sdk-cli", team: "red one" });
    expect(session?.attributes).not.toHaveProperty("session.id");
    expect(taken[0]?.body.toString()).toContain('{"key":"service.name","value":{"stringValue":"mine"}}');
  });
});

describe("events", () => {
  test("name what happens without any content", async () => {
    const script: Script = {
      steps: [{ content: [{ text: "A secret thought." }, bash("echo secret-output")] }, "A secret answer."],
    };
    const { events, taken, sessionId } = await watched(script, allowed);
    const [prompt] = events("user_prompt");
    expect(prompt?.attributes).toMatchObject({ "session.id": sessionId, prompt_length: 16, prompt: "<REDACTED>" });
    const about = { "prompt.id": prompt?.attributes["prompt.id"], "session.id": sessionId };
    expect(String(about["prompt.id"])).toMatch(/^[\da-f-]{36}$/u);
    expect(events("api_request")).toHaveLength(2);
    expect(events("api_request")[0]?.attributes).toMatchObject({
      ...about,
      model: "claude-sonnet-5-5",
      query_source: "main",
    });
    for (const name of ["cost_usd", "duration_ms", "input_tokens", "output_tokens", "request_id"])
      expect(events("api_request")[0]?.attributes).toHaveProperty(name);
    expect(events("assistant_response").map(({ attributes }) => attributes["response_length"])).toEqual([17, 16]);
    expect(events("tool_decision")[0]?.attributes).toMatchObject({
      ...about,
      tool_name: "Bash",
      decision: "accept",
      source: "config",
    });
    expect(events("tool_result")[0]?.attributes).toMatchObject({ ...about, tool_name: "Bash", success: "true" });
    const all = taken.map(({ body }) => body.toString()).join("\n");
    expect(all).not.toMatch(/secret/iu);
    expect(all).not.toContain("scripted");
  });

  test("have the content that each switch asks for", async () => {
    const script: Script = { steps: [{ content: [bash("echo out-$((1+1))")] }, "The answer."] };
    const { events, spans } = await watched(script, {
      ...allowed,
      env: {
        OTEL_LOG_USER_PROMPTS: "1",
        OTEL_LOG_ASSISTANT_RESPONSES: "1",
        OTEL_LOG_TOOL_DETAILS: "1",
        OTEL_LOG_TOOL_CONTENT: "1",
        OTEL_LOG_RAW_API_BODIES: "1",
      },
    });
    expect(events("user_prompt")[0]?.attributes["prompt"]).toBe("A secret prompt.");
    expect(events("assistant_response").at(-1)?.attributes["response"]).toBe("The answer.");
    const [result] = events("tool_result");
    expect(result?.attributes["tool_parameters"]).toContain('"full_command":"echo out-$((1+1))"');
    expect(events("api_request_body")[0]?.attributes["body"]).toContain("A secret prompt.");
    expect(events("api_response_body").at(-1)?.attributes["body"]).toContain("The answer.");
    expect(spans("claude_code.tool.execution")[0]?.attributes["tool_output"]).toContain("out-2");
  });

  test("report denied calls, failed calls and failed requests", async () => {
    const script: Script = {
      steps: [
        { content: [bash("touch x"), { tool: "Read", input: { file_path: "absent.txt" } }] },
        { fault: "bad_request" },
      ] as never,
    };
    const { events, spans } = await watched(script);
    expect(events("tool_decision").map(({ attributes: { decision } }) => decision)).toEqual(["reject", "accept"]);
    expect(events("tool_result")).toHaveLength(1);
    expect(events("tool_result")[0]?.attributes).toMatchObject({
      tool_name: "Read",
      success: "false",
      error_type: "tool_error",
    });
    expect(events("tool_result")[0]?.attributes).not.toHaveProperty("error");
    expect(events("api_error")[0]?.attributes).toMatchObject({ status_code: 400, error: "invalid_request" });
    expect(spans("claude_code.interaction")[0]).toMatchObject({
      isError: true,
      attributes: { stop_reason: "model_error" },
    });
  });

  test("report hooks and subagents, and count a subagent's calls as its own", async () => {
    const agent: Part = { tool: "Agent", input: { description: "d", prompt: "p", subagent_type: "general-purpose" } };
    const callback = async (): Promise<undefined> => undefined;
    const { events, points, spans } = await watched(
      { steps: [{ content: [agent] }, { content: [bash("true")] }, "The agent is done.", "Done."] },
      { ...allowed, hooks: { PreToolUse: [{ matcher: "Bash", callback }] } },
    );
    expect(events("hook_execution_start")[0]?.attributes).toMatchObject({ hook_event: "PreToolUse", num_hooks: 1 });
    expect(events("hook_execution_complete")[0]?.attributes).toMatchObject({
      hook_event: "PreToolUse",
      num_success: 1,
    });
    expect(events("user_prompt")).toHaveLength(1);
    const [ended] = events("subagent_completed");
    expect(ended?.attributes).toMatchObject({ success: true, total_tool_uses: 1, model: "claude-sonnet-5-5" });
    const sources = points("claude_code.token.usage").map(({ attributes }) => attributes["query_source"]);
    expect(new Set(sources)).toEqual(new Set(["main", "subagent"]));
    const call = spans("claude_code.tool").find(({ attributes }) => attributes["tool_name"] === "Agent");
    const inside = spans("claude_code.llm_request").filter(({ parentSpanId }) => parentSpanId === call?.spanId);
    expect(inside).toHaveLength(2);
  });

  test("report exhausted retries", async () => {
    const { events } = await watched({ fallback: { fault: "overloaded" } }, { env: { CLAUDE_CODE_MAX_RETRIES: "1" } });
    expect(events("api_error").length).toBeGreaterThan(1);
    const [exhausted] = events("api_retries_exhausted");
    expect(exhausted?.attributes).toMatchObject({
      total_attempts: 2,
      error_type: "overloaded",
      model: "claude-sonnet-5-5",
    });
  });

  test("report a permission mode chosen in an answer", async () => {
    const ask: EngineOptions["ask"] = async () => ({
      behavior: "allow",
      updates: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
    });
    const { events } = await watched({ steps: [{ content: [bash("touch x")] }, "Done."] }, { ask });
    expect(events("permission_mode_changed")).toMatchObject([
      { attributes: { from_mode: "default", to_mode: "acceptEdits" } },
    ]);
  });

  test("report a call that a hook refused", async () => {
    const callback = async () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } });
    const { events, spans } = await watched(
      { steps: [{ content: [bash("true")] }, "Done."] },
      { ...allowed, hooks: { PreToolUse: [{ callback }] } },
    );
    expect(events("tool_decision")).toMatchObject([
      { attributes: { tool_name: "Bash", decision: "reject", source: "hook" } },
    ]);
    expect(events("hook_execution_complete")[0]?.attributes).toMatchObject({ num_blocking: 1, num_success: 0 });
    expect(events("tool_result")).toEqual([]);
    expect(spans("claude_code.tool")).toMatchObject([{ attributes: { success: false } }]);
  });

  test("report a compaction and a change of the permission mode", async () => {
    const ground = layGround();
    const text = "ten words or so, one line of a longer text\n".repeat(300);
    const paths = [1, 2, 3, 4, 5].map((at) => ground.file(`file${at}.txt`, `${at}: ${text}`));
    const reads = paths.map((file_path) => ({ content: [{ tool: "Read", input: { file_path } }] }));
    const rules = [{ when: { compacts: true }, reply: "They read long files." }];
    const collector = await startCollector();
    const model = scripted({ rules, steps: [...reads, "Done."] });
    const engine = await openOn(ground, model, { env: collector.env });
    await turn(engine, "Read everything.");
    engine.setPermissionMode("acceptEdits");
    for await (const message of engine.compact()) expect(message).toBeDefined();
    await engine.dispose();
    expect(collector.events("compaction")[0]?.attributes).toMatchObject({ trigger: "manual", success: true });
    const [change] = collector.events("permission_mode_changed");
    expect(change?.attributes).toMatchObject({ from_mode: "default", to_mode: "acceptEdits" });
    const sources = collector.points("claude_code.token.usage").map(({ attributes }) => attributes["query_source"]);
    expect(sources).toContain("auxiliary");
  });
});

describe("traces", () => {
  test("start at the prompt, and are passed on to the commands that tools run", async () => {
    const inherited = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const script: Script = { steps: [{ content: [bash("echo at-$TRACEPARENT")] }, "Done."] };
    const env = { TRACEPARENT: inherited, OTEL_LOG_TOOL_CONTENT: "1" };
    const { spans, events } = await watched(script, { ...allowed, env });
    const [top] = spans("claude_code.interaction");
    expect(top).toMatchObject({
      traceId: "0af7651916cd43dd8448eb211c80319c",
      parentSpanId: "b7ad6b7169203331",
      isError: false,
    });
    const requests = spans("claude_code.llm_request");
    const [call] = spans("claude_code.tool");
    const [execution] = spans("claude_code.tool.execution");
    expect(requests.map(({ parentSpanId }) => parentSpanId)).toEqual([top?.spanId, top?.spanId]);
    expect(call).toMatchObject({ parentSpanId: top?.spanId, attributes: { tool_name: "Bash", success: true } });
    expect(execution?.parentSpanId).toBe(call?.spanId);
    expect(execution?.attributes["tool_output"]).toContain(`at-00-${top?.traceId}-${call?.spanId}-01`);
    expect(events("tool_result")[0]).toMatchObject({ traceId: top?.traceId, spanId: top?.spanId });
  });

  test("show how long a person was asked", async () => {
    const ask: EngineOptions["ask"] = async () => ({ behavior: "allow" });
    const { spans, events } = await watched({ steps: [{ content: [bash("touch x")] }, "Done."] }, { ask });
    const [call] = spans("claude_code.tool");
    expect(spans("claude_code.tool.blocked_on_user")).toMatchObject([
      { parentSpanId: call?.spanId, attributes: { decision: "accept", source: "user_temporary" } },
    ]);
    expect(events("tool_decision")[0]?.attributes["source"]).toBe("user_temporary");
  });

  test("need their own switch, and an invalid TRACEPARENT is reported", async () => {
    const quiet = await watched({ fallback: "Done." }, { env: { CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "" } });
    expect(quiet.taken.map(({ path }) => path)).not.toContain("/v1/traces");
    const { notices } = await watched({ fallback: "Done." }, { env: { TRACEPARENT: "nonsense" } });
    expect(notices).toEqual([expect.stringContaining("TRACEPARENT is not of the form")]);
  });
});

// OpenTelemetry's own switch, which people set who want no telemetry although it is configured.
test("sends nothing if OTEL_SDK_DISABLED is true", async () => {
  const { taken } = await watched({ steps: ["Done."] }, { env: { OTEL_SDK_DISABLED: "true" } });
  expect(taken).toEqual([]);
});

test("passes no OTEL variable to commands", async () => {
  const script: Script = { steps: [{ content: [bash("env | grep -c ^OTEL_")] }, "Done."] };
  const env = { OTEL_LOG_TOOL_CONTENT: "1", OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20key" };
  const { spans, taken } = await watched(script, { ...allowed, env });
  expect(spans("claude_code.tool.execution")[0]?.attributes["tool_output"]).toMatch(/^0\n/u);
  expect(taken[0]?.headers["authorization"]).toBe("Bearer key");
});

test("counts each session of /clear separately", async () => {
  const collector = await startCollector();
  const engine = await openOn(layGround(), scripted({ fallback: "Said." }), { env: collector.env });
  await turn(engine, "One.");
  const first = engine.getSessionId();
  await engine.clear();
  await turn(engine, "Two.");
  const second = engine.getSessionId();
  await engine.dispose();
  expect(collector.points("claude_code.session.count").map(({ attributes }) => attributes["session.id"])).toEqual([
    first,
    second,
  ]);
});
