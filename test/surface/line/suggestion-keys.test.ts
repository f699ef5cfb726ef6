// Suggestions below the prompt change the meaning of no key, and nothing is searched that nobody waits for.
import { expect, test } from "vitest";
import type { Turn } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { command, shown, tabbing, type Tabbing } from "./tabbing.ts";
import { echo } from "./talk.ts";

/** Looks that never end, each until it is given up. */
function withoutEnd(talk: Tabbing): { begun: string[]; isOver: (at: number) => boolean; answer: (at: number) => void } {
  const begun: string[] = [];
  const [signals, answers]: [AbortSignal[], (() => void)[]] = [[], []];
  const completePath = async (path: string, signal: AbortSignal): Promise<string[]> => {
    begun.push(path);
    signals.push(signal);
    await new Promise<void>((resolve) => answers.push(resolve));
    return [`${path}1`, `${path}2`];
  };
  Object.assign(talk.engine.desk, { completePath });
  return { begun, isOver: (at) => signals[at]?.aborted === true, answer: (at) => answers[at]?.() };
}

test("Ctrl+G first takes back a chosen suggestion, and otherwise opens the editor", async () => {
  const talk = tabbing(["a.md", "b.md"]);
  await talk.tab("see @");
  await talk.tab("\x1b[B\x07");
  expect(shown(talk)).toBe("> see @");
  expect(talk.text()).not.toContain("No editor");
  await talk.tab("\x7f@");
  await talk.tab("\x07");
  await import("../../../src/surface/line/external-editor.ts");
  await settled(8);
  expect(talk.text()).toContain("No editor is set");
});

test("the first character typed during an answer lists commands, too", async () => {
  let end = (): void => undefined;
  const slow: Turn = async function* (engine, prompt) {
    await new Promise<void>((resolve) => (end = resolve));
    yield* echo(engine, prompt);
  };
  const talk = tabbing([], slow);
  await talk.tab("go\r");
  await talk.tab("/");
  expect(talk.text()).toMatch(/\+ \/\n {2}\/clear/u);
  end();
});

test("no files are looked up after the prompt was sent, or during a history search", async () => {
  const talk = tabbing(["src/"]);
  await talk.press("see @s");
  await talk.press("\r");
  await talk.tab("");
  expect(talk.asked).toEqual([]);
  await talk.tab("@src");
  await talk.tab("\x12");
  await talk.tab("see");
  expect(talk.asked).toEqual(["src"]);
});

test("a lookup is cancelled by the next character and by sending the prompt", async () => {
  const talk = tabbing();
  const looks = withoutEnd(talk);
  await talk.tab("@a");
  await talk.press("\x1b[Z");
  expect(looks.isOver(0)).toBe(false);
  await talk.press(" then");
  expect(looks.isOver(0)).toBe(true);
  looks.answer(0);
  await talk.tab(" @b");
  await talk.press("\r");
  expect(looks.begun).toEqual(["a", "b"]);
  expect(looks.isOver(1)).toBe(true);
});

test("a folder that does not answer is looked up only once at a time", async () => {
  const talk = tabbing();
  const looks = withoutEnd(talk);
  await talk.tab("@far/");
  await talk.tab("a");
  await talk.tab("b");
  expect(looks.begun).toEqual(["far/"]);
  looks.answer(0);
  await talk.tab("");
  expect(looks.begun).toEqual(["far/", "far/ab"]);
  looks.answer(1);
  await talk.tab("");
  expect(shown(talk)).toBe("> @far/ab\n  ab1\n  ab2");
});

test("an arrow key pressed during a lookup does not recall an earlier prompt", async () => {
  const talk = tabbing(["src/a1", "src/a2", "src/b"]);
  await talk.tab("earlier\r");
  await talk.tab("@src/");
  await talk.press("a");
  await talk.press("\x1b[A");
  expect(shown(talk)).toBe("> @src/a\n  a1\n  a2\n  b");
  await talk.tab("");
  expect(shown(talk)).toBe("> @src/a\n  a1\n  a2");
  await talk.tab("\x1b[A");
  expect(shown(talk)).toBe("> @src/a2\n  a1\n› a2");
});

test("Ctrl+Z removes suggestions, and fg does not bring them back", async () => {
  let goOn = (): void => undefined;
  const suspend = (): void => void talk.output.write("stopped\n");
  const onContinue = (heard: () => void): (() => void) => ((goOn = heard), () => undefined);
  const job = { suspend, onContinue, readSize: () => undefined };
  const talk = tabbing([], echo, { NO_COLOR: "1" }, [command("deploy-now"), command("deploy-later")], job);
  await talk.tab("/dep");
  await talk.tab("\x1a");
  goOn();
  await settled(4);
  expect(shown(talk)).toBe("> /dep");
});

test("Esc removes outdated suggestions without interrupting the answer", async () => {
  let end = (): void => undefined;
  const slow: Turn = async function* (engine, prompt) {
    await new Promise<void>((resolve) => (end = resolve));
    yield* echo(engine, prompt);
  };
  const talk = tabbing(["src/a1", "src/a2", "src/b"], slow);
  await talk.tab("go\r");
  await talk.tab("@src/");
  await talk.press("a");
  await talk.press("\x1b[27u");
  await talk.tab("");
  expect(talk.asked).toEqual(["src/"]);
  expect(shown(talk)).toMatch(/^> go\n\+ @src\/a\n {2}waiting for the model · .* · Esc interrupts$/u);
  expect(talk.text()).not.toContain("interrupting");
  await talk.press("\x1b[27u");
  expect(talk.text()).toContain("interrupting");
  end();
});
