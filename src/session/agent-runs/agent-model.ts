/** Which model an agent uses, and where it was named. */
import { UsageError } from "../../lib/usage-error.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { Joined } from "../joined.ts";
import { fieldSource, type NamedModel } from "../model/model-source.ts";
import { nonEmpty } from "../options/variables.ts";

/** `requestedModel`: named by the call, or by the call that first started the agent; `skill`: what it carries out, which may have named it. */
export function agentModelOf(
  { models, around, selected }: Joined,
  definition: NamedAgent,
  requestedModel: string | undefined,
  skill: Skill | undefined,
): NamedModel | { problem: string } {
  const environmentModel = nonEmpty(around.env["CLAUDE_CODE_SUBAGENT_MODEL"]);
  // By convention, `inherit` in this variable means the same as leaving it unset.
  const isFromEnvironment = environmentModel !== undefined && !isInherit(environmentModel);
  const name = (isFromEnvironment ? environmentModel : undefined) ?? requestedModel ?? definition.model ?? "inherit";
  if (name === "" || isInherit(name)) return { model: selected.current };
  const modelSource = isFromEnvironment
    ? "with CLAUDE_CODE_SUBAGENT_MODEL"
    : requestedModel === undefined
      ? definitionSource(definition)
      : skill !== undefined && skill.model === requestedModel
        ? fieldSource(skill.path)
        : "in the call that starts the agent, or leave it out";
  try {
    return { model: models.resolveModel(name), modelSource };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { problem: `${error.message} Choose another model ${modelSource}.` };
  }
}

function isInherit(model: string): boolean {
  return model.toLowerCase() === "inherit";
}

function definitionSource({ name, path }: NamedAgent): string {
  return path === undefined ? fieldSource(`the agent ${name}`) : fieldSource(path);
}
