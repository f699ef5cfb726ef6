// A session that is watched is the same as one that is not, whatever its collector does.
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
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
import { closeCollectors, startCollector } from "./collector.ts";

clearGroundsAfterwards();
afterEach(disposeAll);
afterEach(closeCollectors);

const call = (tool: string, input: Record<string, string | number>): Part => ({ tool, input });

function script(ground: Ground): Script {
  const file_path = ground.file("a.txt", "one\n");
  return {
    steps: [
      {
        content: [
          { text: "First." },
          call("Read", { file_path }),
          call("Bash", { command: "touch x", description: "d" }),
        ],
      },
      { content: [call("Nothing", {}), call("Read", { file_path: 5 }), call("Glob", { pattern: "*.txt" })] },
      { fault: "overloaded" },
      { content: [call("Agent", { description: "d", prompt: "p", subagent_type: "general-purpose" })] },
      { content: [call("Read", { file_path })] },
      "The agent is done.",
      "Done.",
    ],
    fallback: "More.",
  } as Script;
}

/** What differs between any two sessions. */
const ofOne: ReadonlySet<string> = new Set(
  `uuid session_id timestamp id tool_use_id parent_tool_use_id task_id request_id duration_ms duration_api_ms agentId
  totalDurationMs durationMs retry_delay_ms`.split(/\s+/u),
);

/** Told where something takes its time, which a busy machine does. */
function isWait(message: SDKMessage): boolean {
  return message.type === "system" && "tag" in message && message.tag?.startsWith("waiting:") === true;
}

function plain(messages: readonly SDKMessage[]): unknown {
  const said = messages.filter((message) => !isWait(message));
  const text = JSON.stringify(said, (key, value: unknown) => (ofOne.has(key) ? undefined : value));
  return JSON.parse(text.replaceAll(/toolu_\w+|req_\w+|msg_\w+|\b[\da-f]{16}\b|[\da-f]{8}-[\da-f-]{27}/gu, "ID"));
}

async function said(ground: Ground, env: Record<string, string>): Promise<{ messages: unknown; usd: number }> {
  const model = scripted(script(ground));
  const hooks: EngineOptions["hooks"] = {
    PreToolUse: [{ matcher: "Glob", callback: async () => ({ continue: true }) }],
  };
  const engine = await openOn(ground, model, { env: { ...env, CLAUDE_CODE_OTEL_SHUTDOWN_TIMEOUT_MS: "200" }, hooks });
  const first = await turn(engine, "Go.");
  const second = await turn(engine, "Go on.");
  const { totalUsd: usd } = engine.getCost();
  await engine.dispose();
  return { messages: plain([...first.messages, ...second.messages]), usd };
}

test("telemetry changes neither the messages of a session nor its cost", async () => {
  const ground = layGround();
  const quiet = await said(ground, {});
  const everything = {
    OTEL_LOG_USER_PROMPTS: "1",
    OTEL_LOG_TOOL_DETAILS: "1",
    OTEL_LOG_TOOL_CONTENT: "1",
    OTEL_LOG_RAW_API_BODIES: "1",
    OTEL_LOGS_EXPORT_INTERVAL: "1",
  };
  for (const answer of [undefined, () => undefined]) {
    const collector = await startCollector(answer);
    expect(await said(ground, { ...collector.env, ...everything })).toEqual(quiet);
    expect(collector.taken.length).toBeGreaterThan(0);
  }
});
