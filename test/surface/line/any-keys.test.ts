// Any keys in any order: the screen shows what is typed, once, and what may be chosen below it.
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { complete, suggestCommand } from "../../../src/surface/line/complete.ts";
import { commandPattern, mentionPattern } from "../../../src/surface/line/completion-patterns.ts";
import type { Draft } from "../../../src/surface/line/history.ts";
import { BackgroundQuery } from "../../../src/surface/line/background-query.ts";
import { Keyboard } from "../../../src/surface/line/keyboard.ts";
import type { CompletionMenu } from "../../../src/surface/line/completion-menu.ts";
import { plainStyle } from "../../../src/surface/show/style.ts";
import { broken } from "./characters.ts";
import { Grid } from "./grid.ts";
import { settled } from "../support/sink.ts";

const keys = ["a", "b ", "/", "@", "日", "\t", "\t", "\x1b[Z", "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C", "\x05"];
const others = [
  "\x1b",
  "\r",
  "\x15",
  "\x17",
  "\x7f",
  "\x1f",
  "\x12",
  "\x07",
  "\x1b\r",
  "\x1b[27u",
  "\x1b[200~x\ny\x1b[201~",
];

const engine = {
  supportedCommands: () =>
    ["add", "apply", "build"].map((name) => ({ name, description: `does ${name}`, argumentHint: "", builtin: true })),
  desk: {
    completePath: (begun: string) =>
      Promise.resolve(["a one.md", "a/", "ab.md", "日本/"].filter((path) => path.startsWith(begun))),
  },
};

test("any sequence of keys leaves the typed text and its cursor on the screen", async () => {
  const key = fc.constantFrom(...keys, ...others);
  const status = fc.constantFrom<string[]>([], ["status", "line"]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(key, { maxLength: 40, size: "max" }),
      fc.integer({ min: 12, max: 40 }),
      status,
      async (pressed, columns, under) => {
        const grid = new Grid(columns, 30);
        const input = new PassThrough();
        const output = Object.assign(new PassThrough(), { columns, rows: 30 });
        output.on("data", (chunk: Buffer) => grid.write(chunk.toString()));
        const waiting = new Set<() => void>();
        const found: Promise<void>[] = [];
        const offerSome = (menu: CompletionMenu): void => keyboard.offer(menu.isEmpty ? undefined : menu);
        const keyboard: Keyboard = new Keyboard(
          {
            input,
            output,
            kind: "rewraps",
            style: plainStyle,
            below: () => under,
            modes: { on: "", off: "", restore: "" },
            answers: new BackgroundQuery(
              () => () => undefined,
              () => undefined,
              undefined,
            ),
            now: () => 0,
            after: (_ms, then) => {
              waiting.add(then);
              return () => void waiting.delete(then);
            },
          },
          {
            line: () => keyboard.prompt(),
            interrupt: () => undefined,
            escape: () => false,
            closed: () => undefined,
            pressed: () => undefined,
            pasted: () => undefined,
            takeBack: () => ({ what: "nothing" }),
            picture: () => undefined,
            suggest: (draft: Draft | undefined, isTyped: boolean) => {
              if (!isTyped || draft === undefined) return false;
              if (commandPattern.test(draft.text)) {
                const menu = suggestCommand(engine, draft, plainStyle);
                if (menu !== undefined) keyboard.offer(menu);
                return menu !== undefined;
              }
              if (!mentionPattern.test(draft.text.slice(0, draft.cursor))) return false;
              const { signal } = new AbortController();
              found.push(complete(engine, draft, { style: plainStyle, isSuggested: true }, signal).then(offerSome));
              return true;
            },
            maySend: () => true,
            typing: () => undefined,
            emptied: () => undefined,
            continued: () => undefined,
            edit: () => undefined,
            transcript: () => undefined,
            beforeLend: () => undefined,
            afterLend: () => undefined,
            cycleMode: () => undefined,
            complete: (draft: Draft) => {
              const { signal } = new AbortController();
              found.push(
                complete(engine, draft, { style: plainStyle, isSuggested: false }, signal).then((menu) =>
                  keyboard.offer(menu),
                ),
              );
              return true;
            },
          },
        );
        keyboard.prompt();
        for (const each of pressed) {
          input.write(each);
          await settled(1);
          const due = Array.from(waiting);
          waiting.clear();
          for (const then of due) then();
          await Promise.all(found.splice(0));
        }
        // No search, no candidates, the cursor at the end.
        for (const last of ["\x07", "\x07", "\x1b[C", "\x1b[1;5F", "\x1b[B\x1b[B\x1b[B\x1b[B", "\x05"]) {
          input.write(last);
          await settled(1);
        }
        // How wide a tab is depends on where it stands.
        if (keyboard.text.includes("\t")) return keyboard.close();
        const { rows, row, column } = broken(`> ${keyboard.text}`, columns);
        const shown = grid.text;
        while (shown.at(-1) === "" && shown.length > grid.row + 1) shown.pop();
        if (row === rows.length) rows.push("");
        rows.push(...under);
        expect(shown.slice(-rows.length)).toEqual(rows);
        expect([grid.row - (shown.length - rows.length), grid.column]).toEqual([row, column]);
        keyboard.close();
      },
    ),
    { numRuns: 300 },
  );
});
