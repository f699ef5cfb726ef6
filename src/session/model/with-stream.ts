/** A model whose answers are observed as they stream. */
import type { ModelPort } from "../../protocol/model.ts";

/** Returns the same model except for `stream`. The original may be a class instance, so its methods are bound. */
export function withStream(model: ModelPort, stream: ModelPort["stream"]): ModelPort {
  return {
    stream,
    measure: model.measure.bind(model),
    info: model.info.bind(model),
    ...(model.countTokens === undefined ? {} : { countTokens: model.countTokens.bind(model) }),
  };
}
