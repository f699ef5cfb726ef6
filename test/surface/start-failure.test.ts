// What is told of a session that could not start.
import { expect, test } from "vitest";
import { UsageError } from "../../src/lib/usage-error.ts";
import { startFailure } from "../../src/surface/start-failure.ts";

test("one that another process has may be had later, one that there is not may not", () => {
  const locked = new UsageError("It is open elsewhere.", { code: "session_locked" });
  expect(startFailure(locked, "id")).toMatchObject({ failure: { code: "session_locked", retryable: true } });
  const unknown = new UsageError("There is none.", { code: "session_not_found" });
  expect(startFailure(unknown, "id")).toMatchObject({ failure: { code: "session_not_found", retryable: false } });
  expect(startFailure(new Error("broken"), "id")).toMatchObject({ failure: { code: "internal", retryable: false } });
});

test("its usage has every part that clients read", () => {
  expect(startFailure(new Error("broken"), "id")).toMatchObject({
    usage: {
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    },
  });
});
