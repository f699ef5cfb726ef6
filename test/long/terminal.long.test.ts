// Any keys while any answer comes, with questions, silences and foreign escape sequences in it: what was said is on the
// screen or above it whole and once, what was typed is not lost, and no sequence of others' reaches the terminal.
import fc from "fast-check";
import { expect, test } from "vitest";
import { assistant, blockEvent, delta, success, system, toolResult, type Turn } from "../surface/support/messages.ts";
import { settled } from "../surface/support/sink.ts";
import { Grid } from "../surface/line/grid.ts";
import { bash, start, type Talk } from "../surface/line/talk.ts";

const runs = Number(process.env["TERMINALS"] ?? 800);
const seed = Number(process.env["SEED"] ?? 20_261_123);

/** What pawl may write: places, colours, the modes for pastes and for wrapping. */
const own = new RegExp(
  String.raw`\x1b\[(?:\d*[ABGJK]|2K)|\x1bD|\x1b\[(?:[123]|2[23]|3\d|39|9\d)m|\x1b\[\?(?:2004|7)[hl]`,
  "gu",
);
const colours = new RegExp(String.raw`\x1b\[(?:\d+m|\?2004[hl])`, "gu");
const foreign = [
  ..."\x1b]0;EVIL\x07|\x1b]52;c;RVZJTA==\x07|\x1b[7;7H|\x1b[41m|\x1b[?1049h|\x9b41m|\x1bP+q\x1b\\".split("|"),
  ..."\x1b[2J|\x07|\b\b\b|\u202e|\x1bc|\x0e|\x7f|\r|\x1b[?25l".split("|"),
];
const word = fc.oneof(
  { weight: 6, arbitrary: fc.constant("WORD") },
  { weight: 3, arbitrary: fc.constantFrom("日", "👩‍👩‍👧", "e\u0301", "❤️", "🇩🇪", "**", "`", "a b") },
  { weight: 1, arbitrary: fc.constantFrom(...foreign) },
);
const line = fc.tuple(
  fc.constantFrom("", "", "- ", "# ", "> ", "10. ", "    "),
  fc.array(word, { maxLength: 40, size: "+1" }),
);
const answer = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 6 }),
  isCode: fc.boolean(),
  /** Words of a piece. */
  pieces: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }),
  calls: fc.constantFrom("none", "none", "one", "asked"),
});
const key = fc.constantFrom(
  ..."\r|\r|\n|\t|\x1b[Z|\x0c|/|@|!|日|\x01|\x05|\x1b[200~pa\nste\x1b[201~|y\r|no\r|long ".split("|"),
);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ word: true }) },
  { weight: 5, arbitrary: fc.record({ key }) },
  { weight: 3, arbitrary: fc.record({ pause: fc.constantFrom(50, 200, 700, 1_200) }) },
  { weight: 9, arbitrary: fc.record({ model: fc.integer({ min: 1, max: 9 }) }) },
);
const session = fc.record({
  answers: fc.array(answer, { minLength: 1, maxLength: 4 }),
  steps: fc.array(step, { maxLength: 60, size: "+1" }),
  isPlain: fc.boolean(),
});

interface Model {
  turn: Turn;
  /** Words that were said, in this order. */
  said: string[];
  /** The next message may come. */
  next: () => void;
}

function modelOf(
  answers: readonly (typeof answer extends fc.Arbitrary<infer T> ? T : never)[],
  talk: () => Talk,
): Model {
  const said: string[] = [];
  const waiting: (() => void)[] = [];
  const go = (): Promise<void> => new Promise((resolve) => void waiting.push(resolve));
  let turns = 0;
  let count = 0;
  const turn: Turn = async function* () {
    const { lines, isCode, pieces, calls } = answers[turns++ % answers.length]!;
    const words = lines.flatMap(([begin, given]) => [
      begin,
      ...given.map((each) => (each === "WORD" ? `z${count++}q ` : `${each} `)),
      "\n",
    ]);
    if (isCode) words.unshift("```ts\n");
    await go();
    yield blockEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
    for (let at = 0, piece = 0; at < words.length; piece++) {
      await go();
      const some = words.slice(at, at + pieces[piece % pieces.length]!);
      at += some.length;
      said.push(...some.flatMap((each) => each.match(/z\d+q/gu) ?? []));
      yield delta(some.join(""));
    }
    yield blockEvent({ type: "content_block_stop", index: 0 });
    yield assistant({ type: "text", text: words.join("") });
    yield system({ subtype: "informational", content: `a hook says ${foreign.join("")}`, level: "warning" });
    if (calls !== "none") {
      yield assistant({ type: "tool_use", id: "t1", name: "Re\x1b[41mad", input: { command: foreign.join(" ") } });
      if (calls === "asked")
        await talk().talk.ask({ ...bash, input: { command: foreign.join("") } }, new AbortController().signal);
      await go();
      yield toolResult(`out${foreign.join("\n")}`);
    }
    yield success("x");
  };
  return { turn, said, next: () => waiting.shift()?.() };
}

function rowsOf(talk: Talk): string[] {
  const grid = new Grid(80, 24);
  grid.write(talk.raw().replaceAll(colours, ""));
  return grid.text;
}

/** A question is the last that is shown, whatever is typed at it. */
function asks(rows: readonly string[]): boolean {
  const at = rows.findLastIndex((row) => row.startsWith("yes, no?"));
  return at !== -1 && !rows.slice(at + 1).some((row) => /^(?:[+>](?: |$)| {2}└|\()/u.test(row));
}

test(`${runs} sessions show what was said and typed once, and nothing else`, async () => {
  await fc.assert(
    fc.asyncProperty(session, async ({ answers, steps, isPlain }) => {
      const model = modelOf(answers, () => talk);
      const talk: Talk = start(model.turn, { env: isPlain ? { NO_COLOR: "1" } : {} });
      const typed: string[] = [];
      let isOver = false;
      const over = talk.done.then(() => (isOver = true));
      for (const each of steps) {
        // `/exit` was completed.
        if (isOver) break;
        if ("word" in each) {
          typed.push(`k${typed.length}k`);
          await talk.press(`${typed.at(-1)} `);
        } else if ("key" in each) await talk.press(each.key);
        else if ("pause" in each) await talk.pause(each.pause);
        else
          for (let at = 0; at < each.model; at++) {
            model.next();
            await settled(2);
          }
      }
      const isAsked = (): boolean => asks(rowsOf(talk));
      for (let quiet = 0; quiet < 3; quiet++) {
        const before = talk.raw().length;
        for (let at = 0; at < 60; at++) {
          model.next();
          await settled(1);
        }
        await talk.pause();
        if (isAsked()) await talk.press(`${"\x1b[A".repeat(9)}\x01no ${"\x1b[B".repeat(9)}\x05\r`);
        if (talk.raw().length > before) quiet = -1;
      }
      await talk.press("\x1b[C\x05");
      await talk.press("\x0c");
      const shown = rowsOf(talk).join("").replaceAll(" ", "");
      let last = -1;
      for (const each of model.said) {
        const place = shown.indexOf(each);
        expect(place, each).toBeGreaterThan(last);
        expect(shown.indexOf(each, place + 1), each).toBe(-1);
        last = place;
      }
      for (const each of typed) expect(shown, each).toContain(each);
      expect(talk.raw().replaceAll(own, "")).not.toMatch(/[^\P{Cc}\r\n]|\u202e/u);
      talk.stop.stop("terminated");
      for (let at = 0; at < 60 && !isOver; at++) {
        model.next();
        await settled(1);
      }
      await over;
    }),
    { numRuns: runs, seed },
  );
}, 280_000);
