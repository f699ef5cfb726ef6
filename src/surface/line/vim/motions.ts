/** Vim's motions: where each leads, and what an operator takes with it. */
import { clusterLeft, clusterRight, columnOf, lineDown, lineEnd, lineStart, lineUp } from "../motion.ts";
import type { Command } from "./command.ts";
import {
  findCharInLine,
  firstNonBlank,
  nthLineStart,
  previousWordStart,
  nextWordEnd,
  previousWordEnd,
  nextWordStart,
  type CharSearch,
  type Motion,
} from "./places.ts";
import { matchingBracket } from "./objects.ts";
import { paragraphMotion } from "./paragraphs.ts";

type Step = (text: string, at: number) => number;

/** The motions that a count repeats. */
const repeatableMotions: ReadonlyMap<string, readonly [Step, Motion["takes"]]> = new Map<
  string,
  [Step, Motion["takes"]]
>([
  ["h", [(text, at) => Math.max(lineStart(text, at), clusterLeft(text, at)), "before"]],
  ["l", [(text, at) => Math.min(lineEnd(text, at), clusterRight(text, at)), "before"]],
  [" ", [clusterRight, "before"]],
  ["w", [(text, at) => nextWordStart(text, at, false), "before"]],
  ["W", [(text, at) => nextWordStart(text, at, true), "before"]],
  ["b", [(text, at) => previousWordStart(text, at, false), "before"]],
  ["B", [(text, at) => previousWordStart(text, at, true), "before"]],
  ["e", [(text, at) => nextWordEnd(text, at, false), "on"]],
  ["E", [(text, at) => nextWordEnd(text, at, true), "on"]],
  ["ge", [(text, at) => previousWordEnd(text, at, false), "on"]],
  ["gE", [(text, at) => previousWordEnd(text, at, true), "on"]],
  ["j", [(text, at) => lineDown(text, at, columnOf(text, at)) ?? at, "line"]],
  ["k", [(text, at) => lineUp(text, at, columnOf(text, at)) ?? at, "line"]],
]);

/** Those that fail where they lead nowhere. The others then take nothing, so that a change still starts the insert mode. */
const failingMotions = new Set(["b", "B", "ge", "gE", "j", "k"]);

const oppositeSearch = { f: "F", F: "f", t: "T", T: "t" } as const;

export class Motions {
  #lastCharSearch: CharSearch | undefined;

  /** Returns undefined if the command is not a motion or leads nowhere. */
  resolve({ what, count, hasCount }: Command, text: string, from: number): Motion | undefined {
    const known = repeatableMotions.get(what);
    if (known !== undefined) {
      let to = from;
      for (let left = count; left > 0; left -= 1) {
        const next = known[0](text, to);
        if (next === to) break;
        to = next;
      }
      return to === from && failingMotions.has(what) ? undefined : { to, takes: known[1] };
    }
    switch (what) {
      case "0":
        return { to: lineStart(text, from), takes: "before" };
      case "+":
      case "-": {
        const line = this.resolve({ what: what === "+" ? "j" : "k", count, hasCount }, text, from);
        return line === undefined ? undefined : { ...line, to: firstLetter(text, line.to) };
      }
      case "^":
        return { to: firstLetter(text, from), takes: "before" };
      case "$":
      case "_": {
        const last = nthLineStart(text, count, from);
        if (count > 1 && last === from) return undefined;
        return what === "_"
          ? { to: firstLetter(text, last), takes: "line" }
          : { to: lineEnd(text, last), takes: "end" };
      }
      case "{":
      case "}":
        return paragraphMotion(text, from, what, count);
      case "gg":
      case "G": {
        const line = what === "gg" || hasCount ? nthLineStart(text, count) : text.length;
        return { to: firstLetter(text, line), takes: "line" };
      }
      case "%": {
        const to = matchingBracket(text, from);
        return to === undefined ? undefined : { to, takes: "on" };
      }
      default:
        return this.#charMotion(what, count, text, from);
    }
  }

  #charMotion(what: string, count: number, text: string, from: number): Motion | undefined {
    const isAgain = what === ";" || what === ",";
    const kind = what.charAt(0);
    if (!isAgain) {
      if ((kind !== "f" && kind !== "F" && kind !== "t" && kind !== "T") || what.length < 2) return undefined;
      this.#lastCharSearch = { kind, character: what.slice(1) };
    }
    if (this.#lastCharSearch === undefined) return undefined;
    const search =
      what === ","
        ? { ...this.#lastCharSearch, kind: oppositeSearch[this.#lastCharSearch.kind] }
        : this.#lastCharSearch;
    const to = findCharInLine(text, from, search, { count, isAgain });
    if (to === undefined) return undefined;
    return { to, takes: search.kind === "f" || search.kind === "t" ? "on" : "before" };
  }
}

/** Returns the place of the first letter of a line, or of the last blank if there are only blanks. */
function firstLetter(text: string, at: number): number {
  const place = firstNonBlank(text, at);
  return place === lineEnd(text, place) ? Math.max(lineStart(text, place), clusterLeft(text, place)) : place;
}
