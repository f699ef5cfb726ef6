// Tools whose calls are for people to answer, in a session that has a person and in one that has none.
import { afterEach, expect, test } from "vitest";
import type { Tool } from "../../src/index.ts";
import type { PermissionQuestion } from "../../src/protocol/permission.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

test("a tool that requires user interaction asks in bypassPermissions and is refused if nobody can be asked", async () => {
  const ran: unknown[] = [];
  const pick: Tool = {
    name: "Pick",
    description: "Asks for one of two.",
    inputSchema: { type: "object", properties: { picked: { type: "string" } } },
    requiresUserInteraction: true,
    isConcurrencySafe: () => false,
    isReadOnly: () => true,
    replay: "safe",
    maxResultSizeChars: 1000,
    async call(input) {
      ran.push(input);
      return { content: "ok" };
    },
  };
  const questions: PermissionQuestion[] = [];
  const ask = async (question: PermissionQuestion) => {
    questions.push(question);
    return { behavior: "allow" as const, updatedInput: { picked: "left" } };
  };
  const steps = () => [{ content: [{ tool: "Pick", input: {} }] }, "Done."];
  const free = { customTools: [pick], permissionMode: "bypassPermissions" as const, allowedTools: ["Pick"] };
  const asked = await openSession({ steps: steps() }, { ...free, ask, headless: false });
  await turn(asked.engine, "Go.");
  expect(questions).toMatchObject([{ toolName: "Pick", reason: { type: "safety" } }]);
  expect(ran).toEqual([{ picked: "left" }]);
  const alone = await openSession({ steps: steps() }, free);
  const { result } = await turn(alone.engine, "Go.");
  expect(result.permission_denials).toHaveLength(1);
  expect(ran).toHaveLength(1);
});
