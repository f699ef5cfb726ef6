/** One session's rooms, joined: what `join.ts` makes and `session.ts` works with. */
import type { Waking } from "./hooks/waking.ts";
import type { Cancel } from "../loop/cancel.ts";
import type { Attachment } from "../protocol/message.ts";
import type { Effort, SystemBlock } from "../protocol/model.ts";
import type { NamedAgent } from "../protocol/agent.ts";
import type { TeammatePort } from "../protocol/turn-end.ts";
import type { Collapses } from "../context/index.ts";
import type { OwnedHooks } from "../hooks/run.ts";
import type { LoopLimits, LoopPorts } from "../loop/ports.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { StallWatch } from "./agents/stall-watch.ts";
import type { AgentTree, TeamView } from "./agents/tree.ts";
import type { Checkpoints } from "./files/checkpoints.ts";
import type { CommandReader } from "./commands/read-command.ts";
import type { Conversation } from "./store/conversation.ts";
import type { Facts } from "./store/facts.ts";
import type { Background } from "./forks/background.ts";
import type { CacheSafe } from "./forks/cache-safe.ts";
import type { TurnForks } from "./forks/turn-forks.ts";
import type { Goals } from "./goal/goals.ts";
import type { HookFeed } from "./hooks/hook-feed.ts";
import type { Job } from "./job/job.ts";
import type { HookOccasions } from "./hooks/hook-occasions.ts";
import type { StartSource } from "./intake/intake.ts";
import type { Knowledge } from "../knowledge/load-knowledge.ts";
import type { OutputStyle } from "../knowledge/output-styles.ts";
import type { SkillDesk } from "./knowledge/skill-desk.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { ModelParts } from "./model/model-parts.ts";
import type { EngineOptions } from "./options/options.ts";
import type { OrphanedCall } from "./permissions/orphan.ts";
import type { McpSlot } from "./mcp/desk.ts";
import type { PlanMode } from "./plan/plan-mode.ts";
import type { InputQueue } from "./intake/queue.ts";
import type { CountedContext } from "./context/savings.ts";
import type { SandboxParts } from "./permissions/sandbox-parts.ts";
import type { SessionMemory } from "./knowledge/session-memory.ts";
import type { Snips } from "./context/snips.ts";
import type { Store } from "./store/store-shape.ts";
import type { CommandRunner } from "./desk/settings-command.ts";
import type { StructuredOutput } from "./tools/structured-output.ts";
import type { Surroundings } from "./surroundings/surroundings.ts";
import type { TurnEndDisposers } from "./hooks/turn-end-disposers.ts";
import type { ReattachItem } from "./context/reattach.ts";
import type { ToolParts } from "./tools/tool-parts.ts";
import type { ToolsView } from "./tools/tools-port.ts";

/** Where an agent works that has a work tree of its own. */
export interface AgentPlace {
  /** Absolute. */
  path: string;
  around: Surroundings;
  /** Further folders it may work in. */
  addDirs: string[];
  /** For the agent. */
  about: string;
  /** Its own; absent where commands run as they are. */
  sandbox: SandboxParts | undefined;
}

/** One agent's place in its session: who started it, and what it is to be. */
export interface AgentSeat {
  /** 16 hexadecimal digits. */
  id: string;
  definition: NamedAgent;
  /** 1: started by the session itself. */
  depth: number;
  /** Model responses it may have. */
  turns: number;
  /** Names of all tools it gets. */
  tools: readonly string[];
  /** Id of its model. */
  model: string;
  /** As its call has it, or the one that began it. */
  namedModel?: string;
  /** The call that begins it. */
  toolUseId: string;
  /** With what is on record of it. */
  goesOn: boolean;
  /** Absent: where its parent works. */
  place?: AgentPlace;
  /** Of a teammate. */
  member?: Membership;
  /** Of one that nobody waits for. */
  stall?: StallWatch;
  /** Told where a person refuses a call of it and ends the turn by that. */
  onInterrupt?: () => void;
  parent: Joined;
  /** The session itself. */
  root: Joined;
}

/** The letters of one session, while it has a place where they come. */
export interface Letters {
  /** Those that wait, for a border. */
  take(): Attachment[];
  /** It is on record. */
  delivered(id: string): void;
  /** A turn begins. */
  announce(): void;
}

/** The team of a session, as its other rooms see it. */
export interface SharedTeam extends TeamView {
  /** After a compaction. */
  reattached(): ReattachItem[];
}

export interface Membership {
  port: TeammatePort;
  letters: Letters;
}

export interface Joined {
  /** Nothing of it is to change any more. */
  isClosed?: boolean;
  /** Absent: the session itself. */
  seat: AgentSeat | undefined;
  /** Those it may start. */
  agents: AgentTree;
  agentTypes: NamedAgent[];
  /** Of the turn that runs. */
  turn?: Cancel | undefined;
  /** Of agents in the background that are over. */
  agentNews: Attachment[];
  /** Hooks in the background that may wake it. */
  waking: Waking;
  /** Of the session itself: what all of them have in common. */
  team: SharedTeam;
  /** Absent where nobody can write to it. */
  letters?: Letters | undefined;
  facts: Facts;
  options: EngineOptions;
  around: Surroundings;
  context: CountedContext;
  commandOf: CommandReader;
  /** For the next prompt. */
  newsSince: () => Attachment[];
  /** Of these, what ended in the background, where no prompt comes any more. */
  endedCommands: () => Attachment[];
  /** For the next prompt, too: files that were read and have changed since. */
  changedFiles: () => Attachment[];
  store: Store;
  models: ModelParts;
  ledger: Ledger;
  tools: ToolParts;
  view: ToolsView;
  mcp: McpSlot;
  permissions: Permissions;
  conversation: Conversation;
  queue: InputQueue;
  orphan: OrphanedCall | null;
  hooks: OwnedHooks;
  hookFeed: HookFeed;
  occasions: HookOccasions;
  memory: SessionMemory;
  skills: SkillDesk;
  knowledge: Knowledge;
  goals: Goals;
  /** Absent: it is an agent's. */
  plan: PlanMode | undefined;
  /** Undefined: the default. */
  style: OutputStyle | undefined;
  checkpoints: Checkpoints;
  snips: Snips;
  collapses: Collapses;
  cacheSafe: CacheSafe;
  forks: TurnForks;
  background: Background;
  job?: Job | undefined;
  held: TurnEndDisposers;
  ports: LoopPorts;
  limits: Partial<LoopLimits>;
  /** Absent where any answer will do. */
  structured?: StructuredOutput | undefined;
  selected: { current: string; effort?: Effort };
  system: SystemBlock[];
  /** There once one has run. */
  commands?: CommandRunner;
  source: StartSource;
}

/** False where no hook is there, and none comes with this turn: what nobody tells is not listened for. */
export function mayRunHooks({ hooks, around, skills }: Pick<Joined, "hooks" | "around" | "skills">): boolean {
  return hooks.hasAny() || around.live?.isStale() === true || skills.bringHooks();
}
