// Ctrl+C at a question that does not end with the turn: a server's, or one of an agent in the background.
import { expect, test } from "vitest";
import type { McpElicitation } from "../../../src/protocol/mcp.ts";
import { failure } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { bash, echo, start } from "./talk.ts";

const properties = { name: { type: "string" }, age: { type: "integer" } };
const form: McpElicitation = { serverName: "crm", message: "Who?", mode: "form", requestedSchema: { properties } };
const open = () => ({ requestId: "1", signal: new AbortController().signal });

/** A call whose server asks, and ends by an interrupt. */
function asking() {
  const answers: Promise<unknown>[] = [];
  const call = new AbortController();
  const { signal } = call;
  const interrupted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  const causes: unknown[] = [];
  const talk = start(
    async function* () {
      answers.push(talk.talk.elicit(form, open()));
      await interrupted;
      yield failure("error_during_execution", "aborted_tools", ["Interrupted by user"]);
    },
    { overrides: { interrupt: (cause) => (causes.push(cause), call.abort(), true) } },
  );
  return { ...talk, answers, causes };
}

test("Ctrl+C at a server's question cancels it and ends the turn", async () => {
  const { type, text, answers, causes, engine, left } = asking();
  await type("go\r");
  await type("y\r");
  await type("Ad\x03");
  expect(await Promise.all(answers)).toEqual([{ action: "cancel" }]);
  expect(causes).toEqual(["user"]);
  expect(text()).toContain("name: refused (Ctrl+C)\n(interrupting; Ctrl+C again exits at once)\n");
  expect(text()).toMatch(/Interrupted by user\n[^]*\n> $/u);
  await type("next\r");
  expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["go", "next"]);
  expect(left).toEqual([]);
});

test("Ctrl+C cancels a server's question that has just appeared", async () => {
  const { press, text, answers, causes } = asking();
  await press("go\r");
  await press("\x03");
  await settled(4);
  expect(await Promise.all(answers)).toEqual([{ action: "cancel" }]);
  expect(causes).toEqual(["user"]);
  expect(text()).toMatch(/Interrupted by user\n[^]*\n> $/u);
});

test("Ctrl+C at a background agent's question ends only the turn, and says that the question stays open", async () => {
  const causes: unknown[] = [];
  const ended = Promise.withResolvers<void>();
  const interrupt = (cause: unknown): boolean => (causes.push(cause), ended.resolve(), true);
  const { type, talk, text, left } = start(
    async function* () {
      await ended.promise;
      yield failure("error_during_execution", "aborted_tools", ["Interrupted by user"]);
    },
    { overrides: { interrupt } },
  );
  await type("go\r");
  const answered = talk.ask({ ...bash, agentId: "a1" }, new AbortController().signal);
  await settled(4);
  await type("");
  await type("\x03");
  expect(causes).toEqual(["user"]);
  expect(text()).toContain("(interrupting; the question stays open)");
  expect(text()).not.toContain("exits at once");
  await type("\x03");
  expect(await answered).toEqual({ behavior: "deny" });
  expect(text()).toMatch(/refused \(Ctrl\+C\)\n[^]*Interrupted by user\n[^]*\n> $/u);
  expect(left).toEqual([]);
});

test("Ctrl+C at a question without a running turn refuses the question and does not exit", async () => {
  const { type, talk, text, done } = start(echo);
  await type("");
  const answered = talk.ask({ ...bash, agentId: "a1" }, new AbortController().signal);
  await settled(4);
  await type("");
  await type("\x03");
  expect(await answered).toEqual({ behavior: "deny" });
  expect(text()).toMatch(/yes, no\? refused \(Ctrl\+C\)\n> $/u);
  const elicited = talk.elicit(form, open());
  await settled(4);
  await type("");
  await type("\x03");
  expect(await elicited).toEqual({ action: "cancel" });
  await type("\x03");
  expect(await done).toBe(0);
});
