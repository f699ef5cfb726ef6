/** What the layers that change history share with the session. */
import type { ContextDeps } from "../../context/index.ts";
import type { LoopPorts } from "../../loop/ports.ts";
import type { Tool, ToolInput } from "../../protocol/tool.ts";
import { foldMessage } from "../../transcript/index.ts";
import type { ModelParts } from "../model/model-parts.ts";
import type { Snips } from "./snips.ts";
import type { ToolParts } from "../tools/tool-parts.ts";

export interface HistoryOptions {
  ports: Pick<LoopPorts, "tools">;
  models: Pick<ModelParts, "cacheTtl">;
  tools: ToolParts;
  snips: Snips;
}

export function composeHistory({ ports, models, tools, snips }: HistoryOptions): NonNullable<ContextDeps["history"]> {
  return {
    fold: (messages, record) => foldMessage(messages, record, snips.replay),
    rerun: (name, input) => describeRerun(ports.tools.find(name), input),
    cacheTtl: models.cacheTtl,
    forgetShown: () => tools.shared.readState.clear(),
    markNotShown: (toolUseId) => tools.shared.readState.markNotShown(toolUseId),
    waitingSnips: () => snips.waitingRequests(),
    refuseSnip: (request) => snips.drop(request),
  };
}

/** Their results are part of what the model was told or may call, and calling them again does not bring the results back. */
const neverRerunTools: ReadonlySet<string> = new Set(["Agent", "Skill", "Task", "ToolSearch"]);

/** Reading, searching, the shell, and tools that declare themselves read-only and safe to call again. */
function describeRerun(tool: Tool | undefined, input: ToolInput): { what: string; isReadOnly: boolean } | undefined {
  // A person's answer is not asked for again either.
  if (tool === undefined || neverRerunTools.has(tool.name) || tool.requiresUserInteraction === true) return undefined;
  try {
    const isReadOnly = tool.isReadOnly(input);
    if (tool.name !== "Bash" && !(tool.replay === "safe" && isReadOnly)) return undefined;
    return { what: tool.describe?.(input) ?? tool.name, isReadOnly };
  } catch {
    // A tool that cannot describe its call keeps its result.
    return undefined;
  }
}
