// Tools of every temper: quick, slow, failing, throwing, huge, exclusive, deaf to signals, and one that starts a session of its own.
import type { Tool, ToolContext, ToolInput, ToolResult } from "../../src/protocol/tool.ts";
import type { Watcher } from "./watcher.ts";
import { neverResolves, type Process, type World } from "./world.ts";

export const toolNames = [
  "Look",
  "Scan",
  "Change",
  "Fail",
  "Huge",
  "Deaf",
  "Steady",
  "Picture",
  "Careful",
  "Spawn",
] as const;
export type ToolName = (typeof toolNames)[number];

type Temper = "well" | "error" | "throw" | "deaf" | "nonsense" | "long" | "empty";

interface ToolKind {
  isSafe: boolean;
  isReadOnly: boolean;
  replay: Tool["replay"];
  /** In a bad mood it does one of these. */
  bad: Temper[];
  traits?: Partial<Tool>;
}

const toolKinds: Record<ToolName, ToolKind> = {
  Look: { isSafe: true, isReadOnly: true, replay: "safe", bad: ["error", "throw", "long"] },
  Scan: { isSafe: true, isReadOnly: true, replay: "safe", bad: ["empty", "nonsense", "throw"] },
  Change: { isSafe: false, isReadOnly: false, replay: "never", bad: ["error", "throw", "deaf"] },
  Fail: {
    isSafe: true,
    isReadOnly: false,
    replay: "idempotent",
    bad: ["error"],
    traits: { failureCancelsSiblings: true },
  },
  Huge: { isSafe: true, isReadOnly: true, replay: "safe", bad: ["error"], traits: { maxResultSizeChars: 4_000 } },
  Deaf: { isSafe: true, isReadOnly: false, replay: "never", bad: ["deaf"], traits: { timeLimitMs: () => 20_000 } },
  Steady: { isSafe: false, isReadOnly: false, replay: "never", bad: ["error"], traits: { interruptBehavior: "block" } },
  Picture: { isSafe: true, isReadOnly: true, replay: "safe", bad: ["error"] },
  Careful: { isSafe: false, isReadOnly: false, replay: "never", bad: ["error"] },
  Spawn: { isSafe: false, isReadOnly: false, replay: "never", bad: ["error"] },
};

/** One red pixel. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** What a result says about its call: its reader knows which call it belongs to. */
export function resultToken(toolUseId: string): string {
  return `answer-to-${toolUseId}`;
}

export function toolsFor(world: World, process: Process, seat: Watcher): Tool[] {
  const offered = toolNames.filter((name) => name !== "Spawn" || seat.maySpawn);
  return offered.map((name) => createTool(name, world, process, seat));
}

function createTool(name: ToolName, world: World, process: Process, seat: Watcher): Tool {
  const kind = toolKinds[name];
  const tool: Tool = {
    name,
    description: `${name} something.`,
    inputSchema: {
      type: "object",
      properties: { n: { type: "number" }, note: { type: "string" }, seal: { type: "string" } },
    },
    isConcurrencySafe: () => kind.isSafe,
    isReadOnly: () => kind.isReadOnly,
    replay: kind.replay,
    maxResultSizeChars: 20_000,
    async call(input, context, onProgress) {
      if (process.isDead) return neverResolves();
      seat.toolStarts(name, kind.isSafe, input, context);
      try {
        const result = await runTool(name, { world, process, seat, context, input, onProgress });
        if (process.isDead) return await neverResolves();
        seat.toolEnds(context, result);
        return result;
      } catch (error) {
        seat.toolEnds(context, null);
        throw error;
      }
    },
    ...kind.traits,
  };
  if (name === "Careful") Object.assign(tool, selfCheckingTool(world, process));
  return tool;
}

/** Checks its input itself, which takes its time, and shows more of it than there is. */
function selfCheckingTool(world: World, process: Process): Partial<Tool> {
  return {
    observableInput: (input) => ({ ...input, seen: true }),
    async validateInput(input) {
      await world.scheduler.pause(world.latency(), "check of an input", process);
      if (world.choices.chance(10)) throw new Error("the check broke");
      return world.choices.chance(10) ? { ok: false, message: `not today: ${String(input["n"])}` } : { ok: true };
    },
  };
}

interface Work {
  world: World;
  process: Process;
  seat: Watcher;
  context: ToolContext;
  input: ToolInput;
  onProgress: Parameters<Tool["call"]>[2];
}

async function runTool(name: ToolName, { world, process, seat, context, onProgress }: Work): Promise<ToolResult> {
  const { choices, scheduler, plan } = world;
  const token = resultToken(context.toolUseId);
  const temper: Temper = choices.chance(plan.moods.badTool) ? choices.pick(toolKinds[name].bad) : "well";
  world.count("tool", `${name} ${temper}`);
  if (temper === "deaf") {
    await scheduler.pause(choices.pick([3_000, 90_000, 8_000_000]), `${name}, deaf`, process);
    return { content: `${token} at last` };
  }
  if (choices.chance(20)) onProgress({ toolUseId: context.toolUseId, toolName: name, text: "working" });
  await scheduler.pause(world.latency(), name, process, context.signal);
  if (context.signal.aborted) return { content: "ended early", isError: true };
  switch (temper) {
    case "error":
      return { content: `${token} failed`, isError: true };
    case "throw":
      throw new Error(`${token} threw`);
    case "nonsense":
      return choices.pick([undefined, 7, { content: 7 }, { content: [{ type: "strange" }] }]) as never;
    case "empty":
      return { content: choices.pick(["", []]) as string };
    case "long":
      await scheduler.pause(9_000_000, `${name}, long`, process, context.signal);
      return {
        content: context.signal.aborted ? "ended late" : `${token} after long`,
        isError: context.signal.aborted,
      };
    case "well":
      return await goodResult(name, { world, seat, context, token });
    default:
      return temper satisfies never;
  }
}

async function goodResult(
  name: ToolName,
  { world, seat, context, token }: Pick<Work, "world" | "seat" | "context"> & { token: string },
): Promise<ToolResult> {
  const { choices, plan } = world;
  const size = choices.pick(plan.window === null ? [3, 30, 200] : [30, 200, 500]);
  switch (name) {
    case "Huge":
      return { content: `${token} ${"much ".repeat(choices.pick([900, 3_000]))}` };
    case "Picture":
      return {
        content: [
          { type: "text", text: token },
          { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
        ],
      };
    case "Spawn":
      return { content: `${token} ${await seat.spawn(context.signal)}` };
    case "Scan":
      return {
        content: [{ type: "text", text: `${token} ${"line ".repeat(size)}` }],
        output: { lines: size },
        ...(choices.chance(20) ? { followUp: [{ type: "text" as const, text: `more of ${token}` }] } : {}),
      };
    default:
      return { content: `${token} ${"line ".repeat(size)}` };
  }
}
