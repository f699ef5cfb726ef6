/** Remembers request fields that a server does not know for a model: a field that was refused once is not sent again. */
import type { ModelFailure, ModelRequest, RequestField } from "../../protocol/model.ts";

export type LeftOutFields = ReadonlySet<RequestField>;

export const nothingLeftOut: LeftOutFields = new Set();

export class UnknownFields {
  /** By model. A set never changes: serialized parts are recognized by its identity. */
  readonly #leftOut = new Map<string, LeftOutFields>();
  readonly #writtenWithout = new WeakMap<ModelRequest, LeftOutFields>();

  leftOutFor(model: string): LeftOutFields {
    return this.#leftOut.get(model) ?? nothingLeftOut;
  }

  ttlOf(model: string, ttl: "5m" | "1h"): "5m" | "1h" {
    return this.leftOutFor(model).has("cache_control.ttl") ? "5m" : ttl;
  }

  /** Call when a request's bytes are made: before its answer comes, another request may find out about a field. */
  recordRequest(request: ModelRequest): void {
    this.#writtenWithout.set(request, this.leftOutFor(request.model));
  }

  /** Records the refused field. If only a part was refused, but was not sent, the whole field; if that was not sent, nothing. */
  recordRefusal(request: ModelRequest, failure: ModelFailure): void {
    const { field } = failure;
    if (field === undefined) return;
    const without = this.#writtenWithout.get(request) ?? nothingLeftOut;
    const fieldToLeaveOut = without.has(field) ? wholeField(field) : field;
    if (without.has(fieldToLeaveOut)) return void (failure.recovery = "none");
    failure.field = fieldToLeaveOut;
    this.#leftOut.set(request.model, new Set([...this.leftOutFor(request.model), fieldToLeaveOut]));
  }
}

/** A tool call's id is not part of the extra fields that a call can do without. */
function wholeField(field: RequestField): RequestField {
  return field === "tool_use.id" ? field : (field.split(".", 1)[0] as RequestField);
}
