/** What is said if a server does not have a model: where the model was named. */
import { waysToChooseModel } from "../../model/index.ts";
import type { ModelPort } from "../../protocol/model.ts";
import { mapModelSteps, withStream, type ModelStep } from "../../model/with-stream.ts";

export interface NamedModel {
  /** The model's id. */
  model: string;
  /** Where the model was named, such as "in the field model of FILE"; absent if it is the session's, or the parent's. */
  modelSource?: string;
}

/** For a model that a file names. */
export function fieldSource(path: string): string {
  return `in the field model of ${path}`;
}

/** The usual advice names ways to choose the session's model, which do not change a model named elsewhere. `named` is asked at each request. */
export function withModelSource<M extends ModelPort>(port: M, named: () => NamedModel): M {
  const watched = withStream(port, (request, signal) => {
    const events = port.stream(request, signal);
    const { model, modelSource } = named();
    if (modelSource === undefined || request.model !== model) return events;
    return mapModelSteps(events, (step) => adviseInStep(step, modelSource));
  });
  return { ...port, ...watched };
}

function adviseInStep(step: ModelStep, modelSource: string): ModelStep {
  if (step.done !== true || step.value.ok) return step;
  const { failure } = step.value;
  const message = failure.message.replace(waysToChooseModel, () => modelSource);
  return { done: true, value: { ...step.value, failure: { ...failure, message } } };
}
