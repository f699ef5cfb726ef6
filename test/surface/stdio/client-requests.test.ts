import { expect, test } from "vitest";
import type { McpElicitation } from "../../../src/protocol/mcp.ts";
import { ClientRequests } from "../../../src/surface/stdio/client-requests.ts";
import { elicitFromClient } from "../../../src/surface/stdio/elicitation.ts";
import type { Reply } from "../../../src/surface/stdio/frame.ts";

const { signal } = new AbortController();
const asked = { serverName: "s", message: "Who?", mode: "form" } as McpElicitation;

test.each<[Reply, object]>([
  [
    { ok: true, value: { action: "accept", content: { a: "x", b: 1, c: true, d: ["y"], e: null, f: {}, g: [1] } } },
    { action: "accept", content: { a: "x", b: 1, c: true, d: ["y"] } },
  ],
  [{ ok: true, value: { action: "accept" } }, { action: "accept" }],
  [{ ok: true, value: { action: "cancel", content: {} } }, { action: "cancel" }],
  [{ ok: true, value: { action: "decline", content: {} } }, { action: "decline" }],
  [{ ok: true, value: { action: "later" } }, { action: "decline" }],
  [{ ok: false, error: "nobody here" }, { action: "decline" }],
])("an elicitation keeps only the valid parts of the client's answer: %j", async (reply, read) => {
  const requests: ClientRequests = new ClientRequests(
    () => queueMicrotask(() => requests.answer("id", reply)),
    () => "id",
  );
  expect(await elicitFromClient(requests)(asked, { signal, requestId: "r" })).toEqual(read);
});

test.each([
  ["can_use_tool", { isPersons: true, isAwaited: true }],
  ["elicitation", { isPersons: true, isAwaited: true }],
  ["hook_callback", { isPersons: false, isAwaited: true }],
  ["mcp_message", { isPersons: false, isAwaited: false }],
])("%s waits for a person or blocks the turn as expected: %j", async (subtype, { isPersons, isAwaited }) => {
  const requests = new ClientRequests(
    () => undefined,
    () => "id",
  );
  const answer = requests.send({ subtype });
  expect([requests.isWaitingForPerson, requests.blocksTurn]).toEqual([isPersons, isAwaited]);
  requests.answer("id", { ok: true, value: {} });
  await answer;
  expect([requests.isWaitingForPerson, requests.blocksTurn]).toEqual([false, false]);
});
