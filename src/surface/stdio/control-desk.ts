/** Gives control requests of the client access to a session over pipes. */
import type { LateAgents } from "../../session/query/late-agents.ts";
import type { DrivenEngine } from "../engine-port.ts";
import type { ClientRequests } from "./client-requests.ts";
import type { ControlDesk } from "./control.ts";
import { interruptTurn } from "./interrupt.ts";
import { clientMcpServers } from "./mcp-servers.ts";
import type { SessionOpener } from "./session-opener.ts";
import type { PromptQueue } from "./prompts.ts";
import type { Turns } from "./turns.ts";

export interface ControlDeskParts {
  run: Pick<ControlDesk, "version" | "mayBypass">;
  sessionOpener: SessionOpener;
  turns: Turns;
  prompts: PromptQueue;
  agents: LateAgents;
  requests: ClientRequests;
  /** Writes a message for people between the engine's messages. */
  inform: (text: string) => void;
}

export function createControlDesk({
  run,
  sessionOpener,
  turns,
  prompts,
  agents,
  requests,
  inform,
}: ControlDeskParts): ControlDesk {
  return {
    get engine(): DrivenEngine {
      if (sessionOpener.engine === undefined) throw new Error("there is no session yet");
      return sessionOpener.engine;
    },
    version: run.version,
    mayBypass: run.mayBypass,
    toServerConfigs: (mcpServers) => clientMcpServers({ mcpServers }, requests),
    get isBusy() {
      return turns.isUnderWay || !prompts.isEmpty;
    },
    takeServerMessage: (server, message) => {
      const take = requests.servers.get(server);
      if (take === undefined) throw new Error(`there is no server "${server.slice(0, 80)}" of this client`);
      take(message);
    },
    interrupt: ({ cancelQueued }) => interruptTurn(cancelQueued, { turns, prompts, agents, inform }),
    cancelMessage: (uuid) => prompts.remove(uuid) || turns.joiningUuids((id) => id === uuid).includes(uuid),
  };
}
