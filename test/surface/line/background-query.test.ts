import { describe, expect, test, vi } from "vitest";
import { backgroundIn } from "../../../src/surface/line/background-colour.ts";
import { Keyboard } from "../../../src/surface/line/keyboard.ts";
import type { JobControl } from "../../../src/surface/line/raw-terminal.ts";
import { assistant, success } from "../support/messages.ts";
import { start } from "./talk.ts";

const question = "\x1b]11;?\x07\x1b[c";
const white = "\x1b]11;rgb:ffff/ffff/ffff\x07";
const fence = "\x1b[?62;22c";
const env = { TERM: "xterm-256color" };
const [lightCode, darkCode] = ["\x1b[38;5;25m", "\x1b[36m"];

const says = "See `this`.";
const answering = () => [assistant({ type: "text", text: says }), success(says)];
type Options = NonNullable<Parameters<typeof start>[1]>;
const ask = (options: Options = {}) => start(answering, { env, terminal: { isTTY: true }, ...options });

describe("the colour in an answer", () => {
  test.each([
    ["rgb:ffff/ffff/ffff", "light"],
    ["rgb:f/f/f", "light"],
    ["rgb:fd/f6/e3", "light"],
    ["rgb:fff/fff/fff", "light"],
    ["RGB:FFFF/FFFF/FFFF", "light"],
    ["rgba:ffff/ffff/ffff/8000", "light"],
    ["rgb:0000/0000/0000", "dark"],
    ["rgb:00/2b/36", "dark"],
    ["rgb:1e1e/1e1e/1e1e", "dark"],
    ["rgba:0000/0000/0000/ffff", "dark"],
    // A level with fewer digits is not a darker one.
    ["rgb:8/8/8", "light"],
    ["rgb:0f0f/0f0f/0f0f", "dark"],
    ["?", undefined],
    ["rgb:fffff/0/0", undefined],
    ["rgb:ff/ff", undefined],
    ["rgb:/ff/ff", undefined],
    ["rgb:gg/ff/ff", undefined],
    ["#ffffff", undefined],
  ])("%s is %s", (colour, background) => {
    expect(backgroundIn(`\x1b]11;${colour}\x07`)).toBe(background);
    expect(backgroundIn(`\x1b]11;${colour}\x1b\\`)).toBe(background);
    expect(backgroundIn(`\x1b]10;${colour}\x07`)).toBeUndefined();
  });
});

describe("the question for the background", () => {
  test("is asked once, in raw mode, and its answer chooses the colours of what follows", async () => {
    const asked: boolean[] = [];
    let raw = (): string => "";
    const setRawMode = (): number => asked.push(raw().includes(question));
    const talk = ask({ terminal: { isTTY: true, setRawMode } });
    raw = talk.raw;
    expect(asked).toEqual([false]);
    expect(talk.raw().split(question)).toHaveLength(2);
    await talk.type("one\r");
    expect(talk.raw()).toContain(`${darkCode}this`);
    await talk.type(white + fence);
    await talk.type("two\r");
    expect(talk.raw()).toContain(`${lightCode}this`);
    expect(talk.engine.prompts.map(({ prompt }) => prompt)).toEqual(["one", "two"]);
  });

  test.each([
    ["a dark background", "\x1b]11;rgb:0000/0000/0000\x07"],
    ["another question", "\x1b]10;rgb:ffff/ffff/ffff\x07"],
    ["an echo", question],
  ])("leaves the colours as they are if the answer is for %s", async (_name, answer) => {
    const talk = ask();
    await talk.type(answer);
    await talk.type("two\r");
    expect(talk.raw()).toContain(`${darkCode}this`);
    expect(talk.engine.prompts.map(({ prompt }) => prompt)).toEqual(["two"]);
  });

  test.each<[string, Options]>([
    ["the theme is set", { theme: "dark" }],
    ["COLORFGBG tells it", { env: { ...env, COLORFGBG: "0;15" } }],
    ["colours are not wanted", { env: { ...env, NO_COLOR: "1" } }],
    ["a screen reader reads", { screenReader: "flag" }],
    ["the input is no terminal", { terminal: {} }],
    ["it is in GNU Screen", { env: { ...env, STY: "1.pts-0" } }],
    ["it is in Emacs", { env: { ...env, INSIDE_EMACS: "29.1,vterm" } }],
    ...["", "dumb", "linux", "vt100", "vt220", "screen", "screen.xterm-256color", "eterm-color", "ansi"].map(
      (TERM): [string, Options] => [`TERM is ${TERM}`, { env: { TERM } }],
    ),
  ])("is not asked if %s", (_name, options) => {
    const talk = ask(options);
    expect(talk.raw()).not.toContain("\x1b]11");
    expect(talk.raw()).not.toContain("\x1b[c");
  });

  test.each(["xterm", "xterm-kitty", "tmux-256color", "rxvt-unicode-256color", "foot", "alacritty"])(
    "is asked if TERM is %s",
    (TERM) => expect(ask({ env: { TERM } }).raw()).toContain(question),
  );

  test.each(["screen", "screen-256color"])("is asked in tmux that calls itself %s", (TERM) => {
    expect(ask({ env: { TERM, TMUX: "/tmp/tmux-0/default,1,0" } }).raw()).toContain(question);
  });
});

