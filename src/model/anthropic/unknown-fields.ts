/** Remembers request fields that a server does not know for a model: a field that was refused once is not sent again. */
import type { ModelFailure, ModelRequest, RequestField } from "../../protocol/model.ts";

export type LeftOut = ReadonlySet<RequestField>;

export const nothingLeftOut: LeftOut = new Set();

export class UnknownFields {
  /** By model. A set never changes: serialized parts are recognized by its identity. */
  readonly #leftOut = new Map<string, LeftOut>();
  readonly #writtenWithout = new WeakMap<ModelRequest, LeftOut>();

  of(model: string): LeftOut {
    return this.#leftOut.get(model) ?? nothingLeftOut;
  }

  ttlOf(model: string, ttl: "5m" | "1h"): "5m" | "1h" {
    return this.of(model).has("cache_control.ttl") ? "5m" : ttl;
  }

  /** Call when a request's bytes are made: before its answer comes, another request may find out about a field. */
  writes(request: ModelRequest): void {
    this.#writtenWithout.set(request, this.of(request.model));
  }

  /** Records the refused field. If only a part was refused, but was not sent, the whole field; if that was not sent, nothing. */
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

/** A tool call's id is not part of the extra fields that a call can do without. */
function wholeOf(field: RequestField): RequestField {
  return field === "tool_use.id" ? field : (field.split(".", 1)[0] as RequestField);
}
