// Long or odd bodies of any server: they are read quickly, and shown as one short line.
import { expect, test } from "vitest";
import { failureFromErrorEvent } from "../../src/model/failure.ts";
import { answered, context } from "./support/gateway.ts";

/** Ms of this process alone: others run beside it. */
function timeOf(body: string): number {
  const tries = [1, 2, 3].map(() => {
    const start = process.cpuUsage();
    answered(400, body);
    return process.cpuUsage(start).user / 1_000;
  });
  return Math.min(...tries);
}

const size = 200_000;

test.each([
  ["a code", JSON.stringify({ error: { code: "'ctx': {".repeat(size / 8), message: "no" } })],
  ["a type", JSON.stringify({ error: { type: "'ctx': {".repeat(size / 8), message: "no" } })],
  ["a page of brackets", "<".repeat(size)],
  ["a page of titles", "<title".repeat(size / 6)],
  ["a page of scripts", "<script".repeat(size / 7)],
  ["a list of details", `${'{"detail":['.repeat(2_000)}{}${"]}".repeat(2_000)}`],
])("an error body with %s that never ends is read quickly", (_what, body) => {
  expect(timeOf(body)).toBeLessThan(1_500);
});

const nested = (open: string, close: string): string => open.repeat(100_000) + close.repeat(100_000);

test.each([
  ["lists", nested("[", "]")],
  ["errors", nested('{"error":', "}").replace(":}", ":1}")],
  ["details", nested('{"detail":', "}").replace(":}", ":[[]]}")],
  ["a list in an error", `{"error":${nested("[", "]")}}`],
  ["a message in a list", `{"error":{"message":[${nested("[", "]")}]}}`],
])("%s nested without end leave the failure of the status", (_what, body) => {
  const failure = answered(529, body);
  expect(failure).toMatchObject({ kind: "overloaded", recovery: "retry", status: 529 });
  const event = { type: "error", error: JSON.parse(body) as unknown };
  expect(failureFromErrorEvent(event, context)).toMatchObject({ kind: "server_error", recovery: "retry" });
});

test("the type of an error in a stream is shown as one short line", () => {
  const event = { type: "error", error: { type: `odd\u001b[31m\n${"x".repeat(5000)}`, message: "words" } };
  const { message } = failureFromErrorEvent(event, context);
  expect(message).not.toMatch(/\p{Cc}/u);
  expect(message.length).toBeLessThan(400);
});
