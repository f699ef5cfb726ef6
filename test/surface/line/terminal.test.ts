// A terminal that goes away, or that the shell has for a while.
import { stat } from "node:fs";
import { describe, expect, test } from "vitest";
import { createJobControl } from "../../../src/cli/signals.ts";
import { clearRowAndBelow } from "../../../src/surface/line/screen.ts";
import { terminalKind, terminalModes, type TerminalKind } from "../../../src/surface/line/terminal-modes.ts";
import { delta, success } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { echo, start } from "./talk.ts";

describe("a terminal that is closed", () => {
  test("ends the conversation with the signal's code although it cannot be restored", async () => {
    let isGone = false;
    const terminal = {
      setRawMode: (): void => {
        if (isGone) talk.input.emit("error", new Error("setRawMode EIO"));
      },
    };
    const talk = start(echo, { terminal });
    await talk.type("half");
    isGone = true;
    talk.stop.stop("terminated");
    expect(await talk.done).toBe(143);
    await settled();
    talk.input.emit("error", new Error("read EIO"));
  });
});

describe("Ctrl+Z", () => {
  /** The shell has the terminal while `suspended` runs. */
  function shell(suspended: () => void): Parameters<typeof start>[1] & { log: string[]; continued: () => void } {
    const log: string[] = [];
    let listener = (): void => undefined;
    return {
      log,
      continued: () => listener(),
      terminal: { setRawMode: (isRaw) => log.push(isRaw ? "raw" : "cooked") },
      job: {
        suspend: () => {
          log.push("stopped");
          suspended();
        },
        onContinue: (heard) => {
          listener = heard;
          return () => (listener = () => undefined);
        },
        readSize: () => log.push("size"),
      },
    };
  }

  test("restores the terminal for the shell, and takes it back with the typed text", async () => {
    const outside = shell(() => talk.output.write("$ fg\n"));
    const talk = start(echo, outside);
    await talk.type("half");
    outside.log.length = 0;
    const before = talk.raw().length;
    await talk.type("\x1a");
    expect(talk.raw().slice(before)).toBe("\x1b[?2004l$ fg\n\x1b[?2004h");
    expect(outside.log).toEqual(["cooked", "stopped", "cooked", "raw"]);
    outside.continued();
    expect(outside.log.slice(4)).toEqual(["cooked", "raw", "size"]);
    expect(talk.raw().endsWith(`${clearRowAndBelow}> half`)).toBe(true);
    await talk.type(" a word\r");
    expect(talk.engine.prompts.map(({ prompt }) => prompt)).toEqual(["half a word"]);
  });

  test("during an answer shows no prompt and loses nothing of the answer", async () => {
    const outside = shell(() => talk.output.write("\n"));
    let proceed = (): void => undefined;
    const talk = start(async function* () {
      yield delta("one wo");
      await new Promise<void>((resolve) => (proceed = resolve));
      yield delta("rd\n");
      yield success("x");
    }, outside);
    await talk.type("go\r");
    await talk.type("\x1a");
    outside.continued();
    proceed();
    await settled(4);
    expect(talk.text()).toContain("> go\n\none\nword\n\n(1 turn");
  });

  test("during an answer continues it at the start of a row", async () => {
    const outside = { ...shell(() => talk.output.write("\n$ fg\n")), env: { TERM: "xterm-256color" } };
    let proceed = (): void => undefined;
    const talk = start(async function* () {
      yield delta("one two");
      await new Promise<void>((resolve) => (proceed = resolve));
      yield delta(" three ");
      yield delta(`${"long ".repeat(15)}end\n`);
      yield success("x");
    }, outside);
    await talk.press("go\r");
    await talk.press("\x1a");
    outside.continued();
    proceed();
    await settled(4);
    expect(talk.text()).toContain(`> go\n\none\n$ fg\ntwo three ${"long ".repeat(13)}long\nlong end\n`);
  });

  test("holds answer text back until the terminal is repainted", async () => {
    const outside = { ...shell(() => talk.output.write("\n$ fg\n")), env: { TERM: "xterm-256color" } };
    let told = (): void => undefined;
    const job = { ...outside.job!, back: new Promise<void>((resolve) => (told = resolve)) };
    let proceed = (): void => undefined;
    const talk = start(
      async function* () {
        yield delta(`${"long ".repeat(12)}long`);
        await new Promise<void>((resolve) => (proceed = resolve));
        yield delta(" before it is told. ");
        yield delta("And on.\n");
        yield success("x");
      },
      { ...outside, job },
    );
    await talk.press("go\r");
    told();
    await settled(4);
    job.back = new Promise<void>((resolve) => (told = resolve));
    await talk.press("\x1a");
    proceed();
    await settled(4);
    outside.continued();
    told();
    await settled(4);
    expect(talk.text()).toContain(`${"long ".repeat(11)}long\n$ fg\nlong before it is told. And on.\n`);
  });

  test("calls the listeners of SIGCONT before suspend's promise settles", async () => {
    const sent: unknown[] = [];
    const outside = Object.create(process, {
      kill: { value: (_pid: number, signal: string) => sent.push(signal, process.kill(process.pid, "SIGCONT")) },
    }) as NodeJS.Process;
    const job = createJobControl(outside);
    const away = job.onContinue(() => sent.push("told"));
    // As where keys come from: what the loop waited for is being told.
    await new Promise<void>((resolve) => stat(".", () => resolve(job.suspend())));
    await job.back;
    away();
    expect(sent).toEqual(["SIGTSTP", true, "told"]);
  });
});

