/** What the loop needs from a session beyond its rooms: context window management, the end of a turn, summaries of tool calls. */
import { actsAsSubagent } from "../options/acts-as-subagent.ts";
import { composeContext, type ContextPartsOptions } from "./context-parts.ts";
import { Background } from "../forks/background.ts";
import { CacheSafe } from "../forks/cache-safe.ts";
import { TurnForks } from "../forks/turn-forks.ts";
import { autoMemoryOf } from "../memory/auto-memory.ts";
import type { Message } from "../../protocol/message.ts";
import type { LoopPorts } from "../../loop/ports.ts";
import type { Job } from "../job/job.ts";
import type { Joined, LoopRooms } from "../joined.ts";
import type { ReattachItem } from "../../context/reattach-item.ts";
import { createReattach } from "../context/reattach.ts";
import { reattachedAnnouncements } from "../knowledge/announcements.ts";
import { dateReminders } from "../context/date-reminder.ts";
import { withSavingsCount } from "../context/savings.ts";
import { TurnEndDisposers } from "../hooks/turn-end-disposers.ts";
import { withModelSource } from "../model/model-source.ts";
import { toolUseSummaries } from "../model/tool-use-summary.ts";
import { folderNews } from "../tools/left-folder.ts";
import { runningAgentItems } from "../late-work.ts";
import { composeTurnEnd } from "../hooks/turn-end-parts.ts";
import { isBareSession } from "../options/variables.ts";
import { modelChoicePorts } from "./loop-config.ts";

type Rooms = Omit<ContextPartsOptions, "ports" | "reattach"> &
  Pick<
    Joined,
    | "options"
    | "goals"
    | "conversation"
    | "permissions"
    | "memory"
    | "skills"
    | "structured"
    | "team"
    | "knowledge"
    | "agents"
    | "plan"
    | "mcp"
  >;

export async function completePorts(rooms: Rooms, ports: ContextPartsOptions["ports"]): Promise<LoopRooms> {
  const { around, tools, options, store } = rooms;
  const reattach = createReattach(around, tools.shared);
  reattach.add("plan", (kept) => rooms.plan?.reattached(kept) ?? []);
  reattach.add("todos", () => rooms.team.reattached());
  reattach.add("todos", () => rooms.goals.reattached());
  reattach.add("skills", (kept) => rooms.skills.reattached(kept));
  reattach.add("memory", (kept) => rooms.memory.changedItems(kept));
  reattach.add("memory", (kept) =>
    reattachedAnnouncements(rooms.conversation.messages, kept, rooms.permissions.folders()),
  );
  reattach.add("skills", () => rooms.mcp.desk?.reattached() ?? []);
  reattach.add("commands", (kept) => folderReminders(rooms, kept));
  reattach.add("commands", () => runningAgentItems(rooms));
  reattach.add("memory", (kept) =>
    dateReminders(kept, around).map((day) => ({ label: "the day", name: day.name, text: day.text })),
  );
  const context = withSavingsCount(composeContext({ ...rooms, ports, reattach }));
  const cacheSafe = new CacheSafe(rooms.selected);
  const debug = (line: string): void => options.debug?.(line);
  const background = new Background(ports.clock, debug, options.abortController?.signal);
  const disposers = new TurnEndDisposers(ports.clock, debug);
  const job = await jobOf(rooms, ports);
  const forks = new TurnForks({
    cacheSafe,
    background,
    tools,
    sessionId: store.sessionId,
    suggests: options.promptSuggestions === true,
    // A session without a transcript leaves no notes either.
    memory: store.transcript === null ? undefined : autoMemoryOf(around, options),
    debug,
  });
  const isSilent = isBareSession(around.env);
  const ended = composeTurnEnd({
    ...ports,
    options,
    agents: rooms.agents,
    commands: tools.shared.background,
    store,
    cacheSafe,
    job,
    disposers,
    goals: rooms.goals,
    forks: isSilent ? undefined : forks,
  });
  const turnEnd = rooms.structured?.watch(ended) ?? ended;
  const summary = toolUseSummaries({ ...rooms, ...ports });
  const { selected } = rooms;
  const named = withModelSource(ports.model, () => ({ model: selected.current, modelSource: selected.source }));
  const model = cacheSafe.watch(await withCacheMissReports(rooms, named));
  const whole: LoopPorts = { ...ports, model, ...modelChoicePorts(rooms), turnEnd, context, summary };
  const watched = around.telemetry?.portsFor(whole, rooms) ?? whole;
  return { context, ports: watched, cacheSafe, background, job, disposers, forks };
}

/** Reports requests that missed the prompt cache, and why, if somebody reads the reports. */
async function withCacheMissReports(
  { options, around, models }: Rooms,
  model: LoopPorts["model"],
): Promise<LoopPorts["model"]> {
  const { debug, subagent } = options;
  const { clock, telemetry } = around;
  if (debug === undefined && telemetry === undefined) return model;
  const { watchCache } = await import("../../model/cache-watch.ts");
  const { cacheTtl } = actsAsSubagent(options) ? models.forAgents : models;
  return watchCache(model, {
    clock,
    ttl: cacheTtl,
    reportMiss(miss) {
      const { reason, detail, expected, read, request } = miss;
      debug?.(`${request.key}: prompt cache missed, ${read} of ${expected} tokens were found: ${reason} (${detail})`);
      telemetry?.reportCacheMiss(miss, subagent?.agentId);
    },
  });
}

/** A session that works for another one is not a job of its own. */
async function jobOf(rooms: Rooms, ports: Pick<LoopPorts, "model" | "budget">): Promise<Job | undefined> {
  const { jobFolder } = rooms.around;
  if (jobFolder === undefined || actsAsSubagent(rooms.options)) return undefined;
  const { composeJob } = await import("../job/compose-job.ts");
  return composeJob({ ...rooms, ...ports }, jobFolder);
}

/** Tells the model where commands start, unless the system prompt says so or the commands have changed folder since. */
function folderReminders({ options, tools, openingTexts }: Rooms, keptMessages: readonly Message[]): ReattachItem[] {
  const { cwd } = tools.shared;
  if (actsAsSubagent(options) || !cwd.isStart()) return [];
  const news = folderNews(keptMessages, { folder: cwd.get(), system: openingTexts.system, carriesOver: false });
  return news.map(({ name, text }) => ({ label: "the working directory", name, text }));
}
