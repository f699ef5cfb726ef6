// Input that arrives while a turn runs: once, at the next border, or in the next user turn; never lost.
import { afterEach, describe, expect, test } from "vitest";
import { snipReplay, type EngineOptions, type QueryEngine } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { Reply } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, lastUserTexts, openSession, turn, type Opened } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const ids = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
const glob: Reply = { content: ["So.", { tool: "Glob", input: { pattern: "*" } }] };

function enqueueOn(
  engine: QueryEngine,
  type: SDKMessage["type"],
  texts: readonly string[] = ["Also this."],
  under = ids,
) {
  let isDone = false;
  return (message: SDKMessage) => {
    if (message.type !== type || isDone) return;
    isDone = true;
    for (const [at, text] of texts.entries()) engine.enqueue(text, under[at]);
  };
}

/** How often the model was shown the text in one request. */
function told({ model }: Opened, text: string): number {
  const body = JSON.stringify(calls(model).at(-1)!.body!.messages);
  return body.split(text).length - 1;
}

/** What a surface does with what is left over. */
async function answerQueued(engine: QueryEngine): Promise<string[]> {
  const ends: string[] = [];
  for (let next = engine.takeQueued(); next !== undefined; next = engine.takeQueued())
    ends.push((await turn(engine, next.prompt, { uuid: next.uuid })).result.subtype);
  return ends;
}

