// Esc: the key, and the byte that other keys begin with.
import { describe, expect, test } from "vitest";
import type { McpElicitation } from "../../../src/protocol/mcp.ts";
import { failure, success, delta } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { bash, echo, start, type Talk } from "./talk.ts";

/** An answer that goes on until `go()`. */
function answering(): Talk & { go: () => Promise<void> } {
  let end = (): void => undefined;
  const talk = start(async function* (engine) {
    yield delta("begin ");
    await new Promise<void>((resolve) => (end = resolve));
    yield engine.causes.length > 0
      ? failure("error_during_execution", "aborted_streaming", ["Interrupted by user"])
      : success("x");
  });
  const go = async (): Promise<void> => {
    end();
    await settled(8);
  };
  return { ...talk, go };
}

const said = "(interrupting; Ctrl+C again exits at once)";

describe("Esc during an answer", () => {
  test("interrupts it once, never exits, and the conversation continues", async () => {
    const { type, text, engine, left, go } = answering();
    await type("one\r");
    for (const keys of ["\x1b", "\x1b", "\x1b\x1b", "\x1b[27u"]) await type(keys);
    expect(engine.causes).toEqual(["user"]);
    expect(left).toEqual([]);
    expect(text().split(said)).toHaveLength(2);
    await go();
    await type("two\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["one", "two"]);
  });

  test("interrupts if Ctrl+C comes together with it, as over a slow line", async () => {
    const { type, engine, left, go } = answering();
    await type("one\r");
    await type("\x1b\x03");
    expect([engine.causes, left]).toEqual([["user"], []]);
    await go();
    await type("draft\x1b\x03two\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["one", "two"]);
  });

  test.each([
    ["one two thr", "one two thr"],
    ["one **two thr", "one **two thr"],
    ["| a | b |\n|---|---|\n| c | d", "a │ b\n──┼──\nc │ d"],
  ])("confirms the interrupt below all text received of %j", async (said, shown) => {
    const { type, text, output } = start(
      async function* (engine) {
        yield delta(said);
        while (engine.causes.length === 0) await settled();
        yield failure("error_during_execution", "aborted_streaming", ["Interrupted by user"]);
      },
      { env: { TERM: "xterm-256color" } },
    );
    output.columns = 30;
    await type("go\r");
    await type("\x1b");
    expect(text()).toContain(`${shown}\n(interrupting; Ctrl+C again\nexits at once)\nInterrupted by user\n`);
  });

  test("does nothing if another key's bytes follow in time, however they are split", async () => {
    const { type, press, pause, engine } = answering();
    await type("one\r");
    for (const keys of ["\x1b[A", "\x1bb", "\x1b\x1b[D", "\x1bOC", "\x1b[13;2u", "\x1b[200~one\ntwo\x1b[201~"])
      for (let cut = 1; cut <= keys.length; cut += 1) {
        await press(keys.slice(0, cut));
        await pause(99);
        await press(keys.slice(cut));
        await pause();
      }
    expect(engine.causes).toEqual([]);
    await press("\x1b");
    await pause(99);
    expect(engine.causes).toEqual([]);
    await pause(1);
    expect(engine.causes).toEqual(["user"]);
  });

  test("confirms at once while somebody types, and keeps the typed text", async () => {
    const { type, text, go } = answering();
    await type("one\r");
    await type("half");
    await type("\x1b");
    expect(text()).toMatch(/\(interrupting; .*\n\+ half$/u);
    await go();
    expect(text()).toMatch(/> half$/u);
  });

  test("closes a search first", async () => {
    const { type, engine } = answering();
    await type("one\r");
    await type("\x12on");
    await type("\x1b");
    expect(engine.causes).toEqual([]);
  });
});

describe("Esc at a question", () => {
  test("refuses the question, but only once it accepts keys", async () => {
    const { type, talk, text, press, pause } = start(echo);
    await type("");
    const answered = talk.ask(bash, new AbortController().signal);
    await settled(4);
    await press("\x1b");
    await pause(100);
    expect(text()).not.toContain("refused");
    await pause();
    await type("ye");
    await type("\x1b");
    expect(await answered).toEqual({ behavior: "deny" });
    expect(text()).toMatch(/yes, no\? refused \(Esc\)\n> $/u);
  });

  test("cancels a question of an MCP server", async () => {
    const form: McpElicitation = { serverName: "crm", message: "Who?", mode: "form", requestedSchema: {} };
    const { type, talk } = start(echo);
    await type("");
    const answered = talk.elicit(form, { requestId: "1", signal: new AbortController().signal });
    await settled(4);
    await type("");
    await type("\x1b");
    expect(await answered).toEqual({ action: "cancel" });
  });
});

describe("Esc at the prompt", () => {
  test("clears the text when pressed twice, and undo restores it", async () => {
    const { type, text, engine } = start(echo);
    await type("half");
    await type("\x1b");
    expect(text()).toMatch(/> half\n\(press Esc again to clear the prompt\)$/u);
    await type("\x1b");
    expect(text()).toMatch(/> $/u);
    await type("\x1f");
    await type(" back\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["half back"]);
  });

  test("clears nothing if another key comes between, and never exits", async () => {
    const { type, pause, text, engine } = start(echo);
    for (const keys of ["\x1b", "half", "\x1b", "\x1b[D", "\x1b", "-"]) {
      await type(keys);
      await pause();
    }
    expect(text()).toMatch(/> hal-f$/u);
    await type("\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["hal-f"]);
  });

  test("acts as Alt for a key that follows soon", async () => {
    const { press, pause, type, text } = start(echo);
    await type("one two");
    await press("\x1b");
    await pause(200);
    await press("b");
    await type("-");
    expect(text()).toMatch(/> one -two$/u);
  });
});
