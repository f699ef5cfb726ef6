/** A model whose answers somebody looks at as they come. */
import type { ModelPort } from "../../protocol/model.ts";

/** The same model in all but `stream`; it may be an instance of a class. */
export function withStream(model: ModelPort, stream: ModelPort["stream"]): ModelPort {
  return {
    stream,
    measure: model.measure.bind(model),
    info: model.info.bind(model),
    ...(model.countTokens === undefined ? {} : { countTokens: model.countTokens.bind(model) }),
  };
}
