// The status line in a conversation: when its command is run, which run counts, and where what it printed stands.
import { expect, test } from "vitest";
import type { StatusLineSettings } from "../../../src/settings/settings.ts";
import type { Engine } from "../../../src/surface/engine-port.ts";
import type { KeyboardOptions } from "../../../src/surface/line/keyboard-options.ts";
import { assistant, delta, success, toolResult, type Turn } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { Grid } from "./grid.ts";
import { bash, echo, start, type Talk } from "./talk.ts";

const modes = new RegExp(String.raw`\x1b\[\?\d+[hl]`, "gu");

interface Run {
  place: { columns: number; rows: number; vimMode?: string | undefined };
  /** It was ended before it had printed anything. */
  isEnded: () => boolean;
  /** What it prints. */
  print: (text: string) => Promise<void>;
}

interface Lined extends Talk {
  runs: Run[];
  /** The last of them prints it. */
  print: (text: string) => Promise<void>;
  screen: () => string[];
}

interface Given {
  settings?: Partial<StatusLineSettings> | null;
  env?: Record<string, string>;
  vim?: KeyboardOptions["vim"];
}

function lined(turn: Turn, { settings, env, vim }: Given = {}): Lined {
  const runs: Run[] = [];
  const desk = {
    tasks: () => [],
    onTaskEnd: () => () => undefined,
    runCommand: () => Promise.resolve({ text: "done", isError: false }),
    completePath: (begun: string) => Promise.resolve(["one.md", "other.md"].filter((path) => path.startsWith(begun))),
    get statusLine() {
      return settings === null ? undefined : { type: "command", command: "x", ...settings };
    },
    statusLineText: (place: Run["place"], signal: AbortSignal) =>
      new Promise<string>((resolve, reject) => {
        let became: "ended" | "done" | undefined;
        signal.addEventListener("abort", () => {
          became ??= "ended";
          reject(new Error("aborted"));
        });
        const print = async (text: string): Promise<void> => {
          became ??= "done";
          resolve(text);
          await settled();
        };
        runs.push({ place, isEnded: () => became === "ended", print });
      }),
  } as unknown as Engine["desk"];
  const talk = start(turn, { overrides: { desk }, ...(env === undefined ? {} : { env }), vim });
  const screen = (): string[] => {
    const grid = new Grid(80, 24);
    grid.write(talk.raw().replaceAll(modes, ""));
    return grid.text;
  };
  return { ...talk, runs, screen, print: async (text) => await runs.at(-1)?.print(text) };
}

