// What is typed, beside what is said: neither breaks, hides or repeats the other.
import { describe, expect, test } from "vitest";
import { assistant, delta, success } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { bash, echo, start } from "./talk.ts";

describe("typing", () => {
  test("keys that type nothing leave an answer's line whole", async () => {
    let proceed = (): void => undefined;
    const { type, text } = start(async function* () {
      yield delta("one wo");
      await new Promise<void>((resolve) => (proceed = resolve));
      yield delta("rd\n");
      yield success("x");
    });
    await type("go\r");
    for (const key of ["\x1b[D", "\x1b[B", "\r", "\x7f"]) await type(key);
    proceed();
    await settled(4);
    expect(text()).toContain("> go\none word\n(1 turn");
  });

  test("an answer to a question is no prompt that the arrow up brings back", async () => {
    const { type, talk, engine } = start(async function* () {
      await talk.ask(bash, new AbortController().signal);
      yield success("x");
    });
    await type("make it\r");
    await type("maybe\r");
    await type("yes\r");
    await settled(4);
    await type("\x1b[A");
    await type("\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["make it", "make it"]);
  });

  test("a notice that comes while one types stands above the prompt, and what is typed is shown again below", async () => {
    const { type, talk, raw, engine } = start(echo);
    await type("half");
    talk.notice("The server has gone.");
    expect(raw().endsWith("\r\x1b[JThe server has gone.\n\r\x1b[J> half")).toBe(true);
    await type(" a word\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["half a word"]);
  });

  test("a terminal that does not tell its size has its prompt, its tools and its questions in full", async () => {
    const { type, talk, text, output } = start(async function* () {
      yield assistant({ type: "tool_use", id: "t", name: "Bash", input: { command: "npm test" } });
      await talk.ask(bash, new AbortController().signal);
      yield success("x");
    });
    Object.assign(output, { columns: 0, rows: 0 });
    await type("make it\r");
    expect(text()).toContain("> make it\n● Bash npm test\nBash asks to run:\n  │ npm test\n  why it asks");
    expect(text()).not.toContain("scroll up");
  });
});
