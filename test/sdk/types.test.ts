// What somebody else writes against the library compiles, strictly, and what is wrong does not.
import { beforeAll, expect, test } from "vitest";
import { complaintsAbout } from "./compile.ts";

const good = `
import { createEngine, query, tool, UsageError, type AgentLimits, type BranchOptions, type ClockPort, type EngineOptions, type IdPort, type LoopLimits, type Message, type SDKMessage, type SDKResultMessage, type PermissionAnswer } from "pawl";

const weather = tool(
  "Weather",
  "Tells the weather.",
  { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
  async (input, context) => (context.signal.aborted ? { content: "ended", isError: true } : \`sunny in \${String(input["place"])}\`),
  { readOnlyHint: true },
);

const options: EngineOptions = {
  cwd: "/tmp",
  model: "sonnet",
  maxTurns: 5,
  maxBudgetUsd: 1,
  permissionMode: "acceptEdits",
  customTools: [weather],
  ask: async (question, signal): Promise<PermissionAnswer> =>
    signal.aborted || question.toolName === "Bash" ? { behavior: "deny", message: "no" } : { behavior: "allow", rule: "Read" },
  hooks: {
    PreToolUse: [{ matcher: "Bash", callback: async (input) => ({ decision: "block", reason: String(input.tool_name) }) }],
    Stop: [{ callback: async () => undefined, timeoutMs: 1000 }],
  },
};

// Each option has a type that can be named.
export function repeatable(clock: ClockPort, ids: IdPort, limits: Partial<LoopLimits>, agentLimits: Partial<AgentLimits>): EngineOptions {
  return { ...options, clock, ids, limits, agentLimits };
}
export const upTo: BranchOptions = { upToMessageId: "u" };

function show(message: SDKMessage): string {
  switch (message.type) {
    case "assistant":
      return message.message.content.map((block) => (block.type === "text" ? String(block["text"]) : block.type)).join("");
    case "result":
      return message.subtype === "success" ? message.result : message.errors.join();
    case "system":
      return message.subtype === "init" ? message.model : message.subtype;
    default:
      return message.type;
  }
}

export async function main(): Promise<SDKResultMessage | undefined> {
  for await (const message of query({ prompt: "Hi.", options })) console.log(show(message));
  await using engine = await createEngine(options);
  try {
    let last: SDKResultMessage | undefined;
    for await (const message of engine.submitMessage([{ type: "text", text: "Hi." }], { uuid: "u" }))
      if (message.type === "result") last = message;
    const messages: readonly Message[] = engine.getMessages();
    console.log(messages.length, engine.getCost().totalUsd, engine.getSessionId());
    engine.enqueue("later");
    engine.interrupt();
    await engine.clear();
    return last;
  } catch (error) {
    if (error instanceof UsageError) console.error(error.message);
    throw error;
  }
}
`;

// As examples for agent SDKs have it, but for the import.
const ported = `
import { query, type CanUseTool, type HookCallback, type HookCallbackInput, type HookEvent, type PreToolUseHookInput, type StopHookInput } from "pawl";

const guard: HookCallback = async (input, toolUseID, { signal }) => {
  signal.throwIfAborted();
  const { tool_input: call, tool_name: tool, cwd } = input as PreToolUseHookInput;
  const command = call["command"] as string;
  const why: string = [tool.toLowerCase(), toolUseID, cwd, command].join();
  return { hookSpecificOutput: { hookEventName: input.hook_event_name, permissionDecision: "deny", permissionDecisionReason: why } };
};
const last: HookCallback = async (input) => ((input as StopHookInput).stop_hook_active ? {} : { decision: "block", reason: "go on" });

const told: HookCallback = async (input) => {
  const where: string = input.session_id + input.cwd;
  switch (input.hook_event_name) {
    case "PreToolUse":
      return { systemMessage: input.tool_name.slice(1) + where + Object.keys(input.tool_input).join() };
    case "UserPromptSubmit":
      return { systemMessage: input.prompt.trim() };
    default:
      return {};
  }
};

const canUseTool: CanUseTool = async (name, input, { title, displayName, defaultToNo, suppressAlwaysAllowRule, suggestions = [] }) => {
  const question: string = title ?? \`May \${displayName ?? name} run?\`;
  if (defaultToNo === true) return { behavior: "deny", message: question, decisionClassification: "user_reject" };
  const updatedPermissions = suppressAlwaysAllowRule === true ? [] : suggestions;
  return { behavior: "allow", updatedInput: input, updatedPermissions, decisionClassification: "user_permanent" };
};

export const named = (event: HookEvent): HookCallbackInput["hook_event_name"] => event;

let said = "";
const options = { canUseTool, includePartialMessages: true, hooks: { PreToolUse: [{ matcher: "Bash", hooks: [guard, told] }], UserPromptSubmit: [{ hooks: [told] }], Stop: [{ hooks: [last] }] } };
for await (const message of query({ prompt: "Hi.", options })) {
  if (message.type === "stream_event") {
    const { event } = message;
    if (event.type === "content_block_start" && event.content_block.type === "tool_use") said += event.content_block.name;
    if (event.type === "content_block_delta" && event.delta.type === "text_delta") said += event.delta.text;
    if (event.type === "content_block_delta" && event.delta.type === "input_json_delta") said += event.delta.partial_json;
  }
  if (message.type === "assistant")
    for (const block of message.message.content) {
      if (block.type === "text") said += block.text;
      else if (block.type === "thinking") said += block.thinking;
      else if (block.type === "tool_use") said += block.name + block.id.slice(1);
    }
  if (message.type === "user" && Array.isArray(message.message.content))
    for (const block of message.message.content) if (block.type === "tool_result") said += block.tool_use_id;
}
console.log(said);
`;