describe("queued input", () => {
  test("joins after the next tool results, in order, and is reported under its own id", async () => {
    const opened = await openSession({ steps: [glob, "Both."] });
    const { engine, model } = opened;
    const { messages, result } = await turn(engine, "Go.", {
      onMessage: enqueueOn(engine, "assistant", ["First.", "Second."]),
    });
    expect(result).toMatchObject({ subtype: "success", num_turns: 2 });
    expect(lastUserTexts(calls(model)[1]!)).toEqual(["First.", "Second."]);
    const told = messages.filter((message) => message.type === "user" && message.isReplay === true);
    expect(told.map((message) => message.uuid)).toEqual(ids);
    expect(engine.takeQueued()).toBeUndefined();
  });

  // Seen in a session that a host opened as a subagent: hooks judged its prompts, but not those that waited for the running turn.
  test.each<[string, EngineOptions]>([
    ["a session", {}],
    ["a session that works for another one", { subagent: { agentId: "a", agentType: "helper" } }],
  ])("that a hook refuses does not reach the model in %s", async (_, options) => {
    const callback = async ({ prompt }: { prompt?: unknown }) =>
      prompt === "Go." ? {} : { decision: "block" as const, reason: "No." };
    const hooks = { UserPromptSubmit: [{ callback }] };
    const opened = await openSession({ steps: [glob, "Done."] }, { hooks, ...options });
    await turn(opened.engine, "Go.", { onMessage: enqueueOn(opened.engine, "assistant", ["My password is sesame."]) });
    expect(calls(opened.model)).toHaveLength(2);
    expect(told(opened, "sesame")).toBe(0);
  });

  test("that is sent twice joins once, and is refused as a turn of its own once it was answered", async () => {
    const opened = await openSession({ steps: [glob, "Both.", glob, "Again."] });
    const { engine } = opened;
    const [uuid = ""] = ids;
    await turn(engine, "Go.", {
      onMessage: ({ type }) => void (type === "assistant" && engine.enqueue("Also this.", uuid)),
    });
    expect(told(opened, "Also this.")).toBe(1);
    expect(engine.takeQueued()).toBeUndefined();
    expect((await turn(engine, "Also this.", { uuid })).result).toMatchObject({
      errors: [expect.stringMatching(/answered already/u)],
    });
    await turn(engine, "Go on.", { onMessage: enqueueOn(engine, "assistant") });
    expect(told(opened, "Also this.")).toBe(1);
  });

  test("that was removed from the conversation does not join again", async () => {
    const opened = await openSession({ steps: ["One.", glob, "Both.", "Three.", glob, "Again."] }, { snipReplay });
    const { engine } = opened;
    await turn(engine, "1");
    await turn(engine, "2", { onMessage: enqueueOn(engine, "assistant") });
    const said = engine.getMessages();
    await turn(engine, "3");
    const from = said.findIndex((message) => message.type === "assistant") + 2;
    engine.snip({ fromUuid: said[from]!.uuid, toUuid: said.at(-1)!.uuid });
    await turn(engine, "4", { onMessage: enqueueOn(engine, "assistant") });
    expect(told(opened, "Also this.")).toBe(0);
  });

  test("without an id joins, however much there is", async () => {
    const opened = await openSession({ steps: [glob, "Both."] });
    const { engine, model } = opened;
    const onMessage = enqueueOn(engine, "assistant", ["First.", "Second."], ["", ""]);
    await turn(engine, "Go.", { onMessage });
    expect(lastUserTexts(calls(model)[1]!)).toEqual(["First.", "Second."]);
  });

  test("that is the running turn's own message does not join it again", async () => {
    const opened = await openSession({ steps: [glob, "Once."] });
    const { engine } = opened;
    const [uuid = ""] = ids;
    const onMessage = enqueueOn(engine, "assistant", ["Go."]);
    await turn(engine, "Go.", { uuid, onMessage });
    expect(told(opened, "Go.")).toBe(1);
    expect(engine.takeQueued()).toBeUndefined();
  });

  test("that found no turn to join is handed out once and answered as the next user turn", async () => {
    const opened = await openSession({ steps: ["Nothing to do.", "Now that."] });
    const { engine, model } = opened;
    await turn(engine, "Go.", { onMessage: enqueueOn(engine, "assistant") });
    expect(await answerQueued(engine)).toEqual(["success"]);
    expect(lastUserTexts(calls(model)[1]!)).toEqual(["Also this."]);
    expect(engine.getMessages().find(({ uuid }) => uuid === ids[0])).toMatchObject({ type: "user", origin: "human" });
  });

  test("waits when no turn is running", async () => {
    const opened = await openSession({ steps: ["One."] });
    opened.engine.enqueue("Early.", ids[0]!);
    expect(await answerQueued(opened.engine)).toEqual(["success"]);
    expect(told(opened, "Early.")).toBe(1);
  });

  test("is left for the next user turn if the turn limit ends this one", async () => {
    const opened = await openSession({ steps: [glob, "For you."] }, { maxTurns: 1 });
    const { result } = await turn(opened.engine, "Go.", { onMessage: enqueueOn(opened.engine, "assistant") });
    expect(result.subtype).toBe("error_max_turns");
    expect(await answerQueued(opened.engine)).toEqual(["success"]);
    expect(told(opened, "Also this.")).toBe(1);
  });

  test("is left for the next user turn if a hook stops this one", async () => {
    const opened = await openSession(
      { steps: [glob, "For you."] },
      { hooks: { PostToolUse: [{ callback: async () => ({ continue: false }) }] } },
    );
    await turn(opened.engine, "Go.", { onMessage: enqueueOn(opened.engine, "assistant") });
    expect(await answerQueued(opened.engine)).toEqual(["success"]);
    expect(told(opened, "Also this.")).toBe(1);
  });

  test("survives an interrupt, whatever the turn was doing", async () => {
    for (const type of ["system", "assistant", "user"] as const) {
      for (const cause of ["user", "interrupt"] as const) {
        const opened = await openSession({ steps: [glob], fallback: "For you." });
        const { engine } = opened;
        const enqueue = enqueueOn(engine, type);
        await turn(engine, "Go.", {
          onMessage(message) {
            enqueue(message);
            if (message.type === type) engine.interrupt(cause);
          },
        });
        await answerQueued(engine);
        await turn(engine, "Last.");
        expect(told(opened, "Also this."), `${cause} at ${type}`).toBe(1);
        await engine.dispose();
      }
    }
  });

  test("is neither lost nor sent twice if the consumer leaves at any message", async () => {
    for (let leaveAt = 1; ; leaveAt++) {
      const opened = await openSession({ steps: [glob], fallback: "For you." });
      const { engine } = opened;
      let seen = 0;
      let hasLeft = false;
      const enqueue = enqueueOn(engine, "assistant");
      for await (const message of engine.submitMessage("Go.")) {
        enqueue(message);
        if (++seen !== leaveAt) continue;
        hasLeft = true;
        break;
      }
      if (seen < 4) engine.enqueue("Also this.", ids[0]!);
      await answerQueued(engine);
      await turn(engine, "Last.");
      expect(told(opened, "Also this."), `left at ${leaveAt}`).toBe(1);
      await engine.dispose();
      if (!hasLeft) break;
    }
  });

  test("is a copy that its sender can no longer change", async () => {
    const opened = await openSession({ steps: ["One."] });
    const prompt = [{ type: "text" as const, text: "As it was." }];
    opened.engine.enqueue(prompt, ids[0]!);
    prompt[0]!.text = "Changed.";
    await answerQueued(opened.engine);
    expect(told(opened, "As it was.")).toBe(1);
  });

  test("that is empty or invalid is left for a turn of its own to refuse", async () => {
    const opened = await openSession({ steps: [glob, "Done."] });
    const { engine } = opened;
    let isDone = false;
    await turn(engine, "Go.", {
      onMessage(message) {
        if (message.type !== "assistant" || isDone) return;
        isDone = true;
        engine.enqueue(" \n", ids[0]!);
        engine.enqueue([{ type: "tool_use", id: "t", name: "Bash", input: {} }], ids[1]!);
      },
    });
    expect(opened.model.violations).toEqual([]);
    expect(await answerQueued(engine)).toEqual(["error_during_execution", "error_during_execution"]);
    expect(calls(opened.model)).toHaveLength(2);
  });
});

