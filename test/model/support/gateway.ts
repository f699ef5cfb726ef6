// A gateway that refuses, and what is made of that.
import { failureFromAnswer, type FailureContext } from "../../../src/model/failure.ts";
import type { ModelFailure } from "../../../src/protocol/model.ts";

export const context: FailureContext = {
  endpoint: "http://gateway.test",
  model: "some/model:free",
  loopback: false,
  credentials: ["ANTHROPIC_AUTH_TOKEN"],
  secrets: [],
  now: () => 0,
};

export function answered(status: number, body: string): ModelFailure {
  return failureFromAnswer({ status, headers: {}, body }, context);
}

export function answer(status: number, body: unknown): ModelFailure {
  return answered(status, JSON.stringify(body));
}