// What a host has read from somewhere may not be there: it is handed on as it is.
const undecided = `
import { createEngine, listSessions, query, startup, tool, type AskPermission, type CanUseTool, type Options } from "pawl";

const { MODEL: model, TAG: tag, LIMIT: limit } = process.env;
const canUseTool: CanUseTool = async (_name, _input, { suggestions }) =>
  tag === undefined ? { behavior: "allow", updatedPermissions: suggestions } : { behavior: "deny", message: tag, interrupt: undefined };
const ask: AskPermission = async ({ suggestedRule: rule }) =>
  limit === undefined ? { behavior: "allow", rule, updatedInput: undefined } : { behavior: "deny", message: tag };
const isReadOnly = tag === undefined ? undefined : true;
const own = tool("own", "Its own.", { type: "object" }, async () => ({ content: "x", isError: isReadOnly }), { readOnlyHint: isReadOnly });
const options: Options = { model, customTools: [own], hooks: { Stop: [{ matcher: tag, hooks: [async () => ({})], timeout: undefined }] }, canUseTool: model === undefined ? undefined : canUseTool };
const agents = { helper: { description: "Helps.", prompt: "Help.", model, tools: undefined, maxTurns: undefined } };
await using engine = await createEngine({ model, title: tag, agents, hooks: { Stop: [{ matcher: tag, callback: async () => ({}), timeoutMs: undefined }] }, ask: model === undefined ? ask : undefined });
for await (const _ of engine.submitMessage("x", { uuid: tag })) break;
for await (const _ of query({ prompt: "x", options: model === undefined ? undefined : options })) break;
await startup({ options });
console.log(await listSessions({ search: tag, tag, limit: limit === undefined ? undefined : Number(limit) }));
`;

// A helper for scripts that others pass inputs to has to name their type.
const scripted = `
import { createScriptedModel, type Json, type JsonObject, type Script } from "pawl/testing";

const call = (tool: string, input: JsonObject): Script => ({ steps: [{ content: [{ tool, input }] }, "Done."] });
const paths: Json[] = ["a.txt", "b.txt"];
export const models = paths.map((path) => createScriptedModel(call("Read", { file_path: path })));
`;

const bad = `
import { createEngine, query, type EngineOptions } from "pawl";
const one: EngineOptions = { permissionMode: "yolo" };
const two: EngineOptions = { maxTurns: "5" };
const three: EngineOptions = { hooks: { BeforeEverything: [] } };
const both: EngineOptions = { hooks: { Stop: [{ callback: async () => {}, hooks: [async () => {}] }] } };
const mixed = query({ prompt: "", options: { hooks: { Stop: [{ hooks: [async () => {}], timeoutMs: 5 }] } } });
const four = query({ options: {} });
const five = (await createEngine({})).submitMessage(5);
export { one, two, three, both, mixed, four, five };
`;

// One run of the compiler: nearly all of what it does is to read the library, the same for both.
let complaints: string[] = [];
const isOfBad = (line: string): boolean => line.includes("/bad.ts(");
beforeAll(() => {
  complaints = complaintsAbout({ good, ported, undecided, scripted, bad });
}, 60_000);

test("a program compiles if it uses all types, was written for an agent SDK, passes undefined, or writes scripts of a model", () => {
  expect(complaints.filter((line) => !isOfBad(line))).toEqual([]);
});

test("a program with type errors does not compile", () => {
  const lines = complaints.filter(isOfBad).map((line) => Number(/\((\d+),/.exec(line)?.[1]));
  expect(lines).toEqual([3, 4, 5, 6, 7, 8, 9]);
});