describe("a UserPromptSubmit hook", () => {
  async function judged(answer: (prompt: string) => object, texts: readonly string[]) {
    const prompts: unknown[] = [];
    const callback = async (input: { prompt?: unknown }) => {
      prompts.push(input.prompt);
      return answer(String(input.prompt)) as Record<string, unknown>;
    };
    const opened = await openSession({ steps: [glob, "Both."] }, { hooks: { UserPromptSubmit: [{ callback }] } });
    const { messages, result } = await turn(opened.engine, "Go.", {
      onMessage: enqueueOn(opened.engine, "assistant", texts),
    });
    return { ...opened, messages, result, prompts };
  }

  test.each([
    { decision: "block", reason: "No secrets." },
    { continue: false, stopReason: "No secrets." },
  ])(
    "can block queued input, which never reaches the model, is reported, and does not come back: %j",
    async (answer) => {
      const { engine, model, messages, prompts, result } = await judged(
        (prompt) => (prompt.includes("plover") ? answer : {}),
        ["The word is plover.", "Second."],
      );
      expect(result).toMatchObject({ subtype: "success", result: "Both." });
      expect(prompts).toEqual(["Go.", "The word is plover.", "Second."]);
      expect(lastUserTexts(calls(model)[1]!)).toEqual(["Second."]);
      expect(JSON.stringify(model.requests.map(({ body }) => body))).not.toContain("plover");
      expect(messages).toContainEqual(
        expect.objectContaining({ subtype: "informational", content: "A hook blocked the prompt: No secrets." }),
      );
      expect(engine.takeQueued()).toBeUndefined();
    },
  );

  test("can add text, which stands behind the prompts", async () => {
    const { model } = await judged(
      (prompt) => ({
        hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: `heard ${prompt}` },
      }),
      ["First.", "Second."],
    );
    const texts = lastUserTexts(calls(model)[1]!);
    expect(texts.slice(0, 2)).toEqual(["First.", "Second."]);
    expect(texts[2]).toContain("heard First.");
    expect(texts[3]).toContain("heard Second.");
  });

  test("that is interrupted leaves the queued input waiting for the next turn", async () => {
    const asked = Promise.withResolvers<void>();
    const callback = async (input: { prompt?: unknown }, { signal }: { signal: AbortSignal }) => {
      if (input.prompt !== "Also this.") return undefined;
      if (signal.aborted) return undefined;
      asked.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return undefined;
    };
    const { engine } = await openSession({ steps: [glob, "Both."] }, { hooks: { UserPromptSubmit: [{ callback }] } });
    const running = turn(engine, "Go.", { onMessage: enqueueOn(engine, "assistant") });
    await asked.promise;
    engine.interrupt();
    const { messages, result } = await running;
    expect(result).toMatchObject({ terminal_reason: "aborted_tools" });
    expect(JSON.stringify(messages)).not.toContain("hooks failed");
    expect(engine.takeQueued()).toMatchObject({ uuid: ids[0] });
  });
});
