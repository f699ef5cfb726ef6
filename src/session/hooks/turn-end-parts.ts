/** What happens at the end of a turn in this session: the steps of `hooks/turn-end.ts` with their implementations. */
import { createTurnEnd } from "../../hooks/turn-end.ts";
import type { LoopPorts } from "../../loop/ports.ts";
import type { SubagentIdentity, TurnEndPort } from "../../protocol/turn-end.ts";
import type { BackgroundTasks } from "../../tools/shell/background.ts";
import type { AgentTree } from "../agents/tree.ts";
import type { CacheSafe } from "../forks/cache-safe.ts";
import type { TurnForks } from "../forks/turn-forks.ts";
import type { Job } from "../job/job.ts";
import { backgroundTasks } from "./background-tasks.ts";
import type { Goals } from "../goal/goals.ts";
import type { EngineOptions } from "../options/options.ts";
import type { TurnEndDisposers } from "./turn-end-disposers.ts";
import type { Store } from "../store/store-shape.ts";

export interface TurnEndRooms extends Pick<LoopPorts, "hooks" | "ids" | "clock"> {
  options: EngineOptions;
  agents: AgentTree;
  /** Background commands. */
  commands: Pick<BackgroundTasks, "list">;
  store: Store;
  cacheSafe: CacheSafe;
  job: Job | undefined;
  disposers: TurnEndDisposers;
  goals: Goals;
  /** Undefined in a bare session. */
  forks: TurnForks | undefined;
}

export function composeTurnEnd({
  hooks,
  ids,
  clock,
  options,
  agents,
  commands,
  store,
  cacheSafe,
  job,
  disposers,
  goals,
  forks,
}: TurnEndRooms): TurnEndPort {
  const { teammate, debug } = options;
  return createTurnEnd({
    hooks,
    ids,
    clock,
    disposers,
    keepSnapshot: (end) => cacheSafe.keep(end),
    ...(job === undefined ? {} : { judgeJob: (end, signal) => job.judge(end, signal) }),
    ...(forks === undefined ? {} : { startForks: () => forks.start() }),
    backgroundTasks: () => backgroundTasks(commands, agents, options.subagent?.agentId),
    subagent: withTranscriptPath(options.subagent, store),
    goal: goals,
    teammate,
    trace: (step) => debug?.(`turn_end ${step}`),
  });
}

function withTranscriptPath(
  identity: SubagentIdentity | undefined,
  { transcript }: Store,
): SubagentIdentity | undefined {
  if (identity === undefined || transcript === null) return identity;
  return { transcriptPath: transcript.path, ...identity };
}
