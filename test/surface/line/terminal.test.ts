// A terminal that goes away, or that the shell has for a while.
import { describe, expect, test } from "vitest";
import { delta, success } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { echo, start } from "./talk.ts";

describe("a terminal that is closed", () => {
  test("ends the conversation with the signal's code, although it cannot be given back as it was", async () => {
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

  test("gives the terminal to the shell as it was, and takes it again with what was typed", async () => {
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
    expect(talk.raw().endsWith("\r\x1b[J> half")).toBe(true);
    await talk.type(" a word\r");
    expect(talk.engine.prompts.map(({ prompt }) => prompt)).toEqual(["half a word"]);
  });

  test("while an answer comes shows no prompt, and takes nothing of the answer away", async () => {
    const outside = shell(() => undefined);
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
    expect(talk.text()).toContain("> go\none word\n(1 turn");
  });
});
