// A conversation at a terminal that is none: keys in, text out, a stand-in session.
import { PassThrough } from "node:stream";
import { afterEach, expect, vi } from "vitest";
import { Conversation } from "../../../src/surface/line/conversation.ts";
import type { KeyboardOptions } from "../../../src/surface/line/keyboard-options.ts";
import type { JobControl } from "../../../src/surface/line/raw-terminal.ts";
import type { Theme } from "../../../src/protocol/theme.ts";
import type { PermissionQuestion } from "../../../src/protocol/permission.ts";
import { StopDesk, type StopCause } from "../../../src/surface/stop-desk.ts";
import type { Engine } from "../../../src/surface/engine-port.ts";
import { assistant, blockEvent, delta, fakeEngine, success, type FakeEngine, type Turn } from "../support/messages.ts";
import { Collector, settled } from "../support/sink.ts";

/** What is asked of people. */
export const bash: PermissionQuestion = {
  toolName: "Bash",
  toolUseId: "t1",
  input: { command: "npm test" },
  isReadOnly: false,
  subjects: [],
  cwd: "/w",
  key: "t1.permission.0",
  reason: { type: "mode", mode: "default" },
};

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

export interface Talk {
  talk: Conversation;
  engine: FakeEngine;
  stop: StopDesk;
  left: StopCause[];
  /** Everything written, without escape sequences and without the row that says what is at work. */
  text: () => string;
  raw: () => string;
  input: PassThrough;
  output: Collector;
  /** Keys, and a moment without one. */
  type: (keys: string) => Promise<void>;
  /** Keys, and the next ones come at once. */
  press: (keys: string) => Promise<void>;
  /** A second, or so many milliseconds. */
  pause: (milliseconds?: number) => Promise<void>;
  /** Waits for a question that looks at a file before it is put: it stands below all that is shown. */
  whenAsked: (prompt: RegExp) => Promise<void>;
  done: Promise<number>;
}

interface TalkOptions {
  first?: string;
  overrides?: Partial<Engine>;
  env?: Record<string, string>;
  screenReader?: "flag";
  vim?: KeyboardOptions["vim"];
  theme?: Theme;
  /** What a terminal has besides. */
  terminal?: Pick<KeyboardOptions["input"], "isTTY" | "setRawMode">;
  job?: JobControl;
}

const progressRow = String.raw`(  [^\n\r]* · (?:(?:Esc|Ctrl\+C) interrupts|Ctrl\+C exits at once))`;
const progressRows = String.raw`${progressRow}(?:(?:\x1b\[K)?\n {2}(?: {2}|queued: )[^\n\r\x1b]*)*(?:\x1b\[J)?`;
const rowsUnderPrompt = new RegExp(String.raw`\n${progressRows}\x1b\[\d+A\x1b\[\d+G`, "gu");
const rowsAlone = new RegExp(String.raw`${progressRows}(?:\x1b\[\d+A)?\r(?:\x1b\[2K\x1b\[2G\x1b\[J\r|$)`, "gu");

const wrappingModes = new RegExp(String.raw`\x1b\[\?7[hl]`, "gu");

/** Without the rows that say what is at work, whether they are under the prompt or alone. */
function withoutProgress(written: string): string {
  return written.replaceAll(wrappingModes, "").replaceAll(rowsUnderPrompt, "").replaceAll(rowsAlone, "");
}

export function start(turn: Turn, options: TalkOptions = {}): Talk {
  const input = Object.assign(new PassThrough(), options.terminal);
  // As the question about which session to continue leaves it.
  input.pause();
  const output = Object.assign(new Collector(), { isTTY: true, columns: 80, rows: 24 });
  const stop = new StopDesk();
  const left: StopCause[] = [];
  const waiting = new Map<() => void, number>();
  let now = 0;
  const talk = new Conversation({
    input,
    output,
    env: options.env ?? { NO_COLOR: "1" },
    cwd: "/w",
    screenReader: options.screenReader,
    vim: options.vim,
    theme: options.theme,
    version: "0.0.0",
    stop,
    leaveNow: (cause) => left.push(cause),
    job: options.job,
    now: () => now,
    after: (milliseconds, then) => {
      waiting.set(then, now + milliseconds);
      return () => void waiting.delete(then);
    },
  });
  open.push(() => talk.close());
  const engine = fakeEngine(turn, options.overrides);
  const press = async (keys: string): Promise<void> => {
    input.write(keys);
    await settled(4);
  };
  const pause = async (milliseconds = 1_000): Promise<void> => {
    now += milliseconds;
    for (const [then, due] of waiting) {
      if (due > now) continue;
      waiting.delete(then);
      then();
    }
    await settled(4);
  };
  const escapes = new RegExp(String.raw`\x1b\[[\x30-\x3f]*[\x40-\x7e]`, "g");
  const text = (): string => withoutProgress(output.text).replace(escapes, "").replaceAll("\r", "");
  return {
    talk,
    engine,
    stop,
    left,
    raw: () => output.text,
    input,
    output,
    text,
    press,
    pause,
    whenAsked: (prompt) =>
      vi.waitFor(async () => {
        await pause();
        expect(text()).toMatch(prompt);
      }),
    type: async (keys) => {
      await press(keys);
      await pause();
    },
    done: talk.run(engine, options.first),
  };
}

const say = (text: string): ReturnType<Turn> => [
  blockEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  delta(text),
  blockEvent({ type: "content_block_stop", index: 0 }),
  assistant({ type: "text", text }),
  success(text),
];

export const echo: Turn = (_engine, prompt) => say(`you said ${JSON.stringify(prompt)}`);