/** What is loaded for it is there; how many turns of the event loop that takes is the disk's to say. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await settled(1);
}

async function ready(talk: Lined, count: number): Promise<void> {
  await until(() => talk.runs.length >= count);
  expect(talk.runs).toHaveLength(count);
}

/** A call that goes on until it is told to end. */
function working(): { turn: Turn; proceed: () => void } {
  const gate = Promise.withResolvers<void>();
  const turn: Turn = async function* () {
    yield assistant({ type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test" } });
    await gate.promise;
    yield toolResult("fine");
    yield delta("All is well.\n");
    yield success("x");
  };
  return { turn, proceed: gate.resolve };
}

test("the status line stands below all lines of the prompt, and disappears when it is sent", async () => {
  const talk = lined(echo);
  await talk.pause(300);
  await ready(talk, 1);
  expect(talk.runs[0]?.place).toEqual({ columns: 80, rows: 24, worktree: undefined, vimMode: undefined });
  expect(talk.screen().at(-1)).toBe(">");
  await talk.print("main +2\nsecond\n");
  expect(talk.screen().slice(-3)).toEqual([">", "  main +2", "  second"]);
  await talk.press("one\x1b\rtwo");
  expect(talk.screen().slice(-4)).toEqual(["> one", "  two", "  main +2", "  second"]);
  await talk.press("\x1b[A\x15");
  expect(talk.screen().slice(-4)).toEqual([">", "  two", "  main +2", "  second"]);
  await talk.press("\r");
  const shown = talk.screen();
  expect(shown.slice(-3)).toEqual([">", "  main +2", "  second"]);
  expect(shown.filter((row) => row.includes("main +2"))).toHaveLength(1);
});

test("the status line's command gets each change of Vim's mode", async () => {
  const talk = lined(echo, { vim: { escapes: [], isHidden: () => true } });
  const mode = () => talk.runs.at(-1)?.place.vimMode;
  await talk.pause(300);
  await ready(talk, 1);
  expect(mode()).toBe("INSERT");
  await talk.type("one\x1b");
  await talk.pause(300);
  await ready(talk, 2);
  expect(mode()).toBe("NORMAL");
  await talk.type("V");
  await talk.pause(300);
  await ready(talk, 3);
  expect(mode()).toBe("VISUAL LINE");
  await talk.type("c");
  await talk.pause(300);
  await ready(talk, 4);
  expect(mode()).toBe("INSERT");
});

test("the status line's command runs again after messages, turns, mode changes and ! commands have settled", async () => {
  let mode = "default";
  const talk = lined(function* () {
    yield assistant({ type: "text", text: "one" });
    yield assistant({ type: "text", text: "two" });
    yield success("x");
  });
  Object.assign(talk.engine, {
    getPermissionMode: () => mode,
    setPermissionMode: (wanted: string) => void (mode = wanted),
  });
  await talk.pause(300);
  await ready(talk, 1);
  await talk.print("a");
  await talk.press("go\r");
  await talk.pause(299);
  expect(talk.runs).toHaveLength(1);
  await talk.pause(1);
  await ready(talk, 2);
  await talk.print("b");
  expect(talk.screen().at(-1)).toBe("  b");
  await talk.press("\x1b[Z");
  await talk.pause(300);
  await ready(talk, 3);
  await talk.press("/mode plan\r");
  await talk.pause(300);
  await ready(talk, 4);
  await talk.press("!git checkout other\r");
  await talk.pause(300);
  await ready(talk, 5);
  await talk.pause(60_000);
  expect(talk.runs).toHaveLength(5);
});

test("a newer run of the status line's command ends the older one, whose output stays until then", async () => {
  const talk = lined(echo);
  await talk.pause(300);
  await ready(talk, 1);
  await talk.print("first");
  await talk.press("go\r");
  await talk.pause(300);
  await ready(talk, 2);
  await talk.press("go\r");
  await talk.pause(300);
  await ready(talk, 3);
  expect(talk.runs.map(({ isEnded }) => isEnded())).toEqual([false, true, false]);
  expect(talk.screen().at(-1)).toBe("  first");
  await talk.runs[1]!.print("late");
  expect(talk.screen().at(-1)).toBe("  first");
  await talk.print("");
  expect(talk.screen().at(-1)).toBe(">");
});

test("the status line gives way to a list and to a question, and returns afterwards", async () => {
  const { turn, proceed } = working();
  const talk = lined(turn);
  await talk.pause(300);
  await ready(talk, 1);
  await talk.print("main");
  await talk.press("@\t");
  await until(() => talk.screen().at(-1) !== "  main");
  expect(talk.screen().slice(-3)).toEqual(["> @o", "  one.md", "  other.md"]);
  await talk.press("n\t");
  await until(() => talk.screen().some((row) => row.startsWith("> @one.md")));
  expect(talk.screen().slice(-2)).toEqual(["> @one.md", "  main"]);
  await talk.press("\x15go\r");
  const asked = talk.talk.ask(bash, new AbortController().signal);
  await talk.pause();
  await talk.pause();
  expect(talk.screen().at(-1)).toBe("yes, no?");
  await ready(talk, 2);
  await talk.print("newer");
  expect(talk.screen().at(-1)).toBe("yes, no?");
  await talk.type("y\r");
  await asked;
  proceed();
  await settled(6);
  expect(talk.screen().slice(-2)).toEqual([">", "  newer"]);
});

test("the status line stands below the progress row while a call runs", async () => {
  const { turn, proceed } = working();
  const talk = lined(turn);
  await talk.pause(300);
  await ready(talk, 1);
  await talk.print("main\nmore");
  await talk.press("go\r");
  await talk.pause(1_000);
  const [row = "", ...below] = talk.screen().slice(-3);
  expect(row).toMatch(/^ {2}Bash npm test · .* · Esc interrupts$/u);
  expect(below).toEqual(["  main", "  more"]);
  await talk.press("wait");
  expect(talk.screen().slice(-4)).toEqual(["+ wait", row, "  main", "  more"]);
  await talk.press("\x15");
  proceed();
  await settled(6);
  const shown = talk.screen();
  expect(shown.slice(-3)).toEqual([">", "  main", "  more"]);
  expect(shown.filter((each) => each.includes("main") || each.includes("interrupts"))).toEqual(["  main"]);
});

test("the status line's command runs again after its interval, counted from the end of a run", async () => {
  const talk = lined(echo, { settings: { refreshInterval: 5 } });
  await talk.pause(300);
  await ready(talk, 1);
  await talk.pause(60_000);
  expect(talk.runs).toHaveLength(1);
  await talk.print("10:00");
  await talk.pause(4_999);
  expect(talk.runs).toHaveLength(1);
  await talk.pause(1);
  await ready(talk, 2);
  expect(talk.runs[0]?.isEnded()).toBe(false);
  const before = talk.raw().length;
  await talk.print("10:00");
  // What is the same is not painted again.
  expect(talk.raw().length).toBe(before);
});

test("a new terminal size fits the status line and runs its command again", async () => {
  const talk = lined(echo);
  await talk.pause(300);
  await ready(talk, 1);
  await talk.print("0123456789".repeat(3));
  Object.assign(talk.output, { columns: 20 });
  talk.output.emit("resize");
  await talk.pause(300);
  expect(talk.raw().endsWith(`\x1b[?7l\n  0123456789012345…\x1b[?7h\x1b[1A\x1b[3G`)).toBe(true);
  await ready(talk, 2);
  expect(talk.runs[1]?.place.columns).toBe(20);
});

test("the end of the conversation ends the status line's command for good", async () => {
  const talk = lined(echo, { settings: { refreshInterval: 1 } });
  await talk.pause(300);
  await ready(talk, 1);
  await talk.press("\x04");
  expect(await talk.done).toBe(0);
  expect(talk.runs[0]?.isEnded()).toBe(true);
  await talk.pause(60_000);
  talk.output.emit("resize");
  await talk.pause(60_000);
  expect(talk.runs).toHaveLength(1);
});

test.each<Given>([{ settings: null }, { env: { TERM: "dumb" } }])(
  "the status line's command does not run with %j",
  async (given) => {
    const talk = lined(echo, given);
    await talk.pause();
    await talk.type("go\r");
    await talk.pause(60_000);
    expect(talk.runs).toEqual([]);
  },
);
