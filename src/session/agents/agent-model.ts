/** Which model an agent uses, and what is said if its server does not have that model: where the model was named. */
import { UsageError } from "../../lib/usage-error.ts";
import { waysToChooseModel } from "../../model/index.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { ModelPort } from "../../protocol/model.ts";
import type { Joined } from "../joined.ts";
import { mapModelSteps, withStream, type ModelStep } from "../../model/with-stream.ts";
import { nonEmpty } from "../options/variables.ts";

export interface AgentModel {
  /** The model's id. */
  model: string;
  /** Where the model was named, such as "in the field model of FILE"; absent if it is the parent's. */
  modelSource?: string;
}

/** `requestedModel`: named by the call, or by the call that first started the agent. */
export function agentModelOf(
  { models, around, selected }: Joined,
  definition: NamedAgent,
  requestedModel: string | undefined,
): AgentModel | { problem: string } {
  const environmentModel = nonEmpty(around.env["CLAUDE_CODE_SUBAGENT_MODEL"]);
  // By convention, `inherit` in this variable means the same as leaving it unset.
  const isFromEnvironment = environmentModel !== undefined && !isInherit(environmentModel);
  const name = (isFromEnvironment ? environmentModel : undefined) ?? requestedModel ?? definition.model ?? "inherit";
  if (name === "" || isInherit(name)) return { model: selected.current };
  const modelSource = isFromEnvironment
    ? "with CLAUDE_CODE_SUBAGENT_MODEL"
    : requestedModel === undefined
      ? definitionSource(definition)
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
  return path === undefined ? `in the field model of the agent ${name}` : `in the field model of ${path}`;
}

/** The usual advice names ways to choose the session's model, which do not change the agent's. */
export function withModelSource<M extends ModelPort>(port: M, { model, modelSource }: AgentModel): M {
  if (modelSource === undefined) return port;
  const watched = withStream(port, (request, signal) => {
    const events = port.stream(request, signal);
    return request.model === model ? mapModelSteps(events, (step) => adviseInStep(step, modelSource)) : events;
  });
  return { ...port, ...watched };
}

function adviseInStep(step: ModelStep, modelSource: string): ModelStep {
  if (step.done !== true || step.value.ok) return step;
  const { failure } = step.value;
  const message = failure.message.replace(waysToChooseModel, () => modelSource);
  return { done: true, value: { ...step.value, failure: { ...failure, message } } };
}
