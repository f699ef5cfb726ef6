// Random keys do to a random text what they do in the real Vim, if there is one. Left out is what is known to differ: counts that
// lead past the text, words and quotes as objects on empty lines and between quotes, what an empty range leaves in the register,
// columns under wide characters.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { typing } from "../surface/line/vim-typed.ts";

const runs = Number(process.env["VIM_KEYS"] ?? 4_000);
const seed = Number(process.env["SEED"] ?? 20_261_201);
const hasVim = spawnSync("vim", ["--version"]).stdout?.includes("VIM - Vi IMproved 9") === true;

const script = String.raw`
set nocompatible noautoindent shiftwidth=2 expandtab nojoinspaces nomore noshowmode visualbell t_vb=
let results = []
for each in json_decode(readfile($CASES)[0])
  enew!
  call setline(1, split(each.text, "\n", 1))
  call setreg('"', '', 'c')
  call setcharsearch({'char': '§', 'forward': 1, 'until': 0})
  call setcursorcharpos(each.line, each.column)
  silent! call feedkeys(each.keys, 'xt')
  call add(results, {'lines': getline(1, '$'), 'line': getcursorcharpos()[1], 'column': getcursorcharpos()[2]})
endfor
call writefile([json_encode(results)], $RESULTS)
qa!
`;

interface Case {
  text: string;
  /** The cursor's place. The texts have only characters of one UTF-16 unit. */
  at: number;
  keys: string;
}

interface Result {
  lines: string[];
  line: number;
  column: number;
}

const words = fc.constantFrom("foo", "bar,", "a-b", "(baz)", "[q]", "{x: 1}", "Éa", "x_1", "f(a, (b))");
const line = fc.tuple(fc.constantFrom("", "", "  "), fc.array(words, { minLength: 1, maxLength: 4 }));
const text = fc
  .array(
    line.map(([indent, all]) => indent + all.join(" ")),
    { minLength: 2, maxLength: 6 },
  )
  .map((lines) => lines.join("\n"));
const place = fc.double({ min: 0, max: 1, noNaN: true });

const count = fc.constantFrom("", "", "", "2");
const move = fc.oneof(
  fc.tuple(count, fc.constantFrom("h", "l", "w", "e", "j", "k")).map((keys) => keys.join("")),
  fc.constantFrom(..."b W B E 0 ^ $ gg G fa Fa t, T, ; , } + -".split(" ")),
);
const end = fc.constantFrom("^[", "é^[", "éü^[");
const joined = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((keys) => keys.join(""));
const object = fc.constantFrom(..."iw aw iW aW i( a( i[ a[ i{ a{ ip ap".split(" "));
const objectCommand = fc.oneof(
  joined(fc.constantFrom("d", "y", "<", ">", "gu", "gU", "g~"), object),
  joined(fc.constant("c"), object, end),
);
const normalCommand = fc.oneof(
  move,
  joined(fc.constantFrom("d", "<", ">"), move),
  // Left out: Vim changes the case of a character if the range is empty, and `k` keeps the column of an earlier line.
  joined(fc.constantFrom("gu", "gU", "g~"), fc.constantFrom(..."w e j W E $ gg G fa ta }".split(" "))),
  fc.constantFrom(..."yj yG ygg yfa".split(" ")),
  joined(fc.constantFrom("cw", "ce", "c0", "cl", "cc", "s", "S"), end),
  joined(fc.constantFrom("i", "I", "a", "A", "o", "O"), end),
  fc.constantFrom(..."% d% dd yy >> << x X J p P ~ rZ Y guu gUU g~~ 2gUU".split(" ")),
);
const selected = fc.tuple(
  fc.constantFrom("v", "V"),
  fc.array(fc.oneof(move, move, fc.constantFrom("o", "switch")), { maxLength: 3 }),
);
const visualKeys = joined(
  selected.map(([kind, keys]) => {
    let current = kind;
    const all = keys.map((key) => (key === "switch" ? (current = current === "v" ? "V" : "v") : key));
    return kind + all.join("");
  }),
  fc.oneof(
    fc.constantFrom(..."d x y rZ ~ u U gu gU g~ J > < 2> p P X D Y ^[".split(" ")),
    joined(fc.constantFrom("c", "s", "C", "S"), end),
  ),
);
/** The last selection again, after an operator that leaves its text in place. */
const againSelected = fc.oneof(
  joined(
    fc.oneof(
      joined(fc.constantFrom("vl", "ve", "vj", "vjo"), fc.constantFrom(..."y ~ gU ^[ v".split(" "))),
      joined(fc.constantFrom("V", "Vj"), fc.constantFrom(..."y ~ gU ^[ V".split(" "))),
    ),
    fc.oneof(fc.constant(""), joined(move, fc.constantFrom("", "vlogv", "Vgvogv"))),
    fc.constantFrom(..."gvd gvy gvrZ gvgu gv> gvY gvo^[".split(" ")),
  ),
  // Left out: where the cursor is after an indent, because Vim moves the ends of the selection along.
  joined(fc.constantFrom("V", "Vj"), fc.constantFrom("><<gv>", ">gvd", ">gv>", ">gvgU")),
);
const visualCommand = fc.oneof({ arbitrary: visualKeys, weight: 4 }, { arbitrary: againSelected, weight: 1 });
const commands = fc.tuple(
  fc.option(objectCommand, { nil: "" }),
  fc.array(normalCommand, { maxLength: 2 }),
  visualCommand,
  fc.array(normalCommand, { maxLength: 2 }),
);
const anyCase: fc.Arbitrary<Case> = fc
  .tuple(text, place, commands)
  .map(([all, share, [first, before, visual, after]]) => {
    const at = Math.floor(share * all.length);
    return {
      text: all,
      // Normal mode has no place behind the last character of a line.
      at: all[at] === "\n" ? at - 1 : at,
      keys: [first, ...before, visual, ...after, "^[^["].join(""),
    };
  });

