// What an MCP server asks its user, answered by a host and by hooks.
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "../session/support.ts";
import { calling, toolNamed, withServer } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

describe("what a server asks its user", () => {
  const tools = [toolNamed("asks")];
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
  // As JSON in a text: the calls of these tests have plain values.
  const script = calling({ tool: "mcp__test__asks", input: { message: "Who?\u202e", mode: "form" } });

  test("is declined if nobody can be asked", async () => {
    const { engine } = await openSession(script, withServer({ tools, requestedSchema }, {}));
    expect((await turn(engine, "go")).result).toMatchObject({ result: 'It said: {"action":"decline"}' });
  });

  test("is answered by the host, with the question cleaned", async () => {
    const asked: unknown[] = [];
    const { engine } = await openSession(
      script,
      withServer(
        { tools, requestedSchema },
        {
          onElicitation: async (question, { signal, requestId }) => {
            asked.push(question, [signal.aborted, requestId]);
            return { action: "accept", content: { name: "Ada" } };
          },
        },
      ),
    );
    expect((await turn(engine, "go")).result).toMatchObject({
      result: 'It said: {"action":"accept","content":{"name":"Ada"}}',
    });
    const id = expect.stringMatching(/^[\da-f-]{36}$/u);
    expect(asked).toEqual([{ serverName: "test", message: "Who?", mode: "form", requestedSchema }, [false, id]]);
  });

  test.each([
    [null, "decline"],
    [undefined, "decline"],
    [{ action: "perhaps" }, "decline"],
    [{ action: "cancel", content: 3 }, "cancel"],
  ])("a host's answer %j becomes %s", async (said, action) => {
    const onElicitation = (async () => said) as never;
    const { engine } = await openSession(script, withServer({ tools, requestedSchema }, { onElicitation }));
    expect((await turn(engine, "go")).result).toMatchObject({ result: `It said: {"action":"${action}"}` });
  });

  // Seen: after an interrupt it stood open for good.
  test("is withdrawn when the last call is interrupted", async () => {
    const asked: AbortSignal[] = [];
    let interrupt = (): unknown => undefined;
    const onElicitation: EngineOptions["onElicitation"] = async (_question, { signal }) => {
      asked.push(signal);
      const withdrawn = new Promise((_, reject) => signal.addEventListener("abort", reject));
      interrupt();
      await withdrawn;
      return { action: "accept" };
    };
    const options = withServer({ tools, requestedSchema }, { onElicitation });
    const { engine } = await openSession(script, options);
    interrupt = () => engine.interrupt();
    expect((await turn(engine, "go")).result).toMatchObject({ terminal_reason: "aborted_tools" });
    expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("is reported as completed once, if the server says so of an open question", async () => {
    const done: unknown[] = [];
    const notified: Record<string, unknown>[] = [];
    const url = { mode: "url", url: "https://example.com/login", elicitationId: "e1", message: "Log in" };
    const { engine } = await openSession(
      calling({ tool: "mcp__test__asks", input: url }),
      withServer(
        { tools, done: ["other", "e1", "e1"] },
        {
          onElicitation: async () => ({ action: "accept" }),
          onElicitationComplete: (what) => void done.push(what),
          hooks: { Notification: [{ callback: async (input) => void notified.push({ ...input }) }] },
        },
      ),
    );
    expect((await turn(engine, "go")).result).toMatchObject({ result: 'It said: {"action":"accept"}' });
    expect(done).toEqual([{ serverName: "test", elicitationId: "e1" }]);
    await engine.dispose();
    expect(notified.map(({ notification_type: type }) => type)).toEqual([
      "elicitation_url_dialog",
      "elicitation_response",
      "elicitation_complete",
    ]);
  });

  const hook = (answer: object | undefined, seen: unknown[] = []) => [
    {
      matcher: "test",
      callback: async (input: object) => {
        seen.push(input);
        return answer as undefined;
      },
    },
  ];
  const saying = (action: string, content?: object) => ({ hookSpecificOutput: { action, content } });
  const accepting = (name: string) => `{"action":"accept","content":{"name":"${name}"}}`;

  test.each([
    ["a hook answers in a person's stead", saying("accept", { name: "Eve" }), undefined, accepting("Eve")],
    ["a hook declines", { decision: "block", reason: "no" }, undefined, '{"action":"decline"}'],
    ["a hook has the last word", undefined, saying("accept", { name: "Bob" }), accepting("Bob")],
    ["a hook takes the answer back", undefined, { decision: "block" }, '{"action":"decline"}'],
    ["hooks answer nothing", undefined, undefined, accepting("Ada")],
    ["a hook answers something else", saying("accept", { name: 3 }), undefined, accepting("Ada")],
    ["a hook's last word is invalid", undefined, saying("accept", { name: [] }), '{"action":"decline"}'],
    ["a hook talks nonsense", saying("maybe"), undefined, accepting("Ada")],
  ])("%s", async (_, first, last, answer) => {
    const seen: Record<string, unknown>[] = [];
    const notified: Record<string, unknown>[] = [];
    const hooks = {
      Elicitation: hook(first, seen),
      ElicitationResult: hook(last, seen),
      Notification: hook(undefined, notified).map(({ callback }) => ({ callback })),
    };
    const onElicitation: EngineOptions["onElicitation"] = async () => ({ action: "accept", content: { name: "Ada" } });
    const { engine } = await openSession(script, withServer({ tools, requestedSchema }, { onElicitation, hooks }));
    expect((await turn(engine, "go")).result).toMatchObject({ result: `It said: ${answer}` });
    expect(seen).toMatchObject([
      { hook_event_name: "Elicitation", mcp_server_name: "test", message: "Who?", mode: "form", requested_schema: {} },
      { hook_event_name: "ElicitationResult", mcp_server_name: "test", mode: "form" },
    ]);
    await engine.dispose();
    const types = notified.map(({ notification_type: type }) => type);
    const isAsked = !/Eve|block/u.test(JSON.stringify(first) ?? "");
    expect(types).toEqual(isAsked ? ["elicitation_dialog", "elicitation_response"] : []);
  });
});
