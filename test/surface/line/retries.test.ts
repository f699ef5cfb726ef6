// Requests that are made again, as a person sees them.
import { expect, test } from "vitest";
import { success, system } from "../support/messages.ts";
import { start } from "./talk.ts";

test("why a request is made again is told once, and behind it each further try", async () => {
  const retry = (attempt: number, message: string, request_id?: string) => {
    const said = { attempt, max_retries: 10, retry_delay_ms: attempt * 4_000, message, request_id };
    return system({ subtype: "api_retry", error_status: 529, error: "overloaded", ...said });
  };
  const { type, text } = start(() => [
    retry(1, "Overloaded (req_1).", "req_1"),
    retry(2, "Overloaded (req_2).", "req_2"),
    retry(3, "Unreachable."),
    retry(4, "Unreachable."),
    retry(1, "Unreachable."),
    success("x"),
  ]);
  await type("go\r");
  const rows = text().split("\n");
  expect(rows.slice(rows.indexOf("> go") + 1, -3)).toEqual([
    "Overloaded (req_1). (attempt 1 of 10); retrying in 4 s",
    "the same again (attempt 2 of 10, request req_2); retrying in 8 s",
    "Unreachable. (attempt 3 of 10); retrying in 12 s (Esc gives up)",
    "the same again (attempt 4 of 10); retrying in 16 s (Esc gives up)",
    "Unreachable. (attempt 1 of 10); retrying in 4 s",
  ]);
});
