/** The Agent tool: hands a task to an agent with a context of its own, and returns the agent's last message. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { memoizeLast } from "../../lib/memoize-last.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { Tool, ToolInput, ToolInputSchema, ToolResult } from "../../protocol/tool.ts";
import { failureResult } from "../../tools/failure.ts";
import { findAgent, generalPurpose, describeAgentTypes } from "./definitions.ts";

export interface AgentCall {
  definition: NamedAgent;
  prompt: string;
  description: string;
  model?: string;
  isBackground: boolean;
  /** `worktree` applies whatever the definition says. */
  isolation?: "worktree";
  /** Replaces the prompt with the skill's text, which is expanded where the agent works. */
  skill?: { skill: Skill; argument: string; otherText: string };
  /** Id of an earlier agent to resume. */
  resume?: string;
  /** Makes the agent a teammate: it stays after it has answered, and receives messages under this name. */
  name?: string;
  toolUseId: string;
  signal: AbortSignal;
  show: (message: SDKMessage) => void;
}

const dayMs = 24 * 60 * 60_000;
const maxResultChars = 100_000;

const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;

const properties = {
  description: { type: "string", description: "3 to 5 words" },
  prompt: { type: "string" },
  subagent_type: { type: "string" },
  model: { type: "string", description: "opus, sonnet or haiku, if there; default: yours" },
  run_in_background: { type: "boolean", description: "Its end is told later" },
  resume: { type: "string", description: "Id of an agent that goes on" },
  isolation: { enum: ["worktree"] },
};
const required = ["description", "prompt"];
/** The schema, without parameters that are unavailable. */
const schemaOf = memoizeLast((isLasting: boolean, hasTeammates: boolean): ToolInputSchema => {
  const { run_in_background: _, ...brief } = properties;
  const own = isLasting ? properties : brief;
  return { type: "object", properties: hasTeammates ? { ...own, ...nameSchema } : own, required };
});

const nameSchema = {
  name: { type: "string", description: "Makes it a teammate: it stays, and SendMessage reaches it" },
};

const descriptionOf = memoizeLast(
  (types: string): string =>
    `Starts an agent with a context of its own; its last message is the result. For searches and long work whose details you do not need. It knows only \`prompt\`. Several in one message run side by side. Types:\n${types}`,
);

/** Returns the agent type that a call means, spelled as in its definition. */
function createTypeNamer(definitions: readonly NamedAgent[], typeOf: (id: string) => string | undefined) {
  return (input: ToolInput): string => {
    const resume = nonEmptyText(input["resume"]);
    const keptType = resume === undefined ? undefined : typeOf(resume);
    const requestedType = nonEmptyText(input["subagent_type"]) ?? keptType ?? generalPurpose;
    return (
      (findAgent(definitions, keptType ?? requestedType) ?? findAgent(definitions, requestedType))?.name ??
      requestedType
    );
  };
}

/**
 * `run` is loaded with the first call. `typeOf` returns the type of an agent to resume, by its id. `isLasting`: an agent may
 * outlast the call that starts it.
 */
export function createAgentTool(
  definitions: readonly NamedAgent[],
  run: (call: AgentCall) => Promise<ToolResult>,
  typeOf: (id: string) => string | undefined,
  { hasTeammates, isLasting }: { hasTeammates: boolean; isLasting: boolean },
): Tool {
  const nameOf = createTypeNamer(definitions, typeOf);
  return {
    name: "Agent",
    aliases: ["Task"],
    description: descriptionOf(describeAgentTypes(definitions)),
    inputSchema: schemaOf(isLasting, hasTeammates),
    replay: "never",
    maxResultSizeChars: maxResultChars,
    timeLimitMs: () => dayMs,
    isConcurrencySafe: () => true,
    // Starting an agent changes nothing by itself: each of the agent's calls is judged on its own.
    isReadOnly: () => true,
    describe: (input) => `${nameOf(input)}: ${nonEmptyText(input["description"]) ?? "a task"}`,
    // Rules and hooks see the type that is meant, even if the call spells it differently or leaves it out.
    observableInput: (input) => ({ ...input, subagent_type: nameOf(input) }),
    validateInput: (input) => validateCall(input, definitions, nameOf(input)),
    async call(input, { toolUseId, signal }, onProgress) {
      const definition = findAgent(definitions, nameOf(input));
      const prompt = nonEmptyText(input["prompt"]);
      if (definition === undefined || prompt === undefined) return failureResult("There is nothing to do.");
      const { model, resume } = { model: nonEmptyText(input["model"]), resume: nonEmptyText(input["resume"]) };
      const teammate = hasTeammates ? nonEmptyText(input["name"]) : undefined;
      return await run({
        definition,
        prompt,
        description: nonEmptyText(input["description"]) ?? definition.name,
        isBackground: isBackground(input, definition, teammate !== undefined, isLasting),
        ...withoutUndefined({ model, resume }),
        ...(input["isolation"] === "worktree" ? { isolation: "worktree" as const } : {}),
        ...(teammate === undefined ? {} : { name: teammate }),
        toolUseId,
        signal,
        show: (message) => onProgress({ toolUseId, toolName: "Agent", message }),
      });
    },
  };
}

/** A teammate runs in the background unless the call says otherwise: it is meant to stay. */
function isBackground(input: ToolInput, definition: NamedAgent, isTeammate: boolean, isLasting: boolean): boolean {
  const { run_in_background: requested } = input;
  if (!isLasting) return isTeammate && requested !== false;
  return requested === undefined ? definition.background === true || isTeammate : requested === true;
}

function validateCall(input: ToolInput, definitions: readonly NamedAgent[], name: string) {
  if (nonEmptyText(input["prompt"]) === undefined)
    return { ok: false as const, message: "`prompt` is empty: say what the agent is to do." };
  if (findAgent(definitions, name) !== undefined) return { ok: true as const };
  const known = definitions.map((each) => each.name).join(", ");
  return { ok: false as const, message: `There is no agent type "${name.slice(0, 80)}": there are ${known}.` };
}
