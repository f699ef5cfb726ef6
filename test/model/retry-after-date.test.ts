// When to try again, if the server names a date: the clock here may not be the server's.
import { expect, test } from "vitest";
import { failureFromAnswer } from "../../src/model/failure.ts";

const now = Date.parse("2026-11-20T10:00:00Z");
const in20s = "Wed, 16 May 2040 08:00:20 GMT";

test.each([
  ["is counted from the server's own time, however wrong the clock here is", "Wed, 16 May 2040 08:00:00 GMT", 20_000],
  ["is counted from the time here if the server's date is none", "today", Date.parse(in20s) - now],
])("the time to retry %s", (_, date, retryAfterMs) => {
  const failure = failureFromAnswer(
    { status: 429, headers: { date, "retry-after": in20s }, body: "" },
    { endpoint: "https://example.com", model: "m", loopback: false, credentials: [], secrets: [], now: () => now },
  );
  expect(failure).toMatchObject({ retryAfterMs, resetsAt: now + retryAfterMs });
});
