// A session of the real engine in a simulated process: joined as the command joins one, with the world in the machine's place.
import type { AskPermission, PermissionAnswer, PermissionQuestion } from "../../src/protocol/permission.ts";
import { snipReplay } from "../../src/context/snip-replay.ts";
import { createEngineIn } from "../../src/session/compose.ts";
import type { EngineOptions } from "../../src/session/options/options.ts";
import type { Surroundings } from "../../src/session/surroundings/surroundings.ts";
import { defaultSettings } from "../../src/settings/settings.ts";
import { agentKinds } from "./agent-plan.ts";
import { hooksFor } from "./hooks.ts";
import { createMachine } from "./machine.ts";
import { createTransport } from "./model.ts";
import { modelsOf, primaryModel, spareModel, windowOf, type Plan } from "./plan.ts";
import { pricesOf } from "./prices.ts";
import { Seat } from "./seat.ts";
import { toolNames, toolsFor } from "./tools.ts";
import { neverResolves, pawlHome, workFolder, type Process, type World } from "./world.ts";

export interface Opening {
  tag: string;
  sessionId: string;
  isResumed: boolean;
  maySpawn: boolean;
  maxBudgetUsd: number | undefined;
}

/** Throws what the engine throws where it will not open. */
export async function openSeat(world: World, process: Process, opening: Opening): Promise<Seat> {
  const seat = new Seat(world, process, opening);
  const options = engineOptions(world, process, seat, opening);
  seat.engine = await createEngineIn(options, async () => createSurroundings(world, process));
  return seat;
}

function engineOptions(
  world: World,
  process: Process,
  seat: Seat,
  { tag, sessionId, isResumed, maxBudgetUsd }: Opening,
): EngineOptions {
  const { plan } = world;
  return {
    cwd: workFolder,
    model: plan.model,
    fallbackModel: plan.fallbacks,
    maxTurns: plan.maxTurns,
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
    ...(plan.tokenBudget === undefined ? {} : { tokenBudget: plan.tokenBudget }),
    ...(plan.maxOutputTokens === undefined ? {} : { maxOutputTokens: plan.maxOutputTokens }),
    permissionMode: plan.permissionMode,
    ...(plan.isTrusting ? { allowedTools: [...toolNames, "Agent", "TaskStop"] } : {}),
    ...(plan.crew === null
      ? { tools: ["TodoWrite"] }
      : { tools: ["TodoWrite", "Agent", "TaskStop"], agents: agentKinds, agentLimits: plan.crew }),
    customTools: toolsFor(world, process, seat),
    systemPrompt: `You are ${tag}.`,
    ...(isResumed ? { resume: sessionId } : { sessionId }),
    includePartialMessages: plan.partialMessages,
    thinking: plan.thinkingWish,
    ...(plan.effort === undefined ? {} : { effort: plan.effort }),
    ask: createAsker(world, process, seat),
    hooks: hooksFor(world, process, seat),
    transport: createTransport(world, process, seat),
    durability: plan.durability,
    debug: (line) => seat.sawDebugLine(line),
    snipReplay,
    toolUseSummaries: plan.toolUseSummaries,
  };
}

function createSurroundings(world: World, process: Process): Surroundings {
  const { plan } = world;
  return {
    cwd: workFolder,
    env: {
      CLAUDE_CODE_MAX_RETRIES: String(plan.maxRetries),
      CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: String(plan.stopHookBlocks),
      ...(plan.compact ? {} : { DISABLE_COMPACT: "1" }),
      PAWL_LAYERS_OFF: plan.layersOff.join(","),
      PAWL_COLLAPSE_PCT: String(plan.collapsePercent),
    },
    home: "/home",
    pawlHome,
    settings: {
      ...defaultSettings(),
      autoCompactEnabled: plan.autoCompact,
      catalog: { models: Object.fromEntries(modelsOf(plan).map((model) => [model, catalogEntry(plan, model)])) },
    },
    apiKey: "simulated-key",
    notice: (text) => world.trace.add("notice", text),
    clock: world.scheduler.clockOf(process),
    ids: world.ids,
    machine: createMachine(world, process),
    version: "0.0.0-simulated",
  };
}

/** What a user would have written of a model. */
function catalogEntry(plan: Plan, model: string) {
  const window = windowOf(plan, model);
  if (model !== primaryModel && model !== spareModel) return window === null ? {} : { contextWindow: window };
  return {
    contextWindow: window ?? 200_000,
    maxOutputTokens: plan.maxOutput,
    prices: pricesOf(plan),
    thinking: plan.thinking ? "adaptive" : "none",
    thinkingBoundToPrefix: true,
  };
}

type PersonAnswer = "yes" | "no" | "stop" | "changed" | "spoiled" | "never" | "throw" | "nonsense";

function createAsker(world: World, process: Process, seat: Seat): AskPermission {
  return async (question, signal) => {
    if (process.isDead) return neverResolves();
    const { choices, plan, scheduler } = world;
    seat.recordSignal(signal, "a question");
    const said: PersonAnswer = choices.chance(plan.moods.refusal)
      ? choices.pick(["no", "stop", "changed", "spoiled", "never", "throw", "nonsense"])
      : "yes";
    world.count("answer", said);
    const asked = { asked: scheduler.elapsed, settledAt: null as number | null };
    // What an agent asks in the background holds no turn up.
    if (question.agentId === undefined) seat.turn?.questions.push(asked);
    await scheduler.pause(
      said === "never" ? 200_000_000 : world.latency(),
      `a person answers ${said}`,
      process,
      signal,
    );
    if (process.isDead) return neverResolves();
    if (signal.aborted) return { behavior: "deny" };
    asked.settledAt = scheduler.elapsed;
    return permissionAnswer(said, question, world, seat);
  };
}

function permissionAnswer(
  answer: PersonAnswer,
  { toolUseId, input, agentId }: PermissionQuestion,
  { scheduler, process }: World,
  seat: Seat,
): PermissionAnswer {
  const { turn } = seat;
  switch (answer) {
    case "yes":
      return { behavior: "allow" };
    case "changed":
      return { behavior: "allow", updatedInput: { ...input, note: "changed by a person" } };
    case "spoiled":
      turn?.refused.add(toolUseId);
      return { behavior: "allow", updatedInput: { seal: 7 } };
    case "stop":
      turn?.refused.add(toolUseId);
      // The answer has a way to go before it counts.
      if (turn !== null) turn.wasStopped = true;
      // One that an agent asks in the background ends the agent.
      if (agentId !== undefined) return { behavior: "deny", message: "stop all of it", interrupt: true };
      scheduler.schedule(0, "the turn is stopped by an answer", process, () => {
        if (seat.turn === turn) seat.turnCancelled("user");
      });
      return { behavior: "deny", message: "stop all of it", interrupt: true };
    case "throw":
      turn?.refused.add(toolUseId);
      throw new Error("nobody there");
    case "nonsense":
      turn?.refused.add(toolUseId);
      return "certainly" as never;
    case "no":
    case "never":
      turn?.refused.add(toolUseId);
      turn?.refusals.push({ id: toolUseId, isChecked: answer === "no" && agentId === undefined });
      return { behavior: "deny", message: "no" };
    default:
      return answer satisfies never;
  }
}