describe("an answer that is not a key", () => {
  const answers = [white, "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"].map((answer) => answer + fence);
  const splits = answers.flatMap((answer) => Array.from(answer, (_each, at) => [answer, at] as const));
  const vim = { escapes: [], isHidden: () => false };
  /** A lone ESC is the Esc key, which in Vim's mode makes `b` a motion. */
  const isEscapeKey = (before: string): boolean => before === "\x1b" || before === `${white}\x1b`;

  test.each<Options>([{}, { vim }])("is one although a slow line splits it: %j", async (more) => {
    for (const [answer, at] of splits) {
      const talk = ask(more);
      await talk.press("a");
      await talk.press(answer.slice(0, at));
      await talk.pause(1_500);
      await talk.press(answer.slice(at));
      await talk.type("b\r");
      const prompt = more.vim !== undefined && isEscapeKey(answer.slice(0, at).replace("\x1b\\", "\x07")) ? "a" : "ab";
      expect([at, talk.engine.prompts.map((each) => each.prompt)]).toEqual([at, [prompt]]);
      expect([at, talk.raw().includes(`${lightCode}this`)]).toEqual([at, true]);
    }
  });

  test("is one although each byte comes alone, and within a paste", async () => {
    const talk = ask();
    for (const byte of answers[1]!) await talk.press(byte);
    await talk.type(`\x1b[200~a${white}${fence}b\x1b[201~`);
    await talk.type("\r");
    expect(talk.engine.prompts.map(({ prompt }) => prompt)).toEqual(["ab"]);
    expect(talk.raw()).toContain(`${lightCode}this`);
  });

  test("does not keep what was typed before the start from being sent", async () => {
    for (const answer of [white + fence, white, "\x1b]11;rgb:ff", "\x1b"]) {
      const talk = ask();
      await talk.type(`typed early\n${answer}`);
      expect([answer, talk.engine.prompts.map(({ prompt }) => prompt)]).toEqual([answer, ["typed early"]]);
    }
  });

  test("that comes when nobody waits any more changes the colours, and types nothing", async () => {
    const talk = ask();
    await talk.pause(60_000);
    await talk.type(`a${white}b${fence}`);
    await talk.type("\r");
    expect(talk.engine.prompts.map(({ prompt }) => prompt)).toEqual(["ab"]);
    expect(talk.raw()).toContain(`${lightCode}this`);
  });

  test("does not swallow an Esc that was pressed right before it", async () => {
    const escaped = async (keys: string[]): Promise<string> => {
      const talk = ask({ vim });
      await talk.press("one");
      for (const key of keys) await talk.press(key);
      await talk.type("0iX");
      await talk.type("\r");
      return String(talk.engine.prompts[0]?.prompt);
    };
    expect(await escaped(["\x1b", fence])).toBe("Xone");
    expect(await escaped(["\x1b", white, fence])).toBe("Xone");
    expect(await escaped([`\x1b${white}${fence}`])).toBe("Xone");
  });

  test.each([
    ["is here", white + fence],
    ["does not come", ""],
  ])("does not make Esc slow if it %s", async (_name, answer) => {
    const talk = ask({ vim });
    await talk.press(`one${answer}`);
    await talk.press("\x1b");
    await talk.pause(100);
    await talk.press("0iX\r");
    expect(talk.engine.prompts.map(({ prompt }) => prompt)).toEqual(["Xone"]);
  });

  test("does not make Esc and an open line slow if it does not come", async () => {
    const talk = ask({ vim });
    await talk.press("one");
    await talk.press("\x1bO");
    await talk.pause(100);
    await talk.press("zero\r");
    expect(talk.engine.prompts.map(({ prompt }) => prompt)).toEqual(["zero\none"]);
  });
});

