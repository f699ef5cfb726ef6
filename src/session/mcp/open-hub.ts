/** Starts the servers of a session. Loaded only if there are any. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { RemoteServer } from "../../mcp/server.ts";
import { mcpAuthFile, mcpSilentFile } from "../../settings/paths.ts";
import type { ConfigProblem, ReadConfig } from "../../mcp/config.ts";
import type { Connection } from "../../mcp/connection.ts";
import type { McpHub } from "../../mcp/hub.ts";
import type { McpWorld } from "../../mcp/world.ts";
import { scrubEnvironment } from "../../tools/shell/environment.ts";
import { wholeNumber } from "../options/variables.ts";
import { connectTimeoutMs } from "./connect-timeout.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

const maxOutputTokens = 25_000;
const charsPerToken = 4;
/** Servers may announce a change that a call caused just after they have answered the call: how long that is awaited, ms. */
const lateChangeMs = 30;
/** The share of the context window that tool definitions may take before they are deferred to ToolSearch. */
const defaultToolShare = 0.1;
/** A context window in which no tool is deferred, for the few tools of an agent's own servers and for hubs without a model. */
export const hugeContextWindow = 1_000_000_000;

export async function openHub(
  foundServers: ReadConfig,
  options: EngineOptions,
  around: Surroundings,
  contextWindow: number,
  onMissing?: (connection: Connection) => void,
): Promise<McpHub> {
  const [{ McpHub: Hub }, { chooseServers }, { problemText }, { AuthStore }, { storedAuth }, { SilentServers }] =
    await loadRoom();
  const store = new AuthStore(mcpAuthFile(around.pawlHome));
  const { env, cwd, clock, ids, version, notice, settings, telemetry } = around;
  for (const problem of foundServers.problems) notice(problemText(problem));
  const { servers, idle } = chooseServers(foundServers.servers, settings.mcp);
  const debug = (line: string): void => options.debug?.(line);
  const silences = new SilentServers({ path: mcpSilentFile(around.pawlHome), now: () => clock.now(), debug });
  const callMs = wholeNumber(env["MCP_TOOL_TIMEOUT"], 1_000);
  const idleMs = wholeNumber(env["CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT"], 0);
  let questions = 0;
  const world: McpWorld = {
    clock,
    random: () => ids.random(),
    version,
    cwd,
    environment: () => ({ ...scrubEnvironment(env), CLAUDE_PROJECT_DIR: cwd, CLAUDECODE: "1", AI_AGENT: "pawl" }),
    newTag: () => `m${ids.uuid()}`,
    proxies: env,
    connectMs: connectTimeoutMs(env),
    lateChangeMs,
    ...withoutUndefined({ callMs, idleMs }),
    isAsking: () => questions > 0,
    authOf: (server: RemoteServer) => storedAuth(server, store),
    logOut: async (name) => (await store.forget(name, true)).hadLogin,
    silences,
    onAttempt: (connection, ms) => {
      telemetry?.sideEvents.connection(connection, ms);
      silences.noteAttempt(connection);
    },
    async elicit(elicitation, signal) {
      questions += 1;
      try {
        return (await hub.elicit?.(elicitation, signal)) ?? { action: "decline" as const };
      } finally {
        questions -= 1;
      }
    },
    onElicited: (completed) => hub.onElicited?.(completed),
    debug,
  };
  const hub: McpHub = new Hub(
    {
      world,
      maxResultChars: (wholeNumber(env["MAX_MCP_OUTPUT_TOKENS"]) ?? maxOutputTokens) * charsPerToken,
      deferAbove: deferralThreshold(env["ENABLE_TOOL_SEARCH"], contextWindow),
    },
    servers,
    [...idle, ...foundServers.problems.flatMap(failedServer)],
  );
  hub.start(onMissing);
  return hub;
}

function loadRoom() {
  return Promise.all([
    import("../../mcp/hub.ts"),
    import("../../mcp/server-policy.ts"),
    import("../../mcp/config.ts"),
    import("../../mcp/auth-store.ts"),
    import("../../mcp/oauth.ts"),
    import("../../mcp/silent-servers.ts"),
  ]);
}

/** A notice for the person who runs the session: the model continues without the server and would not mention it. */
export function missingServerText({ server: { name }, status, error = status }: Connection): string {
  const way = status === "needs-auth" ? "is not there" : "did not start";
  return `The MCP server ${name} ${way}: ${error.replace(/\.$/u, "")}.`;
}

function failedServer({ server, scope, source, why }: ConfigProblem) {
  return server === undefined ? [] : [{ name: server, scope, source, status: "failed" as const, why }];
}

/** `true`: defer all tools. `false`: defer none. `auto:5`: defer tools that would take more than 5 percent of the window. */
function deferralThreshold(setting: string | undefined, contextWindow: number): number {
  const word = setting?.trim().toLowerCase() ?? "";
  if (/^(?:true|1|yes|on)$/u.test(word)) return 0;
  if (/^(?:false|0|no|off)$/u.test(word)) return Number.POSITIVE_INFINITY;
  const percent = /^auto:(\d{1,3})$/u.exec(word)?.[1];
  return contextWindow * charsPerToken * (percent === undefined ? defaultToolShare : Number(percent) / 100);
}
