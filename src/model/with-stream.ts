/** A model whose answers are observed, or changed, as they stream. */
import type { ModelEvent, ModelOutcome, ModelPort, ModelStream } from "../protocol/model.ts";

export type ModelStep = IteratorResult<ModelEvent, ModelOutcome>;

/** Returns the same model except for `stream`. The original may be a class instance, so its methods are bound. */
export function withStream(model: ModelPort, stream: ModelPort["stream"]): ModelPort {
  return {
    stream,
    measure: model.measure.bind(model),
    info: model.info.bind(model),
    ...(model.countTokens === undefined ? {} : { countTokens: model.countTokens.bind(model) }),
  };
}

/**
 * Returns the stream itself, each of whose steps now passes through `map`, up to the last. `onLeft` is called instead of the last step if
 * the stream throws or its consumer leaves.
 */
export function mapModelSteps(
  stream: ModelStream,
  map: (step: ModelStep) => ModelStep,
  onLeft: () => void = () => undefined,
): ModelStream {
  let isOver = false;
  const mapStep = (step: ModelStep): ModelStep => {
    // A consumer that left may still be given a step it had asked for.
    if (isOver) return step;
    isOver = step.done === true;
    return map(step);
  };
  const leave = (): void => {
    if (isOver) return;
    isOver = true;
    onLeft();
  };
  const next = stream.next.bind(stream);
  stream.next = () =>
    next().then(mapStep, (error: unknown) => {
      leave();
      throw error;
    });
  const ready = stream.ready?.bind(stream);
  if (ready !== undefined)
    stream.ready = () => {
      const step = ready();
      return step === undefined ? undefined : mapStep(step);
    };
  const end = stream.return.bind(stream);
  stream.return = (outcome) => {
    leave();
    return end(outcome);
  };
  return stream;
}
