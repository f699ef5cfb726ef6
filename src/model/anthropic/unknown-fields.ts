/** Fields of a request that a server does not know for a model: what was refused once is not sent again. */
import type { ModelFailure, ModelRequest, RequestField } from "../../protocol/model.ts";

export type LeftOut = ReadonlySet<RequestField>;

export const nothingLeftOut: LeftOut = new Set();

export class UnknownFields {
  /** By model. A set never changes: requests are known again by it. */
  readonly #leftOut = new Map<string, LeftOut>();
  readonly #writtenWithout = new WeakMap<ModelRequest, LeftOut>();

  of(model: string): LeftOut {
    return this.#leftOut.get(model) ?? nothingLeftOut;
  }

  ttlOf(model: string, ttl: "5m" | "1h"): "5m" | "1h" {
    return this.of(model).has("cache_control.ttl") ? "5m" : ttl;
  }

  /** Call where a request's bytes are made: another one may learn of a field before it is answered. */
  writes(request: ModelRequest): void {
    this.#writtenWithout.set(request, this.of(request.model));
  }

  /** A part that was refused although it was not sent takes the whole field along. What was so refused is no matter of this field. */
  refused(request: ModelRequest, failure: ModelFailure): void {
    const { field } = failure;
    if (field === undefined) return;
    const without = this.#writtenWithout.get(request) ?? nothingLeftOut;
    const refused = without.has(field) ? wholeOf(field) : field;
    if (without.has(refused)) return void (failure.recovery = "none");
    failure.field = refused;
    this.#leftOut.set(request.model, new Set([...this.of(request.model), refused]));
  }
}

/** Ids are no part of the fields that calls can do without. */
function wholeOf(field: RequestField): RequestField {
  return field === "tool_use.id" ? field : (field.split(".", 1)[0] as RequestField);
}
