// Tab at the prompt: commands and files.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findMentions } from "../../../src/knowledge/mentions.ts";
import type { Engine } from "../../../src/surface/engine-port.ts";
import { complete } from "../../../src/surface/line/complete.ts";
import { plainStyle } from "../../../src/surface/show/style.ts";
import { delta, success } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { command, tabbing } from "./tabbing.ts";
import { bash, echo, start, type Talk } from "./talk.ts";

const prompts = ({ engine }: Talk): unknown[] => engine.prompts.map(({ prompt }) => prompt);

describe("Tab after a slash", () => {
  test("completes a unique command and shows its arguments", async () => {
    const talk = tabbing();
    await talk.tab("/model\t");
    expect(talk.shown()).toBe("> /model \n  /model [name]  does model");
    await talk.type("x\r");
    expect(talk.shown()).not.toContain("does");
    expect(prompts(talk)).toEqual(["/model x"]);
  });

  test("completes names with dots and letters of other scripts", async () => {
    const talk = tabbing([], echo, { NO_COLOR: "1" }, [command("kit.überall", "[where]")]);
    await talk.tab("/kit.üb\t");
    expect(talk.shown()).toBe("> /kit.überall \n  /kit.überall [where]  does kit.überall");
  });

  test("completes the common part of several commands, lists them, and lets keys choose", async () => {
    const talk = tabbing();
    await talk.tab("/co\t");
    expect(talk.shown()).toMatch(
      /^> \/co\n {2}\/compact \[instructions\] {2}does compact\n {2}\/cost {20}does cost\n {2}\/continue \[session\]/u,
    );
    await talk.tab();
    expect(talk.shown()).toContain("> /compact \n› /compact");
    await talk.tab("\x1b[B");
    expect(talk.shown()).toContain("> /cost \n  /compact");
    expect(talk.shown()).toContain("\n› /cost");
    for (const back of ["\x1b[Z", "\x1b[A", "\x1b[A", "\x1b[A"]) await talk.tab(back);
    expect(talk.shown()).toContain("> /compact \n");
    await talk.type("\r");
    expect(talk.shown()).toBe("> /compact \n  /compact [instructions]  does compact");
    expect(prompts(talk)).toEqual([]);
    await talk.type("now\r");
    expect(prompts(talk)).toEqual(["/compact now"]);
  });

  test("closes the list with Esc, keeps the chosen command with other keys, and sends with Enter if none is chosen", async () => {
    const talk = tabbing();
    for (const keys of ["/co\t", "\t", "\x1b"]) await talk.tab(keys);
    expect(talk.shown()).toBe("> /co");
    for (const keys of ["\t", "\t", "\t", "all"]) await talk.tab(keys);
    expect(talk.shown()).toBe("> /cost all");
    for (const keys of ["\x15/co\t", "\r"]) await talk.tab(keys);
    expect(prompts(talk)).toEqual(["/co"]);
  });

  test.each([
    ["/qu", "> /quit "],
    ["/rese", "> /reset "],
    ["/comm", "> /git:commit "],
    ["/ost", "> /cost "],
    ["  /MODEL", ">   /model "],
  ])("completes %j to %j", async (typed, want) => {
    const talk = tabbing();
    await talk.tab(`${typed}\t`);
    expect(talk.shown().split("\n")[0]).toBe(want);
  });

  test("shows the arguments of a complete name, or that nothing matches, without control sequences", async () => {
    const talk = tabbing();
    await talk.tab("/git:commit \t");
    expect(talk.shown()).toBe("> /git:commit \n  /git:commit [message]  writes it down");
    expect(talk.raw()).not.toContain("\x1b[31m");
    await talk.tab("\x15/xyz\t");
    expect(talk.shown()).toBe("> /xyz\n(no matches)");
  });

  test("cuts the list to a small window and counts the rest", async () => {
    const talk = tabbing();
    Object.assign(talk.output, { columns: 20, rows: 5 });
    await talk.tab("/\t");
    expect(talk.shown()).toBe("> /\n  /clear\n  /compact [instru…\n  and 8 more");
    for (const _ of [1, 2, 3]) await talk.tab();
    expect(talk.shown()).toBe("> /cost \n  /compact [instru…\n› /cost\n  and 8 more");
  });
});