function resultsOfVim(cases: readonly Case[]): Result[] {
  const folder = mkdtempSync(join(tmpdir(), "pawl-vim-"));
  try {
    const [caseFile, resultFile, scriptFile] = ["cases", "results", "script"].map((name) => join(folder, name));
    const placed = cases.map(({ text: all, at, keys }) => {
      const lines = all.slice(0, at).split("\n");
      return {
        text: all,
        line: lines.length,
        column: (lines.at(-1) ?? "").length + 1,
        keys: keys.replaceAll("^[", "\x1b"),
      };
    });
    writeFileSync(caseFile!, JSON.stringify(placed));
    writeFileSync(scriptFile!, script);
    const options = ["-u", "NONE", "-N", "-n", "-i", "NONE", "--not-a-term", "-S", scriptFile!];
    const env = { PATH: process.env["PATH"], TERM: "dumb", LANG: "C.UTF-8", CASES: caseFile!, RESULTS: resultFile! };
    spawnSync("vim", options, { env, cwd: folder, stdio: "ignore" });
    return JSON.parse(readFileSync(resultFile!, "utf8")) as Result[];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns undefined if the text was empty in between: Vim distinguishes an empty line from no line. */
function typedHere(start: string, keys: string): string | undefined {
  const { editor, type, shown } = typing(start);
  for (const [key] of keys.matchAll(/\^\[|[^]/gu)) {
    type(key);
    if (editor.text === "") return undefined;
  }
  return shown();
}

test.skipIf(!hasVim)("keys of Vim's normal and visual mode do what they do in Vim 9", () => {
  const cases = fc.sample(anyCase, { numRuns: runs, seed });
  const results = resultsOfVim(cases);
  const differing = cases.flatMap(({ text: all, at, keys }, index) => {
    const { lines, line: row, column } = results[index]!;
    const before = [...lines.slice(0, row - 1), lines[row - 1]!.slice(0, column - 1)].join("\n");
    const inVim = `${before}|${lines.join("\n").slice(before.length)}`;
    const start = `${all.slice(0, at)}|${all.slice(at)}`;
    const here = typedHere(start, keys);
    return here === undefined || here === inVim ? [] : [JSON.stringify({ start, keys, inVim, here })];
  });
  expect(differing.toSorted((one, other) => one.length - other.length).slice(0, 10)).toEqual([]);
});
