/** What is typed, in the editor that a person has set. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { commandWords } from "../../lib/command-words.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { reasonOf } from "../../lib/system-reason.ts";
import { temporaryFolder } from "../../lib/temporary-folder.ts";
import { flat } from "./keys.ts";
import { runLent, type ProgramPlace } from "./lent-program.ts";

const noEditor =
  "No editor is set: VISUAL or EDITOR names it. Leave, run export EDITOR=vim or what you use, and start pawl again.";
const mostBytes = 4 * 1024 * 1024;

/** `why`: a sentence; what was typed is to stay. */
export type Edited = { ok: true; text: string } | { ok: false; why: string };

/** Undefined where none is set. */
export function editorOf(env: ProgramPlace["env"]): string[] | undefined {
  for (const name of ["VISUAL", "EDITOR"]) {
    const words = commandWords(env[name] ?? "");
    if (words.length > 0) return words;
  }
  return undefined;
}

/** By way of a file for this user alone, which is gone afterwards. */
export async function editText(text: string, place: ProgramPlace): Promise<Edited> {
  const words = editorOf(place.env);
  if (words === undefined) return { ok: false, why: noEditor };
  let folder: string | undefined;
  const remove = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  // Who leaves at once does not wait for the editor's end.
  place.signal.addEventListener("abort", remove);
  try {
    folder = mkdtempSync(join(temporaryFolder(place.env), "pawl-prompt-"));
    const file = join(folder, "prompt.md");
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
    return await edited(file, words, place);
  } catch (error) {
    return { ok: false, why: `What is typed could not be handed to the editor: ${reasonOf(error)}.` };
  } finally {
    place.signal.removeEventListener("abort", remove);
    remove();
  }
}

async function edited(file: string, words: readonly string[], place: ProgramPlace): Promise<Edited> {
  const name = basename(words[0] ?? "");
  const { isBegun, why } = await runLent({ words: [...words, file] }, place);
  if (!isBegun)
    return { ok: false, why: `The editor ${name} could not be started: ${why}. VISUAL or EDITOR names it.` };
  if (why !== undefined) return { ok: false, why: `The editor ${name} ${why}: what is typed is as it was.` };
  const read = readRegularFile(file, mostBytes);
  if (!read.ok)
    return { ok: false, why: `What ${name} has saved cannot be read: ${read.why}. What is typed is as it was.` };
  if (read.isDamaged === true)
    return { ok: false, why: `What ${name} has saved is no text in UTF-8. What is typed is as it was.` };
  // The line end that editors put at a file's end begins no line.
  return { ok: true, text: flat(read.text).replace(/\n$/u, "") };
}
