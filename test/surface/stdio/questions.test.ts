// Questions of the model over the wire: a client is asked with can_use_tool, and answers with the input.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resultsIn } from "../../e2e/support/ask.ts";
import { calls, drive, says, type Json } from "./client.ts";

const stdio = ["--permission-prompt-tool", "stdio"];
const questions = [
  {
    question: "Which database?",
    header: "Database",
    options: ["Postgres", "SQLite"].map((label) => ({ label, description: label })),
    multiSelect: false,
  },
];
const asks = calls(["AskUserQuestion", { questions }]);

const toolsOf = (messages: readonly Json[]): unknown => messages.find(({ subtype }) => subtype === "init")?.["tools"];

test("a client's answer reaches the model, the stream and the replay", () =>
  drive(
    [asks, says("done")],
    {
      args: [...stdio, "--replay-user-messages"],
      answer: ({ input }) => ({
        behavior: "allow",
        updatedInput: { ...(input as Json), answers: { "Which database?": "SQLite" } },
      }),
    },
    async (client) => {
      await client.request("initialize");
      client.sendPrompt("choose");
      await client.result();
      expect(client.controlRequests).toMatchObject([
        {
          subtype: "can_use_tool",
          tool_name: "AskUserQuestion",
          input: { questions },
          requires_user_interaction: true,
        },
      ]);
      expect(client.controlRequests[0]).not.toHaveProperty("permission_suggestions");
      expect(toolsOf(client.messages)).toContain("AskUserQuestion");
      expect(resultsIn(client.server.requests[1])).toEqual(['The user answered "Which database?": "SQLite"']);
      const shown = client.messages.find(({ tool_use_result }) => tool_use_result !== undefined);
      expect(shown?.["tool_use_result"]).toEqual({ questions, answers: { "Which database?": "SQLite" } });
    },
  ));

test("bypassPermissions still asks the model's questions, and mere consent is no answer", () =>
  drive(
    [asks, says("done")],
    { args: [...stdio, "--permission-mode", "bypassPermissions"], answer: () => ({ behavior: "allow" }) },
    async (client) => {
      await client.request("initialize");
      client.sendPrompt("choose");
      await client.result();
      expect(client.controlRequests).toHaveLength(1);
      expect(resultsIn(client.server.requests[1])[0]).toMatch(/^The user gave no answer/u);
    },
  ));

test("initialize can request previews for the model's questions", () =>
  drive([says("done")], { args: stdio }, async (client) => {
    await client.request("initialize", { toolConfig: { askUserQuestion: { previewFormat: "html" } } });
    client.sendPrompt("go");
    await client.result();
    expect(JSON.stringify(client.server.requests[0]?.body["tools"])).toContain("an HTML fragment");
  }));

test.each([[[]], [[...stdio, "--permission-prompts", "none"]]])("AskUserQuestion is not offered with %j", (args) =>
  drive([says("done")], { args }, async (client) => {
    await client.request("initialize");
    client.sendPrompt("go");
    await client.result();
    expect(toolsOf(client.messages)).not.toContain("AskUserQuestion");
  }),
);

test("an interrupt withdraws the question", () =>
  drive([asks, says("done")], { args: stdio, answer: () => new Promise(() => undefined) }, async (client) => {
    await client.request("initialize");
    client.sendPrompt("choose");
    await client.until(() => client.controlRequests.length > 0, "a question");
    await client.request("interrupt");
    const result = await client.result();
    expect(result["terminal_reason"]).toMatch(/^aborted_/u);
    expect(client.withdrawn).toHaveLength(1);
  }));

test("set_permission_mode settles questions that the mode would not ask, but not the model's", () =>
  drive(
    [calls(["Write", { file_path: "made.txt", content: "x" }]), asks, says("done")],
    { args: stdio, answer: () => new Promise(() => undefined) },
    async (client) => {
      await client.request("initialize");
      client.sendPrompt("go");
      await client.until(() => client.controlRequests.length > 0, "a question");
      await client.request("set_permission_mode", { mode: "acceptEdits" });
      await client.until(() => client.controlRequests.length > 1, "the model's question");
      expect(client.withdrawn).toHaveLength(1);
      expect(existsSync(join(client.place.folder, "made.txt"))).toBe(true);
      await client.request("set_permission_mode", { mode: "dontAsk" });
      await client.result();
      expect(client.withdrawn).toHaveLength(2);
      expect(resultsIn(client.server.requests[2])[0]).toContain("Nobody was asked: the mode dontAsk");
    },
  ));

test("a message during an open question gets its turn after the answer", () => {
  const answered = Promise.withResolvers<Json>();
  return drive(
    [asks, says("done"), says("hurried")],
    { args: stdio, answer: () => answered.promise },
    async (client) => {
      await client.request("initialize");
      client.sendPrompt("choose");
      await client.until(() => client.controlRequests.length > 0, "a question");
      client.sendPrompt("and hurry");
      await client.request("get_session_cost");
      answered.resolve({ behavior: "allow", updatedInput: { questions, answers: { "Which database?": "SQLite" } } });
      expect([await client.result(1), await client.result(2)]).toMatchObject([
        { result: "done" },
        { result: "hurried" },
      ]);
      expect(client.controlRequests).toHaveLength(1);
    },
  );
});
