/** The Agent tool: hands a task to an agent with a context of its own, and gets its last message back. */
import { present } from "../../lib/present.ts";
import { sameAsLast } from "../../lib/same-as-last.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { Tool, ToolInput, ToolInputSchema, ToolResult } from "../../protocol/tool.ts";
import { failure } from "../../tools/failure.ts";
import { findAgent, generalPurpose, listed } from "./definitions.ts";

export interface AgentCall {
  definition: NamedAgent;
  prompt: string;
  description: string;
  model?: string;
  isBackground: boolean;
  /** `worktree`: whatever its definition says. */
  isolation?: "worktree";
  /** In place of the prompt: what it says, made where the agent works. */
  skill?: { skill: Skill; argument: string; beside: string };
  /** Id of an earlier one that goes on. */
  resume?: string;
  /** It stays when it has answered, and is written to by this name. */
  name?: string;
  toolUseId: string;
  signal: AbortSignal;
  show: (message: SDKMessage) => void;
}

const dayMs = 24 * 60 * 60_000;
const longestResult = 100_000;

const text = (value: unknown): string | undefined =>
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
/** Without what is not to be had. */
const schemaOf = sameAsLast((isLasting: boolean, hasTeammates: boolean): ToolInputSchema => {
  const { run_in_background: _, ...brief } = properties;
  const own = isLasting ? properties : brief;
  return { type: "object", properties: hasTeammates ? { ...own, ...nameSchema } : own, required };
});

const nameSchema = {
  name: { type: "string", description: "Makes it a teammate: it stays, and SendMessage reaches it" },
};

const descriptionOf = sameAsLast(
  (types: string): string =>
    `Starts an agent with a context of its own; its last message is the result. For searches and long work whose details you do not need. It knows only \`prompt\`. Several in one message run side by side. Types:\n${types}`,
);

/** The kind that a call means, as its definition has it. */
function namer(definitions: readonly NamedAgent[], typeOf: (id: string) => string | undefined) {
  return (input: ToolInput): string => {
    const resume = text(input["resume"]);
    const kept = resume === undefined ? undefined : typeOf(resume);
    const said = text(input["subagent_type"]) ?? kept ?? generalPurpose;
    return (findAgent(definitions, kept ?? said) ?? findAgent(definitions, said))?.name ?? said;
  };
}

/**
 * `run` is loaded with the first call. `typeOf`: of an agent that goes on, by its id. `isLasting`: an agent may outlast the call that
 * starts it.
 */
export function createAgentTool(
  definitions: readonly NamedAgent[],
  run: (call: AgentCall) => Promise<ToolResult>,
  typeOf: (id: string) => string | undefined,
  { hasTeammates = false, isLasting = true }: { hasTeammates?: boolean; isLasting?: boolean } = {},
): Tool {
  const nameOf = namer(definitions, typeOf);
  return {
    name: "Agent",
    aliases: ["Task"],
    description: descriptionOf(listed(definitions)),
    inputSchema: schemaOf(isLasting, hasTeammates),
    replay: "never",
    maxResultSizeChars: longestResult,
    timeLimitMs: () => dayMs,
    isConcurrencySafe: () => true,
    // By itself it changes nothing: what the agent does is judged call by call.
    isReadOnly: () => true,
    describe: (input) => `${nameOf(input)}: ${text(input["description"]) ?? "a task"}`,
    // What rules and hooks name is the kind that is meant, however it is said, or not.
    observableInput: (input) => ({ ...input, subagent_type: nameOf(input) }),
    validateInput: (input) => verdictOf(input, definitions, nameOf(input)),
    async call(input, { toolUseId, signal }, onProgress) {
      const definition = findAgent(definitions, nameOf(input));
      const prompt = text(input["prompt"]);
      if (definition === undefined || prompt === undefined) return failure("There is nothing to do.");
      const { model, resume } = { model: text(input["model"]), resume: text(input["resume"]) };
      const teammate = hasTeammates ? text(input["name"]) : undefined;
      return await run({
        definition,
        prompt,
        description: text(input["description"]) ?? definition.name,
        isBackground: isBackground(input, definition, teammate !== undefined, isLasting),
        ...present({ model, resume }),
        ...(input["isolation"] === "worktree" ? { isolation: "worktree" as const } : {}),
        ...(teammate === undefined ? {} : { name: teammate }),
        toolUseId,
        signal,
        show: (message) => onProgress({ toolUseId, toolName: "Agent", message }),
      });
    },
  };
}

/** A teammate stays in any case: it is what it is for. */
function isBackground(input: ToolInput, definition: NamedAgent, isTeammate: boolean, isLasting: boolean): boolean {
  const { run_in_background: said } = input;
  if (!isLasting) return isTeammate && said !== false;
  return said === undefined ? definition.background === true || isTeammate : said === true;
}

function verdictOf(input: ToolInput, definitions: readonly NamedAgent[], name: string) {
  if (text(input["prompt"]) === undefined)
    return { ok: false as const, message: "`prompt` is empty: say what the agent is to do." };
  if (findAgent(definitions, name) !== undefined) return { ok: true as const };
  const known = definitions.map((each) => each.name).join(", ");
  return { ok: false as const, message: `There is no agent type "${name.slice(0, 80)}": there are ${known}.` };
}
