/** Runs the main thread as an agent type: with its prompt, tools and model, and never with more rights than the session has without it. */
import { nearestName } from "../../lib/edit-distance.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import { stricterMode } from "../../permissions/judging/strictness.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { Tool } from "../../protocol/tool.ts";
import { surroundingsText } from "../knowledge/session-system-prompt.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { ToolParts } from "../tools/tool-parts.ts";
import { findAgent, unfitAgentMessage } from "../agents/definitions.ts";
import { definitionAllows } from "../agents/rights.ts";

export interface MainAgent {
  definition: NamedAgent;
  /** The options that the session is joined with. */
  options: EngineOptions;
}

interface MainAgentParts {
  store: Store;
  tools: ToolParts;
  agentParts: {
    rooms: { agentTypes: readonly NamedAgent[] };
    /** The tools of a session led by an agent that may not start every type. */
    toolsLedBy(leader: NamedAgent, tools: readonly Tool[]): Tool[];
  };
  around: Surroundings;
}

/**
 * Returns undefined if no agent leads. Removes the tools that the agent does not have. Throws `UsageError` if the requested
 * agent does not exist; if settings or a transcript name one that is gone, a notice says so.
 */
export function mainAgent(
  options: EngineOptions,
  { store, tools, agentParts, around }: MainAgentParts,
): MainAgent | undefined {
  const types = agentParts.rooms.agentTypes;
  const { restored } = store;
  // A session that began without a lead agent continues without one.
  const settingsAgent = restored.systemPrompt === undefined ? around.settings.agent : undefined;
  const name = options.agent ?? restored.agent ?? settingsAgent;
  if (name === undefined) return undefined;
  const definition = findAgent(types, name);
  if (definition === undefined) {
    const shown = oneLine(name, 80);
    if (options.agent !== undefined) throw new UsageError(missingAgentMessage(shown, types));
    around.notice(
      restored.agent === undefined
        ? `The setting "agent" is ignored: ${missingAgentMessage(shown, types)}`
        : `The session was led by the agent ${shown}, which no longer exists: it continues without one.`,
    );
    return undefined;
  }
  if (definition.unfit !== undefined) throw new UsageError(unfitAgentMessage(definition.name, definition.unfit));
  tools.tools = agentParts
    .toolsLedBy(definition, tools.tools)
    .filter((tool) => definitionAllows(definition, tool.name) || tool.name === "StructuredOutput");
  const isSame = restored.agent === definition.name;
  return { definition, options: leadAgentOptions(definition, options, around, isSame ? restored : {}) };
}

function missingAgentMessage(name: string, types: readonly NamedAgent[]): string {
  const names = types.map((each) => each.name);
  const near = nearestName(name, names);
  return `There is no agent ${name}${near === undefined ? "." : `: did you mean ${near}?`} The agents are ${names.join(", ")}.`;
}

/** What was chosen for the session itself wins; what its transcript holds stays as it was sent. */
function leadAgentOptions(
  { name, prompt, model, effort, maxTurns }: NamedAgent,
  options: EngineOptions,
  around: Surroundings,
  restored: Partial<Store["restored"]>,
): EngineOptions {
  const isInherited = model === undefined || model.toLowerCase() === "inherit" || restored.model !== undefined;
  const place = surroundingsText(around, around.machine.isGitRepository(around.cwd), options.addDirs);
  const own = [prompt, place, options.systemPrompt ?? ""].filter((part) => part !== "").join("\n\n");
  // Text that the user appends is compared with the recorded prompt together with the agent's own.
  const isKept = restored.systemPrompt !== undefined && options.appendSystemPrompt === undefined;
  return {
    ...options,
    agent: name,
    systemPrompt: isKept ? undefined : own,
    ...(options.model !== undefined || isInherited ? {} : { model }),
    ...(options.effort !== undefined || effort === undefined ? {} : { effort }),
    ...(options.maxTurns !== undefined || maxTurns === undefined ? {} : { maxTurns }),
  };
}

/** Sets the agent's permission mode if it is stricter than the session's; never a looser one. */
export function applyStricterMode(
  permissions: Permissions,
  { permissionMode }: Pick<NamedAgent, "permissionMode">,
): void {
  const mode = permissions.getMode();
  const stricter = stricterMode(mode, permissionMode);
  if (stricter !== mode) permissions.setMode(stricter);
}
