/** A long text in the pager that a person has. */
import { basename } from "node:path";
import { commandWords } from "../../lib/command-words.ts";
import { runLent, type ProgramPlace } from "./lent-program.ts";

/** Undefined where nobody wants one: `PAGER` is there, and empty. */
export function pagerOf(env: ProgramPlace["env"]): string[] | undefined {
  const words = commandWords(env["PAGER"] ?? "less");
  if (words.length === 0) return undefined;
  // Colours as they are, and at the end, where what was said last stands.
  return basename(words[0] ?? "") === "less" ? [...words, "-R", "+G"] : words;
}

/** Undefined once it was shown; else why it was not: a sentence, or nothing to say where no pager is wanted, or there. */
export async function showInPager(text: string, place: ProgramPlace): Promise<{ why?: string } | undefined> {
  const words = pagerOf(place.env);
  if (words === undefined) return {};
  const { isBegun, why } = await runLent({ words, input: text }, place);
  if (isBegun) return undefined;
  return place.env["PAGER"] === undefined
    ? {}
    : { why: `The pager ${basename(words[0] ?? "")} could not be started: ${why}. PAGER names it.` };
}
