/** Shows a long text in the user's pager. */
import { basename } from "node:path";
import { commandWords } from "../../lib/command-words.ts";
import { runWithTerminal, type ProgramContext } from "./lent-program.ts";

/** Returns undefined if no pager is wanted: `PAGER` is set and empty. */
function pagerCommand(env: ProgramContext["env"]): string[] | undefined {
  const words = commandWords(env["PAGER"] ?? "less");
  if (words.length === 0) return undefined;
  // Keep colours, and start at the end, where the latest messages are.
  return basename(words[0] ?? "") === "less" ? [...words, "-R", "+G"] : words;
}

/** Returns undefined once the text was shown, else why not: a sentence, or none if no pager is wanted or installed. */
export async function showInPager(text: string, context: ProgramContext): Promise<{ why?: string } | undefined> {
  const words = pagerCommand(context.env);
  if (words === undefined) return {};
  const { isBegun, why } = await runWithTerminal({ words, input: text }, context);
  if (isBegun) return undefined;
  return context.env["PAGER"] === undefined
    ? {}
    : { why: `The pager ${basename(words[0] ?? "")} could not be started: ${why}. Set another one in PAGER.` };
}