describe("while an answer is due", () => {
  const modes = (): { log: string[]; terminal: Options["terminal"] } => {
    const log: string[] = [];
    return { log, terminal: { isTTY: true, setRawMode: (isRaw) => log.push(isRaw ? "raw" : "cooked") } };
  };

  test.each([
    ["the answer is here", fence],
    ["0.3 seconds are over", undefined],
  ])("Ctrl+D leaves only when %s", async (_name, answer) => {
    const { log, terminal } = modes();
    const talk = ask({ terminal });
    await talk.press("\x04");
    expect(log).toEqual(["raw"]);
    if (answer === undefined) await talk.pause(300);
    else await talk.press(white + answer);
    expect(log).toEqual(["raw", "cooked"]);
    expect(await talk.done).toBe(0);
  });

  test("Ctrl+D does not wait longer than two seconds after the question", async () => {
    const { log, terminal } = modes();
    const talk = ask({ terminal });
    await talk.pause(1_900);
    await talk.press("\x04");
    expect(log).toEqual(["raw"]);
    await talk.pause(100);
    expect(log).toEqual(["raw", "cooked"]);
  });

  test("the second Ctrl+C leaves only when it is here, and a third one does not leave once more", async () => {
    const { log, terminal } = modes();
    const talk = start(
      async function* () {
        await new Promise(() => undefined);
        yield success("");
      },
      { env, terminal, overrides: { interrupt: () => true } },
    );
    await talk.press("go\r");
    for (let times = 0; times < 3; times += 1) await talk.press("\x03");
    expect([log, talk.left]).toEqual([["raw"], []]);
    await talk.press(fence);
    expect([log, talk.left]).toEqual([["raw", "cooked"], ["interrupted"]]);
  });

  test("Ctrl+Z stops only when it is here, and only once", async () => {
    const { log, terminal } = modes();
    const job: JobControl = {
      suspend: () => log.push("stopped"),
      onContinue: () => () => undefined,
      readSize: () => undefined,
    };
    const talk = ask({ terminal, job });
    await talk.press("\x1a");
    await talk.press("\x1a");
    expect(log).toEqual(["raw"]);
    await talk.press(white + fence);
    expect(log).toEqual(["raw", "cooked", "stopped", "cooked", "raw"]);
    await talk.press("\x1a");
    expect(log.slice(5)).toEqual(["cooked", "stopped", "cooked", "raw"]);
    expect(talk.raw().split(question)).toHaveLength(2);
  });

  test("an editor gets the terminal only when it is here", async () => {
    const { log, terminal } = modes();
    const talk = ask({ terminal, env: { ...env, VISUAL: "true", PATH: process.env["PATH"] ?? "" } });
    const lent = vi.spyOn(Keyboard.prototype, "lend");
    await talk.press("\x07");
    await vi.waitFor(() => expect(lent).toHaveBeenCalled(), 20_000);
    lent.mockRestore();
    await talk.press("X");
    expect(log).toEqual(["raw"]);
    await talk.press(white + fence);
    expect(log.slice(0, 2)).toEqual(["raw", "cooked"]);
  });

  test("a terminal that goes away is not waited for", async () => {
    const talk = ask();
    talk.input.end();
    expect(await talk.done).toBe(0);
  });
});
