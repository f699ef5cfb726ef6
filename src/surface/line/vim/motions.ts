/** Vim's motions: where each leads, and what an operator takes with it. */
import { clusterLeft, clusterRight, columnOf, lineDown, lineEnd, lineStart, lineUp } from "../motion.ts";
import type { Command } from "./command.ts";
import {
  charInLine,
  firstOfLine,
  lineNumbered,
  matchingBracket,
  wordBack,
  wordEnd,
  wordEndBack,
  wordOn,
  type Sought,
} from "./places.ts";

export interface Motion {
  to: number;
  /** What an operator takes: `before` excludes the character at `to`, `on` includes it, `line` takes whole lines. */
  takes: "before" | "on" | "line";
}

type Step = (text: string, at: number) => number;

/** The motions that a count repeats. */
const repeated: ReadonlyMap<string, readonly [Step, Motion["takes"]]> = new Map<string, [Step, Motion["takes"]]>([
  ["h", [(text, at) => Math.max(lineStart(text, at), clusterLeft(text, at)), "before"]],
  ["l", [(text, at) => Math.min(lineEnd(text, at), clusterRight(text, at)), "before"]],
  [" ", [clusterRight, "before"]],
  ["w", [(text, at) => wordOn(text, at, false), "before"]],
  ["W", [(text, at) => wordOn(text, at, true), "before"]],
  ["b", [(text, at) => wordBack(text, at, false), "before"]],
  ["B", [(text, at) => wordBack(text, at, true), "before"]],
  ["e", [(text, at) => wordEnd(text, at, false), "on"]],
  ["E", [(text, at) => wordEnd(text, at, true), "on"]],
  ["ge", [(text, at) => wordEndBack(text, at, false), "on"]],
  ["gE", [(text, at) => wordEndBack(text, at, true), "on"]],
  ["j", [(text, at) => lineDown(text, at, columnOf(text, at)) ?? at, "line"]],
  ["k", [(text, at) => lineUp(text, at, columnOf(text, at)) ?? at, "line"]],
]);

const opposite = { f: "F", F: "f", t: "T", T: "t" } as const;

export class Motions {
  #sought: Sought | undefined;

  /** Returns undefined if the command is not a motion or leads nowhere. */
  of({ what, count, hasCount }: Command, text: string, from: number): Motion | undefined {
    const known = repeated.get(what);
    if (known !== undefined) {
      let to = from;
      for (let left = count; left > 0; left -= 1) {
        const next = known[0](text, to);
        if (next === to) break;
        to = next;
      }
      // Without a line in that direction the motion fails, and does not apply to the current line.
      return to === from && known[1] === "line" ? undefined : { to, takes: known[1] };
    }
    switch (what) {
      case "0":
        return { to: lineStart(text, from), takes: "before" };
      case "^":
      case "_":
        return { to: firstOfLine(text, from), takes: "before" };
      case "$":
        return { to: lineEnd(text, lineNumbered(text, count, from)), takes: "before" };
      case "gg":
        return { to: lineNumbered(text, count), takes: "line" };
      case "G":
        return { to: hasCount ? lineNumbered(text, count) : lineStart(text, text.length), takes: "line" };
      case "%": {
        const to = matchingBracket(text, from);
        return to === undefined ? undefined : { to, takes: "on" };
      }
      default:
        return this.#inLine(what, count, text, from);
    }
  }

  #inLine(what: string, count: number, text: string, from: number): Motion | undefined {
    const isAgain = what === ";" || what === ",";
    const kind = what.charAt(0);
    if (!isAgain) {
      if ((kind !== "f" && kind !== "F" && kind !== "t" && kind !== "T") || what.length < 2) return undefined;
      this.#sought = { kind, character: what.slice(1) };
    }
    if (this.#sought === undefined) return undefined;
    const sought = what === "," ? { ...this.#sought, kind: opposite[this.#sought.kind] } : this.#sought;
    const to = charInLine(text, from, sought, { count, isAgain });
    if (to === undefined) return undefined;
    return { to, takes: sought.kind === "f" || sought.kind === "t" ? "on" : "before" };
  }
}
