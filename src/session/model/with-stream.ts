/** A model whose answers are observed, or changed, as they stream. */
import type { ModelEvent, ModelOutcome, ModelPort, ModelStream } from "../../protocol/model.ts";

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

/** Returns the stream itself, each of whose steps now passes through `map`. */
export function mapModelSteps(stream: ModelStream, map: (step: ModelStep) => ModelStep): ModelStream {
  const next = stream.next.bind(stream);
  stream.next = async () => map(await next());
  const ready = stream.ready?.bind(stream);
  if (ready !== undefined)
    stream.ready = () => {
      const step = ready();
      return step === undefined ? undefined : map(step);
    };
  return stream;
}
