/** Servers refuse a tool by its index in the request, which means nothing to people. */
import type { ModelFailure, ModelRequest } from "../../protocol/model.ts";

const toolPlace = /\btools[.[/]{1,2}(\d+)\b/i;

/** Adds the tool's name to the message of a failure that is about a tool. */
export function addToolName({ tools }: ModelRequest, failure: ModelFailure): void {
  if (failure.kind !== "invalid_request") return;
  const number = toolPlace.exec(failure.detail ?? "")?.[1];
  const tool = number === undefined ? undefined : tools[Number(number)];
  if (tool !== undefined) failure.message += ` Tool ${number} is ${tool.name}.`;
}