describe("a window that is dragged", () => {
  const text = "word ".repeat(30);
  const resize = (talk: ReturnType<typeof start>, columns: number): void => {
    Object.assign(talk.output, { columns });
    talk.output.emit("resize");
  };

  // Seen in tmux: a row above the prompt was erased, or the prompt stood there twice.
  test("has its prompt painted again once it keeps its size, because the width that is known may have changed already", async () => {
    const talk = start(echo);
    await talk.type(text);
    const before = talk.raw().length;
    for (const columns of [70, 60, 50]) {
      resize(talk, columns);
      await talk.pause(250);
    }
    expect(talk.raw().length).toBe(before);
    await talk.pause(50);
    expect(talk.raw().slice(before)).toBe(`\x1b[3A${clearRowAndBelow}> ${text}`);
  });

  test("has nothing painted meanwhile under the prompt of a running answer", async () => {
    let proceed = (): void => undefined;
    const talk = start(async function* () {
      await new Promise<void>((resolve) => (proceed = resolve));
      yield success("x");
    });
    await talk.type("go\r");
    await talk.type("half");
    await talk.pause();
    const before = talk.raw().length;
    for (const columns of [70, 60, 50, 60, 70, 60, 50]) {
      resize(talk, columns);
      await talk.pause(250);
    }
    expect(talk.raw().length).toBe(before);
    await talk.pause(50);
    expect(talk.raw().slice(before)).toMatch(/waiting for the model · 4 s/u);
    proceed();
  });

  // Seen in tmux: painted for a width that had changed already, the prompt stood there twice.
  test.each([
    ["xterm-256color", `\x1b[3A${clearRowAndBelow}> ${text}xy`],
    ["rxvt-unicode-256color", `${clearRowAndBelow}> ${text}xy`],
  ])("shows what is typed meanwhile once it keeps its size: %s", async (TERM, written) => {
    const talk = start(echo, { env: { TERM } });
    await talk.type(text);
    const before = talk.raw().length;
    resize(talk, 50);
    for (const key of ["x", "y"]) await talk.press(key);
    expect(talk.raw().length).toBe(before);
    await talk.pause(300);
    expect(talk.raw().slice(before)).toBe(written);
    await talk.press("z");
    expect(talk.raw().slice(before)).toBe(`${written}z`);
  });

  test("has its prompt where the terminal has put its rows even if it has its old width again", async () => {
    const talk = start(echo, { env: { TERM: "rxvt-unicode-256color" } });
    await talk.type(text);
    const before = talk.raw().length;
    resize(talk, 50);
    resize(talk, 80);
    await talk.press("\r");
    expect(talk.raw().slice(before).startsWith(`${clearRowAndBelow}> ${text}`)).toBe(true);
  });

  test.each([
    ["the sent prompt", "\r", `\x1b[3A${clearRowAndBelow}> ${text}`],
    ["the shell after Ctrl+Z", "\x1a", `\x1b[3A${clearRowAndBelow}`],
    ["a cleared screen", "\f", `\x1b[3A${clearRowAndBelow}\x1bD`],
  ])("has %s at the rows that its new width makes", async (_what, key, begin) => {
    const job = { suspend: () => undefined, onContinue: () => () => undefined, readSize: () => undefined };
    const talk = start(echo, { job });
    await talk.type(text);
    const before = talk.raw().length;
    resize(talk, 50);
    await talk.press(key);
    expect(talk.raw().slice(before).startsWith(begin)).toBe(true);
  });
});

