/** The rooms of one session, joined: made by `join.ts`, used by `session.ts`. */
import type { Waking } from "./hooks/waking.ts";
import type { Cancel } from "../loop/cancel.ts";
import type { Attachment } from "../protocol/message.ts";
import type { NamedAgent } from "../protocol/agent.ts";
import type { TeammatePort } from "../protocol/turn-end.ts";
import type { SessionCollapseStore } from "../context/index.ts";
import type { OwnedHooks } from "../hooks/run.ts";
import type { LoopLimits, LoopPorts } from "../loop/ports.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { StartedAgent } from "./agents/started-agent.ts";
import type { AgentTree } from "./agents/tree.ts";
import type { Checkpoints } from "./files/checkpoints.ts";
import type { CommandReader } from "./intake/read-command.ts";
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
import type { OpeningTexts } from "./knowledge/opening-texts.ts";
import type { OutputStyle } from "../knowledge/output-styles.ts";
import type { SkillDesk } from "./knowledge/skill-desk.ts";
import type { ModelChoice } from "./knowledge/turn-choice.ts";
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
import type { CommandRunner } from "./settings/settings-command.ts";
import type { StructuredOutput } from "./tools/structured-output.ts";
import type { Surroundings } from "./surroundings/surroundings.ts";
import type { TurnEndDisposers } from "./hooks/turn-end-disposers.ts";
import type { ReattachItem } from "../context/reattach-item.ts";
import type { ToolParts } from "./tools/tool-parts.ts";
import type { ToolsView } from "./tools/tools-port.ts";

/** The place of an agent that works in a worktree of its own. */
export interface AgentPlace {
  /** Absolute. */
  path: string;
  around: Surroundings;
  /** Additional folders the agent may work in. */
  addDirs: string[];
  /** Describes the place to the agent. */
  description: string;
  /** The agent's own sandbox; undefined if commands run without one. */
  sandbox: SandboxParts | undefined;
}

/** A running agent, with all of the sessions above it. */
export interface AgentRun extends StartedAgent {
  place?: AgentPlace;
  member?: Membership;
  parent: Joined;
  root: Joined;
}

/** The messages from teammates to one session. */
export interface Mailbox {
  /** Takes the waiting messages, for delivery at a turn border. */
  take(): Attachment[];
  /** Called once the message is recorded. */
  markDelivered(id: string): void;
  /** Called when a turn begins. */
  markAnnounced(): void;
  /** Whether teammates were at work when an earlier process of this session died. */
  hasCutOff(): boolean;
}

/** The team of a session, as its other rooms see it. */
export interface SharedTeam {
  /** The tasks, for people: each as data, and in one line. Rejects if they cannot be read. */
  listTasks(): Promise<readonly { task: object; text: string }[]>;
  /** Messages that the lead has not been told of, since its last turn began. */
  readonly newsCount: number;
  /** Resolves at the next message to the lead, or with `ended`. */
  whenNews(ended: Promise<void>): Promise<void>;
  /** What the model is told again after a compaction. */
  reattached(): ReattachItem[];
}

export interface Membership {
  port: TeammatePort;
  mailbox: Mailbox;
}

/** What is there before the model: what a session is opened with, its store, its tools, and what people wrote for it. */
interface BasicRooms {
  options: EngineOptions;
  around: Surroundings;
  store: Store;
  conversation: Conversation;
  tools: ToolParts;
  checkpoints: Checkpoints;
  snips: Snips;
  collapses: SessionCollapseStore;
  knowledge: Knowledge;
  skills: SkillDesk;
  /** Undefined for the default style. */
  style: OutputStyle | undefined;
  /** Absent if any answer will do. */
  structured?: StructuredOutput | undefined;
  /** Undefined for an agent. */
  plan: PlanMode | undefined;
}

/** The model, its budget, and what its tools may do. */
interface JudgedRooms {
  models: ModelParts;
  ledger: Ledger;
  permissions: Permissions;
  view: ToolsView;
  mcp: McpSlot;
  orphan: OrphanedCall | null;
}

/** The agents of a session, who share the tree, the types and the team. Made by `compose-agents.ts`. */
export interface AgentRooms {
  agents: AgentTree;
  agentTypes: NamedAgent[];
  /** Reports of background agents that have ended. */
  agentNews: Attachment[];
  /** Background hooks that may wake the session. */
  waking: Waking;
  team: SharedTeam;
  /** Absent if nobody can write to it. */
  mailbox?: Mailbox | undefined;
}

/** What comes in while the loop is busy. Made by `input.ts`. */
export interface InputRooms {
  commandOf: CommandReader;
  /** News for the next prompt. */
  newsForPrompt: () => Attachment[];
  /** The part of `newsForPrompt` about ended background work, for when no further prompt comes. */
  endedCommands: () => Attachment[];
  /** Files that were read and have changed since, also for the next prompt. */
  changedFiles: () => Attachment[];
  queue: InputQueue;
}

/** What the loop runs with, and what runs beside and after it. Made by `loop/loop-ports.ts`. */
export interface LoopRooms {
  ports: LoopPorts;
  context: CountedContext;
  cacheSafe: CacheSafe;
  forks: TurnForks;
  background: Background;
  job?: Job | undefined;
  disposers: TurnEndDisposers;
}

export interface Joined extends BasicRooms, JudgedRooms, AgentRooms, InputRooms, LoopRooms {
  /** Undefined for the session itself, which owns what its agents share with it. See also `actsAsSubagent`. */
  agentRun: AgentRun | undefined;
  hooks: OwnedHooks;
  hookFeed: HookFeed;
  occasions: HookOccasions;
  memory: SessionMemory;
  goals: Goals;
  openingTexts: OpeningTexts;
  selected: ModelChoice;
  limits: Partial<LoopLimits>;
  facts: Facts;
  source: StartSource;
  /** The cancel of the running turn. */
  turn?: Cancel | undefined;
  /** Present once a command has run. */
  commands?: CommandRunner;
  /** True once the session is closed: nothing in it may change any more. */
  isClosed?: boolean;
}

/** Returns false if there are no hooks and this turn brings none: nobody then needs to listen for hook messages. */
export function mayRunHooks({ hooks, around, skills }: Pick<Joined, "hooks" | "around" | "skills">): boolean {
  return hooks.hasAny() || around.live?.isStale() === true || skills.anyHasHooks();
}
