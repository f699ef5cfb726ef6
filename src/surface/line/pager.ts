/** Shows a long text in the user's pager. */
import { basename } from "node:path";
import { commandWords } from "../../lib/command-words.ts";
import { runLent, type ProgramPlace } from "./lent-program.ts";

/** Returns undefined if no pager is wanted: `PAGER` is set and empty. */
export function pagerOf(env: ProgramPlace["env"]): string[] | undefined {
  const words = commandWords(env["PAGER"] ?? "less");
  if (words.length === 0) return undefined;
  // Keep colours, and start at the end, where the latest messages are.
  return basename(words[0] ?? "") === "less" ? [...words, "-R", "+G"] : words;
}

/** Returns undefined once the text was shown, else why not: a sentence, or none if no pager is wanted or installed. */
export async function showInPager(text: string, place: ProgramPlace): Promise<{ why?: string } | undefined> {
  const words = pagerOf(place.env);
  if (words === undefined) return {};
  const { isBegun, why } = await runLent({ words, input: text }, place);
  if (isBegun) return undefined;
  return place.env["PAGER"] === undefined
    ? {}
    : { why: `The pager ${basename(words[0] ?? "")} could not be started: ${why}. Set another one in PAGER.` };
}