test("a dumb terminal sends each line at its line end", async () => {
  const talk = start(echo, { env: { TERM: "dumb" } });
  for (const line of ["one\n", "two\n", "a\\\nb\n"]) await talk.type(line);
  expect(talk.engine.prompts.map(({ prompt }) => prompt)).toEqual(["one", "two", "a\nb"]);
});

test.each(["comint", "eshell"])("a line that Emacs has shown is not shown again: %s", async (shell) => {
  const talk = start(echo, { env: { TERM: "dumb", INSIDE_EMACS: `28.2,${shell}` } });
  await talk.type("one\n");
  expect(talk.raw()).toMatch(/> \nyou said "one"\n\n.*\n\n> $/u);
});

test.each<[TerminalKind, Record<string, string>]>([
  ["cuts", { TERM: "xterm-256color", VIM_TERMINAL: "900" }],
  ["cuts", { TERM: "xterm-256color", VIM_TERMINAL: "900", TMUX: "/tmp/x,1,0" }],
  ["cuts", { TERM: "xterm-256color", NVIM: "/tmp/nvim/0" }],
  ["cuts", { TERM: "xterm-256color", INSIDE_EMACS: "29.1,vterm" }],
  ["rewraps", { TERM: "tmux-256color", VIM_TERMINAL: "900", TMUX: "/tmp/x,1,0" }],
  ["cuts", { TERM: "xterm-256color", NCURSES_NO_UTF8_ACS: "1" }],
  ["rewraps", { TERM: "tmux-256color", NCURSES_NO_UTF8_ACS: "1", TMUX: "/tmp/x,1,0" }],
  ["cuts", { TERM: "mlterm" }],
  ["cuts", { TERM: "putty-256color" }],
  ["cuts", { TERM: "st-256color" }],
  ["cuts", { TERM: "screen.xterm-256color" }],
  ["rewrapsToStart", { TERM: "rxvt-unicode-256color", COLORTERM: "rxvt-xpm" }],
  ["rewraps", { TERM: "eterm-color", INSIDE_EMACS: "28.2,term:0.96" }],
])("terminalKind says that a terminal %s: %j", (kind, env) => {
  expect(terminalKind(env)).toBe(kind);
});

describe("terminalModes", () => {
  const kitty = ["\x1b[?2004h\x1b[>5u", "\x1b[<u\x1b[?2004l"];
  const xterm = ["\x1b[?2004h\x1b[>4;1m", "\x1b[>4m\x1b[?2004l"];
  const others = ["\x1b[?2004h", "\x1b[?2004l"];
  test.each<[Record<string, string>, string[]]>([
    [{ TERM: "xterm-kitty" }, kitty],
    [{ TERM: "xterm-256color", TERM_PROGRAM: "ghostty" }, kitty],
    [{ TERM: "foot" }, kitty],
    [{ TERM: "screen-256color", TMUX: "/tmp/x,1,0", TERM_PROGRAM: "WezTerm" }, xterm],
    [{ TERM: "xterm", XTERM_VERSION: "XTerm(390)" }, xterm],
    [{ TERM: "screen", STY: "1.x", TERM_PROGRAM: "WezTerm" }, others],
    [{ TERM: "xterm-256color", TERM_PROGRAM: "Apple_Terminal" }, others],
    [{ TERM: "dumb", TERM_PROGRAM: "ghostty" }, ["", ""]],
    [{}, others],
  ])("gives the modes for %j", (env, [on, off]) => {
    expect(terminalModes(env)).toMatchObject({ on, off });
  });

  test("are set once per start or resume, and reset as often", async () => {
    let goOn = (): void => undefined;
    const job = {
      suspend: () => undefined,
      onContinue: (heard: () => void) => {
        goOn = heard;
        return () => undefined;
      },
      readSize: () => undefined,
    };
    const talk = start(echo, { job, env: { TERM: "xterm-kitty", NO_COLOR: "1" } });
    await talk.type("\x1a");
    goOn();
    goOn();
    await talk.type("\x1b[100;5u");
    await talk.done;
    const asked = talk.raw().match(new RegExp(String.raw`\x1b\[(?:>5|<)u`, "gu"));
    expect(asked).toEqual(["\x1b[>5u", "\x1b[<u", "\x1b[>5u", "\x1b[<u"]);
    expect(talk.raw().match(new RegExp(String.raw`\x1b\[\?2004h`, "gu"))).toHaveLength(4);
  });
});
