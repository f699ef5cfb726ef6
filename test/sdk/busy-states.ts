/** What a session may be at when somebody ends it: each is reached for certain, and would last for ever. */
import { createSdkMcpServer, tool, type EngineOptions } from "../../src/index.ts";
import type { Json } from "../../src/lib/json.ts";
import type { Reply, Script } from "../../src/testing/index.ts";

export interface BusyState {
  name: string;
  steps: NonNullable<Script["steps"]>;
  prompt?: string;
  /** Asked and answered before. */
  before?: string[];
  /** `reached`: to be called in the state. */
  options: (reached: () => void) => EngineOptions;
  /** Requests of the model from this one on have no answer; absent: all have one. */
  silentFrom?: number;
}

const call = (name: string, input: Record<string, Json> = {}): Reply => ({ content: [{ tool: name, input }] });
const agent = (isBackground: boolean): Reply =>
  call("Agent", { description: "work", prompt: "Work.", run_in_background: isBackground });

/** Does not even look at the signal. The second time it is done at once. */
function never(reached: () => void): () => Promise<never> {
  let isFirst = true;
  return async () => {
    if (!isFirst) return undefined as never;
    isFirst = false;
    reached();
    return await new Promise<never>(() => undefined);
  };
}

const hooked = (event: "SessionStart" | "UserPromptSubmit" | "PreToolUse" | "PostToolUse" | "Stop"): BusyState => ({
  name: `a ${event} hook`,
  steps: event.endsWith("ToolUse") ? [call("TodoWrite", { todos: [] }), "x"] : ["x"],
  options: (reached) => ({ hooks: { [event]: [{ callback: never(reached) }] } }),
});

export const busyStates: readonly BusyState[] = [
  { name: "the model", steps: [], silentFrom: 0, options: () => ({}) },
  {
    name: "an answer that has begun",
    steps: [{ content: ["One.", "Two."], fault: { kind: "stall", at: "mid_last_block" } }],
    options: (reached) => ({ includePartialMessages: true, debug: reached }),
  },
  {
    name: "a tool",
    steps: [call("hang"), "x"],
    options: (reached) => ({
      limits: { settleMs: 50 },
      customTools: [tool("hang", "Hangs.", { type: "object" }, never(reached), { readOnlyHint: true })],
    }),
  },
  {
    name: "a command",
    steps: [call("Bash", { command: "touch begun; sleep 300" }), "x"],
    options: (reached) => ({
      allowedTools: ["Bash"],
      // Before the command, as near to it as a callback comes.
      hooks: { PreToolUse: [{ callback: async () => void setImmediate(reached) }] },
    }),
  },
  {
    name: "a permission",
    steps: [call("Bash", { command: "touch x" }), "x"],
    options: (reached) => ({ ask: never(reached) }),
  },
  {
    name: "an MCP tool",
    steps: [call("mcp__slow__hang"), "x"],
    options: (reached) => ({
      allowedTools: ["mcp__slow"],
      mcpServers: {
        slow: createSdkMcpServer({
          name: "slow",
          tools: [tool("hang", "Hangs.", { type: "object" }, never(reached), { readOnlyHint: true })],
        }),
      },
    }),
  },
  {
    name: "an MCP server that does not answer",
    steps: ["x"],
    options: (reached) => ({
      // The next prompt waits for it once more.
      env: { MCP_TIMEOUT: "2000" },
      mcpServers: { dumb: { type: "transport", open: () => ({ send: () => reached(), close: () => undefined }) } },
    }),
  },
  hooked("SessionStart"),
  hooked("UserPromptSubmit"),
  hooked("PreToolUse"),
  hooked("PostToolUse"),
  hooked("Stop"),
  {
    name: "a compaction",
    steps: ["One.", "Two.", "Three."],
    before: ["All of it: ".repeat(30_000), "And now?", "And then?"],
    prompt: "/compact",
    silentFrom: 3,
    options: () => ({}),
  },
  { name: "an agent in the foreground", steps: [agent(false)], silentFrom: 1, options: () => ({}) },
  { name: "an agent in the background", steps: [agent(true)], silentFrom: 1, options: () => ({}) },
];
