/** Edits the prompt in the user's editor. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { commandWords } from "../../lib/command-words.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { reasonOf } from "../../lib/system-reason.ts";
import { temporaryFolder } from "../../lib/temporary-folder.ts";
import { normalizePaste } from "./keys.ts";
import { runWithTerminal, type ProgramContext } from "./lent-program.ts";

const noEditor =
  "No editor is set in VISUAL or EDITOR. Exit, run export EDITOR=vim (or your editor), and start pawl again.";
const maxBytes = 4 * 1024 * 1024;

/** `why` is a sentence; the prompt is then to stay unchanged. */
export type EditResult = { ok: true; text: string } | { ok: false; why: string };

/** Returns undefined if no editor is set. */
export function editorCommand(env: ProgramContext["env"]): string[] | undefined {
  for (const name of ["VISUAL", "EDITOR"]) {
    const words = commandWords(env[name] ?? "");
    if (words.length > 0) return words;
  }
  return undefined;
}

/** Edits the text in a temporary file that only this user can read, and removes the file afterwards. */
export async function editText(text: string, context: ProgramContext): Promise<EditResult> {
  const words = editorCommand(context.env);
  if (words === undefined) return { ok: false, why: noEditor };
  let folder: string | undefined;
  const remove = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  // An immediate exit does not wait for the editor to end.
  context.signal.addEventListener("abort", remove);
  try {
    folder = mkdtempSync(join(temporaryFolder(context.env), "pawl-prompt-"));
    const file = join(folder, "prompt.md");
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
    return await runEditor(file, words, context);
  } catch (error) {
    return { ok: false, why: `The prompt could not be passed to the editor: ${reasonOf(error)}.` };
  } finally {
    context.signal.removeEventListener("abort", remove);
    remove();
  }
}

async function runEditor(file: string, words: readonly string[], context: ProgramContext): Promise<EditResult> {
  const name = basename(words[0] ?? "");
  const { isBegun, why } = await runWithTerminal({ words: [...words, file] }, context);
  if (!isBegun)
    return { ok: false, why: `The editor ${name} could not be started: ${why}. Set another one in VISUAL or EDITOR.` };
  if (why !== undefined) return { ok: false, why: `The editor ${name} ${why}: the prompt is unchanged.` };
  const read = readRegularFile(file, maxBytes);
  if (!read.ok)
    return { ok: false, why: `The file saved by ${name} cannot be read: ${read.why}. The prompt is unchanged.` };
  if (read.isDamaged === true)
    return { ok: false, why: `The file saved by ${name} is not UTF-8 text. The prompt is unchanged.` };
  // Remove the line end that editors add at the end of a file.
  return { ok: true, text: normalizePaste(read.text).replace(/\n$/u, "") };
}
