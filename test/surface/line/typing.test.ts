// What is typed, beside what is said: neither breaks, hides or repeats the other.
import { describe, expect, test } from "vitest";
import { clearRowAndBelow } from "../../../src/surface/line/screen.ts";
import { assistant, delta, success } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { bash, echo, start } from "./talk.ts";

/** An answer that stops in its second word until `proceed()`. */
function halfway() {
  let go = (): void => undefined;
  const talk = start(async function* () {
    yield delta("one wo");
    await new Promise<void>((resolve) => (go = resolve));
    yield delta("rd\n");
    yield success("x");
  });
  return { ...talk, proceed: (): void => go() };
}

describe("typing during an answer", () => {
  test("keys without text do not break the answer's line", async () => {
    const { type, press, text, proceed } = halfway();
    await type("go\r");
    for (const key of ["\x1b[D", "\x1b[B", "\r", "\x7f"]) await press(key);
    proceed();
    await settled(4);
    expect(text()).toContain("> go\n\none word\n\n(1 turn");
  });

  test("an interrupt is confirmed below the text received so far, also while somebody types", async () => {
    let go = (): void => undefined;
    const { type, text } = start(async function* () {
      for (const words of ["one wo", "rd\nand mo", "re\n"]) {
        yield delta(words);
        await new Promise<void>((resolve) => (go = resolve));
      }
      yield success("x");
    });
    const proceed = async (): Promise<void> => {
      go();
      await settled(4);
    };
    await type("go\r");
    await type("half");
    await proceed();
    expect(text()).toMatch(/one\n\+ half$/u);
    await type("\x1b");
    expect(text()).toMatch(/\+ halfword\nand mo\n\+ half\(interrupting; .*\)\n\+ half$/u);
    await proceed();
    await proceed();
    expect(text()).toMatch(/exits at once\)\n\+ halfre\n\(1 turn.*\)\n\n> half$/u);
  });

  test("a joiner within a word stays invisible, even before its next letter", async () => {
    const { type, text } = start(echo);
    for (const key of ["می", "\u200c", "خ", "\x7f"]) await type(key);
    expect(text()).not.toContain("<U+");
    await type("\u200bx");
    expect(text()).toContain("<U+200B>");
  });

  test("Ctrl+L clears the screen", async () => {
    const { type, raw, proceed } = halfway();
    await type("go\r");
    await type("\f");
    proceed();
    await settled(4);
    expect(raw()).toContain(`one${"\x1bD".repeat(23)}\x1b[23A word\n`);
  });

  test("the Up key does not recall answers to questions", async () => {
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

  test("a notice appears above the prompt, which is repainted with its text", async () => {
    const { type, talk, raw, engine } = start(echo);
    await type("half");
    talk.notice("The server has gone.");
    expect(raw().endsWith(`${clearRowAndBelow}The server has gone.\n${clearRowAndBelow}> half`)).toBe(true);
    await type(" a word\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["half a word"]);
  });

  test("pawl's own messages wrap between words on a narrow terminal", async () => {
    const { type, talk, text, output } = start(echo);
    output.columns = 30;
    talk.notice("The server of the weather has gone, and its tools with it.");
    await type("/mode plan\r");
    await type("/mode\r");
    expect(text()).toContain("The server of the weather has\ngone, and its tools with it.\n");
    expect(text()).toContain("\n  plan\n    the model only reads and\n    plans\n");
  });

  test("a terminal of unknown size shows prompts, calls and questions completely", async () => {
    const { type, talk, text, output } = start(async function* () {
      yield assistant({ type: "tool_use", id: "t", name: "Bash", input: { command: "npm test" } });
      await talk.ask(bash, new AbortController().signal);
      yield success("x");
    });
    Object.assign(output, { columns: 0, rows: 0 });
    await type("make it\r");
    expect(text()).toContain("> make it\n\n● Bash npm test\n\nBash asks to run:\n  │ npm test\n  why it asks");
    expect(text()).not.toContain("scroll up");
  });
});

describe("a prompt of several lines", () => {
  test.each([
    ["Alt+Enter", "\x1b\r"],
    ["Alt+Enter in terminals that are set up to send a line feed for it", "\x1b\n"],
    ["Shift+Enter as kitty sends it", "\x1b[13;2u"],
    ["Shift+Enter as xterm sends it", "\x1b[27;2;13~"],
    ["Ctrl+J", "\n"],
    ["a backslash before Enter", "\\\r"],
  ])("starts a new line on %s", async (_name, keys) => {
    const { type, engine, text } = start(echo);
    await type("one");
    await type(keys);
    await type("two");
    expect(text()).toMatch(/> one\n {2}two$/u);
    await type("\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["one\ntwo"]);
  });

  test("is sent by Enter after an escaped backslash, or if the backslash is not at the cursor", async () => {
    const { type, engine } = start(echo);
    await type("a\\\\\r");
    await type("b\\c\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["a\\\\", "b\\c"]);
  });

  test("lets the arrows move between lines, and reaches the history only from the first and last line", async () => {
    const { type, engine } = start(echo);
    await type("before\r");
    for (const keys of ["one\ntwo", "\x1b[A", "1", "\x1b[B", "2", "\x1b[B", "3\r"]) await type(keys);
    for (const keys of ["draft", "\x1b[A", "\x1b[A", "\x1b[A", "\x1b[B", "\x1b[B", "\x1b[B", "!\r"]) await type(keys);
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["before", "one1\ntwo23", "draft!"]);
  });

  test("is recalled completely by the Up key, also in a resumed session", async () => {
    const past = { timestamp: "", uuid: "1", type: "user", origin: "human" } as const;
    const content = [{ type: "text" as const, text: "from\nbefore" }];
    const { type, engine } = start(echo, { overrides: { getMessages: () => [{ ...past, content }] } });
    await type("\x1b[A");
    await type("\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["from\nbefore"]);
  });
});

describe("the history search", () => {
  test("finds while words are typed, goes to older matches, and sends the match with Enter", async () => {
    const { type, engine, text } = start(echo);
    for (const prompt of ["mend the parser", "mend the shed", "paint it"]) await type(`${prompt}\r`);
    await type("draft\x12mend");
    expect(text()).toMatch(/\(reverse-i-search\)`mend': mend the shed$/u);
    await type("\x12");
    expect(text()).toMatch(/\(reverse-i-search\)`mend': mend the parser$/u);
    await type("\r");
    expect(text()).toMatch(/> mend the parser\n\nyou said/u);
    expect(engine.prompts.at(-1)?.prompt).toBe("mend the parser");
  });

  test.each(["\x1b", "\x07", "\x03"])("is closed by %j with the prompt and its cursor unchanged", async (key) => {
    const { type, engine, text } = start(echo);
    await type("mend it\r");
    for (const keys of ["half", "\x1b[D", "\x12", "me", key]) await type(keys);
    expect(text()).toMatch(/> half$/u);
    await type("-\r");
    expect(engine.prompts.at(-1)?.prompt).toBe("hal-f");
  });

  test("does not take the Esc that closes it as Alt for the next key", async () => {
    const { type, press, pause, text } = start(echo);
    for (const keys of ["half ", "\x12", "me", "\x1b"]) await press(keys);
    await pause(100);
    await press("b");
    await type("");
    expect(text()).toMatch(/> half b$/u);
  });

  test("takes the match into the prompt with any other key, which then acts as usual", async () => {
    const { type, engine } = start(echo);
    await type("mend it\r");
    for (const keys of ["\x12me", "\x05", " now\r"]) await type(keys);
    await type("\x12\x12");
    await type("\t?\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["mend it", "mend it now", "?mend it now"]);
  });

  test("sends nothing if nothing is found", async () => {
    const { type, engine, text } = start(echo);
    for (const keys of ["half", "\x12xyz", "\r"]) await type(keys);
    expect(engine.prompts).toEqual([]);
    expect(text()).toMatch(/> half$/u);
  });

  test("is shown during an answer, and leaves nothing behind when closed", async () => {
    const { type, text, proceed } = halfway();
    await type("go\r");
    await type("\x12g");
    expect(text()).toMatch(/\n\(reverse-i-search\)`g': go$/u);
    await type("\x07");
    proceed();
    await settled(4);
    expect(text()).toMatch(/rd\n\n\(1 turn.*\n\n> $/u);
  });
});