describe("Tab after an at sign", () => {
  test("completes a file, a folder up to its slash, and the common part of several paths", async () => {
    const talk = tabbing(["src/", "src/surface/", "src/session/", "README.md"]);
    await talk.tab("see @R\t");
    expect(talk.shown()).toBe("> see @README.md ");
    const one = tabbing(["src/surface/", "src/session/"]);
    await one.tab("(@src/s\t");
    expect(one.shown()).toBe("> (@src/s\n  surface/\n  session/");
    for (const keys of ["\t", "\r"]) await one.tab(keys);
    expect(one.shown()).toBe("> (@src/surface/");
    // What the folder holds is looked for next.
    expect(one.asked).toEqual(["src/s", "src/surface/"]);
  });

  test("completes the common part of more paths than a call takes arguments", async () => {
    const paths = Array.from({ length: 200_000 }, (_, at) => `logs/run-${at}`);
    const engine = { supportedCommands: () => [], desk: { completePath: () => Promise.resolve(paths) } };
    const look = { style: plainStyle, isSuggested: false };
    const menu = await complete(engine, { text: "@lo", cursor: 3 }, look, new AbortController().signal);
    expect(menu.completedDraft.text).toBe("@logs/run-");
  });

  test("completes a mention after text without blanks, and after a full-width @", async () => {
    const talk = tabbing(["README.md"]);
    await talk.tab("请看@R\t");
    expect(talk.shown()).toBe("> 请看@README.md ");
    const one = tabbing(["README.md"]);
    await one.tab("（＠R\t");
    expect(one.shown()).toBe("> （@README.md ");
  });

  test("completes a command after a full-width slash", async () => {
    const talk = tabbing([]);
    await talk.tab("／model\t");
    expect(talk.shown()).toContain("> /model ");
  });

  test("quotes paths with special characters, and continues inside the quotes", async () => {
    const talk = tabbing(["my notes/", "my notes/one two.md"]);
    await talk.tab("see @my\t");
    expect(talk.shown()).toBe('> see @"my notes/"');
    await talk.tab();
    expect(talk.shown()).toBe('> see @"my notes/one two.md" ');
    const inside = tabbing(["my notes/", "my notes/one two.md", "[id].ts", "(a)/", "日本 語.md", "plain.md."]);
    for (const keys of ['see @"my notes/"', "\x1b[D", "\t", "and @[\t", "@日\t", "@pl\t"]) await inside.tab(keys);
    await inside.type("\r");
    expect(prompts(inside)).toEqual(['see @"my notes/one two.md" and @./[id].ts @"日本 語.md" @"plain.md." ']);
  });

  test("completes to a mention that names exactly the chosen file", async () => {
    const unit = fc.constantFrom(...Array.from("ab-_.~ ,:;#L1\"'`()[]{}<>!?@$%&+=/日é"));
    const paths = fc.array(unit, { minLength: 1, maxLength: 8 }).map((units) => units.join(""));
    const path = paths.filter((text) => !/^[/~]|\/\/|\/$|^\.+\/|["`]|[#:]L?1+(?:-L?1+)?$/u.test(text));
    await fc.assert(
      fc.asyncProperty(path, async (name) => {
        const engine = { supportedCommands: () => [], desk: { completePath: () => Promise.resolve([name]) } };
        const { signal } = new AbortController();
        const menu = await complete(
          engine,
          { text: "see @", cursor: 5 },
          { style: plainStyle, isSuggested: false },
          signal,
        );
        const [mention, ...others] = findMentions(`${menu.completedDraft.text}and go on`);
        expect([mention?.path.replace(/^\.\//u, ""), mention?.from, others]).toEqual([name, undefined, []]);
      }),
      { numRuns: 500 },
    );
  });

  test("does not replace text typed meanwhile, and keeps tabs of a paste", async () => {
    const talk = tabbing(["README.md"]);
    await talk.tab("@R\tx");
    expect(talk.shown()).toBe("> @Rx");
    await talk.tab("\x15\x1b[200~@R\t\tand\x1b[201~\r");
    await talk.tab("a\tb\r");
    expect(prompts(talk)).toEqual(["@R\t\tand", "a\tb"]);
    // The second is suggested for what stands there in the end.
    expect(talk.asked).toEqual(["R", "Rx"]);
  });

  test("indents at the start of a line, and explains itself elsewhere", async () => {
    const talk = tabbing();
    await talk.tab("\t");
    expect(talk.shown()).toBe("> \n(Tab completes /commands and @files)");
    for (const keys of ["word\t", "\n", "\t", "x\r"]) await talk.tab(keys);
    expect(prompts(talk)).toEqual(["word\n\tx"]);
  });

  test("does nothing at a question, and no list is shown under one", async () => {
    const talk = tabbing(["a.md", "b.md"]);
    await talk.tab("@\t");
    expect(talk.shown()).toBe("> @\n  a.md\n  b.md");
    const answered = talk.talk.ask(bash, new AbortController().signal);
    await settled(4);
    await talk.pause();
    await talk.tab("\t");
    expect(talk.text()).toMatch(/yes, no\? $/u);
    await talk.type("y\r");
    expect(await answered).toEqual({ behavior: "allow" });
    expect(talk.shown()).toBe("> @");
  });

  test("works during an answer", async () => {
    let end = (): void => undefined;
    const talk = tabbing(["README.md"], async function* () {
      yield delta("one wo");
      await new Promise<void>((resolve) => (end = resolve));
      yield success("x");
    });
    await talk.type("go\r");
    await talk.tab("read @R\t");
    await talk.type("too\r");
    end();
    await settled(8);
    expect(prompts(talk)).toEqual(["go", [{ type: "text", text: "read @README.md too" }]]);
  });

  test("lists above the prompt on a terminal that cannot move its cursor", async () => {
    const talk = tabbing(["a.md", "b.md"], echo, { TERM: "dumb" });
    await talk.tab("@\t");
    expect(talk.raw()).toMatch(/> @\n {2}a\.md\n {2}b\.md\n> @$/u);
  });

  test("removes the list at Ctrl+Z, and fg restores the prompt", async () => {
    let goOn = (): void => undefined;
    const desk = {
      tasks: () => [],
      onTaskEnd: () => () => undefined,
      completePath: () => Promise.resolve(["a.md", "b.md"]),
    } as unknown as Engine["desk"];
    const job = {
      suspend: (): void => void talk.output.write("stopped\n"),
      onContinue: (heard: () => void) => {
        goOn = heard;
        return () => undefined;
      },
      readSize: () => undefined,
    };
    const talk = start(echo, { overrides: { desk }, job });
    await talk.type("see @, too");
    for (const _ of ", too") await talk.type("\x1b[D");
    await talk.type("\t");
    await import("../../../src/surface/line/complete.ts");
    await settled(8);
    expect(talk.text()).toMatch(/a\.md\n {2}b\.md$/u);
    const before = talk.raw().length;
    await talk.type("\x1a");
    expect(talk.raw().slice(before)).toMatch(/\r> see @, too.{8}stopped\n.{8}$/u);
    goOn();
    expect(talk.raw().endsWith("> see @, too\x1b[8G")).toBe(true);
  });

  test("reports an error, and does not delay the exit", async () => {
    const desk = {
      tasks: () => [],
      onTaskEnd: () => () => undefined,
      completePath: (begun: string) =>
        begun === "x" ? Promise.reject(new Error("no such \x1b[2Jplace")) : new Promise(() => undefined),
    } as unknown as Engine["desk"];
    const { type, text, done } = start(echo, { overrides: { desk } });
    await type("@x\t");
    await import("../../../src/surface/line/complete.ts");
    await settled(8);
    expect(text()).toMatch(/Nothing could be completed: no such place\n> @x$/u);
    for (const keys of ["\x15", "@y\t", "\x15", "\x04"]) await type(keys);
    expect(await done).toBe(0);
    expect(text()).not.toContain("cancelled");
  });
});
