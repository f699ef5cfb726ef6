/** An agent that runs below a session: who started it, and how it runs. */
import type { Skill } from "../../knowledge/skill.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { Message } from "../../protocol/message.ts";
import type { TeammatePort } from "../../protocol/turn-end.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { ToolParts } from "../tools/tool-parts.ts";
import type { ToolsView } from "../tools/tools-port.ts";
import type { StallWatch } from "./stall-watch.ts";

/** What an agent's session is built from, of the sessions above it. */
export interface SessionAbove {
  options: EngineOptions;
  around: Surroundings;
  store: Store;
  conversation: { readonly messages: readonly Message[] };
  tools: Pick<ToolParts, "changes">;
  permissions: Permissions;
  view: Pick<ToolsView, "find">;
  /** Undefined for the session itself. */
  agentRun: { id: string } | undefined;
}

export interface StartedAgent {
  /** 16 hexadecimal digits. */
  id: string;
  definition: NamedAgent;
  /** 1: started by the session itself. */
  depth: number;
  /** The most model responses it may have. */
  turns: number;
  /** Names of all its tools. */
  tools: readonly string[];
  /** Id of its model. */
  model: string;
  /** Where its model was named, such as "in the field model of FILE"; absent if it is the parent's. */
  modelSource?: string;
  /** The model named by this call, or by the call that first started the agent. */
  namedModel?: string;
  /** The skill that it carries out. */
  skill?: Skill;
  /** What it is to do, in a few words. */
  description: string;
  /** Id of the tool call that starts or resumes it. */
  toolUseId: string;
  /** True if it resumes from its recorded conversation. */
  isResumed: boolean;
  /** The version of the permission rules of whoever starts it, at that time. For a teammate, when its turn begins. */
  ruleVersion: number;
  /** The work tree that it works in. Absent if it works where its parent works. */
  place?: { path: string };
  /** Set for a teammate. */
  member?: { port: TeammatePort };
  /** Set for an agent that nobody waits for. */
  stall?: StallWatch;
  /** Called when a person refuses one of its calls and thereby ends the turn. */
  onInterrupt?: () => void;
  parent: SessionAbove;
  /** The session itself. */
  root: SessionAbove;
}
