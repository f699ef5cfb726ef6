/** Pieces of requests, and tables of requests that must be refused, for the validator's tests. */
import { expect, it } from "vitest";
import { validateRequest, type ValidationOptions } from "../../src/testing/index.ts";
import { headers, readTool, request } from "./support.ts";

export const user = (content: unknown) => ({ role: "user", content });
export const assistant = (content: unknown) => ({ role: "assistant", content });
export const text = (value: string, extra: object = {}) => ({ type: "text", text: value, ...extra });
export const use = (id: string, name = "Read") => ({ type: "tool_use", id, name, input: {} });
export const result = (id: string, extra: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content: "ok",
  ...extra,
});
export const cached = { cache_control: { type: "ephemeral" } };
export const betas = (...names: string[]) => ({ ...headers, "anthropic-beta": names.join(",") });

export function texts(body: unknown, sent: Record<string, string> = headers, options?: ValidationOptions): string[] {
  return validateRequest(body, sent, undefined, options).map(({ message }) => message);
}

export const withTools = (messages: unknown[], changes: object = {}) =>
  request({ messages, tools: [readTool], ...changes });
export const paired = (...more: unknown[]) => [user("go"), assistant([use("t1")]), user([result("t1"), ...more])];

export type Case = [name: string, body: unknown, expected: string, headers?: Record<string, string>];

/** Runs each case alone: the expected text is the first one the API would give. */
export function refuses(cases: Case[]): void {
  it.each(cases)("%s", (_name, body, expected, sent) => {
    const found = texts(body, sent);
    expect(found[0]).toContain(expected);
  });
}
